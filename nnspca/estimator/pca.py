"""Nonnegative sparse PCA as a scikit-learn estimator: finds components, scores samples, and proves what it found."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Iterable
from functools import partial
from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from nnspca.certificates.judge import verify
from nnspca.components._certify import certify_found
from nnspca.components._decompose import decompose
from nnspca.components._deflate import deflated_problem
from nnspca.control.arguments import Deflation, Effort, Method, check_flag, check_number, check_whole
from nnspca.covariance import Covariance
from nnspca.covariance.input import Input, numbers, package_of
from nnspca.covariance.samples import added, check_weights, stated, warn_of_scales
from nnspca.covariance.sources import Source, genes_used, map_rows
from nnspca.covariance.sums import Sums
from nnspca.estimator import samples, settings
from nnspca.machines import HERE, jobs
from nnspca.result import Certificate, Components, PartsCertificate
from nnspca.tasks._scores import scores_of_rows

FITTED = {  # by the samples taken so far
    *("components_", "n_components_", "n_nonzero_", "explained_variance_", "explained_variance_ratio_", "mean_"),
    *("cumulative_variance_", "scale_", "fingerprint_", "covariance_", "_covariance", "_found", "_proven", "_seed"),
}
Certificates = tuple[Certificate, ...] | PartsCertificate | None


class NonnegativeSparsePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Nonnegative sparse PCA.

    Each component has unit length and at most ``n_nonzero`` nonzero loadings, all of them positive
    (unless ``nonnegative=False``).

    Parameters
    ----------
    n_components : int
        Largest number of components; fewer, with a ConvergenceWarning, where features or variance run out.
    n_nonzero : int or sequence of int
        Largest number of nonzero loadings of all components, or of each. If you set it above the number of features,
        a ConvergenceWarning is given.
    method : str
        A key of ``nnspca.METHODS``.
    deflation : str
        A key of ``nnspca.DEFLATIONS``; "joint" for methods that find all components at once.
    random_state : int, RandomState, Generator or None
        Same number, same components; None is 0.
    nonnegative : bool
    standardize : bool or None
        Divide each feature by its standard deviation (1/m) first. None leaves the data as they are and warns where
        one feature holds over 90 % of the total variance.
    center : bool
        Take the mean off. False for second moments about zero, as of counts or spectra; "variance" then means these.
    min_angle : float
        Degrees, for deflation "quasi-orthogonal" only.
    options : dict or None
        Options of the method.
    include, exclude : sequence of int or str, mask, or None
        Features that a single component reserves a place for, and that none may use, as for
        :func:`nnspca.decompose`; by place or by name.
    ddof : int
        Variances divide by the number of samples, or the sum of their weights, less this: 0 as everywhere else here, 1
        as R's packages do. Components and certificates are the same for any.
    store_covariance : bool
        Keep the covariance as ``covariance_``, also where the estimator is pickled.
    n_jobs : int or None
        Processes of :meth:`certify`, -1 for one a processor; None works on one component after the other, here.

    Attributes
    ----------
    components_ : ndarray, shape (r, n)
        Unit rows.
    explained_variance_ : ndarray, shape (r,)
        Each component's own variance (1/m); of components that overlap they add up to too much.
    explained_variance_ratio_ : ndarray, shape (r,)
        What each adds to the variance of the span of those before it, as a share of the whole.
    cumulative_variance_ : ndarray, shape (r,)
        Variance of the span of the first 1, 2, …, r components.
    certificates_ : tuple of Certificate
        What :meth:`certify` proves of each component, which may take seconds.
    certificate_ : PartsCertificate or None
        What is proven of all components together; None where they are not disjoint.
    covariance_ : Covariance
        What was fitted, with ``store_covariance``.
    parts_ : Components
        The components as the library's own result, with ``summary()``, ``to_frame()`` and ``plot()``.
    mean_, scale_ : ndarray, shape (n,)
        Taken off and divided by; ``scale_`` is 1 unless ``standardize``, and for features that never vary.
    n_components_, n_nonzero_ : int
        What was found, and allowed, on these data; a list where ``n_nonzero`` was one.

    Notes
    -----
    A fitted estimator holds the covariance (of few samples: the centred data) until it is pickled.

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
        n_nonzero: int | Iterable[int] = settings.USUAL,
        method: Method = "best",
        deflation: Deflation = "disjoint",
        random_state=0,
        *,
        nonnegative: bool = True,
        standardize: bool | None = None,
        center: bool = True,
        min_angle: float = 85.0,
        options: dict[str, object] | None = None,
        include=None,
        exclude=None,
        ddof: int = 0,
        store_covariance: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components, self.n_nonzero, self.method, self.deflation = n_components, n_nonzero, method, deflation
        self.random_state, self.nonnegative, self.standardize = random_state, nonnegative, standardize
        self.min_angle, self.options, self.ddof = min_angle, options, ddof
        self.include, self.exclude, self.center = include, exclude, center
        self.store_covariance, self.n_jobs = store_covariance, n_jobs

    @classmethod
    def from_components(cls, parts: Components, cov: Covariance, **parameters: Any) -> Self:
        """Return a fitted estimator of components that were found before, by :func:`nnspca.decompose`.

        Parameters
        ----------
        parts : Components
        cov : Covariance
            Of the data that they were found in.
        **parameters
            Of the estimator, such as ``random_state`` and ``options`` for another fit; what ``parts`` and ``cov`` tell
            is set.

        Raises
        ------
        ValueError
            Components of other features, or a covariance that was given as a matrix: no scores without a mean.

        Examples
        --------
        >>> import nnspca
        >>> X = nnspca.datasets.load("digits").X
        >>> cov = nnspca.Covariance.from_data(X)
        >>> est = nnspca.NonnegativeSparsePCA.from_components(nnspca.decompose(cov, 2, 8), cov)
        >>> bool(abs(est.transform(X).var(axis=0) - est.explained_variance_).max() < 1e-9)
        True
        """
        given = settings.of_found(parts, cov)
        est = cls(len(parts), **{**given, **parameters})
        samples.learn_names(est, cov.feature_names, cov.n_features)
        est._seed, est.n_nonzero_ = settings.seed_of(est.random_state), given["n_nonzero"]
        m = cast("int", cov.n_samples)
        est._take(cov, parts, m / (m - check_whole("ddof", est.ddof, 0, m - 1)))
        return est

    def fit(self, X, y=None, sample_weight=None) -> NonnegativeSparsePCA:
        """Find the components.

        Parameters
        ----------
        X : array_like, data frame, sparse array, Dataset or AnnData, shape (m, n)
            Samples as rows; or what is read in chunks, as by ``Covariance.from_data``. ``y`` is ignored.
        sample_weight : array_like, shape (m,), optional
            How much each sample counts, of at least 0.
        """
        for name in ("_sums", "n_samples_seen_"):  # of samples that were taken by parts
            self.__dict__.pop(name, None)
        X = genes_used(X)
        rows = samples.read(self, X, first=True)
        if not isinstance(rows, Source):
            chosen = X.chosen if isinstance(X, Input) else ""
            rows = Input(rows, samples.fitted_names(self), chosen=chosen, package=package_of(X))
        cov = Covariance.from_data(rows, stated(self.standardize), center=self.center, sample_weight=sample_weight)
        if isinstance(rows, Source):
            samples.learn_names(self, rows.names, cov.n_features)
        weights = check_weights(sample_weight, None)
        return self._find(cov, cast("int", cov.n_samples) if weights is None else float(weights.sum()))

    def partial_fit(self, X, y=None, sample_weight=None) -> Self:
        """Take more samples; the components of all are found when they are first asked for.

        Only sums are kept, n × n numbers of at most 6,000 features: any split of the samples, one at a time is enough,
        gives the covariance that :meth:`fit` makes of all, to its stated rounding. ``fit`` begins anew. Parameters are
        those of :meth:`fit`; ValueError for features that differ from those before, or weights in some calls only.

        Examples
        --------
        >>> import nnspca
        >>> X = nnspca.datasets.load("digits").X
        >>> est = nnspca.NonnegativeSparsePCA(n_components=1, n_nonzero=8)
        >>> for chunk in (X[:600], X[600:]):
        ...     est = est.partial_fit(chunk)
        >>> off = abs(est.components_ - nnspca.NonnegativeSparsePCA(1, 8).fit(X).components_)
        >>> bool(off.max() < 1e-9), est.n_samples_seen_
        (True, 1797)
        """
        before: Sums | None = self.__dict__.get("_sums")
        source = samples.source_of(self, X, before is None)
        weights = samples.weights_of(self, sample_weight, source)
        if before is not None and (weights is not None) != before.weighted:
            raise ValueError("sample_weight is given in some calls of partial_fit only: give it in each, or in none")
        sums = added(before, source, weights)
        if before is None:
            samples.learn_names(self, source.names, sums.n)
        for name in FITTED:
            self.__dict__.pop(name, None)
        self._sums, self.n_samples_seen_ = sums, sums.seen if self.center else sums.seen // 2
        return self

    def __getattr__(self, name: str) -> Any:
        """Find the components of the samples taken so far when one of them is first asked for."""
        sums = self.__dict__.get("_sums")
        if name in FITTED and sums is not None and "_found" not in self.__dict__:
            self._find(samples.covariance_of_sums(self, sums), sums.weight if self.center else sums.weight / 2)
            if name in self.__dict__:
                return self.__dict__[name]
        return object.__getattribute__(self, name)  # which says what is wrong

    def _find(self, cov: Covariance, weight: float) -> NonnegativeSparsePCA:
        """Find the components of samples of so much weight, 1 each where none was given."""
        n = cov.n_features
        wanted = check_whole("n_components", self.n_components, 1)
        sizes = settings.sizes_of(self.n_nonzero, wanted, n)
        self.n_nonzero_ = sizes if settings.are_several(self.n_nonzero) else sizes[0]
        options = settings.options_of(self.options)
        check_flag("store_covariance", self.store_covariance)
        check_flag("center", self.center)
        more = weight / (weight - check_whole("ddof", self.ddof, 0, math.ceil(weight) - 1))
        angle = check_number("min_angle", self.min_angle, 0, 90, "degrees")
        warn_of_scales(cov, self.standardize)
        self._seed = settings.seed_of(self.random_state)
        how: dict[str, Any] = {"deflation": self.deflation, "nonnegative": self.nonnegative, "seed": self._seed}
        how |= {"include": self.include, "exclude": self.exclude}
        if self.deflation == "quasi-orthogonal":
            how["min_angle"] = angle
        how |= options
        components = decompose(cov, min(wanted, n), sizes[: min(wanted, n)], self.method, **how)
        self._take(cov, components, more)
        if self.n_components_ < wanted:
            reason = components.note or f"the data have {n} feature(s)"
            message = f"{self.n_components_} of the {wanted} components asked for were found ({reason}): "
            warnings.warn(message + "give n_components no larger", ConvergenceWarning, stacklevel=3)
        return self

    def _take(self, cov: Covariance, components: Components, more: float) -> None:
        """Become what was fitted: components of a covariance, whose variances are to be ``more`` times as large."""
        self._covariance, self._found = cov, components
        self._proven: dict[tuple[bool, str], Any] = {}
        self.fingerprint_ = cov.fingerprint
        self.__dict__.pop("covariance_", None)
        if self.store_covariance:
            self.covariance_ = cov
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

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """With the covariance, which is never written to: both share it."""
        for cov in filter(None, (self.__dict__.get("_covariance"), self.__dict__.get("covariance_"))):
            memo[id(cov)] = cov
        twin = memo[id(self)] = copy.copy(self)
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin

    def transform(self, X) -> np.ndarray:
        """Return the scores ``(X − mean) / scale · components'``, shape (m, r); float32 of samples in float32.

        Of a Dask array they are one too. The features of a table are found by name, in any order and among others.

        A score is how much of a component a sample has by itself, whatever the others hold: their
        variances are ``explained_variance_``. Where components overlap, scores are correlated.
        """
        check_is_fitted(self)
        held: Any = getattr(X, "dtypes", getattr(X, "dtype", ""))
        kinds = {str(kind) for kind in np.ravel(held)}
        source, along = samples.read(self, X), partial(scores_of_rows, self.mean_, self.scale_, self.components_.T)
        if isinstance(source, Source) and source.spread is not None:
            samples.check_width(self, source.n)
            scores = map_rows(source, along, self.n_components_)
        else:
            scores = np.concatenate([along(rows) for rows in samples.chunks(self, source)])
        return scores.astype(np.float32) if kinds == {"float32"} else scores

    def inverse_transform(self, X) -> np.ndarray:
        """Return the point of the components' span that has these scores, in the units of the data, shape (m, n).

        Of all points with the scores it is the one nearest the mean, features divided by ``scale_``; of what
        ``transform`` gave it is the sample's projection onto the span.
        """
        check_is_fitted(self)
        scores = check_array(numbers(X))
        if (r := scores.shape[1]) != self.n_components_:
            raise ValueError(f"X has {r} scores a row; this estimator has {self.n_components_} components")
        return scores @ np.linalg.pinv(self.components_).T * self.scale_ + self.mean_

    def score(self, X, y=None, sample_weight=None) -> float:
        """Return the share of the variance of X that the span of the components explains: higher is better.

        X is centred and scaled as in ``fit``, so that held-out data are judged by what was learnt. The share is at
        most 1, and of the data fitted it is the sum of ``explained_variance_ratio_``.
        """
        check_is_fitted(self)
        return samples.explained_share(self, X, sample_weight)

    def certify(
        self, X=None, *, together: bool | None = None, effort: Effort = "live", sample_weight=None, should_stop=None
    ) -> Certificates:
        """Prove how far the components can be from the best possible.

        Each certificate refers to the covariance on which its component was sought: ``Covariance.from_data(X,
        standardize=…)`` with the estimator's setting, deflated by the components before.

        Parameters
        ----------
        X, sample_weight : optional
            What was fitted; needed once the covariance is no longer held, after pickling without ``store_covariance``.
        together : bool, optional
            False: each component by itself, on what those before it left. True: all of them as one, against any parts
            of the same number that share no feature. None: True with deflation "together", else False.
        effort, should_stop
            As for :func:`nnspca.certify`.

        Returns
        -------
        tuple of Certificate, or PartsCertificate, or None
            One for each component that was sought by itself: with "quasi-orthogonal" for the first only, and none with
            "together", "joint" or a method that does not keep to ``n_nonzero``. Together, None for components that may
            overlap or have different ``n_nonzero``.

        Raises
        ------
        ValueError
            Samples other than those fitted, or none where the covariance is no longer held.
        """
        check_is_fitted(self)
        whole = self._found.deflation == "together" if together is None else check_flag("together", together)
        known = self._proven.get((whole, effort))
        if known is not None and X is None:
            return known
        cov = samples.fitted_on(self, X, sample_weight)
        if known is not None:
            return known
        how: dict[str, Any] = {"effort": effort, "seed": self._seed, "should_stop": should_stop}
        with jobs(None if self.n_jobs == 1 else self.n_jobs) as where:
            certificates = certify_found(cov, self._found, whole, executor=where or HERE, **how)
        single = certificates if isinstance(certificates, tuple) else (certificates,)
        if not any(cert is None or cert.stopped for cert in single):
            self._proven[whole, effort] = certificates
        return certificates

    def verify(self, X=None, *, sample_weight=None) -> None:
        """Derive again, by a second route, all that was certified; certify first what was not.

        ``X`` and ``sample_weight`` are those of :meth:`certify`; CertificateError names the first claim that fails.
        """
        check_is_fitted(self)
        cov = samples.fitted_on(self, X, sample_weight)
        if not self._proven:
            self.certify(X, sample_weight=sample_weight)
        for certificates in self._proven.values():
            if isinstance(certificates, PartsCertificate):
                verify(certificates, cov)
            else:
                for r, cert in enumerate(certificates):
                    verify(cert, deflated_problem(cov, self._found, r)[0])

    @property
    def certificates_(self) -> tuple[Certificate, ...]:
        """What is proven of each component: ``certify(together=False)``, worked out when first read."""
        return cast("tuple[Certificate, ...]", self.certify(together=False))

    @property
    def certificate_(self) -> PartsCertificate | None:
        """What is proven of all components together: ``certify(together=True)``, worked out when first read."""
        return cast("PartsCertificate | None", self.certify(together=True))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
