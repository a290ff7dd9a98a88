"""Curves of parts: coarse k first, then those between, then the proven band; for each k one part, then more."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from nnspca.bounds.plan import PLANS
from nnspca.certificates.proofs import CarriedProof
from nnspca.components._certify import certify_parts
from nnspca.components._decompose import decompose
from nnspca.components.checks import check_count
from nnspca.components.together import components, improved
from nnspca.control.arguments import Effort, Seed, check_callables, check_choice, check_flag, check_one_or_several
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.covariance.restriction import Features
from nnspca.covariance.span import cumulative_variance
from nnspca.machines import HERE, Executor, TaskArguments, Workers, check_executor
from nnspca.result import Bound, Components, OnProgress, PartsCertificate, PartsPoint, PartsSweep, ShouldStop
from nnspca.tasks._solve import check_cardinality, check_covariance, check_seed
from nnspca.tasks._sweep import coarse_first, neighbours
from nnspca.tasks.excluding import excluding

OnPoint = Callable[[PartsPoint], None]
Place = tuple[int, int]  # of a point: its k and number of parts


@excluding
def sweep_parts(
    cov: Covariance,
    n_components: int | Iterable[int],
    k: int | Iterable[int],
    *,
    nonnegative: bool = True,
    certify: Effort | None = "live",
    seed: Seed = 0,
    exclude: Features = None,
    executor: Executor = None,
    on_point: OnPoint | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> PartsSweep:
    """Find and certify parts for every number of parts and every k.

    The smallest and the largest k come first, then those between, and for each k the numbers of parts increase: parts
    found for fewer parts, and at the nearest k before, are starts for the next. Then each point is certified; each
    certificate starts from the multipliers of the previous one, and an upper bound at one k holds at every smaller k.

    Parameters
    ----------
    cov : Covariance
    n_components, k : int or iterable of int
        Duplicates are solved once.
    certify, on_point, nonnegative, seed, should_stop, on_progress
        As for :func:`nnspca.sweep`, with points that are :class:`PartsPoint`.
    exclude
        Features that no part may use, as for :func:`nnspca.solve`.
    executor
        As for :func:`nnspca.sweep`; all in this thread when None. The searches of all points run at once, and one chain
        of certificates for each k.

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
    check_covariance(cov)
    check_callables(on_point=on_point, should_stop=should_stop, on_progress=on_progress)
    nonnegative, seed = check_flag("nonnegative", nonnegative), check_seed(seed)
    counts = sorted({check_count(r, cov.n_features) for r in check_one_or_several("n_components", n_components)})
    sizes = sorted({check_cardinality(cov, each) for each in check_one_or_several("k", k)})
    if not counts or not sizes:
        raise ValueError(f"a sweep needs at least one number of parts and one k; got {counts} and {sizes}")
    check_choice("certify", certify, PLANS, none=True)
    check_executor(executor)
    started, monitor = time.perf_counter(), Monitor(should_stop, on_progress)
    near = neighbours(coarse_first(sizes))
    order = [(each, r) for each in near for r in counts]
    fewer = {r: counts[:place] for place, r in enumerate(counts)}
    total = len(order) * (1 + (certify is not None))
    points: dict[Place, PartsPoint] = {}
    proven: dict[Place, PartsCertificate] = {}

    def put(point: PartsPoint) -> None:
        points[point.k, point.n_components] = point
        if on_point is not None:
            on_point(point)
        done = len(points) + len(proven)
        monitor.tell(done / total, f"{done} of {total}")

    def warm_start(at: Place) -> Place | None:
        """The point whose certificate another one's begins from: fewer parts, or else the nearest k before."""
        k, r = at
        return (k, fewer[r][-1]) if fewer[r] else next(((other, r) for other in near[k]), None)

    def begin(at: Place) -> TaskArguments:
        start = warm_start(at)
        return points[at], certify, nonnegative, None if start is None else proven[start]

    with Workers(HERE if executor is None else executor, cov, monitor) as workers:
        found: dict[Place, tuple[Components, Components]] = {}
        for number, parts in workers.each(_seek, ((r, each, nonnegative, seed) for each, r in order)):
            found[order[number]] = parts
            for each, r in order[len(points) :]:  # in order: all before are starts
                if (each, r) not in found:
                    break
                starts = [points[each, few] for few in fewer[r]] + [points[other, r] for other in near[each]]
                put(_improved(Problem(cov, each, nonnegative), r, *found[each, r], starts, monitor))
        for each, r in sorted(points):  # what was found at a smaller k may be better by now
            starts = [point for (other, few), point in points.items() if other < each and few == r]
            if max((_value(point) for point in starts), default=0.0) > _value(points[each, r]):
                parts = points[each, r].greedy, points[each, r].together
                put(_improved(Problem(cov, each, nonnegative), r, *parts, starts, monitor))
        proving = order if certify is not None and len(points) == len(order) else []
        for at, certificate in workers.when_ready(
            _prove, proving, workers.ahead, lambda at: warm_start(at) is None or warm_start(at) in proven, begin
        ):
            proven[at] = certificate
            put(replace(points[at], certificate=certificate))
    for point in _carried(points):
        put(point)
    ordered = tuple(points[at] for at in sorted(points))
    stopped = len(ordered) < len(order) or any(p.together.stopped for p in ordered) or monitor.stop()
    return PartsSweep(ordered, cov.trace, nonnegative, stopped, time.perf_counter() - started)


