"""What the experiments page is asked: which experiment, on which data, how far."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from nnspca.studies import PAPERS, STUDIES, Study
from nnspca.view.session import state, store
from nnspca.view.session.state import BUNDLED, FULL, OWN, REDUCED, State
from nnspca.view.session.widgets import choose
from nnspca.view.words import fixed

KEYS = state.keys_of("experiments")


@dataclass(frozen=True)
class Choices:
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


def ask(now: State) -> Choices:
    """Let the person choose a paper and one of its experiments, and say what it is."""
    papers = {PAPERS[study.paper].short: study.paper for study in STUDIES.values()}
    left, right = st.columns([1, 2])
    with left:
        paper = papers[choose(KEYS["paper"], "Paper", options=list(papers), help="Whose experiments to run again.")]
    mine = {f"{study.figure}: {study.title}": study for study in STUDIES.values() if study.paper == paper}
    with right:
        said = choose(KEYS[paper], "Experiment", options=list(mine), help="In the order of the paper.")
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
    return Choices(study, full, data, now.seed)


def _form(study: Study) -> bool:
    """Let the person choose between the reduced run and the paper's full form."""
    if not study.minutes:
        return False
    long = f"{fixed(study.minutes, 0)} minutes" if study.minutes >= 2 else "a minute"
    form = choose(
        KEYS["form"],
        "Form",
        horizontal=True,
        width="content",
        help=f"Reduced: less than a minute. Full, as in the paper: about {long} on two processors.",
    )
    return bool(form == FULL)


def _data(study: Study) -> tuple[str, ...]:
    """Let the person choose the paper's data or bundled ones; say plainly what is not on this machine."""
    if study.needs == study.stand_ins:  # nothing to choose: none at all, or bundled ones
        return study.needs
    infos, missing = store.catalogue(), study.missing()
    bundled = ", ".join(infos[name].title for name in study.stand_ins)
    chosen = choose(
        KEYS["on"],
        "Data",
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
