"""Variance kept against the number of parts, with the certified band of the best possible, and the gap enlarged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from nnspca.view.figures.style import DASHES, SYMBOLS, Palette, dress

LEAST_SHOWN = 0.5  # percent of the ceiling the lower axis covers at least
ABOVE = [0.47, 1.0]  # share of the height for variance, and below it for the gap
BELOW = [0.0, 0.3]


def band(
    curves: Mapping[str, Mapping[int, float]],
    proven: Mapping[int, tuple[float, float]],
    counts: Sequence[int],
    palette: Palette,
) -> go.Figure:
    """Draw one line for each way of ``curves`` (number of parts to share of all variance), and the band.

    ``proven`` gives, for each certified number of parts, the best share known and the ceiling.
    Below, the same as a share of that ceiling, zoomed to where they lie.
    """
    figure = go.Figure()
    xs = sorted(proven)
    floors, ceilings = [100 * proven[x][0] for x in xs], [100 * proven[x][1] for x in xs]
    if xs:
        _band(figure, palette, xs, floors, ceilings)
    for i, (name, shares) in enumerate(curves.items()):
        _lines(figure, palette, i, name, shares, proven)
    title = "Variance kept against the number of parts"
    alt = (
        f"{title}: {', '.join(curves) or 'nothing yet'}; {len(xs)} of {len(counts)} numbers of parts have a proven band"
        " in which the best possible lies. Below: the same as a share of the proven ceiling."
    )
    dress(figure, palette, title=title, alt=alt, height=520)
    least = min((kept for _, kept in _kept(curves, proven)), default=1.0)
    missing = max(115 * (1 - least), LEAST_SHOWN)
    ends = [counts[0] - 0.4, counts[-1] + 0.4]
    figure.update_layout(
        yaxis={"domain": ABOVE, "title": {"text": "all variance (%)"}, "rangemode": "tozero"},
        yaxis2={
            "domain": BELOW,
            "title": {"text": "of the ceiling (%)"},
            "range": [100 - missing, 100 + 0.06 * missing],
            "automargin": True,
            "tickfont": figure.layout.yaxis.tickfont,
            "title_font": figure.layout.yaxis.title.font,
        },
        xaxis={"range": ends, "dtick": 1, "anchor": "y2", "title": {"text": "number of parts"}},
    )
    return figure


def _kept(
    curves: Mapping[str, Mapping[int, float]], proven: Mapping[int, tuple[float, float]]
) -> list[tuple[int, float]]:
    """Every point that has a ceiling, as a share of it."""
    return [
        (count, min(share / proven[count][1], 1.0))
        for shares in curves.values()
        for count, share in shares.items()
        if count in proven
    ]


def _band(figure: go.Figure, palette: Palette, xs: list[int], floors: list[float], ceilings: list[float]) -> None:
    """Shade between the best known and the proven ceiling, above and below."""
    shares = [100 * floor / ceiling for floor, ceiling in zip(floors, ceilings, strict=True)]
    places = range(xs[0], xs[-1] + 1)
    for axis, low, high, shown in (("y", floors, ceilings, True), ("y2", shares, [100.0] * len(xs), False)):
        sides = dict(zip(xs, zip(low, high, strict=True), strict=True))
        outline = _outline(sides)
        figure.add_scatter(
            x=[x for x, _ in outline],
            y=[y for _, y in outline],
            yaxis=axis,
            fill="toself",
            fillcolor=palette.band,
            mode="lines",
            line={"width": 0},
            name="the best possible lies in here (proven)",
            legendgroup="band",
            showlegend=shown,
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=list(places),
            y=[sides[x][1] if x in sides else None for x in places],
            yaxis=axis,
            mode="markers+lines",
            name="proven ceiling",
            legendgroup="ceiling",
            showlegend=shown,
            line={"color": palette.ceiling, "width": 1, "dash": "dot"},
            marker={"symbol": "line-ew", "size": 16, "line": {"width": 3, "color": palette.ceiling}},
            hovertemplate="%{x} part(s)<br>no such parts keep more than %{y:.2f} %<extra>proven</extra>",
        )


def _outline(sides: Mapping[int, tuple[float, float]]) -> list[tuple[int | None, float | None]]:
    """Return the corners of a band that is shaded between neighbouring numbers only; between others nothing is known.

    >>> _outline({1: (0.0, 9.0), 2: (0.0, 8.0), 4: (0.0, 7.0)})
    [(1, 9.0), (2, 8.0), (2, 0.0), (1, 0.0), (None, None), (4, 7.0), (4, 0.0)]
    """
    corners: list[tuple[int | None, float | None]] = []
    run: list[int] = []
    for x in [*sorted(sides), None]:
        if run and x != run[-1] + 1:
            corners += [(None, None)] if corners else []
            corners += [(at, sides[at][1]) for at in run] + [(at, sides[at][0]) for at in reversed(run)]
            run = []
        if x is not None:
            run.append(x)
    return corners


def _lines(
    figure: go.Figure,
    palette: Palette,
    place: int,
    name: str,
    shares: Mapping[int, float],
    proven: Mapping[int, tuple[float, float]],
) -> None:
    """Draw one way's variance above, and its share of the ceiling below."""
    look = {
        "name": name,
        "legendgroup": name,
        "mode": "lines+markers",
        "line": {
            "color": palette.series[place % len(palette.series)],
            "dash": DASHES[place % len(DASHES)],
            "width": 2,
        },
        "marker": {"size": 9, "symbol": SYMBOLS[place % len(SYMBOLS)], "line": {"width": 2}},
    }
    # a line joins neighbouring numbers only: what lies between others is not known yet
    xs = range(min(shares, default=1), max(shares, default=0) + 1)
    figure.add_scatter(
        x=list(xs),
        y=[100 * shares[x] if x in shares else None for x in xs],
        hovertemplate="%{x} part(s)<br>%{y:.2f} % of all variance<extra>" + name + "</extra>",
        **look,
    )
    figure.add_scatter(
        x=list(xs),
        y=[100 * min(shares[x] / proven[x][1], 1.0) if x in shares and x in proven else None for x in xs],
        yaxis="y2",
        showlegend=False,
        hovertemplate="%{x} part(s)<br>at least %{y:.2f} % of the best possible<extra>" + name + "</extra>",
        **look,
    )
