"""Variance against the number of nonzero loadings, with the band where the optimum must lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import plotly.graph_objects as go

from nnspca.result import SweepPoint
from nnspca.view.figures.ceilings import add_lines
from nnspca.view.figures.look import DASHES, LEGEND_ROW, SYMBOLS, Palette, dress, set_k_axis
from nnspca.view.words import proven_optimal


def variance(
    points: Iterable[SweepPoint],
    leading: float,
    palette: Palette,
    *,
    methods: Sequence[str],
    ks: Sequence[int],
    log: bool = True,
    paper: bool = False,
    bounds: bool = False,
    chosen: tuple[int, str] | None = None,
) -> go.Figure:
    """Draw one curve a method and the certified band; the band is proven at the marked k only.

    With ``bounds`` every upper bound gets a thin line of its own.
    """
    points = sorted(points, key=lambda p: p.k)
    certificates = {p.k: p.certificate for p in points if p.certificate is not None}
    proven = sorted(certificates)
    floors = [certificates[k].lower / leading for k in proven]
    figure = go.Figure()
    if proven and paper:
        _add_paper(figure, palette, proven, floors, [_probable(certificates[k]) for k in proven], leading)
    if proven:
        _add_band(figure, palette, proven, floors, [certificates[k].upper / leading for k in proven])
    if proven and bounds:
        add_lines(figure, {k: certificates[k] for k in proven}, leading, palette)
    for i, method in enumerate(methods):
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
            marker={"size": 9 + 2 * min(i, 2), "symbol": SYMBOLS[i % len(SYMBOLS)], "line": {"width": 2}},
            customdata=[[f"{p.k} · {method}"] for p in mine],
            unselected={"marker": {"opacity": 1}},
            hovertemplate="k = %{x}<br>variance ÷ λ₁ = %{y:.4f}<br>click to see it<extra>" + method + "</extra>",
        )
    optimal = [k for k in proven if proven_optimal(certificates[k].lower, certificates[k].upper)]
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
        f"{title}: {len(points)} points for {', '.join(methods)}; "
        f"{len(proven)} of {len(ks)} values of k have a proven band around the optimum, "
        f"{len(optimal)} of them closed: proven optimal."
    )
    named = sum(trace.name is not None and trace.showlegend is not False for trace in figure.data)
    rows = named if named < 7 else -(-named // 2)  # long legends: two a line, as all but phones have room for
    dress(figure, palette, title=title, alt=alt, height=480 + LEGEND_ROW * max(rows - 4, 0), legend_rows=rows)
    figure.update_yaxes(title_text="variance ÷ λ₁", range=[0, 1.04])
    set_k_axis(figure, ks, log)
    return figure


def _add_rings(figure: go.Figure, palette: Palette, ks: list[int], values: list[float]) -> None:
    """Mark the k at which the best found is proven to be the best possible."""
    figure.add_scatter(
        x=ks,
        y=values,
        mode="markers",
        name="proven optimal (to 1 part in 10,000)",
        marker={"size": 19, "symbol": "circle-open", "color": palette.proven, "line": {"width": 2.5}},
        hoverinfo="skip",
    )


def _probable(certificate) -> float | None:
    """Return the least bound that only holds with a probability, if one was tried."""
    values = [b.value for b in certificate.bounds if not b.deterministic]
    return min(values) if values else None


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
            "size": 13,
            "color": palette.ceiling,
            "line": {"width": 3, "color": palette.ceiling},
        },
        customdata=[[floor / ceiling if ceiling else 1.0] for floor, ceiling in zip(floors, ceilings, strict=True)],
        hovertemplate="k = %{x}<br>no component can pass %{y:.4f}"
        "<br>the best found keeps ≥ %{customdata[0]:.1%}<extra>proven</extra>",
    )


def _add_paper(
    figure: go.Figure,
    palette: Palette,
    ks: list[int],
    floors: list[float],
    values: list[float | None],
    leading: float,
) -> None:
    """Outline the paper's own band, which holds with some probability only."""
    known = [(k, f, v / leading) for k, f, v in zip(ks, floors, values, strict=True) if v is not None]
    if not known:
        return
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
        name="the paper's band (holds with probability 1 − 1/n, not proven)",
        line={"color": palette.paper_bound, "width": 1.5, "dash": "dash"},
        marker={"size": 5, "symbol": "circle-open"},
        hovertemplate="k = %{x}<br>the paper's ceiling %{y:.4f}<extra>with a probability</extra>",
    )
