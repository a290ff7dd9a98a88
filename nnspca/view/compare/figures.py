"""Figures of the Compare page: solvers on one clock, and data sets in one band figure by share of the features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from nnspca.result import rounded
from nnspca.solvers.registry import METHODS
from nnspca.studies.racing import FINISHED, Lane, Race
from nnspca.view import sanitize
from nnspca.view.figures import band as common
from nnspca.view.figures.band import Band
from nnspca.view.figures.style import DASHES, LEGEND_ROW, Look, Palette, fill_between, rgba, set_axes, set_layout

PLOT = 395  # pixels, without the legend: on a usual screen that stands above the fold
BOUND, LOWEST, FLAG = "upper bound of this run", "lowest upper bound known", "finished"
EXTRA = 3  # entries of the legend besides the solvers
SHARE, FALL = (0.34, 1.0), (0.0, 0.2)  # what the panels take of the figure's height: solvers, and the upper bound
EARLIEST = 1e-4  # seconds; what comes sooner is drawn there
LEAST = 2.0  # per cent that the axis covers at least, below the upper bound
ROOM = 0.06  # of the axis' height, above the upper bound
DECADES = (0.0001, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
TICKS = tuple(sorted((*DECADES, *(3 * decade for decade in DECADES))))
WIDE = 3.0  # decades from which powers of ten alone are named: more would not fit a phone
SHARES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # of k ÷ n
LEGEND_ROWS = 3  # more would be a hole below the figure on a wide screen
OPACITY = 0.3  # of a band in the colour of its data set


def race_curves(standing: Race | None, names: Sequence[str], palette: Palette, upper: float) -> go.Figure:
    """Draw every solver's steps and the upper bound's.

    ``upper`` is the lowest upper bound known, of which all is a share. Without a ``standing``, or
    while it is infinite, the axes are drawn alone.
    """
    figure = go.Figure()
    title = "Proven share of the optimum, by seconds used"
    lanes = {} if standing is None else {lane.method: lane for lane in standing.lanes if lane.marks}
    is_drawable = standing is not None and math.isfinite(upper)
    if standing is not None and is_drawable:
        if standing.falls:
            _add_upper_bound(figure, standing, upper, palette)
        for i, name in enumerate(names):
            if name in lanes:
                _add_lane(figure, lanes[name], upper, i, palette)
        if standing.finished:
            look = {"size": 12, "symbol": "triangle-right", "color": palette.quiet}
            figure.add_scatter(x=[None], y=[None], mode="markers", name=FLAG, marker=look, hoverinfo="skip")
    rows = len(names) + EXTRA  # the same before any solver has started: nothing below jumps
    alt = f"{title}. {_description(standing, upper)}"
    set_layout(figure, palette, title=title, alt=alt, height=PLOT + LEGEND_ROW * rows, legend_rows=rows)
    _fit_axes(figure, standing if is_drawable else None, upper)
    if is_drawable:
        ends, line = [10**end for end in figure.layout.xaxis.range], {"color": palette.proven, "width": 1.5}
        figure.add_scatter(x=ends, y=[100, 100], mode="lines", name=LOWEST, line=line, hoverinfo="skip")
    return figure


def _add_lane(figure: go.Figure, lane: Lane, upper: float, i: int, palette: Palette) -> None:
    """Draw one solver's steps, on to where its clock stands; a flag says that it came to its end."""
    look = Look.of(lane.method, i, palette)
    shares = [100 * (mark.variance / upper) for mark in lane.marks]
    times = [max(mark.seconds, EARLIEST) for mark in lane.marks]
    flagged = lane.state == FINISHED
    figure.add_scatter(
        x=[*times, max(lane.seconds, times[-1])],
        y=[*shares, shares[-1]],
        name=METHODS[lane.method].title,
        mode="lines+markers",
        line={"color": look.colour, "dash": look.dash, "width": 2, "shape": "hv"},
        marker={
            "color": look.colour,
            "size": [6 if len(times) < 40 else 4] * len(times) + [14 if flagged else 1],
            "symbol": [look.symbol] * len(times) + ["triangle-right" if flagged else "line-ns"],
            "line": {"width": 1.5, "color": look.colour},
        },
        customdata=[
            [rounded.proven_share(variance, upper), rounded.seconds(spent)]
            for variance, spent in [*((m.variance, m.seconds) for m in lane.marks), (lane.variance, lane.seconds)]
        ],
        hovertemplate="%{customdata[1]}: %{customdata[0]}<extra>" + METHODS[lane.method].title + "</extra>",
    )


def _add_upper_bound(figure: go.Figure, standing: Race, upper: float, palette: Palette) -> None:
    """Draw in a panel of its own how far the bounds proven by this run are above the lowest known."""
    times = [max(fall.seconds, EARLIEST) for fall in standing.falls]
    above = [100 * (fall.upper / upper - 1) for fall in standing.falls]
    figure.add_scatter(
        x=[*times, max(standing.proof_seconds, times[-1])],
        y=[*above, above[-1]],
        yaxis="y2",
        name=BOUND,
        mode="lines+markers",
        line={"color": palette.upper_bound, "width": 2, "dash": "dot", "shape": "hv"},
        marker={"symbol": "line-ew", "size": 10, "line": {"width": 3, "color": palette.upper_bound}},
        text=[rounded.fixed(one, 2, up=True) for one in [*above, above[-1]]],
        hovertemplate="at %{x:.3g} s: proven upper bound, %{text} % above the lowest known<extra>upper bound</extra>",
    )


