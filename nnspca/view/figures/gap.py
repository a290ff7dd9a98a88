"""The gap: below a curve, on its k axis, from what was found to 100 % of what is possible."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from nnspca.view.figures.style import DASHES, SYMBOLS, Palette

CLOSED = 1e-4  # a smaller gap counts as closed
LEAST_SHOWN = 5e-3  # of the possible, that the axis covers at least: finer differences are rounding's
WIDE = 30.0  # ratio of two gaps beyond which an axis of equal steps would hide the smaller
UPPER, LOWER = (0.47, 1.0), (0.0, 0.37)  # what the two panels take of the figure's height
PAPER_FILL = "rgba(163, 71, 138, 0.13)"

Shares = Mapping[str, Sequence[tuple[int, float]]]


def add_gap(
    figure: go.Figure,
    shares: Shares,
    best: Sequence[tuple[int, float]],
    optimal: Sequence[int],
    palette: Palette,
    *,
    paper: Sequence[tuple[int, float]] = (),
) -> None:
    """Draw what each solver is proven to miss, the band up to the possible shaded; call it once the figure is dressed.

    Parameters
    ----------
    figure : go.Figure
        With its curve on the first y axis.
    shares : mapping of str to sequence of (int, float)
        For each solver, k and the share of the proven ceiling that it keeps, 0 to 1.
    best : sequence of (int, float)
        The same for the best component known.
    optimal : sequence of int
        The k that are proven optimal.
    palette : Palette
    paper : sequence of (int, float)
        The same for the best component and the paper's own ceiling, which holds with some probability.
    """
    figure.update_layout(yaxis={"domain": UPPER}, yaxis2={"domain": LOWER, "anchor": "x"})
    figure.update_xaxes(anchor="y2")
    seen = [1 - share for points in (*shares.values(), best, paper) for _, share in points]
    missing = [max(gap, CLOSED) for gap in seen]
    log = bool(missing) and max(missing) / min(missing) > WIDE
    if paper:
        _add_area(figure, paper, log, PAPER_FILL, "the paper's gap (not proven)", palette.paper_bound)
    _add_area(figure, best, log, palette.band, "the optimum lies in here", palette.ceiling)
    for i, (method, points) in enumerate(shares.items()):
        figure.add_scatter(
            x=[k for k, _ in points],
            y=[_depth(share, log) for _, share in points],
            yaxis="y2",
            name=method,
            showlegend=False,
            mode="lines+markers",
            cliponaxis=False,
            line={"color": palette.series[i % len(palette.series)], "dash": DASHES[i % len(DASHES)], "width": 2},
            marker={"size": 6 + 2 * min(i, 2), "symbol": SYMBOLS[i % len(SYMBOLS)], "line": {"width": 1.5}},
            customdata=[[k, method, math.floor(1e4 * share) / 100] for k, share in points],
            unselected={"marker": {"opacity": 1}},
            hovertemplate="k = %{x}<br>keeps at least %{customdata[2]:.2f} %<extra>" + method + "</extra>",
        )
    closed = [(k, share) for k, share in best if k in set(optimal)]
    figure.add_scatter(
        x=[k for k, _ in closed],
        y=[_depth(share, log) for _, share in closed],
        yaxis="y2",
        mode="markers",
        name="proven",
        showlegend=False,
        cliponaxis=False,
        marker={"size": 13, "symbol": "circle-open", "color": palette.proven, "line": {"width": 2.5}},
        hoverinfo="skip",
    )
    _set_axis(figure, max(missing, default=LEAST_SHOWN), log)


def _depth(share: float, log: bool) -> float:
    """Place a share on the axis: percent of the possible, or how many tenths of it are missing, counted in powers."""
    return -math.log10(max(1 - share, CLOSED) / CLOSED) if log else 100 * share


def _add_area(
    figure: go.Figure, points: Sequence[tuple[int, float]], log: bool, fill: str, name: str, edge: str
) -> None:
    """Shade from what was found up to all that is possible."""
    top = 0.0 if log else 100.0
    ks = [k for k, _ in points]
    figure.add_scatter(
        x=ks + ks[::-1],
        y=[top] * len(ks) + [_depth(share, log) for _, share in points][::-1],
        yaxis="y2",
        fill="toself",
        fillcolor=fill,
        mode="lines",
        line={"width": 1, "color": edge},
        name=name,
        showlegend=False,
        hoverinfo="skip",
    )


def _set_axis(figure: go.Figure, widest: float, log: bool) -> None:
    """Zoom to where the gap lives."""
    about = {"title_text": "proven (%)", "zeroline": False}
    if log:
        gaps = [gap for gap in (CLOSED, 1e-3, 1e-2, 1e-1, 1.0) if gap <= widest * 1.01]
        deep = math.log10(widest / CLOSED)
        figure.update_layout(
            yaxis2=about
            | {
                "range": [-1.08 * deep, 0.06 * deep],
                "tickvals": [_depth(1 - gap, True) for gap in gaps],
                "ticktext": ["100" if gap == CLOSED else f"{100 - 100 * gap:g}" for gap in gaps],
            }
        )
    else:
        span = 100 * max(widest, LEAST_SHOWN)
        figure.update_layout(yaxis2=about | {"range": [100 - 1.1 * span, 100 + 0.06 * span]})
