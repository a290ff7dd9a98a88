"""Figures of samples to take home: in order of their scores, and along two parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nnspca.view import sanitize
from nnspca.view.explore.samples.run import SamplePositions
from nnspca.view.figures.style import SYMBOLS, Figure, Palette, dress


def ladder(positions: SamplePositions, classes: Sequence[str], palette: Palette) -> Figure:
    """Draw every sample's score, highest first, coloured and shaped by class."""
    rank = np.empty(len(positions.order), dtype=int)
    rank[positions.order] = np.arange(1, len(positions.order) + 1)
    return dress(
        _of_classes(rank, positions.scores, classes, palette, "rank %{x}, score %{y:.4g}"),
        palette,
        title="Samples by score",
        alt=f"{len(rank)} samples by score, highest first.",
        height=420,
        x={"title_text": "samples, highest score first"},
        y={"title_text": "score on the component"},
    )


def cloud(positions: SamplePositions, classes: Sequence[str], palette: Palette) -> Figure:
    """Draw every sample's two scores, coloured and shaped by class."""
    assert positions.second is not None
    return dress(
        _of_classes(positions.scores, positions.second, classes, palette, "scores %{x:.4g} and %{y:.4g}"),
        palette,
        title="Two scores",
        alt=f"{len(positions.scores)} samples along two components.",
        height=480,
        x={"title_text": "score on the component"},
        y={"title_text": "score on the second component"},
    )


def _of_classes(x: np.ndarray, y: np.ndarray, classes: Sequence[str], palette: Palette, hover: str) -> Figure:
    """Draw marks, a trace for each class."""
    figure = go.Figure()
    of = np.asarray(classes or ["samples"] * len(x))
    kinds = list(dict.fromkeys(of.tolist()))
    for c, (kind, name) in enumerate(zip(kinds, sanitize.labels(kinds), strict=True)):
        mine = np.flatnonzero(of == kind)
        figure.add_scatter(
            x=x[mine],
            y=y[mine],
            customdata=(mine + 1).tolist(),
            mode="markers",
            name=name,
            marker={
                "color": palette.series[c % len(palette.series)],
                "symbol": SYMBOLS[(c + c // len(SYMBOLS)) % len(SYMBOLS)],
                "size": 8,
            },
            hovertemplate=f"sample %{{customdata}}, {name}<br>{hover}<extra></extra>",
        )
    return figure
