"""A small picture of loadings as SVG for notebooks; it needs no script and no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

MOST, ROW, LABEL, WIDTH = 20, 18, 170, 420
FOUND, AGAINST, EMPTY = "#0072b2", "#c2570c", "#eef2f4"


def loadings(names: Sequence[str], values: np.ndarray, places: Sequence[int], shape: tuple[int, int] | None) -> str:
    """Return the nonzero loadings of a component: as bars with names, or as the pixels of an image.

    >>> loadings(["a<b"], np.array([1.0]), [0], None).count("a&lt;b")
    1
    """
    if not len(values):
        return ""
    peak = float(np.abs(values).max()) or 1.0
    if shape is not None:
        return _image(values / peak, places, *shape)
    rows = []
    for i, (name, value) in enumerate(zip(names[:MOST], values[:MOST], strict=True)):
        width = (WIDTH - LABEL - 50) * abs(value) / peak
        colour = FOUND if value > 0 else AGAINST
        rows.append(
            f'<text x="{LABEL - 6}" y="{ROW * i + 13}" text-anchor="end">{escape(name[:24])}</text>'
            f'<rect x="{LABEL}" y="{ROW * i + 3}" width="{width:.1f}" height="12" fill="{colour}"/>'
            f'<text x="{LABEL + width + 4:.1f}" y="{ROW * i + 13}">{value:.2f}</text>'
        )
    return _svg(WIDTH, ROW * len(rows), "".join(rows))


def _image(shades: np.ndarray, places: Sequence[int], height: int, width: int) -> str:
    side = max(2, 180 // max(height, width))
    cells = [f'<rect width="{width * side}" height="{height * side}" fill="{EMPTY}"/>']
    for shade, place in zip(shades, places, strict=True):
        row, column = divmod(place, width)
        colour = FOUND if shade > 0 else AGAINST
        cells.append(
            f'<rect x="{column * side}" y="{row * side}" width="{side}" height="{side}" fill="{colour}" '
            f'fill-opacity="{0.15 + 0.85 * abs(shade):.2f}"/>'
        )
    return _svg(width * side, height * side, "".join(cells))


def _svg(width: int, height: int, inside: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="12" fill="currentColor" style="margin:4px">{inside}</svg>'
    )
