"""Samples as a covariance: held as a factor or summed a few rows at a time, with what rounding that is off by."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.control.arguments import check_flag, is_table, masked, real_array, shown
from nnspca.control.progress import OnProgress, ShouldStop
from nnspca.control.threads import one_blas_thread
from nnspca.covariance.factor import AT_A_TIME, DenseFactor, SparseFactor, varies
from nnspca.covariance.forms import DENSE_EIGEN, Form, HeldMatrix, check_scale
from nnspca.covariance.input import Input, check_distinct_names, numbers, read_given
from nnspca.covariance.provenance import Provenance, hash_of, of_data
from nnspca.covariance.sources import Source, chunk_array, chunked, in_memory, summed
from nnspca.covariance.sums import Sums
from nnspca.errors import DataError
from nnspca.numerics import rounding
from nnspca.numerics.doubles import as_doubles

SPARSE_SHARE = 0.05  # share of numbers other than zero up to which sparse products take less time than dense ones
WRITTEN, STORED = 16, 40  # bytes that a number of dense data, and an entry of sparse ones, takes until they are held
DOMINANT = 0.9  # share of the trace from which one feature holds it: a component then speaks about its unit
READ_WHOLE = 2**24  # numbers up to which data are read whole, and all is as for an array in memory
DENSE_FEATURES = 1500  # up to here an n×n array is always welcome
GATHERED = 2**27  # numbers of samples as columns that may be turned: 1 GB
LARGEST, SMALLEST = 1e280, 1e-280  # variances of features that can be standardised from their sums
MEMORY = 2**31  # bytes that data of too many features for a matrix, or sparse data written out, may take
NUMBER = 32  # bytes that a number of data in memory takes, with those that are made of it

Made = tuple[Form, Provenance]


class Constant(DataError):
    """Samples without any variance."""


class TooFar(DataError):
    """Features of a scale so far from 1 that their squares are no doubles."""


def of_samples(
    X: Any,
    standardize: bool,
    sample_weight: object,
    should_stop: ShouldStop | None,
    on_progress: OnProgress | None,
) -> tuple[Made, Input]:
    """Return the covariance of anything that is taken as samples, and what stood beside the numbers."""
    weighted = sample_weight is not None
    if (source := chunked(X)) is not None:
        source = source.heeding(should_stop, on_progress)
        try:
            values = form_of_rows(source, standardize, sample_weight)
        except TooFar:
            if source.stored:
                raise
            values = stacked(list(source.chunks()))  # of any scale where they are in memory
        given = Input(None, source.names, chosen=source.chosen)
        given = replace(X, values=None) if isinstance(X, Input) else given
        if isinstance(values, tuple):
            return values, given
    else:
        given = read_given(X)
        values = given.values
    if getattr(values, "ndim", 0) == 2 and (scipy.sparse.issparse(values) or _plain(values)):
        values = by_cost(numbers(values) if scipy.sparse.issparse(values) else values, weighted)
    if (source := large_array(values)) is not None:
        check_distinct_names(values)
        with suppress(TooFar):  # of any scale where it is in memory
            return form_of_rows(source.heeding(should_stop, on_progress), standardize, sample_weight), given
    return centred(values, standardize, sample_weight), given


def with_negatives(X: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Return samples and weights with the negative of each sample after it: their covariance is X'X / m, exactly.

    So second moments about zero are held, summed and proven as any covariance is.
    """
    if (source := chunked(X)) is not None:
        read, count = source.read, None if source.rows is None else 2 * source.rows

        def both() -> Iterator[Any]:
            return (_with_negatives(chunk_array(chunk)) for chunk in read())

        if (X := source.spread) is not None:
            chunks = tuple(2 * height for height in X.chunks[0]), X.chunks[1]
            X = X.map_blocks(_with_negatives, chunks=chunks, dtype=float, meta=X._meta)
        return replace(source, read=both, rows=count, spread=X), _twice(sample_weight, source.rows)
    given = read_given(X)
    if given.is_matrix:
        raise DataError("the data set is a covariance matrix: its samples were centred, or not, before")
    rows = numbers(given.values)
    if rows.ndim != 2:
        raise DataError(f"data must be a table of shape (samples, features); got {rows.ndim} dimension(s)")
    return replace(given, values=_with_negatives(rows)), _twice(sample_weight, rows.shape[0])


