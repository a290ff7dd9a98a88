"""Entry point of the bounds: pairs the best feasible point, or parts, with the least proven upper bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nnspca.bounds.certificate import Draft
from nnspca.certificates.judge import checked
from nnspca.control.arguments import Effort, Seed, check_flag, check_instance
from nnspca.control.stopping import interruptible
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, SomeFeatures, check_restriction, restricted
from nnspca.machines.workers import Executor, with_executor
from nnspca.result import Certificate, Component, OnProgress, ShouldStop
from nnspca.solvers.limited import Groups, check_limits
from nnspca.tasks._excluding import Left
from nnspca.tasks._rounds import Request, complete, narrow, near_support
from nnspca.tasks._solve import check_seed, monitor_of, solve

SOLVING = 0.3  # share of the progress that finding a component takes


@interruptible
@with_executor
def certify(
    cov: Covariance,
    k: int,
    *,
    nonnegative: bool = True,
    effort: Effort = "live",
    gap: float | None = None,
    time_limit: float | None = None,
    component: Component | None = None,
    seed: Seed = 0,
    warm_start: Certificate | None = None,
    include: SomeFeatures = None,
    exclude: SomeFeatures = None,
    groups: Groups | None = None,
    max_loading: float | None = None,
    executor: Executor = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Certificate:
    """Bound the unknown optimum between a feasible variance and a proven upper bound.

    Parameters
    ----------
    cov : Covariance
        Of n features.
    k : int
        1 <= k <= n.
    effort : {"live", "thorough"}
        "live" does the work of about 3 s of one processor up to a thousand features, and of 6 s beyond: half a second
        more at most once the gap is below .1 %. "thorough" does the same first, and then goes on for as long as the
        bounds still gain: minutes. Work is counted, not timed, so that every machine proves the same.
    gap, time_limit : float, optional
        With either, work goes on beyond a live certificate, in the same order, until 1 − ratio is at most ``gap``
        (0 <= gap < 1), or ``time_limit`` seconds are over: within a quarter of a second, or one step where that is
        longer. With a time limit, what is proven depends on the machine, and a thorough certificate is followed by
        rounds of twice the work each, until one gains nothing. ``math.inf`` is allowed: until then, or
        ``should_stop``. The certificate's ``effort`` says how far it came; ``stopped`` is true if time ended it.
    component : Component, optional
        A feasible point already found; ``solve(cov, k)`` is run when None.
    warm_start : Certificate, optional
        Of the same covariance at this k: its least bound is derived again and kept, its component too unless one is
        given, and work goes on behind what it did. At a neighbouring k the pair-scaled dual starts from its
        multipliers, unless the ratio of the two k exceeds 1.25.
    include, exclude : sequence of int or str, or mask of shape (n,), optional
        Features by place or name, as for :func:`nnspca.solve`: the certificate is of that problem,
        and says so in its fields of these names. Bounds by pairs and by cases count the places of
        what is included; the others hold without it, and are larger than need be.
    groups, max_loading
        As for :func:`nnspca.solve`: limits that the component keeps. No proof is known that uses them: the upper bound
        is that without them, which holds with them as well, and the gap has their cost in it. The ``note`` of the
        component says so.
    executor
        One of its workers makes the call, as for :func:`nnspca.sweep`; a cluster tells no progress. The answer is the
        same. Here when None.
    nonnegative, seed, should_stop, on_progress
        As for :func:`nnspca.solve`. A stopped call returns the bounds it has, all of them valid; so does one stopped by
        Ctrl-C at a prompt or in a notebook.

    Returns
    -------
    Certificate
        ``lower`` is attained by its ``component``: the one given, else the best that solver and
        branch and bound met; no feasible variance exceeds ``upper``, rounding included.

    Raises
    ------
    TypeError
        No covariance, but data or a matrix; a component or certificate that is none.
    ValueError
        k, effort, gap, time limit, features to include or exclude not allowed, or a component that is not
        feasible here; the message says why.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    >>> cert = nnspca.certify(cov, k=2)
    >>> round(cert.lower, 6), round(cert.upper, 6)
    (3.0, 3.0)
    >>> cert = nnspca.certify(cov, k=2, exclude=[1])
    >>> round(cert.lower, 6), round(cert.upper, 6), cert.exclude
    (2.0, 2.0, (1,))
    >>> cert = nnspca.certify(cov, k=2, gap=0.001, time_limit=10, warm_start=nnspca.certify(cov, k=2, gap=0.5))
    >>> cert.gap <= 0.001
    True
    """
    monitor = monitor_of(cov, should_stop, on_progress, time_limit)
    k, ins, outs = check_restriction(cov, k, include, exclude)
    nonnegative, seed = check_flag("nonnegative", nonnegative), check_seed(seed)
    if component is not None:
        check_instance("component", component, Component, "one that nnspca.solve gave")
    request = Request(effort, monitor.part(SOLVING, 1.0), gap, time_limit is not None)
    problem, left = restricted(Problem(cov, k, nonnegative), ins, outs)
    request.take_up(warm_start, Certificate, Problem(cov, k, nonnegative), ins, outs)
    limits = check_limits(cov, left, k, nonnegative, groups, max_loading)
    best = component
    if best is None:
        kept = None if request.resumed is None or limits is not None else request.resumed.component
        how: dict[str, Any] = {"nonnegative": nonnegative, "seed": seed, "should_stop": monitor.should_stop}
        how |= {"include": ins, "exclude": outs, "groups": groups, "max_loading": max_loading}
        how |= {"start": kept and kept.loadings, "on_progress": monitor.part(0.0, SOLVING).relay}
        (best,) = complete((kept,) if kept else (), 1, lambda: (solve(cov, k, **how),))
    best = replace(checked(best, "component", problem, left, cov.n_features), features=cov.features)
    if limits is not None and (reason := limits.amiss(best.loadings)):
        raise ValueError(f"the component is not within the limits: {reason}")
    near = near_support(problem, best) if component is None and limits is None else None
    known = Draft(parts=(best,), start=request.start, near=near)
    facts = narrow(problem, known, request)
    leading = min(bound.value for bound in known.bounds.values() if bound.holds_everywhere)
    cert = Certificate(component=known.parts[0], leading=leading, **facts)
    return replace(Left(cov, outs, left).widen(cert), include=ins) if ins or outs else cert
