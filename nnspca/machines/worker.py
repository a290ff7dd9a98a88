"""A process that does tasks for another one: it is handed what they are about, and hears of Stop in their middle.

Orders come in on the standard input and answers go out on the standard output, pickled by two
processes of one program. The end of the input is the end of the process: it never outlives the one
it works for.
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

NICENESS = 10  # how far a worker steps back: whoever answers people goes first
LEASE = 1.0  # seconds a leased task goes on after it was last told to
LATEST = ("on_progress", "on_look")  # listeners that need the latest word only
REPORT_SECONDS = 0.1  # between two words to one of them

Message = tuple[Any, ...]


class Orders:
    """What the process has been told: the tasks to do, which of them to end, and when it last heard of one."""

    def __init__(self) -> None:
        self.tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.shared: dict[int, object] = {}
        self._news = threading.Condition()
        self._stopped, self._renewed = -1, 0.0

    def read(self, source: IO[bytes]) -> None:
        """Take in what comes; EOFError where there is no more."""
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
        """Return a task's stop switch; with ``leased`` the task waits there while nobody renews its lease."""
        self._renewed = time.monotonic()

        def should_stop() -> bool:
            if leased and time.monotonic() - self._renewed > LEASE:
                with self._news:
                    self._news.wait_for(lambda: time.monotonic() - self._renewed <= LEASE)
            return self._stopped == number

        return should_stop


def work() -> None:
    """Load the modules that the command line names, then do what comes on the standard input, until its end."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else writes to the standard output must not write among the answers
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a key pressed in a terminal is for the one it works for
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
        _do(orders, out, *pickle.loads(orders.tasks.get()))


def _do(
    orders: Orders,
    out: IO[bytes],
    number: int,
    function: Callable[..., Any],
    key: int,
    arguments: tuple[Any, ...],
    settings: dict[str, Any],
    names: tuple[str, ...],
    leased: bool,
) -> None:
    """Do one task; tell its listeners, which are elsewhere, and answer."""

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
    """Return an error that can be sent, with where it happened."""
    where = f"In a process that worked for this one:\n{traceback.format_exc()}"
    error.__traceback__ = error.__cause__ = error.__context__ = None
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(where)
    return error
