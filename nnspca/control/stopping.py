"""Stops a computation on request: by an exception, or by abandoning a thread that cannot poll."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

from nnspca.control.progress import Monitor

POLL_SECONDS = 0.04  # between two polls of the stop switch

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
    results: list[_T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(act())
        except BaseException as error:  # raised again in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    thread.start()
    while True:
        thread.join(POLL_SECONDS)
        if not thread.is_alive():
            break
        if monitor.interrupted():  # a spent allowance ends no computation: when it is seen would depend on the clock
            raise Stopped
    if errors:
        raise errors[0]
    return results[0]
