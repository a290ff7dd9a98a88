"""Limits on a component beyond k and sign: at most so many features of each group, and no loading above a value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nnspca.control.arguments import check_number, check_several, check_whole, shown
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, SomeFeatures, places_of
from nnspca.result import Component
from nnspca.solvers.climb import Best, leading_rows, optimise_on_support, products

Groups = Iterable[tuple[SomeFeatures, int]]
STARTS, DIRECTIONS, LEADERS, TRIED = 50, 8, 3, 20  # single features, eigenvectors; points with swaps; partners of each
CLIMB_STEPS, ROUGH, FINE = 2000, 1e-6, 1e-13  # of one climb, which rests at a smaller relative gain


@dataclass(frozen=True, eq=False)
class Caps:
    """What :func:`check_limits` has checked."""

    k: int
    nonnegative: bool
    group: np.ndarray  # of each feature, -1 for none
    most: np.ndarray  # features of each group
    largest: float  # loading

    def best(self, g: np.ndarray) -> np.ndarray:
        """The feasible unit vector that g has most of: the k largest entries that groups allow, evened at the cap."""
        w = g if self.nonnegative else np.abs(g)
        taken: list[int] = []
        used = np.zeros(len(self.most), dtype=int)
        needed = math.ceil(1 / self.largest**2 - 1e-9)  # to have length one
        for i in np.argsort(-w, kind="stable").tolist():
            own = self.group[i]
            if len(taken) == self.k or (w[i] <= 0 and len(taken) >= needed):
                break
            if own >= 0:
                used[own] += 1
            if own < 0 or used[own] <= self.most[own]:
                taken.append(i)
        x = np.zeros(len(g))
        x[taken] = _evened(np.maximum(w[taken], 0.0), self.largest)
        return x if self.nonnegative else np.where(g < 0, -x, x)

    def amiss(self, x: np.ndarray) -> str:
        """Why loadings are beyond the limits; empty if they are not."""
        if (largest := float(np.abs(x).max())) > self.largest * (1 + 1e-9):
            return f"its largest loading is {largest:g}, above max_loading={self.largest:g}"
        used = np.bincount(self.group[(x != 0) & (self.group >= 0)], minlength=len(self.most))
        if (over := np.flatnonzero(used > self.most)).size:
            return f"it has {used[over[0]]} features of group {over[0]}, of which {self.most[over[0]]} are allowed"
        return ""


def _evened(w: np.ndarray, cap: float) -> np.ndarray:
    """The unit vector with entries from 0 to ``cap`` that is nearest to descending w >= 0."""
    for full in range(len(w) + 1):  # entries at the cap
        left, rest = 1.0 - full * cap**2, np.linalg.norm(w[full:])
        if rest == 0:  # nothing more to follow: the cap on as few as possible
            x = np.where(np.arange(len(w)) < math.floor(1 / cap**2 + 1e-9), cap, 0.0)
            x[np.count_nonzero(x) : np.count_nonzero(x) + 1] = math.sqrt(max(1 - float(x @ x), 0.0))
            return x
        tail = w[full:] * (math.sqrt(max(left, 0.0)) / rest)
        if full == len(w) or tail[0] <= cap:
            return np.concatenate([np.full(full, cap), tail])
    raise AssertionError("the last round returns")


def check_limits(
    cov: Covariance, left: np.ndarray, k: int, nonnegative: bool, groups: Groups | None, max_loading: Any
) -> Caps | None:
    """Return limits for the features left, None for none; ValueError where they contradict k or each other."""
    if groups is None and max_loading is None:
        return None
    n, names = cov.n_features, cov.feature_names
    group, most = np.full(n, -1), []
    for number, pair in enumerate(check_several("groups", groups or (), "pairs", "(features, most)")):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"groups holds {shown(pair)}; give pairs (features, most)")
        places = np.array(places_of("groups", pair[0], n, names), dtype=int)
        if (twice := places[group[places] >= 0]).size:
            raise ValueError(f"groups {group[twice[0]]} and {number} share feature {twice[0]}; give disjoint groups")
        group[places] = number
        most.append(check_whole("the most of a group", pair[1], 0))
    group, allowed = group[left], np.array(most, dtype=int)
    room = int((group < 0).sum() + np.minimum(allowed, np.bincount(group[group >= 0], minlength=len(most))).sum())
    if room < k:
        raise ValueError(f"groups allow {room} features together, and k={k} is more; give a smaller k, or allow more")
    least = 1 / math.sqrt(k)
    largest = 1.0 if max_loading is None else check_number("max_loading", max_loading, least, 1, "a loading")
    return Caps(k, nonnegative, group, allowed, largest)


def limited(problem: Problem, limits: Caps, *, rng: np.random.Generator, monitor: Monitor) -> Component:
    """Climb from single features, eigenvectors and random points, then swap features while that helps."""
    best = Best(problem, monitor)
    points = []
    for start in _starts(problem, rng, monitor):
        points.append(_climbed(problem, limits, start, monitor))
        best.offer(points[-1])
        if monitor.stop():
            break
    leaders = sorted(points, key=lambda x: -problem.cov.variance(x))[:LEADERS]
    for leader in leaders:
        x, better = _climbed(problem, limits, leader, monitor, FINE), True
        while better and not monitor.stop():
            better = False
            g = np.abs(problem.cov.apply(x))
            outside = np.flatnonzero(x == 0)
            for j in outside[np.argsort(-g[outside], kind="stable")[:TRIED]].tolist():
                for i in np.flatnonzero(x).tolist():
                    y = x.copy()
                    y[i], y[j] = 0.0, x[i]
                    y = _climbed(problem, limits, y, monitor)
                    if problem.cov.variance(y) > problem.cov.variance(x) * (1 + ROUGH):
                        x, better = _climbed(problem, limits, y, monitor, FINE), True
                        break
                if better or monitor.stop():
                    break
        best.offer(x)
    note = "within groups or below a largest loading; an upper bound without these limits holds with them"
    return problem.component(best.loadings, "best", best.history, stopped=monitor.stop(), note=note)


def _starts(problem: Problem, rng: np.random.Generator, monitor: Monitor) -> Iterator[np.ndarray]:
    for i in np.argsort(-problem.cov.diagonal, kind="stable")[:STARTS].tolist():
        yield np.eye(1, problem.n, i)[0]
    for row in leading_rows(problem, min(DIRECTIONS, problem.n), monitor).T:
        yield from (row, -row)
    yield from rng.standard_normal((DIRECTIONS, problem.n))


def _climbed(problem: Problem, limits: Caps, start: np.ndarray, monitor: Monitor, rest: float = ROUGH) -> np.ndarray:
    """Maximise the linearisation of x'Ax again and again: it is convex, so no step loses variance."""
    cov = problem.cov
    x = limits.best(products(cov, start[None], monitor)[0])
    value = cov.variance(x)
    for _ in range(CLIMB_STEPS):
        y = limits.best(cov.apply(x))
        gained = cov.variance(y)
        if not gained > value * (1 + rest) or monitor.stop():
            break
        x, value = y, gained
    if limits.largest == 1.0 and rest == FINE:
        x = optimise_on_support(cov, x, nonnegative=problem.nonnegative, monitor=monitor)
    return x
