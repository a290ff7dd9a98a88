"""Data sets in one band figure: variance explained and the gap to the best possible, by share of the features."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from nnspca.view import sanitize
from nnspca.view.compare.figures.small import TICKS
from nnspca.view.figures import band as common
from nnspca.view.figures.band import Band
from nnspca.view.figures.style import DASHES, Palette, dress, rgba, shade
from nnspca.view.words import ceil, floor

LIVE = "this live run"
LEGEND_ROWS = 3  # more would be a hole below the figure on a wide screen
OPACITY = 0.3  # of a band in the colour of its data set


@dataclass(frozen=True, eq=False)
class Shown:
    """One data set of the figure."""

    title: str
    n: int  # number of features
    band: Band  # what is known by k, as shares of λ₁
    # by k: variance and upper bound of the live run, as shares of λ₁; the bound is infinite where it has none yet
    live: Mapping[int, tuple[float, float]]


def compared(sets: Sequence[Shown], palette: Palette) -> go.Figure:
    """Draw the two panels: for each data set a line and a band of what is known, open marks for the live run."""
    figure = go.Figure()
    for i, shown in enumerate(sets):
        _add_known(figure, shown, i, palette)
    for i, shown in enumerate(sets):
        _add_live(figure, shown, i, palette)
    if any(shown.live for shown in sets):
        look = {"symbol": "circle-open", "size": 11, "color": palette.quiet, "line": {"width": 2}}
        figure.add_scatter(x=[None], y=[None], mode="markers", name=LIVE, marker=look)
    gaps = [gap for shown in sets for gap in (*shown.band.gaps.values(), *_live_gaps(shown).values())]
    least = min((at / shown.n for shown in sets for at in (*shown.band.at, *shown.live)), default=0.02)
    title = "Variance, and the gap to the best possible"
    dress(
        figure,
        palette,
        title=title,
        alt=f"{title}, by k ÷ n. {'; '.join(map(_description, sets))}.",
        height=common.HEIGHT,
        legend_rows=min(len(sets) + 1, LEGEND_ROWS),
        x={
            "title_text": "k ÷ n (log scale)",
            "anchor": "y2",
            "type": "log",
            "range": [math.log10(least / 1.3), math.log10(1.3)],
            "tickvals": TICKS,
            "ticktext": [f"{t:g}" for t in TICKS],
        },
    )
    figure.layout.legend.tracegroupgap = 0
    figure.update_layout(
        yaxis={"domain": common.UPPER, "title_text": "% of λ₁", "rangemode": "tozero"},
        yaxis2=common.gap_axis(max(gaps, default=0.1)),
    )
    return figure


def _description(shown: Shown) -> str:
    gaps = shown.band.gaps
    least = f"gap at most {ceil(100 * max(gaps.values()), 2):g} %" if gaps else "no upper bound yet"
    return f"{sanitize.line(shown.title)}: {least} at {len(gaps)} values of k"


def _live_gaps(shown: Shown) -> dict[int, float]:
    return {k: common.gap(low, high) for k, (low, high) in shown.live.items() if math.isfinite(high)}


def _add_known(figure: go.Figure, shown: Shown, i: int, palette: Palette) -> None:
    """Draw the line and the band of one data set, and below the gaps that were proven at their own k."""
    band, colour, name = shown.band, palette.series[i % len(palette.series)], sanitize.label(shown.title)
    rows = [row for row in zip(band.at, band.lower, band.upper, strict=True) if math.isfinite(row[2])]
    high, low = ([(row[0] / shown.n, 100 * row[end]) for row in rows] for end in (2, 1))
    shade(figure, high, low, rgba(colour, OPACITY), showlegend=False)
    gaps = {at: gap for at, gap in band.gaps.items() if at in band.proven}
    line = {"color": colour, "dash": DASHES[i % len(DASHES)], "width": 2}
    look = {"mode": "lines+markers", "line": line, "marker": {"size": 5, "color": colour}}
    _add_both(figure, shown, dict(zip(band.at, band.lower, strict=True)), gaps, "", name=name, **look)


def _add_live(figure: go.Figure, shown: Shown, i: int, palette: Palette) -> None:
    """Mark what the live run has found: the variance above, its own gap below."""
    ring = {"size": 11, "symbol": "circle-open", "color": palette.series[i % len(palette.series)], "line": {"width": 2}}
    look = {"marker": ring, "showlegend": False}
    variances = {k: low for k, (low, _) in shown.live.items()}
    _add_both(figure, shown, variances, _live_gaps(shown), "live: ", mode="markers", **look)


def _add_both(
    figure: go.Figure, shown: Shown, variances: Mapping[int, float], gaps: Mapping[int, float], word: str, **look: Any
) -> None:
    """Draw variances in the upper panel and gaps in the lower one; ``word`` stands before their numbers."""
    title = sanitize.label(shown.title)
    look |= {"legendgroup": title, "cliponaxis": False}
    of = f"k = %{{customdata[0]:,}} of {shown.n:,}<br>{word}"
    figure.add_scatter(
        x=[k / shown.n for k in variances],
        y=[100 * low for low in variances.values()],
        customdata=[[k, floor(100 * low, 2)] for k, low in variances.items()],
        hovertemplate=f"{of}explains %{{customdata[1]:.2f}} % of λ₁<extra>{title}</extra>",
        **look,
    )
    figure.add_scatter(
        x=[k / shown.n for k in gaps],
        y=[common.place(gap) for gap in gaps.values()],
        yaxis="y2",
        customdata=[[k, ceil(100 * gap, 4)] for k, gap in gaps.items()],
        hovertemplate=f"{of}gap at most %{{customdata[1]:.4f}} %<extra>{title}</extra>",
        **look | {"showlegend": False},
    )
