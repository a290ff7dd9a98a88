"""A data set and its component at a glance: sample curves, the spectrum, and small pictures."""

from __future__ import annotations

import io

import numpy as np
import plotly.graph_objects as go
from PIL import Image, ImageDraw

from nnspca.datasets import Axis
from nnspca.result.rounded import fixed
from nnspca.view.figures.style import Palette, axis_words, dress


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
    return dress(
        figure,
        palette,
        title=title,
        alt=f"{title}: {len(samples)} curves along {name}.",
        height=300,
        x={"title_text": words},
        y={"title_text": "measured value"},
    )


def spectrum(eigenvalues: np.ndarray, trace: float, palette: Palette, *, rank: int) -> go.Figure:
    """Draw each leading eigenvalue as a share of the total variance; the first ``rank`` are highlighted."""
    share = 100 * np.asarray(eigenvalues) / trace
    place = np.arange(1, share.size + 1)
    figure = go.Figure()
    for is_used, name in ((True, f"the first d = {rank}, which rank-d solvers use"), (False, "the rest")):
        chosen = place <= rank if is_used else place > rank
        if chosen.any():
            figure.add_bar(
                x=place[chosen],
                y=share[chosen],
                name=name,
                marker={"color": palette.found if is_used else palette.quiet},
                opacity=1.0 if is_used else 0.55,  # of the legend, too
                customdata=np.cumsum(share)[chosen],
                hovertemplate="eigenvector %{x}<br>%{y:.2f} % of the total variance"
                "<br>the first %{x} together: %{customdata:.1f} %<extra></extra>",
            )
    title = "How the variance spreads over eigenvectors"
    alt = f"Spectrum: the first eigenvector explains {fixed(share[0], 1)} % of the total variance, "
    alt += f"the first {share.size} together {fixed(share.sum(), 1)} %."
    return dress(
        figure,
        palette,
        title=title,
        alt=alt,
        height=300,
        x={"title_text": "eigenvector (largest eigenvalue first)", "dtick": max(1, share.size // 10)},
        y={"title_text": "share of the total variance (%)", "rangemode": "tozero"},
    )


SIDE = 64  # pixels
PAINT, GREY, PAPER = (213, 94, 0), (110, 124, 136), (238, 242, 244)
BARS = 10


def over_image(loadings: np.ndarray, mean: np.ndarray, shape: tuple[int, int]) -> bytes:
    """Return a PNG, a pixel a feature: loadings over the mean in grey."""
    grey, strength = 18 + 185 * (mean - mean.min()) / (np.ptp(mean) or 1.0), _strength(loadings)
    mix = np.where(strength > 0, 0.5 + 0.5 * strength, 0.0)[:, None]
    pixels = (1 - mix) * grey[:, None] + mix * np.array(PAINT)
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
