"""Sums over samples that come a few at a time: all a covariance needs of them, each row read once and let go."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from typing import Any, NoReturn

import numpy as np
import scipy.sparse
from scipy.linalg.blas import dsyrk

from nnspca.covariance.factor import less
from nnspca.covariance.forms import DENSE_EIGEN
from nnspca.errors import DataError
from nnspca.numerics.doubles import as_doubles, read_only

BLOCK, FEWEST, LARGEST_BLOCK = 2**20, 256, 2**23  # numbers of a dense block, its fewest rows, its most numbers
STORED = 2**21  # stored numbers of a sparse block
MEAN_SHARE = 0.8  # share of a feature's squares that its mean may have for that: 2 deviations
BLOCK_ROWS = 8192  # most rows of a block
SPARSE_ROWS = 16_384  # most rows of a block whose products are sparse
STRIDES = np.array([0x9E3779B97F4A7C15, 0xD1B54A32D192ED03], dtype=np.uint64)  # odd: any row's place differs
FOLDED = 2**16  # numbers folded at a time, so that they stay in the processor's cache
SPARSE = 0.05  # share of entries up to which a sparse block is multiplied as it is


class Pass:
    """One pass, a block of rows at a time: ``count`` rows of ``n`` features from place ``start`` on were taken."""

    weighted = False

    def __init__(self, n: int, names: tuple[str, ...] | None = None, start: int = 0) -> None:
        self.n, self.names, self.start, self.count = n, names, start, 0

    def settle(self) -> None:
        """Do nothing: no rows wait."""

    def refuse(self, rows: Any) -> NoReturn:
        """Raise DataError for the first value that is not finite among the next rows."""
        listed = rows.tocoo() if scipy.sparse.issparse(rows) else rows
        at = np.argwhere(~np.isfinite(listed.data if listed is not rows else rows))[0]
        i, j = (int(side[at[0]]) for side in listed.coords) if listed is not rows else map(int, at)
        value = listed.data[at[0]] if listed is not rows else rows[i, j]
        name = f"feature {j}" if self.names is None else f"feature {self.names[j]!r:.60}"
        value_text = "NaN" if np.isnan(value) else "infinite"
        where = f"row {self.start + self.count + i}, {name} is {value_text}"
        raise DataError(f"a value is not finite: {where}; remove or fill such values")

    def __sizeof__(self) -> int:
        """Bytes of its arrays, by which Dask counts what it sends and chooses where to work."""
        return object.__sizeof__(self) + sum(getattr(value, "nbytes", 0) for value in vars(self).values())


def joined(passes: Sequence[Any]) -> Any:
    """Return what passes over parts of the rows add up to; they stay as they are."""
    whole = deepcopy(passes[0])
    for other in passes[1:]:
        whole.join(other)
    return whole


class Moments(Pass):
    """The mean of each feature over the rows seen so far, and its sum of squares about that.

    Each block adds its own mean and its own squares about it (Chan, Golub and LeVeque 1983), so that
    no digits are lost of a feature far from zero.
    """

    def __init__(self, n: int, names: tuple[str, ...] | None = None, start: int = 0) -> None:
        super().__init__(n, names, start)
        self.mean, self._squares = np.zeros(n), np.zeros(n)

    def add(self, rows: Any) -> None:
        """Take rows, an array of any real type or a sparse array; DataError where a value is not finite."""
        sparse = scipy.sparse.issparse(rows)
        m, n = rows.shape
        height = STORED * m // max(rows.nnz, 1) if sparse else min(max(FEWEST, BLOCK // n), LARGEST_BLOCK // n)
        for begin in range(0, m, max(1, height)):
            with np.errstate(over="ignore", invalid="ignore"):
                block = _doubles(rows[begin : begin + max(1, height)])
                if not np.isfinite(block.data if sparse else block).all():
                    self.refuse(block)
                self._take(block)

    def join(self, other: Moments) -> None:
        """Take the moments of other rows."""
        self._merge(other.count, other.mean, other._squares)

    @property
    def variance(self) -> np.ndarray:
        """Variance (1/m) of each feature, shape (n,)."""
        return self._squares / max(1, self.count)

    def _take(self, block: Any) -> None:
        m = block.shape[0]
        if scipy.sparse.issparse(block):  # what is stored, and the zeros apart
            places = block.indices
            mean = np.bincount(places, weights=block.data, minlength=self.n) / m
            away = block.data - mean[places]
            squares = np.bincount(places, weights=away * away, minlength=self.n)
            squares += (m - np.bincount(places, minlength=self.n)) * mean * mean
        else:
            first = block.mean(axis=0)
            away = block - first
            mean, squares = first + away.mean(axis=0), np.einsum("ij,ij->j", away, away)
        self._merge(m, mean, squares)

    def _merge(self, m: int, mean: np.ndarray, squares: np.ndarray) -> None:
        both = max(1, self.count + m)
        with np.errstate(over="ignore", invalid="ignore"):
            apart = mean - self.mean
            self.mean = self.mean + apart * (m / both)
            self._squares = self._squares + squares + apart * apart * (self.count * m / both)
        self.count += m


class Sums(Pass):
    """Sums of products of samples of n features about the mean of their block, and what the blocks' means are.

    Rows are gathered into blocks. A block of rows X_b of mean μ_b adds (X_b − μ_b)'(X_b − μ_b) to one
    n × n array, and μ_b, held as the sum of two doubles, to a list. In the end

        m A = Σ_b (X_b − μ_b)'(X_b − μ_b) + Σ_b m_b (μ_b − μ)(μ_b − μ)',

    two sums without a difference in them, so that no digit is lost, whatever the order of the rows.
    ``count`` leaves out rows of no weight, and ``weight`` is the sum of the weights, ``count`` where there are none.
    """

    def __init__(self, n: int, names: tuple[str, ...] | None = None, start: int = 0) -> None:
        if n > 2 * DENSE_EIGEN:
            raise DataError(
                f"the data have {n:,} features; sums are kept of up to {2 * DENSE_EIGEN:,}. Choose those that vary "
                f"most: nnspca.most_variable(X, {DENSE_EIGEN})"
            )
        super().__init__(n, names, start)
        self.mark = np.zeros(2, dtype=np.uint64)
        self.weight = 0.0
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)
        self._products = np.zeros((n, n), order="F")  # its lower triangle
        self._means: list[tuple[float, np.ndarray, np.ndarray]] = []
        self._rows = max(FEWEST, min(BLOCK_ROWS, BLOCK // n))
        self._block, self._weights, self._held = np.empty((0, n)), np.empty(0), 0

    def add(self, rows: Any, weights: np.ndarray | None = None) -> None:
        """Take rows, an array of any real type or a sparse array; DataError says where a value is not finite."""
        if weights is not None:
            self.weighted = True
            rows, weights = rows[np.flatnonzero(weights)], weights[weights > 0]
        if scipy.sparse.issparse(rows):
            self._add_sparse(scipy.sparse.csr_array(rows), weights)
        else:
            self._add_dense(rows, weights)

    def _add_dense(self, rows: np.ndarray, weights: np.ndarray | None) -> None:
        if not len(self._block):
            self._block, self._weights = np.empty((self._rows, self.n)), np.ones(self._rows)
        done = 0
        while done < len(rows):
            more = min(len(rows) - done, self._rows - self._held)
            taken, here = slice(done, done + more), slice(self._held, self._held + more)
            with np.errstate(over="ignore", invalid="ignore"):  # what is too large is infinite, and refused as that
                np.add(_doubles(rows[taken]), 0.0, out=self._block[here])  # −0 is 0
            if weights is not None:
                self._weights[here] = weights[taken]
            done, self._held = done + more, self._held + more
            if self._held == self._rows:
                self.flush()

    def _add_sparse(self, rows: scipy.sparse.csr_array, weights: np.ndarray | None) -> None:
        """Add a sparse block: multiplied as it is where few entries are stored, else dense, a few rows at a time."""
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
        few = (np.count_nonzero(some) <= SPARSE * some.size for some in (block[::16], block))
        if not self.weighted and all(few) and self._absorb_sparse(scipy.sparse.csr_array(block)):
            return
        low, high = block.min(axis=0), block.max(axis=0)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            self.refuse(block)
        self._widen(low, high)
        weights = self._weights[:count] if self.weighted else None
        self.mark = self.mark + mark_of(block, self.start + self.count, weights)
        total = float(count) if weights is None else float(weights.sum())
        shares = np.full(count, 1.0 / count) if weights is None else weights / total
        with np.errstate(over="ignore", invalid="ignore"):
            mean = shares @ block
            block -= mean
            rest = shares @ block  # the second time removes what rounding the first mean left
            block -= rest
            if weights is not None:
                block *= np.sqrt(weights)[:, None]
            self._products = dsyrk(1.0, block.T, beta=1.0, c=self._products, overwrite_c=True, lower=True)
        self._end(count, total, mean, rest)

    def _absorb_sparse(self, rows: scipy.sparse.csr_array) -> bool:
        """Sum a sparse block by sparse products; False where too many of its features would have to be shifted.

        Where most of a feature's squares are the mean's, which would take the digits of the rest, its values are held
        as differences from it: they are sparse no longer.
        """
        by, count = _doubles(rows), rows.shape[0]
        if not np.isfinite(by.data).all():
            self.refuse(by)
        columns = by.tocsc()
        low, high = (side.toarray().ravel() for side in (columns.min(axis=0), columns.max(axis=0)))
        reference = np.where(low == high, low, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(3):
                if np.count_nonzero(reference) > SPARSE * self.n:
                    return False
                shifted = less(by, reference)
                mean = np.asarray(shifted.sum(axis=0)).ravel() / count
                squares = np.bincount(shifted.indices, weights=shifted.data * shifted.data, minlength=self.n)
                far = ~(count * mean * mean <= MEAN_SHARE * squares)
                if not far.any():
                    break
                reference += np.where(far, mean, 0.0)
            else:
                return False
            self._products += (shifted.T @ shifted).toarray(order="F")
            self._products -= count * np.outer(mean, mean)
        self.mark = self.mark + mark_of(by, self.start + self.count)
        self._widen(low, high)
        self._end(count, float(count), reference, mean)
        return True

    @property
    def varies(self) -> np.ndarray:
        """Whether each feature took more than one value."""
        return self.low != self.high

    def _widen(self, low: np.ndarray, high: np.ndarray) -> None:
        np.minimum(self.low, low, out=self.low)
        np.maximum(self.high, high, out=self.high)

    def _end(self, count: int, total: float, mean: np.ndarray, rest: np.ndarray) -> None:
        self._means.append((total, mean, rest))
        self.count, self.weight, self._held = self.count + count, self.weight + total, 0

    def join(self, other: Sums) -> None:
        """Take the sums of other rows: blocks of rows, as those here are."""
        self.flush()
        self.weighted = self.weighted or other.weighted
        self.mark = self.mark + other.mark
        self._widen(other.low, other.high)
        self._products += other._products
        self._means += other._means
        self.count, self.weight = self.count + other.count, self.weight + other.weight

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
            A = dsyrk(1.0, away.T, beta=1.0, c=self._products, overwrite_c=last, lower=True)
            A /= self.weight
        for start in range(0, self.n, FEWEST):  # the upper triangle, a few columns at a time
            few = slice(start, start + FEWEST)
            A[:start, few] = A[few, :start].T
            own = A[few, few]
            A[few, few] = np.tril(own) + np.tril(own, -1).T
        still = ~self.varies  # must be zero exactly, whatever their means' rounding left behind
        A[still], A[:, still] = 0.0, 0.0
        return A.T, reference + (middle + again)  # symmetric to the last bit: row after row

    def settle(self) -> None:
        """Sum the rows that wait, and let go of their room."""
        self.flush()
        self._block, self._weights = np.empty((0, self.n)), np.empty(0)

    def __getstate__(self) -> dict[str, Any]:
        """What is summed: no rows wait."""
        self.settle()
        return self.__dict__


def _doubles(rows: Any) -> Any:
    """Return rows in double precision, each place stored once."""
    if not scipy.sparse.issparse(rows):
        exact = rows.dtype.itemsize >= 8 and rows.dtype.kind in "iu"
        return as_doubles(rows) if exact else np.asarray(rows, dtype=np.float64)
    by = scipy.sparse.csr_array(rows)
    by.sum_duplicates()
    return scipy.sparse.csr_array((as_doubles(by.data) + 0.0, by.indices, by.indptr), shape=by.shape)


def mark_of(rows: Any, start: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Mark rows of doubles, the first of which is row ``start``, by two sums of 64 bits; marks of more rows are added.

    A row's number is its values' bits, folded and multiplied each by a fixed odd number of its column, and mixed with
    the row's place before it is added. So rows can be marked where they lie, however the data are cut, and a zero
    counts for nothing: sparse rows (each place stored once) have the mark of the same rows written out. It tells data
    apart that differ by accident. Two tables of one mark can be made with effort: no proof rests on it.
    """
    m, n = rows.shape
    keys = _keys(n + 1)
    if scipy.sparse.issparse(rows):
        hashes = (
            scipy.sparse.csr_array((_folded(rows.data), rows.indices, rows.indptr), shape=rows.shape) @ keys[:, :-1].T
        )
    else:
        hashes, step = np.empty((m, 2), dtype=np.uint64), max(1, FOLDED // n)
        room = np.empty((min(m, step), n), dtype=np.uint64)  # taken once: a worker of Dask gives memory back at once
        for at in range(0, m, step):
            folded = _folded(rows[at : at + step], room[: m - at])
            np.einsum("ij,wj->iw", folded, keys[:, :-1], out=hashes[at : at + step])
    if weights is not None:
        hashes += _folded(weights)[:, None] * keys[:, -1]
    places = np.arange(start + 1, start + m + 1, dtype=np.uint64)[:, None]
    return np.asarray(_mixed(hashes + places * STRIDES).sum(axis=0, dtype=np.uint64))


def _folded(values: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Bits of doubles, the upper half also in the lower: signs and exponents reach every bit of a product."""
    bits = np.ascontiguousarray(values).view(np.uint64)
    folded = np.right_shift(bits, np.uint64(32), out=out)
    return np.bitwise_xor(folded, bits, out=folded)


def _mixed(values: np.ndarray) -> np.ndarray:
    """Spread every bit over all 64 (the finaliser of splitmix64, Steele, Lea and Flood 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


@cache
def _keys(count: int) -> np.ndarray:
    """Fixed odd numbers, two for each column, shape (2, count)."""
    return read_only(_mixed(np.arange(1, count + 1, dtype=np.uint64)[None, :] * STRIDES[:, None]) | np.uint64(1))
