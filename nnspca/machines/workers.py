"""Tasks on any executor: they share one object, can be stopped, and come out the same wherever they run."""

from __future__ import annotations

import inspect
import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, ThreadPoolExecutor, wait
from concurrent.futures import Executor as FuturesExecutor
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from nnspca.control.arguments import check_callables, shown
from nnspca.control.progress import Monitor, ShouldStop
from nnspca.errors import ReadingStopped
from nnspca.machines.processes import Line, Processes, are_processes

PATIENCE = 2.0  # seconds in which a cluster's tasks return what they have after a stop
POLL_SECONDS = 0.05  # between two polls of the stop switch
WIDTH = 8  # tasks at a time on an executor that does not say how many it runs
LOST = "a worker ended before its task was done: its process was killed, ran out of memory, or lost its connection"

_N = TypeVar("_N")
_T = TypeVar("_T")
P = ParamSpec("P")
Executor = Any  # a concurrent.futures.Executor or a dask.distributed.Client; Dask is optional
Call = Callable[..., Any]
TaskArguments = tuple[Any, ...] | None


class Here(FuturesExecutor):
    """Runs every call at once, in the caller's own thread."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        """Call the function."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments, **settings))
        except Exception as error:  # raised again where the result is asked for
            future.set_exception(error)
        return future


HERE = Here()


