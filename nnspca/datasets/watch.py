"""Progress and cancellation of reading a file, through callbacks that a context variable holds.

Readers are generators within generators and decoders of others: as all of them find the callbacks
there, none has to hand them on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from nnspca.errors import DataError

T = TypeVar("T")
OnProgress = Callable[[float, str], object]
ShouldStop = Callable[[], bool]
EVERY = 0.05  # seconds between two looks


class ReadingStopped(DataError):
    """The reading of a file was stopped before it was complete; nothing of it was kept."""


class _Watcher:
    def __init__(self, on_progress: OnProgress | None, should_stop: ShouldStop | None):
        self.on_progress, self.should_stop = on_progress, should_stop
        self.last = -EVERY


_watcher: ContextVar[_Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(on_progress: OnProgress | None, should_stop: ShouldStop | None) -> Iterator[None]:
    """Let this pair of functions watch whatever is read inside."""
    token = _watcher.set(_Watcher(on_progress, should_stop) if on_progress or should_stop else None)
    try:
        yield
    finally:
        _watcher.reset(token)


def look(done: float, whole: float, what: str) -> None:
    """Say that ``done`` of ``whole`` is done of ``what``, at most every 50 ms; raise ReadingStopped where asked to.

    >>> told = []
    >>> with watched(lambda share, what: told.append((share, what)), None):
    ...     look(1, 4, "Reading rows")
    >>> told
    [(0.25, 'Reading rows')]
    """
    watcher = _watcher.get()
    if watcher is None or time.monotonic() - watcher.last < EVERY:
        return
    watcher.last = time.monotonic()
    if watcher.on_progress is not None:
        watcher.on_progress(min(max(done / whole, 0.0), 1.0) if whole > 0 else 0.0, what)
    if watcher.should_stop is not None and watcher.should_stop():
        raise ReadingStopped("the reading was stopped; nothing of the file was kept.")


def along(things: Iterable[T], whole: float, what: str, every: int = 1) -> Iterator[T]:
    """Yield things one by one, with a look at every so many of ``whole``."""
    for count, thing in enumerate(things):
        if count % every == 0:
            look(count, whole, what)
        yield thing
