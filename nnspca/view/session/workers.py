"""One run, and the few workers all sessions share: what it has found, who is served next, and who gives way."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any

from nnspca.result import Progress
from nnspca.threads import one_blas_thread

POLL = 0.5  # seconds between two looks at a running job
ABANDONED = 300.0  # seconds after which a run that nobody looks at stops itself
TURN = 6.0  # seconds of work after which a run gives way to others that wait
LOOK = 0.1  # seconds between two looks at whether a waiting run was stopped


class Ticket:
    """One run's claim to a worker.

    Attributes
    ----------
    background : bool
        Whether nobody waits for this run: it works only while all others are served.
    """

    def __init__(self) -> None:
        self.background = False
        self._turn = 0  # its place in the order of asking; a new one whenever it gives way
        self._since = 0.0  # when it was last given a worker


class Workers:
    """A bounded number of workers: first come first served, in turns where more runs ask than there are workers.

    A run holds its worker from :meth:`acquire` to :meth:`release` and calls :meth:`give_way` as often as it looks
    for Stop: there it waits while others are before it. So a quick run never waits for the end of a long one.
    """

    def __init__(self, count: int):
        self._free = count
        self._waiting: list[Ticket] = []
        self._changed = threading.Condition()
        self._asked = 0

    def acquire(self, ticket: Ticket, stopped: Callable[[], bool]) -> bool:
        """Wait for a worker; return False, without one, where the run was stopped before its turn came."""
        with self._changed:
            self._join(ticket)
            while not self._is_next(ticket):
                self._changed.wait(LOOK)
                if stopped():
                    self._waiting.remove(ticket)
                    self._changed.notify_all()
                    return False
            self._waiting.remove(ticket)
            self._free -= 1
            ticket._since = time.monotonic()
            self._changed.notify_all()
            return True

    def release(self) -> None:
        """Give a worker back."""
        with self._changed:
            self._free += 1
            self._changed.notify_all()

    def give_way(self, ticket: Ticket, stopped: Callable[[], bool]) -> bool:
        """Hand the worker to whoever is before this run and wait for the next turn.

        Returns
        -------
        bool
            Whether the run has a worker: False only where it was stopped while it waited.
        """
        if not self._waiting:  # read without the lock: this is called thousands of times a second
            return True
        with self._changed:
            if not self._should_give_way(ticket):
                return True
            self._free += 1
            self._changed.notify_all()
        return self.acquire(ticket, stopped)

    def before(self, ticket: Ticket) -> int | None:
        """Return how many runs are served before this one; None where it is not waiting."""
        with self._changed, suppress(ValueError):
            return self._order().index(ticket)
        return None

    def _join(self, ticket: Ticket) -> None:
        self._asked += 1
        ticket._turn = self._asked
        self._waiting.append(ticket)

    def _order(self) -> list[Ticket]:
        return sorted(self._waiting, key=lambda ticket: (ticket.background, ticket._turn))

    def _is_next(self, ticket: Ticket) -> bool:
        return ticket in self._order()[: self._free]

    def _should_give_way(self, ticket: Ticket) -> bool:
        """Tell whether someone waits who goes first: anyone before the background, and peers once a turn is over."""
        over = time.monotonic() - ticket._since > TURN
        waiting = [other for other in self._waiting if not other.background or ticket.background]
        return self._free < len(waiting) and any(over or (ticket.background and not w.background) for w in waiting)


Work = Callable[["Job"], Any]


class Job:
    """One run, shared by the thread that works and the pages that look.

    The worker calls :meth:`report` and :meth:`publish` and polls :meth:`should_stop`; the pages read
    ``progress``, ``about`` (what the worker has in hand, where it does several things), ``arrived``,
    ``trace``, ``result``, ``problem`` and ``done``.
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
        self._thread: int | None = None  # the one that works, while it has a worker

    @property
    def done(self) -> bool:
        """Whether the worker has returned."""
        return self._finished

    @property
    def version(self) -> tuple[int, bool]:
        """Changes whenever there is something new to draw besides progress."""
        return len(self.arrived), self.done

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

    def step_back(self) -> None:
        """Let all other runs go first from now on: what people wait for has been handed over."""
        self._ticket.background = True

    def should_stop(self) -> bool:
        """Tell the worker whether to give up: someone pressed Stop, or nobody can see the run any more.

        Here the run also waits while others have their turn: whatever asks often enough to stop in time gives
        way in time.
        """
        here = threading.get_ident() == self._thread
        if here and not self._workers.give_way(self._ticket, self._is_over):
            self._thread = None
        return self._is_over()

    def _is_over(self) -> bool:
        if time.monotonic() - self._asked > POLL:
            self._asked = time.monotonic()
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

    def wait(self, seconds: float) -> bool:
        """Wait until done, at most ``seconds``; return whether it is done."""
        return self._wait_until(lambda: self._finished, seconds)

    def wait_for_first(self, age: float) -> bool:
        """Wait until something was handed over or all is done, to this ``age`` at most; return whether it is so."""
        return self._wait_until(lambda: self._finished or bool(self.arrived), age - self.age)

    def _wait_until(self, is_so: Callable[[], bool], seconds: float) -> bool:
        self._seen = time.monotonic()
        with self._news:
            return self._news.wait_for(is_so, max(0.0, seconds))

    def take_part(self, work: Work) -> None:
        """Wait for a worker and do the work in this thread; a run stopped while it waits is done."""
        if self._workers.acquire(self._ticket, self._is_over):
            self._thread = threading.get_ident()
            try:
                self._do(work)
            finally:
                if self._thread is not None:
                    self._workers.release()
                self._thread = None
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
            self.problem = f"The run ended with an error inside the library ({type(error).__name__}: {error})."
