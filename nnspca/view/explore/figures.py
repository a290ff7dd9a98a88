"""Steps of a solver, the upper bound coming down to meet it, and the indispensable features of a component."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nnspca.result import Necessity
from nnspca.view.figures.style import Palette, dress
from nnspca.view.words import STATES, at_most, fixed

MOST_POINTS = 2000
MARKED = {"essential": ("indispensable", "solid"), "undecided": ("not decided", "dot")}


def history(variances: Sequence[float], leading: float, palette: Palette, *, title: str) -> go.Figure:
    """Draw the best normalised variance known after each step of the method."""
    y = np.asarray(variances, dtype=float) / leading
    steps = np.arange(1, y.size + 1)
    if y.size > MOST_POINTS:
        kept = np.unique(np.linspace(0, y.size - 1, MOST_POINTS).round().astype(int))
        steps, y = steps[kept], y[kept]
    figure = go.Figure(
        go.Scatter(
            x=steps,
            y=y,
            mode="lines+markers" if y.size < 40 else "lines",
            line={"color": palette.found, "width": 2, "shape": "hv"},
            hovertemplate="after step %{x}<br>variance ÷ λ₁ = %{y:.5f}<extra></extra>",
        )
    )
    alt = f"{title}: the best variance known rises from {fixed(y[0], 3)} to {fixed(y[-1], 3)} of λ₁ "
    alt += f"in {len(variances)} steps."
    room = max(0.08 * float(y.max() - y.min()), 0.002 * float(abs(y).max()))
    dress(
        figure,
        palette,
        title=title,
        alt=alt,
        height=300,
        x={"title_text": "step of the method"},
        y={"title_text": "best variance so far ÷ λ₁", "range": [y.min() - room, y.max() + room]},
    )
    return figure


def falling(trace: Sequence[tuple[float, float | None, float | None]], leading: float, palette: Palette) -> go.Figure:
    """Draw the upper bound and the best variance against the seconds of a proof."""
    figure = go.Figure()
    for column, name, colour, dash in (
        (2, "upper bound", palette.ceiling, "solid"),
        (1, "best found", palette.found, "solid"),
    ):
        seen = [(row[0] - trace[0][0], value / leading) for row in trace if (value := row[column]) is not None]
        if seen:
            figure.add_scatter(
                x=[s for s, _ in seen],
                y=[v for _, v in seen],
                name=name,
                mode="lines",
                line={"color": colour, "width": 2, "shape": "hv", "dash": dash},
                hovertemplate="after %{x:.2f} s<br>" + name + " %{y:.4f}<extra></extra>",
            )
    title = "The upper bound comes down"
    dress(
        figure,
        palette,
        title=title,
        alt=f"{title} towards the best variance found, against time.",
        height=300,
        x={"title_text": "seconds spent on the proof"},
        y={"title_text": "variance ÷ λ₁"},
    )
    return figure


def state_of(need: Necessity, i: int) -> str:
    """Return the key in :data:`STATES` of a feature."""
    return "essential" if need.essential[i] else "dispensable" if need.dispensable[i] else "undecided"


def marked(figure: go.Figure, need: Necessity, palette: Palette) -> go.Figure:
    """Mark on a component's figure the indispensable features, and those that are not decided."""
    kind = figure.data[0].type
    chosen = {state: np.flatnonzero(getattr(need, state)) for state in MARKED}
    if kind == "heatmap":
        _outline(figure, need, chosen, palette)
    elif kind == "bar":
        _name(figure, need)
    else:
        _ring(figure, chosen, palette)
    alt = f"{figure.layout.meta['alt']} {len(chosen['essential'])} indispensable features are marked."
    title = figure.layout.title.text.replace("The component", "Indispensable features")
    return dress(figure, palette, title=title, alt=alt, height=figure.layout.height)


def _outline(figure: go.Figure, need: Necessity, chosen: dict[str, np.ndarray], palette: Palette) -> None:
    """Frame pixels; each tells on hovering what is known of it."""
    grid = figure.data[0]
    shape = np.shape(grid.z)
    told = [
        f"{STATES[state_of(need, i)]}<br>squared loading at most {at_most(100 * most, 1)} %"
        for i, most in enumerate(need.limit)
    ]
    grid.customdata = np.array(told, dtype=object).reshape(shape)
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
            line={"color": palette.ceiling, "width": 2.5 if dash == "solid" else 1.5, "dash": dash},
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
                "color": palette.ceiling,
            },
            hoverinfo="skip",
        )


def _name(figure: go.Figure, need: Necessity) -> None:
    """Write beside each bar what is known of its feature."""
    words = {"essential": "indispensable", "dispensable": "", "undecided": "not decided"}
    figure.data[0].text = [words[state_of(need, int(i))] for i in figure.data[0].customdata]
    figure.data[0].textposition = "auto"
