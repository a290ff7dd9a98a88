"""How samples reach an estimator: checked as scikit-learn does, whole or in chunks, their features found by name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from nnspca.control.arguments import shown
from nnspca.covariance import Covariance
from nnspca.covariance.covariance import of_sums
from nnspca.covariance.input import check_distinct_names, check_masks, numbers, places_among, read_given
from nnspca.covariance.problem import orthonormal
from nnspca.covariance.samples import added, check_weights, large_array, stated, with_negatives
from nnspca.covariance.sources import Source, chunked, genes_used, in_memory
from nnspca.covariance.sums import Sums
from nnspca.errors import DataError
from nnspca.tasks._scores import scaled, scores_of_rows


def read(est: Any, X, *, first: bool = False, fewest: int | None = None) -> Any:
    """Samples as :meth:`Covariance.from_data` reads them, checked as scikit-learn does; a Source of many."""
    X = genes_used(X) if first else X  # later their features are found by name
    source = large_array(X) if isinstance(X, np.ndarray) and not isinstance(X, np.memmap) else chunked(X)
    if source is not None:
        order = None if first else places_among(source.names, fitted_names(est), "the estimator")
        return source if order is None else source.only(order)
    least = fewest or 1 + (first and est.center)
    allowed: dict[str, Any] = {"accept_sparse": ("csr", "csc"), "dtype": np.float64, "ensure_min_samples": least}
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiubcO":
        check_masks(X)
        with contextlib.suppress(OverflowError):  # a whole number too large for a double, which `numbers` says
            validate_data(est, X, reset=first, **allowed)
        return numbers(X)
    given = read_given(X)
    if given.is_matrix:
        raise DataError("the data set is a covariance matrix: an estimator is fitted on samples")
    if given.values is X:
        check_distinct_names(X)
    named = values = check_array(numbers(given.values), estimator=est, **allowed)
    order = None if first else places_among(given.names, fitted_names(est), "the estimator")
    if order is not None:
        values, named = values[:, order], import_module("pandas").DataFrame(columns=list(fitted_names(est) or ()))
    elif given.values is X:
        named = X
    elif given.names is not None:  # in the form that scikit-learn knows
        named = import_module("pandas").DataFrame(columns=list(given.names))
    validate_data(est, named, reset=first, skip_check_array=True)
    return values


def source_of(est: Any, X, first: bool) -> Source:
    """Return samples as a source, beside their opposites where the mean is not taken off."""
    rows = read(est, X, first=first, fewest=1)
    source = rows if isinstance(rows, Source) else in_memory(rows, fitted_names(est))
    return source if est.center else with_negatives(source, None)[0]


def weights_of(est: Any, sample_weight, source: Source) -> np.ndarray | None:
    """Return the weights of the samples of a source."""
    m = source.shape[0]
    weights = check_weights(sample_weight, m if est.center or m is None else m // 2)
    return weights if est.center or weights is None else np.repeat(weights, 2)


def chunks(est: Any, source) -> Iterator[Any]:
    """Yield samples of the features of the fit: all at once, or chunk by chunk."""
    if not isinstance(source, Source):
        yield source
        return
    for chunk in source.chunks():
        rows = numbers(chunk)
        check_width(est, rows.shape[1])
        yield rows


def check_width(est: Any, n: int | None) -> None:
    """Raise ValueError unless samples have as many features as those of the fit."""
    if n != est.n_features_in_:
        raise ValueError(f"X has {n} features; this estimator was fitted on {est.n_features_in_}")


def squares(est: Any, X) -> np.ndarray:
    """The squared distance of each sample from the mean; sparse data are centred last, so that they stay sparse."""
    Z, centre = scaled(X, est.scale_), est.mean_ / est.scale_
    if scipy.sparse.issparse(Z):
        return Z.multiply(Z).sum(axis=1) - 2 * (Z @ centre) + centre @ centre
    return ((Z - centre) ** 2).sum(axis=1)


def covariance_of(est: Any, X, sample_weight) -> Covariance:
    """Return the covariance of samples, as it was fitted."""
    if est.__dict__.get("_sums") is not None:
        source = source_of(est, X, False)
        return covariance_of_sums(est, added(None, source, weights_of(est, sample_weight, source)))
    how = {"sample_weight": sample_weight, "names": fitted_names(est), "center": est.center}
    return Covariance.from_data(read(est, X), stated(est.standardize), **how)


def covariance_of_sums(est: Any, sums: Sums) -> Covariance:
    """Return the covariance of all samples that were summed."""
    return of_sums(sums, stated(est.standardize), fitted_names(est), center=est.center)


def fitted_names(est: Any) -> tuple[str, ...] | None:
    """Return the names of the features of the fit, where they have some."""
    names = getattr(est, "feature_names_in_", None)
    return None if names is None else tuple(map(str, names))


def learn_names(est: Any, names: tuple[str, ...] | None, n: int) -> None:
    """Set what scikit-learn knows of features whose samples it has not seen."""
    est.n_features_in_ = n
    est.__dict__.pop("feature_names_in_", None)
    if names is not None:
        est.feature_names_in_ = np.array(names, dtype=object)


def fitted_on(est: Any, X, sample_weight) -> Covariance:
    """The covariance that was fitted: the one held, or that of the samples given, if they are the same."""
    if X is None:
        if est._covariance is None:
            message = "the covariance is not held any more: give the samples fitted, as in certify(X), or fit with "
            raise ValueError(message + "store_covariance=True")
        return est._covariance
    cov = covariance_of(est, X, sample_weight)
    if cov.fingerprint != est.fingerprint_:
        raise ValueError(f"X, {shown(X)}, is not what was fitted (or sample_weight differs): give the same samples")
    return cov


def explained_share(est: Any, X, sample_weight) -> float:
    """Return the share of the variance of samples that the span of the components explains."""
    basis, weights = orthonormal(est.components_.T).T, check_weights(sample_weight, None)
    explained = total = 0.0
    begin = 0
    for rows in chunks(est, read(est, X)):
        own = np.ones(rows.shape[0]) if weights is None else weights[begin : begin + rows.shape[0]]
        begin += rows.shape[0]
        if len(own) < rows.shape[0]:
            break
        explained += float(own @ (scores_of_rows(est.mean_, est.scale_, basis.T, rows) ** 2).sum(axis=1))
        total += float(own @ squares(est, rows))
    check_weights(sample_weight, begin)
    return explained / total if total > 0 else 0.0
