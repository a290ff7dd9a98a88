"""Chooses the crew for an executor."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor as PoolExecutor
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from nnspca.control.arguments import shown
from nnspca.control.progress import Monitor, ShouldStop
from nnspca.machines import pool
from nnspca.machines.crew import Crew, GenericCrew, ProcessCrew, SerialCrew, ThreadCrew
from nnspca.machines.process import Order

HERE = object()  # no executor: the caller's own thread

_T = TypeVar("_T")
Executor = Any  # a concurrent.futures.Executor or a dask.distributed.Client; Dask is optional


def check_executor(executor: object) -> None:
    """Raise TypeError unless the argument can run tasks."""
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise TypeError(
            f"executor={shown(executor)} is not allowed; give a concurrent.futures.Executor, a "
            "dask.distributed.Client, or None"
        )


@contextmanager
def jobs(executor: Executor, n_jobs: int | None) -> Iterator[Executor]:
    """Provide the executor, or a pool of ``n_jobs`` processes (-1: one for each processor), until the block ends.

    >>> with jobs(None, None) as executor:
    ...     print(executor)
    None
    """
    if n_jobs is None:
        yield executor
        return
    if executor is not None:
        raise ValueError(f"n_jobs={shown(n_jobs)} and executor={shown(executor)} both say where to work; give one")
    whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if not whole or (n_jobs < 1 and n_jobs != -1):
        raise ValueError(f"n_jobs={shown(n_jobs)} is not allowed; give a number of processes, -1 for one a processor")
    with pool.Pool(os.cpu_count() or 1 if n_jobs == -1 else int(n_jobs)) as processes:
        yield processes


@contextmanager
def crew(executor: Executor, shared: object, monitor: Monitor) -> Iterator[Crew]:
    """Share an object with the workers of an executor, or with two threads, until the block ends.

    With ``HERE`` the tasks run in the calling thread.

    >>> def larger(shared, by, should_stop):
    ...     return shared + by
    >>> with crew(None, 40, Monitor()) as workers:
    ...     workers.result(workers.submit(larger, 2))
    42
    """
    if executor is None:
        with ThreadPoolExecutor(2) as threads:
            yield ThreadCrew(threads, shared, monitor)
        return
    workers = _crew(executor, shared, monitor)
    try:
        yield workers
    finally:
        workers.close()


def _crew(executor: Executor, shared: object, monitor: Monitor) -> Crew:
    if executor is HERE:
        return SerialCrew(shared, monitor)
    if isinstance(executor, pool.Pool):
        return pool.PoolCrew(executor, shared, monitor)
    client = _client(executor)
    if client is not None:
        from nnspca.machines.cluster import Cluster

        return Cluster(client, shared, monitor)
    if isinstance(executor, ThreadPoolExecutor):
        return ThreadCrew(executor, shared, monitor)
    if isinstance(executor, ProcessPoolExecutor):
        return ProcessCrew(executor, shared, monitor)
    return GenericCrew(executor, shared, monitor)


def call(
    executor: Executor,
    function: Callable[..., _T],
    shared: object,
    *arguments: object,
    should_stop: ShouldStop | None,
    listeners: Mapping[str, Callable[..., None]],
    **settings: object,
) -> _T:
    """Make one call with ``shared``: on the cluster of a Dask client, in a process of a :class:`Pool`, or else here.

    >>> def count(shared, *, should_stop, on_progress):
    ...     on_progress("counting")
    ...     return len(shared)
    >>> call(None, count, "abc", should_stop=None, listeners={"on_progress": print})
    counting
    3
    """
    order = Order(function, shared, arguments, settings, listeners, leased=True)
    if isinstance(executor, pool.Pool):
        return pool.call(executor, order, should_stop)
    client = _client(executor)
    if client is not None:
        from nnspca.machines import cluster

        if (answer := cluster.call(client, order, should_stop)) is not None:
            return answer
        should_stop = lambda: True  # noqa: E731  # no worker had begun: the call returns what it has at once
    return order.here(should_stop)


def _client(executor: Executor) -> Any:
    """The Dask client behind an executor (the executor itself, or the one that made it); None if there is none."""
    distributed: Any = sys.modules.get("distributed")  # a client exists only if it was imported
    if distributed is None:
        return None
    if isinstance(executor, distributed.Client):
        return executor
    behind = getattr(executor, "_client", None) if isinstance(executor, PoolExecutor) else None
    return behind if isinstance(behind, distributed.Client) else None
