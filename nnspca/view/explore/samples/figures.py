"""Figures of samples to take home: in order of their scores, and along two parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nnspca.view import sanitize
from nnspca.view.explore.samples.run import Lie
from nnspca.view.figures.style import SYMBOLS, Figure, Palette, dress

__all__ = ["Figure", "cloud", "ladder"]


def ladder(lie: Lie, classes: Sequence[str], palette: Palette) -> Figure:
    """Draw every sample's score, highest first, coloured and shaped by class."""
    rank = np.empty(len(lie.order), dtype=int)
    rank[lie.order] = np.arange(1, len(lie.order) + 1)
    figure = _of_classes(rank, lie.scores, classes, palette, "rank %{x}, score %{y:.4g}")
    dress(
        figure,
        palette,
        title="Samples by score",
        alt=f"{len(rank)} samples by score, highest first.",
        height=420,
        x={"title_text": "samples, highest score first"},
        y={"title_text": "score on the component"},
    )
    return figure


def cloud(lie: Lie, classes: Sequence[str], palette: Palette) -> Figure:
    """Draw every sample's two scores, coloured and shaped by class."""
    assert lie.second is not None
    figure = _of_classes(lie.scores, lie.second, classes, palette, "scores %{x:.4g} and %{y:.4g}")
    dress(
        figure,
        palette,
        title="Two scores",
        alt=f"{len(lie.scores)} samples along two components.",
        height=480,
        x={"title_text": "score on the component"},
        y={"title_text": "score on the second component"},
    )
    return figure


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
