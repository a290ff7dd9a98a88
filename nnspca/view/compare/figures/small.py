"""One data set of a comparison: five small panels, whose axes are the same for every data set beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nnspca.result import SweepPoint
from nnspca.solvers.registry import METHODS
from nnspca.studies.comparison import SPECTRUM, Profile
from nnspca.view import sanitize
from nnspca.view.figures.style import DASHES, LEGEND_DROP, LEGEND_ROW, SYMBOLS, Palette, dress, set_axes
from nnspca.view.words import floor

PANELS = (
    f"λ<sub>i</sub> ÷ λ<sub>1</sub>, i = 1 … {SPECTRUM}",
    "Proven share of the optimum, live",
    "Variance ÷ λ<sub>1</sub>",
    "Features used ÷ n",
    "Seconds of the live run",
)
EIGENVALUES, PROMISED, PROVEN = "eigenvalues", "promised by Theorem 1 of Asteris et al. (2014)", "proven, live"
BAND, PROOF_SECONDS = "the optimum lies in here", "the proof (seconds)"
PANEL = 178  # pixels
WIDE = 50  # letters of a title that fit over half a page
SMALLEST = 1e-3  # eigenvalues below are drawn no lower
BRIEFEST = 1e-3  # seconds below are drawn no lower
GLYPHS = ("●", "◇", "□", "△", "✛", "✕")  # the SYMBOLS of the look, as letters
TICKS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
POWERS = tuple(10.0**e for e in range(-3, 5))


Ranges = tuple[tuple[float, float], tuple[float, float]]  # ends of the axes of k ÷ n and of seconds


def ranges(pairs: Iterable[tuple[Profile, SweepPoint]], shares: Sequence[float]) -> Ranges:
    """Return axes that hold every point, and the shares that are still to come."""
    least, seconds = min(shares), [0.01, 1.0]
    for about, point in pairs:
        least = min(least, point.component.cardinality / about.n_features, point.k / about.n_features)
        seconds += [point.component.seconds, *([point.certificate.seconds] if point.certificate else [])]
    return (least / 1.3, 1.3), (max(min(seconds), BRIEFEST) / 2, max(seconds) * 2)


def compared(
    about: Profile,
    points: Sequence[SweepPoint],
    methods: Sequence[str],
    within: Ranges,
    palette: Palette,
) -> go.Figure:
    """Draw one data set's five panels."""
    figure = make_subplots(rows=len(PANELS), cols=1, subplot_titles=PANELS, vertical_spacing=0.075)
    points = sorted(points, key=lambda p: p.k)
    _spectrum(figure, about, palette)
    _bounds(figure, about, points, palette)
    _solvers(figure, about, points, methods, palette)
    named = 5 + len(methods)
    name = sanitize.line(about.title)
    title = "<br>".join(map(sanitize.label, textwrap.wrap(name, WIDE, max_lines=2)))
    alt = (
        f"{name}: spectrum, promised and proven share of the optimum, variance, features used and seconds, "
        f"for {len({p.k for p in points})} values of k and {', '.join(METHODS[method].title for method in methods)}."
    )
    height = PANEL * len(PANELS) + LEGEND_DROP + LEGEND_ROW * named
    dress(figure, palette, title=title, alt=alt, height=height, legend_rows=named)
    set_axes(figure, "x", only=1, range=[0.5, SPECTRUM + 0.5], tickvals=[1, 5, 10, 15, 20])
    share, seconds = np.log10(within).tolist()
    for row in range(2, len(PANELS) + 1):
        set_axes(figure, "x", only=row, type="log", range=share, tickvals=TICKS, ticktext=[f"{t:g}" for t in TICKS])
    set_axes(figure, "x", only=len(PANELS), title_text="k ÷ n")
    powers = {"tickvals": POWERS, "ticktext": [f"{p:g}" for p in POWERS]}
    set_axes(figure, "y", only=1, type="log", range=[float(np.log10(SMALLEST)), 0.1], **powers)
    set_axes(figure, "y", only=2, range=[0, 1.06])
    set_axes(figure, "y", only=3, range=[0, 1.06])
    set_axes(figure, "y", only=4, type="log", range=share, tickvals=TICKS, ticktext=[f"{t:g}" for t in TICKS])
    set_axes(figure, "y", only=5, type="log", range=seconds, **powers)
    figure.update_annotations(font_size=13, x=0, xanchor="left")
    if not palette.dark:  # as in dress: the page's own light grey is too faint to project
        figure.update_annotations(font_color=palette.quiet)
    figure.layout.margin.t = 82
    return figure


def _add(figure: go.Figure, row: int, name: str, x: Sequence, y: Sequence, hover: str = "", **look: Any) -> None:
    """Add a line to a panel; ``hover`` is what stands at a point under the pointer."""
    look = {"mode": "lines+markers", "name": name, "hoverinfo": None if hover else "skip"} | look
    figure.add_scatter(x=x, y=y, hovertemplate=hover or None, row=row, col=1, **look)


