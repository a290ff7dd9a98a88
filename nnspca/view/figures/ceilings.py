"""Every upper bound as a thin line of its own: in rows below a gauge, along a curve, and in a race of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import plotly.graph_objects as go

from nnspca.bounds.registry import BOUNDS
from nnspca.result import Bound, Certificate
from nnspca.view.figures.style import DASHES, LEGEND_ROW, Palette, dress
from nnspca.view.words import at_most, ceil, odds, title

ROW = 30  # pixels a bound takes below a gauge
LEAST = 1e-9  # relative difference below which two bounds are as good


def order(bounds: Sequence[Bound]) -> list[Bound]:
    """Return bounds from the lowest to the highest."""
    return sorted(bounds, key=lambda b: b.value)


def add_rows(
    figure: go.Figure, bounds: Sequence[Bound], leading: float, found: float, palette: Palette, right: float
) -> str:
    """Draw one row a bound on the third y axis, the lowest on top; return them in words.

    A bound beyond ``right`` runs off the edge and is told as a number.
    """
    rows = order(bounds)
    winner = next((b.name for b in rows if b.deterministic), None)
    for i, bound in enumerate(rows):
        share, wins = bound.value / leading, bound.name == winner
        colour = palette.ceiling if wins else palette.quiet if bound.deterministic else palette.paper_bound
        words = f"<b>{title(bound.name)}</b>, the lowest proven" if wins else title(bound.name)
        held = "proven" if bound.deterministic else f"holds with {odds(bound.probability)}, not proven"
        away = " →" if share > right else ""
        figure.add_scatter(
            x=[0, min(share, right)],
            y=[-i, -i],
            yaxis="y3",
            mode="lines+markers",
            name=title(bound.name),
            showlegend=False,
            line={"color": colour, "width": 3 if wins else 1.5, "dash": "solid" if bound.deterministic else "dot"},
            marker={"symbol": "line-ns", "size": [0, 0 if away else 13], "line": {"width": 3, "color": colour}},
            hovertemplate=f"{title(bound.name)}: {at_most(share, 4)} of λ₁<br>{held}<extra></extra>",
        )
        figure.add_annotation(
            x=0,
            y=-i,
            yref="y3",
            xanchor="left",
            yanchor="bottom",
            yshift=-1,
            text=f"{words}  {at_most(share, 4)}{away}",
            showarrow=False,
            font={"size": 12, "color": colour},
        )
    figure.add_scatter(
        x=[found / leading] * 2,
        y=[1, -len(rows)],
        yaxis="y3",
        mode="lines",
        showlegend=False,
        line={"color": palette.found, "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
    return "; every ceiling, lowest first: " + ", ".join(
        f"{title(b.name)} {at_most(b.value / leading, 3)}" for b in rows
    )


def add_lines(figure: go.Figure, certificates: Mapping[int, Certificate], leading: float, palette: Palette) -> None:
    """Draw one thin line a bound over k, with a dot at each k where it is the lowest proven."""
    add_curves(
        figure, certificates, palette, lambda bound, certificate: ceil(bound.value / leading, 4), "%{y:.4f} of λ₁"
    )


def add_curves(
    figure: go.Figure,
    certificates: Mapping[int, Certificate],
    palette: Palette,
    height: Callable[[Bound, Certificate], float],
    says: str,
) -> None:
    """Draw one thin line a bound, always in the same colour, with a dot wherever it is the lowest proven."""
    tried = {b.name: b.deterministic for c in certificates.values() for b in c.bounds}
    known = [*(name for name in BOUNDS if name in tried), *(name for name in tried if name not in BOUNDS)]
    ranks = {name: i for i, name in enumerate(BOUNDS)}
    for name in known:
        i = ranks.get(name, len(ranks))
        held = {k: b for k, c in sorted(certificates.items()) for b in c.bounds if b.name == name}
        wins = {k for k, b in held.items() if tried[name] and b.value <= certificates[k].winner.value * (1 + LEAST)}
        figure.add_scatter(
            x=list(held),
            y=[height(b, certificates[k]) for k, b in held.items()],
            name=title(name) if tried[name] else f"{title(name)} (not proven)",
            mode="lines+markers",
            line={
                "color": palette.series[i % len(palette.series)] if tried[name] else palette.paper_bound,
                "width": 1.4,
                "dash": DASHES[(i // len(palette.series) + i) % len(DASHES)] if tried[name] else "dot",
            },
            marker={"size": [9 if k in wins else 0 for k in held], "symbol": "circle", "line": {"width": 0}},
            customdata=[["<br>the lowest here" if k in wins else ""] for k in held],
            hovertemplate="k = %{x}<br>" + says + "%{customdata[0]}<extra>" + title(name) + "</extra>",
        )


def race(certificates: Mapping[int, Certificate], ks: tuple[int, ...], palette: Palette, *, log: bool) -> go.Figure:
    """Draw the best found over each bound, against k: the highest line wins, 100 % closes the question."""
    figure = go.Figure()
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
    told = "; ".join(f"{title(name)} at k = {', '.join(map(str, where))}" for name, where in wins.items())
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
        k_axis=(ks, log),
        y={"title_text": "reached (%)", "range": [0, 103]},
    )
    return figure
