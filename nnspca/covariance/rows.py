"""Rows of data taken a few at a time: what every pass over data does, whatever it adds up."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.covariance import marks
from nnspca.errors import DataError
from nnspca.numerics.doubles import as_doubles

BLOCK, FEWEST, LARGEST = 2**20, 256, 2**23  # numbers of a dense block, its fewest rows, and numbers it never exceeds
STORED = 2**21  # stored numbers of a sparse block
ENTRIES = 2**22  # stored numbers of the rows that are retained of a sample
NEAR = 0.8  # share of a feature's squares that its mean may have for that: 2 deviations


class Places:
    """The rows at which chunks begin, and what features are called.

    >>> places = Places(("a", "b"), 0, 0)
    >>> places.next(2)
    >>> places.refuse(np.array([[1.0, np.nan]]), 3)
    Traceback (most recent call last):
    nnspca.errors.DataError: a value is not finite: chunk 1, its row 1 (row 3 of the data), feature 'b' is NaN; ...
    """

    def __init__(self, names: tuple[str, ...] | None, start: int, chunk: int | None) -> None:
        """Begin with the numbers of the first row and chunk; ``chunk`` is None where the library cuts the data."""
        self.names, self._chunk, self._begins = names, chunk, [start]

    def next(self, row: int) -> None:
        """Take the row at which another chunk begins."""
        self._begins.append(row)

    def refuse(self, rows: Any, first: int) -> None:
        """Raise DataError for the first value among rows that is not finite; ``first`` is the first one's index."""
        if scipy.sparse.issparse(rows):
            listed = rows.tocoo()
            bad = int(np.flatnonzero(~np.isfinite(listed.data))[0])
            i, j = (int(side[bad]) for side in listed.coords)
            value = listed.data[bad]
        else:
            i, j = map(int, np.argwhere(~np.isfinite(rows))[0])
            value = rows[i, j]
        row = first + i
        place = bisect_right(self._begins, row) - 1
        where = f"row {row}"
        if self._chunk is not None:
            where = f"chunk {self._chunk + place}, its row {row - self._begins[place]} (row {row} of the data)"
        name = f"feature {j}" if self.names is None else f"feature {self.names[j]!r:.60}"
        value_text = "NaN" if np.isnan(value) else "infinite"
        raise DataError(f"a value is not finite: {where}, {name} is {value_text}; remove or fill such values")


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


class Pass:
    """One pass: rows are taken a block at a time; two passes over different rows add up.

    ``count`` is how many rows of ``n`` features were taken, ``sparse`` whether any were sparse, and ``mark`` names
    them, however they were cut. ``poll`` is called before each block; what it raises ends the pass.
    """

    poll: Callable[[], None] = staticmethod(lambda: None)
    weighted, marked = False, True
    _take: Callable[[Any], None]  # adds up what the pass is made for
    _join: Callable[[Any], None]  # adds what another pass added up

    def __init__(self, n: int, names: tuple[str, ...] | None = None, *, start: int = 0, chunk: int | None = 0) -> None:
        self.n, self.count, self.start = n, 0, start
        self.mark, self.sparse = marks.Mark(), False
        self._places = Places(names, start, chunk)

    def add(self, rows: Any, weights: None = None) -> None:
        """Take rows, an array of any real type or a sparse array; DataError where a value is not finite."""
        self.sparse |= scipy.sparse.issparse(rows)
        step = _height(rows)
        for begin in range(0, rows.shape[0], step):
            self.poll()
            with np.errstate(over="ignore", invalid="ignore"):
                block = doubles(rows[begin : begin + step])
                self._accept(block)
                self._take(block)
            self.count += block.shape[0]
        self._places.next(self.start + self.count)

    def _accept(self, block: Any) -> None:
        """Refuse values that are not finite, and mark the rows unless the pass is over before others."""
        sparse, place = scipy.sparse.issparse(block), self.start + self.count
        if not np.isfinite(block.data if sparse else block).all():
            self._places.refuse(block, place)
        if self.marked:
            own = marks.of_sparse(block, place) if sparse else marks.of_rows(block + 0.0, place)  # −0 is 0
            self.mark = self.mark + own

    def flush(self) -> None:
        """Do nothing: no rows wait."""

    def copy(self) -> Any:
        """Return one that can be added to while this stays as it is."""
        new = copy(self)
        for name, value in list(vars(new).items()):
            if isinstance(value, np.ndarray | Sampled | Places):
                setattr(new, name, deepcopy(value))
        return new

    def merge(self, other: Any) -> Any:
        """Take what another pass saw, of other rows of the same data."""
        self._join(other)
        self.mark, self.count = self.mark + other.mark, self.count + other.count
        self.sparse |= other.sparse
        return self


class Ranged(Pass):
    """A pass that knows the range of each feature."""

    def __init__(self, n: int, names: tuple[str, ...] | None = None, **place: Any) -> None:
        super().__init__(n, names, **place)
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)

    @property
    def varies(self) -> np.ndarray:
        """Whether each feature took more than one value."""
        return self.low != self.high

    def _widen(self, low: np.ndarray, high: np.ndarray) -> None:
        np.minimum(self.low, low, out=self.low)
        np.maximum(self.high, high, out=self.high)

    def _join(self, other: Any) -> None:
        self._widen(other.low, other.high)


def _height(rows: Any) -> int:
    """How many rows are taken at a time."""
    m, n = rows.shape
    if scipy.sparse.issparse(rows):
        return max(1, STORED * m // max(rows.nnz, 1))
    return max(1, min(max(FEWEST, BLOCK // n), LARGEST // n))


def doubles(rows: Any) -> Any:
    """Return rows in double precision, each place stored once."""
    if not scipy.sparse.issparse(rows):
        exact = rows.dtype.itemsize >= 8 and rows.dtype.kind in "iu"
        return as_doubles(rows) if exact else np.asarray(rows, dtype=np.float64)
    by = scipy.sparse.csr_array(rows)
    by.sum_duplicates()
    return scipy.sparse.csr_array((as_doubles(by.data) + 0.0, by.indices, by.indptr), shape=by.shape)


def ranges(block: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the largest value of each feature."""
    if scipy.sparse.issparse(block):
        columns = scipy.sparse.csc_array(block)
        low, high = (np.asarray(v.toarray()).ravel() for v in (columns.min(axis=0), columns.max(axis=0)))
        return low, high
    return block.min(axis=0), block.max(axis=0)
