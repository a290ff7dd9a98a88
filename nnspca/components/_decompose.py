"""Entry point for several components: find one, deflate the covariance, find the next; or find all of them jointly."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from nnspca.bounds.plan import PLANS
from nnspca.components._certificates import bound_parts, certify_each
from nnspca.components._deflate import DEFLATIONS, check_deflation, deflate
from nnspca.components.together import find_parts
from nnspca.control.arguments import (
    Deflation,
    Effort,
    Method,
    Options,
    Seed,
    check_choice,
    check_number,
    check_whole,
    shown,
)
from nnspca.control.progress import Monitor
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, SomeFeatures, check_restriction, on_all, with_joint_variance
from nnspca.machines import HERE, Executor, Workers, check_executor
from nnspca.numerics.doubles import read_only
from nnspca.result import Component, Components, OnProgress, Progress, ShouldStop
from nnspca.solvers.em import quasi_orthogonal
from nnspca.solvers.registry import METHODS, MethodInfo
from nnspca.tasks._excluding import excluding
from nnspca.tasks._rounds import EXHAUSTED, Request, as_components
from nnspca.tasks._solve import (
    check_cardinality,
    check_includes,
    check_method,
    check_seed,
    check_size,
    check_sizes,
    monitor_of,
    solve,
)

GREEDY = 0.3  # share of a joint search's progress for finding parts one by one first
SEEKING = 0.4  # share of the progress for finding parts, if they are certified too
ANGLE = 85.0  # degrees, the least angle if none is given
OF_EM = ("restarts", "max_iter", "tol")  # options of EM that also apply to the later components of "quasi-orthogonal"


@excluding
def decompose(
    cov: Covariance,
    n_components: int,
    k: int | Sequence[int],
    method: Method = "best",
    *,
    deflation: Deflation = "disjoint",
    nonnegative: bool = True,
    seed: Seed = 0,
    certify: Effort | None = None,
    min_angle: float | None = None,
    starts: int = 20,
    include: SomeFeatures = None,
    exclude: SomeFeatures = None,
    executor: Executor = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    **options: Unpack[Options],
) -> Components:
    """Find several components.

    Parameters
    ----------
    cov : Covariance
        Of n features.
    n_components : int
        1 <= r <= n. Fewer are returned, with a note, when no feature or no variance is left.
    k : int or sequence of r int
        Largest number of nonzero loadings of each component; with "disjoint", at most the unused features.
    method : str
        A key of ``nnspca.METHODS``. With "quasi-orthogonal" it finds the first component and EM the
        others; with "together" it finds the first parts of the joint search.
    deflation : str
        A key of ``nnspca.DEFLATIONS``. Parts sought "together" are never worse than "disjoint" ones of the same seed.
    certify : {"live", "thorough"} or None
        Certify each component on the covariance on which it was found (:func:`nnspca.deflate` returns it,
        for :func:`nnspca.verify`); with "together", all of them jointly (:func:`nnspca.certify_parts`).
    min_angle : float, optional
        Least angle between components in degrees, 0 to 90, for "quasi-orthogonal" only; 85 by default.
    starts : int
        Number of further starts of the search for parts "together", 0 to 10000.
    include, exclude
        Features that the component reserves a place for (with ``n_components=1`` only: of several it would not say
        which has them), and that none may use, as for :func:`nnspca.solve`. Certificates are then of the covariance of
        the other features: ``nnspca.deflate(cov.restrict(left), …)``.
    executor
        Runs the starts for parts "together", or with ``certify`` the proofs of components that were sought one by one,
        as for :func:`nnspca.sweep`; all in this thread when None. Refused where there is neither.
    nonnegative, seed, should_stop, on_progress
        As for :func:`nnspca.solve`; the variance in :class:`nnspca.result.Progress` is that on the covariance of the
        current component. A stopped call returns the components found so far, at least one.
    **options
        Those of the method.

    Returns
    -------
    Components
        Variances are on ``cov``; variance that overlapping components share is counted once. The
        history of a component refers to its own covariance.

    Raises
    ------
    TypeError
        ``cov`` is not a Covariance, or a callback is not callable.
    ValueError
        A value not allowed; the message says which are.

    Examples
    --------
    >>> cov = Covariance.from_matrix(np.diag([4.0, 3.0, 2.0, 1.0]) + 0.5)
    >>> parts = decompose(cov, n_components=2, k=2)
    >>> parts.cardinalities, round(parts.overlap, 12)
    (array([2, 2]), 0.0)
    """
    monitor, started = monitor_of(cov, should_stop, on_progress), time.perf_counter()
    info, nonnegative = check_method(method, nonnegative), bool(nonnegative)
    check_size(info, cov.n_features)
    count = check_whole("n_components", n_components, 1, cov.n_features)
    sizes = [check_cardinality(cov, each) for each in check_sizes(k, count)]
    angle = check_number("min_angle", ANGLE if min_angle is None else min_angle, 0, 90, "degrees")
    starts = check_whole("starts", starts, 0, 10_000)
    check_choices(info, deflation, certify, sizes)
    if min_angle is not None and deflation != "quasi-orthogonal":
        raise ValueError(f"min_angle={angle:g} is for deflation='quasi-orthogonal'; got deflation={deflation!r}")
    ins = check_included(info, include, cov, sizes, deflation)
    check_executor(executor)
    if executor is not None and deflation != "together" and certify is None:
        raise ValueError(
            f"executor={shown(executor)} would do nothing: components are sought one after the other with "
            f"deflation={deflation!r}; give deflation='together', certify='live', or no executor"
        )
    where = HERE if executor is None else executor
    checked = info.checked(options, decompose, joint=deflation == "joint")
    seeking, seed = monitor.part(0.0, 1.0 if certify is None else SEEKING), check_seed(seed)
    run = _Decomposition(cov, sizes, info, deflation, nonnegative, seed, angle, {**options}, checked, seeking, ins)
    with one_blas_thread():
        if deflation == "together":
            result = run.together(starts, where)
        else:
            result = run.jointly() if deflation == "joint" else run.one_by_one()
    if certify is not None:
        proving = monitor.part(SEEKING, 1.0)
        if deflation == "together":
            problem = Problem(cov, sizes[0], nonnegative)
            certificate = bound_parts(problem, count, result.parts, Request(certify, proving))
            result = replace(result, certificate=certificate, stopped=result.stopped or certificate.stopped)
        else:
            certificates = certify_each(cov, result, effort=certify, seed=run.seed, executor=where, monitor=proving)
            unfinished = len(certificates) < len(result) or any(cert.stopped for cert in certificates)
            result = replace(result, certificates=certificates, stopped=result.stopped or unfinished)
    monitor.tell(1.0, "done")
    described = checked | ({"min_angle": angle} if deflation == "quasi-orthogonal" else {})
    return replace(result, options=described, seconds=time.perf_counter() - started)


@dataclass
class _Decomposition:
    """One decomposition in progress."""

    cov: Covariance
    sizes: list[int]
    info: MethodInfo
    deflation: Deflation
    nonnegative: bool
    seed: int
    min_angle: float
    options: dict[str, Any]
    checked: dict[str, Any]
    monitor: Monitor
    include: tuple[int, ...] = ()

    def jointly(self) -> Components:
        """Find all components at once by the method itself."""
        assert self.info.joint is not None
        result = self.info.joint(
            Problem(self.cov, self.sizes[0], self.nonnegative),
            len(self.sizes),
            rng=np.random.default_rng(self.seed),
            monitor=self.monitor,
            **self.checked,
        )
        return replace(result, parts=tuple(replace(part, features=self.cov.features) for part in result))

    def _found(self, parts: tuple[Component, ...], **more: Any) -> Components:
        more["include"] = self.include
        return with_joint_variance(self.cov, parts, self.info.name, self.deflation, self.nonnegative, **more)

    def together(self, starts: int, executor: Executor) -> Components:
        """Find parts one by one, and improve them jointly from there."""
        greedy = replace(self, deflation="disjoint", monitor=self.monitor.part(0.0, GREEDY)).one_by_one()
        template = replace(greedy.parts[0], seconds=0.0, history=(), note="")

        seeking = self.monitor.part(GREEDY, 1.0)
        with Workers(executor, self.cov, seeking) as workers:
            X, history = find_parts(
                Problem(self.cov, self.sizes[0], self.nonnegative),
                greedy.padded(len(self.sizes)),
                rng=np.random.default_rng(self.seed),
                monitor=seeking,
                starts=starts,
                workers=workers,
            )
        parts = as_components(self.cov, X, template)
        note = "" if len(parts) == len(self.sizes) else self._exhausted(parts)
        return self._found(parts, history=tuple(history), stopped=self.monitor.stop(), note=note)

    def _exhausted(self, parts: tuple[Component, ...]) -> str:
        """The note on why there are no more components than these."""
        overlapping = not DEFLATIONS[self.deflation].disjoint
        unused = not np.any([part.loadings for part in parts], axis=0).all()
        reason = "nothing is left to explain" if overlapping or unused else "every feature is used"
        return f"{len(parts)} of {len(self.sizes)} components: {reason}"

    def one_by_one(self) -> Components:
        """Find components one by one until all are found, no variance remains, or the call is stopped."""
        parts: tuple[Component, ...] = ()
        note = ""
        for number, k in enumerate(self.sizes):
            found = self._cut_short(number) if parts and self.monitor.stop() else self._next(parts, k)
            if isinstance(found, str):
                note = found
                break
            parts += (found,)
        stopped = any(part.stopped for part in parts) or (bool(note) and self.monitor.stop())
        return self._found(parts, stopped=stopped, note=note)

    def _cut_short(self, number: int) -> str:
        return f"stopped after {number} of {len(self.sizes)} components"

    def _next(self, parts: tuple[Component, ...], k: int) -> Component | str:
        """The component after those found; the reason if there is none."""
        cov, number, count = self.cov, len(parts), len(self.sizes)
        U = np.column_stack([np.zeros((cov.n_features, 0)), *(part.loadings for part in parts)])
        places = np.flatnonzero(~U.any(axis=1)) if self.deflation == "disjoint" else np.arange(cov.n_features)
        remainder = deflate(cov, U, self.deflation) if len(places) else None
        if remainder is None or (parts and remainder.trace <= EXHAUSTED * cov.trace):
            return self._exhausted(parts)
        span = self.monitor.part(number / count, (number + 1) / count)
        part = self._sought(remainder, min(k, remainder.n_features), U, span)
        if part is None:
            angle_note = f"{number} of {count} components: no further one keeps the angle"
            return self._cut_short(number) if self.monitor.stop() else angle_note
        if parts and part.variance <= EXHAUSTED * cov.trace:
            return self._exhausted(parts)
        span.tell(1.0, f"component {number + 1} of {count} found", part.variance)
        x = read_only(on_all(part.loadings, places, cov.n_features))
        return replace(part, loadings=x, variance=cov.variance(x), k=k, features=cov.features)

    def _sought(self, remainder: Covariance, k: int, U: np.ndarray, span: Monitor) -> Component | None:
        number = U.shape[1]
        if self.deflation == "quasi-orthogonal" and number:
            return quasi_orthogonal(
                Problem(remainder, k, self.nonnegative),
                U,
                min_angle=self.min_angle,
                rng=np.random.default_rng(self.seed),
                monitor=span,
                **{name: self.checked[name] for name in OF_EM if self.info.name == "em" and name in self.options},
            )
        options = self.options | {"nonnegative": self.nonnegative, "seed": self.seed, "include": self.include}
        if number and "rank" in self.checked:  # features may be fewer than directions by now
            options |= self.checked | {"rank": min(self.checked["rank"], remainder.n_features)}

        def relay(progress: Progress) -> None:
            title = f"component {number + 1} of {len(self.sizes)}"
            span.tell(progress.fraction, f"{title}: {progress.stage}", progress.variance, progress.upper)

        stop = self.monitor.should_stop
        return solve(remainder, k, self.info.name, should_stop=stop, on_progress=relay, **options)


def check_choices(info: MethodInfo, deflation: str, certify: str | None, sizes: list[int]) -> None:
    """Raise ValueError for a choice that does not go with another."""
    check_deflation(deflation)
    check_choice("certify", certify, PLANS, none=True)
    if deflation == "joint" and not info.multi:
        able = " or ".join(f"method={name!r}" for name, other in METHODS.items() if other.multi)
        raise ValueError(
            f"method {info.name!r} finds one component at a time; give a deflation other than 'joint', or {able}"
        )
    if deflation == "joint" and (certify is not None or len(set(sizes)) > 1):
        raise ValueError("deflation 'joint' takes one k for all components, and no certify: they were not sought alone")
    if deflation == "together" and (not info.feasible or len(set(sizes)) > 1):
        raise ValueError(
            f"deflation 'together' takes one k for all parts, and a method that keeps to it; got k = {sizes} and "
            f"method {info.name!r}"
        )
    if deflation == "quasi-orthogonal" and certify is not None:
        raise ValueError(
            "components with a least angle have no certificate: no bound takes that constraint into account"
        )
    if certify is not None and not info.feasible:
        raise ValueError(f"method {info.name!r} does not keep to k and sign: its components have no certificate")


def check_included(
    info: MethodInfo, include: SomeFeatures, cov: Covariance, sizes: list[int], deflation: str
) -> tuple[int, ...]:
    """Return the places of features to include; ValueError unless one component is sought, by itself."""
    _, ins, _ = check_restriction(cov, sizes[0], include, None)
    check_includes(info, ins)
    if ins and (len(sizes) > 1 or deflation in ("joint", "together")):
        raise ValueError(
            f"include names features of one component; got {len(sizes)} with deflation {deflation!r}: give "
            "n_components=1 and deflation='disjoint'"
        )
    return ins
