"""The scikit-learn estimator."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted

from nnspca.components._decompose import decompose
from nnspca.control.arguments import check_flag, check_number, check_options, check_whole, shown
from nnspca.control.progress import progress_bar
from nnspca.covariance import Covariance
from nnspca.covariance.input import numbers
from nnspca.covariance.samples import check_weights, stated, warn_of_dominant
from nnspca.covariance.span import orthonormal
from nnspca.estimator.by_parts import ByParts
from nnspca.estimator.certified import Certified
from nnspca.estimator.samples import check_chunks, in_chunks, read, scaled, told
from nnspca.result import Components

GIVEN = set(inspect.signature(decompose).parameters) - {"starts", "options"}  # not options of a method
Checked = tuple[int, list[int], dict[str, Any], float]
USUAL = 10  # nonzero loadings if n_nonzero is not given


class NonnegativeSparsePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ByParts, Certified, BaseEstimator):
    """Nonnegative sparse PCA.

    Each component has unit length and at most ``n_nonzero`` nonzero loadings, all of them positive
    (unless ``nonnegative=False``).

    Parameters
    ----------
    n_components : int
        Largest number of components. Fewer come out where features or variance run out first, with a
        ConvergenceWarning: see ``n_components_``.
    n_nonzero : int or sequence of int
        Largest number of nonzero loadings: one number for all components, or one for each. It is a
        limit: at most 10 of 4 features means at most 4, see ``n_nonzero_``. If you set it above the
        number of features, a ConvergenceWarning is given.
    method : str
        A key of ``nnspca.METHODS``.
    deflation : str
        A key of ``nnspca.DEFLATIONS``; "joint" for methods that find all components at once.
    random_state : int, RandomState instance or None
        Same number, same components; None is 0, so that it, too, gives the same answer twice.
    nonnegative : bool
    standardize : bool or None
        Divide each feature by its standard deviation (1/m) first. None leaves the data as they are and warns where
        one feature holds over 90 % of the total variance.
    min_angle : float
        Degrees, for deflation "quasi-orthogonal"; the others do not ask for it.
    options : dict or None
        Options of the method.
    ddof : int
        Variances divide by the number of samples less this: 0 is the maximum-likelihood estimate
        that everything else here uses, 1 the unbiased one of R's packages. Components and
        certificates are the same for any.
    store_covariance : bool
        Keep the covariance as ``covariance_``, also where the estimator is pickled; it may be many
        times as large as all else.
    n_jobs : int or None
        Processes in which :meth:`certify` works on several components at once, -1 for one a
        processor; None works on one after the other, here.
    verbose : bool
        Show how far ``fit`` has come, by tqdm where that is installed.

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
        What is proven of each component: what :meth:`certify` gives, which may take seconds.
    certificate_ : PartsCertificate or None
        What is proven of all components together; None where they are not disjoint.
    covariance_ : Covariance
        What was fitted, with ``store_covariance``.
    parts_ : Components
        The components as the library's own result, with ``summary()``, ``to_frame()`` and
        ``plot()``.
    mean_, scale_ : ndarray, shape (n,)
        Taken off and divided by; ``scale_`` is 1 unless ``standardize``, and for features that
        never vary.
    n_components_, n_nonzero_ : int
        What was found, and allowed, on these data; a list where ``n_nonzero`` was one.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where the data had names.

    Notes
    -----
    A fitted estimator holds the covariance (data of few samples: the centred data) for its
    certificates until it is pickled.

    Examples
    --------
    >>> import nnspca
    >>> X = nnspca.datasets.load("digits").X
    >>> est = nnspca.NonnegativeSparsePCA(n_components=3, n_nonzero=8).fit(X)
    >>> est.transform(X).shape
    (1797, 3)
    >>> est.certify()[0].ratio > 0.999
    True
    >>> est.parts_[0].cardinality
    8
    """

    def __init__(
        self,
        n_components: int = 2,
        n_nonzero: int | Iterable[int] = USUAL,
        method: str = "best",
        deflation: str = "disjoint",
        random_state=0,
        *,
        nonnegative: bool = True,
        standardize: bool | None = None,
        min_angle: float = 85.0,
        options: dict[str, object] | None = None,
        ddof: int = 0,
        store_covariance: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
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
        self.ddof = ddof
        self.store_covariance = store_covariance
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y=None, sample_weight=None) -> NonnegativeSparsePCA:
        """Find the components.

        Parameters
        ----------
        X : array_like, data frame, sparse array, Dataset or AnnData, shape (m, n)
            Samples as rows; or what is read in chunks, as by ``Covariance.from_data``.
        y : ignored
        sample_weight : array_like, shape (m,), optional
            How much each sample counts, of at least 0.

        Raises
        ------
        ValueError
            A parameter that is not allowed, or data without any variance.
        """
        for name in ("_sums", "n_samples_seen_"):  # of samples that were taken by parts
            self.__dict__.pop(name, None)
        if (source := in_chunks(X)) is not None:
            cov = Covariance.from_data(source, stated(self.standardize), sample_weight=sample_weight)
            assert cov.n_samples is not None
            told(self, source.names, cov.n_features)
            return self._find(cov, self._check_parameters(cov.n_features, cov.n_samples))
        X = read(self, X, reset=True)
        weights = check_weights(sample_weight, X.shape[0])
        m = X.shape[0] if weights is None else int(np.count_nonzero(weights))
        checked = self._check_parameters(X.shape[1], m)
        cov = Covariance.from_data(X, stated(self.standardize), sample_weight=weights, names=self._names())
        return self._find(cov, checked)

    def _check_parameters(self, n: int, m: int) -> Checked:
        """How many components, of how many nonzero loadings each, the method's options, and the factor of ddof."""
        wanted = check_whole("n_components", self.n_components, 1)
        sizes = self._sizes(wanted, n)
        options: dict[str, Any] = check_options(self.options)
        if given := sorted(set(options) & GIVEN):
            raise ValueError(
                f"options={shown(self.options)} is not allowed: {given[0]!r} is none of the method's options"
            )
        stated(self.standardize)
        check_flag("store_covariance", self.store_covariance)
        check_flag("verbose", self.verbose)
        return wanted, sizes, options, m / (m - check_whole("ddof", self.ddof, 0, m - 1))

    def _find(self, cov: Covariance, checked: Checked) -> NonnegativeSparsePCA:
        n = cov.n_features
        warn_of_dominant(cov, self.standardize)
        wanted, sizes, options, more = checked
        self._seed = _seed(self.random_state)
        angle = check_number("min_angle", self.min_angle, 0, 90, "degrees")
        components: Components = decompose(
            cov,
            min(wanted, n),
            sizes[: min(wanted, n)],
            self.method,
            deflation=self.deflation,
            nonnegative=self.nonnegative,
            seed=self._seed,
            min_angle=angle if self.deflation == "quasi-orthogonal" else None,
            on_progress=progress_bar("fit") if self.verbose else None,
            **options,
        )
        self._covariance, self._found, self._proven = cov, components, {}
        self.fingerprint_ = cov.fingerprint
        if self.store_covariance:
            self.covariance_ = cov
        else:
            self.__dict__.pop("covariance_", None)
        seen = cov.features
        assert seen.mean is not None and seen.scale is not None
        self.mean_ = np.array(seen.mean)
        self.scale_ = np.array(seen.scale) * (np.sqrt(more) if self.standardize else 1.0)
        self.components_ = np.ascontiguousarray(components.loadings.T)
        self.n_components_ = len(self.components_)
        units = 1.0 if self.standardize else more
        self.explained_variance_ = components.variances * units
        self.cumulative_variance_ = components.cumulative_variance * units
        self.explained_variance_ratio_ = np.diff(components.cumulative_variance, prepend=0.0) / components.total
        if self.n_components_ < wanted:
            reason = components.note or f"the data have {n} feature(s)"
            message = f"{self.n_components_} of the {wanted} components asked for were found ({reason}): "
            warnings.warn(message + "give n_components no larger", ConvergenceWarning, stacklevel=3)
        return self

    def _sizes(self, wanted: int, n: int) -> list[int]:
        """How many nonzero loadings each component may have; warn if a given number exceeds the number of features."""
        given = self.n_nonzero
        one = isinstance(given, str) or not isinstance(given, Iterable) or not getattr(given, "ndim", 1)
        sizes = [check_whole("n_nonzero", each, 1) for each in ([given] * wanted if one else given)]  # type: ignore[union-attr]
        if len(sizes) != wanted:
            raise ValueError(
                f"n_nonzero={shown(given)} has {len(sizes)} values; give one whole number, or {wanted}, one for each "
                "component"
            )
        if max(sizes) > n and not (one and given == USUAL):
            message = f"n_nonzero={shown(given)} is more than the {n} feature(s) there are: all may be used"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        sizes = [min(size, n) for size in sizes]
        self.n_nonzero_ = sizes[0] if one else sizes
        return sizes

    @property
    def parts_(self) -> Components:
        """The components as the library's own result."""
        check_is_fitted(self)
        return self._found

    def __getstate__(self) -> dict[str, Any]:
        """Without the covariance, unless it was to be stored."""
        state = dict(super().__getstate__())
        if "_sums" in state:
            state.pop("_covariance", None)  # it is rebuilt from the sums
        elif "_covariance" in state:
            state["_covariance"] = state.get("covariance_")
        return state

    def _covariance_of(self, X, sample_weight) -> Covariance:
        if self.__dict__.get("_sums") is not None:
            return self._summed_again(X, sample_weight)
        if (source := in_chunks(X)) is not None:
            check_chunks(self, source)
            return Covariance.from_data(
                source, stated(self.standardize), sample_weight=sample_weight, names=self._names()
            )
        X = read(self, X, reset=False)
        return Covariance.from_data(X, stated(self.standardize), sample_weight=sample_weight, names=self._names())

    def transform(self, X) -> np.ndarray:
        """Return the scores ``(X − mean) / scale · components'``, shape (m, r).

        A score is how much of a component a sample has by itself, whatever the others hold: their
        variances are ``explained_variance_``. Where components overlap, scores are correlated.
        """
        check_is_fitted(self)
        return np.concatenate([self._scores(rows, self.components_) for rows in self._chunks(X)])

    def _chunks(self, X) -> Iterator[Any]:
        """Yield samples of the features of the fit: all at once, or chunk by chunk."""
        if (source := in_chunks(X)) is None:
            yield read(self, X, reset=False)
            return
        check_chunks(self, source)
        for chunk in source.chunks():
            rows = numbers(chunk)
            if rows.shape[1] != self.n_features_in_:
                raise ValueError(f"X has {rows.shape[1]} features; this estimator was fitted on {self.n_features_in_}")
            yield rows

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

    def score(self, X, y=None, sample_weight=None) -> float:
        """Return the share of the variance of X that the span of the components explains: higher is better.

        X is centred and scaled as seen in ``fit``, so that held-out data are judged by what was
        learnt; ``sample_weight`` says how much each sample counts. The share is at most 1, and of
        the data fitted it is the sum of ``explained_variance_ratio_``.
        """
        check_is_fitted(self)
        basis = orthonormal(self.components_.T).T
        weights = check_weights(sample_weight, None)
        explained = total = 0.0
        begin = 0
        for rows in self._chunks(X):
            own = None if weights is None else weights[begin : begin + rows.shape[0]]
            begin += rows.shape[0]
            if weights is not None and begin > len(weights):
                break
            weight = float(rows.shape[0] if own is None else own.sum())
            if weight:
                means = self._squares(rows, basis, own)
                explained, total = explained + weight * means[0], total + weight * means[1]
        check_weights(sample_weight, begin)
        return explained / total if total > 0 else 0.0

    def _squares(self, X, basis: np.ndarray, weights: np.ndarray | None) -> tuple[float, float]:
        """The mean square of samples' distances from the mean: what lies in the span, and all."""
        squares = (self._scores(X, basis) ** 2).sum(axis=1)
        explained = float(np.average(squares, weights=weights))
        Z = scaled(X, self.scale_)
        if scipy.sparse.issparse(Z):
            means, variances = mean_variance_axis(Z.tocsr(), axis=0, weights=weights)
        else:
            means = np.average(Z, axis=0, weights=weights)
            variances = np.average((Z - means) ** 2, axis=0, weights=weights)
        return explained, float((variances + (means - self.mean_ / self.scale_) ** 2).sum())

    def _scores(self, X, directions: np.ndarray) -> np.ndarray:
        """Scores of the samples along unit rows; sparse data are centred last, so that they stay sparse."""
        if scipy.sparse.issparse(X):
            return scaled(X, self.scale_) @ directions.T - (self.mean_ / self.scale_) @ directions.T
        return ((X - self.mean_) / self.scale_) @ directions.T

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _seed(random_state: object) -> int:
    """The seed of a random state; ValueError if it is none."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return check_whole("random_state", random_state, 0, more="a numpy.random.RandomState, or None")
