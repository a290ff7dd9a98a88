"""What a page needs of large data, made as a run with progress and Stop; of all others by the page itself, at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import streamlit as st

from nnspca.result import Progress
from nnspca.view import foreign
from nnspca.view.session import preparation, runs
from nnspca.view.session.preparation import Preparation
from nnspca.view.session.runs import Job, Work

QUICK = 1e9  # products of two numbers that a page's own script computes: a tenth of a second
SLOT = "prepare"


def ready(wanted: Sequence[Preparation], slot: str = SLOT) -> bool:
    """Return whether all that a page needs of these data is there; where not, draw the run that makes it."""
    key: Hashable = tuple(one.key for one in wanted)
    job = runs.only_job(slot, key)
    missing = [one for one in wanted if one.cost > QUICK and not one.is_held()]
    if job is None:
        if not missing:
            return True
        job = runs.start(slot, key, _work(missing))
    named = ", ".join(dict.fromkeys(_named(one) for one in wanted if one.cost > QUICK))
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


def _work(missing: Sequence[Preparation]) -> Work:
    """Return the work of making what is missing, one data set after the other."""
    held = preparation.shared()

    def work(job: Job) -> None:
        with job.all_or_nothing():
            for at, one in enumerate(missing):
                if job.should_stop():
                    return
                before = at / len(missing)

                def doing(share: float, what: str, before: float = before, one: Preparation = one) -> None:
                    told = what if len(missing) == 1 else f"{one.raw.title or one.raw.name}: {what}"
                    job.report(Progress(before + share / len(missing), told))

                one.make(held, doing, job.should_stop)

    return work


def _named(one: Preparation) -> str:
    """Say which data are prepared, and how."""
    how = [*one.steps, *(["standardised"] if one.standardise else []), *(["repaired"] if one.repair else [])]
    return f"**{foreign.plain(one.raw.title or one.raw.name)}**" + (f" ({', '.join(how)})" if how else "")


def _forget(slot: str) -> None:
    """Forget the run of a slot."""
    st.session_state["_jobs"].pop(slot, None)
