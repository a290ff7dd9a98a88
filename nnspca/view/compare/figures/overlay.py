"""All data sets in one figure: the share of the best that is proven, by the share of the features allowed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from nnspca.result import Certificate
from nnspca.studies.comparison import Profile
from nnspca.view import foreign
from nnspca.view.compare.figures.small import TICKS
from nnspca.view.figures.style import DASHES, SYMBOLS, Palette, dress
from nnspca.view.words import floor, seconds

CLOSED = 1e-4  # a smaller gap counts as closed
HEIGHT = 440
Proofs = Mapping[int, Certificate]


def proven(sets: Sequence[tuple[Profile, Proofs]], shares: Sequence[float], palette: Palette) -> go.Figure:
    """Draw one line a data set, through the values of k that are proven by now.

    Equal steps up divide what is missing by the same factor, so that 99 % and 99.9 % stand as far
    apart as 90 % and 99 %.
    """
    figure = go.Figure()
    lowest = 0.9
    for i, (about, proofs) in enumerate(sets):
        n, ks = about.n_features, sorted(proofs)
        kept = [min(proofs[k].ratio, 1.0) for k in ks]
        lowest = min([lowest, *kept])
        colour = palette.series[i % len(palette.series)]
        figure.add_scatter(
            x=[k / n for k in ks],
            y=[_depth(share) for share in kept],
            name=foreign.label(about.title),
            mode="lines+markers",
            line={"color": colour, "dash": DASHES[i % len(DASHES)], "width": 2.5},
            marker={"size": 10, "symbol": SYMBOLS[i % len(SYMBOLS)], "color": colour, "line": {"width": 2}},
            cliponaxis=False,
            customdata=[
                [k, n, floor(100 * share, 2), seconds(proofs[k].seconds)] for k, share in zip(ks, kept, strict=True)
            ],
            hovertemplate="k = %{customdata[0]:,} of %{customdata[1]:,}<br>at least %{customdata[2]:.2f} % of the "
            "best, proven in %{customdata[3]}<extra>" + foreign.label(about.title) + "</extra>",
        )
    title = "Share of the best that is proven"
    told = "; ".join(
        f"{foreign.line(about.title)}: {len(proofs)} of {len(shares)} values of k, the least "
        f"{floor(100 * min(p.ratio for p in proofs.values()), 2):g} %"
        for about, proofs in sets
        if proofs
    )
    gaps = [gap for gap in (1.0, 0.5, 0.1, 1e-2, 1e-3, CLOSED) if gap <= max(2 * (1 - lowest), 0.1)]
    dress(
        figure,
        palette,
        title=title,
        alt=f"{title}, by k ÷ n. {told or 'Nothing is proven yet'}.",
        height=HEIGHT,
        x={
            "title_text": "k ÷ n, share of features allowed (log)",
            "type": "log",
            "range": [math.log10(min(shares) / 1.3), math.log10(1.3)],
            "tickvals": TICKS,
            "ticktext": [f"{t:g}" for t in TICKS],
        },
        y={
            "title_text": "proven, at least (%)",
            "range": [_depth(lowest) - 0.15, _depth(1.0) + 0.25],
            "tickvals": [_depth(1 - gap) for gap in gaps],
            "ticktext": ["100 (optimal)" if gap == CLOSED else f"{100 - 100 * gap:g}" for gap in gaps],
            "zeroline": False,
        },
    )
    return figure


def _depth(share: float) -> float:
    """Place a share on the axis: how many tenths of the whole are missing, counted in powers.

    >>> _depth(0.9), _depth(1.0), _depth(0.0)
    (1.0, 4.0, 0.0)
    """
    return round(-math.log10(max(1 - share, CLOSED)), 9) + 0.0
