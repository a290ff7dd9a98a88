"""What a pass over data within a running call tells and asks: the call's own stop switch and progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from nnspca.control.progress import Monitor, OnProgress, Progress, ShouldStop

_running: ContextVar[tuple[ShouldStop | None, OnProgress | None, list[Progress]] | None] = ContextVar(
    "running", default=None
)


@contextmanager
def reported(should_stop: ShouldStop | None, on_progress: OnProgress | None) -> Iterator[OnProgress | None]:
    """Yield ``on_progress`` of a call; passes within it are reported at the fraction that was reported last.

    Examples
    --------
    >>> reports = []
    >>> with reported(None, reports.append) as on_progress:
    ...     on_progress(Progress(0.5, "half"))
    ...     current("pass 3 over the data").tell(0.2, "4 rows read")
    >>> reports[-1]
    Progress(fraction=0.5, stage='pass 3 over the data: 4 rows read', variance=None, upper=None)
    """
    last = [Progress(0.0, "")]

    def remembered(progress: Progress) -> None:
        last[0] = progress
        if on_progress is not None:
            on_progress(progress)

    token = _running.set((should_stop, on_progress, last))
    try:
        yield None if on_progress is None else remembered
    finally:
        _running.reset(token)


def current(stage: str) -> Monitor:
    """Return the monitor of the running call, for a pass within it."""
    running = _running.get()
    if running is None:
        return Monitor()
    should_stop, on_progress, last = running
    if on_progress is None:
        return Monitor(should_stop)
    return Monitor(should_stop, lambda progress: on_progress(replace(last[0], stage=f"{stage}: {progress.stage}")))
