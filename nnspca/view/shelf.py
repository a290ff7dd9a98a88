"""Shelf: a bounded, thread-safe store of finished results."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

SHELF_BYTES = 256 * 2**20
SHELF_ENTRIES = 400


class Shelf:
    """Finished results by key, the least recently used thrown out first; safe among threads."""

    def __init__(self, most_bytes: int = SHELF_BYTES, most_entries: int = SHELF_ENTRIES):
        self._most_bytes, self._most_entries = most_bytes, most_entries
        self._results: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
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
            self._results[key] = (result, _size(result))
            self._results.move_to_end(key)
            while len(self._results) > 1 and (
                len(self._results) > self._most_entries
                or sum(size for _, size in self._results.values()) > self._most_bytes
            ):
                self._results.popitem(last=False)

    def drop(self, key: Hashable) -> None:
        """Forget one result."""
        with self._lock:
            self._results.pop(key, None)


def _size(thing: Any) -> int:
    """Return about how many bytes of arrays a result holds."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if dataclasses.is_dataclass(thing):
        return sum(_size(getattr(thing, f.name)) for f in dataclasses.fields(thing))
    if isinstance(thing, Mapping):
        return sum(_size(value) for value in thing.values())
    if isinstance(thing, tuple | list):
        return 8 * len(thing) + sum(_size(item) for item in thing if not isinstance(item, float))
    return 64