def _value(point: PartsPoint) -> float:
    return float(point.together.variances.sum())


def _carried(points: dict[Place, PartsPoint]) -> Iterator[PartsPoint]:
    """Points with the upper bound of a larger k, where that is less: the optimum does not decrease with k."""
    least: dict[int, PartsCertificate] = {}
    for (_, r), point in sorted(points.items(), reverse=True):
        certificate = point.certificate
        if certificate is None:
            continue
        if r not in least or certificate.upper <= least[r].upper:
            least[r] = certificate
            continue
        larger, winner = least[r].k, least[r].winner
        detail = f"It is an upper bound at k = {larger}, which allows all parts of {certificate.k} features."
        proof = CarriedProof(larger, winner.ingredients)
        bound = Bound("larger-k", winner.value, detail=detail, ingredients=proof)
        bounds = (*certificate.bounds, bound)
        yield replace(point, certificate=replace(certificate, upper=bound.value, bounds=bounds))


def _seek(
    cov: Covariance, r: int, k: int, nonnegative: bool, seed: int, poll: ShouldStop | None
) -> tuple[Components, Components]:
    """On a worker: the parts of one point found one by one, and those found together."""
    options: dict[str, Any] = {"nonnegative": nonnegative, "seed": seed, "should_stop": poll}
    one_by_one, together = (decompose(cov, r, k, deflation=how, **options) for how in ("disjoint", "together"))
    return one_by_one, together


def _prove(
    cov: Covariance,
    point: PartsPoint,
    effort: str,
    nonnegative: bool,
    warm_start: PartsCertificate | None,
    poll: ShouldStop | None,
) -> PartsCertificate:
    """On a worker: one certificate."""
    settings: dict[str, Any] = {"nonnegative": nonnegative, "effort": effort, "should_stop": poll}
    return certify_parts(cov, point.n_components, point.k, point.together, warm_start=warm_start, **settings)


def _improved(
    problem: Problem, r: int, greedy: Components, joint: Components, before: list[PartsPoint], span: Monitor
) -> PartsPoint:
    """The point with both, the joint parts improved from those of earlier points."""
    for point in before:
        X, value = improved(problem, point.together.padded(r), monitor=span)
        if value > joint.variances.sum():
            parts = components(problem.cov, X, joint.parts[0])
            explained = cumulative_variance(problem.cov, np.column_stack([part.loadings for part in parts]))
            history = (*joint.history, float(explained[-1]))
            joint = replace(joint, parts=parts, cumulative_variance=explained, history=history)
    return PartsPoint(r, problem.k, greedy, joint)
