"""An estimator fitted by parts: the sums of the samples are kept, and the components found when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from nnspca.covariance import Covariance
from nnspca.covariance.samples import added, check_weights, stated
from nnspca.covariance.sources import Source, in_memory
from nnspca.covariance.sums import Sums
from nnspca.estimator.samples import check_chunks, in_chunks, read, told

OF_COMPONENTS = ("components_", "n_components_", "n_nonzero_", "explained_variance_", "explained_variance_ratio_")
OF_ALL = ("cumulative_variance_", "mean_", "scale_", "fingerprint_", "covariance_")
FOUND = (*OF_COMPONENTS, *OF_ALL, "_covariance", "_found", "_proven", "_seed")  # by the samples taken so far


class ByParts:
    """Mixin: lets samples arrive a part at a time."""

    standardize: bool | None
    _sums: Sums
    _find: Callable[..., Any]
    _check_parameters: Callable[..., Any]

    def partial_fit(self, X, y=None, sample_weight=None) -> Self:
        """Take more samples; the components of all are found when they are first asked for.

        Only sums are kept, n × n numbers: any split of the samples gives the covariance that
        :meth:`fit` makes of all, to its stated rounding. ``fit`` forgets them and begins anew.

        Parameters
        ----------
        X : array_like, data frame, sparse array, Dataset or AnnData, shape (m, n)
            Samples as rows, one is enough; or what is read in chunks. At most 6,000 features.
        y : ignored
        sample_weight : array_like, shape (m,), optional
            How much each sample counts, at least 0; in every call, or in none.

        Raises
        ------
        ValueError
            Features that differ from those before, or weights in some calls only.

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
        first = self.__dict__.get("_sums") is None
        source = self._read_part(X, first)
        weights = check_weights(sample_weight, source.shape[0])
        if not first and (weights is not None) != self._sums.weighted:
            raise ValueError(
                "sample_weight is given in some calls of partial_fit only: give it in every call, or in none"
            )
        sums = added(None if first else self._sums, source, weights)
        if first:
            told(self, source.names, sums.n)
        for name in FOUND:
            self.__dict__.pop(name, None)
        self._sums, self.n_samples_seen_ = sums, sums.seen
        return self

    def _read_part(self, X, first: bool) -> Source:
        source = in_chunks(X)
        if source is None:
            rows = read(self, X, reset=first, fewest=1)
            names = self._names()
            return in_memory(rows, None if names is None else tuple(names))
        if not first:
            check_chunks(self, source)
        return source

    def __getattr__(self, name: str) -> Any:
        """Find the components of the samples taken so far when one of them is first asked for."""
        sums = self.__dict__.get("_sums")
        if name in FOUND and sums is not None and "_found" not in self.__dict__:
            cov = self._of_sums(sums)
            self._find(cov, self._check_parameters(cov.n_features, cov.n_samples))
            if name in self.__dict__:
                return self.__dict__[name]
        return object.__getattribute__(self, name)  # which says what is wrong

    def _summed_again(self, X, sample_weight) -> Covariance:
        """The covariance of all samples that were taken by parts, given at once."""
        source = self._read_part(X, False)
        return self._of_sums(added(None, source, check_weights(sample_weight, source.shape[0])))

    def _of_sums(self, sums: Sums) -> Covariance:
        return Covariance.of_sums(sums, stated(self.standardize), self._names())

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]
