"""Data of too many features for A and too many numbers for memory: their variances first, the rest on demand."""

from __future__ import annotations

from functools import partial

import numpy as np

from nnspca.covariance.factor import Seen
from nnspca.covariance.held_rows import HeldRows
from nnspca.covariance.matrices import Held, check_scale
from nnspca.covariance.passes import Squares
from nnspca.covariance.sources import Source
from nnspca.covariance.stored import StoredData, summed
from nnspca.covariance.streamed import check_scales, origin_of
from nnspca.errors import DataError
from nnspca.numerics import rounding

MEMORY = 2**31  # bytes, unless the caller says otherwise
NUMBER = 32  # bytes that a number of data in memory takes, with those that are made of it
SPARSE = 20  # times the roundings of sums about the mean: the factor of :func:`nnspca.numerics.rounding.of_sums`


def read(source: Source, standardize: bool, sample_weight: object, memory: int) -> Held:
    """Return the covariance of rows that are read in passes; DataError where they change, or cannot be read again."""
    if sample_weight is not None:
        raise DataError(
            f"{source.what} has too many features for a matrix, and takes more than memory={memory:,} bytes: "
            "sample_weight is taken of fewer features, as nnspca.most_variable chooses them, or of more memory"
        )
    first, passes = summed(source, partial(Squares, None)), 1
    if first.far.any():
        reference = np.where(first.far, first.offset, 0.0)
        before, first, passes = first, summed(source, partial(Squares, reference)), 2
        if (before.count, before.mark) != (first.count, first.mark):
            raise DataError("the data changed while they were read, between pass 1 and pass 2: give data that stay")
    m, variance = first.count, first.variance
    _check(source, first, variance)
    deviation = None
    if standardize:
        check_scales(variance[first.varies])
        deviation = np.sqrt(variance)
    mean = first.reference + first.offset
    seen = Seen.of(mean, deviation, None)
    data = StoredData(source, first, seen.scale, memory, passes)
    trace = float(data.diagonal.sum())
    check_scale(trace)
    allowed = partial(rounding.of_sums, m, sparse=True)
    form = HeldRows(data, np.arange(first.n), SPARSE * m)
    origin, relative = origin_of(first, standardize), 2.02 * allowed(1.0)
    return Held(form, origin, allowed(trace), m, relative_drift=relative, seen=seen)


def _check(source: Source, first: Squares, variance: np.ndarray) -> None:
    if first.count < 2:
        raise DataError("one sample has no variance; give at least 2 samples")
    if not first.varies.any():
        raise DataError(f"no feature varies over the {first.count} samples: the covariance is zero")
    if not np.isfinite(variance).all():
        raise DataError("the variance of a feature is too large for double precision: rescale the data")
    if source.expected is not None:
        source.expected.check(first.count, first.reference + first.offset, variance)
