"""The total variance of r parts with a proven upper bound on that of any r parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nnspca.certificates.judge import checked
from nnspca.components._certificates import bound_parts, certify_each
from nnspca.components._decompose import SEEKING, decompose
from nnspca.components._deflate import DEFLATIONS
from nnspca.control.arguments import Effort, Seed, check_flag, check_instance, check_whole, shown
from nnspca.control.progress import Monitor
from nnspca.control.stopping import interruptible
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, SomeFeatures, check_restriction, restricted
from nnspca.machines import HERE, Executor
from nnspca.machines.workers import with_executor
from nnspca.result import Certificate, Component, Components, OnProgress, PartsCertificate, ShouldStop
from nnspca.solvers.registry import METHODS
from nnspca.tasks._excluding import Left
from nnspca.tasks._rounds import Request, complete
from nnspca.tasks._solve import check_seed, monitor_of

STARTS = {"live": 20, "thorough": 100}  # number of starts of the search for parts


@interruptible
@with_executor
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
    exclude: SomeFeatures = None,
    executor: Executor = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> PartsCertificate:
    """Bound the largest total variance of r parts with disjoint supports from both sides.

    The problem: over unit vectors x_1 … x_r with at most k nonzeros each and no feature in common (for nonnegative
    vectors the same as orthogonal), maximise the sum of variances Σ_c x_c'Ax_c. Parts found one after another usually
    have a smaller sum, and their separate certificates do not bound the loss.

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
        ``"live"``: a few seconds; ``"thorough"``: the same first, then minutes, while the bounds still improve.
    gap, time_limit : float, optional
        As for :func:`nnspca.certify`.
    warm_start : PartsCertificate, optional
        Certificate of the same covariance at a neighbouring k or number of parts, whose multipliers start the joint
        dual. At the same k and number its bound is derived again and kept, its parts too unless some are given.
    exclude
        Features that no part may use, as for :func:`nnspca.solve`; the certificate says so in its field of this name.
    executor
        As for :func:`nnspca.certify`.
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
    monitor = monitor_of(cov, should_stop, on_progress, time_limit)
    request = Request(effort, monitor.part(SEEKING, 1.0), gap, time_limit is not None)
    k, _, outs = check_restriction(cov, k, None, exclude)
    nonnegative, seed = check_flag("nonnegative", nonnegative), check_seed(seed)
    problem, left = restricted(Problem(cov, k, nonnegative), (), outs)
    count, fixed = check_whole("n_components", n_components, 1, len(left)), parts is not None
    request.take_up(warm_start, PartsCertificate, Problem(cov, k, nonnegative), (), outs, count)
    if parts is None:
        how: dict[str, Any] = {"deflation": "together", "nonnegative": nonnegative, "starts": STARTS[effort]}
        how |= {"seed": seed, "should_stop": monitor.should_stop, "exclude": outs}
        how |= {"on_progress": monitor.part(0.0, SEEKING).relay}
        kept = request.resumed.parts if request.resumed else ()
        parts = complete(kept, count, lambda: decompose(cov, count, k, **how).parts)
    known = _checked(problem, count, parts, left, cov.n_features)
    cert = bound_parts(problem, count, known, request, fixed=fixed)
    return Left(cov, outs, left).widen(cert) if outs else cert


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
    if not together:
        how: dict[str, Any] = {"effort": effort, "seed": check_seed(seed), "executor": executor}
        return certify_each(cov, parts, monitor=Monitor(should_stop, on_progress), **how)
    sizes = {part.k for part in parts}
    disjoint = DEFLATIONS[parts.deflation].disjoint and METHODS[parts.method].feasible
    if not disjoint or len(sizes) > 1:
        return None
    settings: dict[str, Any] = {"nonnegative": parts.nonnegative, "effort": effort, "seed": seed}
    settings |= {"exclude": parts.exclude or None, "should_stop": should_stop, "on_progress": on_progress}
    settings |= {} if executor is HERE else {"executor": executor}
    return certify_parts(cov, len(parts), sizes.pop(), parts, **settings)


def _checked(
    problem: Problem, count: int, parts: Components | Sequence[Component], left: np.ndarray, n: int
) -> tuple[Component, ...]:
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
        replace(checked(part, f"part {place}", problem, left, n), features=problem.cov.features)
        for place, part in enumerate(chosen, start=1)
    )
    twice = np.flatnonzero(np.count_nonzero([part.loadings for part in chosen], axis=0) > 1)
    if len(twice):
        first, second = [place for place, part in enumerate(chosen, start=1) if part.loadings[twice[0]]][:2]
        raise ValueError(
            f"part {second} shares feature {twice[0]} with part {first}; parts must be disjoint, as they are with "
            "deflation 'together' or 'disjoint'"
        )
    return chosen
