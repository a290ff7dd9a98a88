"""A data set and its component at a glance: sample curves, and small pictures."""

from __future__ import annotations

import io

import numpy as np
import plotly.graph_objects as go
from PIL import Image, ImageDraw

from nnspca.datasets import Axis
from nnspca.view.figures.style import Palette, axis_words, set_layout

SIDE = 64  # pixels
PAINT, PAPER = (213, 94, 0), (238, 242, 244)
BARS = 10


def curves(samples: np.ndarray, axis: Axis, palette: Palette) -> go.Figure:
    """Draw samples (m, n) as thin curves along a numeric axis, and their mean on top."""
    name, unit, words = axis_words(axis)
    order = np.argsort(axis.values)
    x = np.append(np.asarray(axis.values, dtype=float)[order], np.nan)
    y = np.concatenate([np.append(row[order], np.nan) for row in samples])
    figure = go.Figure()
    figure.add_scatter(
        x=np.tile(x, len(samples)),
        y=y,
        name=f"{len(samples)} samples",
        mode="lines",
        line={"color": palette.quiet, "width": 0.7},
        opacity=0.55,
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=x[:-1],
        y=samples.mean(axis=0)[order],
        name="their mean",
        mode="lines",
        line={"color": palette.found, "width": 2.5},
        hovertemplate="%{x:.4g} " + unit + "<br>mean %{y:.4g}<extra></extra>",
    )
    title = "A few of the samples"
    return set_layout(
        figure,
        palette,
        title=title,
        alt=f"{title}: {len(samples)} curves along {name}.",
        height=300,
        x={"title_text": words},
        y={"title_text": "measured value"},
    )


def over_image(loadings: np.ndarray, mean: np.ndarray, shape: tuple[int, int]) -> bytes:
    """Return a PNG, a pixel a feature: loadings over the mean in grey."""
    grey, strength = 18 + 185 * (mean - mean.min()) / (np.ptp(mean) or 1.0), _strength(loadings)
    mix = np.where(strength > 0, 0.5 + 0.5 * strength, 0.0)[:, None]
    pixels = (1 - mix) * grey[:, None] + mix * np.array(PAINT)
    return _png(Image.fromarray(pixels.reshape(*shape, 3).round().astype(np.uint8), "RGB"))


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
