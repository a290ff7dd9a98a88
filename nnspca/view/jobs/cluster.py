"""Dask client from the environment variable NNSPCA_SCHEDULER, and what the page says of the cluster."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from typing import Any

import streamlit as st

from nnspca.errors import reason
from nnspca.view import sanitize

VARIABLE = "NNSPCA_SCHEDULER"  # names the address of a scheduler, such as tcp://10.0.0.1:8786
PATIENCE = 5  # seconds to wait for it
AGAIN = 30.0  # seconds after which one that did not answer is asked again


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


_lock = threading.Lock()
_schedulers: dict[str, _Scheduler] = {}


def _scheduler() -> _Scheduler | None:
    address = os.environ.get(VARIABLE, "").strip()
    if not address:
        return None
    with _lock:
        known = _schedulers.setdefault(address, _Scheduler(address))
        known.connect()
        return known


def client() -> Any:
    """Return the client of the scheduler; None where there is none."""
    known = _scheduler()
    return None if known is None else known.client


def location_note() -> None:
    """Say where runs run, where that is not simply here."""
    known = _scheduler()
    if known is None:
        return
    where = sanitize.code(known.address)
    if known.client is None:
        st.caption(
            f":material/cloud_off: Runs stay on this machine: {VARIABLE} names the scheduler {where}, but "
            f"{sanitize.plain(known.problem)}."
        )
        return
    count = len(known.client.nthreads())
    workers = f"{count:,} {'worker' if count == 1 else 'workers'}" if count else "no workers yet"
    st.caption(f":material/hub: Runs go to the cluster at {where}: {workers}.")