def _fit_axes(figure: go.Figure, standing: Race | None, upper: float) -> None:
    """Show the last step of every solver, and of the upper bound; what lies far below comes in from there."""
    first, last, ends = 1e-3, 1.0, [80.0]
    if standing is not None:
        marks = [mark.seconds for lane in standing.lanes for mark in lane.marks]
        clocks = [standing.proof_seconds, *(lane.seconds for lane in standing.lanes)]
        first = max(min([*marks, *(fall.seconds for fall in standing.falls)], default=1e-3), EARLIEST)
        last = max(*clocks, 10 * first)
        ends = [100 * (lane.variance / upper) for lane in standing.lanes if lane.marks] or ends
    ticks = DECADES if math.log10(last / first) > WIDE else TICKS
    bottom = max(100 - max(1.3 * (100 - min(ends)), LEAST), 0.0)
    set_axes(
        figure,
        "x",
        title_text="seconds used by each solver (log scale)",
        type="log",
        range=[math.log10(first / 1.3), math.log10(last * 1.35)],
        tickvals=ticks,
        ticktext=[f"{t:g}" for t in ticks],
        anchor="y2",
    )
    share = {"domain": SHARE, "title_text": "proven share of the optimum (%)", "zeroline": False}
    figure.update_layout(
        yaxis={**share, "range": [bottom, 100 + ROOM * (100 - bottom)]},
        yaxis2={"domain": FALL, "title_text": "bound, %<br>above lowest", "rangemode": "tozero", "nticks": 4},
    )


def _description(standing: Race | None, upper: float) -> str:
    if standing is None or not math.isfinite(upper):
        return "Nothing has been found yet."
    ways = (
        f"{METHODS[lane.method].title} at {rounded.ratio(lane.variance, upper)} after "
        f"{rounded.seconds(lane.marks[-1].seconds)}"
        for lane in standing.lanes
        if lane.marks
    )
    spent = rounded.seconds(standing.proof_seconds)
    return f"The upper bound fell {len(standing.falls)} times in {spent}; {'; '.join(ways)}."


@dataclass(frozen=True, eq=False)
class Shown:
    """One data set of the figure."""

    title: str
    n: int  # number of features
    band: Band  # what is known by k, as shares of the total variance


def sets_figure(sets: Sequence[Shown], palette: Palette) -> go.Figure:
    """Draw the two panels: for each data set a line and a band of what is known."""
    figure = go.Figure()
    for i, shown in enumerate(sets):
        _add_known(figure, shown, i, palette)
    gaps = [gap for shown in sets for gap in shown.band.gaps.values()]
    least = min((at / shown.n for shown in sets for at in shown.band.at), default=0.02)
    title = "Variance, and the gap to the best possible"
    described = [
        f"{sanitize.line(shown.title)}: {rounded.proven_gap(1 - max(found))} at {len(found)} values of k"
        if (found := shown.band.gaps.values())
        else f"{sanitize.line(shown.title)}: no upper bound yet"
        for shown in sets
    ]
    set_layout(
        figure,
        palette,
        title=title,
        alt=f"{title}, by k ÷ n. {'; '.join(described)}.",
        height=common.HEIGHT,
        legend_rows=min(len(sets), LEGEND_ROWS),
        x={
            "title_text": "k ÷ n (log scale)",
            "anchor": "y2",
            "type": "log",
            "range": [math.log10(least / 1.3), math.log10(1.3)],
            "tickvals": SHARES,
            "ticktext": [f"{t:g}" for t in SHARES],
        },
    )
    figure.layout.legend.tracegroupgap = 0
    figure.update_layout(
        yaxis={"domain": common.UPPER, "title_text": "total variance (%)", "rangemode": "tozero"},
        yaxis2=common.gap_axis(max(gaps, default=0.1)),
    )
    return figure


def _add_known(figure: go.Figure, shown: Shown, i: int, palette: Palette) -> None:
    """Draw the line and the band of one data set, and below the gaps that were proven at their own k."""
    band, colour, name = shown.band, palette.series[i % len(palette.series)], sanitize.figure_text(shown.title)
    rows = [row for row in zip(band.at, band.lower, band.upper, strict=True) if math.isfinite(row[2])]
    high, low = ([(row[0] / shown.n, 100 * row[end]) for row in rows] for end in (2, 1))
    fill_between(figure, high, low, rgba(colour, OPACITY), showlegend=False)
    look = {
        "line": {"color": colour, "dash": DASHES[i % len(DASHES)], "width": 2},
        "marker": {"size": 5, "color": colour},
    }
    known = dict(zip(band.at, band.lower, strict=True))
    common.add_curve(figure, band, name, known, look, f"k = %{{customdata[0]:,}} of {shown.n:,}", shown.n)
