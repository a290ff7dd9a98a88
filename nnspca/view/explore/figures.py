"""The figure of the Explore page: held-out samples against k."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from nnspca.result import CrossValidation
from nnspca.view.figures.style import Palette, set_layout

HELD_OUT = "Variance explained of held-out samples, by number of nonzero loadings"


def held_out(result: CrossValidation, palette: Palette) -> go.Figure:
    """Draw the mean over the folds with its errors, that of training samples and of chance, and the suggested k."""
    figure = result.plot()
    for trace, colour in zip(figure.data, (palette.found, palette.quiet, palette.ink, palette.ink), strict=False):
        trace.update({"marker" if trace.mode == "markers" else "line": {"color": colour}})
    folds, k = int(np.isfinite(result.held_out).any(axis=1).sum()), result.suggested_k
    ends = f"suggested {'none' if k is None else f'k = {k}'}, largest at k = {result.best_k}"
    alt = f"{HELD_OUT}: means over {folds} folds with standard errors, for {len(result.k)} values of k; {ends}."
    share = {"title_text": "share of the variance", "rangemode": "tozero", "tickformat": ".3~p"}
    return set_layout(figure, palette, title=HELD_OUT, alt=alt, height=430, k_axis=result.k, y=share)
