"""The compare page's panels: one column a data set, what the numbers mean, and what to take home."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from nnspca.result import SweepPoint
from nnspca.studies import comparison
from nnspca.studies.comparison import Profile
from nnspca.view import foreign, words
from nnspca.view.compare import figures
from nnspca.view.compare.choices import Choices
from nnspca.view.compare.run import Found
from nnspca.view.figures.style import Figure
from nnspca.view.session import charts, downloads
from nnspca.view.session.state import State

WIDE = 100  # letters of a title that fit across the page
FALLING, STEEP = 0.1, 0.5  # λ₄ ÷ λ₁ below the first: few directions matter; λ₂ ÷ λ₁ above the second: no one leads
MOSTLY, MIXED = 0.9, 0.7  # share of the first direction that has one sign


def side_by_side(results: dict[str, Found], choice: Choices) -> dict[str, Figure]:
    """Show one column of panels for each data set, same axes, one legend; return the figures, each with its own."""
    everything = ((result.about, point) for result in results.values() for point in result.points)
    within = figures.ranges(everything, choice.shares)
    drawn: dict[str, Figure] = {}
    st.html(figures.legend(choice.by, charts.palette()))
    columns = st.columns(len(choice.vs), gap="medium")
    for column, (name, result) in zip(columns, results.items(), strict=False):
        with column:
            wide = WIDE // len(choice.vs)
            drawn[name] = figures.compared(
                result.about, result.points, choice.by, within, charts.palette(), letters=wide
            )
            charts.figure(figures.bare(drawn[name]), f"compared-{name}", first=True)
            for sentence in verdict(result):
                st.markdown(f"- {sentence}")
    return drawn


def verdict(result: Found) -> list[str]:
    """Say in plain words what the numbers of one data set mean for nonnegative sparse PCA."""
    about = result.about
    values = about.spectrum
    second = float(values[1]) if len(values) > 1 else 0.0
    fourth = float(values[3]) if len(values) > 3 else 0.0
    if fourth < FALLING:
        decay = "so a few directions say nearly all, and methods of low rank do well"
    elif second > STEEP:
        decay = "so no direction leads by far, and a low rank leaves much out"
    else:
        decay = "so one direction leads, with many small ones behind it"
    said = [
        f"**Spectrum:** the first direction holds {words.percent(about.first_share)} of all variance, the second is "
        f"{words.fixed(second, 2)} of it and the fourth {words.fixed(fourth, 2)}: {decay}."
    ]
    if about.one_sign > MOSTLY:
        sign = "so asking for nonnegative loadings costs little"
    elif about.one_sign > MIXED:
        sign = "so asking for nonnegative loadings costs something"
    else:
        sign = "so nonnegative loadings must find another direction than plain PCA"
    said.append(
        f"**Sign:** {words.percent(about.one_sign)} of the first direction's weight has one sign, {sign}. "
        f"{words.percent(about.positive)} of all co-variance between features is positive."
    )
    said.append(
        f"**Correlation:** two features correlate by {words.fixed(about.correlation, 2)} on average, sign aside."
    )
    proofs = [p.certificate for p in result.points if p.certificate is not None]
    if proofs:
        least = min(proofs, key=lambda proof: proof.ratio)
        promised = about.promised(least.k)
        said.append(
            f"**Proof:** at every k here at least {words.percent(least.ratio, 1)} of the best is proven (least at "
            f"k = {least.k:,}); Theorem 1 promises {words.percent(promised, 1)} of it there."
        )
    return [sentence.replace(" %", "\u00a0%").replace("k = ", "k\u00a0=\u00a0") for sentence in said]


def ranking(results: dict[str, Found]) -> str:
    """Say on which data most is proven, and on which least; nothing while that is not known of two."""
    least = {
        result.about.title: min(p.certificate.ratio for p in result.points if p.certificate is not None)
        for result in results.values()
        if any(p.certificate is not None for p in result.points)
    }
    if len(least) < 2:
        return ""
    best, worst = max(least, key=lambda name: least[name]), min(least, key=lambda name: least[name])
    return (
        f"Closest to proven optimal at every k: **{foreign.plain(best)}** (at least {words.percent(least[best], 2)}). "
        f"Widest gap: **{foreign.plain(worst)}** (at least {words.percent(least[worst], 2)})."
    )


def takeaway(results: dict[str, Found], choice: Choices, now: State, drawn: dict[str, Figure]) -> None:
    """Offer the tables, the figures and the code."""
    profiles = [result.about for result in results.values()]
    points: Sequence[tuple[Profile, SweepPoint]] = [
        (result.about, point)
        for result in results.values()
        for point in sorted(result.points, key=lambda p: (p.k, p.method))
    ]
    tables = comparison.table(profiles, points)
    for table in tables:
        st.markdown(f"**{table.title}**")
        shown = [
            {column.heading: column.rounded(cell) for column, cell in zip(table.columns, cells, strict=True)}
            for cells in table.rows
        ]
        places = {c.heading: st.column_config.NumberColumn(format=f"%.{c.digits}f") for c in table.columns if c.digits}
        st.dataframe(shown, hide_index=True, column_config=places, alt=table.title)
        label, name = f"{table.title} (CSV)", f"compare-{table.name}"
        charts.csv_button(downloads.study_csv(table), f"csv-{name}", f"{name}.csv", label)
    with st.container(horizontal=True):
        charts.json_button(lambda: downloads.tables_json(*tables), "json-compare", "compare.json")
        for name, figure in drawn.items():
            charts.figure_button(
                figure, f"html-compare-{name}", f"compare-{name}.html", f"{foreign.plain(name)} (HTML)"
            )
    st.markdown("The same with the library:")
    st.code(_code(now, [data.name for data in choice.vs], choice.by, choice.shares), language="python", wrap_lines=True)


def _code(now: State, names: Sequence[str], methods: Sequence[str], shares: Sequence[float]) -> str:
    """Return the Python that compares these data sets again."""
    return "\n".join(
        [
            "import nnspca",
            "from nnspca.studies import comparison",
            "",
            "data = [",
            *[f"    {downloads.load_line(name).removeprefix('data = ').partition('  #')[0]}," for name in names],
            "]",
            f"about, points = comparison.compare(data, {tuple(methods)!r}, {tuple(shares)!r},",
            f"                                   standardize={now.standardise}, nonnegative={now.nonnegative}, "
            f"seed={now.seed})",
            "print(about.to_csv())",
            "print(points.to_csv())",
        ]
    )
