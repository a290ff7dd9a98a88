"""Background jobs: what each has found, its progress and Stop, and its turns at the workers that all share."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from nnspca.control.threads import one_blas_thread
from nnspca.errors import CertificateError, reason
from nnspca.result import Progress
from nnspca.view import say

TURN = 6.0  # seconds of work after which a run gives way to others that wait
LOOK_SECONDS = 0.1  # between two looks at whether a waiting run was stopped
POLL_SECONDS = 0.5  # between two looks at a run, of the page's and of its own at who looks
LEFT = 5.0  # seconds after which a run that no page shows lets all others go first
ABANDONED = 300.0  # seconds after which a run that no page shows stops itself
AFTER = 8.0  # seconds of a run's age up to which another one waits for its first result
STOP_POLL_SECONDS = 0.05  # between two looks meanwhile at whether to stop
Work = Callable[["Job"], Any]  # what it returns is the last result


class FairSemaphore:
    """A bounded number of workers: first come first served, in turns where more runs ask than there are workers.

    A run holds its worker from :meth:`acquire` to :meth:`release` and calls :meth:`yield_turn` as often as it looks for
    Stop: there it waits while others are before it. So a quick run never waits for the end of a long one.
    """

    def __init__(self, count: int):
        self._free = count
        self._waiting: list[Job] = []
        self._changed = threading.Condition()
        self._asked = 0

    def acquire(self, job: Job, stopped: Callable[[], bool]) -> bool:
        """Wait for a worker; return False, without one, where the run was stopped before its turn came."""
        with self._changed:
            self._asked += 1
            job._place_in_line = self._asked
            self._waiting.append(job)
            while job not in self._order()[: self._free]:
                self._changed.wait(LOOK_SECONDS)
                if stopped():
                    self._waiting.remove(job)
                    self._changed.notify_all()
                    return False
            self._waiting.remove(job)
            self._free -= 1
            job._served = time.monotonic()
            self._changed.notify_all()
            return True

    def release(self) -> None:
        """Give a worker back."""
        with self._changed:
            self._free += 1
            self._changed.notify_all()

    def yield_turn(self, job: Job, stopped: Callable[[], bool]) -> bool:
        """Hand the worker to the run that is next in line and wait for the next turn; False where it was stopped."""
        if not self._waiting:  # read without the lock: this is called thousands of times a second
            return True
        with self._changed:
            if not self._should_give_way(job):
                return True
            self._free += 1
            self._changed.notify_all()
        return self.acquire(job, stopped)

    def before(self, job: Job) -> int | None:
        """Return how many runs are served before this one; None where it is not waiting."""
        with self._changed, suppress(ValueError):
            return self._order().index(job)
        return None

    def _order(self) -> list[Job]:
        return sorted(self._waiting, key=lambda job: (job.background, job._place_in_line))

    def _should_give_way(self, job: Job) -> bool:
        """Tell whether someone waits who goes first: anyone before the background, and peers once a turn is over."""
        over = time.monotonic() - job._served > TURN
        waiting = [other for other in self._waiting if not other.background or job.background]
        return self._free < len(waiting) and any(over or (job.background and not w.background) for w in waiting)


def part_of_report(
    report: Callable[[Progress], None], begin: float, end: float, said: Callable[[str], str] = str
) -> Callable[[Progress], None]:
    """Return a listener that reports progress as a stretch of the whole, its stage as it is ``said``."""

    def listen(progress: Progress) -> None:
        fraction = begin + (end - begin) * progress.fraction
        report(replace(progress, fraction=fraction, stage=said(progress.stage)))

    return listen


class Job:
    """One run, shared by the thread that works and the pages that look.

    The worker calls :meth:`report` and :meth:`publish`, sets ``live`` and polls :meth:`should_stop`; the pages read
    ``progress``, ``live`` (how the run stands, each time in place of what was told before), ``results`` (each stays),
    ``problem`` and ``done``.
    """

    def __init__(
        self,
        key: Hashable,
        watched: Callable[[], bool] = lambda: True,
        workers: FairSemaphore | None = None,
        kind: str = "",
    ):
        self.key, self.kind = key, kind
        self.progress = Progress(0.0, "Starting")
        self.live: Any = None
        self.results: tuple[Any, ...] = ()
        self.problem: str | None = None
        self.stopped = False
        self.done = False  # whether the worker has returned, or its result is no longer wanted
        self.asked = False  # whether a person pressed its button
        self.place: Any = None  # of the page, where its progress takes the place of that button
        self.begun = time.monotonic()
        self._seen = self._polled_at = time.monotonic()
        self._watched = watched
        self._stop = threading.Event()
        self._news = threading.Condition()
        self._workers = workers or FairSemaphore(1)
        self.background = False  # whether no page shows it: it works only while no other run waits
        self._place_in_line, self._served = 0, 0.0  # a new place whenever it gives way; when it was last given a worker
        self._is_uninterruptible = False  # whether what it is at gives nothing before its end
        self._is_deprioritised = False  # whether it lets others go first also while it is looked at
        self._turn, self._working = threading.Lock(), False  # whether it has a worker

    @property
    def age(self) -> float:
        """Seconds since the run was asked for."""
        return time.monotonic() - self.begun

    @property
    def stage(self) -> str:
        """What the run is doing, or how many are served before it, for people."""
        ahead = self._workers.before(self)
        if ahead is None:
            return say.capital(self.progress.stage)
        return "Waiting for a free worker" + (f": {ahead} ahead" if ahead else "")

    def deprioritise(self) -> None:
        """Let all other runs go first from now on: what people wait for has been handed over."""
        self._is_deprioritised = self.background = True

    def should_stop(self) -> bool:
        """Tell the worker whether to stop: Stop was pressed, or no page shows the run any more.

        Here the run also waits while others have their turn: whatever asks often enough to stop in
        time gives way in time.
        """
        with self._turn:  # the threads a run starts for itself wait together
            if self._working and not self._workers.yield_turn(self, self._is_over):
                self._working = False
        return self._is_over()

    def _is_over(self) -> bool:
        if time.monotonic() - self._polled_at > POLL_SECONDS:
            self._polled_at = time.monotonic()
            self.background = self._is_deprioritised or self._polled_at - self._seen > LEFT
            if self._polled_at - self._seen > ABANDONED or not self._watched():
                self._stop.set()
        return self._stop.is_set()

    def report(self, progress: Progress) -> None:
        """Note how far the run has come."""
        self.progress = progress

    def publish(self, result: Any) -> None:
        """Hand over a part of the answer before the whole is ready."""
        with self._news:
            self.results = (*self.results, result)
            self._news.notify_all()

    @property
    def result(self) -> Any:
        """The last result; None before the first."""
        return self.results[-1] if self.results else None

    def stop(self) -> None:
        """Ask the worker to return with what it has."""
        self.stopped = self.stopped or not self.done
        self._stop.set()
        self._release_if_stopped()

    @contextmanager
    def uninterruptible(self) -> Iterator[None]:
        """Work here whose half is worth nothing: once stopped the run is done, though its worker be busy for a while.

        A product or a LAPACK decomposition takes seconds and cannot be interrupted: the page does not wait for its end.
        """
        self._is_uninterruptible = True
        try:
            self._release_if_stopped()
            yield
        finally:
            self._is_uninterruptible = False

    def _release_if_stopped(self) -> None:
        if self._is_uninterruptible and self._stop.is_set():
            with self._news:
                self.done = True
                self._news.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until done, at most ``seconds``; return whether it is done."""
        self._seen = time.monotonic()
        self.background = self._is_deprioritised
        with self._news:
            return self._news.wait_for(lambda: self.done, max(0.0, seconds))

    def run(self, work: Work, after: Job | None = None) -> None:
        """Wait for a worker and do the work in this thread; a run stopped while it waits is done."""
        while after is not None and not self._is_over() and after.age < AFTER:
            with after._news:  # not as a page that shows it waits
                if after._news.wait_for(lambda: after.done or bool(after.results), STOP_POLL_SECONDS):
                    break
        if self._workers.acquire(self, self._is_over):
            self._working = True
            try:
                self._do(work)
            finally:
                if self._working:
                    self._workers.release()
                self._working = False
        with self._news:
            self.done = True
            self._news.notify_all()

    def _do(self, work: Work) -> None:
        """Do the work; whatever goes wrong becomes ``problem``, in plain words."""
        if self._is_over():
            return
        try:
            with one_blas_thread():
                if (last := work(self)) is not None:
                    self.publish(last)
        except (ValueError, OSError, CertificateError) as error:  # their messages are for people, DataError's too
            self.problem = str(error)
        except MemoryError:
            self.problem = "This needs more memory than the machine has. Try a smaller k or another solver."
        except Exception as error:
            logging.getLogger(__name__).exception("a run failed")
            self.problem = (
                f"The run ended with an error inside the library: {type(error).__name__}{reason(error, 300)}."
            )
