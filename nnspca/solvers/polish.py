"""Swap polish: exchanges one feature of the support for another while that gains variance."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.solvers.climb import QUIET, climb, optimise_on_support

CANDIDATES = 400  # features outside, and inside, considered in a round; half and twice as many end as well
GAIN = 1e-10  # relative gain below which a swap is not worth its rounding


def polish(problem: Problem, x: np.ndarray, *, monitor: Monitor = QUIET) -> tuple[np.ndarray, list[float]]:
    """Improve a feasible point by the best single swap, repeatedly.

    With feature i dropped and feature j let in, the best mixture of what is left of x and of e_j
    has the larger eigenvalue of a 2×2 matrix as its variance: all swaps are priced at once from a
    block of A. The best one is made, and the point climbs on from there. A support that is not full
    may also just take a feature in. Returned are the loadings and the variance
    after each round.
    """
    cov, nonnegative = problem.cov, problem.nonnegative
    x = optimise_on_support(cov, x, nonnegative=nonnegative, monitor=monitor)
    value = cov.variance(x)
    monitor.report_point(x, value)
    history = [value]
    for _ in range(200):
        if monitor.stop():
            break
        y = _best_swap(problem, x, value)
        if y is None:
            break
        # the swap keeps the proportions of all other loadings, so that the new point is not
        # stationary yet; and the climb may trade further features on its way
        y = climb(problem, y[None], monitor=monitor)[0][0]
        y = optimise_on_support(cov, y, nonnegative=nonnegative, monitor=monitor)
        gained = cov.variance(y)
        if gained <= value * (1 + GAIN):
            break
        x, value = y, gained
        monitor.report_point(x, value)
        history.append(value)
    return x, history


def _best_swap(problem: Problem, x: np.ndarray, value: float) -> np.ndarray | None:
    """Return the point after the most gainful swap (or plain addition), None when none gains."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    inside, free = np.flatnonzero(x), ~problem.included
    gradient = cov.apply(x)
    pull = np.maximum(gradient, 0.0) if nonnegative else np.abs(gradient)
    outside = np.setdiff1d(np.arange(cov.n_features), inside, assume_unique=True)
    if not len(outside):
        return None
    # first rank j by its gain if nothing had to be dropped: A's entries are read for the best only
    promise = larger_eigenvalue(value, pull[outside], cov.diagonal[outside])
    outside = outside[np.argsort(-promise, kind="stable")[:CANDIDATES]]
    if np.count_nonzero(free[inside]) < k - len(problem.include):
        rest, pulls, dropped = np.array([value]), gradient[outside][None], np.array([-1])  # nothing is dropped
    else:
        if len(inside) == 1:  # nothing of x is left to mix with
            return None if cov.diagonal.max() <= value * (1 + GAIN) else problem.widest()
        # what is included is not dropped, and a feature that is all of x leaves nothing behind
        inside = inside[free[inside] & (1.0 - x[inside] ** 2 > 1e-12)]
        if not len(inside):
            return None
        weights = x[inside]
        remaining_norms = 1.0 - weights**2  # squared norm of what is left once a feature is dropped
        # x'Ax without feature i, from numbers known for x: no product with A for each candidate
        rest = (value - 2 * weights * gradient[inside] + weights**2 * cov.diagonal[inside]) / remaining_norms
        cheap = np.argsort(-rest, kind="stable")[:CANDIDATES]
        dropped, left, remaining_norms, rest = inside[cheap], weights[cheap], remaining_norms[cheap], rest[cheap]
        pulls = (gradient[outside] - left[:, None] * cov.block(dropped, outside)) / np.sqrt(remaining_norms)[:, None]
    pulled = np.maximum(pulls, 0.0) if nonnegative else np.abs(pulls)
    prices = larger_eigenvalue(rest[:, None], pulled, cov.diagonal[outside])
    r, c = np.unravel_index(int(prices.argmax()), prices.shape)
    if not prices[r, c] > value * (1 + GAIN):
        return None
    y = x.copy()
    if dropped[r] >= 0:
        y[dropped[r]] = 0.0
    norm = np.linalg.norm(y)
    a, b, g = rest[r], cov.diagonal[outside[c]], pulls[r, c]
    weight = np.arctan2(2 * g, a - b) / 2  # angle of the leading eigenvector of [[a, g], [g, b]]
    y = y / norm * np.cos(weight)
    y[outside[c]] = np.sin(weight)
    return y


def larger_eigenvalue(a, g, b):
    """Larger eigenvalue of [[a, g], [g, b]]: the variance of the best mixture of two directions."""
    half = (a - b) / 2
    return (a + b) / 2 + np.hypot(half, g)
