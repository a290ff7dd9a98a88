"""Joint search for parts: r unit vectors of disjoint supports, with the sum of their variances as objective.

If parts are found one by one, the first takes the best features and restricts the later ones. Here
all are sought at once:

**Climb.** Σ_c x_c'Ax_c is convex, so it lies above its linearisation ``2 Σ_c g_c'y_c``, g_c = Ax_c.
For given supports that is largest at ``y_c ∝ g_c`` on J_c, where it is Σ_c ‖g_c on J_c‖: which
feature belongs to which part is a matching (:mod:`nnspca.components.matching`). Steps without a gain
are rejected, so no step loses variance.

**Exchange.** Features move between parts, or swap parts, while that gains
(:mod:`nnspca.components.exchange`).

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

from nnspca.calls.progress import Monitor, ShouldStop
from nnspca.components.exchange import exchanged
from nnspca.components.matching import assign
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.machines import Crew
from nnspca.machines.crew import SerialCrew
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.solvers.climb import TIE, optimise_on_support

QUIET = Monitor()
Begin = Callable[["Search"], np.ndarray]  # returns a start, given the best parts known at that time
KnownOptima = dict[bytes, tuple[np.ndarray, float]]
EXPLORED = 6  # random directions are drawn in the span of r + EXPLORED eigenvectors
FRESH = 0.4  # share of the starts that do not use the best parts
RESTED = 1e-9  # relative gain at which a power iteration ends
EXHAUSTED = 1e-12  # share of the trace below which a part's variance is rounding


def seek(
    problem: Problem,
    greedy: np.ndarray,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    starts: int,
    on_better: Callable[[np.ndarray], None] = lambda parts: None,
    workers: Crew | None = None,
) -> tuple[np.ndarray, list[float]]:
    """Find r parts whose total variance is large.

    Parameters
    ----------
    problem : Problem
        Of each part alone: n features, at most k of them in a part.
    greedy : ndarray, shape (r, n)
        Parts to begin with, unit rows of disjoint supports; rows of zeros where there are fewer.
    rng : numpy.random.Generator
    monitor : Monitor
    starts : int
        How often the search begins anew.
    on_better : callable, optional
        Called with rows (r, n) whenever better parts are known.
    workers : Crew, optional
        The crew that tries the starts, with the covariance as its shared object. Starts are tried
        ahead, and again if an earlier one has found better parts, so the result does not depend
        on the crew.

    Returns
    -------
    parts : ndarray, shape (r, n)
        Unit rows of disjoint supports, largest variance first; a row of zeros where no feature was
        left for it.
    history : list of float
        The largest sum of variances known after each start.
    """
    search = Search(problem, len(greedy), monitor)
    search.improve(greedy)
    on_better(search.parts)
    history = [search.value]
    fresh = int(np.ceil(FRESH * starts))
    drawn = [search.draw(rng, number, fresh) for number in range(starts)]
    ahead: dict[int, Future[Any]] = {}
    workers = SerialCrew(problem.cov, monitor) if workers is None else workers
    for number in range(starts):
        if monitor.stop():
            break
        for other in range(number, min(number + workers.width, starts)):
            if other not in ahead:
                task = drawn[other](search), search.parts, search.value
                ahead[other] = workers.submit(_parts_from_start, problem.k, problem.nonnegative, *task)
        better = workers.result(ahead.pop(number))
        if workers.cancelled:
            break
        if better is not None:
            search.parts, search.value = better
            on_better(search.parts)
            for future in ahead.values():
                future.cancel()
            ahead.clear()
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
    """The parts from one start, if they improve on those known, as a task that can be sent to a worker."""
    search = Search(Problem(cov, k, nonnegative), len(parts), Monitor(poll), value, parts)
    search.improve(begin)
    return (search.parts, search.value) if search.value > value else None


@dataclass
class Search:
    """The best parts known, and the search for better ones."""

    problem: Problem
    r: int
    monitor: Monitor
    value: float = 0.0
    parts: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def improve(self, X: np.ndarray) -> None:
        """Climb from a start, exchange features, and keep the best parts."""
        X = feasible.unit(X)
        given = float(np.sum(self.problem.cov.variance(X))) if _feasible(X, self.problem) else -np.inf
        if given > self.value or not self.parts.size:
            self.parts, self.value = (X, given) if given > -np.inf else (np.zeros_like(X), 0.0)
        X, value = improved(self.problem, X, monitor=self.monitor, beat=self.value)
        if value > self.value:
            self.parts, self.value = X, value

    def draw(self, rng: np.random.Generator, number: int, fresh: int) -> Begin:
        """Draw a start, given the best parts known when it is used."""
        if number >= fresh:
            return self.forgetful(rng)
        begin = self.anywhere(rng, of_features=number % 2 == 1)
        return lambda search: begin()

    def anywhere(self, rng: np.random.Generator, *, of_features: bool) -> Callable[[], np.ndarray]:
        """Random parts: directions of the leading span, or single features with their covariances."""
        cov, n = self.problem.cov, self.problem.n
        if of_features:
            weights = cov.diagonal / cov.trace
            chosen = rng.choice(n, self.r, replace=False, p=0.5 * weights + 0.5 / n)
            return lambda: cov.block(chosen)
        values, vectors = cov.eigenpairs(min(n, self.r + EXPLORED))
        directions = rng.standard_normal((self.r, len(values)))
        return lambda: directions @ (vectors * np.sqrt(values)).T

    def forgetful(self, rng: np.random.Generator) -> Begin:
        """The best parts, a few of them replaced by random features with their covariances."""
        count = int(rng.integers(1, max(2, self.r // 2 + 1)))
        forgotten = rng.choice(self.r, count, replace=False)
        chosen = rng.choice(self.problem.n, count, replace=False)
        return lambda search: search.without(forgotten, chosen)

    def without(self, forgotten: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """The best parts, the forgotten ones replaced by the chosen features with their covariances."""
        X = self.parts.copy()
        X[forgotten] = assign(self.problem.cov.block(chosen), self.problem.k, self.problem.nonnegative)
        return X


def improved(
    problem: Problem, X: np.ndarray, *, monitor: Monitor = QUIET, beat: float = 0.0
) -> tuple[np.ndarray, float]:
    """Climb from rows X (r, n), then exchange features, while ``beat`` may still be exceeded.

    Returns
    -------
    parts : ndarray, shape (r, n)
    value : float
        The sum of their variances.
    """
    known: KnownOptima = {}
    X, _ = power_iteration(problem, feasible.unit(X), monitor=monitor, known=known)
    return exchanged(problem, X, power_iteration=partial(power_iteration, known=known), monitor=monitor, beat=beat)


def components(cov: Covariance, X: np.ndarray, like: Component) -> tuple[Component, ...]:
    """The rows of X as components, largest variance first, with other fields of ``like``; rows without variance go."""
    parts = []
    for x in X + 0.0:  # no negative zeros
        x = x if like.nonnegative else feasible.orient(x)
        x.setflags(write=False)
        parts.append(replace(like, loadings=x, variance=cov.variance(x)))
    parts.sort(key=lambda part: -part.variance)
    return tuple(part for place, part in enumerate(parts) if not place or part.variance > EXHAUSTED * cov.trace)


def power_iteration(
    problem: Problem,
    X: np.ndarray,
    *,
    monitor: Monitor = QUIET,
    known: KnownOptima | None = None,
    tol: float = RESTED,
    max_iter: int = 300,
) -> tuple[np.ndarray, float]:
    """Maximise the linearisation of the total variance repeatedly, then each part on its support.

    Parameters
    ----------
    X : ndarray, shape (r, n)
        Unit rows, feasible or not; the first step makes them so.
    known : dict, optional
        Optima on the supports met before, and their variances; those met here are added.

    Returns
    -------
    parts : ndarray, shape (r, n)
    value : float
        The sum of their variances.
    """
    cov, nonnegative = problem.cov, problem.nonnegative
    G = cov.apply(X)
    value = float(np.sum(X * G)) if _feasible(X, problem) else -np.inf
    for _ in range(max_iter):
        Y = assign(G, problem.k, nonnegative)
        H = cov.apply(Y)
        gained = float(np.sum(Y * H))
        if gained > value:
            rested = gained - value <= tol * gained
            X, G, value = Y, H, gained
        else:
            rested = True
        if rested or monitor.stop():
            break
    optimal = np.array([_optimal_on_support(problem, x, {} if known is None else known, monitor) for x in X])
    return optimal, float(np.sum(cov.variance(optimal)))


def _optimal_on_support(problem: Problem, x: np.ndarray, known: KnownOptima, monitor: Monitor) -> np.ndarray:
    """The optimum on the support of x, from the known ones if that is as good."""
    support, variance = np.flatnonzero(x), problem.cov.variance(x)
    if not len(support):
        return x
    optimum = known.get(support.tobytes())
    if optimum is None or optimum[1] < variance * (1 - TIE):
        y = optimise_on_support(problem.cov, x, nonnegative=problem.nonnegative, monitor=monitor)
        optimum = known[support.tobytes()] = y, problem.cov.variance(y)
        known[np.flatnonzero(y).tobytes()] = optimum
    return optimum[0]


def _feasible(X: np.ndarray, problem: Problem) -> bool:
    """Whether the rows share no feature, have at most k each, and the sign they should."""
    used = X != 0
    counts = used.sum(axis=0).max(initial=0) <= 1 and used.sum(axis=1).max(initial=0) <= problem.k
    return bool(counts and not (problem.nonnegative and (X < 0).any()))
