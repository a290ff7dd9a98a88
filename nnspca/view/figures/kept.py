"""The share of the best possible variance that each solver is proven to keep, against k."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import plotly.graph_objects as go

from nnspca.result import SweepPoint
from nnspca.view.figures.look import DASHES, SYMBOLS, Palette, dress, set_k_axis

LEAST_SHOWN = 0.5  # percent the axis covers at least: finer differences are rounding's


def kept(
    points: Iterable[SweepPoint], palette: Palette, *, methods: Sequence[str], ks: Sequence[int], log: bool
) -> go.Figure:
    """Draw variance over proven ceiling, where certified: the solvers apart even where the band is thin.

    Points that use more than k features, such as those of plain PCA, are not among those compared.
    """
    shares = sorted(
        (p.k, p.method, min(p.component.variance / p.certificate.upper, 1.0))
        for p in points
        if p.certificate is not None and p.component.cardinality <= p.k
    )
    figure = go.Figure()
    for i, method in enumerate(methods):
        mine = [(k, share) for k, name, share in shares if name == method]
        figure.add_scatter(
            x=[k for k, _ in mine],
            y=[100 * share for _, share in mine],
            name=method,
            mode="lines+markers",
            line={"color": palette.series[i % len(palette.series)], "dash": DASHES[i % len(DASHES)], "width": 2},
            marker={"size": 9 + 2 * min(i, 2), "symbol": SYMBOLS[i % len(SYMBOLS)], "line": {"width": 2}},
            hovertemplate="k = %{x}<br>keeps at least %{y:.2f} %<extra>" + method + "</extra>",
        )
    title = "Share of the best variance kept, at least"
    dress(figure, palette, title=title, alt=f"{title}: {len(shares)} certified points.", height=300)
    missing = max(115 * (1 - min((share for *_, share in shares), default=1.0)), LEAST_SHOWN)
    figure.update_yaxes(title_text="kept (%), proven", range=[100 - missing, 100 + 0.06 * missing])
    set_k_axis(figure, ks, log)
    return figure
