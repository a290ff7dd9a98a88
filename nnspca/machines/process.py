"""The parent's side of a worker process, and the orders sent to it."""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, InvalidStateError
from dataclasses import dataclass, field
from typing import Any

CACHED = 3  # most shared objects that a worker keeps
CACHED_BYTES = 256 * 2**20  # most bytes of them together, not counting the latest
SCRIPT = "from nnspca.machines.worker import work; work()"


@dataclass(eq=False)
class Order:
    """A task with what it needs: called as ``function(shared, *arguments, should_stop=…, **settings, **listeners)``."""

    function: Callable[..., Any]
    shared: object
    arguments: tuple[Any, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    listeners: Mapping[str, Callable[..., None]] = field(default_factory=dict)
    leased: bool = False  # whether it waits in its stop switch unless its lease was renewed within the last second
    future: Future[Any] = field(default_factory=Future)
    worker: Worker | None = None  # the process that runs it
    failure: Exception | None = None  # the error that a listener raised
    ended: bool = False  # whether it was cancelled, before or after it began

    def here(self, should_stop: Callable[[], bool] | None) -> Any:
        """Run it in this process."""
        return self.function(self.shared, *self.arguments, should_stop=should_stop, **self.settings, **self.listeners)

    def end(self) -> None:
        """Cancel the task, or stop it if it has begun."""
        self.ended = True
        if not self.future.cancel() and self.worker is not None:
            self.worker.tell(self, "stop")


class Worker:
    """One process, and the shared objects it keeps; ``ready`` once its modules are imported."""

    def __init__(self, freed: Callable[[Worker, bool], None], modules: Sequence[str] = ()) -> None:
        paths = os.pathsep.join(filter(None, sys.path))
        self._process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self.ready, self.count = False, 0  # how many tasks were sent to it
        self._freed, self._writing = freed, threading.Lock()
        self._current: tuple[int, Order] | None = None
        self._cached: dict[int, int] = {}  # the keys of what it holds, and how many bytes these are
        threading.Thread(target=self._read, name="nnspca-worker", daemon=True).start()

    def begin(self, order: Order) -> None:
        """Send it a task; it must be idle."""
        self.count += 1
        number, order.worker = self.count, self
        self._current = number, order
        names = tuple(order.listeners)
        try:
            key = self._cache(order.shared)
            task = number, order.function, key, order.arguments, dict(order.settings), names, order.leased
            self._send("task", pickle.dumps(task, pickle.HIGHEST_PROTOCOL))
            if order.ended:  # just now
                self.tell(order, "stop")
        except OSError:
            self.close()
            _fail_lost(order)
        except Exception as error:  # what cannot be sent
            self._finish(order.future.set_exception, error)

    def tell(self, order: Order, word: str) -> None:
        """Send a message about a task, if the process still runs it."""
        current = self._current
        if current is not None and current[1] is order:
            with contextlib.suppress(OSError):
                self._send(word, current[0])

    def close(self) -> None:
        """End the process."""
        self._process.kill()

    def _cache(self, shared: object) -> int:
        """Send it a shared object unless it has it, and drop the oldest beyond the limits."""
        key = _key(shared)
        if key in self._cached:
            self._cached[key] = self._cached.pop(key)
            return key
        pickled = pickle.dumps(shared, pickle.HIGHEST_PROTOCOL)
        while self._cached and (
            len(self._cached) >= CACHED or sum(self._cached.values()) + len(pickled) > CACHED_BYTES
        ):
            oldest = next(iter(self._cached))
            del self._cached[oldest]
            self._send("drop", oldest)
        self._cached[key] = len(pickled)
        self._send("hold", key, pickled)
        return key

    def _send(self, *message: object) -> None:
        pickled = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        with self._writing:
            if self._to.closed:
                raise BrokenPipeError("the process has ended")
            self._to.write(pickled)
            self._to.flush()

    def _read(self) -> None:
        with contextlib.suppress(Exception):  # it may end in the middle of a message
            while True:
                self._handle(*pickle.load(self._from))
        self._process.kill()
        self._process.wait()
        with self._writing:
            for pipe in (self._to, self._from):
                with contextlib.suppress(OSError):
                    pipe.close()
        current = self._current
        self._freed(self, False)
        if current is not None:
            _fail_lost(current[1])

    def _handle(self, kind: str, number: int = 0, what: Any = None, values: tuple[Any, ...] = ()) -> None:
        self.ready = True
        current = self._current
        if current is None or current[0] != number:
            return
        order = current[1]
        if kind == "report":
            if order.failure is None:
                try:
                    order.listeners[what](*values)
                except Exception as error:
                    order.failure = error
                    self.tell(order, "stop")
        elif order.failure is not None or kind == "failed":
            self._finish(order.future.set_exception, order.failure or what)
        else:
            self._finish(order.future.set_result, what)

    def _finish(self, resolve: Callable[[Any], None], what: object) -> None:
        self._current = None
        self._freed(self, True)
        resolve(what)


def _fail_lost(order: Order) -> None:
    """Fail a task whose process was lost, unless it has failed already."""
    with contextlib.suppress(InvalidStateError):
        order.future.set_exception(BrokenExecutor("the process that did this ended before it was done"))


_keys: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_count = itertools.count()
_keys_lock = threading.Lock()


def _key(shared: object) -> int:
    """Return a number unique to the object; the same for the same object if it can be referenced weakly."""
    with _keys_lock:
        try:
            return _keys.setdefault(shared, next(_count))
        except TypeError:  # no weak reference is possible
            return next(_count)
