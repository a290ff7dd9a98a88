"""Stops a computation on request: by an exception, by abandoning a thread that cannot poll, or by Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import wraps
from typing import ParamSpec, TypeVar

from nnspca.control.progress import Monitor

POLL_SECONDS = 0.04  # between two polls of the stop switch

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Stopped(Exception):
    """A computation was abandoned on request; its thread may still run to its end, and its result is dropped."""


def raise_if_stopped(monitor: Monitor) -> None:
    """Raise :class:`Stopped` if a stop was requested; the caller keeps the partial results."""
    if monitor.stop():
        raise Stopped


def run_cancellable(act: Callable[[], _T], monitor: Monitor) -> _T:
    """Return the result of ``act``, or raise its exception; raise :class:`Stopped` when a stop is requested.

    A LAPACK call or a Lanczos run can take tenths of a second and cannot poll. ``act`` must not
    change objects that the caller uses afterwards.

    >>> run_cancellable(lambda: 2 + 2, Monitor(should_stop=lambda: False))
    4
    """
    if monitor.should_stop is None:
        return act()
    future: Future[_T] = Future()

    def run() -> None:
        try:
            future.set_result(act())
        except BaseException as error:  # raised again in the caller's thread
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    while not wait({future}, timeout=POLL_SECONDS).done:
        if monitor.interrupted():  # a spent allowance ends no computation: when it is seen would depend on the clock
            raise Stopped
    return future.result()


def interruptible(call: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let Ctrl-C at a prompt stop a call that was given no ``should_stop``; pressed again it raises."""

    @wraps(call)
    def made(*args: _P.args, **settings: _P.kwargs) -> _T:
        in_main = threading.current_thread() is threading.main_thread()
        if not in_main or not hasattr(sys, "ps1") or settings.get("should_stop") is not None:
            return call(*args, **settings)
        pressed = threading.Event()

        def stop(number: int, frame: object) -> None:
            if pressed.is_set():
                raise KeyboardInterrupt
            pressed.set()

        before = signal.signal(signal.SIGINT, stop)
        try:
            settings["should_stop"] = pressed.is_set
            return call(*args, **settings)
        finally:
            signal.signal(signal.SIGINT, before)

    return made
