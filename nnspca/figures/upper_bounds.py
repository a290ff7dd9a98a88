"""The figure of a certificate: the variance found, and every upper bound."""

from __future__ import annotations

from collections.abc import Sequence

from nnspca.figures.paper import A_BAR, BOUND, FOUND, QUIET, Figure, Scatter, with_titles


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
