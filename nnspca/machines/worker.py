"""The worker process of a pool: it receives shared objects and tasks, and can be stopped in the middle of one.

Messages are pickled: orders arrive on the standard input, answers leave on the standard output. The
process ends when its input ends, so it never outlives its parent.
"""

from __future__ import annotations

import importlib
import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import IO, Any

NICENESS = 10  # a worker's scheduling priority is below that of the process that serves the pages
LEASE = 1.0  # seconds that a leased task runs without a renewal
LATEST = ("on_progress", "on_look")  # listeners that need only the latest report
REPORT_SECONDS = 0.1  # between two reports to one of them

Message = tuple[Any, ...]


class Orders:
    """The orders received: shared objects, waiting tasks, the task to stop, and the time of the last lease renewal."""

    def __init__(self) -> None:
        self.tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.shared: dict[int, object] = {}
        self._news = threading.Condition()
        self._stopped, self._renewed = -1, 0.0

    def read(self, source: IO[bytes]) -> None:
        """Receive messages until the source ends with EOFError."""
        while True:
            kind, *rest = pickle.load(source)
            if kind == "hold":
                self.shared[rest[0]] = pickle.loads(rest[1])
            elif kind == "drop":
                self.shared.pop(rest[0], None)
            elif kind == "task":
                self.tasks.put(rest[0])
            else:
                with self._news:
                    if kind == "stop":
                        self._stopped = rest[0]
                    self._renewed = time.monotonic()
                    self._news.notify_all()

    def switch(self, number: int, leased: bool) -> Callable[[], bool]:
        """Return a task's stop switch; a leased task waits in it until its lease is renewed."""
        self._renewed = time.monotonic()

        def should_stop() -> bool:
            if leased and time.monotonic() - self._renewed > LEASE:
                with self._news:
                    self._news.wait_for(lambda: time.monotonic() - self._renewed <= LEASE)
            return self._stopped == number

        return should_stop


def work() -> None:
    """Import the modules named on the command line, then run tasks from the standard input until it ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # other output must not mix with the answers
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is handled by the parent
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    orders = Orders()

    def listen() -> None:
        try:
            orders.read(sys.stdin.buffer)
        finally:
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    for name in sys.argv[1:]:
        importlib.import_module(name)
    _send(out, "ready")
    while True:
        _do(orders, out, pickle.loads(orders.tasks.get()))


def _do(orders: Orders, out: IO[bytes], task: Message) -> None:
    """Run one task: send its reports to the parent's listeners, then its result."""
    number, function, key, arguments, settings, names, leased = task
    pending: dict[str, Message] = {}
    last: dict[str, float] = {}
    telling = threading.Lock()  # the task may have threads of its own

    def listener(name: str) -> Callable[..., None]:
        def tell(*what: object) -> None:
            with telling:
                if name in LATEST and time.monotonic() - last.get(name, -REPORT_SECONDS) < REPORT_SECONDS:
                    pending[name] = what
                    return
                pending.pop(name, None)
                last[name] = time.monotonic()
                _send(out, "report", number, name, what)

        return tell

    try:
        listeners = {name: listener(name) for name in names}
        should_stop = orders.switch(number, leased)
        value = function(orders.shared[key], *arguments, should_stop=should_stop, **settings, **listeners)
        for name, what in pending.items():
            _send(out, "report", number, name, what)
        _send(out, "done", number, value)
    except Exception as error:
        _send(out, "failed", number, _portable(error))


def _send(out: IO[bytes], *message: object) -> None:
    out.write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
    out.flush()


def _portable(error: Exception) -> Exception:
    """Return an error that can be pickled, with its traceback as a note."""
    where = f"In a worker process:\n{traceback.format_exc()}"
    error.__traceback__ = error.__cause__ = error.__context__ = None
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(where)
    return error