def _spectrum(figure: go.Figure, about: Profile, palette: Palette) -> None:
    values = np.maximum(about.spectrum, SMALLEST).tolist()
    hover = "eigenvalue %{x}<br>%{y:.3g} of the first<extra></extra>"
    look = {"line": {"color": palette.ink, "width": 1.5}, "marker": {"size": 5, "color": palette.ink}}
    _add(figure, 1, EIGENVALUES, list(range(1, len(values) + 1)), values, hover, **look)


def _bounds(figure: go.Figure, about: Profile, points: Sequence[SweepPoint], palette: Palette) -> None:
    """Draw what Theorem 1 promises, what is proven, the band of the variance, and the seconds of the proof."""
    n = about.n_features
    grid = sorted({max(1, round(n * share)) for share in np.geomspace(0.01, 1.0, 25)})
    proofs = {p.k: p.certificate for p in points if p.certificate is not None}
    xs, ks = [k / n for k in proofs], {"customdata": [[k, floor(100 * proof.ratio, 2)] for k, proof in proofs.items()]}
    hover = "k ÷ n = %{x:.3g}<br>Theorem 1 promises %{y:.3f} (best of d = 1 … 10)<extra></extra>"
    line = {"color": palette.paper_bound, "dash": "dash", "width": 2}
    _add(figure, 2, PROMISED, [k / n for k in grid], [about.promised(k) for k in grid], hover, mode="lines", line=line)
    hover = "k = %{customdata[0]:,}<br>proven: at least %{customdata[1]:.2f} % of the optimum<extra></extra>"
    look: dict[str, Any] = {"line": {"color": palette.proven, "width": 2}, "marker": {"size": 8, "symbol": "star"}}
    _add(figure, 2, PROVEN, xs, [proof.ratio for proof in proofs.values()], hover, **look, **ks)
    high, low = [p.upper / about.leading for p in proofs.values()], [p.lower / about.leading for p in proofs.values()]
    look = {"fill": "toself", "fillcolor": palette.band, "line": {"width": 0}}
    _add(figure, 3, BAND, xs + xs[::-1], high + low[::-1], mode="lines", **look)
    hover = "k = %{customdata[0]:,}: proven in %{y:.3g} s<extra></extra>"
    mark = {"size": 7, "symbol": "line-ew", "line": {"width": 2.5, "color": palette.upper_bound}}
    look = {"line": {"color": palette.upper_bound, "dash": "dot", "width": 1.5}, "marker": mark}
    _add(figure, 5, PROOF_SECONDS, xs, [max(p.seconds, BRIEFEST) for p in proofs.values()], hover, **look, **ks)


def _solvers(
    figure: go.Figure, about: Profile, points: Sequence[SweepPoint], methods: Sequence[str], palette: Palette
) -> None:
    """Draw the variance of each solver, how many of the features allowed it used, and its seconds."""
    n, even = about.n_features, {"color": palette.quiet, "dash": "dot", "width": 1}
    _add(figure, 4, "all that k allows", [0.001, 1], [0.001, 1], mode="lines", line=even, showlegend=False)
    for i, method in enumerate(methods):
        mine, name = [p for p in points if p.method == method], METHODS[method].title
        colour = palette.series[i % len(palette.series)]
        look = {
            "line": {"color": colour, "dash": DASHES[i % len(DASHES)], "width": 2},
            "marker": {"size": 8, "symbol": SYMBOLS[i % len(SYMBOLS)], "color": colour, "line": {"width": 2}},
            "customdata": [[p.k, p.component.cardinality] for p in mine],
        }
        for row, values, hover in (
            (
                3,
                [p.component.variance / about.leading for p in mine],
                "k = %{customdata[0]:,}<br>variance ÷ λ₁ = %{y:.4f}",
            ),
            (4, [p.component.cardinality / n for p in mine], "%{customdata[1]:,} features used of %{customdata[0]:,}"),
            (5, [max(p.component.seconds, BRIEFEST) for p in mine], "k = %{customdata[0]:,}: %{y:.3g} s"),
        ):
            at = [p.k / n for p in mine]
            _add(figure, row, name, at, values, f"{hover}<extra>{name}</extra>", showlegend=row == 3, **look)


def bare(figure: go.Figure) -> go.Figure:
    """Return the figure without its legend, for a page that shows one :func:`legend` for all data sets."""
    spare = figure.layout.margin.b - LEGEND_DROP
    return go.Figure(figure).update_layout(showlegend=False, height=figure.layout.height - spare, margin_b=LEGEND_DROP)


def legend(methods: Sequence[str], palette: Palette) -> str:
    """Return one legend for every data set, as HTML whose entries wrap on a narrow page."""
    entries = [
        *(
            (METHODS[method].title, f"─{GLYPHS[i % len(GLYPHS)]}─", palette.series[i % len(palette.series)])
            for i, method in enumerate(methods)
        ),
        (PROVEN, "─★─", palette.proven),
        (PROMISED, "╌╌╌", palette.paper_bound),
        (BAND, "■■", palette.band),
        (PROOF_SECONDS, "┄|┄", palette.upper_bound),
        (EIGENVALUES, "─●─", palette.ink),
    ]
    shown = "".join(
        f'<span style="white-space:nowrap"><span aria-hidden="true" style="color:{colour}">{sign}</span> {name}</span>'
        for name, sign, colour in entries
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:0.2rem 1.2rem;font-size:0.9rem">{shown}</div>'
