"""Executors for the app's jobs: processes beside the server, which stays free to answer, or a Dask cluster."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from nnspca import machines
from nnspca.errors import reason
from nnspca.result import ShouldStop
from nnspca.view import sanitize

PROCESSES = "NNSPCA_PROCESSES"  # how many processes work beside the server; 0: its own threads do
MOST = 8  # processes where nothing is said: each takes about 100 MB

_T = TypeVar("_T")
SCHEDULER = "NNSPCA_SCHEDULER"  # names the address of a scheduler, such as tcp://10.0.0.1:8786
IDLE = 300.0  # seconds after which a process without tasks ends
PATIENCE = 5  # seconds to wait for it
AGAIN = 30.0  # seconds after which one that did not answer is asked again
_lock = threading.Lock()
_schedulers: dict[str, _Scheduler] = {}


def executor() -> Any:
    """Return what runs tasks for calls that take an executor: a cluster's client, processes, or None for threads."""
    client = cluster_client()
    return _local("tasks") if client is None else client


def _local(kind: str) -> Any:
    count, _ = _processes()
    return _processes_for(kind, count) if count else None


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
    runner = (None if here else cluster_client()) or _local("calls")
    return machines.call(runner, function, shared, *arguments, should_stop=should_stop, listeners=listeners, **others)


def location_note() -> None:
    """Begin, where that is still to be done, and say where runs run where that is not simply here."""
    _, wrong = _processes()
    if wrong:
        st.caption(f":material/warning: {PROCESSES} is {sanitize.code(wrong)}; it takes a whole number from 0 to 64.")
    _local("calls")
    known = _scheduler()
    if known is None:
        return
    where = sanitize.code(known.address)
    if known.client is None:
        st.caption(
            f":material/cloud_off: Runs stay on this machine: {SCHEDULER} names the scheduler {where}, but "
            f"{sanitize.plain(known.problem)}."
        )
        return
    count = len(known.client.nthreads())
    workers = f"{count:,} {'worker' if count == 1 else 'workers'}" if count else "no workers yet"
    st.caption(f":material/hub: Runs go to the cluster at {where}: {workers}.")


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


@dataclass
class _Scheduler:
    """The scheduler of this server: its client while it answers, or what is wrong."""

    address: str
    client: Any = None
    problem: str = ""
    asked: float = -AGAIN

    def connect(self) -> None:
        """Ask the scheduler for a connection, unless there is one, or there was none just now."""
        if self.client is not None and self.client.status == "running":
            return
        if self.client is not None:
            self.client, self.problem = None, "the connection was lost"
        if time.monotonic() - self.asked < AGAIN:
            return
        try:
            import distributed

            self.client = distributed.Client(self.address, timeout=PATIENCE, set_as_default=False)
            self.problem = ""
        except ModuleNotFoundError:
            self.problem = 'dask is not installed here: pip install ".[cluster]"'
        except (OSError, ValueError) as error:
            self.problem = f"it does not answer{reason(error)}"
        self.asked = time.monotonic()


def _scheduler() -> _Scheduler | None:
    address = os.environ.get(SCHEDULER, "").strip()
    if not address:
        return None
    with _lock:
        known = _schedulers.setdefault(address, _Scheduler(address))
        known.connect()
        return known


def cluster_client() -> Any:
    """Return the client of the scheduler; None where there is none."""
    known = _scheduler()
    return None if known is None else known.client
