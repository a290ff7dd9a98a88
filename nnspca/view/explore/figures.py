"""What an algorithm did: the variance step by step, and the ceiling coming down to meet it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nnspca.view.figures.style import Palette, dress
from nnspca.view.words import fixed

MOST_POINTS = 2000


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
    dress(figure, palette, title=title, alt=alt, height=300)
    figure.update_xaxes(title_text="step of the method")
    room = max(0.08 * float(y.max() - y.min()), 0.002 * float(abs(y).max()))
    figure.update_yaxes(title_text="best variance so far ÷ λ₁", range=[y.min() - room, y.max() + room])
    return figure


def ceiling(trace: Sequence[tuple[float, float | None, float | None]], leading: float, palette: Palette) -> go.Figure:
    """Draw the proven ceiling and the best variance against seconds, while the proof was sought."""
    figure = go.Figure()
    for column, name, colour, dash in (
        (2, "proven ceiling", palette.ceiling, "solid"),
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
    title = "The proven ceiling comes down"
    dress(
        figure,
        palette,
        title=title,
        alt=f"{title} towards the best variance found, against time.",
        height=300,
    )
    figure.update_xaxes(title_text="seconds spent on the proof")
    figure.update_yaxes(title_text="variance ÷ λ₁")
    return figure
