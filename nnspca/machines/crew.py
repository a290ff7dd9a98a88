"""A crew: workers that were all handed one thing, are given tasks about it, and hear of Stop."""

from __future__ import annotations

import functools
import os
import pickle
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from pathlib import Path
from typing import Any

from nnspca.progress import Monitor, ShouldStop

LOOK = 0.05  # seconds between two looks at whether to stop, here and in other processes
GRACE = 0.3  # seconds in which a worker elsewhere that was told to stop may still hand over what it has

Task = Callable[..., Any]


class Crew(ABC):
    """Workers who share one thing.

    A task is called as ``task(shared, *arguments, should_stop)``. It is a function of a module, so that it can be sent
    elsewhere, and what it returns depends on its arguments alone.

    Attributes
    ----------
    shared : object
        What every task is about; sent to a worker once, where workers are elsewhere.
    monitor : Monitor
        Its stop switch is looked at here while tasks are waited for.
    told : bool
        Whether the workers were told to stop.
    """

    patience: float | None = None  # seconds to wait for those at work once they were told; None: until they return

    def __init__(self, shared: object, monitor: Monitor) -> None:
        self.shared, self.monitor, self.told = shared, monitor, False
        self._given: dict[Future[Any], tuple[Task, tuple[Any, ...]]] = {}

    def submit(self, task: Task, *arguments: object) -> Future[Any]:
        """Give a task to whoever is free."""
        future = self._send(task, arguments)
        self._given[future] = task, arguments
        return future

    def completed(self, futures: Iterable[Future[Any]]) -> Iterator[tuple[Future[Any], Any]]:
        """Yield tasks with what they returned, in the order they end; once stopped, those that had begun."""
        left = set(futures)
        while left:
            done, left = wait(left, timeout=LOOK, return_when=FIRST_COMPLETED)
            for future in done:
                if not future.cancelled():
                    yield future, self._outcome(future)
            if left and self._stopping():
                left = {future for future in left if not future.cancel()}
                done, left = wait(left, timeout=self.patience)
                for future in done:
                    if not future.cancelled():
                        yield future, self._outcome(future)
                return

    def result(self, future: Future[Any]) -> Any:
        """Wait for one task; None where it was stopped before it began."""
        for _, value in self.completed([future]):
            return value
        return None

    def close(self) -> None:
        """Forget what was shared."""
        self._given.clear()

    def _stopping(self) -> bool:
        if not self.told and self.monitor.stop():
            self.told = True
            self._halt()
        return self.told

    def _outcome(self, future: Future[Any]) -> Any:
        """What a task returned; where its worker was lost and there is no other, the task is done here."""
        task, arguments = self._given.pop(future)
        try:
            return future.result()
        except BrokenExecutor:
            return task(self.shared, *arguments, self.monitor.should_stop)

    @abstractmethod
    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        """Send a task to a worker."""

    def _halt(self) -> None:  # noqa: B027  # most see the switch themselves
        """Tell the workers to stop, where they cannot see the switch themselves."""


class Threads(Crew):
    """Threads of this process: they see what is shared, and the stop switch."""

    def __init__(self, executor: Executor, shared: object, monitor: Monitor) -> None:
        super().__init__(shared, monitor)
        self._executor = executor

    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        return self._executor.submit(task, self.shared, *arguments, self.monitor.should_stop)


class Processes(Crew):
    """Processes of this machine: what is shared lies in a file that each reads once, and so does word of Stop."""

    def __init__(self, executor: Executor, shared: object, monitor: Monitor) -> None:
        super().__init__(shared, monitor)
        self._executor = executor
        self._folder = tempfile.TemporaryDirectory(prefix="nnspca-", ignore_cleanup_errors=True)
        self._file, self._flag = (Path(self._folder.name, name) for name in ("shared", "stop"))
        self._file.write_bytes(pickle.dumps(shared))

    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        try:
            return self._executor.submit(_in_process, task, str(self._file), arguments, str(self._flag))
        except BrokenExecutor as error:
            lost: Future[Any] = Future()
            lost.set_exception(error)
            return lost

    def _halt(self) -> None:
        self._flag.touch()

    def close(self) -> None:
        """Forget what was shared, and remove its file."""
        super().close()
        self._folder.cleanup()


class Others(Crew):
    """Workers of whom nothing is known: all that a task needs goes with it, and it runs to its end."""

    patience = 0.0

    def __init__(self, executor: Executor, shared: object, monitor: Monitor) -> None:
        super().__init__(shared, monitor)
        self._executor = executor

    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        return self._executor.submit(task, self.shared, *arguments, None)


def _in_process(task: Task, file: str, arguments: tuple[Any, ...], flag: str) -> Any:
    """One task, in a process of its own."""
    return task(_shared(file), *arguments, _seldom(lambda: os.path.exists(flag)))


@functools.lru_cache(maxsize=1)
def _shared(file: str) -> object:
    return pickle.loads(Path(file).read_bytes())


def _seldom(ask: ShouldStop) -> ShouldStop:
    """Ask at most every ``LOOK`` seconds: a solver may ask thousands of times a second."""
    last, said = 0.0, False

    def should_stop() -> bool:
        nonlocal last, said
        if not said and time.monotonic() - last > LOOK:
            last, said = time.monotonic(), ask()
        return said

    return should_stop
