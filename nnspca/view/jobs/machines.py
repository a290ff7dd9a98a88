"""Executors for the app's jobs: processes beside the server, which stays free to answer, or a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from nnspca import machines
from nnspca.result import ShouldStop
from nnspca.view import sanitize
from nnspca.view.jobs import cluster

VARIABLE = "NNSPCA_PROCESSES"  # how many processes work beside the server; 0: its own threads do
MOST = 8  # processes where nothing is said: each takes about 100 MB

_T = TypeVar("_T")


def executor() -> Any:
    """Return what runs tasks for calls that take an executor: a cluster's client, a pool, or None for threads."""
    client = cluster.client()
    return _local() if client is None else client


def _local() -> Any:
    count, _ = _processes()
    return _pool(count) if count else None


def call(
    function: Callable[..., _T],
    shared: object,
    *arguments: object,
    should_stop: ShouldStop | None,
    here: bool = False,
    **settings: Any,
) -> _T:
    """Call the library about a covariance, wherever runs run; ``on_…`` settings are listeners.

    What other machines may not have is called about ``here``: beside the server, if it has processes.
    """
    listeners = {name: given for name, given in settings.items() if name.startswith("on_") and given is not None}
    others = {name: given for name, given in settings.items() if name not in listeners}
    runner = _local() if here else executor()
    return machines.call(runner, function, shared, *arguments, should_stop=should_stop, listeners=listeners, **others)


def location_note() -> None:
    """Begin, where that is still to be done, and say where runs run where that is not simply here."""
    _, wrong = _processes()
    if wrong:
        st.caption(f":material/warning: {VARIABLE} is {sanitize.code(wrong)}; it takes a whole number from 0 to 64.")
    executor()
    cluster.location_note()


def _processes() -> tuple[int, str]:
    """Return how many processes there are to be, and what was said of it that cannot be used."""
    setting = os.environ.get(VARIABLE, "").strip()
    if setting.isdecimal() and int(setting) <= 64:
        return int(setting), ""
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(here, MOST), setting


@st.cache_resource(show_spinner=False)
def _pool(count: int) -> machines.Pool:
    pool = machines.Pool(count, call_slots=count, modules=("nnspca.tasks",))
    pool.warm()
    return pool
