"""Figures of the Explore page: held-out samples against k, and the paper's band."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from nnspca.result import Bound, CrossValidation
from nnspca.result.rounded import percent
from nnspca.view.figures.style import Palette, dress, shade

HELD_OUT = "Variance explained of held-out samples, by number of nonzero loadings"
PAPER_FILL = "rgba(163, 71, 138, 0.13)"


def held_out(result: CrossValidation, palette: Palette) -> go.Figure:
    """Draw the mean over the folds with its errors, that of training samples and of chance, and the suggested k."""
    figure = result.plot()
    for trace, colour in zip(figure.data, (palette.found, palette.quiet, palette.ink, palette.ink), strict=False):
        trace.update({"marker" if trace.mode == "markers" else "line": {"color": colour}})
    folds, k = int(np.isfinite(result.held_out).any(axis=1).sum()), result.suggested_k
    ends = f"suggested {'none' if k is None else f'k = {k}'}, largest at k = {result.best_k}"
    alt = f"{HELD_OUT}: means over {folds} folds with standard errors, for {len(result.ks)} values of k; {ends}."
    share = {"title_text": "share of the variance", "rangemode": "tozero", "tickformat": ".3~p"}
    return dress(figure, palette, title=HELD_OUT, alt=alt, height=430, k_axis=result.ks, y=share)


def add_paper(
    figure: go.Figure, bounds: Mapping[int, Bound], lower: Mapping[int, float], total: float, palette: Palette
) -> None:
    """Outline the band of Asteris et al. (2014), which holds with some probability only."""
    ks = sorted(bounds.keys() & lower.keys())
    if not ks:
        return
    chance = f"probability {percent(min(bounds[k].probability for k in ks), 2)}"
    upper = [(k, 100 * bounds[k].value / total) for k in ks]
    shade(figure, upper, [(k, 100 * lower[k] / total) for k in ks], PAPER_FILL, showlegend=False)
    figure.add_scatter(
        x=[k for k, _ in upper],
        y=[share for _, share in upper],
        mode="lines+markers",
        name=f"the paper's bound ({chance})",
        line={"color": palette.paper_bound, "width": 1.5, "dash": "dash"},
        marker={"size": 5, "symbol": "circle-open"},
        hovertemplate="k = %{x}<br>the paper's upper bound %{y:.2f} % of the total variance<extra>not proven</extra>",
    )
