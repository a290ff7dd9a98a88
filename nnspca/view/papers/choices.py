"""Choices of the papers page: which study, on which data, in which form."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from nnspca.studies import PAPERS, STUDIES, Study
from nnspca.view.link import state
from nnspca.view.link.state import BUNDLED, FULL, OWN, REDUCED
from nnspca.view.link.widgets import choose, press, pressed
from nnspca.view.sources import catalogue
from nnspca.view.words import fixed

KEYS = state.keys_of("papers")


@dataclass(frozen=True)
class Choices:
    """On which data a study is run, and in which form, by their keys in the link."""

    on: str = OWN
    form: str = REDUCED

    @property
    def full(self) -> bool:
        """Whether it is run as in the paper."""
        return self.form == FULL

    def data(self, study: Study) -> tuple[str, ...]:
        """Return the names of the data sets that it is run on."""
        return study.needs if self.on == OWN else study.stand_ins


def which() -> Study:
    """Return the study chosen: by the link, or by a press on its card."""
    papers = {PAPERS[study.paper].short: study.paper for study in STUDIES.values()}
    paper = papers[pressed(KEYS["paper"])]
    named = {_name(study): study for study in STUDIES.values() if study.paper == paper}
    return named[pressed(KEYS[paper])]


def turn_to(name: str) -> None:
    """Choose another study."""
    study = STUDIES[name]
    press(KEYS["paper"], study.source.short)
    press(KEYS[study.paper], _name(study))


def ask(study: Study) -> Choices:
    """Let the person choose data and form where the study has more than one."""
    return Choices(_data(study), _form(study))


def _name(study: Study) -> str:
    """Return what the link calls a study of its paper."""
    return f"{study.figure}: {study.title}"


def _form(study: Study) -> str:
    """Let the person choose between the reduced run and the paper's full form."""
    if not study.minutes:
        return REDUCED
    long = f"{fixed(study.minutes, 0)} minutes" if study.minutes >= 2 else "a minute"
    form: str = choose(
        KEYS["form"],
        "Reduced or full run",
        horizontal=True,
        width="content",
        help=f"Reduced: less than a minute. Full, as in the paper: about {long} on two processors.",
    )
    return form


def _data(study: Study) -> str:
    """Let the person choose the paper's data or bundled ones."""
    if study.needs == study.stand_ins:  # nothing to choose: none at all, or bundled ones
        return OWN
    infos, missing = catalogue.infos(), study.missing()
    bundled = ", ".join(infos[name].title for name in study.stand_ins)
    chosen: str = choose(
        KEYS["on"],
        "Data",
        options=[BUNDLED] if missing else [OWN, BUNDLED],
        horizontal=True,
        width="content",
        allowed="the paper's own data are not on this machine" if missing else "",
        help=f"The paper's: {', '.join(infos[name].title for name in study.needs)}. Stand-in: {bundled}.",
    )
    return chosen


def absent(study: Study) -> None:
    """Say plainly which of the paper's data are not on this machine."""
    infos, missing = catalogue.infos(), study.missing()
    if missing and study.needs != study.stand_ins:
        named = ", ".join(f"**{infos[name].title}**" for name in missing)
        bundled = ", ".join(infos[name].title for name in study.stand_ins)
        st.info(
            f"Not on this machine: {named}. The study can run on a stand-in ({bundled}), to which the paper's "
            "numbers do not apply. The [data page](data) says how to get the paper's own.",
            icon=":material/database_off:",
        )
