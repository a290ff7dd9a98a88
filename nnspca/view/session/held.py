"""What outlives a redraw, bounded in bytes: the least recently used goes first; what many ask for is made once."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
import scipy.sparse

MOST_BYTES = 256 * 2**20
MOST_ENTRIES = 4000

_T = TypeVar("_T")


class Results:
    """Finished results by key, the least recently used thrown out first; safe among threads."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES):
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


def size(thing: Any) -> int:
    """Return about how many bytes of arrays a thing holds, an array it holds twice counted once.

    >>> twice = np.zeros(1000)
    >>> size((twice, twice)) - size(twice) < 100
    True
    """
    return _weigh(thing, set())


def _weigh(thing: Any, seen: set[int]) -> int:
    if isinstance(thing, np.ndarray):
        whole = thing if thing.base is None else thing.base  # a slice keeps all of what it is cut from
        new = id(whole) not in seen
        seen.add(id(whole))
        return getattr(whole, "nbytes", thing.nbytes) * new
    if scipy.sparse.issparse(thing):
        return sum(_weigh(getattr(thing, part, None), seen) for part in ("data", "indices", "indptr"))
    if isinstance(thing, Mapping):
        return sum(_weigh(value, seen) for value in thing.values())
    if isinstance(thing, tuple | list):
        many = [item for item in thing if not isinstance(item, float | str)]
        return 8 * len(thing) + 64 * (len(thing) - len(many)) + sum(_weigh(item, seen) for item in many)
    if dataclasses.is_dataclass(thing) or type(thing).__module__.startswith("nnspca."):
        return sum(_weigh(value, seen) for value in _parts(thing))
    return 64


def _parts(thing: Any) -> Iterable[Any]:
    return vars(thing).values() if hasattr(thing, "__dict__") else ()
