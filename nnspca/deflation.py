"""Several components: find one, take it out of the covariance, find the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nnspca import deflated
from nnspca.certify import EFFORTS
from nnspca.certify import certify as certify_one
from nnspca.covariance import Covariance
from nnspca.gather import cumulative_variance
from nnspca.result import Certificate, Component, Components, OnProgress, ShouldStop
from nnspca.solve import check_cardinality, check_method, solve
from nnspca.solvers.quasi_orthogonal import quasi_orthogonal
from nnspca.solvers.registry import MethodInfo
from nnspca.threads import one_blas_thread
from nnspca.watch import Watch

EXHAUSTED = 1e-12  # share of the trace below which what is left is rounding


@dataclass(frozen=True)
class DeflationInfo:
    """One way to find several components.

    Attributes
    ----------
    name : str
        Key in :data:`DEFLATIONS`.
    title : str
        For menus.
    summary : str
        One sentence for a reader who has not met it.
    paper : str
        Where it comes from.
    """

    name: str
    title: str
    summary: str
    paper: str


DEFLATIONS: dict[str, DeflationInfo] = {
    info.name: info
    for info in (
        DeflationInfo(
            "disjoint",
            "Disjoint supports",
            "A feature that one component uses is not there for the next: the parts share nothing.",
            "Asteris et al. 2014, Fig. 3; Sigg & Buhmann 2008, Sec. 4",
        ),
        DeflationInfo(
            "projection",
            "Projection",
            "The directions found are projected out of the data; later components may use the same features.",
            "Sigg & Buhmann 2008, eq. 18",
        ),
        DeflationInfo(
            "schur",
            "Schur complement",
            "Everything that the components found predict of the other features is taken out.",
            "Mackey 2008",
        ),
        DeflationInfo(
            "hotelling",
            "Hotelling",
            "The variance along each component is taken out of the covariance; overlaps may come back.",
            "Hotelling 1933; Mackey 2008",
        ),
        DeflationInfo(
            "quasi-orthogonal",
            "A least angle",
            "Components may share features as long as any two keep a least angle. EM finds all but the first.",
            "Sigg & Buhmann 2008, eq. 20",
        ),
        DeflationInfo(
            "joint",
            "All at once",
            "The method finds all components together; only for methods that can.",
            "Zass & Shashua 2006",
        ),
    )
}


def decompose(
    cov: Covariance,
    n_components: int,
    k: int | Sequence[int],
    method: str = "best",
    *,
    deflation: str = "disjoint",
    nonnegative: bool = True,
    seed: int = 0,
    certify: str | None = None,
    min_angle: float = 85.0,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    on_part: Callable[[Component], None] | None = None,
    **options: object,
) -> Components:
    """Find several components.

    Parameters
    ----------
    cov : Covariance
        Of n features.
    n_components : int
        1 <= r <= n. Fewer are returned, with a note, when no feature or no variance is left.
    k : int or sequence of r int
        Most nonzero loadings of each component.
    method : str
        A key of ``nnspca.METHODS``; with "quasi-orthogonal" it finds the first, and EM the others.
    deflation : str
        A key of ``nnspca.DEFLATIONS``.
    nonnegative : bool
    seed : int
        Same seed, same components.
    certify : {"live", "thorough"} or None
        Certify each component on the covariance it was sought on, which :func:`deflate` gives again for
        :func:`nnspca.verify`.
    min_angle : float
        Least angle between components in degrees, 0 to 90, for "quasi-orthogonal".
    should_stop, on_progress : callable, optional
        A stopped call returns the components found by then, at least one.
    on_part : callable, optional
        Called with each :class:`Component` as it is found.
    **options
        Those of the method.

    Returns
    -------
    Components
        Variances are on ``cov``; what they explain together is not double-counted.

    Raises
    ------
    ValueError
        A value not allowed; the message says which are.

    Examples
    --------
    >>> cov = Covariance.from_matrix(np.diag([4.0, 3.0, 2.0, 1.0]) + 0.5)
    >>> parts = decompose(cov, n_components=2, k=2)
    >>> parts.cardinalities, round(parts.overlap, 12)
    (array([2, 2]), 0.0)
    """
    info = check_method(method, nonnegative)
    count = _check_count(n_components, cov.n_features)
    sizes = _check_sizes(cov, k, count)
    _check_choices(info, deflation, certify, min_angle, sizes)
    checked = info.checked(options)
    started = time.perf_counter()
    watch = Watch(should_stop, on_progress)
    if deflation == "joint":
        assert info.joint is not None
        with one_blas_thread():
            found = info.joint(
                cov, count, sizes[0], nonnegative=nonnegative, rng=np.random.default_rng(seed), watch=watch, **checked
            )
        for part in found.parts if on_part is not None else ():
            on_part(part)  # type: ignore[misc]
        return replace(found, options=checked, seconds=time.perf_counter() - started)
    run = _Run(cov, sizes, info, deflation, nonnegative, seed, certify, min_angle, options, watch, on_part)
    parts, certificates, note = run()
    watch.tell(1.0, "done")
    loadings = np.column_stack([part.loadings for part in parts])
    return Components(
        tuple(parts),
        cumulative_variance(cov, loadings),
        cov.trace,
        method,
        deflation,
        nonnegative,
        checked | ({"min_angle": min_angle} if deflation == "quasi-orthogonal" else {}),
        certificates=tuple(certificates),
        seconds=time.perf_counter() - started,
        stopped=watch.stop(),
        note=note,
    )


def deflate(cov: Covariance, loadings: np.ndarray, deflation: str = "disjoint") -> Covariance:
    """Return the covariance that the component after ``loadings`` is sought on.

    Parameters
    ----------
    cov : Covariance
        Of n features.
    loadings : ndarray, shape (n, r)
        The components found, unit columns; r = 0 gives ``cov`` itself.
    deflation : str
        A key of ``nnspca.DEFLATIONS``. "disjoint" leaves only the features no component uses; "quasi-orthogonal"
        and "joint" leave the covariance as it is.

    Examples
    --------
    >>> cov = Covariance.from_matrix(np.diag([4.0, 3.0, 2.0]))
    >>> deflate(cov, np.array([[1.0], [0.0], [0.0]]), "projection").diagonal
    array([0., 3., 2.])
    """
    _check_deflation(deflation)
    U = np.asarray(loadings, dtype=np.float64)
    if U.ndim != 2 or U.shape[0] != cov.n_features or not np.isfinite(U).all():
        raise ValueError(f"loadings have shape {U.shape}; give finite columns of shape ({cov.n_features}, r)")
    if not U.shape[1] or deflation in ("quasi-orthogonal", "joint"):
        return cov
    if deflation == "disjoint":
        return deflated.restricted(cov, U)[0]
    return {"projection": deflated.projected, "schur": deflated.schur, "hotelling": deflated.hotelling}[deflation](
        cov, U
    )


@dataclass
class _Run:
    """One decomposition under way."""

    cov: Covariance
    sizes: list[int]
    info: MethodInfo
    deflation: str
    nonnegative: bool
    seed: int
    effort: str | None
    min_angle: float
    options: dict[str, Any]
    watch: Watch
    on_part: Callable[[Component], None] | None

    def __call__(self) -> tuple[list[Component], list[Certificate], str]:
        parts: list[Component] = []
        certificates: list[Certificate] = []
        U = np.zeros((self.cov.n_features, 0))
        for number, k in enumerate(self.sizes):
            if parts and self.watch.stop():
                return parts, certificates, f"stopped after {number} of {len(self.sizes)} components"
            span = self.watch.part(number / len(self.sizes), (number + 1) / len(self.sizes))
            left, places = self._left(U)
            if left is None:
                return parts, certificates, f"{number} of {len(self.sizes)} components: nothing is left to explain"
            part = self._next(left, min(k, left.n_features), U, span)
            if part is None:
                return parts, certificates, f"{number} of {len(self.sizes)} components: no further one keeps the angle"
            if self.effort is not None and not self.watch.stop():
                certificates.append(self._certified(left, part, span))
            x = np.zeros(self.cov.n_features)
            x[places] = part.loadings
            x.setflags(write=False)
            part = replace(part, loadings=x, variance=self.cov.variance(x), k=k)
            parts.append(part)
            U = np.column_stack([U, x])
            if self.on_part is not None:
                self.on_part(part)
        return parts, certificates, ""

    def _left(self, U: np.ndarray) -> tuple[Covariance | None, np.ndarray]:
        """What the next component is sought on, and the features it has; None where nothing is left."""
        every = np.arange(self.cov.n_features)
        if not U.shape[1]:
            return self.cov, every
        if self.deflation == "disjoint":
            every = np.flatnonzero(~U.any(axis=1))
            if not len(every):
                return None, every
        left = deflate(self.cov, U, self.deflation)
        return (left if left.trace > EXHAUSTED * self.cov.trace else None), every

    def _next(self, left: Covariance, k: int, U: np.ndarray, span: Watch) -> Component | None:
        if self.deflation == "quasi-orthogonal" and U.shape[1]:
            with one_blas_thread():
                return quasi_orthogonal(
                    left,
                    k,
                    U,
                    nonnegative=self.nonnegative,
                    min_angle=self.min_angle,
                    rng=np.random.default_rng(self.seed),
                    watch=span,
                )
        options = self.options
        if "rank" in options and isinstance(options["rank"], int):
            options = options | {"rank": min(options["rank"], left.n_features)}
        return solve(
            left,
            k,
            self.info.name,
            nonnegative=self.nonnegative,
            seed=self.seed,
            should_stop=self.watch.stop,
            on_progress=lambda p: span.tell(p.fraction, p.stage, p.variance, p.upper),
            **options,
        )

    def _certified(self, left: Covariance, part: Component, span: Watch) -> Certificate:
        """The component's certificate on what it was sought on."""
        return certify_one(
            left,
            part.k,
            nonnegative=self.nonnegative,
            effort=self.effort or "live",
            component=part if self.info.feasible else None,
            seed=self.seed,
            should_stop=self.watch.stop,
            on_progress=lambda p: span.tell(p.fraction, p.stage, p.variance, p.upper),
        )


