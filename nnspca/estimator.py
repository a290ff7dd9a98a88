"""The scikit-learn face: nonnegative sparse PCA as an estimator."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted, validate_data

from nnspca.calls.arguments import check_flag, check_number, check_options, check_whole, shown
from nnspca.components._certify import certify_parts
from nnspca.components._decompose import decompose
from nnspca.components._deflate import sought
from nnspca.covariance import Covariance
from nnspca.covariance.factor import deviations
from nnspca.covariance.reading import check_names, check_unmasked, numbers
from nnspca.covariance.span import orthonormal
from nnspca.result import Certificate, Components, PartsCertificate
from nnspca.solvers.registry import METHODS
from nnspca.tasks._certify import certify

GIVEN = set(inspect.signature(decompose).parameters) - {"starts", "options"}  # which the method is not asked for
USUAL = 10  # nonzero loadings where nobody says how many
SPARSE = ("csr", "csc")  # any other kind is turned into the first


class NonnegativeSparsePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Nonnegative sparse PCA.

    Each component has unit length and at most ``n_nonzero`` nonzero loadings, all of them positive
    (unless ``nonnegative=False``).

    Parameters
    ----------
    n_components : int
        Most components. Fewer come out where features or variance run out first, with a
        ConvergenceWarning: see ``n_components_``.
    n_nonzero : int
        Most nonzero loadings of each component. Both numbers are limits, so that at most 10 of 4
        features means at most 4: see ``n_nonzero_``; a number of your own beyond the features gives
        a ConvergenceWarning.
    method : str
        A key of ``nnspca.METHODS``.
    deflation : str
        A key of ``nnspca.DEFLATIONS``; "joint" for methods that find all components at once.
    random_state : int, RandomState instance or None
        Same number, same components; None is 0, so that it, too, gives the same answer twice.
    nonnegative : bool
    standardize : bool
        Divide each feature by its standard deviation (1/m) first.
    min_angle : float
        Degrees, for deflation "quasi-orthogonal"; the others do not ask for it.
    options : dict or None
        Options of the method.

    Attributes
    ----------
    components_ : ndarray, shape (r, n)
        Unit rows.
    explained_variance_ : ndarray, shape (r,)
        Each component's own variance (1/m). Components need not be orthogonal: these may add up to
        too much.
    explained_variance_ratio_ : ndarray, shape (r,)
        What each component adds to the variance of the span of those before it, as a share of the
        whole; they add up to what all explain together.
    cumulative_variance_ : ndarray, shape (r,)
        Variance of the span of the first 1, 2, …, r components.
    certificates_ : tuple of Certificate
        What is proven of each component, worked out when first read.
    certificate_ : PartsCertificate or None
        What is proven of all components together, worked out when first read; None where they are
        not disjoint.
    mean_, scale_ : ndarray, shape (n,)
        Taken off and divided by; ``scale_`` is 1 unless ``standardize``, and for features that
        never vary.
    n_components_, n_nonzero_ : int
        What was found, and allowed, on these data.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where the data had names.

    Notes
    -----
    A fitted estimator keeps the covariance (data of few samples: the centred data) for its
    certificates.

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
        n_nonzero: int = USUAL,
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
        X = self._read(X, reset=True)
        n = X.shape[1]
        self.n_nonzero_ = min(check_whole("n_nonzero", self.n_nonzero, 1), n)
        if self.n_nonzero_ < self.n_nonzero != USUAL:
            message = f"n_nonzero={shown(self.n_nonzero)} is more than the {n} feature(s) there are: all may be used"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        wanted = check_whole("n_components", self.n_components, 1)
        options: dict[str, Any] = check_options(self.options)
        if given := sorted(set(options) & GIVEN):
            raise ValueError(
                f"options={shown(self.options)} is not allowed: {given[0]!r} is none of the method's options"
            )
        self.scale_ = np.ones(n)
        if check_flag("standardize", self.standardize):
            deviation = deviations(X)
            self.scale_ = np.where(deviation > 0, deviation, 1.0)
        self._covariance = Covariance.from_data(X, self.standardize)
        self._seed = _seed(self.random_state)
        angle = check_number("min_angle", self.min_angle, 0, 90, "degrees")
        self._found: Components = decompose(
            self._covariance,
            min(wanted, n),
            self.n_nonzero_,
            self.method,
            deflation=self.deflation,
            nonnegative=self.nonnegative,
            seed=self._seed,
            min_angle=angle if self.deflation == "quasi-orthogonal" else None,
            **options,
        )
        self.mean_ = np.asarray(X.mean(axis=0)).ravel()
        self.components_ = np.ascontiguousarray(self._found.loadings.T)
        self.n_components_ = len(self.components_)
        self.explained_variance_ = self._found.variances
        self.cumulative_variance_ = self._found.cumulative_variance
        self.explained_variance_ratio_ = np.diff(self.cumulative_variance_, prepend=0.0) / self._found.total
        self._certificates: tuple[Certificate, ...] | None = None
        self._certificate: PartsCertificate | None = None
        if self.n_components_ < wanted:
            reason = self._found.note or f"the data have {n} feature(s)"
            message = f"{self.n_components_} of the {wanted} components asked for were found ({reason}): "
            warnings.warn(message + "give n_components no larger", ConvergenceWarning, stacklevel=2)
        return self

    def transform(self, X) -> np.ndarray:
        """Return the scores ``(X − mean) / scale · components'``, shape (m, r).

        A score is how much of a component a sample has by itself, whatever the others hold: their
        variances are ``explained_variance_``. Where components overlap, scores are correlated.
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        return self._scores(X, self.components_)

    def inverse_transform(self, X) -> np.ndarray:
        """Return the point of the components' span that has these scores, in the units of the data, shape (m, n).

        Of all points with the scores it is the one nearest the mean, features divided by
        ``scale_``. Of scores that ``transform`` gave it is the sample's projection onto the span,
        and ``transform`` gives the scores back.
        """
        check_is_fitted(self)
        scores = check_array(numbers(X))
        if scores.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {scores.shape[1]} scores a row; this estimator has {self.n_components_} components"
            )
        return scores @ np.linalg.pinv(self.components_).T * self.scale_ + self.mean_

    def score(self, X, y=None) -> float:
        """Return the share of the variance of X that the span of the components explains: higher is better.

        X is centred and scaled as seen in ``fit``, so that held-out data are judged by what was
        learnt. The share is at most 1, and of the data fitted it is the sum of
        ``explained_variance_ratio_``.
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        explained = float((self._scores(X, orthonormal(self.components_.T).T) ** 2).sum())
        Z = _scaled(X, self.scale_)
        means, variances = (
            mean_variance_axis(Z.tocsr(), axis=0) if scipy.sparse.issparse(Z) else (Z.mean(axis=0), Z.var(axis=0))
        )
        total = X.shape[0] * float((variances + (means - self.mean_ / self.scale_) ** 2).sum())
        return explained / total if total > 0 else 0.0

    @property
    def certificates_(self) -> tuple[Certificate, ...]:
        """What is proven of each component, worked out when first read.

        Each speaks of the covariance its component was sought on: ``nnspca.deflate``, by the
        components before, of ``Covariance.from_data(X, standardize=…)`` as the estimator was told.
        There is one for each component that was sought by itself: with "quasi-orthogonal" for the
        first only, and none with "together", "joint" or a method that does not keep to
        ``n_nonzero``.
        """
        check_is_fitted(self)
        if self._certificates is None:
            made = []
            for r in range(self._sought_alone()):
                left, part = sought(self._covariance, self._found, r)
                made.append(certify(left, part.k, nonnegative=self._found.nonnegative, component=part, seed=self._seed))
            self._certificates = tuple(made)
        return self._certificates

    @property
    def certificate_(self) -> PartsCertificate | None:
        """What is proven of all components together, worked out when first read.

        How much of what any so many disjoint parts could explain these do; None for components that
        may overlap: there is one with deflation "together" or "disjoint" and a method that keeps to
        ``n_nonzero``.
        """
        check_is_fitted(self)
        found = self._found
        if found.deflation not in ("together", "disjoint") or not METHODS[found.method].feasible:
            return None
        if self._certificate is None:
            self._certificate = certify_parts(
                self._covariance, self.n_components_, self.n_nonzero_, found, nonnegative=found.nonnegative
            )
        return self._certificate

    def _sought_alone(self) -> int:
        """How many components were the best that was sought at their turn."""
        if self._found.deflation in ("together", "joint") or not METHODS[self._found.method].feasible:
            return 0
        return 1 if self._found.deflation == "quasi-orthogonal" else self.n_components_

    def _read(self, X, *, reset: bool):
        """Return samples as :meth:`Covariance.from_data` reads them, once scikit-learn has nothing against them."""
        allowed: dict[str, Any] = {"accept_sparse": SPARSE, "dtype": np.float64, "ensure_min_samples": 1 + reset}
        if isinstance(X, np.ndarray) and X.dtype.kind in "fiubcO":
            check_unmasked(X)
            with contextlib.suppress(OverflowError):  # a whole number too large for a double, which `numbers` says
                validate_data(self, X, reset=reset, **allowed)
            return numbers(X)
        check_names(X)
        values = check_array(numbers(X), estimator=self, **allowed)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return values

    def _scores(self, X, directions: np.ndarray) -> np.ndarray:
        """Scores of the samples along unit rows; sparse data are centred last, so that they stay sparse."""
        if scipy.sparse.issparse(X):
            return _scaled(X, self.scale_) @ directions.T - (self.mean_ / self.scale_) @ directions.T
        return ((X - self.mean_) / self.scale_) @ directions.T

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _seed(random_state: object) -> int:
    """The seed that a random state stands for; ValueError for what is none."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return check_whole("random_state", random_state, 0, more="a numpy.random.RandomState, or None")


def _scaled(X, scale: np.ndarray):
    """Each feature divided by its scale, however small that is; sparse data stay sparse."""
    if not scipy.sparse.issparse(X):
        return X / scale
    rows = scipy.sparse.csr_array(X)
    return scipy.sparse.csr_array((rows.data / scale[rows.indices], rows.indices, rows.indptr), shape=rows.shape)
