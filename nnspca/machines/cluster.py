"""A crew on a Dask cluster: the shared object goes to every machine once, and a stop reaches all at once.

If a machine is lost, Dask moves its tasks to another one, which has its own copy of the shared
object. If all machines are lost, the object and the tasks are sent again to those that joined since.

What limits a run on a hundred machines, as measured on one of two cores (Dask 2026.8, CPU seconds):

- *Bytes.* What is shared goes to each worker once, 0.5 to 7.4 MB for the catalogue's data sets. A resample's answer is
  0.9 to 4.4 kB, a certificate up to 4 MB.
- *Tasks.* Scheduler and client together take 6.5 ms a task: tasks of s seconds keep 150 · s workers busy, not more.
  A resample of LFW takes 0.15 s for one part of 40 pixels and 0.85 s for six.
- *Chains.* Resamples, folds and joint starts are nearly independent. A sweep proceeds from k to k: one task for each
  method and two certificates at a time; a sweep of parts has a chain of certificates for each k.
"""

from __future__ import annotations

import pickle
import threading
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import distributed

from nnspca.control.progress import Monitor, ShouldStop
from nnspca.machines.crew import GRACE, Crew, Task
from nnspca.machines.process import Order

RETRIES = 5  # how often a task, or the shared object, is sent again after its machines were lost
LOSS_DELAY = 0.2  # seconds until the scheduler notices a lost machine
WORKER_TIMEOUT = 30  # seconds to wait for a first worker

CACHED = 4  # shared objects whose copies stay on the cluster for later calls
PATIENCE = 5.0  # seconds within which a stopped single call returns its best result
THROTTLED, REPORT_SECONDS = "on_progress", 0.1  # progress is reported at most this often

_cache: OrderedDict[tuple[str, int], tuple[object, Any]] = OrderedDict()
_lock = threading.Lock()
_halted: deque[str] = deque(maxlen=1000)  # on a worker: the latest calls that were stopped


class Cluster(Crew):
    """The workers of a Dask scheduler."""

    patience = GRACE

    def __init__(self, client: Any, shared: object, monitor: Monitor) -> None:
        super().__init__(shared, monitor)
        self._client = client
        self._call = uuid.uuid4().hex
        self._lock = threading.Lock()
        self._remote: dict[Future[Any], Any] = {}
        self._copies = 0
        self._shared_copies: Any = None
        self._scatter(0)
        self.width = max(1, sum(client.nthreads().values()))

    def _scatter(self, known: int) -> None:
        """Send the shared object to every worker, unless that was done since version ``known`` of the copies."""
        with self._lock:
            if self._copies != known:
                return
            for retries in reversed(range(RETRIES + 1)):
                self._await_workers()
                try:
                    self._shared_copies = _copies(self._client, self.shared, anew=known > 0)
                    break
                except OSError:  # of the connection: a machine was lost while it was given its copy
                    if not retries:
                        raise
                    time.sleep(LOSS_DELAY)
            self._copies += 1

    def _await_workers(self) -> None:
        """Wait for a first worker, where there is none yet or none any more."""
        try:
            self._client.wait_for_workers(1, timeout=WORKER_TIMEOUT)
        except TimeoutError:
            address = self._client.scheduler.address
            raise OSError(f"the scheduler at {address} has no workers; start some: dask worker {address}") from None

    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        future: Future[Any] = Future()
        self._deliver(future, task, arguments, RETRIES)
        return future

    def _deliver(self, future: Future[Any], task: Task, arguments: tuple[Any, ...], retries: int) -> None:
        with self._lock:
            copies, shared = self._copies, self._shared_copies
        remote = self._client.submit(_on_worker, shared, self._call, task, arguments, pure=False)
        self._remote[future] = remote

        def again(error: BaseException) -> None:
            if retries > 0 and not self.cancelled:
                self._scatter(copies)
                self._deliver(future, task, arguments, retries - 1)
            else:
                _fail(future, error)

        def on_done(remote: Any) -> None:
            if future.done() or (self.cancelled and remote.status in ("lost", "cancelled")):
                return
            try:
                if remote.status == "finished":
                    _resolve(future, remote.result())
                elif remote.status == "error" and not isinstance(remote.exception(), _LOST):
                    _fail(future, remote.exception())
                else:
                    again(OSError(f"a task was lost {RETRIES + 1} times with the machine it ran on"))
            except _LOST as error:  # between its end and the moment it was fetched
                again(error)
            except BaseException as error:  # a future that is never resolved would block its caller for ever
                _fail(future, error)

        remote.add_done_callback(on_done)

    def _halt(self) -> None:
        self._client.run(_stop, self._call, on_error="ignore")

    def close(self) -> None:
        """Release the shared object here and on the machines, and cancel the running tasks."""
        self.cancelled = True
        self._client.cancel([remote for remote in self._remote.values() if not remote.done()])
        self._remote.clear()
        self._shared_copies = None
        super().close()


