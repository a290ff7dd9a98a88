"""Large data are prepared as a run: with progress, and a Stop that is answered at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Protocol

import streamlit as st

from nnspca.result import Progress
from nnspca.view.session import runs
from nnspca.view.session.job import Job, Work

SLOT = "prepare"  # the run of a page's own data


class Preparable(Protocol):
    """What a page looks at, as far as a run that makes it has to know."""

    @property
    def key(self) -> Hashable:
        """What tells it from others."""

    @property
    def title(self) -> str:
        """What its data are called."""

    @property
    def named(self) -> str:
        """The same with how they are looked at, marked up."""

    def make(self, doing: Callable[[float, str], None], should_stop: Callable[[], bool]) -> None:
        """Make it, in a thread of its own; ``doing`` hears how far it has come and what is made."""


def follow(large: Sequence[Preparable], missing: Sequence[Preparable], slot: str = SLOT) -> bool:
    """Return whether all that is large is there; draw the run that makes what is missing where not."""
    key: Hashable = tuple(one.key for one in large)
    job = runs.only_job(slot, key)
    if job is None:
        if not missing:
            return True
        job = runs.start(slot, key, _making(missing))
    named = ", ".join(dict.fromkeys(one.named for one in large))
    with st.container():
        if not runs.follow(
            slot,
            job,
            f"Stopped: {named} has not been prepared, so nothing can be shown of it yet. Choose other data, or "
            "other preprocessing, or go on here:",
        ):
            st.caption(f"{named} is large: this is done once, and all pages have it then.")
            return False
        if job.stopped or job.problem:
            st.button("Prepare it again", key=f"again-{slot}", icon=":material/replay:", on_click=_forget, args=(slot,))
            return False
    _forget(slot)  # what goes later, to make room for others, is made by another run
    return True


def _making(missing: Sequence[Preparable]) -> Work:
    """Return the work of making what is missing, one data set after the other."""

    def work(job: Job) -> None:
        with job.all_or_nothing():
            for at, one in enumerate(missing):
                if job.should_stop():
                    return
                before = at / len(missing)

                def doing(share: float, what: str, before: float = before, one: Preparable = one) -> None:
                    told = what if len(missing) == 1 else f"{one.title}: {what}"
                    job.report(Progress(before + share / len(missing), told))

                one.make(doing, job.should_stop)

    return work


def _forget(slot: str) -> None:
    """Forget the run of a slot."""
    st.session_state["_jobs"].pop(slot, None)
