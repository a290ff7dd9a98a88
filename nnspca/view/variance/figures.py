"""Variance against k with the band where the optimum must lie, the gap below it, and the race of the ceilings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

from nnspca.result import Bound, Certificate, SweepPoint
from nnspca.view.figures.ceilings import add_curves, add_lines
from nnspca.view.figures.gap import add_gap
from nnspca.view.figures.style import DASHES, LEGEND_ROW, SYMBOLS, Palette, dress
from nnspca.view.words import ceil, floor, odds
from nnspca.view.words import title as title_of


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
    floors = [certificates[k].lower / leading for k in proven]
    figure = go.Figure()
    if proven and paper:
        _add_paper(figure, palette, proven, floors, [_probable(certificates[k]) for k in proven], leading)
    if proven:
        _add_band(figure, palette, proven, floors, [certificates[k].upper / leading for k in proven])
    if proven and view.bounds:
        add_lines(figure, {k: certificates[k] for k in proven}, leading, palette)
    for i, method in enumerate(view.methods):
        mine = [p for p in points if p.method == method]
        figure.add_scatter(
            x=[p.k for p in mine],
            y=[p.component.variance / leading for p in mine],
            name=method,
            mode="lines+markers",
            line={
                "color": palette.series[i % len(palette.series)],
                "dash": DASHES[i % len(DASHES)],
                "width": 2,
            },
            cliponaxis=False,
            marker={"size": 6 + 2 * min(i, 2), "symbol": SYMBOLS[i % len(SYMBOLS)], "line": {"width": 1.5}},
            customdata=[[p.k, method, floor(p.component.variance / leading, 4)] for p in mine],
            unselected={"marker": {"opacity": 1}},
            hovertemplate="k = %{x}<br>variance ÷ λ₁ = %{customdata[2]:.4f}<br>click to see it<extra>"
            + method
            + "</extra>",
        )
    optimal = sorted(view.optimal)
    if optimal:
        _add_rings(figure, palette, optimal, [certificates[k].lower / leading for k in optimal])
    for p in points:
        if (p.k, p.method) == chosen:
            figure.add_scatter(
                x=[p.k],
                y=[p.component.variance / leading],
                mode="markers",
                name="chosen",
                showlegend=False,
                marker={"size": 20, "symbol": "circle-open", "color": palette.ink, "line": {"width": 2.5}},
                hoverinfo="skip",
            )
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
    )
    figure.update_yaxes(title_text="variance ÷ λ₁", range=[0, 1.04])
    _add_gap(figure, view, palette, paper=paper)
    return figure


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
    add_gap(
        figure,
        shares,
        [(k, min(c.ratio, 1.0)) for k, c in held],
        sorted(view.optimal),
        palette,
        paper=[(k, min(lower / upper, 1.0)) for k, lower, upper in chances if upper],
    )


def _add_rings(figure: go.Figure, palette: Palette, ks: list[int], values: list[float]) -> None:
    """Mark the k at which the best found is proven to be the best possible."""
    figure.add_scatter(
        x=ks,
        y=values,
        mode="markers",
        name="proven optimal (to 1 part in 10,000)",
        marker={"size": 15, "symbol": "circle-open", "color": palette.proven, "line": {"width": 2}},
        hoverinfo="skip",
    )


def _probable(certificate: Certificate) -> Bound | None:
    """Return the least bound that only holds with a probability, if one was tried."""
    return min((b for b in certificate.bounds if not b.deterministic), key=lambda b: b.value, default=None)


def _add_band(figure: go.Figure, palette: Palette, ks: list[int], floors: list[float], ceilings: list[float]) -> None:
    """Shade between the best variance known and the proven ceiling."""
    figure.add_scatter(
        x=ks + ks[::-1],
        y=ceilings + floors[::-1],
        fill="toself",
        fillcolor=palette.band,
        mode="lines",
        line={"width": 0},
        name="the optimum lies in here (proven at each mark)",
        hoverinfo="skip",
    )
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
        customdata=[
            [floor(100 * low / high, 1) if high else 100.0, ceil(high, 4)]
            for low, high in zip(floors, ceilings, strict=True)
        ],
        hovertemplate="k = %{x}<br>no component can pass %{customdata[1]:.4f}"
        "<br>the best found keeps ≥ %{customdata[0]:.1f} %<extra>proven</extra>",
    )


def _add_paper(
    figure: go.Figure,
    palette: Palette,
    ks: list[int],
    floors: list[float],
    bounds: list[Bound | None],
    leading: float,
) -> None:
    """Outline the paper's own band, which holds with some probability only."""
    tried = [(k, f, bound) for k, f, bound in zip(ks, floors, bounds, strict=True) if bound is not None]
    if not tried:
        return
    known = [(k, f, bound.value / leading) for k, f, bound in tried]
    chance = odds(min(bound.probability for _, _, bound in tried))
    x = [k for k, _, _ in known]
    figure.add_scatter(
        x=x + x[::-1],
        y=[v for _, _, v in known] + [f for _, f, _ in known][::-1],
        fill="toself",
        fillcolor="rgba(163, 71, 138, 0.13)",
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


def race(view: View, palette: Palette) -> go.Figure:
    """Draw the best found over each bound, against k: the highest line wins, 100 % closes the question."""
    figure, certificates = go.Figure(), view.certificates
    add_curves(
        figure,
        certificates,
        palette,
        lambda bound, certificate: 100 * min(certificate.lower / bound.value, 1.0),
        "the best found reaches %{y:.2f} % of it",
    )
    wins: dict[str, list[int]] = {}
    for k in sorted(certificates):
        wins.setdefault(certificates[k].winner.name, []).append(k)
    told = "; ".join(f"{title_of(name)} at k = {', '.join(map(str, where))}" for name, where in wins.items())
    rows = -(-len(figure.data) // 2)
    heading = "Who wins where: best found ÷ each ceiling"
    height = 380 + LEGEND_ROW * rows
    dress(
        figure,
        palette,
        title=heading,
        alt=f"{heading}. The lowest: {told}.",
        height=height,
        legend_rows=rows,
        k_axis=(view.ks, view.log),
    )
    figure.update_yaxes(title_text="reached (%)", range=[0, 103])
    return figure
