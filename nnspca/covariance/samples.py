"""Samples handed over as data: centred and held as a factor, with what that is off by, or refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse

from nnspca.covariance.factor import DenseFactor, Factor, SparseFactor, varies
from nnspca.covariance.matrices import check_scale
from nnspca.covariance.origin import Origin, of_data
from nnspca.covariance.reading import numbers
from nnspca.errors import DataError
from nnspca.numerics import rounding


@dataclass(frozen=True)
class Centred:
    """What :class:`nnspca.Covariance` is made of: Y with A = Y'Y, and its own attributes of these names."""

    factor: Factor
    representation_error: float
    relative_drift: float
    origin: Origin


def centred(given: object, standardize: bool, samples: str) -> Centred:
    """Return the factor of data whose samples are "rows" or "columns"."""
    read = numbers(given)
    if read.ndim != 2:
        raise DataError(f"data must be a table of shape (samples, features); got {read.ndim} dimension(s)")
    rows = read.T if samples == "columns" else read
    m, n = rows.shape
    if min(m, n) < 1:
        raise DataError(f"data must have at least 1 sample and 1 feature; got shape {(m, n)}")
    if m == 1:
        raise DataError("one sample has no variance; give at least 2 samples")
    made = SparseFactor if scipy.sparse.issparse(rows) else DenseFactor
    factor: Factor = made.of_data(rows, standardize)
    trace = float(factor.squared_norms().sum())
    if not trace > 0 and not varies(rows).any():
        raise DataError(f"no feature varies over the {m} samples: the covariance is zero")
    check_scale(trace)
    error = rounding.of_data(m, factor.rounding_scale())
    # of dense data the error of an entry is relative to its two columns
    relative = 2.02 * rounding.of_data(m, 1.0) if isinstance(factor, DenseFactor) else np.inf
    return Centred(factor, error, relative, of_data(rows, standardize))
