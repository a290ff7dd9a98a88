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

from nnspca.covariance.given import Given, opened
from nnspca.covariance.reading import check_names, check_unmasked, numbers
from nnspca.errors import DataError

SPARSE = ("csr", "csc")  # any other kind is turned into the first


def read(estimator: BaseEstimator, X, *, reset: bool):
    """Return samples as :meth:`Covariance.from_data` reads them, after scikit-learn's validation."""
    allowed: dict[str, Any] = {"accept_sparse": SPARSE, "dtype": np.float64, "ensure_min_samples": 1 + reset}
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
