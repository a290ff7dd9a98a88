"""Caches that all sessions share, bounded in bytes: finished results, and data sets, covariances and spectra.

What they hold outlives a redraw. Keys are content hashes and parameters, never arrays.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Set
from contextlib import contextmanager
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
import scipy.sparse
import streamlit as st

from nnspca.datasets import Column
from nnspca.result import Features

MOST_BYTES, MOST_ENTRIES = 256 * 2**20, 4000  # of finished results
PATIENCE = 10.0  # seconds that a session waits for another one that seeks the same
POLL_SECONDS = 0.03  # between two looks meanwhile
SHARED = 512 * 2**20  # bytes of data sets, prepared ones and covariances that sessions share
COLUMN = 600  # bytes of what is said of a column

_T = TypeVar("_T")


def nbytes(thing: Any) -> int:
    """Return about how many bytes of arrays a thing holds, an array it holds twice counted once.

    >>> twice = np.zeros(1000)
    >>> nbytes((twice, twice)) - nbytes(twice) < 100
    True
    """
    return _weigh(thing, set())


def _weigh(thing: Any, seen: set[int]) -> int:
    if isinstance(thing, np.ndarray):
        whole = thing if thing.base is None else thing.base  # a slice keeps all of what it is cut from
        new = id(whole) not in seen
        seen.add(id(whole))
        return getattr(whole, "nbytes", thing.nbytes) * new
    if isinstance(thing, bytes):
        return len(thing)
    if scipy.sparse.issparse(thing):
        return sum(_weigh(getattr(thing, part, None), seen) for part in ("data", "indices", "indptr"))
    if isinstance(thing, Features):
        return 64  # one for all results of the same data
    if isinstance(thing, Mapping):
        return sum(_weigh(value, seen) for value in list(thing.values()))
    if isinstance(thing, tuple | list):
        if thing and isinstance(thing[0], Column):  # of a table: thousands, and none has an array
            return COLUMN * len(thing)
        many = [item for item in thing if not isinstance(item, int | float | str)]
        return 8 * len(thing) + 64 * (len(thing) - len(many)) + sum(_weigh(item, seen) for item in many)
    if dataclasses.is_dataclass(thing) or type(thing).__module__.startswith("nnspca."):
        return sum(_weigh(value, seen) for value in list(getattr(thing, "__dict__", {}).values()))  # more may come
    return 64


def _is_about(key: Hashable, names: Set[str]) -> bool:
    """Tell whether a key has the name of one of these data sets in it."""
    return any(_is_about(part, names) for part in key) if isinstance(key, tuple) else key in names


class Results:
    """Finished results by key, the least recently used thrown out first; safe among threads."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES):
        self.most_bytes, self._most_entries = most_bytes, most_entries
        self._results: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._seeking: set[Hashable] = set()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any:
        """Return the result kept under ``key``, or None."""
        with self._lock:
            if key not in self._results:
                return None
            self._results.move_to_end(key)
            return self._results[key][0]

    def put(self, key: Hashable, result: Any) -> None:
        """Keep a result, making room for it."""
        with self._lock:
            self._results[key] = (result, nbytes(result))
            self._results.move_to_end(key)
            while len(self._results) > 1 and (
                len(self._results) > self._most_entries
                or sum(held for _, held in self._results.values()) > self.most_bytes
            ):
                self._results.popitem(last=False)

    def keep(self, key: Hashable, result: _T) -> _T:
        """Keep a result unless it was stopped before its end; return it."""
        if not getattr(result, "stopped", False):
            self.put(key, result)
        return result

    def find(self, key: Hashable, make: Callable[[], _T], *, anew: bool = False) -> _T:
        """Return the result kept under ``key``, else or ``anew`` what is made, and keep that unless it was stopped."""
        result = None if anew else self.get(key)
        return self.keep(key, make()) if result is None else result

    def forget(self, names: Set[str]) -> list[Any]:
        """Forget and return what was found in these data sets."""
        with self._lock:
            return [self._results.pop(key)[0] for key in list(self._results) if _is_about(key, names)]

    @contextmanager
    def sought(self, key: Hashable, should_stop: Callable[[], bool]) -> Iterator[None]:
        """Be the only one who seeks a result: where another session is at it, wait for that one first.

        A while at most, for that one may itself be waiting for others; then both seek it.
        """
        end = time.monotonic() + PATIENCE
        while not (alone := self._claim(key)) and time.monotonic() < end and not should_stop():
            time.sleep(POLL_SECONDS)
        try:
            yield
        finally:
            if alone:
                with self._lock:
                    self._seeking.discard(key)

    def _claim(self, key: Hashable) -> bool:
        with self._lock:
            free = key not in self._seeking
            self._seeking.add(key)
            return free


@st.cache_resource(show_spinner=False)
def results() -> Results:
    """Return the finished results of all sessions."""
    return Results()


class Shared:
    """Large things that all sessions share, each made by the first who asks while the others wait for it.

    They may grow while they are held (a covariance keeps its eigenvectors), so they are weighed anew each time.
    """

    def __init__(self, most_bytes: int):
        self.most_bytes = most_bytes
        self._held: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def holds(self, key: Hashable) -> bool:
        """Return whether a thing is held already."""
        return key in self._held

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return what is held under ``key``, made where it is not."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._held:
                    self._held.move_to_end(key)
                    return self._held[key]
            value = make()
            with self._lock:
                self._held[key] = value
                seen: set[int] = set()
                weights = accumulate(_weigh(thing, seen) for thing in reversed(self._held.values()))  # latest first
                for _ in range(len(self._held) - max(1, sum(weight <= self.most_bytes for weight in weights))):
                    self._held.popitem(last=False)
                self._making.pop(key, None)
        return value

    def drop(self, key: Hashable) -> None:
        """Forget one thing."""
        with self._lock:
            self._held.pop(key, None)

    def forget(self, names: Set[str]) -> list[Any]:
        """Forget and return what was made of these data sets."""
        with self._lock:
            return [self._held.pop(key) for key in list(self._held) if _is_about(key, names)]


@st.cache_resource(show_spinner=False)
def shared() -> Shared:
    """Return what all sessions share of data sets and covariances."""
    return Shared(SHARED)


def get_or_create(key: Hashable, make: Callable[[], _T], doing: str) -> _T:
    """Return what sessions share under a key; say what is being done where it is still to be made."""
    things = shared()
    if things.holds(key):
        return things.get(key, make)
    with st.spinner(f"{doing} …"):
        return things.get(key, make)
