"""Live runs: a bounded number of threads, what each run has found so far, its progress and its Stop."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import streamlit as st

from nnspca.calls.threads import one_blas_thread
from nnspca.errors import reason
from nnspca.result import Progress
from nnspca.view import foreign
from nnspca.view.session import widgets
from nnspca.view.session.state import State
from nnspca.view.session.streamlit_private import session_is_open
from nnspca.view.session.workers import Ticket, Workers
from nnspca.view.words import fixed

PATIENCE = 0.4  # seconds a page waits before it shows progress: quick runs never flash a bar
AT_ONCE = 0.05  # seconds in which a run whose answer is known hands it over
FIRST = 1.0  # seconds of a run's age up to which a page waits for the first of what it hands over
WHOLE = 1.2  # and up to which for all that it will show first,
SKETCHED = 1.6  # or up to which where a sketch stands: what draws is not ready before
POLL = 0.5  # seconds between two looks at a running job
LONG = 5.0  # seconds after which a run says how long it has been going,
PATIENTLY = 1.0  # and seconds between two looks from then on: each costs the browser up to half a second
LEFT = 5.0  # seconds after which a run that nobody looks at lets all others go first
ABANDONED = 300.0  # seconds after which a run that nobody looks at stops itself
AFTER = 8.0  # seconds of a run's age up to which another one waits for its end
GLANCE = 0.05  # seconds between two looks meanwhile at whether to stop

Work = Callable[["Job"], Any]


class Job:
    """One run, shared by the thread that works and the pages that look.

    The worker calls :meth:`report` and :meth:`publish` and polls :meth:`should_stop`; the pages
    read ``progress``, ``about`` (what the worker has in hand, where it does several things),
    ``arrived``, ``trace``, ``result``, ``problem`` and ``done``.
    """

    def __init__(self, key: Hashable, watched: Callable[[], bool] = lambda: True, workers: Workers | None = None):
        self.key = key
        self.progress = Progress(0.0, "Starting")
        self.about: Any = None
        self.arrived: tuple[Any, ...] = ()
        self.trace: tuple[tuple[float, float | None, float | None], ...] = ()
        self.result: Any = None
        self.problem: str | None = None
        self.stopped = False
        self._started = time.monotonic()
        self._seen = self._asked = time.monotonic()
        self._watched = watched
        self._stop = threading.Event()
        self._news = threading.Condition()
        self._finished = False
        self._workers, self._ticket = workers or Workers(1), Ticket()
        self._undivided = False  # whether what it is at gives nothing before its end
        self._stepped = False  # whether it lets others go first also while it is looked at
        self._turn, self._working = threading.Lock(), False  # whether it has a worker

    @property
    def done(self) -> bool:
        """Whether the worker has returned."""
        return self._finished

    @property
    def age(self) -> float:
        """Seconds since the run was asked for."""
        return time.monotonic() - self._started

    @property
    def stage(self) -> str:
        """What the run is doing, or how many are served before it, for people."""
        ahead = self._workers.before(self._ticket)
        if ahead is None:
            return self.progress.stage
        return "Waiting for a free worker" + (f": {ahead} before this" if ahead else "")

    @property
    def queued(self) -> bool:
        """Whether the run waits for a worker."""
        return not (self._working or self._finished) and self._workers.before(self._ticket) is not None

    def step_back(self) -> None:
        """Let all other runs go first from now on: what people wait for has been handed over."""
        self._stepped = self._ticket.background = True

    def should_stop(self) -> bool:
        """Tell the worker whether to give up: someone pressed Stop, or nobody can see the run any more.

        Here the run also waits while others have their turn: whatever asks often enough to stop in
        time gives way in time.
        """
        with self._turn:  # the threads a run starts for itself wait together
            if self._working and not self._workers.give_way(self._ticket, self._is_over):
                self._working = False
        return self._is_over()

    def _is_over(self) -> bool:
        if time.monotonic() - self._asked > POLL:
            self._asked = time.monotonic()
            self._ticket.background = self._stepped or self._asked - self._seen > LEFT
            if self._asked - self._seen > ABANDONED or not self._watched():
                self._stop.set()
        return self._stop.is_set()

    def report(self, progress: Progress) -> None:
        """Note how far the run has come."""
        self.progress = progress
        if progress.variance is not None or progress.upper is not None:
            here = (self.age, progress.variance, progress.upper)
            self.trace = (*self.trace[-499:], here)

    def publish(self, thing: Any) -> None:
        """Hand over a part of the answer before the whole is ready."""
        with self._news:
            self.arrived = (*self.arrived, thing)
            self._news.notify_all()

    def stop(self) -> None:
        """Ask the worker to return with what it has."""
        self.stopped = self.stopped or not self.done
        self._stop.set()
        self._let_go()

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Work here whose half is worth nothing: once stopped the run is done, though its worker be busy for a while.

        One product or one decomposition of LAPACK's takes seconds in which no Stop is heard: nobody
        waits for its end.
        """
        self._undivided = True
        try:
            self._let_go()
            yield
        finally:
            self._undivided = False

    def _let_go(self) -> None:
        if self._undivided and self._stop.is_set():
            with self._news:
                self._finished = True
                self._news.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until done, at most ``seconds``; return whether it is done."""
        return self._wait_until(lambda: self._finished, seconds)

    def wait_for_first(self, age: float, count: int = 1) -> bool:
        """Wait until so much was handed over or all is done, to this ``age`` at most; return whether it is so."""
        return self._wait_until(lambda: self._finished or len(self.arrived) >= count, age - self.age)

    def wait_for_picture(self, whole: int = 0, *, few: int = 1, sketch: Callable[[], None] | None = None) -> bool:
        """Wait as long as a picture is worth more than an empty frame: a moment, and until there is something.

        What draws a figure takes the browser a second to start, and then half a second a drawing: a
        little longer where ``whole`` so many things make it a whole one, which is then drawn once.
        What can ``sketch`` it does so from a ``few`` things, and again whenever there are as many
        more.
        """
        drawn = 0
        if sketch is not None and not self.wait(0.0):
            self.wait_for_first(FIRST, few)
            drawn = len(self.arrived)
            sketch()
        done, most = self.wait(0.0), WHOLE if sketch is None else SKETCHED
        while not done and self.age < PATIENCE:
            before = len(self.arrived)
            done = self.wait(AT_ONCE)
            if 0 < whole <= before == len(self.arrived):  # nothing more comes at once
                break
        while not done and (
            (not self.arrived and self.about is None and self.age < FIRST)
            or (len(self.arrived) < whole and self.age < most)
        ):
            done = self.wait(AT_ONCE)
            if sketch is not None and not done and drawn + few <= len(self.arrived) < whole:
                drawn = len(self.arrived)
                sketch()
        return done

    def ends(self, seconds: float) -> bool:
        """Wait as :meth:`wait` does, but as a run that waits for this one, not as a page that looks."""
        with self._news:
            return self._news.wait_for(lambda: self._finished, seconds)

    def _wait_until(self, is_so: Callable[[], bool], seconds: float) -> bool:
        self._seen = time.monotonic()
        self._ticket.background = self._stepped
        with self._news:
            return self._news.wait_for(is_so, max(0.0, seconds))

    def take_part(self, work: Work, after: Job | None = None) -> None:
        """Wait for a worker and do the work in this thread; a run stopped while it waits is done."""
        while after is not None and not self._is_over() and after.age < AFTER and not after.ends(GLANCE):
            pass
        if self._workers.acquire(self._ticket, self._is_over):
            self._working = True
            try:
                self._do(work)
            finally:
                if self._working:
                    self._workers.release()
                self._working = False
        with self._news:
            self._finished = True
            self._news.notify_all()

    def _do(self, work: Work) -> None:
        """Do the work; whatever goes wrong becomes ``problem``, in plain words."""
        if self._is_over():
            return
        try:
            with one_blas_thread():
                self.result = work(self)
        except (ValueError, OSError) as error:  # DataError is a ValueError: its message is for people
            self.problem = str(error)
        except MemoryError:
            self.problem = "This needs more memory than the machine has. Try a smaller k or another method."
        except Exception as error:
            logging.getLogger(__name__).exception("a run failed")
            self.problem = (
                f"The run ended with an error inside the library: {type(error).__name__}{reason(error, 300)}."
            )


@st.cache_resource(show_spinner=False)
def shared_workers() -> Workers:
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
        st.fragment(draw, run_every=_pause(job))()


def _pause(job: Job) -> float:
    """Seconds until the next look at a run: a stopped one is about to end."""
    return PATIENTLY if job.age > LONG and not job.stopped else POLL


def start(slot: str, key: Hashable, work: Work, *, after: Job | None = None) -> Job:
    """Start ``work``, once ``after`` has ended; the session's earlier job in this slot is superseded and stops."""
    earlier: Job | None = st.session_state.setdefault("_jobs", {}).get(slot)
    if earlier is not None:
        earlier.stop()
    job = Job(key, session_is_open(), shared_workers())
    st.session_state["_jobs"][slot] = job
    # Daemon threads: closing the server must not wait for a run that nobody can see any more.
    threading.Thread(target=job.take_part, args=(work, after), name=f"nnspca-{slot}", daemon=True).start()
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
        button("Find out" if job is None else "Find out again", slot, lambda: (key, make()), about, icon)
    return job


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

    In a live session the job starts by itself. ``known``: the page has something of this kind to
    show already.
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
    first: int = 0,
) -> bool:
    """Draw the job's progress and Stop while it runs, or what went wrong, or that it was stopped.

    It then waits a moment for the ``first`` so many things that the job hands over: a page that has
    nothing to show before shows them at once, not when it is drawn the next time.

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


def _watch(slot: str, job: Job, first: int) -> None:
    """Draw progress and Stop while the job runs, and rerun the page when there is something to draw.

    Stop stands outside the fragment: a press then reaches the script whatever is being drawn.
    """
    if job.wait(PATIENCE if job.stopped else max(0.0, PATIENCE - job.age)):
        return
    drawn, pause = [len(job.arrived)], _pause(job)
    with st.container(horizontal=True, vertical_alignment="center", key=f"watch-{slot}"):
        with st.container():
            st.fragment(_draw, run_every=pause)(job, drawn, pause)
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
        drawn[0] = len(job.arrived)


def _draw(job: Job, drawn: list[int], pause: float) -> None:
    """Show one look at a running job; ``drawn`` holds how many of the things it has handed over the page shows.

    Where it is done the page is drawn anew in any case, though it may show all: this bar and Stop
    have to go. So it is where looks should be further apart from now on: only the page says how
    far.
    """
    job.wait(0.0)
    if job.done or len(job.arrived) != drawn[0] or pause < _pause(job):
        st.rerun()
    words = "Stopping" if job.stopped else foreign.plain(job.stage)
    if job.age > LONG:
        words += f" · {fixed(job.age, 0)} s so far"
    st.progress(min(max(job.progress.fraction, 0.0), 1.0), text=words)
