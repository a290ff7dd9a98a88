"""Executors for the app's jobs: processes beside the server, which stays free to answer."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st

from nnspca import machines
from nnspca.result import ShouldStop
from nnspca.view import sanitize

PROCESSES = "NNSPCA_PROCESSES"  # how many processes work beside the server; 0: its own threads do
MOST_PROCESSES = 8  # processes where nothing is said: each takes about 100 MB
IDLE = 60.0  # seconds after which a process without tasks ends
POLL_SECONDS = 0.05  # between two looks for a free one; at 0.02 those who wait take a tenth of the server's time

_T = TypeVar("_T")


def executor() -> Any:
    """Return what runs tasks for calls that take an executor: processes, or None for threads."""
    count, _ = _processes()
    return _processes_for("tasks", count)[0] if count else None


def call(
    function: Callable[..., _T], shared: object, *arguments: object, should_stop: ShouldStop | None, **settings: Any
) -> _T:
    """Call the library about a covariance, wherever runs run; ``on_…`` settings are listeners."""
    listeners = {name: given for name, given in settings.items() if name.startswith("on_") and given is not None}
    others = {name: given for name, given in settings.items() if name not in listeners}
    with _free(should_stop or bool) as own:
        return machines.call(own, function, shared, *arguments, should_stop=should_stop, listeners=listeners, **others)


@contextmanager
def _free(should_stop: ShouldStop) -> Iterator[machines.Processes | None]:
    """Provide processes of which one is free, waited for where none is; None where there are none, or after a stop.

    A call that waits for its next turn keeps its process. The next one takes one of those for tasks.
    """
    count, _ = _processes()
    while count and not should_stop():  # here it gives way to others
        for kind in ("calls", "tasks"):
            own, room = _processes_for(kind, count)
            if room.acquire(blocking=False):
                try:
                    if own.take():  # they have started
                        own.give_back()
                        yield own
                        return
                finally:
                    room.release()
        time.sleep(POLL_SECONDS)
    yield None


def start_processes() -> None:
    """Start the processes unless they run, and say if their number in the environment cannot be used."""
    count, wrong = _processes()
    if wrong:
        st.caption(f":material/warning: {PROCESSES} is {sanitize.code(wrong)}; it takes a whole number from 0 to 64.")
    if count:
        _processes_for("calls", count)


def _processes() -> tuple[int, str]:
    """Return how many processes there are to be, and what was said of it that cannot be used."""
    setting = os.environ.get(PROCESSES, "").strip()
    if setting.isdecimal() and int(setting) <= 64:
        return int(setting), ""
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(here, MOST_PROCESSES), setting


@st.cache_resource(show_spinner=False)
def _processes_for(kind: str, count: int) -> tuple[machines.Processes, threading.Semaphore]:
    """Return the processes for single calls, which stay ready, or those for tasks; and how many calls they take."""
    made = machines.Processes(count, ("nnspca.tasks",), idle=None if kind == "calls" else IDLE)
    made.warm()
    return made, threading.Semaphore(count)
