"""Figures of the Explore page: indispensable features marked, held-out samples against k, samples by their scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nnspca.result import CrossValidation, Necessity
from nnspca.view import sanitize
from nnspca.view.explore.samples.run import SamplePositions
from nnspca.view.figures.style import SYMBOLS, Figure, Palette, dress, shade
from nnspca.view.words import at_most, floor, necessity

HELD_OUT = "Variance explained of held-out samples, by number of nonzero loadings"
MARKED = {"essential": ("indispensable", "solid"), "undecided": ("not decided", "dot")}


def marked(figure: go.Figure, need: Necessity, palette: Palette) -> go.Figure:
    """Mark on a component's figure the indispensable features, and those that are not decided."""
    kind = figure.data[0].type
    chosen = {state: np.flatnonzero(getattr(need, state)) for state in MARKED}
    if kind == "heatmap":
        _outline(figure, need, chosen, palette)
    elif kind == "bar":
        states = ["" if need.dispensable[i] else necessity(need, i) for i in figure.data[0].customdata]
        figure.data[0].update(text=states, textposition="auto")
    else:
        _ring(figure, chosen, palette)
    many = len(chosen["essential"])
    count_text = "1 indispensable feature is" if many == 1 else f"{many} indispensable features are"
    alt = f"{figure.layout.meta['alt']} {count_text} marked."
    title = figure.layout.title.text.replace("The component", "Indispensable features")
    return dress(figure, palette, title=title, alt=alt, height=figure.layout.height)


def _outline(figure: go.Figure, need: Necessity, chosen: dict[str, np.ndarray], palette: Palette) -> None:
    """Frame pixels; each tells on hovering what is known of it."""
    grid = figure.data[0]
    shape = np.shape(grid.z)
    hovers = [
        f"{necessity(need, i)}<br>squared loading at most {at_most(100 * most, 1)} %"
        for i, most in enumerate(need.limit)
    ]
    grid.customdata = np.array(hovers, dtype=object).reshape(shape)
    grid.hovertemplate = "row %{y}, column %{x}<br>loading %{z:.4f}<br>%{customdata}<extra></extra>"
    grid.colorbar.y = 1.0
    grid.colorbar.yanchor = "bottom"
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1], [np.nan, np.nan]]) * 0.44
    for state, (name, dash) in MARKED.items():
        rows, columns = np.unravel_index(chosen[state], shape)
        figure.add_scatter(
            x=(columns[:, None] + corners[:, 0]).ravel(),
            y=(rows[:, None] + corners[:, 1]).ravel(),
            mode="lines",
            name=name,
            line={"color": palette.upper_bound, "width": 2.5 if dash == "solid" else 1.5, "dash": dash},
            hoverinfo="skip",
            showlegend=True,  # be it the only one
        )


def _ring(figure: go.Figure, chosen: dict[str, np.ndarray], palette: Palette) -> None:
    """Put a ring around the loadings along an axis."""
    stems = next(trace for trace in figure.data if trace.mode == "markers")
    places = np.asarray(stems.customdata)
    for state, (name, dash) in MARKED.items():
        here = np.isin(places, chosen[state])
        figure.add_scatter(
            x=np.asarray(stems.x)[here],
            y=np.asarray(stems.y)[here],
            mode="markers",
            name=name,
            marker={
                "symbol": "circle-open" if dash == "solid" else "square-open-dot",
                "size": 15,
                "line": {"width": 2},
                "color": palette.upper_bound,
            },
            hoverinfo="skip",
        )


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
    alt = f"{HELD_OUT}: means over {folds} folds with their standard errors, for {int(known.sum())} values of k"
    alt += "" if suggested is None else f"; largest at k = {best}, within one standard error of it from k = {suggested}"
    share = {"title_text": "share of the variance (%)", "rangemode": "tozero"}
    return dress(figure, palette, title=HELD_OUT, alt=alt + ".", height=430, k_axis=(result.ks, log), y=share)


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
