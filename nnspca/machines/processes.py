"""Processes of this machine: each task asks its caller for what is shared, once, and whether to stop."""

from __future__ import annotations

import functools
import importlib
import itertools
import os
import pickle
import secrets
import sys
import threading
import time
import uuid
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from nnspca.control.arguments import shown
from nnspca.errors import reason

ASK_SECONDS = 0.05  # a task asks its caller at most this often: a solver may look thousands of times a second
LATEST, REPORT_SECONDS = ("on_progress", "on_look"), 0.1  # listeners that need no more reports than one in this time
NICENESS = 10  # workers give way to the process that serves the pages
CACHED = 2  # shared objects that a worker keeps
HINT = "give threads, such as executor=concurrent.futures.ThreadPoolExecutor(2)"
_numbers = itertools.count()
_keys: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
_lines: weakref.WeakValueDictionary[int, Line] = weakref.WeakValueDictionary()
_held: OrderedDict[str, Any] = OrderedDict()  # in a worker process: the latest shared objects


class Processes(Executor):
    """Processes of this machine, replaced where one was lost.

    loky starts them: it does not import the program's main module, as a process pool of ``concurrent.futures`` does.
    Each imports ``modules`` first, and ends when it had no task for ``idle`` seconds.
    """

    def __init__(self, size: int, modules: Sequence[str] = (), idle: float | None = None) -> None:
        if size < 1:
            raise ValueError(f"size={size} is not allowed; give at least 1")
        self._max_workers, self._modules, self._idle = size, tuple(modules), idle
        self._lock, self._free = threading.Lock(), threading.Semaphore(size)
        self._pool: Any = None
        self._ready: Future[Any] = Future()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        """Call a function in one of the processes."""
        with self._lock:
            try:
                return self.warm().submit(function, *arguments, **settings)
            except BrokenExecutor:
                self._pool = None
                return self.warm().submit(function, *arguments, **settings)

    def warm(self) -> Any:
        """Start the processes, unless that was done; return loky's executor."""
        if self._pool is None:
            threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
            begun = os.getpid(), self._modules
            from joblib.externals import loky  # with four megabytes, that only processes need

            self._pool = loky.ProcessPoolExecutor(
                self._max_workers, timeout=self._idle, initializer=_begin, initargs=begun, env=threads
            )
            self._ready = self._pool.submit(int)
            end = weakref.WeakMethod(self.shutdown)
            threading._register_atexit(lambda: (end() or int)())  # type: ignore[attr-defined]  # loky's waits for tasks
        return self._pool

    def take(self) -> bool:
        """Whether a process is free for a single call, which ends with :meth:`give_back`."""
        return self._ready.done() and self._free.acquire(blocking=False)

    def give_back(self) -> None:
        """End a single call."""
        self._free.release()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, and with them all running tasks."""
        if self._pool is not None:
            self._pool.shutdown(wait=wait, kill_workers=True)


def are_processes(executor: object) -> bool:
    """Whether the tasks of an executor run in other processes of this machine."""
    others = getattr(sys.modules.get("joblib.externals.loky"), "ProcessPoolExecutor", Processes)
    return isinstance(executor, Processes | ProcessPoolExecutor | others)


class Line:
    """The caller's end: it hands out the shared object, answers its tasks, and passes on what they report."""

    def __init__(self, workers: Any) -> None:
        self._workers, self._number = workers, next(_numbers)
        _lines[self._number] = self

    def sent(self, task: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """What is submitted for a task."""
        where = *_listening(os.getpid()), self._number, _key(self._workers.shared)
        return _in_process, where, task, arguments

    @functools.cached_property
    def pickled(self) -> bytes:
        """The shared object, for processes that have not got it."""
        shared = self._workers.shared
        try:
            return pickle.dumps(shared, pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            what = f"{shown(shared)} cannot be sent to other processes{reason(error)}"
            self._workers.failure = TypeError(f"{what}: {HINT}")
            raise EOFError from error

    def answer(self, report: tuple[str, tuple[Any, ...]] | None) -> bool:
        """Take a report, or a question, and say whether to stop; while the stop switch blocks, the task waits."""
        workers = self._workers
        if report is not None and workers.failure is None:
            try:
                workers.listeners[report[0]](*report[1])
            except Exception as error:  # raised by the call
                workers.failure = error
        with workers.turn:
            return workers.cancelled or workers.failure is not None


def _key(shared: object) -> str:
    """Return a name that no other object has; one that allows weak references keeps its name."""
    fresh = uuid.uuid4().hex
    try:
        return _keys.setdefault(shared, fresh)
    except TypeError:
        return fresh


@functools.cache
def _listening(process: int) -> tuple[Any, bytes]:
    """Where this process answers its tasks, and the key to it."""
    key = secrets.token_bytes(16)
    listener = Listener(backlog=64, authkey=key)
    threading.Thread(target=_listen, args=(listener,), name="nnspca-tasks", daemon=True).start()
    return listener.address, key


def _listen(listener: Listener) -> None:
    while True:
        with suppress(OSError, EOFError, AuthenticationError):  # a process that ended while it connected
            threading.Thread(target=_serve, args=(listener.accept(),), daemon=True).start()


def _serve(end: Connection) -> None:
    with suppress(OSError, EOFError, KeyError), end:  # the task has ended, or its caller no longer waits
        number, has_it = end.recv()
        line = _lines[number]
        if not has_it:
            end.send_bytes(line.pickled)
        while True:
            end.send(line.answer(end.recv()))


def _begin(parent: int, modules: Sequence[str]) -> None:
    """In a new process: give way to others, end with the parent, and import what tasks need."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    for name in modules:
        importlib.import_module(name)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _in_process(where: tuple[Any, bytes, int, str], task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """In a worker process: run one task."""
    address, authkey, number, key = where
    with Client(address, authkey=authkey) as line:
        line.send((number, key in _held))
        shared = _held.pop(key) if key in _held else pickle.loads(line.recv_bytes())
        _held[key] = shared
        while len(_held) > CACHED:
            _held.popitem(last=False)
        return task(shared, *arguments, Caller(line))


class Caller:
    """In a worker process: the caller's stop switch, and its listeners."""

    def __init__(self, line: Connection) -> None:
        self._line, self._lock = line, threading.Lock()  # the task may have threads of its own
        self._stopped, self._asked = False, -ASK_SECONDS
        self._reported_at: dict[str, float] = {}

    def __call__(self) -> bool:
        """Whether to stop."""
        if not self._stopped and time.monotonic() - self._asked > ASK_SECONDS:
            self._ask(None)
        return self._stopped

    def tell(self, name: str, *what: object) -> None:
        """Report to a listener."""
        now = time.monotonic()
        if name not in LATEST or now - self._reported_at.get(name, -REPORT_SECONDS) >= REPORT_SECONDS:
            self._reported_at[name] = now
            self._ask((name, what))

    def _ask(self, report: tuple[str, tuple[object, ...]] | None) -> None:
        with self._lock:
            try:
                self._line.send(report)
                self._stopped |= self._line.recv()
            except (EOFError, OSError):  # the caller is gone
                self._stopped = True
            self._asked = time.monotonic()
