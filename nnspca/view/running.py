"""The one way in which a page has something computed: what it is about, its run, its button, progress and Stop.

A page makes a :class:`Task`. :func:`join_or_begin` gives this session's run of it, :func:`offer` draws the button that
does, and :func:`follow` draws progress and Stop. One run of a kind at a time: a session that asks for another one stops
the last. What a run finds goes into the ledger and the cache, where every session finds it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from nnspca.result.rounded import fixed
from nnspca.view import cache, sanitize, session
from nnspca.view.jobs import FairSemaphore, Job, Work
from nnspca.view.link import canvas

PATIENCE = 0.4  # seconds a page waits before it shows progress: quick runs never flash a bar
TELLING_SHARE = 0.1  # share of a run after which its seconds say how long the whole takes
LONG = 5.0  # seconds after which a run says how long it has been going
POLL_SECONDS = 0.3  # between two looks of the browser at a run

STOPPED = "Stopped. What was found by then is shown; **Solve live** starts over."

Key = tuple[Hashable, ...]


@dataclass(frozen=True, eq=False)
class Task:
    """Something that takes long."""

    kind: str  # of the tasks of one kind a session runs one at a time
    key: Hashable  # what tells it from others of its kind
    work: Work
    after: Job | None = None  # whose first result it waits for
    background: bool = False  # whether it lets all others go first


@dataclass(frozen=True)
class Button:
    """The button that begins a task."""

    label: str
    about: str | None
    icon: str
    again: str = ""  # the label once a run has ended; empty for the same
    disabled: bool = False
    type: Literal["primary", "secondary"] = "secondary"
    width: Literal["stretch", "content"] = "content"


def solve_button(width: Literal["stretch", "content"] = "stretch") -> Button:
    """Return the one button for what a page is about."""
    about = "Run solver and proof from scratch with these settings."
    return Button("Solve live", about, ":material/play_arrow:", width=width)


def compute_button(about: str, icon: str) -> Button:
    """Return the button of what takes long and is asked for apart."""
    return Button("Compute", about, icon, again="Compute again")


@st.cache_resource(show_spinner=False)
def shared_workers() -> FairSemaphore:
    """Return the workers all sessions share: no more runs at once than there are processors."""
    return FairSemaphore(max(2, os.cpu_count() or 2))


def run_of(task: Task) -> Job | None:
    """Return this session's run of a task, None where it was not begun; one of its kind for another view stops."""
    job = session.current().jobs.get(task.kind)
    if job is None or job.key == task.key:
        return job
    job.stop()
    return None


def join_or_begin(task: Task) -> Job:
    """Return this session's run of a task, joined or begun."""
    if run_of(task) is None:
        begin(task)
    return session.current().jobs[task.kind]


def offer(task: Task, button: Button, *, at_once: bool = False, in_place: bool = False) -> Job | None:
    """Draw the button that begins a task; return its run, None before it is pressed, unless it begins ``at_once``.

    While it runs the button waits, and says so, or its progress and Stop stand ``in_place`` of it.
    """
    job = run_of(task)
    if job is None and at_once:
        job = join_or_begin(task)
    busy = job is not None and not job.done
    if job is not None:
        job.place = st.container() if busy and in_place else None
        if job.place is not None:
            return job
    st.button(
        button.again if button.again and job is not None and job.done else button.label,
        key=f"start-{task.kind}",
        icon=button.icon,
        help="This is running now." if busy else button.about,
        on_click=begin,
        args=(task, True),
        disabled=busy or button.disabled,
        type=button.type,
        width=button.width,
    )
    return job


def press(task: Task, button: Button, stopped: str, *, at_once: bool = False) -> Job | None:
    """Draw a button, and in its place the progress and Stop of the run that it begins; return the run, None before."""
    job = offer(task, button, at_once=at_once, in_place=True)
    if job is not None:
        follow(job, stopped)
    return job


