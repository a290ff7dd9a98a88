"""A pool of persistent processes: each runs one task at a time, caches shared objects, and can be stopped.

A process pool of ``concurrent.futures`` imports the program's main module in each process, waits for
running tasks when the program ends, and leaves its processes behind if the program is killed. This
pool does none of that, and its tasks can report progress.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from typing import Any

from nnspca.control.progress import Monitor, ShouldStop
from nnspca.machines.crew import Crew, Task
from nnspca.machines.process import Order, Worker

POLL_SECONDS = 0.02  # between two looks at whether to stop, or to wait
IDLE_SECONDS = 20.0  # seconds after which a process too many that has had no task ends


class Pool(Executor):
    """A few processes of this machine.

    It is an ordinary executor. With a crew or :func:`call`, tasks can also be stopped and report progress, and the
    shared object is sent to each process only once. ``size`` is the most tasks at a time, and ``call_slots`` the most
    single calls beside them; each process imports ``modules`` before its first task.
    """

    def __init__(self, size: int, call_slots: int = 1, modules: Sequence[str] = ()) -> None:
        if size < 1 or call_slots < 0:
            raise ValueError(f"size={size}, call_slots={call_slots} are not allowed; give at least 1 and at least 0")
        self.size, self._call_slots, self._modules = size, call_slots, tuple(modules)
        self._lock = threading.RLock()
        self._waiting: deque[Order] = deque()
        self._idle: list[Worker] = []
        self._tasks: set[Worker] = set()  # those at work on tasks
        self._calls: set[Worker] = set()  # those at work on single calls
        self._closed = False

    def warm(self) -> None:
        """Start the processes in advance."""
        with self._lock:
            while len(self._idle) + len(self._tasks) + len(self._calls) < self.size and not self._closed:
                self._idle.append(Worker(self._freed, self._modules))

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        """Call a module-level function in another process."""
        return self.give(Order(_in_pool, (function, arguments, settings)))

    def give(self, order: Order) -> Future[Any]:
        """Queue a task."""
        with self._lock:
            if self._closed:
                raise RuntimeError("this pool was shut down")
            self._waiting.append(order)
            self._hand_out()
        return order.future

    def begin(self, order: Order) -> bool:
        """Begin a single call at once, outside the queue; False if no process is ready for it."""
        with self._lock:
            worker = next((worker for worker in self._idle if worker.ready), None)
            if self._closed or len(self._calls) >= self._call_slots:
                return False
            if worker is None:
                if len(self._idle) + len(self._tasks) + len(self._calls) < self.size + self._call_slots:
                    self._spare(Worker(self._freed, self._modules))  # for the next one
                return False
            order.future.set_running_or_notify_cancel()
            self._idle.remove(worker)
            self._calls.add(worker)
        worker.begin(order)
        return True

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, and with them all running tasks."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = list(self._waiting), deque()
            workers = [*self._idle, *self._tasks, *self._calls]
        for order in waiting:
            order.future.cancel()
        for worker in workers:
            worker.close()

    def _hand_out(self) -> None:
        while self._waiting and len(self._tasks) < self.size:
            order = self._waiting.popleft()
            if order.future.set_running_or_notify_cancel():
                worker = self._idle.pop() if self._idle else Worker(self._freed, self._modules)
                self._tasks.add(worker)
                worker.begin(order)

    def _freed(self, worker: Worker, alive: bool) -> None:
        """Return a worker to the idle ones, or close it."""
        with self._lock:
            self._tasks.discard(worker)
            self._calls.discard(worker)
            if worker in self._idle:
                self._idle.remove(worker)
            if alive and not self._closed:
                self._spare(worker)
            else:
                worker.close()
            self._hand_out()

    def _spare(self, worker: Worker) -> None:
        """Keep an idle worker; one above the pool's size only for ``IDLE_SECONDS``."""
        self._idle.append(worker)
        if len(self._idle) + len(self._tasks) > self.size:
            rest = threading.Timer(IDLE_SECONDS, self._rest, (worker, worker.count))
            rest.daemon = True
            rest.start()

    def _rest(self, worker: Worker, count: int) -> None:
        """Close a surplus worker that had no task since its count was ``count``."""
        with self._lock:
            if worker in self._idle and worker.count == count and len(self._idle) + len(self._tasks) > self.size:
                worker.close()


class PoolCrew(Crew):
    """A crew on the processes of a pool."""

    def __init__(self, pool: Pool, shared: object, monitor: Monitor) -> None:
        super().__init__(shared, monitor)
        self._pool = pool
        self._orders: dict[Future[Any], Order] = {}
        self.width = pool.size

    def _send(self, task: Task, arguments: tuple[Any, ...]) -> Future[Any]:
        order = Order(_in_crew, self.shared, (task, arguments))
        self._orders[order.future] = order
        return self._pool.give(order)

    def _halt(self) -> None:
        """End the tasks, last first: a worker that stops takes the next waiting task at once."""
        for order in reversed(self._orders.values()):
            order.end()

    def close(self) -> None:
        """End the tasks that are still running."""
        self._halt()
        super().close()


def call(pool: Pool, order: Order, should_stop: ShouldStop | None) -> Any:
    """Make one call in a process of the pool, outside its queue; here if none is free or the process is lost.

    While ``should_stop`` blocks, the call pauses as well.
    """
    monitor = Monitor(should_stop)
    if not monitor.stop() and pool.begin(order):
        while not wait({order.future}, timeout=POLL_SECONDS).done:
            assert order.worker is not None
            order.worker.tell(order, "stop" if monitor.stop() else "go")
        with contextlib.suppress(BrokenExecutor):
            return order.future.result()
    return order.here(should_stop)


def _in_pool(shared: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]], *, should_stop: ShouldStop) -> Any:
    """In a worker: call a plain function, which takes no stop switch."""
    function, arguments, settings = shared
    return function(*arguments, **settings)


def _in_crew(shared: object, task: Task, arguments: tuple[Any, ...], *, should_stop: ShouldStop) -> Any:
    """In a worker: run a task of a crew."""
    return task(shared, *arguments, should_stop)
