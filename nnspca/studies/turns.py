"""Turns: threads of which one runs at a time, each with a clock of its own CPU seconds."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from nnspca.calls.progress import Progress
from nnspca.errors import reason
from nnspca.studies.standing import BARRED, FINISHED, RUNNING, STOPPED

SLICE = 0.05  # seconds of the processor that one has before it is the next one's turn


@dataclass
class Turns:
    """Work in its own thread that runs only during its turns, with a clock of its own CPU seconds.

    Turns end in the stop switch, so the work has to poll it often.
    """

    limit: float
    state: str = field(default=RUNNING, init=False)
    reason: str = field(default="", init=False)
    seconds: float = field(default=0.0, init=False)
    fraction: float = field(default=0.0, init=False)
    over: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._mine, self._theirs = threading.Semaphore(0), threading.Semaphore(0)
        self._thread: threading.Thread | None = None
        self._began = self._turned = 0.0

    def turn(self) -> None:
        """Let the work run; return when its turn, or the work, has ended."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._begin, name="nnspca-race", daemon=True)
            self._thread.start()
        else:
            self._mine.release()
        self._theirs.acquire()
        if self.state != RUNNING:
            self._thread.join()

    def _begin(self) -> None:
        self._began = self._turned = time.thread_time()
        try:
            ended = self.work()
            self.state = FINISHED if ended else STOPPED
            self.reason = "" if ended else "it was stopped" if self.over else "its time was up"
        except (ValueError, MemoryError) as error:
            self.state, self.reason = BARRED, str(error) or "it needs more memory than there is"
        except Exception as error:  # the others go on
            self.state, self.reason = BARRED, f"it failed: {type(error).__name__}{reason(error, 300)}"
        finally:
            self.look()
            self.fraction = 1.0
            self._theirs.release()

    def work(self) -> bool:
        """Do the work; return whether it finished."""
        raise NotImplementedError

    def look(self) -> float:
        """Read the clock; it stands still during other turns."""
        self.seconds = time.thread_time() - self._began
        return self.seconds

    def should_stop(self) -> bool:
        """The work's stop switch; it blocks until the next turn."""
        now = self.look()
        if time.thread_time() - self._turned >= SLICE and not self.over:
            self._theirs.release()
            self._mine.acquire()
            self._turned = time.thread_time()
        return self.over or now > self.limit

    def on_progress(self, progress: Progress) -> None:
        """Record the progress of the work."""
        self.fraction = max(self.fraction, min(progress.fraction, 1.0))
