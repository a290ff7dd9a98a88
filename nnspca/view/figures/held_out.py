"""Variance that components explain of held-out samples, against k, with error bars."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from nnspca.result import CrossValidation
from nnspca.view.figures.style import Palette, dress, shade
from nnspca.view.words import floor

TITLE = "Variance explained of held-out samples, by number of nonzero loadings"


def held_out(result: CrossValidation, palette: Palette, *, log: bool) -> go.Figure:
    """Draw the mean over the folds with its standard errors, the same of the training samples, and the suggested k.

    What is less than one standard error below the largest mean is shaded.
    """
    ks, mean, error = np.array(result.ks), 100 * result.mean, 100 * np.nan_to_num(result.error)
    known = np.isfinite(mean)
    figure = go.Figure()
    best, suggested = result.best_k, result.suggested_k
    if best is not None:
        top = int(np.flatnonzero(ks == best)[0])
        ends = [int(ks[known].min()), int(ks[known].max())]
        high, low = ([(end, height) for end in ends] for height in (mean[top], mean[top] - error[top]))
        shade(figure, high, low, palette.band, name="within one standard error of the largest")
    figure.add_scatter(
        x=ks[known],
        y=100 * result.fitted_mean[known],
        mode="lines",
        line={"color": palette.quiet, "width": 2, "dash": "dot"},
        name="training samples (the component was found on these)",
        hovertemplate="k = %{x}<br>%{y:.2f} % of the training samples<extra></extra>",
    )
    figure.add_scatter(
        x=ks[known],
        y=mean[known],
        error_y={"type": "data", "array": error[known], "color": palette.found, "thickness": 1.5, "width": 4},
        customdata=np.column_stack([[floor(value, 2) for value in mean[known]], error[known]]),
        mode="lines+markers",
        line={"color": palette.found, "width": 2},
        marker={"size": 7},
        name="held-out samples (± standard error)",
        hovertemplate="k = %{x}<br>%{customdata[0]:.2f} % ± %{customdata[1]:.2f} %<extra></extra>",
    )
    for k, name, symbol in ((best, "largest", "diamond-open"), (suggested, "one-standard-error k", "circle-open")):
        if k is not None:
            figure.add_scatter(
                x=[k],
                y=[mean[int(np.flatnonzero(ks == k)[0])]],
                mode="markers",
                name=f"{name}: {k}",
                marker={"size": 18, "symbol": symbol, "color": palette.ink, "line": {"width": 2.5}},
                hoverinfo="skip",
            )
    folds = int(np.isfinite(result.held_out).any(axis=1).sum())
    alt = f"{TITLE}: means over {folds} folds with their standard errors, for {int(known.sum())} values of k"
    alt += "" if suggested is None else f"; largest at k = {best}, within one standard error of it from k = {suggested}"
    share = {"title_text": "share of the variance (%)", "rangemode": "tozero"}
    return dress(figure, palette, title=TITLE, alt=alt + ".", height=430, k_axis=(result.ks, log), y=share)
