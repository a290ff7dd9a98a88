"""How often the features of each part return: pixels, an axis or a list; proven ones are marked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nnspca.datasets import Axis
from nnspca.view import sanitize
from nnspca.view.figures.component import Scene
from nnspca.view.figures.style import LEGEND_ROW, Palette, axis_words, dress
from nnspca.view.parts.figures import several
from nnspca.view.words import at_least

TITLE = "How often each feature returns"
PROVEN = "proven: every part within the tolerance has it"
MOST_ROWS = 40  # features of a list
ALL = 100.0
SCALE = 64  # pixels that the colour scale takes below the tiles


def recurrence(
    shares: np.ndarray, proven: np.ndarray, scene: Scene, palette: Palette, *, names: Sequence[str], width: int
) -> go.Figure:
    """Draw shares of resamples (n, r), one panel or line a part, and mark the features ``proven`` (n, r) to be needed.

    ``names`` has a label for each part, with what is known of the part as a whole.
    """
    percent = np.floor(ALL * shares * 10 + 1e-9) / 10
    alt = (
        f"{TITLE}: {len(names)} parts, each feature shown by the share of resamples in which it returns; "
        f"{'; '.join(names)}."
    )
    if scene.image_shape is not None:
        return _tiles(percent, proven, scene.image_shape, palette, names, alt, width)
    if scene.axis is not None:
        return _along(percent, proven, scene.axis, palette, names, alt)
    return _list(percent, proven, scene.names, palette, names, alt)


def _tiles(
    percent: np.ndarray,
    proven: np.ndarray,
    shape: tuple[int, int],
    palette: Palette,
    names: Sequence[str],
    alt: str,
    width: int,
) -> go.Figure:
    """One image a part; a ring around each pixel that is proven to be needed."""
    count = percent.shape[1]
    sheet = several.laid_out(shape, percent)
    figure = go.Figure(
        go.Heatmap(
            z=sheet,
            text=several.laid_out(shape, several.names(shape, count)),
            zmin=0.0,
            zmax=ALL,
            colorscale=palette.one_sided(),
            colorbar={
                "orientation": "h",
                "title": {"text": "returns in % of resamples", "side": "bottom", "font": {"size": 11}},
                "thickness": 9,
                "len": 0.8,
                "y": -0.01,
                "yanchor": "top",
                "outlinewidth": 0,
            },
            hoverongaps=False,
            hovertemplate="%{text}<br>returns in %{z:.1f} % of resamples<extra></extra>",
        )
    )
    for r, name in enumerate(names):
        several.name_tile(figure, shape, count, r, name)
    rows, columns = np.nonzero(several.laid_out(shape, proven.astype(float)) == 1)
    _mark(figure, columns, rows, palette, size=max(4, round(0.5 * width / sheet.shape[1])))
    figure = several.frame(figure, sheet, palette, title=TITLE, alt=alt, width=width)
    tiles_height = figure.layout.height - 48  # the part of it that the tiles themselves take
    figure.update_layout(
        margin_b=SCALE + LEGEND_ROW, legend_y=-SCALE / tiles_height, height=tiles_height + 40 + SCALE + LEGEND_ROW
    )
    return figure


def _along(
    percent: np.ndarray,
    proven: np.ndarray,
    axis: Axis,
    palette: Palette,
    names: Sequence[str],
    alt: str,
) -> go.Figure:
    """One line a part along the axis, one above the other."""
    values, (_, unit, words) = axis.values, axis_words(axis)
    order = np.argsort(values, kind="stable")
    count = percent.shape[1]
    figure = go.Figure()
    for r in range(count):
        base = count - 1 - r
        figure.add_scatter(
            x=values[order],
            y=base + 0.85 * percent[order, r] / ALL,
            customdata=percent[order, r],
            mode="lines",
            line={"color": palette.series[r % len(palette.series)], "width": 2, "shape": "hvh"},
            name=f"part {r + 1}",
            showlegend=False,
            hovertemplate=f"part {r + 1}<br>%{{x:.4g}} {unit}<br>returns in %{{customdata:.1f}} %<extra></extra>",
        )
    places, parts = np.nonzero(proven)
    _mark(figure, values[places], count - 1 - parts + 0.85 * percent[places, parts] / ALL, palette, size=9)
    return dress(
        figure,
        palette,
        title=TITLE,
        alt=alt,
        height=150 + 80 * count,
        x={"title_text": words},
        y={
            "tickvals": [count - 1 - r for r in range(count)],
            "ticktext": list(names),
            "title_text": "share of resamples, each part from 0 to 100 %",
            "range": [-0.1, count],
        },
    )


def _list(
    percent: np.ndarray,
    proven: np.ndarray,
    features: Sequence[str],
    palette: Palette,
    names: Sequence[str],
    alt: str,
) -> go.Figure:
    """A table of features and parts, the most frequent of each part."""
    count = percent.shape[1]
    each = max(1, MOST_ROWS // count)
    chosen: list[int] = []
    for r in range(count):
        frequent = np.argsort(-percent[:, r], kind="stable")[:each]
        chosen += [int(i) for i in frequent if percent[i, r] and int(i) not in chosen]
    rows, columns = sanitize.labels([features[i] for i in chosen]), [f"part {r + 1}" for r in range(count)]
    figure = go.Figure(
        go.Heatmap(
            z=percent[chosen],
            x=columns,
            y=rows,
            zmin=0.0,
            zmax=ALL,
            text=[[f"{at_least(v, 0)} %" if v else "" for v in row] for row in percent[chosen]],
            texttemplate="%{text}" if count <= 8 else "",
            colorscale=palette.one_sided(),
            showscale=False,
            xgap=2,
            ygap=1,
            customdata=[list(names)] * len(chosen),
            hovertemplate="%{y}<br>%{customdata}<br>returns in %{z:.1f} % of resamples<extra></extra>",
        )
    )
    at, parts = np.nonzero(proven[chosen])
    _mark(figure, [columns[r] for r in parts], [rows[i] for i in at], palette, size=15)
    return dress(
        figure,
        palette,
        title=TITLE,
        alt=alt,
        height=150 + 19 * max(len(chosen), 4),
        y={"autorange": "reversed", "type": "category", "tickfont_size": 10, "dtick": 1},
    )


def _mark(
    figure: go.Figure, x: Sequence | np.ndarray, y: Sequence | np.ndarray, palette: Palette, *, size: int
) -> None:
    """Ring what is proven."""
    if len(x):
        figure.add_scatter(
            x=list(x),
            y=list(y),
            mode="markers",
            name=PROVEN,
            showlegend=True,
            marker={"symbol": "circle-open", "size": size, "color": palette.proven, "line": {"width": 1.5}},
            hoverinfo="skip",
        )
