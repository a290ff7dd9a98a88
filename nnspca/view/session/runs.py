"""Live runs: starting them, a bounded number at once, and drawing their progress, their Stop and their end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Literal

import streamlit as st

from nnspca.view import foreign
from nnspca.view.session import widgets
from nnspca.view.session.state import State
from nnspca.view.session.streamlit_private import session_is_open
from nnspca.view.session.workers import POLL, Job, Work, Workers
from nnspca.view.words import fixed

PATIENCE = 0.4  # seconds a page waits before it shows progress: quick runs never flash a bar
AT_ONCE = 0.05  # seconds in which a run whose answer is known hands it over
FIRST = 1.0  # seconds of a run's age up to which a page waits for the first of what it hands over
LONG = 5.0  # seconds after which a run says how long it has been going


@st.cache_resource(show_spinner=False)
def _workers() -> Workers:
    """Return the workers all sessions share: no more runs at once than there are processors."""
    return Workers(max(2, os.cpu_count() or 2))


def job_for(slot: str, key: Hashable) -> Job | None:
    """Return this session's job in ``slot`` if it is the one for ``key``."""
    job: Job | None = st.session_state.setdefault("_jobs", {}).get(slot)
    return job if job is not None and job.key == key else None


def only_job(slot: str, key: Hashable) -> Job | None:
    """Return this session's job in ``slot`` if it is the one for ``key``; one for another view is told to stop."""
    earlier: Job | None = st.session_state.setdefault("_jobs", {}).get(slot)
    if earlier is not None and earlier.key != key:
        earlier.stop()
    return job_for(slot, key)


def watched(job: Job | None, draw: Callable[[], None]) -> None:
    """Draw something, again and again while the job runs."""
    if job is None or job.done:
        draw()
    else:
        st.fragment(draw, run_every=POLL)()


def start(slot: str, key: Hashable, work: Work) -> Job:
    """Start ``work``; the session's earlier job in this slot is superseded and told to stop."""
    earlier: Job | None = st.session_state.setdefault("_jobs", {}).get(slot)
    if earlier is not None:
        earlier.stop()
    job = Job(key, session_is_open(), _workers())
    st.session_state["_jobs"][slot] = job
    # Daemon threads: closing the server must not wait for a run that nobody can see any more.
    threading.Thread(target=job.take_part, args=(work,), name=f"nnspca-{slot}", daemon=True).start()
    return job


def button(
    label: str,
    slot: str,
    make: Callable[[], tuple[Hashable, Work]],
    about: str,
    icon: str,
    *,
    disabled: bool = False,
) -> None:
    """Draw a button that starts the work which ``make`` returns with its key."""

    def begin() -> None:
        start(slot, *make())

    st.button(label, key=f"start-{slot}", icon=icon, help=about, on_click=begin, disabled=disabled)


def asked(
    slot: str,
    key: Hashable,
    work: Work,
    now: State,
    *,
    afresh: Callable[[], None] | None = None,
    known: bool = False,
    width: Literal["stretch", "content"] = "stretch",
) -> Job | None:
    """Draw Run; return the job of this view, None until it has been asked for.

    In a live session the job starts by itself. ``known``: the page has something of this kind to show already.
    """
    job = job_for(slot, key)
    pressed = st.button(
        "Run" if job is None and not known else "Run again",
        key=f"run-{slot}",
        icon=":material/play_arrow:",
        type="primary" if job is None and not now.live else "secondary",
        width=width,
        help="Start the solver with these settings.",
    )
    if pressed and afresh is not None:
        afresh()
    if pressed or (job is None and now.live):
        job = start(slot, key, work)
    return job


def run(slot: str, key: Hashable, work: Work, now: State, *, afresh: Callable[[], None] | None = None) -> Job:
    """Draw Run; return the job of this view, or end the page here with what to do.

    In a live session the job starts by itself.
    """
    job = asked(slot, key, work, now, afresh=afresh)
    if job is None:
        st.info("Nothing has run with these settings yet. Press **Run**.", icon=":material/play_arrow:")
        widgets.end_page()
    return job


def follow(
    slot: str,
    job: Job,
    stopped: str = "Stopped. What was found by then is shown; **Run again** starts over.",
    *,
    first: bool = False,
) -> bool:
    """Draw the job's progress and Stop while it runs, or what went wrong, or that it was stopped.

    With ``first`` it then waits a moment for the first of what the job hands over: a page that has nothing to show
    before shows that at once, not when it is drawn the next time.

    Returns
    -------
    bool
        Whether the job is done.
    """
    with st.container():  # one place on the page, full or empty: what stands below keeps its own
        _watch(slot, job, first)
        if job.problem and not job.stopped:
            st.error(foreign.plain(job.problem), icon=":material/error:")
        elif job.done and job.stopped:
            st.warning(stopped, icon=":material/stop_circle:")
    return job.done


def _watch(slot: str, job: Job, first: bool) -> None:
    """Draw progress and Stop while the job runs, and rerun the page when there is something to draw.

    Stop stands outside the fragment: a press then reaches the script whatever is being drawn.
    """
    if job.wait(PATIENCE if job.stopped else max(0.0, PATIENCE - job.age)):
        return
    drawn = [job.version]
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container():
            st.fragment(_draw, run_every=POLL)(job, drawn)
        st.button(
            "Stop",
            key=f"stop-{slot}",
            icon=":material/stop_circle:",
            help="Keep the best found so far.",
            on_click=job.stop,
            width="content",
        )
    if first and job.wait_for_first(FIRST):
        drawn[0] = job.version


def _draw(job: Job, drawn: list[tuple[int, bool]]) -> None:
    """Show one look at a running job; ``drawn`` holds the version that the page shows."""
    job.wait(0.0)
    if job.version != drawn[0]:
        st.rerun()
    words = "Stopping" if job.stopped else foreign.plain(job.stage)
    if job.age > LONG:
        words += f" · {fixed(job.age, 0)} s so far"
    st.progress(min(max(job.progress.fraction, 0.0), 1.0), text=words)
