"""Strips of small images: the parts each method finds, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from nnspca.studies import Parts, StudyTable
from nnspca.view.figures.style import Palette, dress, tile_axes

ACROSS = 6  # images in a row
GAP = 2  # pixels between images
TALLEST = 1600


def strips(table: StudyTable, picture: Parts, palette: Palette, title: str) -> go.Figure:
    """Draw one strip of images for each group; photographs in greys, loadings in the colours of loadings."""
    images = _images(table, picture)
    groups = list(dict.fromkeys(group for group, _ in images))
    rows, columns = picture.shape
    head = max(6, rows * 2 // 5)  # pixels above a strip for its title
    caption = max(4, rows // 4) if picture.captions else 0
    most = max(part for _, part in images) if images else 1
    across = min(ACROSS, most)
    places: dict[tuple[str, int], tuple[int, int]] = {}
    top = 0
    labels: list[dict[str, Any]] = []
    for group in groups:
        top += head
        labels.append(_label(0, top - 1, group))
        mine = sorted(part for name, part in images if name == group)
        for number, part in enumerate(mine):
            line, place = divmod(number, across)
            places[group, part] = (top + line * (rows + GAP + caption), place * (columns + GAP))
        top += -(-len(mine) // across) * (rows + GAP + caption)
    width = across * (columns + GAP)
    figure = go.Figure()
    for plain in (True, False):
        sheet = np.full((top, width), np.nan)
        for key, (y, x) in places.items():
            if (key[0] in picture.plain) == plain:
                sheet[y : y + rows, x : x + columns] = images[key]
        if np.isfinite(sheet).any():
            _add_sheet(figure, sheet, palette, plain=plain)
    for key, words in picture.captions:
        if key in places:
            y, x = places[key]
            labels.append(_label(x, y + rows - 0.5, words, foot=False))
    figure.update_layout(annotations=labels)  # at once: added one by one, all before it are read again for each
    counted = ", ".join(f"{sum(g == group for g, _ in images)} of {group}" for group in groups)
    alt = f"{table.title}: images of {rows} by {columns} pixels, {counted}."
    height = min(TALLEST, 48 + round(top * 720 / max(width, 1)))
    x_axis, y_axis = tile_axes(top, width - GAP)
    dress(figure, palette, title=title, alt=alt, height=max(height, 260), x=x_axis, y=y_axis)
    figure.layout.margin.b = 8
    return figure


def _images(table: StudyTable, picture: Parts) -> dict[tuple[str, int], np.ndarray]:
    """Return each image by (group, part)."""
    images: dict[tuple[str, int], np.ndarray] = {}
    columns = (table.column(c) for c in (picture.group, picture.part, picture.feature, picture.value))
    for group, part, feature, value in zip(*columns, strict=True):
        image = images.setdefault((str(group), int(part)), np.zeros(picture.shape))
        image.flat[int(feature)] = value
    return images


def _add_sheet(figure: go.Figure, sheet: np.ndarray, palette: Palette, *, plain: bool) -> None:
    """Draw one sheet of images; what is not an image stays empty."""
    signed = not plain and float(np.nanmin(sheet)) < 0
    most = float(np.nanmax(np.abs(sheet))) or 1.0
    figure.add_heatmap(
        z=sheet,
        zmin=float(np.nanmin(sheet)) if plain else -most if signed else 0.0,
        zmax=most,
        colorscale="gray" if plain else palette.two_sided() if signed else palette.one_sided(),
        showscale=False,
        hoverongaps=False,
        hovertemplate="%{z:.4f}<extra></extra>",
    )


def _label(x: float, y: float, words: str, *, foot: bool = True) -> dict[str, Any]:
    """Words with their foot, or their head, at (x, y)."""
    return {
        "x": x - 0.5,
        "y": y,
        "text": words,
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "bottom" if foot else "top",
        "font": {"size": 13},
        "borderpad": 0,
    }
