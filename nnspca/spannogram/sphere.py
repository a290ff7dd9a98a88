"""The rank-d optimum by branch and bound on the sphere: a best point and a converging proven upper bound.

The problem is ``max ‖V'x‖²`` over unit x with at most k nonzeros, nonnegative or not, with V of shape (n, d), d small:
the largest h(c)² over unit c (Asteris et al. 2014, eq. 13; without sign, Asteris et al. 2011, eq. 16). Relative
accuracy ε takes ε^{-(d-1)/2} cells at worst, in practice about d for each halving of the gap.
docs/mathematics/spannogram.md proves the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from nnspca.numerics import feasible, rounding

BATCH = 192  # cells split at a time
TOLERANCE, ROUNDS = 1e-9, 200  # of a search that is shown
ROOM = 1e-12  # relative margin of the upper bound, for a check that computes in another order
BATCH_ENTRIES = 4_000_000  # entries of Vc in memory at a time; half and twice as many take the same time


@dataclass(frozen=True, eq=False)
class Round:
    """The cells after one batch of splits, for display."""

    corners: np.ndarray  # of each leaf cell, shape (r, d', d); d' is d less the zero columns of V
    bounds: np.ndarray  # no ‖V'x‖² of the cell exceeds it, shape (r,)
    open: np.ndarray  # cells whose bound exceeds the best value: they may contain a better point
    value: float  # the best found
    upper: float  # the largest bound
    direction: np.ndarray  # unit V'x of the best point, shape (d,)
    examined: int  # cells bounded so far, split ones included


class Search:
    """The state of one search: corners with their heights, cells with their bounds."""

    def __init__(self, V: np.ndarray, k: int, nonnegative: bool) -> None:
        self.k, self.nonnegative = k, nonnegative
        peak = float(np.abs(V).max(initial=0.0))
        self.columns_used = np.flatnonzero(np.abs(V).max(axis=0, initial=0.0) > 0)  # columns that are not zero
        self.scale = peak if peak > 0 else 1.0
        self.V = np.ascontiguousarray(V[:, self.columns_used] / self.scale)
        self.d = len(self.columns_used)
        self.n, self.columns = V.shape
        self.evaluations = 0
        self.loadings = np.zeros(self.n)
        self.loadings[0] = 1.0
        self._value = 0.0  # of h, not squared, in units of scale
        norms = np.sort(np.einsum("ij,ij->i", self.V, self.V))[::-1]
        # h is the norm of k entries of Vc: bound on the sum of their rounding errors; the relative error of
        # the norm is added in _evaluate
        self.slack = rounding.projections(self.d) * float(np.sqrt(norms[:k].sum()))
        self.spare = 16 * self.slack  # added to the heights in the equations for y, to cover rounding
        self.row_slack = rounding.projections(self.d) * float(np.sqrt(norms[0])) if self.n else 0.0
        self.directions = np.zeros((0, self.d))
        self.heights = np.zeros(0)
        self.sets = np.zeros((0, 2 * ((self.n + 7) // 8)), dtype=np.uint8)  # bits of > 0, then of < 0
        self.midpoints: dict[tuple[int, int], int] = {}
        self.supports: dict[bytes, float] = {}
        self.cells = np.zeros((0, max(self.d, 1)), dtype=np.int64)
        self.bounds = np.zeros(0)
        self.children = np.zeros(0, dtype=np.int64)  # index of the first of two children; 0 for a leaf
        if self.d:  # start with the orthants; half of them suffice if h is even (no sign constraint)
            self._evaluate(np.vstack([np.eye(self.d), -np.eye(self.d)]))
            self._add(orthants(self.d, nonnegative))

    @property
    def value(self) -> float:
        """Best value found, in the units of the problem."""
        return (self._value * self.scale) ** 2

    def upper(self) -> float:
        """Largest bound among the leaves, in the units of the problem, rounded up."""
        if self.d == 0:
            return 0.0
        leaves = self.bounds[self.children == 0]
        return float((max(leaves.max(), self._value) * self.scale) ** 2 * (1 + ROOM))

    def closed(self, tol: float) -> bool:
        """Whether the largest bound is within ``tol`` of the best value."""
        return self.upper() <= self.value * (1 + tol)

    def snapshot(self, tol: float) -> Round:
        """The current leaves, in the coordinates and units of the problem."""
        leaves = np.flatnonzero(self.children == 0)
        d = self.columns
        corners = np.zeros((len(leaves), self.d, d))
        if self.d:
            corners[:, :, self.columns_used] = self.directions[self.cells[leaves]]
        direction = np.zeros(d)
        direction[self.columns_used] = feasible.unit(self.loadings @ self.V)
        bounds = (self.bounds[leaves] * self.scale) ** 2
        is_open = bounds > self.value * (1 + tol)
        return Round(corners, bounds, is_open, self.value, self.upper(), direction, len(self.cells))

    def split(self) -> bool:
        """Bisect the cells with the largest bounds; False if none can be split further."""
        open_cells = np.flatnonzero((self.children == 0) & (self.bounds > self._value))
        if self.d == 1 or not len(open_cells):
            return False
        if len(open_cells) > BATCH:
            open_cells = open_cells[np.argpartition(self.bounds[open_cells], -BATCH)[-BATCH:]]
        parents = self.cells[open_cells]
        i, j = longest_edges(self.directions[parents])
        rows = np.arange(len(parents))
        a, b = parents[rows, i], parents[rows, j]
        longest = np.linalg.norm(self.directions[a] - self.directions[b], axis=1)
        splittable = longest > 1e-7  # shorter edges are rounding
        if not splittable.any():
            return False
        parents, open_cells, i, j, a, b = (array[splittable] for array in (parents, open_cells, i, j, a, b))
        rows = np.arange(len(parents))
        middles = self._midpoints(a, b)
        left, right = parents.copy(), parents.copy()
        left[rows, j] = middles
        right[rows, i] = middles
        self.children[open_cells] = len(self.cells) + 2 * rows
        self._add(np.stack([left, right], axis=1).reshape(-1, self.d))
        return True

    def _midpoints(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Indices of the corners halfway between corners a and b, created if new."""
        keys = list(zip(np.minimum(a, b).tolist(), np.maximum(a, b).tolist(), strict=True))
        new_keys = [key for key in dict.fromkeys(keys) if key not in self.midpoints]
        if new_keys:
            ends = np.array(new_keys)
            first = len(self.directions)
            self._evaluate(feasible.unit(self.directions[ends[:, 0]] + self.directions[ends[:, 1]]))
            self.midpoints.update({key: first + r for r, key in enumerate(new_keys)})
        return np.array([self.midpoints[key] for key in keys])

    def _evaluate(self, directions: np.ndarray) -> None:
        """Compute h, rounded up, and the top sets at new corners; store the best point."""
        step = max(1, BATCH_ENTRIES // max(self.n, 1))
        heights, sets = [], []
        for start in range(0, len(directions), step):
            truncated = feasible.keep_top(directions[start : start + step] @ self.V.T, self.k, self.nonnegative)
            h = np.sqrt(np.einsum("ri,ri->r", truncated, truncated))
            heights.append(h)
            sets.append(np.hstack([np.packbits(truncated > 0, axis=1), np.packbits(truncated < 0, axis=1)]))
            leader = int(h.argmax())
            if h[leader] > self._value * (1 - 0.05):
                self._climb(truncated[leader])
        self.evaluations += len(directions)
        computed = np.concatenate(heights)
        self.directions = np.vstack([self.directions, directions])
        self.heights = np.concatenate([self.heights, rounding.raised(computed, self.k + 8) + self.slack])
        self.sets = np.vstack([self.sets, *sets])

    def _climb(self, w: np.ndarray) -> None:
        """Repeat c ← V'x, x ← top k of Vc (the value never decreases); store the limit if it is the best.

        If the top set stays the same, c becomes the leading direction of its rows, unless the top set there is worse.
        """
        x, value, last_support = feasible.unit(w), 0.0, None
        for _ in range(200):
            y = x @ self.V
            last_value, value = value, float(np.sqrt(y @ y))
            if value <= last_value * (1 + 1e-15):
                break
            if value > self._value:
                self._value, self.loadings = value, x
            support = np.flatnonzero(x)
            if last_support is not None and np.array_equal(support, last_support):
                rows = self.V[support]
                c = np.linalg.eigh(rows.T @ rows)[1][:, -1]
                candidate = feasible.argmax((c if c @ y > 0 else -c) @ self.V.T, self.k, self.nonnegative)
                z = candidate @ self.V
                if z @ z > y @ y:
                    x, last_support = candidate, None
                    continue
            last_support = support
            x = feasible.argmax(y @ self.V.T, self.k, self.nonnegative)
        self.evaluations += 1

    def _add(self, cells: np.ndarray) -> None:
        """Append cells with their bounds."""
        C, h = self.directions[cells], self.heights[cells]
        bounds = rounding.raised(np.sqrt(np.einsum("ri,ri->r", *2 * [least_norm(C, h, self.spare)])), 4)
        same = (self.sets[cells] == self.sets[cells[:, :1]]).all(axis=(1, 2))
        for r in np.flatnonzero(same & (bounds > self._value)):
            bounds[r] = min(bounds[r], self._support_bound(self.sets[cells[r, 0]]))
        above, below = np.split(np.bitwise_or.reduce(self.sets[cells], axis=1), 2, axis=1)
        few = np.bitwise_count(above | below).sum(axis=1) <= self.k
        for r in np.flatnonzero(few & ~same & (bounds > self._value)):
            if self._excludes_other_rows(np.unpackbits(above[r] | below[r], count=self.n).astype(bool), C[r]):
                bounds[r] = min(bounds[r], self._support_bound(np.concatenate([above[r], below[r]])))
        self.cells = np.vstack([self.cells, cells])
        self.bounds = np.concatenate([self.bounds, bounds])
        self.children = np.concatenate([self.children, np.zeros(len(cells), dtype=np.int64)])

    def _excludes_other_rows(self, support: np.ndarray, corners: np.ndarray) -> bool:
        """Whether no row outside the support is in a top set anywhere in the cell."""
        w = corners @ self.V[~support].T
        return bool(((w if self.nonnegative else np.abs(w)) <= self.row_slack / 2).all())

    def _support_bound(self, sets: np.ndarray) -> float:
        """Largest singular value of V on a top set, rounded up: h over a cell of that set."""
        key = sets.tobytes()
        if key not in self.supports:
            above, below = np.split(sets, 2)
            rows = self.V[np.unpackbits(above | below, count=self.n).astype(bool)]
            top = float(np.linalg.norm(rows, 2)) if len(rows) else 0.0
            excess = rounding.singular_value(len(rows), self.d, float(np.linalg.norm(rows)))
            excess += np.sqrt(self.k * self.d) * self.row_slack
            self.supports[key] = top + 2 * excess
        return self.supports[key]


def orthants(d: int, nonnegative: bool) -> np.ndarray:
    """Return the root cells as indices into (e₁ … e_d, −e₁ … −e_d), shape (2^d or 2^{d−1}, d)."""
    signs = np.array(list(product((0, 1), repeat=d)))
    if not nonnegative:
        signs = signs[signs[:, 0] == 0]
    return np.arange(d) + d * signs


def longest_edges(C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each simplex (r, d, d) the two corners of its longest edge, i < j; ties to the first.

    Lengths within a relative 1e-9 count as tied, so that a second split along the same tree does
    not depend on the last digit.
    """
    pairs = np.array(list(combinations(range(C.shape[1]), 2)))
    lengths = ((C[:, pairs[:, 0]] - C[:, pairs[:, 1]]) ** 2).sum(axis=2)
    longest = pairs[(lengths >= lengths.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)]
    return longest[:, 0], longest[:, 1]


def least_norm(C: np.ndarray, h: np.ndarray, spare: float) -> np.ndarray:
    """Return for each cell a short y with C y >= h, proven despite rounding.

    With all d inequalities tight, y solves C y = h. If that y lies outside the cone of the cell (a
    multiplier is negative), the inequalities with negative multipliers are dropped.

    C (r, d, d) has the corners as rows, h (r, d) their heights; the equations are solved for
    ``h + spare``: a few rounding errors of h are enough. Infinite if no such y was found.
    """
    target = h + spare
    y = np.linalg.solve(C, target[..., None])[..., 0]
    multipliers = np.linalg.solve(np.swapaxes(C, 1, 2), y[..., None])[..., 0]
    y = _raised(C, h, y)
    active = multipliers >= 0
    for _ in range(C.shape[1] - 1):
        outside = np.flatnonzero(~active.all(axis=1) & active.any(axis=1))
        if not len(outside):
            break
        remaining = active[outside]
        inverse = np.linalg.pinv(C[outside] * remaining[..., None], rcond=1e-13)
        candidate = (inverse @ (target[outside] * remaining)[..., None])[..., 0]
        raised = _raised(C[outside], h[outside], candidate)
        better = (raised**2).sum(axis=1) < (y[outside] ** 2).sum(axis=1)
        y[outside[better]] = raised[better]
        multipliers = (np.swapaxes(inverse, 1, 2) @ candidate[..., None])[..., 0]
        shrunk = remaining & (multipliers >= 0)
        stable = (shrunk == remaining).all(axis=1)
        active[outside] = shrunk
        active[outside[stable]] = True
    return y


def _raised(C: np.ndarray, h: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Scale each y up until C y >= h holds despite rounding; infinite if no scale suffices."""
    off = rounding.projections(C.shape[1]) * np.sqrt((y**2).sum(axis=1))[:, None]
    reach = (C @ y[..., None])[..., 0] - off
    with np.errstate(divide="ignore", invalid="ignore"):
        lift = rounding.raised(np.maximum((h / reach).max(axis=1), 1.0), 4)
        return np.where((reach > 0).all(axis=1)[:, None], y * lift[:, None], np.inf)


@dataclass(frozen=True, eq=False)
class SphereOptimum:
    """The best point of a rank-d problem, and its upper bound."""

    loadings: np.ndarray
    value: float  # ‖V'x‖² of the loadings
    upper: float  # no feasible ‖V'x‖² exceeds it, rounding included
    evaluations: int  # of h
    stopped: bool  # whether the search ended before the tolerance was met


def maximise(
    V: np.ndarray,
    k: int,
    *,
    nonnegative: bool = True,
    tol: float = 1e-9,
    max_cells: int = 1_000_000,
    should_stop: Callable[[], bool] | None = None,
    on_round: Callable[[float, float], None] | None = None,
    on_found: Callable[[np.ndarray], None] | None = None,
) -> SphereOptimum:
    """Maximise ``‖V'x‖²`` over the feasible set, V of shape (n, d), with a proven upper bound.

    The search ends when ``upper <= value * (1 + tol)``, or with ``max_cells`` cells. ``should_stop``
    is polled, and ``on_round`` called with (value, upper), after each batch; ``on_found`` is called
    with the loadings of the first point, and of each better one.

    >>> V = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, -3.0]])
    >>> best = maximise(V, k=2)
    >>> round(best.value, 6), bool(best.upper >= best.value)
    (9.0, True)
    """
    search = Search(V, k, nonnegative)
    stopped, reported = False, -np.inf
    while True:
        if on_found is not None and search.value > reported:
            reported = search.value
            on_found(search.loadings)
        if search.closed(tol):
            break
        if len(search.cells) >= max_cells or (should_stop is not None and should_stop()):
            stopped = True
            break
        if not search.split():
            break
        if on_round is not None:
            on_round(search.value, search.upper())
    stopped = stopped or not search.closed(tol)
    return SphereOptimum(search.loadings, search.value, search.upper(), search.evaluations, stopped)


def trace(V: np.ndarray, k: int, *, nonnegative: bool = True) -> Iterator[Round]:
    """Yield the cells of :func:`maximise` at the start and after each batch of splits.

    Cells within ``TOLERANCE`` count as closed.

    >>> rounds = list(trace(np.array([[2.0, 0.0], [0.0, 1.0], [0.0, -3.0]]), k=2))
    >>> rounds[0].corners.shape, bool(rounds[-1].open.any()), round(rounds[-1].value, 6)
    ((4, 2, 2), False, 9.0)
    """
    search = Search(V, k, nonnegative)
    yield search.snapshot(TOLERANCE)
    for _ in range(ROUNDS):
        if search.closed(TOLERANCE) or not search.split():
            return
        yield search.snapshot(TOLERANCE)
