"""Samples handed over as data: centred and held as a factor, with what that is off by, or refused."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.control.arguments import check_flag, masked, real_array, shown
from nnspca.covariance.factor import AT_A_TIME, DenseFactor, SparseFactor, varies
from nnspca.covariance.forms import HeldFactor
from nnspca.covariance.input import numbers
from nnspca.covariance.matrices import Held, check_scale
from nnspca.covariance.origin import hashed, of_data
from nnspca.errors import DataError
from nnspca.numerics import rounding

FEW = 0.05  # share of numbers other than zero up to which sparse products take less time than dense ones
DENSE = 2**26  # numbers up to which sparse data with more of them are written out: half a gigabyte
DOMINANT = 0.9  # share of the trace from which one feature holds it: a component then speaks about its unit


def centred(given: object, standardize: bool, samples: str, sample_weight: object = None) -> Held:
    """Return the covariance of data in memory whose samples are "rows" or "columns"."""
    read = numbers(given)
    if read.ndim != 2:
        raise DataError(f"data must be a table of shape (samples, features); got {read.ndim} dimension(s)")
    rows = read.T if samples == "columns" else read
    m, n = rows.shape
    if min(m, n) < 1:
        raise DataError(f"data must have at least 1 sample and 1 feature; got shape {(m, n)}")
    weights = check_weights(sample_weight, m)
    rows = by_cost(rows, weights is not None and len(np.unique(weights[weights > 0])) > 1)
    if weights is not None:
        rows, weights = _weighing(rows, weights)
        m = len(weights)
    if m == 1:
        raise DataError(
            "one sample has no variance; give at least 2 samples" + ("" if weights is None else " of weight")
        )
    if weights is not None and (weights == weights[0]).all():
        weights = None  # the same weight for all is none
    factor: DenseFactor | SparseFactor
    if scipy.sparse.issparse(rows):
        factor = SparseFactor.of_data(rows, standardize)
    else:
        factor = DenseFactor.of_data(rows, standardize, weights)
    form = HeldFactor(factor)
    trace = float(form.diagonal.sum())
    if not trace > 0 and not varies(rows).any():
        raise DataError(f"no feature varies over the {m} samples: the covariance is zero")
    check_scale(trace)
    allowed = rounding.of_data if weights is None else rounding.of_weighted
    error = allowed(m, factor.rounding_scale())
    # of dense data the error of an entry is relative to its two columns
    relative = 2.02 * allowed(m, 1.0) if isinstance(factor, DenseFactor) else np.inf
    if weights is None:
        origin = of_data(rows, standardize)
    else:
        origin = hashed(f"weighted samples{', standardised' if standardize else ''}", np.asarray(rows), weights)
    assert factor.seen is not None
    return Held(form, origin, error, m, relative_drift=relative, seen=factor.seen)


def by_cost(data, weighted: bool = False):
    """Return data as an array or a sparse array, whichever is read in less time, so that equal numbers are held alike.

    Weighted samples are dense: their centring cannot be left out.

    >>> by_cost(np.eye(100)).nnz, by_cost(scipy.sparse.eye_array(3)).shape
    (100, (3, 3))
    """
    total = data.shape[0] * data.shape[1]
    sparse = scipy.sparse.issparse(data)
    if weighted or (data.count_nonzero() if sparse else np.count_nonzero(data)) > FEW * total:
        return data.toarray() if sparse and total <= DENSE else data
    return scipy.sparse.csr_array(data)


def check_weights(given: object, m: int) -> np.ndarray | None:
    """Return one weight for each sample, or None for None; ValueError for anything else."""
    if given is None:
        return None
    try:
        weights = np.empty(0) if masked(given)[0] else real_array(given)
    except (OverflowError, TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (m,) or not np.isfinite(weights).all() or not (weights >= 0).all() or not weights.any():
        raise ValueError(
            f"sample_weight={shown(given)} is not allowed; give {m} finite numbers of at least 0, one for each sample, "
            "not all of them zero"
        )
    return weights / weights.max()  # so that no sum of them overflows


def _weighing(rows, weights: np.ndarray):
    """The samples that have a weight, dense, and their weights."""
    weighted = np.flatnonzero(weights)
    rows = rows[weighted] if len(weighted) < len(weights) else rows
    if not scipy.sparse.issparse(rows) or (weights[weighted] == weights[weighted[0]]).all():
        return rows, weights[weighted]
    if rows.shape[0] * rows.shape[1] > AT_A_TIME:
        raise DataError(
            f"sample_weight with sparse data takes at most {AT_A_TIME} entries, zeros included; these have shape "
            f"{rows.shape}: leave out features, or give no weights"
        )
    return rows.toarray(), weights[weighted]


def stated(standardize: bool | None) -> bool:
    """Return whether to standardise; False where that was left open."""
    if standardize is not None:
        check_flag("standardize", standardize)
    return bool(standardize)


def warn_of_dominant(cov: Any, standardize: bool | None) -> None:
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
