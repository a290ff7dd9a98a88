"""Every upper bound as a thin line of its own: along a curve, against the best found, and the paper's own band."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import plotly.graph_objects as go

from nnspca.bounds.registry import BOUNDS
from nnspca.result import Bound, Certificate
from nnspca.view.figures.style import DASHES, LEGEND_ROW, Palette, dress, names, shade
from nnspca.view.words import ceil, odds, title

PAPER_FILL = "rgba(163, 71, 138, 0.13)"
LEAST = 1e-9  # relative difference below which two bounds are as good


def add_lines(
    figure: go.Figure,
    certificates: Mapping[int, Certificate],
    leading: float,
    palette: Palette,
) -> None:
    """Draw one thin line a bound over k, with a dot at each k where it is the lowest proven."""
    before = len(names(figure))
    add_curves(
        figure,
        certificates,
        palette,
        lambda bound, certificate: ceil(100 * bound.value / leading, 2),
        "at most %{y:.2f} % of λ₁",
    )
    more = LEGEND_ROW * max(-(-len(names(figure)) // 2) + 1 - before, 0)  # rows of the legend, about
    figure.layout.height += more
    figure.layout.margin.b += more
    figure.layout.legend.maxheight += more


def add_curves(
    figure: go.Figure,
    certificates: Mapping[int, Certificate],
    palette: Palette,
    height: Callable[[Bound, Certificate], float],
    says: str,
) -> None:
    """Draw one thin line a bound, always in the same colour, with a dot wherever it is the lowest proven."""
    tried = {b.name for c in certificates.values() for b in c.bounds}
    known = [*(name for name in BOUNDS if name in tried), *sorted(tried - BOUNDS.keys())]
    ranks = {name: i for i, name in enumerate(BOUNDS)}
    for name in known:
        i = ranks.get(name, len(ranks))
        bounds = {k: b for k, c in sorted(certificates.items()) for b in c.bounds if b.name == name}
        wins = {k for k, b in bounds.items() if b.value <= certificates[k].winner.value * (1 + LEAST)}
        figure.add_scatter(
            x=list(bounds),
            y=[height(b, certificates[k]) for k, b in bounds.items()],
            name=title(name),
            mode="lines+markers",
            line={
                "color": palette.series[i % len(palette.series)],
                "width": 1.4,
                "dash": DASHES[(i // len(palette.series) + i) % len(DASHES)],
            },
            marker={"size": [9 if k in wins else 0 for k in bounds], "symbol": "circle", "line": {"width": 0}},
            customdata=[["<br>the lowest here" if k in wins else ""] for k in bounds],
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
    lowest = "; ".join(f"{title(name)} at k = {', '.join(map(str, where))}" for name, where in wins.items())
    rows = -(-len(figure.data) // 2)
    heading = "How near the best found comes to each upper bound"
    height = 380 + LEGEND_ROW * rows
    return dress(
        figure,
        palette,
        title=heading,
        alt=f"{heading}. The lowest: {lowest}.",
        height=height,
        legend_rows=rows,
        k_axis=(ks, log),
        y={"title_text": "best found ÷ upper bound (%)", "range": [0, 103]},
    )


def add_paper(
    figure: go.Figure, bounds: Mapping[int, Bound], lower: Mapping[int, float], leading: float, palette: Palette
) -> None:
    """Outline the band of Asteris et al. (2014), which holds with some probability only."""
    ks = sorted(bounds.keys() & lower.keys())
    if not ks:
        return
    chance = odds(min(bounds[k].probability for k in ks))
    upper = [(k, 100 * bounds[k].value / leading) for k in ks]
    shade(figure, upper, [(k, 100 * lower[k] / leading) for k in ks], PAPER_FILL, showlegend=False)
    figure.add_scatter(
        x=[k for k, _ in upper],
        y=[share for _, share in upper],
        mode="lines+markers",
        name=f"the paper's upper bound ({chance}, not proven)",
        line={"color": palette.paper_bound, "width": 1.5, "dash": "dash"},
        marker={"size": 5, "symbol": "circle-open"},
        hovertemplate="k = %{x}<br>the paper's upper bound %{y:.2f} % of λ₁<extra>not proven</extra>",
    )
