"""Figures of single features: the largest possible share of each, and how often each returns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnspca.figures.paper import A_BAR, BOUND, FOUND, PROVEN, QUIET, SERIES, Bar, Figure, Scatter, with_titles

COLOURS = {"indispensable": PROVEN, "undecided": FOUND, "dispensable": QUIET}


def necessity(names: Sequence[str], weights: np.ndarray, limits: np.ndarray, states: Sequence[str]) -> Figure:
    """Return a figure of a component's features: ``x_i²``, its proven maximum in near-best components, and the state.

    Examples
    --------
    >>> figure = necessity(["a", "b"], np.array([0.6, 0.4]), np.array([0.7, 1.0]), ["indispensable", "undecided"])
    >>> [trace.name for trace in figure.data]
    ['indispensable', 'undecided', 'at most (proven)']
    """
    figure = Figure()
    for state, colour in COLOURS.items():
        own = [i for i, each in enumerate(states) if each == state]
        if own:
            figure.add_trace(
                Bar(x=weights[own], y=[names[i] for i in own], orientation="h", marker_color=colour, name=state)
            )
    marker = {"symbol": "line-ns-open", "size": 14, "color": BOUND}
    figure.add_trace(Scatter(x=limits, y=list(names), mode="markers", name="at most (proven)", marker=marker))
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=list(names)[::-1])
    return with_titles(figure, "Weight of each feature", "share of weight", height=200 + A_BAR * len(names))


def stability(parts: Sequence[tuple[Sequence[str], np.ndarray]], threshold: float) -> Figure:
    """Return a figure of how often each feature of each part returned, against the threshold.

    >>> figure = stability([(["a", "b"], np.array([1.0, 0.4]))], 0.7)
    >>> figure.data[0].name, figure.data[0].x
    ('part 1', array([1. , 0.4]))
    """
    figure = Figure()
    for c, (names, shares) in enumerate(parts):
        colour = SERIES[c % len(SERIES)]
        figure.add_trace(Bar(x=shares, y=list(names), orientation="h", marker_color=colour, name=f"part {c + 1}"))
    figure.add_vline(x=threshold, line_dash="dash", line_color=BOUND)
    figure.update_xaxes(range=[0, 1])
    figure.update_yaxes(autorange="reversed", type="category")
    count = sum(len(names) for names, _ in parts)
    return with_titles(figure, "How often each feature returns", "share of resamples", height=200 + A_BAR * count)
