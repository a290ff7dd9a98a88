"""Sweeps over numbers of parts and k: parts found one by one and jointly, and the proven band."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nnspca.bounds.parts.plan import PARTS_PLANS
from nnspca.certificates.proofs import CarriedProof
from nnspca.components._certify import certify_parts
from nnspca.components._decompose import SEEKING, decompose
from nnspca.components.checks import check_count
from nnspca.components.together import components, improved
from nnspca.control.arguments import check_callables, check_choice, check_flag, check_one_or_several
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.covariance.span import cumulative_variance
from nnspca.machines import Executor, Workers, check_executor
from nnspca.result import Bound, Components, OnProgress, PartsCertificate, PartsPoint, PartsSweep, ShouldStop
from nnspca.tasks._solve import check_cardinality, check_covariance, check_seed

OnPoint = Callable[[PartsPoint], None]


def sweep_parts(
    cov: Covariance,
    n_components: int | Iterable[int],
    k: int | Iterable[int],
    *,
    nonnegative: bool = True,
    certify: str | None = "live",
    seed: int = 0,
    executor: Executor = None,
    on_point: OnPoint | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> PartsSweep:
    """Find and certify parts for every number of parts and every k.

    For each k the numbers of parts increase: parts found for smaller numbers and smaller k are starts
    for the next, and each certificate starts from the multipliers of the previous one. An upper
    bound at one k holds at every smaller k.

    Parameters
    ----------
    cov : Covariance
    n_components, k : int or iterable of int
        Duplicates are solved once.
    nonnegative : bool
    certify : {"live", "thorough"} or None
        Effort of the certificates; None for none.
    seed : int
        Same seed, same sweep, on any executor.
    executor : concurrent.futures.Executor or dask.distributed.Client, optional
        Runs the searches of all points in parallel, and one chain of certificates for each k; with None
        all run in sequence in this process. The covariance is sent to each worker once.
    on_point : callable, optional
        Called with each :class:`PartsPoint` when its parts are found, and again with its
        certificate.
    should_stop, on_progress : callable, optional
        A stopped sweep has the points computed so far.

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
    check_choice("certify", certify, PARTS_PLANS, none=True)
    check_executor(executor)
    started = time.perf_counter()
    pairs = [(each, r) for each in sizes for r in counts]
    run = _Run(cov, pairs, certify, nonnegative, seed, Monitor(should_stop, on_progress), on_point)
    if executor is None:
        run.one_by_one()
    else:
        with Workers(executor, cov, run.monitor) as workers:
            run.spread(workers)
    run.carry_bounds()
    ordered = tuple(run.points[key] for key in sorted(run.points))
    stopped = len(ordered) < len(pairs) or any(p.together.stopped for p in ordered)
    return PartsSweep(ordered, cov.trace, nonnegative, stopped or run.monitor.stop(), time.perf_counter() - started)


