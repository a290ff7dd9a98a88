"""The exact solver for few features: branch and bound over supports with proven bounds at every node."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.solvers.climb import climb, optimise_on_support

SLACK = 1e-9  # relative: nodes this close to the best are not opened

BoundOnNode = Callable[[np.ndarray, np.ndarray, np.ndarray, int, bool], float]


def exact(
    problem: Problem, *, rng: np.random.Generator, monitor: Monitor, bound: BoundOnNode | None = None
) -> Component:
    """Open the case of largest bound and split it at the heaviest undecided feature, until none is left.

    The bound of a case is given as an argument; by default it is the least of the largest
    eigenvalue and of the row sums of k entries. When the search ends by itself, no feasible x has
    more than ``1e-9`` more variance (relative) than the one returned.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    every = np.arange(cov.n_features)
    A = np.array(cov.block(every, every))
    upper_bound = bound or _upper_bound
    best = _start(problem, monitor)
    value = cov.variance(best)
    history = [value]
    known = problem.included
    proven = np.inf
    heap = [(-upper_bound(A, every, known, k, nonnegative), 0, every, known)]
    nodes = 0
    while heap and -heap[0][0] > value * (1 + SLACK) and not monitor.stop():
        top, _, remaining, inside = heapq.heappop(heap)
        proven = min(proven, -top * (1 + SLACK) + cov.room())  # of all open cases this one had the largest bound
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
                top = upper_bound(A, left, known, min(k, len(left)), nonnegative)
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
    """A feasible point of a case: its heaviest k features, those inside first, with optimal loadings."""
    x = np.zeros(problem.n)
    x[remaining[np.lexsort((-weights, ~inside[remaining]))][: problem.k]] = 1.0
    return optimise_on_support(problem.cov, feasible.unit(x), nonnegative=problem.nonnegative, monitor=monitor)
