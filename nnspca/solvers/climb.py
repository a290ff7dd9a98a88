"""Truncated power iteration from many starts, the exact optimum on a known support, and swaps of features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import scipy.sparse.linalg

from nnspca.control.progress import Monitor
from nnspca.control.stopping import raise_if_stopped, run_cancellable
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible

QUIET = Monitor()
DENSE_EIGEN = 300  # above, the leading eigenvector comes from Lanczos iterations
TIE = 1e-13  # relative difference of two variances that rounding alone can make
CANDIDATES = 400  # features outside, and inside, considered in a round; half and twice as many end as well
SWAP_GAIN = 1e-10  # relative gain below which a swap is not worth its rounding


def climb(
    problem: Problem, starts: np.ndarray, *, monitor: Monitor = QUIET, tol: float = 1e-9, max_iter: int = 300
) -> tuple[np.ndarray, np.ndarray]:
    """Maximise the linearisation of x'Ax at x, again and again, from each row of ``starts``.

    x'Ax is convex, so no step loses variance; a limit is a stationary point and nothing more.
    Starts (r, n) need not be feasible: the first step makes them so. One rests when it gains less
    than the share ``tol`` of its variance. Returned are the points (r, n) and their variances (r,).
    """
    cov = problem.cov
    points, gradients = np.zeros(starts.shape, starts.dtype), np.zeros(starts.shape, starts.dtype)
    variances = np.zeros(len(starts))
    points[:] = problem.widest()  # of what is not reached before it is stopped
    moving = np.arange(len(points))
    follows = np.arange(len(points))  # whose way a start goes: its own, until it meets a higher one
    for few in batches(moving, cov, monitor):
        points[few] = problem.best(starts[few])
        gradients[few] = cov.apply(points[few])
        variances[few] = np.einsum("ri,ri->r", points[few], gradients[few])
    _show(points, variances, monitor)
    for _ in range(max_iter):
        if not len(moving) or monitor.stop():
            break
        going = []
        for few in batches(moving, cov, monitor):
            x = problem.best(gradients[few])
            g = cov.apply(x)
            gained = np.einsum("ri,ri->r", x, g)
            up = gained > variances[few]
            ahead = few[up]
            going.append(ahead[gained[up] - variances[ahead] > tol * gained[up]])
            points[ahead], gradients[ahead], variances[ahead] = x[up], g[up], gained[up]
        moving = np.concatenate(going)
        _show(points, variances, monitor)
        if monitor.stop():
            break
        moving = _merge_equal_supports(points, variances, moving, follows, cov.held.batch)
    while (follows != follows[follows]).any():
        follows = follows[follows]
    met = np.flatnonzero(follows != np.arange(len(follows)))
    points[met], variances[met] = points[follows[met]], variances[follows[met]]
    return points, variances


def climb_by_width(problem: Problem, wide: np.ndarray, monitor: Monitor) -> tuple[np.ndarray, np.ndarray]:
    """Points climbed with wider supports first: gradual narrowing loses less than a single cut."""
    gained = np.zeros(len(wide))
    for width in (min(4 * problem.k, problem.n), 2 * problem.k, problem.k):
        watched = monitor if width == problem.k else monitor.without_points()
        wide, gained = climb(replace(problem, k=width), wide, monitor=watched, tol=1e-6)
        apart = distinct_supports(wide, np.argsort(-gained, kind="stable"), len(wide))
        wide, gained = wide[apart], gained[apart]
        raise_if_stopped(monitor)
    return wide, gained


def distinct_supports(points: np.ndarray, order: np.ndarray, count: int) -> list[int]:
    """The first ``count`` rows in order whose supports differ."""
    seen: set[bytes] = set()
    chosen: list[int] = []
    for index in order:
        key = np.packbits(points[index] != 0).tobytes()
        if key not in seen:
            seen.add(key)
            chosen.append(int(index))
        if len(chosen) == count:
            break
    return chosen


class Best:
    """The best of the points that a method offers, and the best variance after each."""

    def __init__(self, problem: Problem, monitor: Monitor) -> None:
        self.cov, self.monitor = problem.cov, monitor
        self.loadings, self.variance = np.zeros(problem.n), -np.inf
        self.history: list[float] = []

    def offer(self, x: np.ndarray) -> bool:
        """Keep and report a feasible point if it is the best; return whether it is."""
        variance = self.cov.variance(x)
        if is_better := variance > self.variance:
            self.loadings, self.variance = x, variance
            self.monitor.report_point(x, variance)
        self.history.append(self.variance)
        return is_better


def leading_rows(problem: Problem, rank: int, monitor: Monitor, *, flat: bool = False) -> np.ndarray:
    """Return V of shape (n, d), d at most ``rank``: VV' is the best approximation of A of that rank.

    With ``flat`` it is that of A − λ_{d+1} I, which has A's best components (Asteris et al. 2011, Proposition 1).
    """
    d = min(rank, problem.n)
    values, vectors = run_cancellable(lambda: problem.cov.eigenpairs(min(d + flat, problem.n)), monitor)
    if flat and d < problem.n:
        own = values[:d] - values[d]
        return vectors[:, :d] * np.sqrt(np.where(own > TIE * values[0], own, 0.0))
    return vectors * np.sqrt(values)


def batches(rows: np.ndarray, cov: Covariance, monitor: Monitor) -> Iterator[np.ndarray]:
    """Yield batches of rows of the size at which A is applied, until stopped; the first in any case."""
    for start in range(0, len(rows), cov.held.batch):
        if start and monitor.stop():
            return
        yield rows[start : start + cov.held.batch]


def products(cov: Covariance, x: np.ndarray, monitor: Monitor) -> np.ndarray:
    """Ax of a batch of rows, with polls between; rows after a stop are zero."""
    out = np.zeros_like(x)
    for few in batches(np.arange(len(x)), cov, monitor):
        out[few] = cov.apply(x[few])
    return out


def _merge_equal_supports(
    points: np.ndarray, variances: np.ndarray, moving: np.ndarray, follows: np.ndarray, batch: int
) -> np.ndarray:
    """Merge starts on the same support into the highest of them; return those that continue."""
    ahead: dict[bytes, int] = {}
    order = moving[np.argsort(-variances[moving], kind="stable")]
    for start in range(0, len(order), batch):
        few = order[start : start + batch]
        keys = np.packbits(np.hstack([points[few] > 0, points[few] < 0]), axis=1)
        for index, key in zip(few, keys, strict=True):
            follows[index] = ahead.setdefault(key.tobytes(), int(index))
    return np.array(sorted(ahead.values()), dtype=np.intp)


def _show(points: np.ndarray, variances: np.ndarray, monitor: Monitor) -> None:
    """Report the best of some points."""
    if len(points):
        leader = int(variances.argmax())
        monitor.report_point(points[leader], variances[leader])


def optimise_on_support(cov: Covariance, x: np.ndarray, *, nonnegative: bool, monitor: Monitor = QUIET) -> np.ndarray:
    """Improve the loadings on the support of ``x`` to a stationary point, to full precision.

    Without sign that is the leading eigenvector of A on the support (variational renormalisation, Sigg & Buhmann 2008).
    With it, a local maximum is the leading eigenvector of A on the features it keeps, since the variance has no other
    local maxima on a sphere: so power steps drop features until the leading eigenvector of what is left has one sign.
    Where they rest on another eigenvector, such as equal loadings of equal, negatively correlated features, the way
    towards the leading one leads on.

    The result has at least the variance of ``x`` up to rounding, on a subset of its support. Where
    the two tie, it is the stationary one: the answer does not depend on the last bit of a sum.
    """
    support = np.flatnonzero(x)
    if not len(support):
        return x
    part = cov.restrict(support)
    z = x[support]
    for _ in range(len(support)):
        if monitor.stop():
            break
        leading = _leading(part)
        if not nonnegative or (leading >= 0).all():
            z = leading
            break
        z = _power(part, z)
        if (z > 0).all():
            z = _to_the_edge(part, z, leading)
        live = z > 0
        if not live.any():  # nothing beside these features varies with them
            return x
        support, part, z = support[live], part.restrict(np.flatnonzero(live)), feasible.unit(z[live])
    out = np.zeros_like(x)
    out[support] = z
    return out if cov.variance(out) >= cov.variance(x) * (1 - TIE) else x


def _leading(part: Covariance) -> np.ndarray:
    """Leading eigenvector, its largest entry positive, on the smaller side of the data."""
    B, back = part.held.form.smaller_side()
    v = back(_top_vector(B))
    return v if v[np.abs(v).argmax()] > 0 else -v


def _top_vector(B: np.ndarray) -> np.ndarray:
    """Leading eigenvector of a symmetric matrix."""
    if len(B) <= DENSE_EIGEN:
        return np.linalg.eigh(B)[1][:, -1]
    start = np.random.default_rng(0).random(len(B))
    return scipy.sparse.linalg.eigsh(B, k=1, which="LA", v0=start)[1][:, 0]


def _power(part: Covariance, z: np.ndarray, max_iter: int = 500) -> np.ndarray:
    """Nonnegative power steps until the variance rests or a feature drops out."""
    gradient = part.apply(z)
    value = z @ gradient
    for _ in range(max_iter):
        step = feasible.unit(np.maximum(gradient, 0.0))
        gradient = part.apply(step)
        gained = step @ gradient
        if not gained >= value or not step.any():
            break
        rested = gained - value <= 1e-13 * gained
        z, value = step, gained
        if rested or (z == 0).any():
            break
    return z


def _to_the_edge(part: Covariance, z: np.ndarray, leading: np.ndarray) -> np.ndarray:
    """Go from z > 0 along ± the leading eigenvector, which has both signs, until a loading is zero: the better end.

    On the circle through both, the variance grows all the way from z to the nearer of the two.
    """
    ends = []
    for v in (leading, -leading):
        with np.errstate(over="ignore"):
            first = int(np.argmax(-v / z))
        end = np.maximum(v * z[first] - z * v[first], 0.0)
        end[first] = 0.0
        ends.append(feasible.unit(end))
    return max(ends, key=part.variance)


def polish(problem: Problem, x: np.ndarray, *, monitor: Monitor = QUIET) -> tuple[np.ndarray, list[float]]:
    """Improve a feasible point by the best single swap, repeatedly.

    With feature i dropped and feature j let in, the best mixture of what is left of x and of e_j has the larger
    eigenvalue of a 2×2 matrix as its variance: all swaps are priced at once from a block of A. The best one is made,
    and the point climbs on from there. A support that is not full may also just take a feature in. Returned are the
    loadings and the variance after each round.
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
        if gained <= value * (1 + SWAP_GAIN):
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
    pull = feasible.allowed(gradient, nonnegative)
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
            return None if cov.diagonal.max() <= value * (1 + SWAP_GAIN) else problem.widest()
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
    pulled = feasible.allowed(pulls, nonnegative)
    prices = larger_eigenvalue(rest[:, None], pulled, cov.diagonal[outside])
    r, c = np.unravel_index(int(prices.argmax()), prices.shape)
    if not prices[r, c] > value * (1 + SWAP_GAIN):
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
