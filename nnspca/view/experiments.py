"""The experiments page: which experiment, on which data, how far, and what came of it."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st

from nnspca.studies import PAPERS, STUDIES, Study, StudyTable
from nnspca.view import compute, controls, downloads, figures, holdings, jobs, show
from nnspca.view.jobs import Job, Work
from nnspca.view.linked import bound
from nnspca.view.state import State

REDUCED, FULL = "reduced", "full"
OWN, BUNDLED = "the paper's", "bundled stand-in"


@dataclass(frozen=True)
class Choice:
    """What is to be run."""

    study: Study
    full: bool
    data: tuple[str, ...]
    seed: int

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What the result depends on."""
        return "study", self.study.name, self.full, self.data, self.seed

    @property
    def stem(self) -> str:
        """The beginning of the names of files."""
        return f"{self.study.name}-{FULL if self.full else REDUCED}"


def choose(now: State) -> Choice:
    """Let the person choose a paper and one of its experiments, and say what it is."""
    papers = {PAPERS[study.paper].short: study.paper for study in STUDIES.values()}
    left, right = st.columns([1, 2])
    with left:
        paper = papers[
            bound(st.selectbox, "Paper", key="paper", options=list(papers), help="Whose experiments to run again.")
        ]
    mine = {f"{study.figure}: {study.title}": study for study in STUDIES.values() if study.paper == paper}
    with right:
        said = bound(st.selectbox, "Experiment", key=paper, options=list(mine), help="In the order of the paper.")
    study = mine[said]
    st.markdown(study.summary)
    if study.page:
        st.link_button(
            f"Play with it on the {study.page} page",
            f"{study.page}?{urlencode(study.query)}",
            icon=":material/open_in_new:",
        )
    with st.container(horizontal=True, gap="medium"):
        data = _data(study)
        full = _form(study)
    with st.expander("What differs from the paper", icon=":material/compare_arrows:", key="differs"):
        st.markdown(study.differs)
        st.caption(study.source.citation)
    return Choice(study, full, data, now.seed)


def _form(study: Study) -> bool:
    """Let the person choose between the reduced run and the paper's full form."""
    if not study.minutes:
        return False
    long = f"{study.minutes:.0f} minutes" if study.minutes >= 2 else "a minute"
    form = bound(
        st.radio,
        "Form",
        key="form",
        options=[REDUCED, FULL],
        horizontal=True,
        width="content",
        help=f"Reduced: less than a minute. Full, as in the paper: about {long} on two processors.",
    )
    return bool(form == FULL)


def _data(study: Study) -> tuple[str, ...]:
    """Let the person choose the paper's data or bundled ones; say plainly what is not on this machine."""
    if study.needs == study.stand_ins:  # nothing to choose: none at all, or bundled ones
        return study.needs
    infos, missing = holdings.catalogue(), study.missing()
    bundled = ", ".join(infos[name].title for name in study.stand_ins)
    chosen = bound(
        st.radio,
        "Data",
        key="on",
        options=[BUNDLED] if missing else [OWN, BUNDLED],
        horizontal=True,
        width="content",
        allowed="the paper's own data are not on this machine" if missing else "",
        help=f"The paper's: {', '.join(infos[name].title for name in study.needs)}. Stand-in: {bundled}.",
    )
    if missing:
        absent = ", ".join(f"**{infos[name].title}**" for name in missing)
        st.info(
            f"Not on this machine: {absent}. The experiment can run on a stand-in ({bundled}); the paper's numbers do "
            "not apply to it. The [data page](data) says how to get the paper's own.",
            icon=":material/database_off:",
        )
    return study.needs if chosen == OWN else study.stand_ins


def run(choice: Choice, now: State) -> Job:
    """Draw Run; return the job, or end the page here. What has been kept is shown at once."""
    kept = compute.shelf().get(choice.key) is not None
    begun = jobs.peek("study", choice.key) is not None
    job = jobs.run("study", choice.key, _work(choice), replace(now, live=kept), afresh=lambda: _forget(choice))
    if not begun and job.wait(jobs.PATIENCE):
        st.rerun()  # so quick that Run can say at once that it runs again
    return job


def _forget(choice: Choice) -> None:
    """Throw away what was kept."""
    compute.shelf().drop(choice.key)


def _work(choice: Choice) -> Work:
    """Return the work of one experiment: publishes its tables as they fill."""
    kept = compute.shelf()

    def work(job: Job) -> None:
        result = kept.get(choice.key)
        if result is None:
            result = choice.study.run(
                full=choice.full,
                seed=choice.seed,
                data=choice.data,
                should_stop=job.should_stop,
                on_progress=job.report,
                on_tables=job.publish,
            )
            if not result.stopped:
                kept.put(choice.key, result)
        job.publish(result.tables)
        job.result = result

    return work


def draw(choice: Choice, job: Job) -> None:
    """Show every figure, the paper's numbers beside ours, the tables, and what to take home."""
    tables = tuple(table for table in (job.arrived[-1] if job.arrived else ()) if table.rows)
    for table in tables:
        if table.picture is not None:
            st.subheader(table.title)
            show.figure(figures.study(table, show.palette()), f"{choice.study.name}-{table.name}")
            if table.note:
                st.caption(table.note)
    for table in tables:
        if table.name == "printed":
            st.subheader(table.title)
            st.table(table.words())
            if table.note:
                st.caption(table.note)
    if choice.study.needs and choice.data != choice.study.needs:
        st.caption("The paper's numbers are left out: they are about other data than these.")
    if tables and job.done:
        _take(choice, tables)


def _take(choice: Choice, tables: tuple[StudyTable, ...]) -> None:
    """Offer every table and figure, and the code that makes them again."""
    with st.container(horizontal=True):
        for table in tables:
            show.csv_button(
                functools.partial(downloads.study_csv, table),
                f"csv-{choice.study.name}-{table.name}",
                f"{choice.stem}-{table.name}.csv",
                f"{table.name.capitalize()} (CSV)",
                table.title,
            )
        for table in tables:
            if table.picture is not None:
                show.figure_button(
                    figures.study(table, show.palette(), titled=True),
                    f"html-{choice.study.name}-{table.name}",
                    f"{choice.stem}-{table.name}.html",
                    f"{table.name.capitalize()} (HTML)",
                )
    with controls.fold("Tables and code", "tables", ":material/table_view:") as fold:
        if fold.open:
            for table in tables:
                st.markdown(f"**{table.title}**")
                st.dataframe(table.words(), hide_index=True, alt=table.title)
            st.markdown("The same with the library:")
            st.code(_code(choice), language="python")


def _code(choice: Choice) -> str:
    """Return the Python that runs this experiment again."""
    other = "" if choice.data == choice.study.needs else f", data={choice.data!r}"
    return "\n".join(
        [
            "from nnspca.studies import STUDIES",
            "",
            f"result = STUDIES[{choice.study.name!r}].run(full={choice.full}, seed={choice.seed}{other})",
            "for table in result.tables:",
            "    print(table.title)",
            "    print(table.to_csv())",
        ]
    )
