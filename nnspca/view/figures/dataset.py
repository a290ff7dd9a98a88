"""A data set at a glance: sample curves, and the spectrum of its covariance."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from nnspca.datasets import Axis
from nnspca.view.figures.style import Palette, axis_words, dress
from nnspca.view.words import fixed


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
