"""Indispensable features, marked on a component's figure."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from nnspca.result import Necessity
from nnspca.view.figures.style import Palette, dress
from nnspca.view.words import at_most, necessity

MARKED = {"essential": ("indispensable", "solid"), "undecided": ("not decided", "dot")}


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


def _name(figure: go.Figure, need: Necessity) -> None:
    """Write beside each bar what is known of its feature."""
    figure.data[0].text = ["" if need.dispensable[i] else necessity(need, i) for i in figure.data[0].customdata]
    figure.data[0].textposition = "auto"
