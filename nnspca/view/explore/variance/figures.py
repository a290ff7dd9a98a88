"""Variance against k with the band where the optimum must lie, and the gap itself below it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from nnspca.result import Bound, Certificate, SweepPoint
from nnspca.view.figures.ceilings import add_lines
from nnspca.view.figures.style import DASHES, LEGEND_ROW, SYMBOLS, Palette, dress
from nnspca.view.words import ceils, floors, odds

CLOSED = 1e-4  # a smaller gap counts as closed
LEAST_SHOWN = 5e-3  # of the possible, that the axis covers at least: finer differences are rounding's
WIDE = 30.0  # ratio of two gaps beyond which an axis of equal steps would hide the smaller
UPPER, LOWER = (0.47, 1.0), (0.0, 0.37)  # what the two panels take of the figure's height
PAPER_FILL = "rgba(163, 71, 138, 0.13)"


Shares = Mapping[str, Sequence[tuple[int, float]]]


@dataclass(frozen=True, eq=False)
class View:
    """What the page's figures draw.

    Attributes
    ----------
    points : tuple of SweepPoint
        Those known by now.
    certificates : mapping
        The certificate of each certified k.
    optimal : frozenset of int
        The k at which the best found counts as proven optimal.
    leading : float
        The largest eigenvalue.
    methods : tuple of str
    ks : tuple of int
        All that were asked for.
    log : bool
        Whether equal steps of the k axis multiply.
    bounds : bool
        Whether every ceiling gets a line of its own.
    """

    points: tuple[SweepPoint, ...]
    certificates: Mapping[int, Certificate]
    optimal: frozenset[int]
    leading: float
    methods: tuple[str, ...]
    ks: tuple[int, ...]
    log: bool
    bounds: bool


def variance(view: View, palette: Palette, *, paper: bool = False, chosen: tuple[int, str] | None = None) -> go.Figure:
    """Draw one curve a method and the certified band; the band is proven at the marked k only.

    With ``paper`` the paper's own band lies behind; the point ``chosen`` wears a ring.
    """
    points, leading, certificates = sorted(view.points, key=lambda p: p.k), view.leading, view.certificates
    proven = sorted(certificates)
    lowest = [certificates[k].lower / leading for k in proven]
    figure = go.Figure()
    if proven and paper:
        _add_paper(figure, palette, proven, lowest, [_probable(certificates[k]) for k in proven], leading)
    if proven:
        _add_band(figure, palette, proven, lowest, [certificates[k].upper / leading for k in proven])
    if proven and view.bounds:
        add_lines(figure, {k: certificates[k] for k in proven}, leading, palette)
    for i, method in enumerate(view.methods):
        _add_curve(figure, [p for p in points if p.method == method], leading, method, i, palette)
    optimal = sorted(view.optimal)
    if optimal:
        _add_rings(figure, palette, optimal, [certificates[k].lower / leading for k in optimal])
    for p in points:
        if (p.k, p.method) == chosen:
            _add_choice(figure, p, leading, palette)
    title = "Variance kept, by number of nonzero loadings"
    alt = (
        f"{title}: {len(points)} points for {', '.join(view.methods)}; "
        f"{len(proven)} of {len(view.ks)} values of k have a proven band around the optimum, "
        f"{len(optimal)} of them closed: proven optimal."
    )
    named = sum(trace.name is not None and trace.showlegend is not False for trace in figure.data)
    rows = named if named < 7 else -(-named // 2)  # long legends: two a line, as all but phones have room for
    dress(
        figure,
        palette,
        title=title,
        alt=alt,
        height=600 + LEGEND_ROW * max(rows - 4, 0),
        legend_rows=rows,
        k_axis=(view.ks, view.log),
        y={"title_text": "variance ÷ λ₁", "range": [0, 1.04]},
    )
    _add_gap(figure, view, palette, paper=paper)
    return figure


def _look(i: int, palette: Palette) -> dict[str, dict[str, object]]:
    """Return how the i-th method is drawn in both panels: colour, dashes and symbol each tell it from the others."""
    return {
        "line": {"color": palette.series[i % len(palette.series)], "dash": DASHES[i % len(DASHES)], "width": 2},
        "marker": {"size": 6 + 2 * min(i, 2), "symbol": SYMBOLS[i % len(SYMBOLS)], "line": {"width": 1.5}},
    }


def _add_curve(
    figure: go.Figure, mine: Sequence[SweepPoint], leading: float, method: str, i: int, palette: Palette
) -> None:
    """Draw what one method keeps at each k; what a hover says is rounded down."""
    shares = [p.component.variance / leading for p in mine]
    figure.add_scatter(
        x=[p.k for p in mine],
        y=shares,
        name=method,
        mode="lines+markers",
        **_look(i, palette),
        cliponaxis=False,
        customdata=[[p.k, method, kept] for p, kept in zip(mine, floors(shares, 4), strict=True)],
        unselected={"marker": {"opacity": 1}},
        hovertemplate="k = %{x}<br>variance ÷ λ₁ = %{customdata[2]:.4f}<br>click to see it<extra>"
        + method
        + "</extra>",
    )


def _add_choice(figure: go.Figure, point: SweepPoint, leading: float, palette: Palette) -> None:
    """Draw the ring of the point that is shown beside the curves."""
    figure.add_scatter(
        x=[point.k],
        y=[point.component.variance / leading],
        mode="markers",
        name="chosen",
        showlegend=False,
        cliponaxis=False,
        marker={"size": 20, "symbol": "circle-open", "color": palette.ink, "line": {"width": 2.5}},
        hoverinfo="skip",
    )


def _add_gap(figure: go.Figure, view: View, palette: Palette, *, paper: bool) -> None:
    """Draw the gap itself below; points that use more than k features, such as plain PCA's, are not compared."""
    held = sorted(view.certificates.items())
    shares = {
        method: sorted(
            (p.k, min(p.component.variance / view.certificates[p.k].upper, 1.0))
            for p in view.points
            if p.method == method and p.k in view.certificates and p.component.cardinality <= p.k
        )
        for method in view.methods
    }
    chances = [(k, c.lower, bound.value) for k, c in held if (bound := _probable(c)) is not None] if paper else []
    _draw_gap(
        figure,
        shares,
        [(k, min(c.ratio, 1.0)) for k, c in held],
        sorted(view.optimal),
        palette,
        paper=[(k, min(lower / upper, 1.0)) for k, lower, upper in chances if upper],
    )


