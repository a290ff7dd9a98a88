"""Figures of features: their loadings as bars, along an axis or as pixels, their largest weights, and their return."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnspca.figures.paper import (
    A_BAR,
    BOUND,
    FOUND,
    PROVEN,
    QUIET,
    SERIES,
    Bar,
    Figure,
    Heatmap,
    Scatter,
    scale,
    with_titles,
)

MOST = 60  # bars of one component
COLOURS = {"indispensable": PROVEN, "undecided": FOUND, "dispensable": QUIET}
Along = tuple[np.ndarray, str]  # a coordinate for each feature, and its title


def components(
    columns: np.ndarray, names: Sequence[str], shape: tuple[int, int] | None, along: Along | None = None
) -> Figure:
    """Return a figure of components, the columns (n, r): their nonzero loadings, the largest on top, a colour for each.

    >>> figure = components(np.array([[0.6, 0.0], [0.0, 1.0], [0.8, 0.0]]), ["a", "b", "c"], None)
    >>> [trace.name for trace in figure.data], figure.data[0].y, figure.data[0].x
    (['1', '2'], ('c', 'a'), array([0.8, 0.6]))
    """
    n, r = columns.shape
    title = f"{r} components" if r > 1 else f"{np.count_nonzero(columns)} of {n} features"
    if shape is not None:
        return _image(columns.T, names, shape, title)
    if along is not None:
        return _spectra(columns, names, along, title)
    figure, bar_count = Figure(), 0
    for c in range(r):
        support = np.flatnonzero(columns[:, c])
        order = support[np.argsort(-np.abs(columns[support, c]), kind="stable")][: max(MOST // r, 8)]
        bar_count += len(order)
        colour, loadings = SERIES[c % len(SERIES)], columns[order, c]
        figure.add_trace(
            Bar(x=loadings, y=[names[i] for i in order], orientation="h", marker_color=colour, name=str(c + 1))
        )
    with_titles(figure, title, "loading", height=200 + A_BAR * bar_count)
    return figure.update_yaxes(autorange="reversed", type="category")


def _spectra(columns: np.ndarray, names: Sequence[str], along: Along, title: str) -> Figure:
    """Loadings as stems along an axis, each component in its colour."""
    figure, (values, axis_title) = Figure(), along
    for c in range(columns.shape[1]):
        used = np.flatnonzero(columns[:, c])
        marker = {"color": SERIES[c % len(SERIES)], "size": 7}
        stems = {"type": "data", "symmetric": False, "array": 0 * used, "arrayminus": columns[used, c], "width": 0}
        figure.add_trace(
            Scatter(
                x=values[used],
                y=columns[used, c],
                text=[names[i] for i in used.tolist()],
                mode="markers",
                marker=marker,
                error_y=stems,
                name=str(c + 1),
                showlegend=columns.shape[1] > 1,
            )
        )
    figure.update_xaxes(range=[float(values.min()), float(values.max())])
    return with_titles(figure, title, axis_title, "loading")


def _image(rows: np.ndarray, names: Sequence[str], shape: tuple[int, int], title: str) -> Figure:
    """Images side by side, each a heat map on axes of its own."""
    figure, count = Figure(), len(rows)
    colours = scale(float(np.abs(rows).max()) or 1.0, bool((rows < 0).any()))
    labels = np.array(names, dtype=object).reshape(shape)
    for c, row in enumerate(rows):
        axis = "" if not c else str(c + 1)
        figure.add_trace(
            Heatmap(
                z=row.reshape(shape),
                text=labels,
                hovertemplate="%{text}: %{z:.3f}<extra></extra>",
                xaxis=f"x{axis}",
                yaxis=f"y{axis}",
                showscale=not c,
                **colours,
            )
        )
        side = {"domain": [c / count, (c + 0.94) / count], "visible": False, "constrain": "domain"}
        upright = {"anchor": f"x{axis}", "scaleanchor": f"x{axis}", "autorange": "reversed", "visible": False}
        figure.update_layout({f"xaxis{axis}": side, f"yaxis{axis}": upright})
        if count > 1:
            place = {"x": (c + 0.47) / count, "y": 1.02, "xref": "paper", "yref": "paper"}
            figure.add_annotation(text=str(c + 1), showarrow=False, **place)
    return with_titles(figure, title, height=360)


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
