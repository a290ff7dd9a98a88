"""Curves over the number of parts: those of fewer come first, as starts for more; then the bounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from nnspca.bounds.plan import PLANS
from nnspca.components._certify import certify_parts
from nnspca.components._decompose import decompose
from nnspca.components.together import improved
from nnspca.control.arguments import Effort, Seed, check_choice, check_flag, check_one_or_several, check_whole
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, SomeFeatures, cumulative_variance
from nnspca.machines import HERE, Executor, TaskArguments, Workers, asked, check_executor
from nnspca.result import Components, OnProgress, PartsPoint, PartsSweep, ShouldStop
from nnspca.tasks._excluding import excluding
from nnspca.tasks._rounds import as_components
from nnspca.tasks._solve import check_cardinality, check_seed, monitor_of
from nnspca.tasks._sweep import Curve

OnPoint = Callable[[PartsPoint], None]


@excluding
def sweep_parts(
    cov: Covariance,
    n_components: int | Iterable[int],
    k: int,
    *,
    nonnegative: bool = True,
    certify: Effort | None = "live",
    seed: Seed = 0,
    exclude: SomeFeatures = None,
    executor: Executor = None,
    on_point: OnPoint | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> PartsSweep:
    """Find and certify parts for every number of parts.

    Fewer come first: their parts are starts for the next. Then each point is certified, from the multipliers of the
    certificate before.

    Parameters
    ----------
    cov : Covariance
    n_components : int or iterable of int
        Duplicates are solved once.
    k : int
        1 <= k <= n.
    certify, on_point, nonnegative, seed, should_stop, on_progress
        As for :func:`nnspca.sweep`, with points that are :class:`PartsPoint`.
    exclude
        Features that no part may use, as for :func:`nnspca.solve`.
    executor
        As for :func:`nnspca.sweep`; all in this thread when None. The searches of all points run at once.

    Returns
    -------
    PartsSweep

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix(np.diag([4.0, 3.0, 2.0, 1.0]))
    >>> [(row["n_components"], row["together"]) for row in sweep_parts(cov, [1, 2, 3], 2).to_records()]
    [(1, 4.0), (2, 7.0), (3, 9.0)]
    """
    monitor, started = monitor_of(cov, should_stop, on_progress, on_point=on_point), time.perf_counter()
    nonnegative, seed = check_flag("nonnegative", nonnegative), check_seed(seed)
    given, most = check_one_or_several("n_components", n_components), cov.n_features
    counts = sorted({check_whole("n_components", r, 1, most) for r in given})
    k = check_cardinality(cov, k)
    if not counts:
        raise ValueError("a sweep needs at least one number of parts; got none")
    check_choice("certify", certify, PLANS, none=True)
    check_executor(executor)
    problem = Problem(cov, k, nonnegative)
    before: dict[int, Any] = dict(zip(counts, [None, *counts], strict=False))  # the next fewer parts
    curve = Curve(on_point, monitor, len(counts) * (1 + (certify is not None)))
    points, proven = curve.points, curve.certificates

    def task_of(r: int) -> TaskArguments:
        settings = {"nonnegative": nonnegative, "effort": certify, "warm_start": proven.get(before[r])}
        return certify_parts, (r, k, points[r, "together"].together), settings

    with Workers(HERE if executor is None else executor, cov, monitor) as workers:
        found: dict[int, tuple[Components, Components]] = {}
        for number, parts in workers.each(_seek, ((r, k, nonnegative, seed) for r in counts)):
            found[number] = parts
            while (place := len(points)) in found:  # in order: all before are starts
                point = _improved(problem, counts[place], *found[place], list(points.values()), monitor)
                curve.put((counts[place], "together"), point)
        proving = counts if certify is not None and len(points) == len(counts) else []
        for r, certificate in workers.when_ready(
            asked, proving, workers.ahead, lambda r: before[r] is None or before[r] in proven, task_of
        ):
            curve.certify(r, certificate)
    ordered = tuple(points.values())
    stopped = len(ordered) < len(counts) or any(p.together.stopped for p in ordered) or monitor.stop()
    return PartsSweep(ordered, cov.trace, nonnegative, stopped, time.perf_counter() - started)


def _seek(
    cov: Covariance, r: int, k: int, nonnegative: bool, seed: int, poll: ShouldStop | None
) -> tuple[Components, Components]:
    """On a worker: the parts of one point found one by one, and those found together."""
    options: dict[str, Any] = {"nonnegative": nonnegative, "seed": seed, "should_stop": poll}
    one_by_one, together = (decompose(cov, r, k, deflation=how, **options) for how in ("disjoint", "together"))
    return one_by_one, together


def _improved(
    problem: Problem, r: int, greedy: Components, joint: Components, before: list[PartsPoint], span: Monitor
) -> PartsPoint:
    """The point with both, the joint parts improved from those of earlier points."""
    for point in before:
        X, value = improved(problem, point.together.padded(r), monitor=span)
        if value > joint.variances.sum():
            parts = as_components(problem.cov, X, joint.parts[0])
            explained = cumulative_variance(problem.cov, np.column_stack([part.loadings for part in parts]))
            history = (*joint.history, float(explained[-1]))
            joint = replace(joint, parts=parts, cumulative_variance=explained, history=history)
    return PartsPoint(r, problem.k, greedy, joint)
