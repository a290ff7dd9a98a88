"""Several components side by side: images as tiles, what they explain together, the angles between them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from nnspca.view.figures.style import DASHES, SYMBOLS, Palette, dress, tile_axes
from nnspca.view.words import fixed

ACROSS = 3  # tiles in a row
GAP = 2  # pixels between tiles


def tiles(
    loadings: np.ndarray, shape: tuple[int, int], palette: Palette, *, nonnegative: bool, title: str, width: int
) -> go.Figure:
    """Draw the columns of ``loadings`` (n, r) as images on one scale; zero is the neutral background.

    Each is coloured in units of its own largest loading, so that a part of many small loadings is
    seen beside one of a few large ones. ``width`` is about how many pixels wide the figure will be.
    """
    rows, columns = shape
    count = loadings.shape[1]
    most = np.abs(loadings).max(axis=0)
    sheet, texts, own = (
        laid_out(shape, given) for given in (loadings / np.where(most > 0, most, 1.0), names(shape, count), loadings)
    )
    figure = go.Figure()
    for r in range(count):
        name_tile(figure, shape, count, r, f"{r + 1} · {int(np.count_nonzero(loadings[:, r]))} px")
    figure.add_heatmap(
        z=sheet,
        text=texts,
        customdata=own,
        zmin=0.0 if nonnegative else -1.0,
        zmax=1.0,
        colorscale=palette.one_sided() if nonnegative else palette.two_sided(),
        showscale=False,
        hoverongaps=False,
        hovertemplate="%{text}<br>loading %{customdata:.4f}<extra></extra>",
    )
    alt = f"{title}: {count} images of {rows} by {columns} loadings."
    return frame(figure, sheet, palette, title=title, alt=alt, width=width)


def tile_corners(shape: tuple[int, int], count: int) -> list[tuple[int, int]]:
    """Return the row and the column at which each of ``count`` tiles begins; above each is room for its name."""
    rows, columns = shape
    across, caption = min(ACROSS, count), _caption(rows)
    return [((r // across) * (rows + GAP + caption) + caption, (r % across) * (columns + GAP)) for r in range(count)]


def _caption(rows: int) -> int:
    return max(3, rows // 6)


def laid_out(shape: tuple[int, int], values: np.ndarray) -> np.ndarray:
    """Return the columns of ``values`` (n, r) as tiles of one array, nothing between them."""
    rows, columns = shape
    count = values.shape[1]
    across = min(ACROSS, count)
    text = values.dtype.kind in "OU"
    size = -(-count // across) * (rows + GAP + _caption(rows)), across * (columns + GAP)
    sheet = np.full(size, "" if text else np.nan, dtype=object if text else float)
    for (y, x), column in zip(tile_corners(shape, count), values.T, strict=True):
        sheet[y : y + rows, x : x + columns] = column.reshape(shape)
    return sheet


def names(shape: tuple[int, int], count: int) -> np.ndarray:
    """Return what a pixel's hover box calls the part it is a pixel of, shape (n, r)."""
    called = np.array([f"part {r + 1}" for r in range(count)], dtype=object)
    return np.tile(called, (shape[0] * shape[1], 1))


def name_tile(figure: go.Figure, shape: tuple[int, int], count: int, r: int, text: str) -> None:
    """Write a tile's name above it."""
    y, x = tile_corners(shape, count)[r]
    figure.add_annotation(
        x=x - 0.5, y=y - 0.5, text=text, showarrow=False, xanchor="left", yanchor="bottom", font_size=11
    )


def frame(figure: go.Figure, sheet: np.ndarray, palette: Palette, *, title: str, alt: str, width: int) -> go.Figure:
    """Dress a figure of tiles: square pixels, no axes."""
    height = 64 + round(sheet.shape[0] / sheet.shape[1] * width)
    x_axis, y_axis = tile_axes(sheet.shape[0], sheet.shape[1] - GAP)
    dress(figure, palette, title=title, alt=alt, height=height, x=x_axis, y=y_axis)
    figure.layout.margin.b = 8
    return figure


def together(cumulative: Mapping[str, np.ndarray], palette: Palette) -> go.Figure:
    """Draw the share of the total variance that the first parts explain together, one line for each solver."""
    figure = go.Figure()
    for i, (name, shares) in enumerate(cumulative.items()):
        figure.add_scatter(
            x=np.arange(1, len(shares) + 1),
            y=100 * shares,
            name=name,
            mode="lines+markers",
            line={"color": palette.series[i % len(palette.series)], "dash": DASHES[i % len(DASHES)], "width": 2},
            marker={"size": 9, "symbol": SYMBOLS[i % len(SYMBOLS)], "line": {"width": 2}},
            customdata=["first part", *(f"first {count} parts" for count in range(2, len(shares) + 1))],
            hovertemplate="%{customdata}<br>%{y:.2f} % of the total variance<extra>" + name + "</extra>",
        )
    title = "What the parts explain together"
    return dress(
        figure,
        palette,
        title=title,
        alt=f"{title}: one line for each of {', '.join(cumulative)}.",
        height=320,
        x={"title_text": "number of parts", "dtick": 1},
        y={"title_text": "share of the total variance (%)", "rangemode": "tozero"},
    )


def angles(degrees: np.ndarray, palette: Palette, *, title: str) -> go.Figure:
    """Draw the angles between parts: 90° means that they share nothing."""
    names = [str(r + 1) for r in range(len(degrees))]
    shown = degrees.copy()
    np.fill_diagonal(shown, np.nan)
    figure = go.Figure(
        go.Heatmap(
            z=shown,
            x=names,
            y=names,
            zmin=0,
            zmax=90,
            colorscale=list(reversed([(1 - at, colour) for at, colour in palette.one_sided()])),
            text=np.where(np.isfinite(shown), [[f"{fixed(a, 0)}°" for a in row] for row in degrees], ""),
            texttemplate="%{text}" if len(degrees) <= 8 else "",
            colorbar={"title": {"text": "degrees"}, "thickness": 9},
            hoverongaps=False,
            hovertemplate="parts %{x} and %{y}: %{z:.1f}°<extra></extra>",
            xgap=2,
            ygap=2,
        )
    )
    return dress(
        figure,
        palette,
        title=title,
        alt=f"{title}: angles between {len(degrees)} parts.",
        height=320,
        x={"title_text": "part", "type": "category"},
        y={"title_text": "part", "type": "category", "autorange": "reversed"},
    )