class Workers:
    """The workers of an executor, or two threads, which share one object until the block ends.

    A task is called as ``task(shared, *arguments, should_stop)``. It is a module-level function, so that it can be
    pickled, and its result depends on its arguments alone. ``shared`` goes to each process or machine once, the stop
    switch of ``monitor`` is polled here while tasks are awaited, and ``cancelled`` is whether they were stopped.

    >>> def larger(shared, by, should_stop):
    ...     return shared + by
    >>> with Workers(None, 40, Monitor()) as workers:
    ...     workers.result(workers.submit(larger, 2))
    42
    """

    def __init__(
        self,
        executor: Executor,
        shared: object,
        monitor: Monitor,
        listeners: Mapping[str, Callable[..., None]] | None = None,
    ) -> None:
        self.shared, self.monitor, self.cancelled = shared, monitor, False
        self.listeners = dict(listeners or {})
        self.failure: Exception | None = None  # of a listener
        self.turn = threading.Lock()  # held while the stop switch is polled: tasks elsewhere wait while it blocks
        self._own = ThreadPoolExecutor(2) if executor is None else None
        client = _client(executor)
        self._executor = self._own or (client.get_executor(pure=False) if executor is client else executor)
        self.width = int(getattr(self._executor, "_max_workers", 1 if executor is HERE else WIDTH))
        # seconds to wait for running tasks after a stop: those on an executor of which nothing is known hear of none
        self.patience = None if isinstance(self._executor, Here | ThreadPoolExecutor) else 0.0
        self._submitted: dict[Future[Any], tuple[int, Call, tuple[Any, ...], bool]] = {}
        self._count = itertools.count()
        self._line: Any = None  # to workers that do not share this memory
        if client is not None:
            from nnspca.machines.cluster import Cluster

            self._line, self.patience = Cluster(client, shared), PATIENCE
            self.width = max(1, sum(client.nthreads().values()))
        elif are_processes(self._executor):
            self._line, self.patience = Line(self), None
        self.ahead = 1 if executor is HERE else 2 * self.width  # tasks submitted at a time

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        self.cancelled = True
        for future in self._submitted:
            future.cancel()
        line, self._line = self._line, None  # with it goes what is shared
        if self.patience and self._submitted:  # a cluster is told; processes ask
            line.halt()
        if self._own is not None:
            self._own.shutdown()

    def _stopped(self) -> bool:
        """Whether the call has ended, with an error or without, or is to be stopped."""
        return self.cancelled or self.monitor.interrupted()

    def submit(self, task: Call, *arguments: object) -> Future[Any]:
        """Submit a task to the next free worker."""
        return self._send(task, arguments, again=False)

    def _send(self, task: Call, arguments: tuple[Any, ...], *, again: bool) -> Future[Any]:
        try:
            if self._line is not None:
                future = self._executor.submit(*self._line.sent(task, arguments))
            else:
                should_stop = self._stopped if self.patience is None else None
                future = self._executor.submit(task, self.shared, *arguments, should_stop)
        except BrokenExecutor as error:
            raise BrokenExecutor(LOST) from error
        self._submitted[future] = next(self._count), task, arguments, again
        return future

    def each(self, task: Call, arguments: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Run a task for each of the arguments; yield their numbers and results in order of completion."""
        numbered = dict(enumerate(arguments))
        return self.when_ready(task, numbered, self.ahead, lambda number: True, numbered.__getitem__)

    def when_ready(
        self,
        task: Call,
        names: Iterable[_N],
        ahead: int,
        ready: Callable[[_N], bool],
        begin: Callable[[_N], TaskArguments],
    ) -> Iterator[tuple[_N, Any]]:
        """Run a task for each name, the first ready one first; yield names and results in order of completion.

        ``ready`` is evaluated again whenever a task has ended; ``begin`` returns the arguments, or None if nothing is
        left to do. At most ``ahead`` are submitted at a time: workers pause when the caller does, and others can use
        them too.
        """
        waiting = list(names)
        running: set[Future[Any]] = set()
        names_of: dict[Future[Any], _N] = {}

        def give() -> None:
            while len(running) < ahead and not self._stopping():
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

        Tasks may be added to the set meanwhile. After a stop, only those that had begun are yielded.
        """
        while futures:
            if self._stopping():
                if self.patience:  # on a cluster a task that has begun could be cancelled too
                    wait(futures, timeout=self.patience)
                futures -= {future for future in futures if future.cancel()}
                ended, left = wait(futures, timeout=self.patience and 0.0).done, set[Future[Any]]()
            else:
                ended, left = wait(futures, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            for future in sorted(ended, key=lambda future: self._submitted[future][0]):
                futures.discard(future)
                yield future, self._outcome(future)
            if self.cancelled and not left:
                return

    def result(self, future: Future[Any]) -> Any:
        """Wait for one task; None if it was stopped before it began."""
        return next((value for _, value in self.completed({future})), None)

    def _stopping(self) -> bool:
        if not self.cancelled:
            with self.turn:
                self.cancelled = self.failure is not None or self.monitor.stop()
            if self.cancelled and self.patience:
                self._line.halt()
        return self.cancelled

    def _outcome(self, future: Future[Any]) -> Any:
        """The result of a task; if its process was lost, it is sent once more where there are new ones."""
        _, task, arguments, again = self._submitted.pop(future)
        if self.failure is not None:
            raise self.failure
        try:
            return future.result()
        except ReadingStopped:  # in a pass over data
            return None
        except (BrokenExecutor, CancelledError, *getattr(self._line, "lost", ())) as error:
            if again or not isinstance(self._executor, Processes):
                raise BrokenExecutor(LOST) from error
            return self.result(self._send(task, arguments, again=True))


def check_executor(executor: object) -> None:
    """Raise TypeError unless the argument can run tasks."""
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise TypeError(
            f"executor={shown(executor)} is not allowed; give a concurrent.futures.Executor, a "
            "dask.distributed.Client, or None"
        )


@contextmanager
def jobs(n_jobs: int | None) -> Iterator[Executor]:
    """Provide ``n_jobs`` processes (-1: one for each processor) until the block ends; None for None.

    >>> with jobs(None) as executor:
    ...     print(executor)
    None
    """
    if n_jobs is None:
        yield None
        return
    whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if not whole or (n_jobs < 1 and n_jobs != -1):
        raise ValueError(f"n_jobs={shown(n_jobs)} is not allowed; give a number of processes, -1 for one a processor")
    with Processes(os.cpu_count() or 1 if n_jobs == -1 else int(n_jobs)) as processes:
        yield processes


def asked(
    shared: object, function: Call, arguments: tuple[Any, ...], settings: dict[str, Any], should_stop: ShouldStop | None
) -> Any:
    """As a task: make one call with ``shared``, which takes the stop switch by name."""
    return function(shared, *arguments, should_stop=should_stop, **settings)


def call(
    executor: Executor,
    function: Callable[..., _T],
    shared: object,
    *arguments: object,
    should_stop: ShouldStop | None,
    listeners: Mapping[str, Callable[..., None]],
    **settings: object,
) -> _T:
    """Make one call with ``shared``: on a worker of an executor, of ``Processes`` on a free one, or else here.

    Listeners hear from threads and processes of this machine, not from a cluster.

    >>> def count(shared, *, should_stop, on_progress):
    ...     on_progress("counting")
    ...     return len(shared)
    >>> call(None, count, "abc", should_stop=None, listeners={"on_progress": print})
    counting
    3
    """
    own = executor if isinstance(executor, Processes) else None
    if executor not in (None, HERE) and (own is None or own.take()):
        names = tuple(listeners) if are_processes(executor) else ()
        how = {**settings, **(listeners if isinstance(executor, ThreadPoolExecutor) else {})}
        try:
            with Workers(executor, shared, Monitor(should_stop), listeners) as workers:
                answer = workers.result(workers.submit(_called, function, arguments, how, names))
                if workers.failure is not None:
                    raise workers.failure
        finally:
            if own is not None:
                own.give_back()
        if answer is not None:
            return answer[0]
        should_stop = lambda: True  # noqa: E731  # it had not begun: the call returns what it has at once
    return function(shared, *arguments, should_stop=should_stop, **settings, **listeners)


def with_executor(function: Callable[P, _T]) -> Callable[P, _T]:
    """Let a function of a covariance, which comes first, take ``executor``: the call is made by one of its workers."""
    signature = inspect.signature(function)

    @wraps(function)
    def made(*args: P.args, **settings: P.kwargs) -> _T:
        if (executor := settings.pop("executor", None)) is None:
            return function(*args, **settings)
        check_executor(executor)
        given = signature.bind(*args, **settings)
        asked, options = given.arguments, given.arguments.pop("options", {})
        shared, stop = asked.pop("cov"), asked.pop("should_stop", None)
        heard = {name: asked.pop(name) for name in list(asked) if name.startswith("on_") and asked[name] is not None}
        check_callables(should_stop=stop, **heard)
        run: Callable[..., _T] = made
        return call(executor, run, shared, should_stop=stop, listeners=heard, **asked, **options)

    return made


def _called(
    shared: object,
    function: Call,
    arguments: tuple[Any, ...],
    settings: dict[str, Any],
    names: tuple[str, ...],
    far: Any,
) -> tuple[Any]:
    """On a worker: one call, whose reports go to the caller."""
    listeners = {name: partial(far.tell, name) for name in names}
    return (function(shared, *arguments, should_stop=far, **settings, **listeners),)


def _client(executor: Executor) -> Any:
    """The Dask client behind an executor (the executor itself, or the one that made it); None if there is none."""
    distributed: Any = sys.modules.get("distributed")  # a client exists only if it was imported
    behind = executor if distributed is None else getattr(executor, "_client", executor)
    return behind if distributed is not None and isinstance(behind, distributed.Client) else None
