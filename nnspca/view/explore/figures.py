"""Figures of the Explore page: held-out samples against k, samples by their scores, the paper's band."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from nnspca.result import Bound, CrossValidation
from nnspca.result.rounded import percent
from nnspca.view import sanitize
from nnspca.view.figures.style import SYMBOLS, Figure, Palette, dress, shade

HELD_OUT = "Variance explained of held-out samples, by number of nonzero loadings"
CLASSES = 7  # the largest classes, drawn in colours of their own


@dataclass(frozen=True, eq=False)
class Positions:
    """Scores and order of the samples."""

    scores: np.ndarray  # shape (m,): along the component
    second: np.ndarray | None  # shape (m,): along the second one, once there is one
    # shape (m,): the samples, highest score first; ties in their own order, as single precision has them
    order: np.ndarray


def held_out(result: CrossValidation, palette: Palette) -> go.Figure:
    """Draw the mean over the folds with its errors, that of training samples and of chance, and the suggested k."""
    figure = result.plot()
    for trace, colour in zip(figure.data, (palette.found, palette.quiet, palette.ink, palette.ink), strict=False):
        trace.update({"marker" if trace.mode == "markers" else "line": {"color": colour}})
    folds, suggested = int(np.isfinite(result.held_out).any(axis=1).sum()), result.suggested_k
    alt = (
        f"{HELD_OUT}: means over {folds} folds with their standard errors, for {len(result.ks)} values of k; suggested "
    )
    alt += f"{'none' if suggested is None else f'k = {suggested}'}, largest at k = {result.best_k}."
    share = {"title_text": "share of the variance", "rangemode": "tozero", "tickformat": ".3~p"}
    return dress(figure, palette, title=HELD_OUT, alt=alt, height=430, k_axis=result.ks, y=share)


def ladder(positions: Positions, classes: Sequence[str], palette: Palette) -> Figure:
    """Draw every sample's score, highest first, coloured and shaped by class."""
    rank = np.empty(len(positions.order), dtype=int)
    rank[positions.order] = np.arange(1, len(positions.order) + 1)
    words = {"title": "Samples by score", "alt": f"{len(rank)} samples by score, highest first."}
    words |= {"x": "samples, highest score first", "y": "score on the component"}
    return _of_classes(rank, positions.scores, classes, palette, "rank %{x}, score %{y:.4g}", words)


def cloud(positions: Positions, classes: Sequence[str], palette: Palette) -> Figure:
    """Draw every sample's two scores, coloured and shaped by class."""
    assert positions.second is not None
    words = {"title": "Two scores", "alt": f"{len(positions.scores)} samples along two components."}
    words |= {"x": "score on the component", "y": "score on a component of other features"}
    return _of_classes(positions.scores, positions.second, classes, palette, "scores %{x:.4g} and %{y:.4g}", words)


def _largest(classes: Sequence[str]) -> np.ndarray:
    """Return the class of each sample, all but the largest few as one."""
    counts = Counter(classes).most_common()
    shown = {name for name, _ in counts[: CLASSES if len(counts) > CLASSES + 1 else None]}
    rest = f"{len(counts) - len(shown)} smaller classes"
    return np.array([name if name in shown else rest for name in classes])


def _of_classes(
    x: np.ndarray, y: np.ndarray, classes: Sequence[str], palette: Palette, hover: str, words: Mapping[str, str]
) -> Figure:
    """Draw marks, a trace for each class; ``words`` are the title, the description, and what stands at the axes."""
    figure = go.Figure()
    of = _largest(classes) if classes else np.array(["samples"] * len(x))
    kinds = list(dict.fromkeys(of.tolist()))
    for c, (kind, name) in enumerate(zip(kinds, sanitize.labels(kinds), strict=True)):
        mine = np.flatnonzero(of == kind)
        figure.add_scatter(
            x=x[mine],
            y=y[mine],
            customdata=[[int(s) + 1] for s in mine],
            mode="markers",
            name=name,
            marker={
                "color": palette.series[c % len(palette.series)],
                "symbol": SYMBOLS[(c + c // len(SYMBOLS)) % len(SYMBOLS)],
                "size": 8,
            },
            hovertemplate=f"sample %{{customdata[0]}}, {name}<br>{hover}<extra></extra>",
        )
    rows, (across, up) = -(-min(len(set(classes)), CLASSES + 1) // 2), ({"title_text": words[axis]} for axis in "xy")
    return dress(figure, palette, title=words["title"], alt=words["alt"], height=480, legend_rows=rows, x=across, y=up)


PAPER_FILL = "rgba(163, 71, 138, 0.13)"


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
