"""Sums over samples that come a few at a time: all a covariance needs of them, each row read once and let go."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from scipy.linalg.blas import dsyrk

from nnspca.covariance import marks
from nnspca.covariance.rows import BLOCK, FEWEST, NEAR, Ranged, doubles, ranges
from nnspca.numerics.doubles import as_doubles

MOST = 8192  # most rows of a block
SPARSE_ROWS = 16_384  # most rows of a block whose products are sparse
SPARSE = 0.05  # share of entries up to which a sparse block is multiplied as it is


class Sums(Ranged):
    """Sums of products of samples of n features about the mean of their block, and what the blocks' means are.

    Rows are gathered into blocks. A block of rows X_b of mean μ_b adds (X_b − μ_b)'(X_b − μ_b) to one
    n × n array, and μ_b, held as the sum of two doubles, to a list. In the end

        m A = Σ_b (X_b − μ_b)'(X_b − μ_b) + Σ_b m_b (μ_b − μ)(μ_b − μ)',

    two sums without a difference in them, so that no digit is lost, whatever the order of the rows.
    ``count`` leaves out rows of no weight, and ``weight`` is the sum of the weights, ``count`` where there are none.
    """

    def __init__(self, n: int, names: tuple[str, ...] | None = None, **place: Any) -> None:
        super().__init__(n, names, **place)
        self.weight = 0.0
        self._products = np.zeros((n, n), order="F")  # its upper triangle
        self._means: list[tuple[float, np.ndarray, np.ndarray]] = []
        self._rows = max(FEWEST, min(MOST, BLOCK // n))
        self._block, self._weights, self._held = np.empty((0, n)), np.empty(0), 0

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
        self._widen(low, high)
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
            self._products = dsyrk(1.0, block.T, beta=1.0, c=self._products, overwrite_c=True)
        self._end(count, total, mean, rest)

    def _absorb_sparse(self, rows: scipy.sparse.csr_array) -> bool:
        """Sum a sparse block by sparse products; False where too much of a feature's squares is its mean's."""
        by, count = doubles(rows), rows.shape[0]
        if not np.isfinite(by.data).all():
            self._places.refuse(by, self.start + self.count)
        mean = np.asarray(by.sum(axis=0)).ravel() / count
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.bincount(by.indices, weights=by.data * by.data, minlength=self.n)
            if not (count * mean * mean <= NEAR * squares).all():
                return False
            self._products += (by.T @ by).toarray(order="F")
            self._products -= count * np.outer(mean, mean)
        self.mark = self.mark + marks.of_sparse(by, self.start + self.count)
        self._widen(*ranges(by))
        self._end(count, float(count), mean, np.zeros(self.n))
        return True

    def _end(self, count: int, total: float, mean: np.ndarray, rest: np.ndarray) -> None:
        self._means.append((total, mean, rest))
        self.count, self.weight, self._held = self.count + count, self.weight + total, 0

    def _join(self, other: Sums) -> None:
        self.flush()
        other.flush()
        super()._join(other)
        self._products += other._products
        self._means, self.weight = self._means + other._means, self.weight + other.weight
        self.weighted |= other.weighted

    def copy(self) -> Sums:
        """Return one that can be added to while this stays as it is."""
        new: Sums = super().copy()
        new._means = list(self._means)
        return new

    @property
    def seen(self) -> int:
        """Rows taken, those that wait among them."""
        return self.count + self._held

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
