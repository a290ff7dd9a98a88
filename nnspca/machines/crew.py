"""Crews: parallel tasks on threads, processes or any executor, which share one object and can be cancelled."""

from __future__ import annotations

import functools
import itertools
import os
import pickle
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from pathlib import Path
from typing import Any, TypeVar

from nnspca.control.progress import Monitor, ShouldStop

POLL_SECONDS = 0.05  # between two polls of the stop switch, here and in other processes
GRACE = 0.3  # seconds within which a stopped remote worker may still return its result

_N = TypeVar("_N")
Task = Callable[..., Any]
TaskArguments = tuple[Any, ...] | None


class Crew(ABC):
    """Workers that share one object.

    A task is called as ``task(shared, *arguments, should_stop)``. It is a module-level function, so
    that it can be pickled, and its result depends on its arguments alone.
    ``shared`` is the first argument of every task, sent to each remote worker once; the stop switch of ``monitor`` is
    polled here while tasks are awaited; ``cancelled`` is whether the workers were stopped.
    """

    width = 8  # about how many tasks run at a time
    patience: float | None = None  # seconds to wait for running tasks after a stop; None: until they return

    def __init__(self, shared: object, monitor: Monitor) -> None:
        self.shared, self.monitor, self.cancelled = shared, monitor, False
        self._submitted: dict[Future[Any], tuple[int, Task, tuple[Any, ...]]] = {}
        self._count = itertools.count()

    def submit(self, task: Task, *arguments: object) -> Future[Any]:
        """Submit a task to the next free worker."""
        future = self._send(task, arguments)
        self._submitted[future] = next(self._count), task, arguments
        return future

    def each(self, task: Task, arguments: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Run a task for each of the arguments; yield their numbers and results in order of completion.

        Only enough tasks to keep all workers busy are submitted, so the workers pause when the caller does.
        """
        numbered = enumerate(arguments)
        numbers: dict[Future[Any], int] = {}

        def give(count: int) -> set[Future[Any]]:
            new = {self.submit(task, *its): number for number, its in itertools.islice(numbered, count)}
            numbers.update(new)
            return set(new)

        waiting = give(2 * self.width)
        for future, value in self.completed(waiting):
            yield numbers.pop(future), value
            if not self.cancelled:
                waiting |= give(1)

    def when_ready(
        self,
        task: Task,
        names: Iterable[_N],
        ahead: int,
        ready: Callable[[_N], bool],
        begin: Callable[[_N], TaskArguments],
    ) -> Iterator[tuple[_N, Any]]:
        """Run a task for each name, the first ready one first; yield names and results in order of completion.

        ``ready`` is evaluated again whenever a task has ended; ``begin`` returns the arguments, or
        None if nothing is left to do. At most ``ahead`` are submitted at a time, so that other
        callers can use the workers too.
        """
        waiting = list(names)
        running: set[Future[Any]] = set()
        names_of: dict[Future[Any], _N] = {}

        def give() -> None:
            while len(running) < ahead and not self.monitor.stop():
                name = next(filter(ready, waiting), None)
                if name is None:
                    return
                waiting.remove(name)
                if (arguments := begin(name)) is not None:
                    future = self.submit(task, *arguments)
                    names_of[future] = name
                    running.add(future)

        give()
        for future, value in self.completed(running):
            yield names_of.pop(future), value
            give()

    def completed(self, futures: set[Future[Any]]) -> Iterator[tuple[Future[Any], Any]]:
        """Yield futures and results in order of completion, and remove them from the given set.

        Tasks may be added to the set meanwhile. After a stop, only those that had begun are
        yielded.
        """
        while futures:
            if self._stopping():
                futures -= {future for future in futures if future.cancel()}
                ended = wait(futures, timeout=self.patience).done
                left: set[Future[Any]] = set()
            else:
                ended, left = wait(futures, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            for future in sorted(ended, key=self._order):
                futures.discard(future)
                yield future, self._outcome(future)
            if self.cancelled and not left:
                return

    def result(self, future: Future[Any]) -> Any:
        """Wait for one task; None if it was stopped before it began."""
        for _, value in self.completed({future}):
            return value
        return None

    def close(self) -> None:
        """Release the shared object."""
        self._submitted.clear()

    def _order(self, future: Future[Any]) -> int:
        """The number of a task in order of submission."""
        return self._submitted[future][0]

    def _stopping(self) -> bool:
        if not self.cancelled and self.monitor.stop():
            self.cancelled = True
            self._halt()
        return self.cancelled

    def _outcome(self, future: Future[Any]) -> Any:
        """The result of a task; if its worker was lost, the task is run here."""
        _, task, arguments = self._submitted.pop(future)
        try:
            return future.result()
        except BrokenExecutor:
            return task(self.shared, *arguments, self.monitor.should_stop)

    @abstractmethod
    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        """Send a task to a worker."""

    def _halt(self) -> None:  # noqa: B027  # most workers poll the switch themselves
        """Stop the workers that cannot poll the switch themselves."""


class SerialCrew(Crew):
    """Runs each task in the calling thread when its result is awaited, in order of submission."""

    width = 1

    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        return Future()

    def completed(self, futures: set[Future[Any]]) -> Iterator[tuple[Future[Any], Any]]:
        """Run the tasks one after the other; none begins after a stop."""
        while futures and not self._stopping():
            future = min(futures, key=self._order)
            futures.remove(future)
            _, task, arguments = self._submitted.pop(future)
            yield future, task(self.shared, *arguments, self.monitor.should_stop)


class ThreadCrew(Crew):
    """Threads of this process, which share memory and the stop switch."""

    def __init__(self, executor: Executor, shared: object, monitor: Monitor) -> None:
        super().__init__(shared, monitor)
        self._executor = executor
        self.width = int(getattr(executor, "_max_workers", Crew.width))

    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        return self._executor.submit(task, self.shared, *arguments, self.monitor.should_stop)


class ProcessCrew(ThreadCrew):
    """Processes of this machine: each reads the shared object from a file once; another file signals the stop."""

    def __init__(self, executor: Executor, shared: object, monitor: Monitor) -> None:
        super().__init__(executor, shared, monitor)
        self._folder = tempfile.TemporaryDirectory(prefix="nnspca-", ignore_cleanup_errors=True)
        self._file, self._flag = (Path(self._folder.name, name) for name in ("shared", "stop"))
        self._file.write_bytes(pickle.dumps(shared))

    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        try:
            return self._executor.submit(_in_process, task, str(self._file), arguments, str(self._flag))
        except BrokenExecutor as error:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    def _halt(self) -> None:
        self._flag.touch()

    def close(self) -> None:
        """Release the shared object and remove its file."""
        super().close()
        self._folder.cleanup()


class GenericCrew(ThreadCrew):
    """Any other executor: each task carries the shared object and runs to its end."""

    patience = 0.0

    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        return self._executor.submit(task, self.shared, *arguments, None)


def _in_process(task: Task, file: str, arguments: tuple[Any, ...], flag: str) -> Any:
    """Run one task in a worker process."""
    return task(_shared(file), *arguments, _throttled(lambda: os.path.exists(flag)))


@functools.lru_cache(maxsize=1)
def _shared(file: str) -> object:
    return pickle.loads(Path(file).read_bytes())


def _throttled(ask: ShouldStop) -> ShouldStop:
    """Call a slow stop switch at most every ``POLL_SECONDS``: a solver may poll thousands of times a second."""
    last, stopped = 0.0, False

    def should_stop() -> bool:
        nonlocal last, stopped
        if not stopped and time.monotonic() - last > POLL_SECONDS:
            last, stopped = time.monotonic(), ask()
        return stopped

    return should_stop
