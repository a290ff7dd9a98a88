"""Validates samples as scikit-learn does, and keeps their feature names."""

from __future__ import annotations

import contextlib
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from nnspca.covariance.input import Given, check_names, check_same_names, check_unmasked, numbers, opened
from nnspca.covariance.samples import large_array
from nnspca.covariance.sources import Source, chunked
from nnspca.errors import DataError

SPARSE = ("csr", "csc")  # any other kind is turned into the first


def read(estimator: BaseEstimator, X, *, reset: bool, fewest: int | None = None):
    """Return samples as :meth:`Covariance.from_data` reads them, after scikit-learn's validation."""
    allowed: dict[str, Any] = {"accept_sparse": SPARSE, "dtype": np.float64, "ensure_min_samples": fewest or 1 + reset}
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiubcO":
        check_unmasked(X)
        with contextlib.suppress(OverflowError):  # a whole number too large for a double, which `numbers` says
            validate_data(estimator, X, reset=reset, **allowed)
        return numbers(X)
    given = opened(X)
    if given.is_matrix:
        raise DataError("the data set is a covariance matrix: an estimator is fitted on samples")
    if given.values is X:
        check_names(X)
    values = check_array(numbers(given.values), estimator=estimator, **allowed)
    validate_data(estimator, X if given.values is X else _named(given, values), reset=reset, skip_check_array=True)
    return values


def in_chunks(X) -> Source | None:
    """Return samples that are read a few at a time as what they are; None for those that are in memory and few."""
    if isinstance(X, np.ndarray):
        large = large_array(X, "rows")
        return large if large is None or not isinstance(X, np.memmap) else chunked(X)
    return chunked(X)


def told(estimator: Any, names: tuple[str, ...] | None, n: int) -> None:
    """Set what scikit-learn knows of the features an estimator is fitted on."""
    estimator.n_features_in_ = n
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def check_chunks(estimator: Any, source: Source) -> None:
    """Raise unless the features of the chunks are those the estimator was fitted on."""
    known = getattr(estimator, "feature_names_in_", None)
    check_same_names(source.names, None if known is None else tuple(known), "the estimator")
    n = source.shape[1]
    if n is not None and n != estimator.n_features_in_:
        raise ValueError(
            f"X has {n} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as "
            "input"
        )


def _named(given: Given, values: Any) -> Any:
    """Feature names in the form that scikit-learn knows: an empty pandas table."""
    if given.names is None:
        return values
    try:
        return import_module("pandas").DataFrame(columns=list(given.names))
    except ImportError:
        return values


def scaled(X, scale: np.ndarray):
    """Each feature divided by its scale, however small; sparse data stay sparse."""
    if not scipy.sparse.issparse(X):
        return X / scale
    rows = scipy.sparse.csr_array(X)
    return scipy.sparse.csr_array((rows.data / scale[rows.indices], rows.indices, rows.indptr), shape=rows.shape)
