"""Figures of the Explore page: held-out samples against k, samples by their scores, the paper's band."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nnspca.result import Bound, CrossValidation
from nnspca.result.rounded import percent
from nnspca.view import sanitize
from nnspca.view.figures.style import SYMBOLS, Figure, Palette, dress, shade

HELD_OUT = "Variance explained of held-out samples, by number of nonzero loadings"
CLASSES = 7  # the largest classes, drawn in colours of their own
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


def strips(scores: np.ndarray, classes: Sequence[str], names: Sequence[str], palette: Palette) -> Figure:
    """Draw every sample's score, in standard deviations, a strip of points for each class, the highest on top."""
    of = _largest(classes) if classes else np.array(["samples"] * len(scores))
    kinds = sorted(set(of.tolist()), key=lambda kind: scores[of == kind].mean())
    apart = (np.arange(len(scores)) * 0.618034 % 1 - 0.5) * 0.7  # neighbours in the file lie apart
    figure = go.Figure()
    labels = sanitize.labels(kinds)
    for c, (kind, name) in enumerate(zip(kinds, labels, strict=True)):
        mine = np.flatnonzero(of == kind)
        figure.add_scatter(
            x=scores[mine],
            y=c + apart[mine],
            customdata=[[int(s) + 1, names[int(s)]] for s in mine],
            mode="markers",
            name=name,
            marker={"color": palette.series[c % len(palette.series)], "symbol": SYMBOLS[c % len(SYMBOLS)], "size": 8},
            hovertemplate=f"%{{customdata[1]}}, {name}<br>score %{{x:.2f}} standard deviations<extra></extra>",
        )
    rows = {"tickvals": [*range(len(kinds))], "ticktext": labels, "showgrid": False, "zeroline": False}
    alt, along = f"{len(scores)} samples by score, in {len(kinds)} strips.", "score (standard deviations)"
    look: dict[str, Any] = {"alt": alt, "legend_rows": 0, "x": {"title_text": along}, "y": rows}
    figure.update_layout(showlegend=False)
    return dress(figure, palette, title="Samples by score", height=150 + 60 * len(kinds), **look)


def _largest(classes: Sequence[str]) -> np.ndarray:
    """Return the class of each sample, all but the largest few as one."""
    counts = Counter(classes).most_common()
    shown = {name for name, _ in counts[: CLASSES if len(counts) > CLASSES + 1 else None]}
    rest = f"{len(counts) - len(shown)} smaller classes"
    return np.array([name if name in shown else rest for name in classes])


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
