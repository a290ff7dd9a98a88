"""Sums over samples that come a few at a time: all a covariance needs of them, each row read once and let go."""

from __future__ import annotations

from bisect import bisect_right
from copy import copy, deepcopy
from typing import Any

import numpy as np
import scipy.sparse
from scipy.linalg.blas import dsyrk

from nnspca.covariance import marks
from nnspca.errors import DataError
from nnspca.numerics.doubles import as_doubles

BLOCK, FEWEST, MOST = 2**20, 256, 8192  # numbers of a block of rows, and the fewest and most rows it has
SPARSE_ROWS = 16_384  # most rows of a block whose products are sparse
SPARSE = 0.05  # share of entries up to which a sparse block is multiplied as it is
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


class Sums:
    """Sums of products of samples of n features about the mean of their block, and what the blocks' means are.

    Rows are gathered into blocks. A block of rows X_b of mean μ_b adds (X_b − μ_b)'(X_b − μ_b) to one
    n × n array, and μ_b, held as the sum of two doubles, to a list. In the end

        m A = Σ_b (X_b − μ_b)'(X_b − μ_b) + Σ_b m_b (μ_b − μ)(μ_b − μ)',

    two sums without a difference in them, so that no digit is lost, whatever the order of the rows.
    Two objects that saw different rows add up to that of all: `merge`.

    Attributes
    ----------
    n : int
    count : int
        Rows seen, those of no weight left out.
    weight : float
        Sum of their weights; ``count`` where they have none.
    sparse, weighted : bool
        Whether any rows were sparse, or had weights.
    mark : marks.Mark
        Names the rows seen, however they were cut.
    """

    def __init__(self, n: int, names: tuple[str, ...] | None = None, *, start: int = 0, chunk: int | None = 0) -> None:
        """Begin with no rows; ``start`` and ``chunk`` number the first row and chunk; None where chunks are our own."""
        self.n, self.start = n, start
        self.count, self.weight = 0, 0.0
        self.mark = marks.Mark()
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)
        self._products = np.zeros((n, n), order="F")  # its upper triangle
        self._means: list[tuple[float, np.ndarray, np.ndarray]] = []
        self._rows = max(FEWEST, min(MOST, BLOCK // n))
        self._block, self._weights, self._held = np.empty((0, n)), np.empty(0), 0
        self.weighted = self.sparse = False
        self._places = Places(names, start, chunk)

    # ------------------------------------------------------------------ rows come in

    def add(self, rows: Any, weights: np.ndarray | None = None) -> None:
        """Take rows, an array of any real type or a sparse array; DataError says where a value is not finite."""
        if weights is not None:
            self.weighted = True
            rows, weights = rows[np.flatnonzero(weights)], weights[weights > 0]
        if scipy.sparse.issparse(rows):
            self.sparse = True
            self._add_sparse(scipy.sparse.csr_array(rows), weights)
        else:
            self._add_dense(rows, weights)
        self._places.next(self.start + self.count + self._held)

    def _add_dense(self, rows: np.ndarray, weights: np.ndarray | None) -> None:
        if not len(self._block):
            self._block, self._weights = np.empty((self._rows, self.n)), np.ones(self._rows)
        done = 0
        while done < len(rows):
            more = min(len(rows) - done, self._rows - self._held)
            taken, here = slice(done, done + more), slice(self._held, self._held + more)
            some = rows[taken]
            with np.errstate(over="ignore", invalid="ignore"):  # what is too large is infinite, and refused as that
                self._block[here] = as_doubles(some) if some.dtype.itemsize >= 8 and some.dtype.kind in "iu" else some
            if weights is not None:
                self._weights[here] = weights[taken]
            done, self._held = done + more, self._held + more
            if self._held == self._rows:
                self.flush()

    def _add_sparse(self, rows: scipy.sparse.csr_array, weights: np.ndarray | None) -> None:
        """A block of few entries is multiplied as it is; any other is made dense, a few rows at a time."""
        for start in range(0, rows.shape[0], SPARSE_ROWS):
            some = rows[start : start + SPARSE_ROWS]
            if weights is None and some.nnz <= SPARSE * some.shape[0] * self.n and some.shape[0] >= self._rows:
                self.flush()
                if self._absorb_sparse(some):
                    continue
            for at in range(0, some.shape[0], self._rows):
                few = slice(at, at + self._rows)
                own = None if weights is None else weights[start : start + SPARSE_ROWS][few]
                self._add_dense(some[few].toarray(), own)

    def flush(self) -> None:
        """Sum the rows that wait for their block to be full."""
        if not self._held:
            return
        block, count = self._block[: self._held], self._held
        block += 0.0  # −0 is 0
        low, high = block.min(axis=0), block.max(axis=0)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            self._places.refuse(block, self.start + self.count)
        np.minimum(self.low, low, out=self.low)
        np.maximum(self.high, high, out=self.high)
        weights = self._weights[:count] if self.weighted else None
        self.mark = self.mark + marks.of_rows(block, self.start + self.count, weights)
        total = float(count) if weights is None else float(weights.sum())
        shares = np.full(count, 1.0 / count) if weights is None else weights / total
        with np.errstate(over="ignore", invalid="ignore"):
            mean = shares @ block
            block -= mean
            rest = shares @ block  # the second time removes what rounding the first mean left
            block -= rest
            if weights is not None:
                block *= np.sqrt(weights)[:, None]
            self._add_products(block)
        self._end(count, total, mean, rest)

    def _add_products(self, block: np.ndarray) -> None:
        self._products = dsyrk(1.0, block.T, beta=1.0, c=self._products, overwrite_c=True)

    def _absorb_sparse(self, rows: scipy.sparse.csr_array) -> bool:
        """Sum a sparse block by sparse products; False where too much of a feature's squares is its mean's."""
        rows.sum_duplicates()
        count = rows.shape[0]
        data = as_doubles(rows.data) + 0.0
        if not np.isfinite(data).all():
            self._places.refuse(rows, self.start + self.count)
        by = scipy.sparse.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)
        mean = np.asarray(by.sum(axis=0)).ravel() / count
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.bincount(by.indices, weights=data * data, minlength=self.n)
            if not (count * mean * mean <= NEAR * squares).all():
                return False
            self._products += (by.T @ by).toarray(order="F")
            self._products -= count * np.outer(mean, mean)
        self.mark = self.mark + marks.of_sparse(by, self.start + self.count)
        low, high = (np.asarray(v.toarray()).ravel() for v in (by.min(axis=0), by.max(axis=0)))
        np.minimum(self.low, low, out=self.low)
        np.maximum(self.high, high, out=self.high)
        self._end(count, float(count), mean, np.zeros(self.n))
        return True

    def _end(self, count: int, total: float, mean: np.ndarray, rest: np.ndarray) -> None:
        self._means.append((total, mean, rest))
        self.count, self.weight, self._held = self.count + count, self.weight + total, 0

    # ------------------------------------------------------------------ what they come to

    def merge(self, other: Sums) -> Sums:
        """Take what another saw, of other rows of the same data."""
        self.flush()
        other.flush()
        self._products += other._products
        self._means = self._means + other._means
        self.mark = self.mark + other.mark
        self.sparse, self.weighted = self.sparse or other.sparse, self.weighted or other.weighted
        self.count, self.weight = self.count + other.count, self.weight + other.weight
        np.minimum(self.low, other.low, out=self.low)
        np.maximum(self.high, other.high, out=self.high)
        return self

    def copy(self) -> Sums:
        """Return one that can be added to while this stays as it is."""
        self.flush()
        new = copy(self)
        new._products, new.low, new.high = (
            self._products.copy(order="F"),
            self.low.copy(),
            self.high.copy(),
        )
        new._means, new._places = list(self._means), deepcopy(self._places)
        new._block, new._weights = np.empty((0, self.n)), np.empty(0)
        return new

    @property
    def seen(self) -> int:
        """Rows taken, those that wait among them."""
        return self.count + self._held

    @property
    def varies(self) -> np.ndarray:
        """Whether each feature took more than one value."""
        return self.low != self.high

    def result(self, *, last: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Return A (1/m), shape (n, n), and the mean of all, shape (n,); if ``last``, in the place of the sums."""
        self.flush()
        weights = np.array([w for w, _, _ in self._means])
        reference = self._means[0][1]
        with np.errstate(over="ignore", invalid="ignore"):
            away = np.array([(mean - reference) + rest for _, mean, rest in self._means])
            middle = weights @ away / self.weight
            away -= middle
            again = weights @ away / self.weight
            away -= again
            away *= np.sqrt(weights)[:, None]
            A = dsyrk(1.0, away.T, beta=1.0, c=self._products, overwrite_c=last)
            A /= self.weight
        for start in range(0, self.n, FEWEST):  # the lower triangle, a few rows at a time
            rows = slice(start, start + FEWEST)
            A[rows, :start] = A[:start, rows].T
            own = A[rows, rows]
            A[rows, rows] = np.triu(own) + np.triu(own, 1).T
        still = ~self.varies  # must be zero exactly, whatever their means' rounding left behind
        A[still], A[:, still] = 0.0, 0.0
        return A.T, reference + (middle + again)  # symmetric to the last bit: row after row

    def __getstate__(self) -> dict[str, Any]:
        """What is summed: no rows wait."""
        self.flush()
        return {**self.__dict__, "_block": np.empty((0, self.n)), "_weights": np.empty(0)}
