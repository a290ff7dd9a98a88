"""One component as a person would want to see it: an image, a stretch of spectrum, or named bars."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from nnspca.datasets import Axis
from nnspca.view import sanitize
from nnspca.view.figures.card import montage
from nnspca.view.figures.style import PIXELS_X, PIXELS_Y, Palette, axis_words, dress

MOST_BARS = 25
SLIVER = 1e-3  # share of a colour scale that stays transparent around zero


@dataclass(frozen=True, eq=False)
class Scene:
    """What the features stand for: pixels of an image, places along an axis, or names."""

    names: Sequence[str]
    image_shape: tuple[int, int] | None = None
    axis: Axis | None = None
    mean: np.ndarray | None = None  # shape (n,): the mean sample, where there are samples
    unlisted: frozenset[int] = frozenset()  # features that a list of names leaves out


def component(
    loadings: np.ndarray,
    scene: Scene,
    palette: Palette,
    *,
    nonnegative: bool,
    ghost: bool = False,
    title: str = "The component",
) -> go.Figure:
    """Draw loadings (n,) as an image, along an axis over the mean curve, or as bars by name.

    With ``ghost``, the mean is also the picture behind an image's loadings.
    """
    if scene.image_shape is not None:
        below = scene.mean.reshape(scene.image_shape) if ghost and scene.mean is not None else None
        return _image(loadings.reshape(scene.image_shape), palette, nonnegative, title, below)
    if scene.axis is not None:
        return _along(loadings, palette, scene.axis, scene.mean, title)
    return _bars(loadings, palette, scene.names, title)


def _image(weights: np.ndarray, palette: Palette, nonnegative: bool, title: str, below: np.ndarray | None) -> go.Figure:
    """Draw an upright image; zero is the neutral background."""
    most = float(np.abs(weights).max()) or 1.0
    rows, columns = weights.shape
    used = int(np.count_nonzero(weights))
    figure = go.Figure()
    colours = palette.one_sided() if nonnegative else palette.two_sided()
    if below is not None:  # each pixel enlarged to a square of many screen pixels
        png = montage(below.reshape(1, -1), below.shape, columns=1)
        figure.add_layout_image(
            source=f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}",
            layer="below",
            xref="x",
            yref="y",
            x=-0.5,
            y=-0.5,
            sizex=columns,
            sizey=rows,
            sizing="stretch",
        )
        colours = _over_image(colours, palette.empty)
    figure.add_trace(
        go.Heatmap(
            z=weights,
            zmin=0.0 if nonnegative else -most,
            zmax=most,
            colorscale=colours,
            colorbar={
                "orientation": "h",
                "title": {"text": "loading", "side": "right", "font": {"size": 12}},
                "thickness": 9,
                "len": 0.75,
                "y": -0.02,
                "yanchor": "top",
                "outlinewidth": 0,
            },
            hovertemplate="row %{y}, column %{x}<br>loading %{z:.4f}<extra></extra>",
            xgap=0.5,
            ygap=0.5,
        )
    )
    alt = f"{title}: {rows} by {columns} pixels, {used} of them coloured by their loading, the rest empty."
    return dress(
        figure,
        palette,
        title=title,
        alt=alt,
        height=400,
        x=PIXELS_X,
        y=PIXELS_Y,
    )


def _over_image(scale: Sequence[tuple[float, str]], empty: str) -> list[tuple[float, str]]:
    """Return a colour scale that lets the picture behind be seen where nothing is, and nowhere else.

    >>> _over_image([(0.0, "white"), (1.0, "blue")], "white")
    [(0.0, 'rgba(0,0,0,0)'), (0.001, 'blue'), (1.0, 'blue')]
    """
    seen: list[tuple[float, str]] = []
    for i, (at, colour) in enumerate(scale):
        if colour != empty:
            seen.append((at, colour))
            continue
        if i > 0:
            seen.append((at - SLIVER, scale[i - 1][1]))
        seen.append((at, "rgba(0,0,0,0)"))
        if i + 1 < len(scale):
            seen.append((at + SLIVER, scale[i + 1][1]))
    return seen


def _along(
    loadings: np.ndarray,
    palette: Palette,
    axis: Axis,
    backdrop: np.ndarray | None,
    title: str,
) -> go.Figure:
    """Draw loadings as stems along a numeric axis, over the mean of the data as a quiet backdrop."""
    name, unit, words = axis_words(axis)
    order = np.argsort(axis.values)
    values, loadings = np.asarray(axis.values)[order], loadings[order]
    used = loadings != 0
    figure = go.Figure()
    if backdrop is not None:
        figure.add_scatter(
            x=values,
            y=backdrop[order],
            name="mean of the data (right axis)",
            yaxis="y2",
            mode="lines",
            line={"color": palette.quiet, "width": 1},
            hovertemplate="%{x:.4g} " + unit + "<br>mean %{y:.4g}<extra></extra>",
        )
    stems_x = np.repeat(values[used], 3)
    stems_y = np.stack([np.zeros(used.sum()), loadings[used], np.full(used.sum(), np.nan)], axis=1).ravel()
    figure.add_scatter(
        x=stems_x,
        y=stems_y,
        mode="lines",
        line={"color": palette.found, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=values[used],
        y=loadings[used],
        name="loading",
        mode="markers",
        customdata=order[used],
        marker={"color": palette.found, "size": 7},
        hovertemplate="%{x:.4g} " + unit + "<br>loading %{y:.4f}<extra></extra>",
    )
    alt = f"{title}: {int(used.sum())} of {used.size} places along the {name} axis carry a loading."
    x, y = {"title_text": words}, {"title_text": "loading"}
    dress(figure, palette, title=title, alt=alt, height=400, x=x, y=y)
    if backdrop is not None:
        figure.update_layout(
            yaxis2={
                "overlaying": "y",
                "side": "right",
                "showgrid": False,
                "title": "mean of the data",
                "zeroline": False,
            },
        )
    return figure


def _bars(loadings: np.ndarray, palette: Palette, names: Sequence[str], title: str) -> go.Figure:
    """Draw the largest loadings as bars, by feature name, largest on top."""
    used = int(np.count_nonzero(loadings))
    top = np.argsort(-np.abs(loadings), kind="stable")[: min(used, MOST_BARS)]
    colours = [palette.found if w >= 0 else palette.series[1] for w in loadings[top]]
    figure = go.Figure(
        go.Bar(
            x=loadings[top],
            y=sanitize.labels([names[i] for i in top]),
            orientation="h",
            customdata=top,
            marker={"color": colours},
            hovertemplate="%{y}<br>loading %{x:.4f}<extra></extra>",
        )
    )
    heading = title if used <= MOST_BARS else f"{title}: the {MOST_BARS} largest of {used} loadings"
    listed = ", ".join(sanitize.line(str(names[i]), sanitize.NAME) for i in top[:5])
    alt = f"{heading}, as bars by feature; the largest: {listed}."
    return dress(
        figure,
        palette,
        title=heading,
        alt=alt,
        height=max(220, 90 + 20 * len(top)),
        x={"title_text": "loading"},
        y={"autorange": "reversed", "type": "category", "showgrid": False},
    )
