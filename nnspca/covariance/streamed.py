"""Data read in chunks: once, as the matrix of their covariance or whole where they are few; else anew on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.control.arguments import is_table, real_array, shown
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import spread
from nnspca.covariance.factor import AT_A_TIME, Seen
from nnspca.covariance.forms import DENSE_EIGEN, HeldMatrix
from nnspca.covariance.input import numbers as real_numbers
from nnspca.covariance.matrices import Held, check_scale
from nnspca.covariance.origin import Origin
from nnspca.covariance.samples import check_weights
from nnspca.covariance.sources import Source, in_memory
from nnspca.covariance.sums import Moments, Sums
from nnspca.errors import DataError
from nnspca.numerics import rounding

WHOLE = 2**24  # numbers up to which data are read whole, and all is as for an array in memory
DENSE_FEATURES = 1500  # up to here an n×n array is always welcome
GATHERED = 2**27  # numbers up to which data of too many features for a matrix are brought into memory: 1 GB
LARGEST, SMALLEST = 1e280, 1e-280  # variances of features that can be standardised from their sums
MEMORY = 2**31  # bytes, unless the caller says otherwise
NUMBER = 32  # bytes that a number of data in memory takes, with those that are made of it
AGREES = 1e-9  # how far means, in deviations, and variances, relatively, may differ when the same rows are read again


class TooFar(DataError):
    """Features of a scale so far from 1 that their squares are no doubles."""


@dataclass(frozen=True, eq=False)
class Before:
    """What rows came to when they were read before, of some features."""

    count: int
    mean: np.ndarray
    variance: np.ndarray

    def check(self, count: int, mean: np.ndarray, variance: np.ndarray) -> None:
        """Raise DataError where they come to something else now."""
        near = AGREES * (np.sqrt(self.variance) + np.abs(self.mean))
        same = count == self.count and (np.abs(mean - self.mean) <= near).all()
        if not (same and (np.abs(variance - self.variance) <= AGREES * self.variance + near**2).all()):
            raise DataError(
                f"the data changed while they were read: {count} rows now, {self.count} before, and their means and "
                "variances are to agree; give data that stay as they are"
            )


def formed(m: int, n: int) -> bool:
    """Whether A is held entry by entry for m samples of n features."""
    return n <= DENSE_FEATURES or (n <= 2 * m and n <= 2 * DENSE_EIGEN)


def is_large(m: int, n: int) -> bool:
    """Whether data of this shape are summed in chunks, and not held."""
    return m * n > WHOLE and formed(m, n)


def large_array(values: Any, samples: str, weighted: bool = False) -> Source | None:
    """Return an array or a table in memory as a source of rows where it is large; None for anything else.

    Sparse data are one where they are weighted, and too many to be held as dense ones.
    """
    sparse = scipy.sparse.issparse(values)
    plain = isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "fiub"
    shape: tuple[int, ...] = getattr(values, "shape", ())
    if len(shape) != 2 or not (plain or (sparse and weighted) or (is_table(values) and hasattr(values, "iloc"))):
        return None
    m, n = shape if samples == "rows" else shape[::-1]
    if m * n <= (AT_A_TIME if sparse else WHOLE) or not formed(m, n):
        return None
    rows = real_numbers(values) if sparse else values
    rows = rows if samples == "rows" else rows.T
    return in_memory(scipy.sparse.csr_array(rows) if sparse else rows)


def read(source: Source, standardize: bool, sample_weight: object = None, memory: int = NUMBER * GATHERED) -> Any:
    """Return the covariance of rows that are read once, or all rows as one array where these are few.

    DataError for more of them than ``memory`` has room for, of too many features for a matrix; or it says which rows
    cannot be used.
    """
    m, n = source.shape
    weights = given_weights(sample_weight, m)
    most = np.inf
    if weights is not None:
        most = len(weights)
        weights = None if (weights == weights[0]).all() else weights / weights.max()
    if m is not None and n is not None and is_large(m, n) and source.blocks is not None:
        return of_sums(spread.over_blocks(source, Sums, weights), standardize, source.expected)
    waiting: list[Any] = []  # chunks that are not summed, with their weights
    sums: Sums | None = None
    rows = count = 0
    for chunk in source.chunks():
        few = None if weights is None else weights[rows : rows + chunk.shape[0]]
        rows += chunk.shape[0]
        if rows > most:
            raise DataError(f"{source.what} gave more than the {most} rows that sample_weight has weights for")
        waiting.append((chunk, few))
        if sums is None and source.stored and not is_large(m or rows, chunk.shape[1]):
            sparse = scipy.sparse.issparse(chunk)
            count = count + chunk.nnz if sparse else (m or rows) * chunk.shape[1]
            if NUMBER * count > memory and not formed(m or rows, chunk.shape[1]):
                raise DataError(
                    f"{source.what} has {chunk.shape[1]:,} features, too many for a matrix, and takes more than "
                    f"memory={memory:,} bytes: choose the features that vary most, as in Covariance.from_data("
                    f"nnspca.most_variable(X, {DENSE_EIGEN})), or give more memory"
                )
            continue
        sums = sums or Sums(chunk.shape[1], source.names, chunk=0 if source.stored else None)
        while waiting:
            sums.add(*waiting.pop(0))
    if sums is not None:
        if rows < most < np.inf:
            raise DataError(f"{source.what} gave {rows} rows; sample_weight has {most} weights")
        return of_sums(sums, standardize, source.expected)
    return _whole([chunk for chunk, _ in waiting], source.expected)


def turned(source: Source) -> Any:
    """Return data whose samples are columns, with samples as rows, as one array; DataError where they are too many."""
    m, n = source.shape
    if m is None or n is None or m * n > GATHERED:
        raise DataError(
            f"{source.what} is read in rows: with samples='columns' it may have up to {GATHERED:,} numbers, and tell "
            "its shape; store it the other way round, or give X.T where that is possible"
        )
    return _whole(list(source.chunks()), None).T


def _whole(chunks: list[Any], before: Before | None) -> Any:
    if before is not None:
        moments = Moments(chunks[0].shape[1])
        for chunk in chunks:
            moments.add(chunk)
        before.check(moments.count, moments.mean, moments.variance)
    if any(map(scipy.sparse.issparse, chunks)):
        return scipy.sparse.csr_array(scipy.sparse.vstack(list(map(scipy.sparse.csr_array, chunks))))
    return np.concatenate(chunks) if len(chunks) > 1 else np.asarray(chunks[0])


def given_weights(given: object, m: int | None) -> np.ndarray | None:
    """Return one weight for each row as it was given; None for None."""
    if given is None:
        return None
    try:
        count = len(given) if m is None else m  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"sample_weight={shown(given)} is not allowed; give one number for each row") from None
    check_weights(given, count)
    return real_array(given)


def added(sums: Sums | None, source: Source, weights: np.ndarray | None) -> Sums:
    """Return the sums of rows seen before and of those of a source; what was summed before stays where that fails."""
    whole = sums
    begin = 0
    for chunk in source.chunks():
        n = chunk.shape[1]
        if whole is None:
            if n > 2 * DENSE_EIGEN:
                raise DataError(
                    f"the data have {n:,} features; sums are kept of up to {2 * DENSE_EIGEN:,}. Choose those that vary "
                    f"most: nnspca.most_variable(X, {DENSE_EIGEN})"
                )
            whole = Sums(n, source.names, chunk=0 if source.stored else None)
        elif whole is sums and source.stored:
            whole = sums.copy()
        if n != whole.n:
            raise DataError(f"the data have {n} features; those before had {whole.n}")
        few = None if weights is None else weights[begin : begin + chunk.shape[0]]
        begin += chunk.shape[0]
        if weights is not None and begin > len(weights):
            break
        with one_blas_thread():
            whole.add(chunk, few)
    if weights is not None and begin != len(weights):
        raise DataError(f"sample_weight has {len(weights)} weights for other than so many rows of {source.what}")
    assert whole is not None
    if source.stored:  # what is wrong with the last rows is said now
        whole.flush()
    return whole


def summed(source: Source, kind: Callable[..., Any]) -> Any:
    """Return what a pass adds up; where the data are blocks of a cluster's, its workers do so."""
    if source.blocks is not None:
        return spread.over_blocks(source, kind)
    total: Any = None
    for chunk in source.chunks():
        if total is None:
            total = kind(chunk.shape[1], names=source.names, chunk=0 if source.stored else None)
        total.add(chunk)
    return total


