"""One picture of many sample images, tile by tile."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image


def montage(samples: np.ndarray, shape: tuple[int, int], *, columns: int = 6, width: int = 640, gap: int = 1) -> bytes:
    """Return a PNG of ``samples`` (m, rows*columns), greys stretched to the range of all of them.

    Nearest neighbour: a pixel stays a square, so that a person sees what the method sees.
    """
    tiles = np.asarray(samples, dtype=float).reshape(-1, *shape)
    low, high = float(tiles.min()), float(tiles.max())
    greys = np.round(255 * (tiles - low) / ((high - low) or 1.0)).astype(np.uint8)
    columns = min(columns, len(greys))
    rows = -(-len(greys) // columns)
    height, breadth = shape
    sheet = Image.new("L", (columns * (breadth + gap) - gap, rows * (height + gap) - gap), 128)
    for i, tile in enumerate(greys):
        row, column = divmod(i, columns)
        sheet.paste(Image.fromarray(tile), (column * (breadth + gap), row * (height + gap)))
    scale = max(1, width // sheet.width)
    sheet = sheet.resize((sheet.width * scale, sheet.height * scale), Image.Resampling.NEAREST)
    out = io.BytesIO()
    sheet.save(out, "PNG", optimize=True)
    return out.getvalue()
