"""Entry point of the joint bounds: the total variance of r parts, and a proven upper bound on that of any r parts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nnspca.bounds.plan import PLANS
from nnspca.certificates.judge import judged, validated
from nnspca.certificates.proofs import PairProof
from nnspca.certificates.starts import starts_of
from nnspca.components._decompose import SEEKING, check_count, decompose
from nnspca.components._deflate import deflated_problem
from nnspca.components.bounding import bound_parts
from nnspca.control.arguments import (
    Effort,
    Seed,
    check_callables,
    check_choice,
    check_flag,
    check_instance,
    check_share,
    shown,
)
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.covariance.restriction import Features
from nnspca.machines import HERE, Executor, Workers
from nnspca.result import Certificate, Component, Components, OnProgress, PartsCertificate, ShouldStop
from nnspca.solvers.registry import METHODS
from nnspca.tasks._certify import certify as certify_one
from nnspca.tasks._certify import within
from nnspca.tasks._solve import check_cardinality, check_covariance, check_seed
from nnspca.tasks.excluding import excluding

STARTS = {"live": 20, "thorough": 100}  # number of starts of the search for parts


@excluding
def certify_parts(
    cov: Covariance,
    n_components: int,
    k: int,
    parts: Components | Sequence[Component] | None = None,
    *,
    nonnegative: bool = True,
    effort: Effort = "live",
    gap: float | None = None,
    time_limit: float | None = None,
    seed: Seed = 0,
    warm_start: PartsCertificate | None = None,
    exclude: Features = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> PartsCertificate:
    """Bound the largest total variance of r parts with disjoint supports from both sides.

    The problem: over unit vectors x_1 … x_r with at most k nonzeros each and no feature in common
    (for nonnegative vectors the same as orthogonal), maximise the sum of variances Σ_c x_c'Ax_c.
    Parts found one after another usually have a smaller sum, and their separate certificates do not bound
    the loss.

    Parameters
    ----------
    cov : Covariance
        Of n features.
    n_components : int
        r, 1 <= r <= n.
    k : int
        1 <= k <= n.
    parts : Components or sequence of Component, optional
        Parts already found; ``decompose(cov, r, k, deflation="together")`` is run when None.
    effort : {"live", "thorough"}
        ``"live"``: a few seconds; ``"thorough"``: minutes, while the bounds still improve.
    gap, time_limit : float, optional
        As for :func:`nnspca.certify`: a live certificate, then a thorough one, until 1 − ratio is at most ``gap`` or
        ``time_limit`` seconds are over.
    warm_start : PartsCertificate, optional
        Certificate of the same covariance at a neighbouring k or number of parts, whose multipliers
        start the joint dual. At the same k and number its bound is derived again and kept, its parts too unless
        some are given.
    exclude
        Features that no part may use, as for :func:`nnspca.solve`; the certificate says so in its field of this name.
    nonnegative, seed, should_stop, on_progress
        As for :func:`nnspca.solve`, with the sum of variances. A stopped call returns the bounds computed so far, all
        of them valid.

    Returns
    -------
    PartsCertificate
        ``lower`` is attained by its ``parts``; no r such parts exceed ``upper``, rounding included.

    Raises
    ------
    ValueError
        A number not allowed, or parts that are not feasible or not disjoint; the message says why.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    >>> cert = nnspca.certify_parts(cov, 2, k=2)
    >>> round(cert.lower, 3), round(cert.upper, 3)
    (4.0, 4.0)
    """
    check_covariance(cov)
    check_callables(should_stop=should_stop, on_progress=on_progress)
    check_choice("effort", effort, PLANS)
    gap = None if gap is None else check_share("gap", gap)
    if warm_start is not None:
        check_instance("warm_start", warm_start, PartsCertificate, "a result of nnspca.certify_parts")
    count, k = check_count(n_components, cov.n_features), check_cardinality(cov, k)
    nonnegative, seed = check_flag("nonnegative", nonnegative), check_seed(seed)
    start = _start(warm_start, cov, nonnegative)
    started = time.perf_counter()
    should_stop, on_progress = within(time_limit, should_stop, on_progress)
    monitor, problem = Monitor(should_stop, on_progress), Problem(cov, k, nonnegative)
    are_given = parts is not None
    resumed = warm_start if warm_start is not None and (warm_start.k, warm_start.n_components) == (k, count) else None
    kept = None if parts is not None or resumed is None else resumed.parts
    if kept is not None and len(kept) == count and not any(part.stopped for part in kept):
        parts = kept
    if parts is None:  # also where a search was ended
        found = decompose(
            cov,
            count,
            k,
            deflation="together",
            nonnegative=nonnegative,
            seed=seed,
            starts=STARTS[effort],
            should_stop=should_stop,
            on_progress=monitor.part(0.0, SEEKING).relay,
        ).parts
        parts = max(kept or (), found, key=lambda group: sum(part.variance for part in group))
    further = effort == "live" and not (gap is None and time_limit is None)
    certificate = bound_parts(
        problem,
        count,
        _checked(problem, count, parts),
        efforts=("live", "thorough") if further else (effort,),
        gap=gap or 0.0,
        monitor=monitor.part(SEEKING, 1.0),
        start=start,
        before=None if resumed is None else judged(resumed, problem, count),
        fixed=are_given,
    )
    return replace(certificate, seconds=time.perf_counter() - started)


def certify_found(
    cov: Covariance,
    parts: Components,
    together: bool,
    *,
    effort: Effort = "live",
    seed: Seed = 0,
    executor: Executor = HERE,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> tuple[Certificate, ...] | PartsCertificate | None:
    """Certify the components of a decomposition: each on what those before it left, or all of them together.

    Those that were not each sought as the best one have no certificate of their own, and those that may overlap, or
    have different k, none together.
    """
    info, sizes = METHODS[parts.method], {part.k for part in parts}
    settings: dict[str, Any] = {"nonnegative": parts.nonnegative, "effort": effort, "seed": seed}
    if together:
        disjoint = parts.deflation in ("together", "disjoint") and info.feasible
        if not disjoint or len(sizes) > 1:
            return None
        told: dict[str, Any] = {"should_stop": should_stop, "on_progress": on_progress}
        settings["exclude"] = parts.exclude or None
        return certify_parts(cov, len(parts), sizes.pop(), parts, **settings, **told)
    count = {"together": 0, "joint": 0, "quasi-orthogonal": 1}.get(parts.deflation, len(parts)) * info.feasible
    monitor, made = Monitor(should_stop, on_progress), {}
    with Workers(executor, (cov, parts), monitor) as workers:
        for r, certificate in workers.each(_certified, ((r, settings) for r in range(count))):
            made[r] = certificate
            monitor.tell(len(made) / count, f"component {r + 1} of {count}", certificate.lower, certificate.upper)
    return tuple(made[r] for r in sorted(made))


def _certified(
    shared: tuple[Covariance, Components], r: int, settings: dict[str, Any], poll: ShouldStop | None
) -> Certificate:
    """On a worker: the certificate of one component."""
    left, part = deflated_problem(*shared, r)
    ins, out = shared[1].include, shared[1].exclude
    places = tuple(i - sum(j < i for j in out) for i in ins)  # of one component: nothing else is left out
    return certify_one(left, part.k, component=part, should_stop=poll, include=places, **settings)


def _checked(problem: Problem, count: int, parts: Components | Sequence[Component]) -> tuple[Component, ...]:
    """The parts with their variances on this problem, after checking that they are feasible and share no feature."""
    if not isinstance(parts, Components | list | tuple):
        raise TypeError(
            f"parts={shown(parts)} is not allowed; give the result of nnspca.decompose, or a list of Component"
        )
    chosen = parts.parts if isinstance(parts, Components) else tuple(parts)
    for part in chosen:
        check_instance("a part", part, Component, "a result of nnspca.solve")
    if not 1 <= len(chosen) <= count:
        raise ValueError(f"{len(chosen)} parts are given; give 1 to n_components={count}")
    chosen = tuple(
        replace(validated(part, f"part {place}", problem), features=problem.cov.features)
        for place, part in enumerate(chosen, start=1)
    )
    used = np.zeros(problem.n, dtype=bool)
    for place, part in enumerate(chosen, start=1):
        shared = np.flatnonzero(used & (part.loadings != 0))
        if len(shared):
            raise ValueError(
                f"part {place} shares feature {shared[0]} with an earlier part; parts must be disjoint, as they are "
                "with deflation 'together' or 'disjoint'"
            )
        used |= part.loadings != 0
    return chosen


def _start(warm_start: PartsCertificate | None, cov: Covariance, nonnegative: bool) -> PairProof | None:
    """The multipliers of a certificate for all the features."""
    if warm_start is None:
        return None
    if (warm_start.fingerprint, warm_start.nonnegative, warm_start.exclude) != (cov.fingerprint, nonnegative, ()):
        raise ValueError("warm_start must be a certificate of this covariance, sign constraint and exclude")
    return next(starts_of(warm_start.bounds, cov), None)
