"""Joint search for parts: r unit vectors of disjoint supports, with the sum of their variances as objective.

Parts found one by one restrict each other: the first takes the best features. Here all are found at once:

**Climb.** Σ_c x_c'Ax_c is convex, so it lies above its linearisation ``2 Σ_c g_c'y_c``, g_c = Ax_c. For given supports
that is largest at ``y_c ∝ g_c`` on J_c, where it is Σ_c ‖g_c on J_c‖: which feature belongs to which part is a matching
(:mod:`nnspca.components.exchange`). Steps without a gain are rejected, so no step loses variance.

**Exchange.** Features move between parts, or swap parts, while that gains (:mod:`nnspca.components.exchange`).

**Starts.** The parts found one by one are the first start, so the result is never worse. The others
are random directions in the leading span, single features, and, once a good set of parts is known,
that set with a few parts replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from nnspca.bounds.certificate import Draft
from nnspca.components.exchange import exchange_features, match
from nnspca.control.progress import Monitor, ShouldStop
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.machines import HERE, Workers
from nnspca.numerics import feasible
from nnspca.result import Bound, Component, PartsCertificate
from nnspca.solvers.climb import QUIET, TIE, optimise_on_support
from nnspca.tasks._certify import MET, Aim, as_components, certify, narrow, near_support

Start = Callable[["JointSearch"], np.ndarray]  # returns a start from the best parts known at that time
KnownOptima = dict[bytes, tuple[np.ndarray, float]]
EXTRA_DIRECTIONS = 6  # random directions are drawn in the span of so many eigenvectors more than parts
FRESH = 0.4  # share of the starts that do not depend on the best parts; half and twice of it end as well
CONVERGED = 1e-9  # relative gain at which a power iteration ends


def find_parts(
    problem: Problem,
    greedy: np.ndarray,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    starts: int,
    workers: Workers | None = None,
) -> tuple[np.ndarray, list[float]]:
    """Find r parts whose total variance is large: unit rows of disjoint supports, or zeros if there are fewer.

    The first start is ``greedy`` (r, n), such rows; ``starts`` further ones follow. Starts run ahead on the
    workers, and run again if an earlier one finds better parts, so the result does not depend on it. Returned are
    the parts, largest variance first, and the largest sum of variances known after each start.
    """
    search = JointSearch(problem, len(greedy), monitor)
    search.improve(greedy)
    history = [search.value]
    fresh_starts = int(np.ceil(FRESH * starts))
    start_functions = [
        search.anywhere(rng, of_features=number % 2 == 1) if number < fresh_starts else search.perturbed_start(rng)
        for number in range(starts)
    ]
    submitted: dict[int, Future[Any]] = {}
    workers = Workers(HERE, problem.cov, monitor) if workers is None else workers
    for number in range(starts):
        if monitor.stop():
            break
        for other in range(number, min(number + workers.width, starts)):
            if other not in submitted:
                task = start_functions[other](search), search.parts, search.value
                submitted[other] = workers.submit(_parts_from_start, problem.k, problem.nonnegative, *task)
        better = workers.result(submitted.pop(number))
        if workers.cancelled:
            break
        if better is not None:
            search.parts, search.value = better
            for future in submitted.values():
                future.cancel()
            submitted.clear()
        history.append(search.value)
        monitor.tell((number + 1) / starts, f"start {number + 1} of {starts}", search.value)
    variances = problem.cov.variance(search.parts)
    return search.parts[np.argsort(-variances, kind="stable")], history


def _parts_from_start(
    cov: Covariance,
    k: int,
    nonnegative: bool,
    begin: np.ndarray,
    parts: np.ndarray,
    value: float,
    poll: ShouldStop | None,
) -> tuple[np.ndarray, float] | None:
    """The parts from one start if they are better than those known, as a task for a worker."""
    search = JointSearch(Problem(cov, k, nonnegative), len(parts), Monitor(poll), value, parts)
    search.improve(begin)
    return (search.parts, search.value) if search.value > value else None


@dataclass
class JointSearch:
    """The best parts known, and the search for better ones."""

    problem: Problem
    r: int
    monitor: Monitor
    value: float = 0.0
    parts: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def improve(self, X: np.ndarray) -> None:
        """Climb from a start, exchange features, and store the parts if they are the best."""
        X = feasible.unit(X)
        start_value = float(np.sum(self.problem.cov.variance(X))) if _feasible(X, self.problem) else -np.inf
        if start_value > self.value or not self.parts.size:
            self.parts, self.value = (X, start_value) if start_value > -np.inf else (np.zeros_like(X), 0.0)
        X, value = improved(self.problem, X, monitor=self.monitor)
        if value > self.value:
            self.parts, self.value = X, value

    def anywhere(self, rng: np.random.Generator, *, of_features: bool) -> Start:
        """Random parts: directions of the leading span, or single features with their covariances."""
        cov, n = self.problem.cov, self.problem.n
        if of_features:
            weights = cov.diagonal / cov.trace
            chosen = rng.choice(n, self.r, replace=False, p=0.5 * weights + 0.5 / n)
            return lambda search: cov.block(chosen)
        values, vectors = cov.eigenpairs(min(n, self.r + EXTRA_DIRECTIONS))
        directions = rng.standard_normal((self.r, len(values)))
        return lambda search: directions @ (vectors * np.sqrt(values)).T

    def perturbed_start(self, rng: np.random.Generator) -> Start:
        """The best parts, some of them replaced by random features with their covariances."""
        count = int(rng.integers(1, max(2, self.r // 2 + 1)))
        replaced = rng.choice(self.r, count, replace=False)
        chosen = rng.choice(self.problem.n, count, replace=False)

        def begin(search: JointSearch) -> np.ndarray:
            X = search.parts.copy()
            X[replaced] = match(self.problem.cov.block(chosen), self.problem.k, self.problem.nonnegative)
            return X

        return begin


def improved(problem: Problem, X: np.ndarray, *, monitor: Monitor = QUIET) -> tuple[np.ndarray, float]:
    """Climb from rows X (r, n), then exchange features; return the parts and the sum of their variances."""
    optima: KnownOptima = {}
    X, _ = power_iteration(problem, feasible.unit(X), monitor=monitor, optima=optima)
    return exchange_features(problem, X, power_iteration=partial(power_iteration, optima=optima), monitor=monitor)


def power_iteration(
    problem: Problem,
    X: np.ndarray,
    *,
    monitor: Monitor = QUIET,
    optima: KnownOptima | None = None,
    max_iter: int = 300,
) -> tuple[np.ndarray, float]:
    """Maximise the linearised total variance repeatedly, then each part on its support; the parts and their sum.

    X (r, n) has unit rows. ``optima`` are known on earlier supports, with their variances; new ones are added.
    """
    cov, nonnegative = problem.cov, problem.nonnegative
    G = cov.apply(X)
    value = float(np.sum(X * G)) if _feasible(X, problem) else -np.inf
    for _ in range(max_iter):
        Y = match(G, problem.k, nonnegative)
        H = cov.apply(Y)
        new_value = float(np.sum(Y * H))
        if new_value > value:
            converged = new_value - value <= CONVERGED * new_value
            X, G, value = Y, H, new_value
        else:
            converged = True
        if converged or monitor.stop():
            break
    optimal = np.array([_optimal_on_support(problem, x, {} if optima is None else optima, monitor) for x in X])
    return optimal, float(np.sum(cov.variance(optimal)))


def _optimal_on_support(problem: Problem, x: np.ndarray, optima: KnownOptima, monitor: Monitor) -> np.ndarray:
    """The optimum on the support of x, taken from ``optima`` if it is stored there and as good."""
    support, variance = np.flatnonzero(x), problem.cov.variance(x)
    if not len(support):
        return x
    optimum = optima.get(support.tobytes())
    if optimum is None or optimum[1] < variance * (1 - TIE):
        y = optimise_on_support(problem.cov, x, nonnegative=problem.nonnegative, monitor=monitor)
        optimum = optima[support.tobytes()] = y, problem.cov.variance(y)
        optima[np.flatnonzero(y).tobytes()] = optimum
    return optimum[0]


def _feasible(X: np.ndarray, problem: Problem) -> bool:
    """Whether the rows share no feature, have at most k each, and the sign allowed."""
    used = X != 0
    counts = used.sum(axis=0).max(initial=0) <= 1 and used.sum(axis=1).max(initial=0) <= problem.k
    return bool(counts and not (problem.nonnegative and (X < 0).any()))


def bound_parts(
    problem: Problem, r: int, parts: tuple[Component, ...], aim: Aim, *, fixed: bool = True
) -> PartsCertificate:
    """Bound the total variance of r parts, starting from those known.

    If ``fixed``, exactly these parts are certified: better ones found on the way do not replace them.
    """

    def single() -> Bound:
        """The least bound of a certificate of one part alone."""
        best = replace(max(parts, key=lambda part: part.variance), k=problem.k)
        sign, stop = problem.nonnegative, aim.monitor.should_stop
        return certify(problem.cov, problem.k, nonnegative=sign, component=best, should_stop=stop).winner

    def near_rows(rows: np.ndarray, monitor: Monitor) -> tuple[Component, ...]:
        X, _ = improved(problem, rows, monitor=monitor)
        return as_components(problem.cov, X, parts[0], history=(), note=MET)

    near = near_support(problem, parts[0]) if r == 1 else near_rows
    known = Draft(parts=parts, r=r, near=None if fixed else near, start=aim.start, single=single)
    facts = narrow(problem, known, aim)
    return PartsCertificate(n_components=r, parts=known.parts, **facts)
