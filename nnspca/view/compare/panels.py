"""The compare page's panels: one column a data set, what the numbers mean, and what to take home."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from nnspca.result import SweepPoint
from nnspca.studies import comparison
from nnspca.studies.comparison import Profile
from nnspca.view import foreign, words
from nnspca.view.compare.choices import Choices
from nnspca.view.compare.figures import overlay, small
from nnspca.view.compare.run import Found
from nnspca.view.figures.style import Figure
from nnspca.view.session import charts, downloads
from nnspca.view.session.state import State
from nnspca.view.session.streamlit_private import DeltaGenerator

WIDE = 100  # letters of a title that fit across the page
FALLING, STEEP = 0.1, 0.5  # λ₄ ÷ λ₁ below the first: few directions matter; λ₂ ÷ λ₁ above the second: no one leads
MOSTLY, MIXED = 0.9, 0.7  # share of the first direction that has one sign


def together(results: dict[str, Found], choice: Choices) -> Figure:
    """Show what is proven of all data sets in one figure; return it."""
    sets = [
        (result.about, {p.k: p.certificate for p in result.points if p.certificate is not None})
        for result in results.values()
    ]
    drawn = overlay.proven(sets, choice.shares, charts.palette())
    charts.figure(drawn, "together", first=True)
    return drawn


def side_by_side(results: dict[str, Found], choice: Choices) -> dict[str, Figure]:
    """Show a column of small panels for each data set, two beside each other, same axes, one legend; return them."""
    everything = ((result.about, point) for result in results.values() for point in result.points)
    within = small.ranges(everything, choice.shares)
    drawn: dict[str, Figure] = {}
    st.html(small.legend(choice.by, charts.palette()))
    for column, (name, result) in zip(_pairs(len(results)), results.items(), strict=True):
        with column:
            drawn[name] = small.compared(
                result.about, result.points, choice.by, within, charts.palette(), letters=WIDE // 2
            )
            charts.figure(small.bare(drawn[name]), f"compared-{name}", first=True)
    return drawn


def said_of_each(results: dict[str, Found]) -> None:
    """Say in words what the numbers of each data set mean, two beside each other."""
    for column, result in zip(_pairs(len(results)), results.values(), strict=True):
        with column:
            st.markdown(f"**{foreign.plain(result.about.title)}**")
            st.markdown("\n".join(f"- {sentence}" for sentence in verdict(result)))


def _pairs(count: int) -> list[DeltaGenerator]:
    """Return so many places, two in each line."""
    return [place for _ in range(0, count, 2) for place in st.columns(2, gap="medium")][:count]


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
        where = "every k here" if result.finished else f"the {result.proven} of {result.asked} k proven by now"
        said.append(
            f"**Proof:** at {where} at least {words.percent(least.ratio, 2)} of the best is proven (least at "
            f"k = {least.k:,}); Theorem 1 promises {words.percent(promised, 1)} of it there."
        )
    return [sentence.replace(" %", "\u00a0%").replace("k = ", "k\u00a0=\u00a0") for sentence in said]


def ranking(results: dict[str, Found]) -> str:
    """Say on which data most is proven, and on which least, of those proven at every k; nothing while these are one."""
    least = {
        result.about.title: min(p.certificate.ratio for p in result.points if p.certificate is not None)
        for result in results.values()
        if result.finished
    }
    waiting = [foreign.plain(result.about.title) for result in results.values() if not result.finished]
    if len(least) < 2:
        return ""
    name = {title: f"**{foreign.plain(title)}**" for title in least}
    closed = [title for title, share in least.items() if share >= 1 - overlay.CLOSED]
    rest = [title for title in least if title not in closed]
    said = []
    if closed:
        said.append(f"Proven optimal at every k, to 1 part in 10,000: {', '.join(name[title] for title in closed)}.")
    elif rest:
        best = max(rest, key=lambda title: least[title])
        said.append(f"Closest to proven optimal at every k: {name[best]} (at least {words.percent(least[best], 2)}).")
    if rest:
        worst = min(rest, key=lambda title: least[title])
        said.append(f"Widest gap: {name[worst]} (at least {words.percent(least[worst], 2)}).")
    if waiting:
        said.append(f"Not proven at every k yet, and not ranked: {', '.join(waiting)}.")
    return " ".join(said).replace(" %", "\u00a0%")


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
    st.code(_code(now, choice), language="python", wrap_lines=True)


def prepared(choice: Choices, now: State) -> str:
    """Say which data sets went through which of the steps asked for, and which could not; nothing without steps."""
    if not now.prep:
        return ""
    said = []
    for name in choice.vs:
        done = downloads.steps_of(name, now)
        left = [step for step in now.prep if step not in done]
        besides = f"; not possible with it: {', '.join(left)}" if left else ""
        said.append(f"{foreign.plain(name)} ({', '.join(done) or 'as it is'}{besides})")
    return f"Prepared before that: {', '.join(said)}."


def _code(now: State, choice: Choices) -> str:
    """Return the Python that compares these data sets again."""
    mended = [name for name in choice.vs if downloads.is_repaired(name)]
    repair = f", repair={mended!r}" if mended else ""
    ways = [downloads.ready_lines(name, now, f"data[{place}]") for place, name in enumerate(choice.vs)]
    return "\n".join(
        [
            "import nnspca",
            "from nnspca.studies import comparison",
            "",
            "data = [",
            *[f"    {first.partition(' = ')[2].partition('  #')[0]}," for first, *_ in ways],
            "]",
            *(line for _, *rest in ways for line in rest),
            f"about, points = comparison.compare(data, {choice.by!r}, {tuple(choice.shares)!r},",
            f"                                   standardize={now.standardise}, nonnegative={now.nonnegative}, "
            f"seed={now.seed}{repair})",
            "print(about.to_csv())",
            "print(points.to_csv())",
        ]
    )
