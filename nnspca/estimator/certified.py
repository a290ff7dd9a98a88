"""Certificates of an estimator's components: computed on request, and verified by a second route."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from sklearn.utils.validation import check_is_fitted

from nnspca.certificates.judge import verify
from nnspca.components._certify import certify_parts
from nnspca.components._deflate import deflated_problem
from nnspca.control.arguments import check_flag, shown
from nnspca.control.progress import Monitor, ShouldStop
from nnspca.covariance import Covariance
from nnspca.machines import HERE, crew, jobs
from nnspca.result import Certificate, Components, PartsCertificate
from nnspca.solvers.registry import METHODS
from nnspca.tasks._certify import certify

Certificates = tuple[Certificate, ...] | PartsCertificate | None


class Certified:
    """Certificates of fitted components.

    Each refers to the covariance on which its component was sought: ``Covariance.from_data(X,
    standardize=…)`` with the estimator's setting, deflated by the components before.
    """

    _covariance: Covariance | None
    _found: Components
    _seed: int
    _proven: dict[tuple[bool, str], Any]
    fingerprint_: str
    n_jobs: int | None
    _covariance_of: Callable[..., Covariance]

    def certify(
        self,
        X=None,
        *,
        together: bool | None = None,
        effort: str = "live",
        sample_weight=None,
        should_stop: ShouldStop | None = None,
    ) -> Certificates:
        """Prove how far the components can be from the best possible.

        Parameters
        ----------
        X : array_like or sparse array, shape (m, n), optional
            The samples fitted. They may be left out as long as the estimator holds their
            covariance: until it is pickled, unless ``store_covariance``.
        together : bool, optional
            False: each component by itself, on what those before it left. True: all of them as one,
            against any parts of the same number that share no feature. None: True with deflation "together",
            else False.
        effort : {"live", "thorough"}
            As for :func:`nnspca.certify`, which says how long that takes.
        sample_weight : array_like, shape (m,), optional
            The weights fitted with, beside ``X``.
        should_stop : callable, optional
            A stopped call returns the bounds it has, all of them valid.

        Returns
        -------
        tuple of Certificate, or PartsCertificate, or None
            One for each component that was sought by itself: with "quasi-orthogonal" for the first
            only, and none with "together", "joint" or a method that does not keep to ``n_nonzero``.
            Together, None for components that may overlap or have different ``n_nonzero``.

        Raises
        ------
        ValueError
            Samples other than those fitted, or none where the covariance is no longer held.

        Examples
        --------
        >>> import nnspca
        >>> X = nnspca.datasets.load("digits").X
        >>> est = nnspca.NonnegativeSparsePCA(n_components=2, n_nonzero=8).fit(X)
        >>> [cert.ratio > 0.999 for cert in est.certify()]
        [True, True]
        >>> est.certify(together=True).ratio > 0.99
        True
        """
        check_is_fitted(self)
        whole = self._found.deflation == "together" if together is None else check_flag("together", together)
        known = self._proven.get((whole, effort))
        if known is not None and X is None:
            return known
        cov = self._fitted_on(X, sample_weight)
        if known is not None:
            return known
        certificates = self._of_all(cov, effort, should_stop) if whole else self._of_each(cov, effort, should_stop)
        if certificates is not None and not any(
            cert.stopped for cert in (certificates if isinstance(certificates, tuple) else (certificates,))
        ):
            self._proven[whole, effort] = certificates
        return certificates

    def verify(self, X=None, *, sample_weight=None) -> None:
        """Derive again, by a second route, all that was certified; certify first what was not.

        Parameters
        ----------
        X, sample_weight
            As for :meth:`certify`.

        Raises
        ------
        CertificateError
            Names the first claim that fails.
        """
        check_is_fitted(self)
        cov = self._fitted_on(X, sample_weight)
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
        check_is_fitted(self)
        certificates = self.certify(together=False)
        assert isinstance(certificates, tuple)
        return certificates

    @property
    def certificate_(self) -> PartsCertificate | None:
        """What is proven of all components together: ``certify(together=True)``, worked out when first read."""
        check_is_fitted(self)
        certificate = self.certify(together=True)
        assert not isinstance(certificate, tuple)
        return certificate

    def _of_each(self, cov: Covariance, effort: str, should_stop: ShouldStop | None) -> tuple[Certificate, ...]:
        """One after the other here, or in ``n_jobs`` processes."""
        alone = self._found.deflation not in ("together", "joint") and METHODS[self._found.method].feasible
        count = len(self._found) if alone else 0  # how many were each sought as the best one at their turn
        count = min(count, 1) if self._found.deflation == "quasi-orthogonal" else count
        where = jobs(None, self.n_jobs) if self.n_jobs not in (None, 1) else contextlib.nullcontext(HERE)
        with where as executor, crew(executor, (cov, self._found), Monitor(should_stop)) as workers:
            tasks = ((r, effort, self._seed) for r in range(count))
            certificates = dict(workers.each(_certified, tasks))
        return tuple(certificates[r] for r in sorted(certificates))

    def _of_all(self, cov: Covariance, effort: str, should_stop: ShouldStop | None) -> PartsCertificate | None:
        components = self._found
        sizes = {part.k for part in components}
        disjoint = components.deflation in ("together", "disjoint") and METHODS[components.method].feasible
        if not disjoint or len(sizes) > 1:
            return None
        return certify_parts(
            cov,
            len(components),
            sizes.pop(),
            components,
            nonnegative=components.nonnegative,
            effort=effort,
            should_stop=should_stop,
        )

    def _fitted_on(self, X, sample_weight) -> Covariance:
        """The covariance that was fitted: the one held, or that of the samples given, if they are the same."""
        if X is None:
            if self._covariance is None:
                raise ValueError(
                    "the covariance is not held any more: give the samples fitted, as in certify(X), or fit with "
                    "store_covariance=True"
                )
            return self._covariance
        cov = self._covariance_of(X, sample_weight)
        if cov.fingerprint != self.fingerprint_:
            raise ValueError(
                f"X, {shown(X)}, is not what was fitted (or sample_weight differs): give the same samples in the "
                "same order"
            )
        return cov


def _certified(shared: tuple[Covariance, Components], r: int, effort: str, seed: int, should_stop) -> Certificate:
    """The certificate of one component, for the covariance on which it was sought."""
    cov, components = shared
    left, part = deflated_problem(cov, components, r)
    return certify(
        left,
        part.k,
        nonnegative=components.nonnegative,
        effort=effort,
        component=part,
        seed=seed,
        should_stop=should_stop,
    )
