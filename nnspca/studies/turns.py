"""Turns: threads that run one at a time, each with its own clock of CPU seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from nnspca.control.progress import Progress
from nnspca.errors import reason
from nnspca.studies.race_state import BARRED, FINISHED, RUNNING, STOPPED

SLICE = 0.05  # CPU seconds of one turn


class Turns:
    """Work in a thread that runs only during its turns, with its own clock of CPU seconds.

    A turn ends when the work polls its stop switch, so it must poll often.
    """

    work: Callable[[], bool]  # does the work; returns whether it finished

    def __init__(self, limit: float) -> None:
        self.limit, self.state, self.reason = limit, RUNNING, ""
        self.seconds = self.fraction = 0.0
        self.cancelled = False
        self._resume, self._returned = threading.Semaphore(0), threading.Semaphore(0)
        self._thread: threading.Thread | None = None
        self._started = self._turn_started = 0.0

    def turn(self) -> None:
        """Run the work until its turn, or the work, ends."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._begin, name="nnspca-race", daemon=True)
            self._thread.start()
        else:
            self._resume.release()
        self._returned.acquire()
        if self.state != RUNNING:
            self._thread.join()

    def _begin(self) -> None:
        self._started = self._turn_started = time.thread_time()
        try:
            finished = self.work()
            self.state = FINISHED if finished else STOPPED
            self.reason = "" if finished else "it was stopped" if self.cancelled else "its time was up"
        except (ValueError, MemoryError) as error:
            self.state, self.reason = BARRED, str(error) or "it needs more memory than there is"
        except Exception as error:  # the other threads continue
            self.state, self.reason = BARRED, f"it failed: {type(error).__name__}{reason(error, 300)}"
        finally:
            self.read_clock()
            self.fraction = 1.0
            self._returned.release()

    def read_clock(self) -> float:
        """Return the CPU seconds used, which do not advance during other turns."""
        self.seconds = time.thread_time() - self._started
        return self.seconds

    def should_stop(self) -> bool:
        """The stop switch of the work; when the turn is over it blocks until the next one."""
        seconds = self.read_clock()
        if time.thread_time() - self._turn_started >= SLICE and not self.cancelled:
            self._returned.release()
            self._resume.acquire()
            self._turn_started = time.thread_time()
        return self.cancelled or seconds > self.limit

    def on_progress(self, progress: Progress) -> None:
        """Record the progress of the work."""
        self.fraction = max(self.fraction, min(progress.fraction, 1.0))
