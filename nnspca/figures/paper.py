"""The common layout of the library's figures; importing it imports Plotly."""

from __future__ import annotations

from typing import Any

try:
    from plotly.graph_objects import Bar, Figure, Heatmap, Scatter
except ImportError as error:
    raise ImportError("a figure needs Plotly: pip install plotly") from error

__all__ = ["Bar", "Figure", "Heatmap", "Scatter", "with_titles"]

FOUND, PROVEN, BOUND, QUIET = "#0072b2", "#00805c", "#a65200", "#5b6b78"
BAND = "rgba(230, 159, 0, 0.34)"
SERIES = ("#0072b2", "#c2570c", "#00805c", "#a3478a", "#5b6b78", "#8a6d00")
LOADINGS = ((0.0, "#eef2f4"), (0.25, "#a9d3ea"), (0.5, "#4fa3d1"), (0.75, "#0072b2"), (1.0, "#0a3a66"))
SIGNED = ((0.0, "#6d2c00"), (0.25, "#e0894a"), (0.5, "#eef2f4"), (0.75, "#4fa3d1"), (1.0, "#0a3a66"))
A_BAR = 20  # pixels
BELOW = 90  # pixels for the axis, its title and the legend


def with_titles(figure: Figure, title: str, x: str = "", y: str = "", height: int = 420) -> Figure:
    """Give a figure its title, axis titles and height."""
    figure.update_layout(
        title={"text": title, "x": 0, "xref": "paper"},
        height=height,
        template="plotly_white",
        margin={"l": 10, "r": 10, "t": 50, "b": BELOW},
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"},
    )
    figure.update_xaxes(title=x, automargin=True)
    figure.update_yaxes(title=y, automargin=True)
    return figure


def scale(largest: float, signed: bool) -> dict[str, Any]:
    """Return the colour scale of loadings: zero has the colour of the background."""
    least = -largest if signed else 0.0
    return {"colorscale": SIGNED if signed else LOADINGS, "zmin": least, "zmax": largest}
