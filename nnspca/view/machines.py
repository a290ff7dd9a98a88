"""Executors for the app's jobs: processes beside the server, which stays free to answer."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

import streamlit as st

from nnspca import machines
from nnspca.result import ShouldStop
from nnspca.view import sanitize

PROCESSES = "NNSPCA_PROCESSES"  # how many processes work beside the server; 0: its own threads do
MOST = 8  # processes where nothing is said: each takes about 100 MB
IDLE = 60.0  # seconds after which a process without tasks ends
SPARE = 4  # processes of calls beyond those kept ready: a run that waits for its next turn keeps its own
POLL_SECONDS = 0.02  # between two looks for a free one

_T = TypeVar("_T")


class Calls:
    """Processes for one call each: some kept ready, more where calls wait for their next turn in those."""

    def __init__(self, ready: int) -> None:
        self._most, self._count, self._lock = ready + SPARE, 0, threading.Lock()
        self._free: list[machines.Processes] = []
        for _ in range(ready):
            self._start(None)

    def _start(self, idle: float | None) -> None:
        self._free.append(machines.Processes(1, ("nnspca.tasks",), idle=idle))
        self._free[-1].warm()
        self._count += 1

    @contextmanager
    def one(self, should_stop: ShouldStop | None) -> Iterator[machines.Processes | None]:
        """Provide a process, waited for where all are taken; None for a call that was stopped meanwhile."""
        while (taken := self._take()) is None and not (should_stop is not None and should_stop()):
            time.sleep(POLL_SECONDS)  # while it asks whether to stop it gives way to others
        try:
            yield taken
        finally:
            if taken is not None:
                with self._lock:
                    self._free.append(taken)

    def _take(self) -> machines.Processes | None:
        with self._lock:
            for one in self._free:
                if one.take():
                    one.give_back()  # the call takes it
                    self._free.remove(one)
                    return one
            if not self._free and self._count < self._most:
                self._start(IDLE)
        return None


def executor() -> Any:
    """Return what runs tasks for calls that take an executor: processes, or None for threads."""
    count, _ = _processes()
    return _tasks(count) if count else None


def call(
    function: Callable[..., _T], shared: object, *arguments: object, should_stop: ShouldStop | None, **settings: Any
) -> _T:
    """Call the library about a covariance, wherever runs run; ``on_…`` settings are listeners."""
    listeners = {name: given for name, given in settings.items() if name.startswith("on_") and given is not None}
    others = {name: given for name, given in settings.items() if name not in listeners}
    count, _ = _processes()
    with calls(count).one(should_stop) if count else nullcontext() as own:
        stop = should_stop if own is not None or not count else lambda: True  # it returns what it has at once
        return machines.call(own, function, shared, *arguments, should_stop=stop, listeners=listeners, **others)


def start() -> None:
    """Start the processes, unless that was done, and say what of the setting cannot be used."""
    count, wrong = _processes()
    if wrong:
        st.caption(f":material/warning: {PROCESSES} is {sanitize.code(wrong)}; it takes a whole number from 0 to 64.")
    if count:
        calls(count)


def _processes() -> tuple[int, str]:
    """Return how many processes there are to be, and what was said of it that cannot be used."""
    setting = os.environ.get(PROCESSES, "").strip()
    if setting.isdecimal() and int(setting) <= 64:
        return int(setting), ""
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(here, MOST), setting


@st.cache_resource(show_spinner=False)
def calls(ready: int) -> Calls:
    """Return the processes of single calls."""
    return Calls(ready)


@st.cache_resource(show_spinner=False)
def _tasks(count: int) -> machines.Processes:
    """The processes of tasks, which begin when there are some."""
    return machines.Processes(count, ("nnspca.tasks",), idle=IDLE)
