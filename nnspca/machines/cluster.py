"""A Dask cluster: the shared object goes to every machine once, reports come back, and a stop reaches all at once.

Dask sends the tasks of a lost machine to another one. What limits a run on a hundred machines, as measured on one of
two cores (Dask 2026.8, CPU seconds):

- *Bytes.* What is shared goes to each worker once, 0.5 to 7.4 MB for the catalogue's data sets. A resample's answer is
  0.9 to 4.4 kB, a certificate up to 4 MB.
- *Tasks.* Scheduler and client together take 6.5 ms a task: tasks of s seconds keep 150 · s workers busy, not more.
- *Chains.* Resamples, folds and joint starts are nearly independent; a curve proceeds from coarse k to those between.
"""

from __future__ import annotations

import pickle
import threading
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

import distributed

WORKER_TIMEOUT = 30  # seconds to wait for a first worker
CACHED = 4  # shared objects whose copies stay on the cluster for later calls
THROTTLED, REPORT_SECONDS = "on_progress", 0.1  # progress is reported at most this often

_held: OrderedDict[tuple[str, int], tuple[object, Any]] = OrderedDict()
_lock = threading.Lock()
_halted: deque[str] = deque(maxlen=1000)  # on a worker: the latest calls that were stopped


class Cluster:
    """The caller's end: it scatters the shared object, stops the tasks, and passes on what they report."""

    lost = (distributed.scheduler.KilledWorker, distributed.client.FutureCancelledError)

    def __init__(self, client: Any, workers: Any) -> None:
        self._client, self._workers, self._call = client, workers, f"nnspca-{uuid.uuid4().hex}"
        try:
            client.wait_for_workers(1, timeout=WORKER_TIMEOUT)
        except TimeoutError:
            address = client.scheduler.address
            raise OSError(f"the scheduler at {address} has no workers; start some: dask worker {address}") from None
        self._copies = _scattered(client, workers.shared)
        if workers.listeners:
            client.subscribe_topic(self._call, self._receive)

    def sent(self, task: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """What is submitted for a task."""
        return _on_worker, self._copies, self._call, task, arguments

    def halt(self) -> None:
        """Stop the tasks of this call on all workers."""
        self._client.run(_halt, self._call, on_error="ignore")

    def close(self, *, running: bool) -> None:
        """Stop what still runs, and listen no more."""
        if self._workers.listeners:
            self._client.unsubscribe_topic(self._call)
        if running:
            self.halt()

    def _receive(self, event: tuple[float, Any]) -> None:
        name, what = pickle.loads(event[1]["told"])
        try:
            self._workers.listeners[name](*what)
        except Exception as error:  # raised by the call
            self._workers.failure = error


def _scattered(client: Any, shared: object) -> Any:
    """The copies of a shared object on the cluster; those of an earlier call while they last."""
    key = client.id, id(shared)
    with _lock:
        _, copies = _held.pop(key, (None, None))
        if copies is None or copies.status != "finished":
            copies = client.scatter(shared, broadcast=True, hash=False)
        _held[key] = shared, copies
        while len(_held) > CACHED:
            _held.popitem(last=False)
        return copies


def _halt(call: str) -> None:
    """On a worker: stop the tasks of a call."""
    _halted.append(call)


def _on_worker(shared: object, call: str, task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """On a worker: run one task."""
    return task(shared, *arguments, Caller(call))


class Caller:
    """On a worker: the caller's stop switch, and its listeners."""

    def __init__(self, call: str) -> None:
        self._call, self._last = call, 0.0

    def __call__(self) -> bool:
        """Whether to stop."""
        return self._call in _halted

    def tell(self, name: str, *what: object) -> None:
        """Report to a listener."""
        if name == THROTTLED:
            if time.monotonic() - self._last < REPORT_SECONDS:
                return
            self._last = time.monotonic()
        distributed.get_worker().log_event(self._call, {"told": pickle.dumps((name, what))})