def _check_count(n_components: object, n: int) -> int:
    if isinstance(n_components, bool) or not isinstance(n_components, int | np.integer) or not 1 <= n_components <= n:
        raise ValueError(f"n_components={n_components!r} is not allowed; give a whole number from 1 to {n}")
    return int(n_components)


def _check_sizes(cov: Covariance, k: int | Sequence[int], count: int) -> list[int]:
    """One cardinality for each component."""
    if isinstance(k, int | np.integer | bool):
        return [check_cardinality(cov, k)] * count
    sizes = [check_cardinality(cov, each) for each in k]
    if len(sizes) != count:
        raise ValueError(f"k has {len(sizes)} values; give one whole number, or {count}, one for each component")
    return sizes


def _check_deflation(deflation: str) -> None:
    if deflation not in DEFLATIONS:
        raise ValueError(f"deflation={deflation!r} is not known; give one of {', '.join(map(repr, DEFLATIONS))}")


def _check_choices(info: MethodInfo, deflation: str, certify: str | None, min_angle: float, sizes: list[int]) -> None:
    _check_deflation(deflation)
    if deflation == "joint" and not info.multi:
        raise ValueError(f"method {info.name!r} finds one component at a time; give another deflation than 'joint'")
    if deflation == "joint" and (certify is not None or len(set(sizes)) > 1):
        raise ValueError("deflation 'joint' takes one k for all components, and no certify: they were not sought alone")
    if deflation == "quasi-orthogonal" and certify is not None:
        raise ValueError("components with a least angle have no certificate: the angle is a constraint no bound knows")
    if certify is not None and certify not in EFFORTS:
        raise ValueError(f"certify={certify!r} is not allowed; give {', '.join(map(repr, EFFORTS))} or None")
    if isinstance(min_angle, bool) or not isinstance(min_angle, int | float) or not 0 <= min_angle <= 90:
        raise ValueError(f"min_angle={min_angle!r} is not allowed; give degrees from 0 to 90")
