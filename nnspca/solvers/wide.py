"""Starts for very many features: what rows of A lead to, polished."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import raise_if_stopped
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.solvers.climb import batches, climb, climb_by_width, distinct_supports, polish, products
from nnspca.solvers.reduced import entry_by_entry, in_single

ROUND_RESTARTS = 4  # restarts in a round, whose starts share products with A: a round is always whole
FEWEST_ROWS, MOST_ROWS, READING = 256, 2048, 0.1  # rows of A that a round reads, and seconds for those beyond
FIRST_ROWS = 32  # features of largest variance whose rows the first round reads as well
DIRECTIONS = 8  # random ones of each round
MEASURED = 64  # starts whose variance is computed, those with the largest lower bounds
APART, CLIMBED, LEADING = 24, 8, 2  # starts that take one step, that climb to rest, and that are narrowed and polished
RESTS = 1e-6  # relative gain at which a climb in single precision ends
BEHIND = 0.02  # share of the best variance that a leader may be below it and still be polished
POLISHED = 3  # times k features outside the leader, among which it is polished first
CLOSE = 0.001  # share that it may be below the best variance then, and still be polished on all features


def best_of_rows(
    problem: Problem, rng: np.random.Generator, monitor: Monitor, restarts: int
) -> tuple[np.ndarray, list[float]]:
    """The best point that climbs from rows of A lead to, polished; and the best variance after each leader.

    A round depends on those before it only, so more restarts are never worse.
    """
    single = replace(problem, cov=in_single(problem.cov, rng))
    order, streams = rng.permutation(problem.n), rng.spawn(-(-restarts // ROUND_RESTARTS))
    count = int(np.clip(READING / single.cov.held.reading_seconds(order[:1]), FEWEST_ROWS, MOST_ROWS))
    best, history, met = problem.widest(), [float(problem.cov.diagonal.max())], set[bytes]()
    for number, stream in enumerate(streams):
        part = monitor.part(number / len(streams), (number + 1) / len(streams))
        features = order.take(np.arange(count) + count * number, mode="wrap")
        if number == 0:
            features = np.union1d(features, np.argsort(-single.cov.diagonal, kind="stable")[:FIRST_ROWS])
        for leader in _leaders(single, _starts(single, features, stream, part), part.without_points()):
            if (key := np.packbits(leader != 0).tobytes()) not in met:
                met.add(key)
                x = _polished(problem, feasible.unit(leader.astype(float)), history[-1], part)
                best = x if problem.cov.variance(x) > history[-1] else best
                history.append(max(history[-1], problem.cov.variance(best)))
        part.tell(1.0, f"round {number + 1} of {len(streams)} from rows of the covariance", history[-1])
    return best, history


def _starts(single: Problem, features: np.ndarray, rng: np.random.Generator, monitor: Monitor) -> np.ndarray:
    """Rows of A and random directions, each cut to k entries: the highest whose supports share at most half."""
    cov = single.cov
    directions = rng.standard_normal((DIRECTIONS, single.n)).astype(cov.diagonal.dtype)
    for _ in range(2):
        directions = feasible.unit(products(cov, directions, monitor))
    points = single.best(np.vstack([directions, -directions]))
    least = cov.variance(points)
    for few in batches(features, cov, monitor):
        rows = cov.block(few)
        top = np.maximum(feasible.largest_entries(rows if single.nonnegative else np.abs(rows), single.k), 0.0)
        # x'Ax >= (a'x)² / a_jj, where a is row j
        bounds = np.einsum("ri,ri->r", top, top) / np.where(cov.diagonal[few] > 0, cov.diagonal[few], np.inf)
        points, least = np.vstack([points, single.best(rows)]), np.concatenate([least, bounds])
        highest = np.argsort(-least, kind="stable")[:MEASURED]
        points, least = points[highest], least[highest]
    variances = []
    for x in points:
        raise_if_stopped(monitor)
        variances.append(cov.variance(x))
    points = points[np.argsort(-np.array(variances), kind="stable")]
    used = (points != 0).astype(np.float32)
    shared, chosen = used @ used.T, [0]
    for i in range(1, len(points)):
        if len(chosen) < APART and (shared[i, chosen] <= shared[i, i] / 2).all():
            chosen.append(i)
    return points[chosen]


def _leaders(single: Problem, starts: np.ndarray, monitor: Monitor) -> np.ndarray:
    """The highest points that starts lead to, as rows: climbed, and narrowed from wider supports."""
    points, variances = climb(single, starts, monitor=monitor, max_iter=1)
    points, variances = climb(
        single, points[np.argsort(-variances, kind="stable")[:CLIMBED]], monitor=monitor, tol=RESTS
    )
    raise_if_stopped(monitor)
    leaders = points[distinct_supports(points, np.argsort(-variances, kind="stable"), LEADING)]
    return np.vstack([leaders, climb_by_width(single, leaders, monitor)[0]])


def _polished(problem: Problem, x: np.ndarray, best: float, monitor: Monitor) -> np.ndarray:
    """A leader after swaps with the features that pull most, and on all features where that is near the best."""
    cov = problem.cov
    gradient = cov.apply(x)
    if x @ gradient < best * (1 - BEHIND):
        return x
    pulls = gradient if problem.nonnegative else np.abs(gradient)
    pulls[(x != 0) | problem.included] = np.inf
    near = np.sort(np.argsort(-pulls, kind="stable")[: (1 + POLISHED) * problem.k])
    include = tuple(np.searchsorted(near, problem.include).tolist())
    few = replace(problem, cov=entry_by_entry(cov, near), include=include)
    x[near], _ = polish(few, x[near], monitor=monitor.on_features(near, problem.n, cov.variance))
    if cov.variance(x) > best * (1 - CLOSE):
        x, _ = polish(problem, climb(problem, x[None], monitor=monitor)[0][0], monitor=monitor)
    return x
