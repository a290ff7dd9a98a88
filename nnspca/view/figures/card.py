"""Small pictures: sample images tile by tile, and a component over its mean, along an axis or as bars."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

SIDE = 64  # pixels
PAINT, GREY, PAPER = (213, 94, 0), (110, 124, 136), (238, 242, 244)
PLAIN = 225.0  # grey behind loadings where there is no mean
BARS = 10
Colour = tuple[int, int, int]


def over_image(
    loadings: np.ndarray, mean: np.ndarray | None, shape: tuple[int, int], colours: Sequence[Colour] = (PAINT,)
) -> bytes:
    """Return a PNG, a pixel a feature: loadings (n, r), each column in its colour, over a mean or grey."""
    grey = np.full(len(loadings), PLAIN) if mean is None else 18 + 185 * (mean - mean.min()) / (np.ptp(mean) or 1.0)
    pixels = np.repeat(grey[:, None], 3, axis=1)
    for c, column in enumerate(loadings.T):
        strength = _strength(column)
        mix = np.where(strength > 0, 0.5 + 0.5 * strength, 0.0)[:, None]
        pixels = (1 - mix) * pixels + mix * np.array(colours[c % len(colours)])
    return _png(Image.fromarray(pixels.reshape(*shape, 3).round().astype(np.uint8), "RGB"))


def along_axis(loadings: np.ndarray, mean: np.ndarray, values: np.ndarray) -> bytes:
    """Return a PNG of the loadings below the mean curve."""
    image, order = Image.new("RGB", (SIDE, SIDE), PAPER), np.argsort(values, kind="stable")
    pen, heights, mean = ImageDraw.Draw(image), _strength(loadings)[order], mean[order]
    at = np.linspace(2, SIDE - 3, len(order))
    for x, height in zip(at, heights, strict=True):
        if height:
            pen.line((x, SIDE - 2, x, SIDE - 2 - 50 * height), fill=PAINT)
    curve = 8 + 48 * (1 - (mean - mean.min()) / (np.ptp(mean) or 1.0))
    pen.line(list(zip(at, curve, strict=True)), fill=GREY)
    return _png(image)


def as_bars(loadings: np.ndarray) -> bytes:
    """Return a PNG of the largest loadings."""
    image, strength = Image.new("RGB", (SIDE, SIDE), PAPER), _strength(loadings)
    pen = ImageDraw.Draw(image)
    for row, length in enumerate(np.sort(strength[strength > 0])[::-1][:BARS]):
        pen.rectangle((4, 3 + 6 * row, 4 + 54 * length, 6 + 6 * row), fill=PAINT)
    return _png(image)


def _strength(loadings: np.ndarray) -> np.ndarray:
    return np.abs(loadings) / (np.abs(loadings).max() or 1.0)


def _png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def montage(samples: np.ndarray, shape: tuple[int, int], *, columns: int = 6, width: int = 640) -> bytes:
    """Return a PNG of ``samples`` (m, rows*columns), greys stretched to the range of all of them.

    Nearest neighbour: a pixel stays a square, so that a person sees what the method sees.
    """
    tiles = np.asarray(samples, dtype=float).reshape(-1, *shape)
    low, high = float(tiles.min()), float(tiles.max())
    greys = np.round(255 * (tiles - low) / ((high - low) or 1.0)).astype(np.uint8)
    columns = min(columns, len(greys))
    rows = -(-len(greys) // columns)
    down, across = shape[0] + 1, shape[1] + 1  # a line of grey between two tiles
    sheet = Image.new("L", (columns * across - 1, rows * down - 1), 128)
    for i, tile in enumerate(greys):
        row, column = divmod(i, columns)
        sheet.paste(Image.fromarray(tile), (column * across, row * down))
    scale = max(1, width // sheet.width)
    return _png(sheet.resize((sheet.width * scale, sheet.height * scale), Image.Resampling.NEAREST))
