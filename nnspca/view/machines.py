"""Executors for the app's jobs: processes beside the server, which stays free to answer."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from nnspca import machines
from nnspca.result import ShouldStop
from nnspca.view import sanitize

PROCESSES = "NNSPCA_PROCESSES"  # how many processes work beside the server; 0: its own threads do
MOST = 8  # processes where nothing is said: each takes about 100 MB
IDLE = 300.0  # seconds after which a process without tasks ends

_T = TypeVar("_T")


def executor() -> Any:
    """Return what runs tasks for calls that take an executor: processes, or None for threads."""
    return _local("tasks")


def call(
    function: Callable[..., _T], shared: object, *arguments: object, should_stop: ShouldStop | None, **settings: Any
) -> _T:
    """Call the library about a covariance, wherever runs run; ``on_…`` settings are listeners."""
    listeners = {name: given for name, given in settings.items() if name.startswith("on_") and given is not None}
    others = {name: given for name, given in settings.items() if name not in listeners}
    own = _local("calls")
    return machines.call(own, function, shared, *arguments, should_stop=should_stop, listeners=listeners, **others)


def start() -> None:
    """Start the processes, unless that was done, and say what of the setting cannot be used."""
    _, wrong = _processes()
    if wrong:
        st.caption(f":material/warning: {PROCESSES} is {sanitize.code(wrong)}; it takes a whole number from 0 to 64.")
    _local("calls")


def _local(kind: str) -> Any:
    count, _ = _processes()
    return _processes_for(kind, count) if count else None


def _processes() -> tuple[int, str]:
    """Return how many processes there are to be, and what was said of it that cannot be used."""
    setting = os.environ.get(PROCESSES, "").strip()
    if setting.isdecimal() and int(setting) <= 64:
        return int(setting), ""
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(here, MOST), setting


@st.cache_resource(show_spinner=False)
def _processes_for(kind: str, count: int) -> machines.Processes:
    """The processes of single calls, which are kept ready, or those of tasks, which begin when there are some."""
    made = machines.Processes(count, ("nnspca.tasks",), idle=None if kind == "calls" else IDLE)
    if kind == "calls":
        made.warm()
    return made
