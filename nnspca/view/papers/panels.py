"""Panels of the papers page: cards, the figures of a study, the printed numbers beside ours, and downloads."""

from __future__ import annotations

import json
import re
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from nnspca.studies import STUDIES, Study, Table, stored
from nnspca.view.figures import style
from nnspca.view.figures.style import Palette
from nnspca.view.jobs.job import Job
from nnspca.view.link.state import State
from nnspca.view.link.widgets import expander
from nnspca.view.papers import choices
from nnspca.view.papers.choices import KEYS, Choices
from nnspca.view.papers.figures import study as figure_of
from nnspca.view.session import Content
from nnspca.view.sources import catalogue
from nnspca.view.ui import charts, downloads, gallery
from nnspca.view.ui.gallery import Card

FIRST = re.compile(r".+?\.(?=$| [A-Z])")  # the first sentence; the full stop in "Alg. 3" does not end it
FILE = Path(__file__).parent / "thumbnails.json"  # written by `python -m tests.stored`


def cards(here: Study) -> None:
    """Show a card for each study, by paper; a press turns to it."""
    pictures = thumbnails()
    gallery.show(
        "paper-cards",
        "Figures of the papers",
        [
            Card(name, study.figure, study.title, picture=pictures[name]["picture"], group=study.source.short)
            for name, study in STUDIES.items()
        ],
        here.name,
        choices.turn_to,
        strip=True,
    )


def opening(study: Study) -> None:
    """Say what the study is."""
    st.header(f"{study.figure}: {study.title}")
    st.markdown(sentences(study)[0])


def sentences(study: Study) -> tuple[str, str]:
    """Return the first sentence of what a study is, and the others."""
    first = FIRST.findall(study.summary)[0]
    return first, study.summary[len(first) :].strip()


def known_tables(study: Study, choice: Choices, now: State, job: Job | None) -> tuple[Table, ...]:
    """Return the live run's tables, or the stored run's until the live run has some."""
    arrived = job.arrived[-1] if job is not None and job.arrived else ()
    before = stored(study.name)
    if arrived or before is None:
        return arrived
    rest = (
        "The live run has no rows yet."
        if job is not None
        else f"**Solve live** runs {_live_settings(study, choice, now, before.seed)}."
    )
    form = ", reduced form" if study.minutes else ""
    st.caption(
        f":material/inventory_2: **A stored run** of {thumbnails()[study.name]['made']}: seed {before.seed}{form}"
        f"{_on(before.data)}. {rest}"
    )
    return before.tables


def _on(data: tuple[str, ...]) -> str:
    """Say on which data sets."""
    infos = catalogue.infos()
    return f", on {' and '.join(infos[name].title for name in data)}" if data else ""


def _live_settings(study: Study, choice: Choices, now: State, seed: int) -> str:
    """Say what a live run with these settings is, beside a stored run with this seed."""
    other = _on(choice.data(study)) if choice.data(study) != study.needs else ""
    again = "it again" if now.seed == seed else f"it with seed {now.seed}"
    return f"{f'the full form with seed {now.seed}' if choice.full else again}{other}"


def draw(study: Study, choice: Choices, tables: tuple[Table, ...], live: bool) -> None:
    """Show every figure and the paper's numbers beside ours; ``live`` where this visit's own run made them."""
    pictured = [table for table in tables if table.picture is not None]
    for table in tables:
        if table.picture is not None:
            st.subheader(table.title)
            figure = figure_of(table, charts.palette())
            charts.figure(figure, f"{study.name}-{table.name}", first=table is pictured[0])
            if table.note:
                st.caption(table.note)
    for table in tables:
        if table.name == "printed":
            st.subheader(table.title)
            st.table(table.shown().to_dict("records"))
            if table.note:
                st.caption(table.note)
    if live and study.needs and choice.data(study) != study.needs:
        st.caption("The paper's numbers are left out: they are for other data.")


def background(study: Study) -> None:
    """Tell what is done, what differs from the paper and where the same can be played with, folded."""
    if study.page:
        st.link_button(
            f"Play with it on the {study.page} page",
            f"{study.page}?{urlencode(study.query)}",
            icon=":material/open_in_new:",
        )
    with st.expander("What is done, and what differs from the paper", icon=":material/compare_arrows:", key="differs"):
        st.markdown(sentences(study)[1])
        st.markdown(f"**What differs.** {study.differs}")
        st.caption(study.source.citation)


def takeaway(study: Study, choice: Choices, now: State, tables: tuple[Table, ...]) -> None:
    """Offer every table and figure, and the code that makes them again."""
    with expander(KEYS["tables"], "Tables, downloads and code", ":material/table_view:") as opened:
        if opened.open:
            for table in tables:
                st.markdown(f"**{table.title}**")
                st.dataframe(table.rounded(), hide_index=True, alt=table.title)
            held: dict[str, Content] = {
                **{f"{table.name}.csv": table.to_csv().encode() for table in tables},
                "tables.json": lambda: downloads.tables_json(*tables),
                **{f"{t.name}.html": partial(_page, t, charts.palette()) for t in tables if t.picture is not None},
            }
            downloads.offer(f"{study.name}-{choice.form}", held, _code(study, choice, now))


def _page(table: Table, palette: Palette) -> bytes:
    return style.page(figure_of(table, palette, titled=True)).encode()


def _code(study: Study, choice: Choices, now: State) -> str:
    """Return the Python that runs this study again."""
    data = choice.data(study)
    other = "" if data == study.needs else f", data={data!r}"
    return "\n".join(
        [
            "from nnspca.studies import STUDIES",
            "",
            f"result = STUDIES[{study.name!r}].run(full={choice.full}, seed={now.seed}{other})",
            "for table in result.tables:",
            "    print(table.title)",
            "    print(table.frame)",
        ]
    )


@cache
def thumbnails() -> dict[str, dict[str, Any]]:
    """Return what each card shows, by study: picture, day, and the version that made it."""
    cards: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return cards
