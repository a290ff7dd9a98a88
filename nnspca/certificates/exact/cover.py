"""Writes a cover of the sphere in whole numbers: exact corners of all splits, and a point that bounds each cell.

The search for an upper bound on ‖V'x‖² halves edges at rounded corners, which an exact checker
could not follow. Here the sphere is parted afresh, along corners that are sums of two, until each
cell has a point z, c'z >= h(c) at each corner, that is no longer than the upper bound allows
(:mod:`nnspca.spannogram.sphere` explains why ‖z‖² bounds ‖V'x‖² in the cell).
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from nnspca.numerics import feasible, rounding

CELLS = 60_000  # most cells of a cover that is written: the checker takes k·n·d products and more for each
SHORTEST = 1e-7  # edge that is halved: below, rounding is all that is left
ROOM = 1e-13  # share of the upper bound that rounding of a point may take
Corner = tuple[int, ...]


def write_cover(
    V: np.ndarray, shift: int, k: int, nonnegative: bool, inner: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return splits in preorder and a point for each leaf; None if the bound needs more cells than allowed.

    Parameters
    ----------
    V : ndarray of int64, shape (n, d)
        Multiples of 2^-shift, and so are the points.
    shift : int
    k : int
    nonnegative : bool
    inner : float
        What ‖V'x‖² is claimed not to exceed.
    """
    cover = _Cover(np.ldexp(V.astype(float), -shift), min(k, len(V)), nonnegative)
    longest = float(np.sqrt(inner)) * (1 - ROOM)
    d = V.shape[1]
    cells = cover.roots()
    open_cells, first = cells, 0
    points, children, edges = np.zeros((0, d)), np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    while len(open_cells):
        new_points = _points(cover.directions[open_cells], cover.heights[open_cells], cover.spare, longest)
        points = np.vstack([points, new_points])
        parted = np.flatnonzero(~(np.sqrt((new_points**2).sum(axis=1)) <= longest))
        if first + len(open_cells) + 2 * len(parted) > CELLS or (d == 1 and len(parted)):
            return None
        own, own_edges = np.zeros(len(open_cells), dtype=int), np.full(len(open_cells), -1)
        own[parted] = first + len(open_cells) + 2 * np.arange(len(parted))
        if len(parted):
            parents = open_cells[parted]
            corners, rows = cover.directions[parents], np.arange(len(parents))
            pairs = np.array(list(combinations(range(d), 2)))
            lengths = np.linalg.norm(corners[:, pairs[:, 0]] - corners[:, pairs[:, 1]], axis=2)
            if not (lengths.max(axis=1) > SHORTEST).all():
                return None
            i, j = pairs[lengths.argmax(axis=1)].T
            own_edges[parted] = i * d + j
            middles = cover.middles(parents[rows, i], parents[rows, j])
            sides = np.repeat(parents, 2, axis=0)
            sides[2 * rows, i], sides[2 * rows + 1, j] = middles, middles
        children, edges = np.concatenate([children, own]), np.concatenate([edges, own_edges])
        first += len(open_cells)
        open_cells = sides if len(parted) else open_cells[:0]
    order = _preorder(children, len(cells))
    leaves = order[children[order] == 0]
    return edges[order], np.rint(np.ldexp(points[leaves] * (1 + 4 * rounding.EPS), shift)).astype(np.int64)


def _points(C: np.ndarray, h: np.ndarray, spare: float, longest: float) -> np.ndarray:
    """For each cell a short z with c'z >= h(c) at its corners, found by equality at sets of corners."""
    best, least = np.full(h.shape, np.inf), np.full(len(C), np.inf)
    d = C.shape[1]
    for size in range(d, 0, -1):
        for tight in combinations(range(d), size):
            cells = np.flatnonzero(~(least <= longest))
            if not len(cells):
                return best
            z = (np.linalg.pinv(C[cells][:, tight], rcond=1e-13) @ (h[cells][:, tight, None] + spare))[..., 0]
            norm = np.sqrt((z * z).sum(axis=1))
            reach = (C[cells] @ z[..., None])[..., 0] - rounding.projections(d) * norm[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                lift = rounding.raised(np.maximum((h[cells] / reach).max(axis=1), 1.0), 4)
            better = (reach > 0).all(axis=1) & (norm * lift < least[cells])
            least[cells[better]], best[cells[better]] = (norm * lift)[better], (z * lift[:, None])[better]
    return best


def _preorder(children: np.ndarray, roots: int) -> np.ndarray:
    """Cells in the checker's order: the root, and the side, that was listed last comes first."""
    order, stack = [], list(range(roots))
    while stack:
        cell = stack.pop()
        order.append(cell)
        if children[cell]:
            stack += [int(children[cell]), int(children[cell]) + 1]
    return np.array(order)


class _Cover:
    """Corners, as exact whole numbers and as directions, with h rounded up."""

    def __init__(self, V: np.ndarray, k: int, nonnegative: bool) -> None:
        self.V, self.k, self.nonnegative = V, k, nonnegative
        self.d = V.shape[1]
        norms = np.sort((V * V).sum(axis=1))[::-1]
        self.slack = rounding.projections(self.d) * float(np.sqrt(norms[:k].sum()))
        self.spare = 16 * self.slack
        self.corners: list[Corner] = []
        self.places: dict[Corner, int] = {}
        self.directions, self.heights = np.zeros((0, self.d)), np.zeros(0)

    def roots(self) -> np.ndarray:
        """The orthants (half of them if h is even) in the checker's order."""
        signs = [s for s in product((1, -1), repeat=self.d) if self.nonnegative or s[0] > 0]
        cells = [[tuple(s * (i == j) for j in range(self.d)) for i, s in enumerate(sign)] for sign in signs]
        self._add([corner for cell in cells for corner in cell])
        return np.array([[self.places[corner] for corner in cell] for cell in cells])

    def middles(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Indices of the corners between two, created if new: their sum, after both have about the same length."""
        centres = []
        for p, q in zip(one.tolist(), other.tolist(), strict=True):
            c, e = self.corners[p], self.corners[q]
            a, b = (sum(v * v for v in corner).bit_length() // 2 for corner in (c, e))
            centres.append(tuple((v << max(b - a, 0)) + (w << max(a - b, 0)) for v, w in zip(c, e, strict=True)))
        self._add(centres)
        return np.array([self.places[corner] for corner in centres])

    def _add(self, corners: list[Corner]) -> None:
        fresh = [corner for corner in dict.fromkeys(corners) if corner not in self.places]
        if not fresh:
            return
        self.places.update({corner: len(self.corners) + r for r, corner in enumerate(fresh)})
        self.corners += fresh
        directions = feasible.unit(np.array(fresh, dtype=float))
        self.directions = np.vstack([self.directions, directions])
        step = max(1, 4_000_000 // len(self.V))
        for start in range(0, len(fresh), step):
            truncated = feasible.keep_top(directions[start : start + step] @ self.V.T, self.k, self.nonnegative)
            h = rounding.raised(np.sqrt(np.einsum("ri,ri->r", truncated, truncated)), self.k + 8) + self.slack
            self.heights = np.concatenate([self.heights, h])