@dataclass
class _Run:
    """A sweep in progress: its settings, and its points so far."""

    cov: Covariance
    pairs: list[tuple[int, int]]  # k and number of parts of each point, in order
    effort: str | None
    nonnegative: bool
    seed: int
    monitor: Monitor
    on_point: OnPoint | None
    points: dict[tuple[int, int], PartsPoint] = field(default_factory=dict)

    def store(self, point: PartsPoint) -> None:
        self.points[point.k, point.n_components] = point
        if self.on_point is not None:
            self.on_point(point)

    def one_by_one(self) -> None:
        """Compute the points in sequence in this process."""
        for number, (each, r) in enumerate(self.pairs):
            if self.monitor.stop():
                break
            span = self.monitor.part(number / len(self.pairs), (number + 1) / len(self.pairs))
            seeking = span.part(0.0, SEEKING if self.effort else 1.0)
            problem = Problem(self.cov, each, self.nonnegative)
            parts = _seek(self.cov, r, each, self.nonnegative, self.seed, None, seeking)
            self.store(_improved(problem, r, *parts, self._earlier_points(each, r), seeking))
            if self.effort is not None and not self.monitor.stop():
                point, earlier = self.points[each, r], self._warm_start_for(each, r)
                proving = span.part(SEEKING, 1.0)
                certificate = _prove(self.cov, point, self.effort, self.nonnegative, earlier, None, proving)
                self.store(replace(point, certificate=certificate))

    def spread(self, workers: Workers) -> None:
        """Compute the same points by tasks, each submitted as soon as its start is known."""
        parts: dict[tuple[int, int], tuple[Components, Components]] = {}
        seeking = {workers.submit(_seek, r, each, self.nonnegative, self.seed): (each, r) for each, r in self.pairs}
        proving: dict[Future[PartsCertificate], tuple[int, int]] = {}
        waiting: set[Future[Any]] = set(seeking)
        total = len(self.pairs) * (1 + (self.effort is not None))
        for done, (future, value) in enumerate(workers.completed(waiting), start=1):
            if future in proving:
                self.store(replace(self.points[proving.pop(future)], certificate=value))
            else:
                parts[seeking[future]] = value
            self._add_in_order(parts)
            for key in self._provable(proving.values()) if not workers.cancelled else ():
                task = workers.submit(
                    _prove, self.points[key], self.effort, self.nonnegative, self._warm_start_for(*key)
                )
                proving[task] = key
                waiting.add(task)
            self.monitor.tell(done / total, f"{done} of {total}")

    def _add_in_order(self, parts: dict[tuple[int, int], tuple[Components, Components]]) -> None:
        """Store points in order, since the parts of all earlier points are starts."""
        for each, r in self.pairs:
            if (each, r) not in self.points:
                if (each, r) not in parts:
                    break
                problem = Problem(self.cov, each, self.nonnegative)
                self.store(_improved(problem, r, *parts[each, r], self._earlier_points(each, r), self.monitor))

    def _provable(self, submitted: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """The points that can be certified now: not submitted yet, with a certified predecessor or none."""
        started = set(submitted)

        def ready(key: tuple[int, int]) -> bool:
            point, predecessor = self.points.get(key), self._predecessor(*key)
            if point is None or point.certificate is not None or key in started:
                return False
            return predecessor is None or getattr(self.points.get(predecessor), "certificate", None) is not None

        return [] if self.effort is None else list(filter(ready, self.pairs))

    def _earlier_points(self, k: int, r: int) -> list[PartsPoint]:
        """The points of at most this k and number of parts, whose parts are feasible here; in the sweep's order."""
        return [self.points[key] for key in sorted(self.points) if key[0] <= k and key[1] <= r and key != (k, r)]

    def _predecessor(self, k: int, r: int) -> tuple[int, int] | None:
        """The point whose certificate is the warm start: the last before it with no larger k and number of parts."""
        earlier = [key for key in self.pairs[: self.pairs.index((k, r))] if key[0] <= k and key[1] <= r]
        return earlier[-1] if earlier else None

    def _warm_start_for(self, k: int, r: int) -> PartsCertificate | None:
        predecessor = self._predecessor(k, r)
        return None if predecessor is None else self.points[predecessor].certificate

    def carry_bounds(self) -> None:
        """Apply every upper bound at the smaller k too: the optimum does not decrease with k."""
        least: dict[int, PartsCertificate] = {}
        for (_, r), point in sorted(self.points.items(), reverse=True):
            certificate = point.certificate
            if certificate is None:
                continue
            if r not in least or certificate.upper <= least[r].upper:
                least[r] = certificate
                continue
            winner = least[r].winner
            bound = Bound(
                "larger-k",
                winner.value,
                detail=(
                    f"It is an upper bound at k = {least[r].k}, which allows all parts of {certificate.k} features."
                ),
                ingredients=CarriedProof(least[r].k, winner.ingredients),
            )
            self.store(
                replace(point, certificate=replace(certificate, upper=bound.value, bounds=(*certificate.bounds, bound)))
            )


def _seek(
    cov: Covariance,
    r: int,
    k: int,
    nonnegative: bool,
    seed: int,
    poll: ShouldStop | None,
    span: Monitor | None = None,
) -> tuple[Components, Components]:
    """The parts of one point found one by one, and those found jointly; as a task for a worker too."""
    span = Monitor(poll) if span is None else span
    options = {"nonnegative": nonnegative, "seed": seed, "should_stop": span.should_stop}
    greedy = decompose(cov, r, k, deflation="disjoint", on_progress=span.part(0.0, 0.3).relay, **options)  # type: ignore[arg-type]
    joint = decompose(cov, r, k, deflation="together", on_progress=span.part(0.3, 1.0).relay, **options)  # type: ignore[arg-type]
    return greedy, joint


def _prove(
    cov: Covariance,
    point: PartsPoint,
    effort: str,
    nonnegative: bool,
    warm_start: PartsCertificate | None,
    poll: ShouldStop | None,
    span: Monitor | None = None,
) -> PartsCertificate:
    """One certificate; as a task for a worker too."""
    span = Monitor(poll) if span is None else span
    return certify_parts(
        cov,
        point.n_components,
        point.k,
        point.together,
        nonnegative=nonnegative,
        effort=effort,
        warm_start=warm_start,
        should_stop=span.should_stop,
        on_progress=span.relay,
    )


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
