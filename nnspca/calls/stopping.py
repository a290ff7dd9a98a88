"""Stopping a computation: raise where the caller asked to, and run what cannot ask in a thread of its own."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

from nnspca.calls.progress import Monitor

POLL_SECONDS = 0.04  # seconds from one question to the next

_T = TypeVar("_T")


class Stopped(Exception):
    """A computation was left as its caller asked to stop; it may still come to its end, unheard."""


def heed(monitor: Monitor) -> None:
    """Raise :class:`Stopped` if the monitor says so, where whoever called keeps what there is to keep."""
    if monitor.stop():
        raise Stopped


def run_cancellable(act: Callable[[], _T], monitor: Monitor) -> _T:
    """Return what ``act`` returns, or raise what it raises; :class:`Stopped` as soon as the monitor says so.

    One call of LAPACK, or of Lanczos' iterations, can take many tenths of a second and listens to
    nobody. ``act`` must not touch what its caller goes on with.

    Examples
    --------
    >>> beside(lambda: 2 + 2, Monitor(should_stop=lambda: False))
    4
    """
    if monitor.should_stop is None:
        return act()
    results: list[_T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(act())
        except BaseException as error:  # the caller's to handle, in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    thread.start()
    while True:
        thread.join(POLL_SECONDS)
        if not thread.is_alive():
            break
        heed(monitor)
    if errors:
        raise errors[0]
    return results[0]
