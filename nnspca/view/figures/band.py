"""The band: a variance against k or the number of parts, between what was found and what is proven, and the gap below.

One pair of panels wherever variance stands against k. Above, the variance; the optimum lies in the shaded band. Below,
the gap to the best possible on a logarithmic axis in per cent, whose lowest line is "optimal": a gap of at most 1 part
in 10,000. Where an upper bound was proven at a point itself, the point has a mark; where it is carried over from
another point, the band above is a lighter shade, and so is the gap below.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import plotly.graph_objects as go

from nnspca.result import rounded
from nnspca.result.rounded import OPTIMAL, ceil, share
from nnspca.view.figures.style import TEXT, Look, Palette, fill_between, set_layout

FLOOR = math.log10(OPTIMAL) - 0.5  # where "optimal" stands on the axis of the gap
UPPER, LOWER = (0.62, 1.0), (0.0, 0.49)  # what the two panels take of the figure's height
HEIGHT = 560
BAND_WORDS = "the optimum lies in here"


@dataclass(frozen=True, eq=False)
class Band:
    """What is known along an axis."""

    at: tuple[int, ...]  # values of k, or numbers of parts, ascending
    # the best variance known and the lowest upper bound, as shares of one unit; an upper bound is infinite where none
    # is known
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    proven: frozenset[int]  # where the upper bound was proven itself; elsewhere it is carried over

    @cached_property
    def gaps(self) -> dict[int, float]:
        """Gap to the best possible, 0 to 1, where an upper bound is known."""
        return _gaps(self, dict(zip(self.at, self.lower, strict=True)))

    @cached_property
    def optimal(self) -> tuple[int, ...]:
        """Where the best known is proven optimal."""
        return tuple(at for at, missing in self.gaps.items() if missing <= OPTIMAL)


def gaps(ends: Sequence[tuple[float, float]], digits: int) -> list[float | None]:
    """Return the gap of each variance to its upper bound, rounded up; None where that is infinite."""
    return [ceil(1 - share(low, high), digits) if math.isfinite(high) else None for low, high in ends]


def percents(low: float, high: float) -> tuple[str, str]:
    """Return a share that is explained and its upper bound, in as many decimals as tell them apart.

    >>> percents(0.0489, 0.04909), percents(0.0489, math.inf)
    (('4.89 %', '4.91 %'), ('4.8 %', ''))
    """
    digits = rounded.decimals(low, high, 1.0)
    return rounded.percent(low, digits), rounded.percent(high, digits, up=True) if math.isfinite(high) else ""


def closed(band: Band, what: str = "k") -> str:
    """Say where the band has closed, if anywhere.

    >>> closed(Band((1, 2), (1.0, 1.0), (1.0, 2.0), frozenset((1, 2))))
    'proven optimal at 1 of 2 values of k'
    >>> closed(Band((1,), (1.0,), (1.0,), frozenset((1,))))
    'proven optimal at every k'
    """
    done = len(band.optimal)
    if not done:
        return ""
    many = f"every {what}" if done == len(band.at) else f"{done} of {len(band.at)} {_several(what)}"
    return f"proven optimal at {many}"


def _several(what: str) -> str:
    """Return what several points of the axis are called.

    >>> _several("k"), _several("number of parts")
    ('values of k', 'numbers of parts')
    """
    first, space, rest = what.partition(" ")
    return f"{first}s{space}{rest}" if space else f"values of {what}"


def gap_position(missing: float) -> float:
    """Return where a gap stands on the axis: its logarithm, and all that counts as optimal on one line.

    >>> gap_position(0.01), gap_position(0.00001) == FLOOR
    (-2.0, True)
    """
    return FLOOR if missing <= OPTIMAL else math.log10(missing)


def figure(
    band: Band,
    curves: Mapping[str, Mapping[int, float]],
    palette: Palette,
    *,
    title: str,
    unit: str,
    along: str,
    log: bool = False,
    what: str = "k",
    chosen: tuple[int, str] | None = None,
) -> go.Figure:
    """Draw the two panels.

    ``curves`` has for each name in the legend the variance at each point as a share of the ``unit``; the first is the
    one that the band belongs to. A point of the axis ``along`` is called ``what``; where it is ``log``, equal steps
    multiply. The ``chosen`` point of a curve wears a ring.
    """
    figure, closed_text = go.Figure(), closed(band, what)
    at = chosen[0] if chosen is not None else max(band.at, default=0)
    known = [percents(low, high) for one, low, high in zip(band.at, band.lower, band.upper, strict=True) if one == at]
    result = "; ".join(f"{low} at {what} {at}{high and f', the proven maximum is {high}'}" for low, high in known)
    alt = (
        f"{title}: {', '.join(curves) or 'nothing yet'}; {result}; an upper bound is proven at {len(band.proven)} of "
        f"{len(band.at)} {_several(what)}{'; ' + closed_text if closed_text else ''}. Below, the gap to the best "
        "possible in per cent, on a logarithmic axis."
    )
    _add_band(figure, band, palette)
    for i, (name, points) in enumerate(curves.items()):
        of = Look.of(name, i, palette)
        look = {
            "line": {"color": of.colour, "dash": of.dash, "width": 2},
            "marker": {"size": 7 + min(i, 2), "symbol": of.symbol, "line": {"width": 1.5}},
        }
        add_curve(figure, band, name, points, look, f"{what} = %{{x}}")
    _add_marks(figure, band, palette, what)
    if chosen is not None and chosen[0] in curves.get(chosen[1], {}):
        ring = {"size": 18, "symbol": "circle-open", "color": palette.ink, "line": {"width": 2}}
        y = [100 * curves[chosen[1]][chosen[0]]]
        figure.add_scatter(x=[chosen[0]], y=y, mode="markers", marker=ring, showlegend=False, hoverinfo="skip")
    ends = [min(band.at, default=1) - 0.4, max(band.at, default=1) + 0.4]
    gaps = [*band.gaps.values(), *(m for points in curves.values() for m in _gaps(band, points).values())]
    set_layout(
        figure,
        palette,
        title=title,
        alt=alt,
        height=HEIGHT,
        k_axis=(band.at or (1,)) if log and what == "k" else None,
        x={"title_text": along, "anchor": "y2", "range": ends} | ({} if what == "k" else {"dtick": 1}),
    )
    figure.layout.legend.update(font_size=TEXT, tracegroupgap=0)
    figure.update_layout(
        xaxis={"tickfont_size": TEXT},
        yaxis={"domain": UPPER, "title_text": unit, "rangemode": "tozero", "tickfont_size": TEXT},
        yaxis2=gap_axis(max(gaps, default=0.1)),
    )
    return figure


def gap_axis(widest: float) -> dict:
    """Return the axis of the gap, the lower panel: from the widest gap drawn down to "optimal"."""
    top = max(gap_position(widest), -2.0)
    ticks = [power for power in (0, -1, -2, -3, -4) if power <= top + 0.3]
    return {
        "domain": LOWER,
        "anchor": "x",
        "title_text": "gap to the best<br>possible (%, log)",
        "range": [FLOOR - 0.12, top + 0.35],
        "tickvals": [*ticks, FLOOR],
        "ticktext": [*(f"{100 * 10.0**power:g}" for power in ticks), "optimal"],
        "tickfont": {"size": TEXT},
        "automargin": True,
        "zeroline": False,
    }


def _gaps(band: Band, curve: Mapping[int, float]) -> dict[int, float]:
    """Return the gap of each point of a curve to the upper bound there."""
    upper = dict(zip(band.at, band.upper, strict=True))
    return {at: 1 - share(value, upper[at]) for at, value in curve.items() if math.isfinite(upper.get(at, math.inf))}


def _add_band(figure: go.Figure, band: Band, palette: Palette) -> None:
    """Shade between the best found and the upper bound, in both panels; carried stretches lightly."""
    known = [
        (at, 100 * low, 100 * high)
        for at, low, high in zip(band.at, band.lower, band.upper, strict=True)
        if math.isfinite(high)
    ]
    sure = [row for row in known if row[0] in band.proven]
    for rows, opacity in ((known, 0.45), (sure, 1.0)):
        if not rows or (rows is known and len(sure) == len(known)):
            continue
        look = {"opacity": opacity, "showlegend": False}
        high, low = ([(row[0], row[end]) for row in rows] for end in (2, 1))
        named = {"name": BAND_WORDS, "showlegend": True} if rows is sure or not sure else {}
        fill_between(figure, high, low, palette.band, yaxis="y", **(look | named))
        gaps = [(at, gap_position(1 - share(low, high))) for at, low, high in rows]
        fill_between(figure, gaps, [(at, FLOOR) for at, _ in gaps], palette.band, yaxis="y2", **look)


def add_curve(
    figure: go.Figure,
    band: Band,
    name: str,
    points: Mapping[int, float],
    look: Mapping[str, Any],
    where: str,
    scale: float = 1,
) -> None:
    """Draw one curve: its variance above, its gap below where an upper bound was proven at the point itself.

    A point stands at its k ÷ ``scale``; ``where`` says it to the pointer, from k as ``customdata[0]``.
    """
    at, upper = sorted(points), dict(zip(band.at, band.upper, strict=True))
    shared = {
        "x": [x / scale for x in at],
        "name": name,
        "legendgroup": name,
        "mode": "lines+markers",
        "cliponaxis": False,
        **look,
    }
    figure.add_scatter(
        y=[100 * points[x] for x in at],
        customdata=[[x, percents(points[x], upper.get(x, math.inf))[0]] for x in at],
        hovertemplate=f"{where}<br>explains %{{customdata[1]}}<extra>{name}</extra>",
        **shared,
    )
    gaps = {x: missing for x, missing in _gaps(band, points).items() if x in band.proven}
    figure.add_scatter(
        y=[gap_position(gaps[x]) if x in gaps else None for x in at],  # the line ends where nothing is proven
        yaxis="y2",
        showlegend=False,
        customdata=[[x, rounded.proven_gap(points[x], upper[x]) if x in gaps else None] for x in at],
        hovertemplate=f"{where}<br>%{{customdata[1]}}<extra>{name}</extra>",
        **shared,
    )


def _add_marks(figure: go.Figure, band: Band, palette: Palette, what: str) -> None:
    """Mark each upper bound that was proven at its point."""
    rows = [row for row in zip(band.at, band.lower, band.upper, strict=True) if row[0] in band.proven]
    if not rows:
        return
    figure.add_scatter(
        x=[at for at, _, _ in rows],
        y=[100 * high for _, _, high in rows],
        mode="markers",
        name="upper bound, proven",
        cliponaxis=False,
        marker={"symbol": "line-ew", "size": TEXT, "line": {"width": 3, "color": palette.upper_bound}},
        customdata=[percents(low, high)[1] for _, low, high in rows],
        hovertemplate=f"{what} = %{{x}}<br>the proven maximum is %{{customdata}}<extra>proven</extra>",
    )