def _draw_gap(
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
        The same for the best component and the paper's own ceiling, which holds with some
        probability.
    """
    figure.update_layout(yaxis={"domain": UPPER}, yaxis2={"domain": LOWER, "anchor": "x"})
    figure.layout.xaxis.anchor = "y2"
    # No gap counts as smaller than a closed one: rounding errors would otherwise stretch an axis of powers.
    seen = [1 - share for points in (*shares.values(), best, paper) for _, share in points]
    missing = [max(gap, CLOSED) for gap in seen]
    log = bool(missing) and max(missing) / min(missing) > WIDE
    if paper:
        _add_area(figure, paper, log, PAPER_FILL, "the paper's gap (not proven)", palette.paper_bound)
    _add_area(figure, best, log, palette.band, "the optimum lies in here", palette.ceiling)
    for i, (method, points) in enumerate(shares.items()):
        _add_shares(figure, method, points, i, log, palette)
    _add_closed(figure, [(k, share) for k, share in best if k in set(optimal)], log, palette)
    _set_axis(figure, max(missing, default=LEAST_SHOWN), log)


def _add_shares(
    figure: go.Figure, method: str, points: Sequence[tuple[int, float]], i: int, log: bool, palette: Palette
) -> None:
    """Draw the share of the possible that one method is proven to keep."""
    figure.add_scatter(
        x=[k for k, _ in points],
        y=[_depth(share, log) for _, share in points],
        yaxis="y2",
        name=method,
        showlegend=False,
        mode="lines+markers",
        cliponaxis=False,
        **_look(i, palette),
        customdata=[[k, method, math.floor(1e4 * share) / 100] for k, share in points],
        unselected={"marker": {"opacity": 1}},
        hovertemplate="k = %{x}<br>keeps at least %{customdata[2]:.2f} %<extra>" + method + "</extra>",
    )


def _add_closed(figure: go.Figure, closed: Sequence[tuple[int, float]], log: bool, palette: Palette) -> None:
    """Ring the k that are proven optimal."""
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


def _add_rings(figure: go.Figure, palette: Palette, ks: list[int], values: list[float]) -> None:
    """Mark the k at which the best found is proven to be the best possible."""
    figure.add_scatter(
        x=ks,
        y=values,
        mode="markers",
        name="proven optimal (to 1 part in 10,000)",
        cliponaxis=False,
        marker={"size": 15, "symbol": "circle-open", "color": palette.proven, "line": {"width": 2}},
        hoverinfo="skip",
    )


def _probable(certificate: Certificate) -> Bound | None:
    """Return the least bound that only holds with a probability, if one was tried."""
    return min((b for b in certificate.bounds if not b.deterministic), key=lambda b: b.value, default=None)


def _add_band(figure: go.Figure, palette: Palette, ks: list[int], lowest: list[float], ceilings: list[float]) -> None:
    """Shade between the best variance known and the proven ceiling."""
    figure.add_scatter(
        x=ks + ks[::-1],
        y=ceilings + lowest[::-1],
        fill="toself",
        fillcolor=palette.band,
        mode="lines",
        line={"width": 0},
        name="the optimum lies in here (proven at each mark)",
        hoverinfo="skip",
    )
    kept = [100 * low / high if high else 100.0 for low, high in zip(lowest, ceilings, strict=True)]
    figure.add_scatter(
        x=ks,
        y=ceilings,
        mode="markers+lines",
        name="proven ceiling",
        line={"color": palette.ceiling, "width": 1, "dash": "dot"},
        marker={
            "symbol": "line-ew",
            "size": 11,
            "color": palette.ceiling,
            "line": {"width": 3, "color": palette.ceiling},
        },
        customdata=list(zip(floors(kept, 1), ceils(ceilings, 4), strict=True)),
        hovertemplate="k = %{x}<br>no component can pass %{customdata[1]:.4f}"
        "<br>the best found keeps ≥ %{customdata[0]:.1f} %<extra>proven</extra>",
    )


def _add_paper(
    figure: go.Figure,
    palette: Palette,
    ks: list[int],
    lowest: list[float],
    bounds: list[Bound | None],
    leading: float,
) -> None:
    """Outline the paper's own band, which holds with some probability only."""
    tried = [(k, f, bound) for k, f, bound in zip(ks, lowest, bounds, strict=True) if bound is not None]
    if not tried:
        return
    known = [(k, f, bound.value / leading) for k, f, bound in tried]
    chance = odds(min(bound.probability for _, _, bound in tried))
    x = [k for k, _, _ in known]
    figure.add_scatter(
        x=x + x[::-1],
        y=[v for _, _, v in known] + [f for _, f, _ in known][::-1],
        fill="toself",
        fillcolor=PAPER_FILL,
        mode="lines",
        line={"width": 0},
        name="the paper's band",
        showlegend=False,
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=x,
        y=[v for _, _, v in known],
        mode="lines+markers",
        name=f"the paper's band (holds with {chance} at each mark, not proven)",
        line={"color": palette.paper_bound, "width": 1.5, "dash": "dash"},
        marker={"size": 5, "symbol": "circle-open"},
        hovertemplate="k = %{x}<br>the paper's ceiling %{y:.4f}<extra>with a probability</extra>",
    )
