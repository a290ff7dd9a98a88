"""Some rows of data that come a few at a time: those whose places are mixed to the least numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from nnspca.covariance import marks

ENTRIES = 2**22  # stored numbers of the rows that are retained


class Sampled:
    """Rows drawn without a look at their values: the same whatever chunks, workers or order they come in.

    >>> some = Sampled()
    >>> some.add(np.arange(6.0).reshape(3, 2), 0)
    >>> some.rows()
    array([[0., 1.],
           [2., 3.],
           [4., 5.]])
    """

    def __init__(self) -> None:
        self._parts: list[tuple[np.ndarray, np.ndarray, Any]] = []  # numbers drawn, places, and rows
        self._below = np.uint64(2**64 - 1)

    def add(self, block: Any, start: int) -> None:
        """Take rows, the first of which is row ``start`` of the data."""
        places = np.arange(start, start + block.shape[0], dtype=np.uint64)
        drawn = marks.mixed((places + np.uint64(1)) * marks.STEPS[0])
        chosen = np.flatnonzero(drawn <= self._below)
        if len(chosen):
            self._parts.append((drawn[chosen], places[chosen], block[chosen]))
            if sum(getattr(rows, "nnz", rows.size) for _, _, rows in self._parts) > 2 * ENTRIES:
                self._cut()

    def merge(self, other: Sampled) -> None:
        """Take the rows that another drew, of others."""
        self._parts = self._parts + other._parts
        self._below = min(self._below, other._below)
        self._cut()

    def rows(self) -> Any:
        """Return the rows in the order of their places, an array or a sparse array."""
        self._cut()
        (_, places, rows), *_ = self._parts
        return rows[np.argsort(places)]

    def _cut(self) -> None:
        """Retain the rows of least numbers, as many as hold ``ENTRIES`` stored numbers; two at least."""
        drawn, places = (np.concatenate([part[side] for part in self._parts]) for side in (0, 1))
        rows = _stacked([rows for _, _, rows in self._parts])
        order = np.argsort(drawn)
        sizes = np.diff(rows.indptr) if scipy.sparse.issparse(rows) else np.full(len(drawn), rows.shape[1])
        count = max(2, int(np.searchsorted(np.cumsum(sizes[order]), ENTRIES, side="right")))
        if count < len(order):
            self._below, order = drawn[order[count - 1]], order[:count]
        order = np.sort(order)
        self._parts = [(drawn[order], places[order], rows[order])]


def _stacked(parts: list[Any]) -> Any:
    if any(map(scipy.sparse.issparse, parts)):
        return scipy.sparse.csr_array(scipy.sparse.vstack(list(map(scipy.sparse.csr_array, parts))))
    return np.concatenate(parts)
