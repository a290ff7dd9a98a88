"""Re-checks a cover of the sphere, cell by cell, with recomputed values of h.

h(c) is the norm of the k largest entries of (Vc)⁺, or of |Vc| without the sign constraint."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from nnspca.certificates.numbers import at_most
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
# maximum size of a tree, several times that of a thorough search: a larger one fits in a file but not in memory
NODES = 2**20
DEEPEST = 2000  # maximum depth of the tree: at greater depth the cells are smaller than rounding errors


def check_cover(tree: np.ndarray, V: np.ndarray, inner: float, k: int, nonnegative: bool) -> None:
    """Re-split the orthants along the tree, and bound every leaf from recomputed h: ‖V'x‖² is at most inner."""
    if len(tree) > NODES:
        raise CertificateError(f"the cover has {len(tree):,} cells; {NODES:,} are checked at most")
    V = V[:, np.abs(V).max(axis=0) > 0]
    d = V.shape[1]
    cells, depth = _leaves(tree, d, nonnegative)
    grace = 1 + (8 + 4 * depth) * EPS  # a rounded midpoint may leave a sliver of two roundings' width uncovered
    corners, index = np.unique(cells.reshape(-1, d), axis=0, return_inverse=True)
    heights, spare = _heights(V, corners, k, nonnegative)
    claimed = float(np.sqrt(inner))
    bounds = _interpolated(cells, heights[index.reshape(len(cells), d)], spare, claimed, grace)
    above = np.flatnonzero(~(bounds * grace <= claimed))
    step = max(1, 2_000_000 // V.size)
    known: dict[bytes, float] = {}
    for start in range(0, len(above), step):
        chosen = above[start : start + step]
        constant, tops = _constant_supports(V, cells[chosen], k, nonnegative)
        for r, is_constant, top in zip(chosen.tolist(), constant, tops, strict=True):
            if not is_constant:
                raise CertificateError(f"cell {r} of the cover is bounded by {bounds[r] ** 2!r}, above {inner!r}")
            key = np.packbits(top).tobytes()
            if key not in known:
                known[key] = _largest_singular_value(V, V[top], k)
            if not at_most(known[key] * grace, claimed):
                raise CertificateError(
                    f"cell {r} of the cover has a support of variance {known[key] ** 2!r}, above {inner!r}"
                )


def _constant_supports(V: np.ndarray, C: np.ndarray, k: int, nonnegative: bool) -> tuple[np.ndarray, np.ndarray]:
    """Whether one support is optimal all over each cell, and the support at its middle, as a mask.

    The k largest (positive) entries of Vc in the middle must be the largest at every corner, with
    the signs they have in the middle: these comparisons are linear in c, so they carry over to the
    cell.
    """
    (n, d), r = V.shape, len(C)
    middle = C.sum(axis=1) @ V.T
    score = np.maximum(middle, 0.0) if nonnegative else np.abs(middle)
    order = np.argsort(-score, axis=1, kind="stable")[:, :k]
    tops = np.zeros((r, n), dtype=bool)
    np.put_along_axis(tops, order, np.take_along_axis(score, order, axis=1) > 0, axis=1)
    w = C @ V.T  # (cells, corners, n)
    inside = np.where(tops[:, None], w * np.where(middle < 0, -1.0, 1.0)[:, None], np.inf).min(axis=2)
    outside = np.where(tops[:, None], 0.0, np.maximum(w, 0.0) if nonnegative else np.abs(w)).max(axis=2)
    full = (tops.sum(axis=1) == k)[:, None]
    tolerance = (d + 4) * EPS * np.sqrt((V**2).sum(axis=1).max())
    is_constant = (inside >= np.where(full, outside, 0.0) - tolerance) & (full | (outside <= tolerance))
    # if at most k rows are nonzero anywhere in the cell, they are a constant support, too
    is_nonzero = ((w if nonnegative else np.abs(w)) > tolerance).any(axis=1)
    few = is_nonzero.sum(axis=1) <= k
    return few | is_constant.all(axis=1), np.where(few[:, None], is_nonzero, tops)


def _largest_singular_value(V: np.ndarray, rows: np.ndarray, k: int) -> float:
    """The largest singular value of the rows of a constant support, plus an allowance for rounding of h in the cell."""
    d = V.shape[1]
    # each of k comparisons may be wrong by the tolerance and two rounding errors; a unit vector in the
    # cell combines corners with weights that sum to at most √d
    slack = 2 * (d + 4) * EPS * np.sqrt(k * d) * np.sqrt((V**2).sum(axis=1).max())
    top = float(np.linalg.norm(rows, 2)) if len(rows) else 0.0
    # sums of equal rows have equal rounding errors, which add up: the allowance grows with the number of rows
    return top * (1 + 4 * d * EPS) + (4 * (d + 4) + 2 * len(rows) * d) * EPS * float(np.linalg.norm(rows)) + slack


def _leaves(tree: np.ndarray, d: int, nonnegative: bool) -> tuple[np.ndarray, int]:
    """Corners of every leaf, shape (leaves, d, d), and the depth of the tree, which must be complete."""
    if len(tree) < 2 ** (d if nonnegative else d - 1):
        raise CertificateError("the cover leaves part of the sphere unproven")
    signs = [s for s in product((1.0, -1.0), repeat=d) if nonnegative or s[0] > 0]
    levels = _levels(tree, len(signs))
    cells = np.array([np.diag(s) for s in signs])
    pairs = np.array(list(combinations(range(d), 2)))
    leaves = []
    for splits in levels:
        leaves.append(cells[~splits])
        parents = cells[splits]
        if not len(parents):
            continue
        if d == 1:
            raise CertificateError("the cover splits a point")
        lengths = np.square(parents[:, pairs[:, 0]] - parents[:, pairs[:, 1]]).sum(axis=2)
        longest = pairs[np.argmax(lengths >= lengths.max(axis=1)[:, None] * (1 - 1e-9), axis=1)]
        rows = np.arange(len(parents))
        middle = parents[rows, longest[:, 0]] + parents[rows, longest[:, 1]]
        middle /= np.linalg.norm(middle, axis=1)[:, None]
        cells = np.repeat(parents, 2, axis=0)
        cells[2 * rows, longest[:, 1]] = middle
        cells[2 * rows + 1, longest[:, 0]] = middle
    return np.concatenate(leaves), len(levels)


def _levels(tree: np.ndarray, roots: int) -> list[np.ndarray]:
    """Turn preorder bits into one array of bits per level, ordered by parent."""
    levels: list[list[bool]] = [[]]
    stack = [0] * roots  # depth of each cell still to be listed
    for splits in tree.tolist():
        if not stack:
            raise CertificateError("the cover lists more cells than the sphere has")
        depth = stack.pop()
        if depth > DEEPEST:
            raise CertificateError(f"the cover is split more than {DEEPEST} times at one place")
        if depth == len(levels):
            levels.append([])
        levels[depth].append(splits)
        if splits:
            stack += [depth + 1, depth + 1]
    if stack:
        raise CertificateError(f"the cover leaves {len(stack)} part(s) of the sphere unproven")
    return [np.array(level, dtype=bool) for level in levels]


def _heights(V: np.ndarray, corners: np.ndarray, k: int, nonnegative: bool) -> tuple[np.ndarray, float]:
    """Upper bounds on h at the corners, and an allowance of several rounding errors of h."""
    n, d = V.shape
    heights = np.zeros(len(corners))
    largest = np.sort((V**2).sum(axis=1))[::-1][:k].sum()
    step = max(1, 2_000_000 // n)
    for start in range(0, len(corners), step):
        w = corners[start : start + step] @ V.T
        w = np.maximum(w, 0.0) if nonnegative else np.abs(w)
        largest_k = np.sort(w, axis=1)[:, n - k :]
        heights[start : start + step] = np.sqrt((largest_k**2).sum(axis=1))
    slack = (d + 4) * EPS * float(np.sqrt(largest))
    return heights * (1 + (k + 8) * EPS) + slack, 16 * slack


def _interpolated(C: np.ndarray, h: np.ndarray, spare: float, claimed: float, grace: float) -> np.ndarray:
    """For each cell, the least norm of some y with C y >= h: least-norm solutions of C y = h on corners, scaled up.

    All sets of corners are tried, largest first, until a cell's bound is below what is claimed.
    """
    d = C.shape[1]
    least = np.full(len(C), np.inf)
    for size in range(d, 0, -1):
        for tight in combinations(range(d), size):
            open_cells = np.flatnonzero(~(least * grace <= claimed))
            if not len(open_cells):
                return least
            cell, top = C[open_cells], h[open_cells]
            y = (np.linalg.pinv(cell[:, tight], rcond=1e-13) @ (top[:, tight, None] + spare))[..., 0]
            reach = np.einsum("rij,rj->ri", cell, y)
            norm = np.sqrt((y**2).sum(axis=1))
            reach -= (d + 4) * EPS * norm[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                bounds = norm * np.maximum((top / reach).max(axis=1), 1.0)
            bounds = np.where((reach > 0).all(axis=1), bounds, np.inf)
            least[open_cells] = np.minimum(least[open_cells], bounds)
    return least
