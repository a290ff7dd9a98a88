"""The papers page: which study on which data, its run, its figures, the printed numbers beside ours, and downloads."""

from __future__ import annotations

import functools
import json
import math
from base64 import b64decode
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

import nnspca
from nnspca.result.rounded import fixed
from nnspca.studies import PAPERS, STUDIES, Study, StudyResult, Table
from nnspca.studies.study import PROOFS
from nnspca.view import cache, ledger, machines, running, stored
from nnspca.view.figures import style
from nnspca.view.figures.style import Palette
from nnspca.view.jobs import Job
from nnspca.view.link import canvas, state
from nnspca.view.link.canvas import Card
from nnspca.view.link.state import State
from nnspca.view.link.widgets import chosen_value, expander, set_value
from nnspca.view.papers.figures import study as figure_of
from nnspca.view.session import Content, keep_file
from nnspca.view.sources import catalogue
from nnspca.view.ui import charts, downloads

KEYS = state.keys_of("papers")
FILE = Path(__file__).parent / "thumbnails.json"  # written by `python -m tests.stored`


def which() -> Study:
    """Return the study chosen: by the link, or by a press on its card."""
    papers = {PAPERS[study.paper].short: study.paper for study in STUDIES.values()}
    paper = papers[chosen_value(KEYS["paper"])]
    named = {_name(study): study for study in STUDIES.values() if study.paper == paper}
    return named[chosen_value(KEYS[paper])]


def choose_study(name: str) -> None:
    """Choose another study."""
    study = STUDIES[name]
    set_value(KEYS["paper"], study.source.short)
    set_value(KEYS[study.paper], _name(study))


def _name(study: Study) -> str:
    """Return the name of a study in the link."""
    return f"{study.figure}: {study.title}"


def data_of(study: Study) -> tuple[str, ...]:
    """Return the data sets that a run takes: the paper's own, or similar ones where those are not on this machine."""
    return study.stand_ins if study.missing() else study.needs


def missing_data(study: Study) -> None:
    """Say which of the paper's data are not on this machine, and what a run takes instead."""
    if missing := study.missing():
        infos = catalogue.infos()
        named, bundled = (" and ".join(infos[name].title for name in names) for names in (missing, study.stand_ins))
        st.info(
            f"Not on this machine: **{named}**. A run takes similar data that come with the app ({bundled}), for which "
            "the paper's numbers do not hold. The [data page](data) says how to get the paper's own.",
            icon=":material/database_off:",
        )


def live_run(study: Study, now: State) -> Job | None:
    """Draw the button that solves live; return the job, None until it has been asked for."""
    key = "study", study.name, data_of(study), now.seed  # what the result depends on
    task = running.found("study", key, lambda job: _run(job, study, now))
    known = cache.results().get(task.key) is not None  # what another visit has run is shown at once
    stopped = "Stopped. The rows known by then are shown."
    return running.press(task, running.solve_button(width="content"), stopped, at_once=known)


def _run(job: Job, study: Study, now: State) -> StudyResult:
    """Run one study; publish the result as it fills."""
    settings = {"seed": now.seed, "data": data_of(study), "on_progress": job.report, "on_rows": job.publish}
    return machines.call(Study.run, study, should_stop=job.should_stop, **settings)


def cards(here: Study) -> None:
    """Show a card for each study, by paper; a press turns to it."""
    canvas.cards(
        "paper-cards",
        "Figures of the papers",
        [
            Card(name, study.figure, study.title, picture=thumbnails()[name]["address"], group=study.source.short)
            for name, study in STUDIES.items()
        ],
        here.name,
        choose_study,
        lay="strip",
    )


def describe_study(study: Study) -> None:
    """Say what the study is."""
    st.header(f"{study.figure}: {study.title}")
    st.markdown(study.opening)


def in_ledger(name: str, k: int, parts: int) -> tuple[float, float]:
    """Return the best variance and the lowest upper bound known of a data set as it is, of so many parts."""
    problem = next((held.problem for held in stored.problems().values() if held.name == name), None)
    if problem is None:
        return 0.0, math.inf
    best = ledger.shared().parts_along((problem[0], False, True), k, (parts,), 0.0)[parts]  # variances are at least 0
    return best.lower, best.upper


def known_tables(study: Study, now: State, job: Job | None) -> tuple[Table, ...]:
    """Return the live run's tables, or the stored run's until the live run has some; what is proven is the ledger's."""
    arrived = job.result.known_better(in_ledger).tables if job is not None and job.results else ()
    before = nnspca.studies.stored(study.name)
    if arrived or before is None:
        return arrived
    again = "it again" if now.seed == before.seed else f"it with seed {now.seed}"
    rest = "The live run has no rows yet." if job is not None else f"**Solve live** runs {again}."
    form = ", a shorter run than the paper's" if study.minutes else ""
    known = " Proven bounds are the lowest known, as on Explore." if PROOFS in before.rows else ""
    data = " and ".join(catalogue.infos()[name].title for name in before.data)
    st.caption(
        f":material/inventory_2: **A stored run** of {thumbnails()[study.name]['made']}: seed {before.seed}{form}"
        f"{f', on {data}' if data else ''}. {rest}{known}"
    )
    return before.known_better(in_ledger).tables


def draw(study: Study, tables: tuple[Table, ...]) -> None:
    """Show every figure and the paper's numbers beside ours."""
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


def about_study(study: Study) -> None:
    """Tell what is done, what differs from the paper and where the same can be played with, folded."""
    if study.page:
        st.link_button(
            f"Play with it on the {study.page} page",
            f"{study.page}?{urlencode(study.query)}",
            icon=":material/open_in_new:",
        )
    with st.expander("What is done, and what differs from the paper", icon=":material/compare_arrows:", key="differs"):
        st.markdown(study.more)
        st.markdown(f"**What differs.** {study.differs}")
        st.caption(study.source.citation)


def study_files(study: Study, now: State, tables: tuple[Table, ...]) -> None:
    """Offer every table and figure, and the code that makes them again."""
    with expander(KEYS["tables"], "Tables, downloads and code", ":material/table_view:") as opened:
        if opened.open:
            for table in tables:
                st.markdown(f"**{table.title}**")
                st.dataframe(table.rounded(), hide_index=True, alt=table.title)
            held: dict[str, Content] = {
                **{f"{table.name}.csv": table.to_csv().encode() for table in tables},
                **{
                    f"{t.name}.html": functools.partial(_page, t, charts.palette())
                    for t in tables
                    if t.picture is not None
                },
            }
            downloads.offer_files(study.name, held, _code(study, now))


def _page(table: Table, palette: Palette) -> str:
    return style.figure_page(figure_of(table, palette, titled=True))


def _code(study: Study, now: State) -> str:
    """Return the Python that runs this study again."""
    long = f"  # full=True: as long as in the paper, some {fixed(study.minutes, 0)} min" if study.minutes else ""
    other = f", data={data_of(study)!r}" if study.missing() else ""
    return downloads.program("study", name=repr(study.name), seed=now.seed, other=other, long=long)


@functools.cache
def thumbnails() -> dict[str, dict[str, Any]]:
    """Return what each card shows, by study: the address of its picture, day, and the version that made it."""
    cards: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    for card in cards.values():
        card["address"] = keep_file("card.png", b64decode(card["picture"]), "image/png")
    return cards