def _twice(sample_weight: object, m: int | None) -> np.ndarray | None:
    """Each weight two times."""
    weights = check_weights(sample_weight, m)
    return None if weights is None else np.repeat(weights, 2)


def _with_negatives(rows: Any) -> Any:
    """Doubles, each row followed by its negative: the same however the rows are cut into chunks."""
    order = np.repeat(np.arange(rows.shape[0]), 2)
    if scipy.sparse.issparse(rows):
        signs = scipy.sparse.diags_array(np.where(np.arange(len(order)) % 2, -1.0, 1.0))
        return scipy.sparse.csr_array(signs @ scipy.sparse.csr_array(rows)[order])
    both = as_doubles(rows)[order]
    both[1::2] *= -1.0
    return both


def without_negatives(made: Made) -> Made:
    """Return the covariance of mirrored samples with as many samples as there were, and nothing taken off them."""
    form, about = made
    assert about.n_samples is not None and about.mean is not None
    return form, replace(about, n_samples=about.n_samples // 2, mean=np.zeros_like(about.mean))


def centred(given: object, standardize: bool, sample_weight: object) -> Made:
    """Return the covariance of data in memory, samples as rows."""
    rows = numbers(given)
    if rows.ndim != 2:
        raise DataError(f"data must be a table of shape (samples, features); got {rows.ndim} dimension(s)")
    m, n = rows.shape
    if min(m, n) < 1:
        raise DataError(f"data must have at least 1 sample and 1 feature; got shape {(m, n)}")
    weights = check_weights(sample_weight, m)
    weights = None if weights is None else weights / weights.max()  # so that no sum of them overflows
    rows = by_cost(rows, weights is not None and len(np.unique(weights[weights > 0])) > 1)
    if weights is not None:
        rows, weights = _weighing(rows, weights)
        m = len(weights)
    if m == 1:
        raise Constant(
            "one sample has no variance; give at least 2 samples" + ("" if weights is None else " of weight")
        )
    if weights is not None and (weights == weights[0]).all():
        weights = None  # the same weight for all is none
    factor: DenseFactor | SparseFactor
    with one_blas_thread():
        if scipy.sparse.issparse(rows):
            factor = SparseFactor.of_data(rows, standardize)
        else:
            factor = DenseFactor.of_data(rows, standardize, weights)
        assert factor.seen is not None
        mean, scale = factor.seen
        held = factor
        trace = float(held.diagonal.sum())
        if not trace > 0 and not varies(rows).any():
            raise Constant("no feature varies over the samples: the covariance is zero")
        check_scale(trace)
        allowed = rounding.of_data if weights is None else rounding.of_weighted
        operation, digest = of_data(rows, standardize, scipy.sparse.issparse(rows))  # their allowances differ
        if weights is not None:
            operation = f"weighted samples{', standardised' if standardize else ''}"
            digest = hash_of(operation, np.asarray(rows), weights)
        return HeldMatrix(factor.cross()) if forms_entries(m, n) else held, Provenance(
            operation,
            digest=digest,
            n_samples=m,
            representation_error=allowed(m, factor.rounding_scale),
            # of dense data the error of an entry is relative to its two columns
            relative_drift=2.02 * allowed(m, 1.0) if isinstance(factor, DenseFactor) else np.inf,
            mean=mean,
            scale=scale,
        )


def by_cost(data, weighted: bool = False):
    """Return data as an array or a sparse array, whichever is read in less time, so that equal numbers are held alike.

    Weighted samples are dense: their centring cannot be left out. Sparse data stay sparse where they are neither
    weighted nor few if writing them out takes more than 2 GB, and more than holding them as they are.
    """
    if not weighted and _few(data):
        return scipy.sparse.csr_array(data)
    if scipy.sparse.issparse(data) and WRITTEN * math.prod(data.shape) <= max(MEMORY, STORED * data.nnz):
        return data.toarray()
    return data


def _few(data) -> bool:
    """Whether so few of the numbers are other than zero that they are held sparse."""
    count = data.count_nonzero() if scipy.sparse.issparse(data) else np.count_nonzero(data)
    return count <= SPARSE_SHARE * math.prod(data.shape)


def forms_entries(m: int, n: int) -> bool:
    """Whether A is held entry by entry for m samples of n features."""
    return n <= DENSE_FEATURES or (n <= 2 * m and n <= 2 * DENSE_EIGEN)


def is_large(m: int, n: int) -> bool:
    """Whether data of this shape are summed in chunks, and not held."""
    return m * n > READ_WHOLE and forms_entries(m, n)


def large_array(values: Any) -> Source | None:
    """Return an array, a sparse array or a table in memory as a source of rows if it is large; None for all else."""
    sparse, shape = scipy.sparse.issparse(values), getattr(values, "shape", ())
    if len(shape) != 2 or not (sparse or _plain(values) or (is_table(values) and hasattr(values, "iloc"))):
        return None
    if not is_large(*shape):
        return None
    return in_memory(numbers(values) if sparse else values)


def _plain(values: Any) -> bool:
    """Whether it is an array of real numbers, none of them masked."""
    return isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "fiub"


def form_of_rows(source: Source, standardize: bool, sample_weight: object = None) -> Any:
    """Return the covariance of rows that are read once, or all rows as one array where these are few.

    DataError for more of them than 2 GB has room for, of too many features for a matrix; or it says which rows cannot
    be used.
    """
    m, n = source.shape
    weights = check_weights(sample_weight, m)
    most = None if weights is None else len(weights)
    if weights is not None:
        weights = None if (weights == weights[0]).all() else weights / weights.max()
    if source.spread is not None and is_large(*source.spread.shape):
        return form_of_sums(added(None, source, weights), standardize)
    waiting: list[Any] = []  # chunks that are not summed
    rows, count, chunks = 0, 0, source.chunks()
    for chunk in chunks:
        waiting.append(chunk)
        rows, n = rows + chunk.shape[0], chunk.shape[1]
        if not source.stored or is_large(m or rows, n):
            sums = added(None, source, weights, chain((waiting.pop(0) for _ in range(len(waiting))), chunks))
            if most is not None and weights is None and sums.seen != most:
                raise DataError(f"{source.what} gave other than the {most} rows that sample_weight has weights for")
            return form_of_sums(sums, standardize)
        count = count + chunk.nnz if scipy.sparse.issparse(chunk) else (m or rows) * n
        if NUMBER * count > MEMORY and not forms_entries(m or rows, n):
            raise DataError(
                f"{source.what} has {n:,} features, too many for a matrix, and would take more than "
                f"{MEMORY / 2**30:.2g} GB: choose the features that vary most, as in Covariance.from_data("
                f"nnspca.most_variable(X, {DENSE_EIGEN})), or read them into memory as one array first"
            )
    return stacked(waiting)


def stacked(chunks: list[Any]) -> Any:
    """Return chunks as one array."""
    if any(map(scipy.sparse.issparse, chunks)):
        return scipy.sparse.csr_array(scipy.sparse.vstack(list(map(scipy.sparse.csr_array, chunks))))
    return np.concatenate(chunks) if len(chunks) > 1 else np.asarray(chunks[0])


def added(sums: Sums | None, source: Source, weights: np.ndarray | None, chunks: Iterable[Any] | None = None) -> Sums:
    """Return the sums of rows seen before and of those of a source; what was summed before stays where that fails."""
    whole = sums
    begin = 0
    if source.spread is not None and sums is None:
        return summed(source, Sums, weights)
    for chunk in source.chunks() if chunks is None else chunks:
        n = chunk.shape[1]
        if whole is None:
            whole = Sums(n, source.names)
        elif whole is sums and source.stored:
            whole = deepcopy(sums)
        if n != whole.n:
            raise DataError(f"the data have {n} features; those before had {whole.n}")
        few = None if weights is None else weights[begin : begin + chunk.shape[0]]
        begin += chunk.shape[0]
        if weights is not None and begin > len(weights):
            break
        with one_blas_thread():
            whole.add(chunk, few)
    if weights is not None and begin != len(weights):
        raise DataError(f"{source.what} gave other than the {len(weights)} rows that sample_weight has weights for")
    assert whole is not None
    if source.stored:  # what is wrong with the last rows is said now
        whole.flush()
    return whole


def form_of_sums(sums: Sums, standardize: bool, *, last: bool = True) -> Made:
    """Return the covariance of all rows that were summed, with its allowance for rounding."""
    with one_blas_thread():
        sums.flush()
        m = sums.count
        if m < 2:
            raise Constant("one sample has no variance; give at least 2 samples of weight")
        A, mean = sums.result(last=last)
        variance = A.diagonal().copy()
        varies = sums.varies
        if not varies.any():
            raise Constant("no feature varies over the samples: the covariance is zero")
        scale = np.ones(len(mean))
        if standardize:
            few = variance[varies]
            if not (np.isfinite(few).all() and few.min() >= SMALLEST and few.max() <= LARGEST):
                raise TooFar(
                    f"variances of features go from {few.min():g} to {few.max():g}; data read in chunks can be "
                    f"standardised from {SMALLEST:g} to {LARGEST:g}: rescale the features beyond"
                )
            scale = np.where(variance > 0, np.sqrt(variance), 1.0)
            A /= scale[:, None]
            A /= scale
    trace = rounding.coarse(float(A.trace()))
    check_scale(trace)
    made = f"centred{' and standardised' if standardize else ''}"
    operation = f"marked data {made}"
    if sums.weighted:
        operation = f"marked weighted samples{', standardised' if standardize else ''}"
    return HeldMatrix(A), Provenance(
        operation,
        (np.array([sums.count, sums.n]), sums.mark.view(np.int64)),  # however the rows were cut into chunks
        n_samples=m,
        representation_error=rounding.of_sums(m, trace, sparse=not sums.weighted, weighted=sums.weighted),
        relative_drift=2.02 * rounding.of_sums(m, 1.0, sparse=not sums.weighted, weighted=sums.weighted),
        mean=mean,
        scale=scale,
    )


def check_weights(given: object, m: int | None) -> np.ndarray | None:
    """Return one weight for each of m samples as it was given, or None for None; ValueError for anything else."""
    if given is None:
        return None
    try:
        weights = np.empty(0) if masked(given)[0] else real_array(given)
    except (OverflowError, TypeError, ValueError):
        weights = np.empty(0)
    wanted = weights.ravel().shape if m is None else (m,)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if weights.shape != wanted or len(wrong) or not weights.any():
        count = "" if m is None else f"{m} "
        at = f" with {weights.flat[wrong[0]]:g} for sample {wrong[0]}" if len(wrong) else ""
        raise ValueError(
            f"sample_weight={shown(given)}{at} is not allowed; give {count}finite numbers of at least 0, one for each "
            "sample, not all of them zero"
        )
    return weights


def _weighing(rows, weights: np.ndarray):
    """The samples that have a weight, dense, and their weights."""
    weighted = np.flatnonzero(weights)
    rows = rows[weighted] if len(weighted) < len(weights) else rows
    if not scipy.sparse.issparse(rows) or (weights[weighted] == weights[weighted[0]]).all():
        return rows, weights[weighted]
    if rows.shape[0] * rows.shape[1] > AT_A_TIME:
        raise DataError(
            f"sample_weight with sparse data takes {WRITTEN} bytes for each of their numbers, zeros included: shape "
            f"{rows.shape} would need {WRITTEN * rows.shape[0] * rows.shape[1] / 2**30:.3g} GB; leave out features, or "
            "give no weights"
        )
    return rows.toarray(), weights[weighted]


def stated(standardize: bool | None) -> bool:
    """Return whether to standardise; False where that was left open."""
    if standardize is not None:
        check_flag("standardize", standardize)
    return bool(standardize)


def warn_of_scales(cov: Any, standardize: bool | None) -> None:
    """Warn where one of several features holds over 90 % of the trace and ``standardize`` was left open."""
    if standardize is not None or cov.n_samples is None:
        return
    variances, names = cov.diagonal, cov.feature_names
    first = int(variances.argmax())
    share = float(variances[first]) / float(variances.sum())
    if not share > DOMINANT or np.count_nonzero(variances) < 2:
        return
    name = names[first] if names is not None else f"x{first}"
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith("nnspca."):
        frame, level = frame.f_back, level + 1
    warnings.warn(
        f"feature {str(name)!r:.60} alone holds {np.floor(1000 * share) / 10:.1f} % of the total variance: a component "
        "may say no more than that its unit is large; give standardize=True, or standardize=False to keep the data as "
        "they are",
        UserWarning,
        stacklevel=level,
    )
