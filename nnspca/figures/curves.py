"""Figures of variances: found and proven for one k, against k with the band of the optimum, and held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nnspca.figures.paper import A_BAR, BAND, BOUND, FOUND, PROVEN, QUIET, SERIES, Bar, Figure, Scatter, with_titles

FEW = 15  # longest axis that names every k


def sweep(
    curves: Mapping[str, Sequence[tuple[int, float]]],
    band: Sequence[tuple[int, float, float]],
    x: str,
    y: str,
) -> Figure:
    """Return a figure of curves, (k, share) each, above a band of (k, lower, upper).

    Examples
    --------
    >>> figure = sweep({"best": [(1, 0.5), (2, 0.8)]}, [(1, 0.5, 0.6), (2, 0.8, 0.8)], "k", "share")
    >>> [trace.name for trace in figure.data]
    ['the optimum lies here (proven)', 'best']
    """
    figure = Figure()
    if band:
        ks, lower, upper = zip(*sorted(band), strict=True)
        figure.add_trace(
            Scatter(
                x=[*ks, *reversed(ks)],
                y=[*upper, *reversed(lower)],
                fill="toself",
                fillcolor=BAND,
                line={"color": "rgba(0,0,0,0)"},
                hoverinfo="skip",
                name="the optimum lies here (proven)",
            )
        )
    for c, (name, points) in enumerate(curves.items()):
        xs, ys = zip(*points, strict=True) if points else ((), ())
        figure.add_trace(Scatter(x=xs, y=ys, mode="lines+markers", name=name, line={"color": SERIES[c % len(SERIES)]}))
    along = [k for points in curves.values() for k, _ in points]
    if max(along, default=0) - min(along, default=0) <= FEW:
        figure.update_xaxes(dtick=1)  # k and numbers of parts are whole
    return with_titles(figure, f"{y[:1].upper()}{y[1:]} against {x}", x, y)


def held_out(
    ks: Sequence[int], mean: np.ndarray, error: np.ndarray, fitted: np.ndarray, suggested: int | None
) -> Figure:
    """Return a figure of held-out variance with its standard error, and of the variance of the fitted samples.

    >>> figure = held_out([1, 2], np.array([0.4, 0.5]), np.array([0.1, 0.1]), np.array([0.5, 0.7]), 2)
    >>> [trace.name for trace in figure.data]
    ['held out', 'fitted']
    """
    bars = {"type": "data", "array": np.nan_to_num(error), "visible": True}
    figure = Figure(
        [
            Scatter(x=list(ks), y=mean, error_y=bars, mode="lines+markers", name="held out", line={"color": FOUND}),
            Scatter(x=list(ks), y=fitted, mode="lines", name="fitted", line={"color": QUIET, "dash": "dot"}),
        ]
    )
    if suggested is not None:
        figure.add_vline(x=suggested, line_dash="dash", annotation_text=f"k = {suggested} suggested")
    return with_titles(figure, "Share of variance explained against k", "k", "share of variance")


def judged(variances: Sequence[float], best: Sequence[float], upper: Sequence[float]) -> Figure:
    """Return a figure of components: the variance of each, the best one known of its kind, and the proven maximum.

    >>> [trace.name for trace in judged([1.0, 0.5], [1.0, 0.75], [1.0, 1.0]).data]
    ['proven maximum', 'best known', 'given']
    """
    figure, places = Figure(), list(range(1, len(variances) + 1))
    figure.add_trace(Bar(x=places, y=upper, name="proven maximum", marker={"color": BAND}))
    figure.add_trace(Scatter(x=places, y=best, mode="markers", name="best known", marker={"color": PROVEN, "size": 9}))
    figure.add_trace(Bar(x=places, y=variances, name="given", marker={"color": FOUND}, width=0.4))
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(dtick=1 if len(places) <= FEW else None)
    return with_titles(figure, "The variance given, and the proven maximum", "component", "variance")


def certificate(lower: float, bounds: Sequence[tuple[str, float, bool]]) -> Figure:
    """Return a figure of bounds, each a name, a value, and whether it is proven, beside the variance found.

    >>> figure = certificate(2.0, [("balanced-rows", 3.0, True), ("paper", 2.5, False)])
    >>> [(trace.name, trace.x) for trace in figure.data]
    [('proven', (3.0,)), ('holds with a probability', (2.5,)), ('found', (2.0, 2.0))]
    """
    figure, order = Figure(), [name for name, _, _ in sorted(bounds, key=lambda b: -b[1])]
    for proven, name, colour, symbol in (
        (True, "proven", BOUND, "circle"),
        (False, "holds with a probability", QUIET, "circle-open"),
    ):
        own = [(each, value) for each, value, is_proven in bounds if is_proven == proven]
        if own:
            figure.add_trace(
                Scatter(
                    x=[value for _, value in own],
                    y=[each for each, _ in own],
                    mode="markers",
                    name=name,
                    marker={"color": colour, "symbol": symbol, "size": 11},
                )
            )
    ends = [order[0], order[-1]]
    figure.add_trace(Scatter(x=[lower, lower], y=ends, mode="lines", name="found", line={"color": FOUND, "width": 3}))
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=order)
    return with_titles(figure, "The variance found, and the upper bounds", "variance", height=200 + A_BAR * len(order))
