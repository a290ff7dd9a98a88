"""SCoTLASS: the largest variance within a bound on the sum of absolute loadings (Jolliffe et al.)."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.solvers.climb import Best, optimise_on_support

CLIMB_STEPS = 200  # most steps of a climb; on genes half as many give up to 3 % more variance, twice as many nothing


def scotlass(
    problem: Problem, *, rng: np.random.Generator, monitor: Monitor, restarts: int, renormalise: bool
) -> Component:
    """Maximise x'Ax over ‖x‖₂ <= 1, ‖x‖₁ <= t, with t the largest for which at most k loadings are nonzero.

    x'Ax is convex, so each step maximises its linearisation g'x over the same set: g soft-thresholded until the sum of
    magnitudes is t, then normalised. t is bisected between 1 (one feature) and √k.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    starts = [cov.eigenpairs(1)[1][:, 0], *rng.standard_normal((restarts - 1, cov.n_features))]
    found = Best(problem, monitor)
    for number, start in enumerate(starts):
        first = feasible.argmax(start, cov.n_features, nonnegative)
        low, high = 1.0, float(np.sqrt(k))
        x = _climbed(cov, first, high, nonnegative, monitor)
        high = low if np.count_nonzero(x) <= k else high  # nothing to bisect
        while high - low >= 1e-6 and not monitor.stop():
            middle = (low + high) / 2
            tried = _climbed(cov, first, middle, nonnegative, monitor)
            if np.count_nonzero(tried) > k:
                high = middle
            else:
                low, x = middle, tried
        x = feasible.unit(feasible.keep_top(x, k, nonnegative))
        if renormalise:
            x = optimise_on_support(cov, x, nonnegative=nonnegative, monitor=monitor)
        found.offer(x)
        monitor.tell((number + 1) / len(starts), f"start {number + 1}", found.variance)
        if monitor.stop():
            break
    return problem.component(found.loadings, "scotlass", found.history, stopped=monitor.stop())


def _climbed(cov: Covariance, x: np.ndarray, t: float, nonnegative: bool, monitor: Monitor) -> np.ndarray:
    """Steps of the linearisation until x rests."""
    for _ in range(CLIMB_STEPS):
        turned = within(cov.apply(x), t, nonnegative)
        rested = float(turned @ x) > 1 - 1e-12
        x = turned
        if rested or monitor.stop():
            break
    return x


def within(g: np.ndarray, t: float, nonnegative: bool) -> np.ndarray:
    """Return the unit vector of largest g'x with ‖x‖₁ <= t (t >= 1), and x >= 0 if asked.

    >>> within(np.array([3.0, 4.0]), 2.0, True)
    array([0.6, 0.8])
    >>> within(np.array([3.0, 4.0]), 1.0, True)
    array([0., 1.])
    """
    size = feasible.allowed(g, nonnegative)
    if not size.any():
        return feasible.argmax(g, 1, nonnegative)
    x = feasible.unit(size)
    if x.sum() > t:
        x = _thresholded(size, t)
    return x * np.where(g < 0, -1.0, 1.0)


def _thresholded(size: np.ndarray, t: float) -> np.ndarray:
    """Soft-threshold ``size`` at the level λ where the unit vector's entries sum to t.

    With the m largest entries left, of mean μ and squared deviations Q, ‖x‖₁/‖x‖₂ = t means m²(μ − λ)² = t² (Q + m(μ −
    λ)²). The sum falls as λ rises, so m is the least number at which λ = the next largest entry still leaves too much.
    """
    below = size.max() - np.sort(size)[::-1]  # shortfalls from the largest: near ties keep their digits
    m = np.arange(1, len(size) + 1)
    following = np.append(below[1:], size.max())
    total = m * following - np.cumsum(below)
    squares = m * following**2 - 2 * following * np.cumsum(below) + np.cumsum(below**2)
    enough = np.flatnonzero(total > t * np.sqrt(np.maximum(squares, 0.0)))
    count = int(m[enough[0]]) if len(enough) else len(size)
    top = below[:count]
    spread = float(((top - top.mean()) ** 2).sum())
    if spread == 0.0:
        return _of_equals(size == size.max(), t)
    slack = max(count - t * t, np.finfo(float).tiny)
    reach = min(float(top.mean()) + t * np.sqrt(spread / (count * slack)), float(following[count - 1]))
    return feasible.unit(np.maximum(reach - (size.max() - size), 0.0))


def _of_equals(top: np.ndarray, t: float) -> np.ndarray:
    """The unit vector on some of the entries ``top`` whose sum is t: no level parts entries that are equal.

    It has the least number of entries, m = ⌈t²⌉: one of α and m − 1 of β, α + (m−1)β = t, α² + (m−1)β² = 1.
    """
    m = min(int(np.ceil(t * t)), int(np.count_nonzero(top)))
    alpha = (t + np.sqrt((m - 1) * max(m - t * t, 0.0))) / m
    x = np.zeros(len(top))
    x[np.flatnonzero(top)[:m]] = (t - alpha) / max(m - 1, 1)
    x[np.argmax(top)] = alpha
    return feasible.unit(x)
