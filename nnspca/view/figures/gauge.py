"""A component's place: found, the band where the unknown optimum lies, the proven ceiling."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from nnspca.result import Bound
from nnspca.view.figures.ceilings import ROW, add_rows
from nnspca.view.figures.style import LEGEND_DROP, LEGEND_ROW, Palette, dress
from nnspca.view.words import at_least, at_most, odds

BAR = 78  # pixels


def gauge(
    found: float,
    palette: Palette,
    *,
    best: float | None = None,
    upper: float | None = None,
    leading: float,
    paper: Bound | None = None,
    bounds: Sequence[Bound] = (),
) -> go.Figure:
    """Draw one horizontal gauge of normalised variance: variances divided by the leading eigenvalue.

    Each of ``bounds`` gets a thin line of its own below the gauge.
    """
    share = found / leading
    figure = go.Figure()
    _add_found(figure, share, palette)
    alt = f"Gauge of normalised variance: found {at_least(share, 3)}"
    right = share
    if upper is not None:
        reached, ceiling = max(share, (best or found) / leading), upper / leading
        _add_band(figure, share, reached, ceiling, palette)
        _add_mark(figure, ceiling, "proven ceiling", "proven ceiling", {"color": palette.ceiling, "width": 4})
        alt += f", proven ceiling {at_most(ceiling, 3)}; the unknown optimum lies between them"
        right = max(right, ceiling)
    if paper is not None:
        theirs, name = paper.value / leading, f"the paper's: holds with {odds(paper.probability)}, not proven"
        dotted = {"color": palette.paper_bound, "width": 2, "dash": "dot"}
        _add_mark(figure, theirs, name, "the paper's ceiling", dotted)
        right = max(right, theirs)
    right = max(1.0, right) * 1.02
    below = ROW * len(bounds) + (12 if bounds else 0)
    tall = LEGEND_DROP + LEGEND_ROW * len(figure.data)  # one line of the legend for each trace so far
    if bounds:
        alt += add_rows(figure, bounds, leading, best or found, palette, right)
    shares = {"title_text": "variance ÷ λ₁, what the freest direction holds", "range": [0, right]}
    at_foot = {"anchor": "free", "position": 0}  # of all, not of the bar
    dress(figure, palette, title="", alt=alt + ".", height=8 + BAR + below + tall, x=shares | at_foot)
    _arrange(figure, below, len(bounds))
    return figure


def _add_found(figure: go.Figure, share: float, palette: Palette) -> None:
    """Draw what the component keeps."""
    figure.add_bar(
        x=[share],
        y=[""],
        orientation="h",
        name="found",
        marker={"color": palette.found},
        hovertemplate=f"found: {at_least(share, 4)}<extra></extra>",
    )


def _add_band(figure: go.Figure, share: float, reached: float, ceiling: float, palette: Palette) -> None:
    """Stack on what was found what a better component reaches, and from there the band up to the ceiling."""
    if reached > share:
        figure.add_bar(
            x=[reached - share],
            y=[""],
            orientation="h",
            name="reached by a better component",
            marker={"color": palette.found, "opacity": 0.4},
            hovertemplate=f"best known: {at_least(reached, 4)}<extra></extra>",
        )
    figure.add_bar(
        x=[max(ceiling - reached, 0.0)],  # both were divided by λ₁, and rounded
        y=[""],
        orientation="h",
        name="the unknown optimum lies in here",
        marker={"color": palette.band, "pattern": {"shape": "/", "fgcolor": palette.ceiling, "size": 6}},
        hovertemplate=f"the optimum lies between {at_least(reached, 4)} and {at_most(ceiling, 4)}<extra></extra>",
    )


def _add_mark(figure: go.Figure, x: float, name: str, said: str, line: dict[str, object]) -> None:
    """Draw a line across the bar: on an axis of its own, for bars have no numbers along theirs."""
    figure.add_scatter(
        x=[x, x],
        y=[-0.5, 0.5],
        yaxis="y2",
        mode="lines",
        name=name,
        line=line,
        hovertemplate=f"{said}: {at_most(x, 4)}<extra></extra>",
    )


def _arrange(figure: go.Figure, below: int, rows: int) -> None:
    """Place the bar above so many rows of bounds, which take ``below`` pixels."""
    figure.update_layout(
        barmode="stack",
        bargap=0,
        margin_r=14,
        legend_traceorder="normal",
        yaxis={"domain": [below / (BAR + below), 1], "visible": False},
        yaxis2={"overlaying": "y", "range": [-0.5, 0.5], "visible": False},
        yaxis3={"domain": [0, below / (BAR + below)], "range": [0.2 - rows, 0.85], "visible": False},
    )