def _copies(client: Any, shared: object, *, anew: bool) -> Any:
    """The copies of a shared object on the cluster; those of an earlier call if they are still cached."""
    key = client.id, id(shared)
    with _lock:
        known = _cache.pop(key, None)
        copies = None if known is None or anew or known[1].status != "finished" else known[1]
        if copies is None:
            copies = client.scatter(shared, broadcast=True, hash=False)
        _cache[key] = shared, copies
        while len(_cache) > CACHED:
            _cache.popitem(last=False)
        return copies


def call(client: Any, order: Order, should_stop: ShouldStop | None) -> Any:
    """Make one call on the cluster; its reports go to the listeners here. None where it was stopped before it began."""
    topic, received = f"nnspca-{uuid.uuid4().hex}", threading.Condition()
    count = 0

    def receive(event: tuple[float, Any]) -> None:
        nonlocal count
        name, reports = pickle.loads(event[1]["told"])
        try:
            order.listeners[name](*reports)
        finally:
            with received:
                count += 1
                received.notify_all()

    crew = Cluster(client, order.shared, Monitor(should_stop))
    crew.patience = PATIENCE
    client.subscribe_topic(topic, receive)
    try:
        its = order.function, order.arguments, dict(order.settings), tuple(order.listeners)
        answer = crew.result(crew.submit(_relayed, topic, its))
        if answer is None:
            return None
        value, reports = answer
        with received:  # reports travel by another route than the answer
            received.wait_for(lambda: count >= reports, timeout=PATIENCE)
        return value
    finally:
        client.unsubscribe_topic(topic)
        crew.close()


def _relayed(shared: object, topic: str, its: tuple[Any, ...], should_stop: ShouldStop) -> tuple[Any, int]:
    """On a worker: one call, and the number of its reports."""
    function, arguments, settings, names = its
    worker, count, last = distributed.get_worker(), 0, 0.0

    def listener(name: str) -> Callable[..., None]:
        def tell(*what: object) -> None:
            nonlocal count, last
            if name == THROTTLED and time.monotonic() - last < REPORT_SECONDS:
                return
            last = time.monotonic() if name == THROTTLED else last
            worker.log_event(topic, {"told": pickle.dumps((name, what))})
            count += 1

        return tell

    listeners = {name: listener(name) for name in names}
    return function(shared, *arguments, should_stop=should_stop, **settings, **listeners), count


_LOST = (distributed.scheduler.KilledWorker, distributed.client.FutureCancelledError)


def _resolve(future: Future[Any], value: object) -> None:
    if future.set_running_or_notify_cancel():
        future.set_result(value)


def _fail(future: Future[Any], error: BaseException) -> None:
    if not future.done() and (future.running() or future.set_running_or_notify_cancel()):
        future.set_exception(error)


def _on_worker(shared: object, call: str, task: Task, arguments: tuple[Any, ...]) -> Any:
    """One task, on a machine of the cluster."""
    return task(shared, *arguments, lambda: call in _halted)


def _stop(call: str) -> None:
    """On a worker: stop the tasks of a call."""
    _halted.append(call)
