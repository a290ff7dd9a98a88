"""Jobs as a page shows them: the Run button, progress and Stop, and how long a page waits for a result."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Literal

import streamlit as st

from nnspca.view import sanitize, session
from nnspca.view.jobs import progress
from nnspca.view.jobs.job import Job, Work
from nnspca.view.jobs.progress import Look
from nnspca.view.jobs.workers import FairSemaphore
from nnspca.view.link import guide
from nnspca.view.words import fixed

SOLVE = "Solve live"  # the one word for the button that starts a run
PATIENCE = 0.4  # seconds a page waits before it shows progress: quick runs never flash a bar
AT_ONCE = 0.05  # seconds in which a run whose answer is known hands it over
FIRST = 1.0  # seconds of a run's age up to which a page waits for the first of what it hands over
LONG = 5.0  # seconds after which a run says how long it has been going
POLL_SECONDS = 0.3  # between two looks of the browser at a run


@st.cache_resource(show_spinner=False)
def shared_workers() -> FairSemaphore:
    """Return the workers all sessions share: no more runs at once than there are processors."""
    return FairSemaphore(max(2, os.cpu_count() or 2))


def job_for(slot: str, key: Hashable) -> Job | None:
    """Return this session's job in ``slot`` if it is the one for ``key``."""
    job = session.current().jobs.get(slot)
    return job if job is not None and job.key == key else None


def only_job(slot: str, key: Hashable) -> Job | None:
    """Return this session's job in ``slot`` if it is the one for ``key``; one for another view is told to stop."""
    earlier = session.current().jobs.get(slot)
    if earlier is not None and earlier.key != key:
        earlier.stop()
    return job_for(slot, key)


def drop(slot: str) -> None:
    """Stop this session's job in ``slot`` and forget it."""
    job = session.current().jobs.pop(slot, None)
    if job is not None:
        job.stop()


def wait_for_picture(job: Job) -> None:
    """Wait a moment for the first result: as long as a figure is worth more than an empty frame."""
    while not job.done and not job.stopped and not job.arrived and job.age < (FIRST if job.about is None else PATIENCE):
        job.wait(AT_ONCE)


def start(slot: str, key: Hashable, work: Work, *, after: Job | None = None) -> Job:
    """Start ``work`` once ``after`` has a first result; the session's earlier job in this slot stops."""
    earlier = session.current().jobs.get(slot)
    if earlier is not None:
        earlier.stop()
    here = session.current()
    job = here.jobs[slot] = Job(key, lambda: here.is_open, shared_workers())
    # Daemon threads: closing the server does not wait for runs that no page shows.
    threading.Thread(target=job.run, args=(work, after), name=f"nnspca-{slot}", daemon=True).start()
    return job


def button(
    label: str, slot: str, make: Callable[[], tuple[Hashable, Work]], about: str, icon: str, *, disabled: bool = False
) -> None:
    """Draw a button that starts the work which ``make`` returns with its key."""

    def begin() -> None:
        start(slot, *make())

    st.button(label, key=f"start-{slot}", icon=icon, help=about, on_click=begin, disabled=disabled)


def on_demand(slot: str, key: Hashable, make: Callable[[], Work], about: str, icon: str) -> Job | None:
    """Draw the button that starts what takes long and is asked for apart; return its job, None until it is pressed."""
    job = only_job(slot, key)
    if job is None or job.done:
        button("Compute" if job is None else "Compute again", slot, lambda: (key, make()), about, icon)
    return job


def run_button(
    slot: str,
    key: Hashable,
    make: Callable[[], Work],
    *,
    afresh: Callable[[], None],
    known: bool = False,
    width: Literal["stretch", "content"] = "stretch",
) -> Job | None:
    """Draw the button that solves live; return the job of this view, None where there is none.

    ``make`` returns its work. A view's first run starts by itself, unless something of this kind is
    ``known`` already; ``afresh`` is called before a run that the button starts.
    """
    job = job_for(slot, key)
    pressed = st.button(
        SOLVE,
        key=f"run-{slot}",
        icon=":material/play_arrow:",
        width=width,
        help=guide.explained("live", "Run solver and proof from scratch with these settings."),
    )
    if pressed:
        afresh()
    if pressed or (job is None and not known):
        job = start(slot, key, make())
    return job


def run(slot: str, key: Hashable, make: Callable[[], Work], *, afresh: Callable[[], None]) -> Job:
    """Draw the button that solves live; return the job of this view, which starts by itself."""
    job = run_button(slot, key, make, afresh=afresh)
    assert job is not None
    return job


def follow(
    slot: str,
    job: Job,
    stopped: str = "Stopped. What was found by then is shown; **Solve live** starts over.",
    *,
    first: int = 0,
    waited: bool = False,
    news: Callable[[Job], object] = lambda job: len(job.arrived),
) -> bool:
    """Draw a job's progress and Stop, or what went wrong, or that it was stopped; return whether it has ended.

    It then waits a moment for the ``first`` so many things that the job hands over: a page that has
    nothing to show before shows them at once, not when it is drawn the next time. A page that has
    ``waited`` for its picture waits for no quick end before it shows progress. While the job runs the
    page is run again whenever its ``news`` are others.
    """
    with st.container():  # one place on the page, full or empty: what stands below keeps its own
        _watch(slot, job, first, waited, news)
        if job.problem and not job.stopped:
            st.error(sanitize.plain(job.problem), icon=":material/error:")
        elif job.done and job.stopped:
            st.warning(stopped, icon=":material/stop_circle:")
    return job.done


def _watch(slot: str, job: Job, first: int, waited: bool, news: Callable[[Job], object]) -> None:
    """Draw progress and Stop while the job runs."""
    left = PATIENCE if job.stopped else 0.0 if waited else max(0.0, PATIENCE - job.age)
    if job.done or job.wait(left):
        return
    drawn = [news(job)]

    def look() -> Look:
        """Return how far the job is; the page is to be drawn where it shows less than there is, and at the end."""
        job.wait(0.0)
        fraction = min(max(job.progress.fraction, 0.0), 1.0)
        return Look(fraction, _words(job), job.done or news(job) != drawn[0])

    with st.container(horizontal=True, vertical_alignment="center", key=f"watch-{slot}"):
        with st.container():
            progress.show(slot, look, POLL_SECONDS)
        st.button(
            "Stop",
            key=f"stop-{slot}",
            icon=":material/stop_circle:",
            help="Keep the best found so far.",
            on_click=job.stop,
            width="content",
        )
    if first:
        job.wait_for_first(FIRST, first)
        drawn[0] = news(job)


def _words(job: Job) -> str:
    """Say what a job does, and for how long where that is long."""
    words = "Stopping" if job.stopped else sanitize.line(job.stage)
    return f"{words} · {fixed(job.age, 0)} s so far" if job.age > LONG else words
