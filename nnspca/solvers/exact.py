"""Supports by cases and by steps: branch and bound with proven bounds for few features; greedy forward selection."""

from __future__ import annotations

import heapq

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.solvers.climb import TIE, climb, larger_eigenvalue, optimise_on_support

SLACK = 1e-9  # relative: nodes this close to the best are not opened


def exact(problem: Problem, *, rng: np.random.Generator, monitor: Monitor) -> Component:
    """Open the case of largest bound and split it at the heaviest undecided feature, until none is left.

    The bound of a case is the least of the largest eigenvalue and of the row sums of k entries. When the search ends
    by itself, no feasible x has more than ``1e-9`` more variance (relative) than the one returned.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    every = np.arange(cov.n_features)
    A = np.array(cov.block(every, every))
    best = _start(problem, monitor)
    value = cov.variance(best)
    history = [value]
    known = problem.included
    proven = np.inf
    heap = [(-_upper_bound(A, every, known, k, nonnegative), 0, every, known)]
    nodes = 0
    while heap and -heap[0][0] > value * (1 + SLACK) and not monitor.stop():
        top, _, remaining, inside = heapq.heappop(heap)
        proven = min(proven, -top * (1 + SLACK) + cov.held.room())  # of all open cases this one had the largest bound
        nodes += 1
        B = A[np.ix_(remaining, remaining)]
        weights = np.abs(np.linalg.eigh(np.maximum(B, 0.0) if nonnegative else B)[1][:, -1])
        tried = _inside(problem, remaining, inside, weights, monitor)
        if cov.variance(tried) > value:
            best, value = tried, cov.variance(tried)
            monitor.report_point(best, value)
        history.append(value)
        monitor.tell(min(0.99, nodes / (nodes + len(heap) + 1)), f"{nodes} cases", value, max(proven, value))
        free = ~inside[remaining]
        if not free.any():
            continue
        feature = remaining[np.where(free, weights, -1.0).argmax()]
        without = remaining[remaining != feature]
        within = inside.copy()
        within[feature] = True
        if within.sum() == k:
            remaining = np.flatnonzero(within)
        for left, known in ((without, inside), (remaining, within)):
            if len(left):
                top = _upper_bound(A, left, known, min(k, len(left)), nonnegative)
                if top > value * (1 + SLACK):
                    heapq.heappush(heap, (-top, 2 * nodes + (known is within), left, known))
    note = f"{nodes:,} cases opened" + ("" if heap and monitor.stop() else "; none left can hold more")
    return problem.component(best, "exact", history, stopped=monitor.stop(), note=note)


def _start(problem: Problem, monitor: Monitor) -> np.ndarray:
    """The best of the points that climb from each single feature."""
    cov, nonnegative = problem.cov, problem.nonnegative
    points, _ = climb(problem, np.eye(cov.n_features), monitor=monitor)
    x = points[int(np.argmax(cov.variance(points)))]
    return optimise_on_support(cov, x, nonnegative=nonnegative, monitor=monitor)


def _upper_bound(A: np.ndarray, remaining: np.ndarray, inside: np.ndarray, k: int, nonnegative: bool) -> float:
    """The lesser of the largest eigenvalue and the largest row sum over k features that include those inside.

    With the sign constraint negative entries count as zero: they can only take away.
    """
    B = A[np.ix_(remaining, remaining)]
    B = np.maximum(B, 0.0) if nonnegative else B
    known = inside[remaining]
    top = float(np.linalg.eigvalsh(A[np.ix_(remaining, remaining)])[-1])
    if nonnegative:
        top = min(top, float(np.linalg.eigvalsh(B)[-1]))
    shares = np.abs(B)
    own = shares.diagonal().copy()
    np.fill_diagonal(shares, 0.0)
    sure = shares[:, known].sum(axis=1)
    others = -np.sort(-np.where(known, 0.0, shares), axis=1)
    places = np.maximum(k - 1 - (known.sum() - known), 0)
    sums = np.hstack([np.zeros((len(B), 1)), np.cumsum(others, axis=1)])
    rows = own + sure + sums[np.arange(len(B)), np.minimum(places, len(B))]
    return min(top, float(rows.max())) * (1 + 1e-12)


def _inside(
    problem: Problem, remaining: np.ndarray, inside: np.ndarray, weights: np.ndarray, monitor: Monitor
) -> np.ndarray:
    """Return a point of a case: the best loadings on k of its features, those that must be in and then the heaviest."""
    x = np.zeros(problem.n)
    x[remaining[np.lexsort((-weights, ~inside[remaining]))][: problem.k]] = 1.0
    return optimise_on_support(problem.cov, feasible.unit(x), nonnegative=problem.nonnegative, monitor=monitor)


def greedy(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, criterion: str) -> Component:
    """Grow a support from the feature of largest variance, keeping the best weights on it at every step.

    ``path`` adds the feature of largest ``|a_i'x|`` (``a_i'x`` with the sign constraint), x being
    the best point on the support so far: the feature along which the variance climbs fastest
    (d'Aspremont, Bach & El Ghaoui 2008). ``full`` tries every feature and adds the one that gives
    the most variance (Moghaddam, Weiss & Avidan 2006). Features included come first, all at once.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    x = _begun(problem, monitor)
    history = [cov.variance(x)]
    monitor.report_point(x, history[0])
    free = (x == 0) & ~problem.included
    while np.count_nonzero(~free) < k and not monitor.stop():
        if criterion == "full":
            x = _fullest(cov, x, free, nonnegative, monitor)
        else:
            pull = cov.apply(x)
            pull = np.where(free, pull if nonnegative else np.abs(pull), -np.inf)
            feature = int(np.argmax(pull))
            if not pull[feature] > 0:
                break  # no feature left would raise the variance
            x = _joined(cov, x, feature, nonnegative, monitor)
        free = free & (x == 0)
        if np.count_nonzero(~free) == len(free):
            break
        history.append(max(history[-1], cov.variance(x)))
        monitor.report_point(x, cov.variance(x))
        if len(history) > 1 and np.count_nonzero(x) < len(history) and history[-1] <= history[-2]:
            break
        monitor.tell(len(history) / k, f"{np.count_nonzero(x)} features", history[-1])
    if problem.include:  # features included that had no weight on the way may have one now
        x = optimise_on_support(cov, climb(problem, x[None], monitor=monitor)[0][0], nonnegative=nonnegative)
    return problem.component(x, "greedy", history, stopped=monitor.stop())


def _begun(problem: Problem, monitor: Monitor) -> np.ndarray:
    """The features included with the best weights; where they hold nothing, the feature of largest variance."""
    if problem.include:
        start = feasible.unit(problem.included.astype(float))
        x = optimise_on_support(problem.cov, start, nonnegative=problem.nonnegative, monitor=monitor)
        if problem.cov.variance(x) > 0:
            return x
    return problem.widest()


def _joined(cov: Covariance, x: np.ndarray, feature: int, nonnegative: bool, monitor: Monitor) -> np.ndarray:
    """The best point on the support of x and one more feature, from a start that contains both."""
    pull = float(cov.block(np.array([feature]))[0] @ x)
    start = x.copy()
    start[feature] = np.sign(pull) * 0.1 if pull else 0.1
    return optimise_on_support(cov, feasible.unit(start), nonnegative=nonnegative, monitor=monitor)


def _fullest(cov: Covariance, x: np.ndarray, free: np.ndarray, nonnegative: bool, monitor: Monitor) -> np.ndarray:
    """The best point with one more feature; x itself if none is better."""
    best, value = x, cov.variance(x)
    others = np.flatnonzero(free)
    promise = np.full(len(others), np.inf)
    if not nonnegative:
        # x leads on its support S: with j added no more than the larger eigenvalue of [[x'Ax, ‖a_jS‖], [‖a_jS‖, a_jj]];
        # where the most promising are tried first, most need not be tried at all
        reach = np.linalg.norm(cov.block(np.flatnonzero(x), others), axis=0)
        promise = larger_eigenvalue(cov.variance(x), reach, cov.diagonal[others])
    for place in np.argsort(-promise, kind="stable"):
        if monitor.stop() or promise[place] <= value * (1 - TIE):
            break
        tried = _joined(cov, x, int(others[place]), nonnegative, monitor)
        if (gained := cov.variance(tried)) > value:
            best, value = tried, gained
    return best
