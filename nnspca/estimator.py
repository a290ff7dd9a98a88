"""The scikit-learn face: nonnegative sparse PCA as an estimator."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from nnspca.certify import certify
from nnspca.covariance import Covariance
from nnspca.deflation import decompose, deflate
from nnspca.gather import cumulative_variance
from nnspca.result import Certificate, Component

SPARSE = ("csr", "csc", "coo")


class NonnegativeSparsePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Nonnegative sparse PCA.

    Each component has loadings >= 0 (unless ``nonnegative=False``), unit length, and at most ``n_nonzero`` of them
    nonzero.

    Parameters
    ----------
    n_components : int
        How many. Fewer come out where features or variance run out first.
    n_nonzero : int
        Most nonzero loadings of each component. At most 10 of 4 features are at most 4.
    method : str
        A key of ``nnspca.METHODS``.
    deflation : str
        A key of ``nnspca.DEFLATIONS``.
    random_state : int, RandomState instance or None
    nonnegative : bool
    standardize : bool
        Divide each feature by its standard deviation first.
    min_angle : float
        Degrees, for deflation "quasi-orthogonal".
    options : dict or None
        Options of the method.

    Attributes
    ----------
    components_ : ndarray, shape (r, n)
        Unit rows.
    explained_variance_ : ndarray, shape (r,)
        Each component's own variance (1/m). Components need not be orthogonal: these may add up to too much.
    explained_variance_ratio_ : ndarray, shape (r,)
        What each component adds to the variance of the span of those before it, as a share of the whole; they add
        up to what all explain together.
    mean_, scale_ : ndarray, shape (n,)
        Taken off and divided by; ``scale_`` is 1 unless ``standardize``.
    n_components_, n_nonzero_ : int
        What was found, and allowed, on these data.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where the data had names.

    Examples
    --------
    >>> import nnspca
    >>> X = nnspca.datasets.load("digits").X
    >>> est = nnspca.NonnegativeSparsePCA(n_components=3, n_nonzero=8).fit(X)
    >>> est.transform(X).shape
    (1797, 3)
    >>> est.certificates_[0].ratio > 0.999
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        n_nonzero: int = 10,
        method: str = "best",
        deflation: str = "disjoint",
        random_state=0,
        *,
        nonnegative: bool = True,
        standardize: bool = False,
        min_angle: float = 85.0,
        options: dict[str, object] | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_nonzero = n_nonzero
        self.method = method
        self.deflation = deflation
        self.random_state = random_state
        self.nonnegative = nonnegative
        self.standardize = standardize
        self.min_angle = min_angle
        self.options = options

    def fit(self, X, y=None) -> NonnegativeSparsePCA:
        """Find the components.

        Parameters
        ----------
        X : array_like or sparse array, shape (m, n)
            Samples as rows.
        y : ignored

        Raises
        ------
        ValueError
            A parameter that is not allowed, or data without any variance.
        """
        X = validate_data(self, X, accept_sparse=SPARSE, dtype=np.float64, ensure_min_samples=2)
        n = X.shape[1]
        self.n_nonzero_ = min(_positive("n_nonzero", self.n_nonzero), n)
        wanted = min(_positive("n_components", self.n_components), n)
        self._covariance = Covariance.from_data(X, standardize=self.standardize)
        seed = self.random_state
        if not isinstance(seed, Integral) or isinstance(seed, bool):
            seed = check_random_state(seed).randint(2**31 - 1)
        self._seed = int(seed)
        chosen: dict[str, Any] = self.options or {}
        parts = decompose(
            self._covariance,
            wanted,
            self.n_nonzero_,
            self.method,
            deflation=self.deflation,
            nonnegative=self.nonnegative,
            seed=self._seed,
            min_angle=self.min_angle,
            **chosen,
        )
        self.mean_ = np.asarray(X.mean(axis=0)).ravel()
        self.scale_ = _deviations(X, self.mean_) if self.standardize else np.ones(n)
        self.components_ = np.ascontiguousarray(parts.loadings.T)
        self.n_components_ = len(self.components_)
        self.explained_variance_ = parts.variances
        self.explained_variance_ratio_ = np.diff(parts.cumulative_variance, prepend=0.0) / parts.total
        self._certificates: tuple[Certificate, ...] = ()
        return self

    def transform(self, X) -> np.ndarray:
        """Return the scores ``(X − mean) / scale · components'``, shape (m, r)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=SPARSE, dtype=np.float64, reset=False)
        U = self.components_ / self.scale_
        return np.asarray(X @ U.T) - self.mean_ @ U.T

    def inverse_transform(self, X) -> np.ndarray:
        """Return the point of the components' span that has these scores, in the units of the data, shape (m, n).

        Of all points with the scores it is the one nearest the mean: ``transform`` then gives the scores back.
        """
        check_is_fitted(self)
        scores = np.atleast_2d(np.asarray(X, dtype=np.float64))
        if scores.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {scores.shape[1]} scores a row; this estimator has {self.n_components_} components"
            )
        return scores @ np.linalg.pinv(self.components_).T * self.scale_ + self.mean_

    def score(self, X, y=None) -> float:
        """Return the share of the variance of X that the span of the components explains: higher is better.

        X is centred by the mean seen in ``fit``, so that held-out data are judged by what was learnt.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=SPARSE, dtype=np.float64, reset=False)
        dense = X.toarray() if hasattr(X, "toarray") else X
        centred = (dense - self.mean_) / self.scale_
        Q = np.linalg.qr(self.components_.T)[0]
        total = float((centred**2).sum())
        return float(((centred @ Q) ** 2).sum() / total) if total > 0 else 0.0

    @property
    def certificates_(self) -> tuple[Certificate, ...]:
        """One certificate for each component, made when first asked for.

        Each speaks of the covariance its component was sought on: ``nnspca.deflate`` of the components before.
        Deflations "quasi-orthogonal" and "joint" have none but for the first component.
        """
        check_is_fitted(self)
        if not self._certificates:
            U = self.components_.T
            alone = self.deflation in ("quasi-orthogonal", "joint")
            self._certificates = tuple(self._certified(U, r) for r in range(1 if alone else U.shape[1]))
        return self._certificates

    def _certified(self, U: np.ndarray, r: int) -> Certificate:
        left = deflate(self._covariance, U[:, :r], self.deflation)
        x = U[:, r]
        if left.n_features < len(x):
            x = x[~U[:, :r].any(axis=1)]
        k = min(self.n_nonzero_, left.n_features)
        part = None
        if np.count_nonzero(x) <= k:
            part = Component(x, left.variance(x), self.method, k, self.nonnegative)
        return certify(left, k, nonnegative=self.nonnegative, component=part, seed=self._seed)

    @property
    def cumulative_variance_(self) -> np.ndarray:
        """Variance of the span of the first 1, 2, …, r components, shape (r,)."""
        check_is_fitted(self)
        return cumulative_variance(self._covariance, self.components_.T)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _positive(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name}={value!r} is not allowed; give a whole number of at least 1")
    return int(value)


def _deviations(X, mean: np.ndarray) -> np.ndarray:
    """Standard deviation of each column, 1 for those that never vary."""
    dense = X.toarray() if hasattr(X, "toarray") else X
    deviation = np.sqrt(((dense - mean) ** 2).mean(axis=0))
    constant = (dense[:1] == dense).all(axis=0)
    return np.where(constant | (deviation == 0), 1.0, deviation)
