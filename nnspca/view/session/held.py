"""What is held by key and bounded in bytes: finished results, and large things that are made once for all who ask."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from nnspca.view.session.weight import size

_T = TypeVar("_T")
MOST_BYTES, MOST_ENTRIES = 256 * 2**20, 4000  # of finished results
PATIENCE = 10.0  # seconds that a session waits for another one that seeks the same
LOOK = 0.03  # seconds between two looks meanwhile


class Results:
    """Finished results by key, the least recently used thrown out first; safe among threads."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES):
        self._most_bytes, self._most_entries = most_bytes, most_entries
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
            self._results[key] = (result, size(result))
            self._results.move_to_end(key)
            while len(self._results) > 1 and (
                len(self._results) > self._most_entries
                or sum(held for _, held in self._results.values()) > self._most_bytes
            ):
                self._results.popitem(last=False)

    def drop(self, key: Hashable) -> None:
        """Forget one result."""
        with self._lock:
            self._results.pop(key, None)

    @contextmanager
    def sought(self, key: Hashable, should_stop: Callable[[], bool]) -> Iterator[None]:
        """Be the only one who seeks a result: where another session is at it, wait for that one first.

        A while at most, for that one may itself be waiting for others; then both seek it.
        """
        end = time.monotonic() + PATIENCE
        while not (alone := self._claim(key)) and time.monotonic() < end and not should_stop():
            time.sleep(LOOK)
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


class Shared:
    """Large things that all sessions share, each made by the first who asks while the others wait for it.

    They may grow while they are held (a covariance keeps its eigenvectors), so they are weighed anew each time.
    """

    def __init__(self, most_bytes: int):
        self._most_bytes = most_bytes
        self._held: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def holds(self, key: Hashable) -> bool:
        """Whether it is there already."""
        return key in self._held

    def find(self, key: Hashable) -> Any:
        """Return what is held under ``key``, None where nothing is: it is not made."""
        with self._lock:
            return self._held.get(key)

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return what is held under ``key``, made where it is not."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._held:
                    self._held.move_to_end(key)
                    return self._held[key]
            made = make()
            with self._lock:
                self._held[key] = made
                while len(self._held) > 1 and size(tuple(self._held.values())) > self._most_bytes:
                    self._held.popitem(last=False)
                self._making.pop(key, None)
        return made

    def drop(self, key: Hashable) -> None:
        """Forget one thing."""
        with self._lock:
            self._held.pop(key, None)