def drop(kind: str) -> None:
    """Stop this session's run of a kind and forget it."""
    job = session.current().jobs.pop(kind, None)
    if job is not None:
        job.stop()


def begin(task: Task, asked: bool = False) -> None:
    """Begin a run, once what it comes ``after`` has a first result; the last one of its kind stops.

    One that a person has ``asked`` for takes nothing from an earlier one.
    """
    here = session.current()
    if (earlier := here.jobs.get(task.kind)) is not None:
        earlier.stop()
    job = here.jobs[task.kind] = Job(task.key, lambda: here.is_open, shared_workers(), task.kind)
    job.asked = asked
    if task.background:
        job.deprioritise()
    # Daemon threads: closing the server does not wait for runs that no page shows.
    threading.Thread(target=job.run, args=(task.work, task.after), name=f"nnspca-{task.kind}", daemon=True).start()


def found(kind: str, key: Hashable, find: Work) -> Task:
    """Return a task whose result is taken from whichever visit has found it; asked for again, it is computed anew."""
    return Task(kind, key, lambda job: cache.results().find(key, lambda: find(job), anew=job.asked))


def answer(task: Task, job: Job | None, stopped: str) -> Any:
    """Show the run that was asked for; return its latest answer, or the one that is kept, None where there is none."""
    if job is not None:
        follow_to_end(job, stopped)
        if job.results:
            return job.result
    return cache.results().get(task.key)


def follow_to_end(job: Job, stopped: str) -> None:
    """Follow a job of which the page has said something already: where it ends meanwhile, the page is drawn again."""
    under_way = not job.done
    if follow(job, stopped) and under_way:
        st.rerun()


def follow(
    job: Job,
    stopped: str = STOPPED,
    *,
    news: Callable[[Job], object] = lambda job: len(job.results),
    says: Callable[[], str] = lambda: "",
) -> bool:
    """Draw a job's progress and Stop, or what went wrong, or that it was stopped; return whether it has ended.

    While the job runs the page is run again whenever its ``news`` are others; what it ``says`` takes the place of the
    words of its progress.
    """
    with st.container():  # one place on the page, full or empty: what stands below keeps its own
        place, job.place = job.place, None
        with place or st.container():
            _watch(job, 0.0 if place is not None else PATIENCE - job.age, news, says)
        if job.done and place is not None:
            st.rerun()  # its button comes back
        if job.problem and not job.stopped:
            st.error(sanitize.plain(job.problem), icon=":material/error:")
        elif job.done and job.stopped:
            st.warning(stopped, icon=":material/stop_circle:")
    return job.done


def _watch(job: Job, patience: float, news: Callable[[Job], object], says: Callable[[], str]) -> None:
    """Draw progress and Stop where the job still runs after some ``patience``."""
    if job.done or job.wait(PATIENCE if job.stopped else max(0.0, patience)):
        return
    drawn = news(job)

    def look() -> dict[str, object]:
        """Return how far the job is; the page is to be drawn where it shows less than there is, and at the end."""
        job.wait(0.0)
        fraction = min(max(job.progress.fraction, 0.0), 1.0)
        return {"fraction": fraction, "text": says() or _words(job), "draw": job.done or news(job) != drawn}

    with st.container(horizontal=True, vertical_alignment="center", key=f"watch-{job.kind}"):
        with st.container():
            canvas.progress(job.kind, look, POLL_SECONDS)
        st.button(
            "Stop",
            key=f"stop-{job.kind}",
            icon=":material/stop_circle:",
            help="Keep the best found so far.",
            on_click=job.stop,
            width="content",
        )


def _words(job: Job) -> str:
    """Say what a job does; of a long one also its seconds, and about how many it will take."""
    words, share = "Stopping" if job.stopped else sanitize.line(job.stage), job.progress.fraction
    if job.age <= LONG:
        return words
    whole = f"of about {fixed(job.age / share, 0)} s" if share > TELLING_SHARE and not job.stopped else "so far"
    return f"{words} · {fixed(job.age, 0)} s {whole}"
