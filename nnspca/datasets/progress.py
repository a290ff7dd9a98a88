"""Progress and cancellation while a file is read, by callbacks in a context variable.

Readers are generators within generators and decoders of others: as all of them find the callbacks
there, none has to hand them on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from nnspca.errors import ReadingStopped

T = TypeVar("T")
OnProgress = Callable[[float, str], object]
ShouldStop = Callable[[], bool]
REPORT_SECONDS = 0.05  # between two reports


class _Listener:
    def __init__(self, on_progress: OnProgress | None, should_stop: ShouldStop | None):
        self.on_progress, self.should_stop = on_progress, should_stop
        self.last = -REPORT_SECONDS


_listener: ContextVar[_Listener | None] = ContextVar("listener", default=None)


@contextmanager
def reporting(on_progress: OnProgress | None, should_stop: ShouldStop | None) -> Iterator[None]:
    """Report the progress of all reading within the block to these functions."""
    token = _listener.set(_Listener(on_progress, should_stop) if on_progress or should_stop else None)
    try:
        yield
    finally:
        _listener.reset(token)


def report_or_stop(done: float, whole: float, what: str) -> None:
    """Report ``done`` of ``whole`` of ``what``, at most every 50 ms; raise ReadingStopped on request.

    >>> reports = []
    >>> with reporting(lambda share, what: reports.append((share, what)), None):
    ...     report_or_stop(1, 4, "Reading rows")
    >>> reports
    [(0.25, 'Reading rows')]
    """
    listener = _listener.get()
    if listener is None or time.monotonic() - listener.last < REPORT_SECONDS:
        return
    listener.last = time.monotonic()
    if listener.on_progress is not None:
        listener.on_progress(min(max(done / whole, 0.0), 1.0) if whole > 0 else 0.0, what)
    if listener.should_stop is not None and listener.should_stop():
        raise ReadingStopped("the reading was stopped; nothing of the file was kept.")


def tracked(things: Iterable[T], whole: float, what: str) -> Iterator[T]:
    """Yield items one by one, with a progress report now and then."""
    for count, thing in enumerate(things):
        report_or_stop(count, whole, what)
        yield thing
