"""Several parts in one picture, each in its own colour over the mean of the data; a click on its name hides a part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nnspca.view import sanitize
from nnspca.view.figures.component import Scene
from nnspca.view.figures.style import (
    LEGEND_DROP,
    LEGEND_ROW,
    PIXELS_X,
    PIXELS_Y,
    Palette,
    axis_words,
    dress,
    rgba,
    set_axes,
)

# After Okabe & Ito (2008) and Tol: distinguishable with all common forms of colour blindness, also on grey;
# black numbers are legible on each.
COLOURS = (
    "#e69f00",
    "#56b4e9",
    "#009e73",
    "#f0e442",
    "#d55e00",
    "#cc79a7",
    "#3d8bff",
    "#b5b5b5",
    "#44aa99",
    "#ddcc77",
    "#bb88ee",
    "#999933",
)
FAINTEST = 0.55  # opacity of a part's smallest loading
WIDTH = 430  # pixels that the figure has, about
ROWS = 30  # about how many features the list of all parts shows
ACROSS = 2  # names in a line of the legend


def over_mean(loadings: np.ndarray, scene: Scene, palette: Palette, *, labels: Sequence[str], title: str) -> go.Figure:
    """Draw the columns of ``loadings`` (n, r), one trace a part, over the mean; ``labels`` name them in the legend."""
    figure = go.Figure()
    lines = -(-len(labels) // ACROSS)
    legend = LEGEND_DROP // 2 + LEGEND_ROW * lines
    if scene.image_shape is not None:
        _image(figure, loadings, scene, palette, labels)
        rows, columns = scene.image_shape
        height = round(WIDTH * rows / columns) + legend + 40
        what = f"{rows} by {columns} pixels"
    elif scene.axis is not None:
        _along(figure, loadings, scene, palette, labels)
        height, what = 380 + legend, f"stretches along {axis_words(scene.axis)[0]}"
    else:
        height = 110 + 22 * _list(figure, loadings, scene, labels) + legend
        what = "bars by feature name"
    alt = f"{title}: {what}, each of {len(labels)} parts in its own colour; {'; '.join(labels)}."
    dress(figure, palette, title=title, alt=alt, height=height, legend_rows=lines)
    if scene.image_shape is not None:
        below = LEGEND_ROW * lines + 16
        figure.update_layout(margin_b=below, legend_y=-8 / (height - below - 40))
        set_axes(figure, "x", **PIXELS_X)
        set_axes(figure, "y", **PIXELS_Y, constraintoward="top")
    elif scene.axis is not None:
        set_axes(figure, "x", title_text=axis_words(scene.axis)[2])
        set_axes(figure, "y", title_text="mean of the data", rangemode="normal")
        figure.update_layout(barmode="overlay", bargap=0)
    else:
        set_axes(figure, "x", title_text="loading")
        set_axes(figure, "y", autorange="reversed", type="category", showgrid=False, dtick=1)
        figure.update_layout(barmode="stack")
    figure.update_layout(legend={"itemclick": "toggle", "itemdoubleclick": "toggleothers"})
    return figure


def _colour(part: int) -> str:
    return COLOURS[part % len(COLOURS)]


def _image(figure: go.Figure, loadings: np.ndarray, scene: Scene, palette: Palette, labels: Sequence[str]) -> None:
    """Lay one heatmap a part over the mean image in greys."""
    assert scene.image_shape is not None
    mean = np.zeros(len(loadings)) if scene.mean is None else scene.mean
    figure.add_heatmap(
        z=mean.reshape(scene.image_shape),
        colorscale="gray" if scene.mean is not None else [(0.0, palette.empty), (1.0, palette.empty)],
        showscale=False,
        hoverinfo="skip",
        name="mean",
        showlegend=False,
    )
    for part, label in enumerate(labels):
        u = loadings[:, part]
        most = float(np.abs(u).max()) or 1.0
        figure.add_heatmap(
            z=np.where(u == 0, np.nan, np.abs(u) / most).reshape(scene.image_shape),
            customdata=u.reshape(scene.image_shape),
            zmin=0.0,
            zmax=1.0,
            colorscale=[(0.0, rgba(_colour(part), FAINTEST)), (1.0, _colour(part))],
            showscale=False,
            showlegend=False,
            legendgroup=label,
            name=label,
            hoverongaps=False,
            hovertemplate=f"{label}<br>row %{{y}}, column %{{x}}<br>loading %{{customdata:.4f}}<extra></extra>",
        )
        _add_legend_entry(figure, label, part)


def _add_legend_entry(figure: go.Figure, label: str, part: int) -> None:
    """Add a part's entry to the legend: a heatmap's own would show a scale, not a colour."""
    figure.add_scatter(
        x=[None],
        y=[None],
        mode="markers",
        name=label,
        legendgroup=label,
        marker={"symbol": "square", "size": 13, "color": _colour(part)},
        hoverinfo="skip",
    )


def _along(figure: go.Figure, loadings: np.ndarray, scene: Scene, palette: Palette, labels: Sequence[str]) -> None:
    """Shade each part's stretches along the axis, below the mean curve."""
    assert scene.axis is not None
    _, unit, _ = axis_words(scene.axis)
    values, order = np.asarray(scene.axis.values, dtype=float), np.argsort(scene.axis.values, kind="stable")
    edges = np.concatenate([[0.0], np.diff(values[order]), [0.0]])
    widths = np.empty(len(values))
    widths[order] = np.maximum((edges[:-1] + edges[1:]) / 2, 1e-12)
    mean = np.zeros(len(values)) if scene.mean is None else scene.mean
    low, high = min(float(mean.min()), 0.0), float(mean.max())
    top = high + 0.06 * ((high - low) or 1.0)
    for part, label in enumerate(labels):
        used = np.flatnonzero(loadings[:, part])
        u = loadings[used, part]
        most = float(np.abs(u).max(initial=0.0)) or 1.0
        figure.add_bar(
            x=values[used],
            width=widths[used],
            y=np.full(len(used), top - low),
            base=low,
            customdata=u,
            name=label,
            marker={
                "color": [rgba(_colour(part), 0.25 + 0.6 * share) for share in np.abs(u) / most],
                "line": {"width": 0},
            },
            hovertemplate=f"{label}<br>%{{x:.4g}} {unit}<br>loading %{{customdata:.4f}}<extra></extra>",
            showlegend=False,
            legendgroup=label,
        )
        _add_legend_entry(figure, label, part)
    if scene.mean is not None:
        figure.add_scatter(
            x=values[order],
            y=mean[order],
            mode="lines",
            name="mean of the data",
            showlegend=False,
            line={"color": palette.ink, "width": 2},
            hovertemplate=f"%{{x:.4g}} {unit}<br>mean %{{y:.4g}}<extra></extra>",
        )


def _list(figure: go.Figure, loadings: np.ndarray, scene: Scene, labels: Sequence[str]) -> int:
    """Draw each part's heaviest features as bars by name; return how many rows that takes."""
    rows_per_part = max(3, ROWS // max(len(labels), 1))
    rows: set[str] = set()
    for part, label in enumerate(labels):
        u = loadings[:, part]
        order = np.argsort(-np.abs(u), kind="stable")
        heavy = [int(i) for i in order if u[i] and i not in scene.unlisted][:rows_per_part]
        names = sanitize.labels([scene.names[i] for i in heavy])
        rows |= set(names)
        figure.add_bar(
            x=u[heavy],
            y=names,
            orientation="h",
            name=label,
            marker={"color": _colour(part)},
            hovertemplate=f"{label}<br>%{{y}}<br>loading %{{x:.4f}}<extra></extra>",
            showlegend=True,
        )
    return len(rows)
