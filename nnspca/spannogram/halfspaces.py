"""(P_d): maximise a quadratic over the part of the unit sphere cut out by half-spaces.

    max c'Qc  over  ‖c‖ = 1,  Rc >= 0                                   (Asteris et al. 2014, section 5)

If the leading eigenvector ±u₁ of Q satisfies all inequalities, it is the maximiser. If not, some
inequality is active at a maximiser: along the great circle from an interior point to u₁ or −u₁ the
value does not decrease, and the circle leaves the set through a boundary point that is as good or
better. So each row r in turn is made active: c is restricted to the orthogonal complement of r, which
gives the same problem with one dimension and one row less. O(k^d) in all; d is 2, 3 or 4.
"""

from __future__ import annotations

import numpy as np

TOL = 1e-11  # relative to the row's norm: values above −TOL count as nonnegative


def maximise(Q: np.ndarray, R: np.ndarray) -> tuple[float, np.ndarray] | None:
    """Solve (P_d) exactly.

    Q is symmetric (d, d), R of shape (k, d). Zero rows are no constraints; equal or parallel rows are
    used once. Returned are the value and c, or None if only c = 0 satisfies Rc >= 0.

    >>> value, c = maximise(np.diag([4.0, 1.0]), np.array([[-1.0, 1.0], [1.0, 0.0]]))
    >>> round(value, 6), np.round(c, 6).tolist()
    (2.5, [0.707107, 0.707107])
    """
    norms = np.linalg.norm(R, axis=1)
    rows = R[norms > TOL * norms.max(initial=0.0)]
    rows = rows / np.linalg.norm(rows, axis=1)[:, None]
    return _solve(Q, _distinct(rows), rows)


def _solve(Q: np.ndarray, rows: np.ndarray, constraints: np.ndarray) -> tuple[float, np.ndarray] | None:
    """Try ±u₁, then each row active; ``rows`` (to be made active) and ``constraints`` are unit rows."""
    d = len(Q)
    values, vectors = np.linalg.eigh(Q)
    for c in (vectors[:, -1], -vectors[:, -1]):
        if (constraints @ c >= -TOL).all():
            return float(values[-1]), c
    if d == 1:
        return None
    if d == 2:
        return _on_a_circle(Q, rows, constraints)
    best: tuple[float, np.ndarray] | None = None
    for index, r in enumerate(rows):
        basis = _complement(r)
        inner = basis.T @ Q @ basis
        if best is not None and np.linalg.eigvalsh(inner)[-1] <= best[0]:
            continue
        projected = constraints @ basis
        size = np.linalg.norm(projected, axis=1)
        nonzero = size > TOL
        projected = projected[nonzero] / size[nonzero, None]
        # earlier rows were active already, alone and with all others
        rest = rows[index + 1 :] @ basis
        length = np.linalg.norm(rest, axis=1)
        rest = rest[length > TOL] / length[length > TOL, None]
        solution = _solve(inner, _distinct(rest), projected)
        if solution is not None and (best is None or solution[0] > best[0]):
            best = solution[0], basis @ solution[1]
    return best


def _on_a_circle(Q: np.ndarray, rows: np.ndarray, constraints: np.ndarray) -> tuple[float, np.ndarray] | None:
    """d = 2, ±u₁ infeasible: the best feasible point at which a row is zero."""
    across = np.stack([-rows[:, 1], rows[:, 0]], axis=1)
    points = np.concatenate([across, -across])
    points = points[(points @ constraints.T >= -TOL).all(axis=1)]
    if not len(points):
        return None
    heights = np.einsum("ri,ij,rj->r", points, Q, points)
    leader = int(heights.argmax())
    return float(heights[leader]), points[leader]


def _complement(r: np.ndarray) -> np.ndarray:
    """Orthonormal basis of the complement of a unit vector, from a Householder reflection, shape (d, d−1)."""
    w = r.copy()
    w[0] += 1.0 if r[0] >= 0 else -1.0
    return (np.eye(len(r)) - 2 * np.outer(w, w) / (w @ w))[:, 1:]


def _distinct(rows: np.ndarray) -> np.ndarray:
    """Unit rows without repeats or negatives of each other (they are active together)."""
    if len(rows) < 2:
        return rows
    lead = np.argmax(np.abs(rows) > 1e-9, axis=1)
    signs = np.sign(rows[np.arange(len(rows)), lead])
    _, first = np.unique(np.round(rows * signs[:, None], 9), axis=0, return_index=True)
    return rows[np.sort(first)]