def of_sums(sums: Sums, standardize: bool, before: Before | None = None, *, last: bool = True) -> Held:
    """Return the covariance of all rows that were summed, with its allowance for rounding.

    The sums are used up, unless they are not the ``last``. DataError for fewer than two rows, no
    variance, a scale that is none, or rows that came to something else before.
    """
    sums.flush()
    m = sums.count
    if m < 2:
        raise DataError("one sample has no variance; give at least 2 samples of weight")
    A, mean = sums.result(last=last)
    variance = A.diagonal().copy()
    varies = sums.varies
    if not varies.any():
        raise DataError(f"no feature varies over the {m} samples: the covariance is zero")
    if before is not None:
        before.check(m, mean, variance)
    deviation = None
    if standardize:
        check_scales(variance[varies])
        deviation = np.sqrt(variance)
        scale = np.where(deviation > 0, deviation, 1.0)
        A /= scale[:, None]
        A /= scale
    trace = float(A.trace())
    check_scale(trace)
    allowed = rounding.of_sums(m, trace, sparse=sums.sparse, weighted=sums.weighted)
    relative = 2.02 * rounding.of_sums(m, 1.0, sparse=sums.sparse, weighted=sums.weighted)
    origin, seen = origin_of(sums, standardize), Seen.of(mean, deviation, None)
    return Held(HeldMatrix(A), origin, allowed, m, relative_drift=relative, seen=seen)


def check_scales(variance: np.ndarray) -> None:
    """Raise TooFar for variances by whose roots sums of squares cannot be divided."""
    if not (np.isfinite(variance).all() and variance.min() >= SMALLEST and variance.max() <= LARGEST):
        raise TooFar(
            f"variances of features go from {variance.min():g} to {variance.max():g}; data read in chunks can be "
            f"standardised from {SMALLEST:g} to {LARGEST:g}: rescale the features beyond"
        )


def origin_of(sums: Sums, standardize: bool) -> Origin:
    """Where it comes from: the same for the same rows, however they were cut into chunks."""
    if sums.weighted:
        description = f"marked weighted samples{', standardised' if standardize else ''}"
    else:
        centred = f"centred{' and standardised' if standardize else ''}"
        description = f"marked {'sparse ' if sums.sparse else ''}data {centred}"
    return Origin(description, (np.array([sums.count, sums.n]), sums.mark.numbers()))
