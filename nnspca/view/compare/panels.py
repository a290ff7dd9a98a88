"""Panels of a comparison of data sets: the answer, the figure, what the numbers mean, tables and code."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from nnspca.result import SweepPoint
from nnspca.studies import comparison
from nnspca.studies.comparison import Profile
from nnspca.view import sanitize, words
from nnspca.view.compare import figures
from nnspca.view.compare.sets import Choices, Compared, Live
from nnspca.view.figures import style
from nnspca.view.figures.style import Figure
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator
from nnspca.view.results import known
from nnspca.view.session import Content
from nnspca.view.ui import charts, downloads

FALLING, STEEP = 0.1, 0.5  # λ₄ ÷ λ₁ below the first: few directions matter; λ₂ ÷ λ₁ above the second: none leads
MOSTLY, MIXED = 0.9, 0.7  # share of the first eigenvector's squared loadings of the same sign
WHY = "Why they differ: spectrum, signs and correlation of each data set"
WORKING = "Computing the upper bounds …"


def answer(sets: Sequence[Compared]) -> str:
    """Say of each data set what is proven at every k, the most first; those that are not complete come last."""
    ready = sorted((one for one in sets if one.complete), key=lambda one: -one.least.ratio)
    closed = [_name(one) for one in ready if one.least.optimal]
    lines = [f"Proven optimal at every k: {', '.join(closed)}."] if closed else []
    for one in ready[len(closed) :]:
        where = " at every k" if one is ready[-1] or len(lines) == 0 else ""
        lines.append(f"{_name(one)}: {words.proven_share(one.least.ratio)}{where}.")
    if ready[len(closed) :]:
        lines[-1] = f"{lines[-1][:-1]} (widest gap at k = {ready[-1].least.at:,})."
    if ready and len(ready) < len(sets):
        lines.append(f"Still computing: {', '.join(_name(one) for one in sets if not one.complete)}.")
    return " ".join(lines or [WORKING]).replace(" %", "\u00a0%").replace("k = ", "k\u00a0=\u00a0")


def _name(one: Compared) -> str:
    return f"**{sanitize.plain(one.title)}**"


def together(sets: Sequence[Compared], live: dict[str, Live]) -> Figure:
    """Show all data sets in one figure; return it."""
    shown = [
        figures.Shown(
            one.title,
            one.data.n_features,
            known.band_of(one.rows, one.leading),
            _of_run(live.get(one.data.name), one.leading),
        )
        for one in sets
    ]
    figure = figures.compared(shown, charts.palette())
    charts.figure(figure, "together", first=True)
    return figure


def _of_run(live: Live | None, leading: float) -> dict[int, tuple[float, float]]:
    """Return by k the best variance of the live run and its upper bound, as shares of λ₁."""
    best: dict[int, tuple[float, float]] = {}
    for point in () if live is None else live.points:
        proof, (low, high) = point.certificate, best.get(point.k, (0.0, math.inf))
        variance = point.component.variance if proof is None else max(point.component.variance, proof.lower)
        best[point.k] = max(low, variance / leading), min(high, math.inf if proof is None else proof.upper / leading)
    return best


def describe_each(sets: Sequence[Compared], results: dict[str, Live]) -> None:
    """Say in words what the numbers of each data set mean, two beside each other."""
    ready = [one for one in sets if one.data.name in results]
    for column, one in zip(_pairs(len(ready)), ready, strict=True):
        with column:
            st.markdown(_name(one))
            st.markdown("\n".join(f"- {sentence}" for sentence in reasons(results[one.data.name].about, one)))


def _pairs(count: int) -> list[DeltaGenerator]:
    return [place for _ in range(0, count, 2) for place in st.columns(2, gap="medium")][:count]


def reasons(about: Profile, one: Compared) -> list[str]:
    """Say in plain words what the numbers of one data set mean for nonnegative sparse PCA."""
    values = about.spectrum
    second = float(values[1]) if len(values) > 1 else 0.0
    fourth = float(values[3]) if len(values) > 3 else 0.0
    if fourth < FALLING:
        decay = "so a few eigenvectors explain nearly all the variance, and low-rank solvers do well"
    elif second > STEEP:
        decay = "so no eigenvector dominates, and low-rank solvers lose much"
    else:
        decay = "so one eigenvector dominates, followed by many small ones"
    if about.one_sign > MOSTLY:
        sign = "so the sign constraint costs little"
    elif about.one_sign > MIXED:
        sign = "so the sign constraint costs something"
    else:
        sign = "so a nonnegative component differs from ordinary PCA's"
    lines = [
        f"**Spectrum:** the first eigenvector explains {words.percent(about.first_share)} of the total variance, the "
        f"second {words.fixed(second, 2)} times as much and the fourth {words.fixed(fourth, 2)} times: {decay}.",
        f"**Sign:** {words.percent(about.one_sign)} of the first eigenvector's squared loadings have the same sign, "
        f"{sign}. Positive covariances make up {words.percent(about.positive)} of the sum of all absolute ones.",
        f"**Correlation:** the mean absolute correlation between features is {words.fixed(about.correlation, 2)}.",
    ]
    if any(row.bounded for row in one.rows):
        least = one.least
        lines.append(
            f"**Proof:** {words.proven_share(least.ratio)} at k = {least.at:,}, where the gap is widest; before "
            f"any run, Theorem 1 of Asteris et al. (2014) promises {words.percent(about.promised(least.at), 1)} there."
        )
    return [sentence.replace(" %", "\u00a0%").replace("k = ", "k\u00a0=\u00a0") for sentence in lines]


def takeaway(sets: Sequence[Compared], results: dict[str, Live], choice: Choices, now: State, figure: Figure) -> None:
    """Show the tables of the live run, and offer them with the figure and the code."""
    profiles = [result.about for result in results.values()]
    points: Sequence[tuple[Profile, SweepPoint]] = [
        (result.about, point)
        for result in results.values()
        for point in sorted(result.points, key=lambda p: (p.k, p.method))
    ]
    tables = comparison.tables(profiles, points)
    for table in tables:
        st.markdown(f"**{table.title}**" + (" of the live run" if table.name == "points" else ""))
        whole = [name for name in table.frame.select_dtypes("int")]
        places = {name: st.column_config.NumberColumn(format="%,d") for name in whole}
        st.dataframe(table.rounded(), hide_index=True, column_config=places, alt=table.title)
    held: dict[str, Content] = {
        **{f"{table.name}.csv": table.to_csv().encode() for table in tables},
        "compare.json": lambda: downloads.tables_json(*tables),
        "compare.html": lambda: style.page(figure).encode(),
    }
    downloads.offer("compare", held, _code(sets, now, choice))


def _code(sets: Sequence[Compared], now: State, choice: Choices) -> str:
    mended = [name for name in choice.vs if downloads.is_repaired(name)]
    repair = f", repair={mended!r}" if mended else ""
    lines = [downloads.ready_lines(name, now, f"data[{place}]") for place, name in enumerate(choice.vs)]
    ks = [choice.cardinalities(one.data, now) for one in sets]
    standardised = [one.data.name for one in sets if choice.view(one.data.name, now).standardise]
    return "\n".join(
        [
            "import nnspca",
            "from nnspca.studies import comparison",
            "",
            "data = [",
            *[f"    {first.partition(' = ')[2].partition('  #')[0]}," for first, *_ in lines],
            "]",
            *(line for _, *rest in lines for line in rest),
            f"about, points = comparison.compare(data, {choice.by!r}, ks={ks!r},",
            f"                                   standardize={standardised!r}, nonnegative={now.nonnegative}, "
            f"seed={now.seed}{repair})",
            "print(about.frame)",
            "print(points.frame)",
        ]
    )
