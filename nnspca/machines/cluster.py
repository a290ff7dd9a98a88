"""A Dask cluster: the shared object goes to every machine once, and a stop reaches all at once."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable
from typing import Any

import distributed

WORKER_TIMEOUT = 30  # seconds to wait for a first worker

_halted: deque[str] = deque(maxlen=1000)  # on a worker: the latest calls that were stopped


class Cluster:
    """The caller's end: it scatters the shared object and stops the tasks."""

    lost = (distributed.scheduler.KilledWorker, distributed.client.FutureCancelledError)

    def __init__(self, client: Any, shared: object) -> None:
        self._client, self._call = client, f"nnspca-{uuid.uuid4().hex}"
        check_workers(client)
        self._copies = client.scatter(shared, broadcast=True, hash=False)

    def sent(self, task: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """What is submitted for a task."""
        return _on_worker, self._copies, self._call, task, arguments

    def halt(self) -> None:
        """Stop the tasks of this call on all workers."""
        self._client.run(_halt, self._call, on_error="ignore")


def check_workers(client: Any) -> None:
    """Wait for a first worker; OSError where none comes."""
    try:
        client.wait_for_workers(1, timeout=WORKER_TIMEOUT)
    except TimeoutError:
        address = client.scheduler.address
        raise OSError(f"the scheduler at {address} has no workers; start some: dask worker {address}") from None


def _halt(call: str) -> None:
    """On a worker: stop the tasks of a call."""
    _halted.append(call)


def _on_worker(shared: object, call: str, task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """On a worker: run one task, whose stop switch is on once its call was halted."""
    return task(shared, *arguments, lambda: call in _halted)
