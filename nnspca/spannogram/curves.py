"""The rank-2 spannogram: n curves over an angle, their crossings, and where the top-k set changes.

With ``c(φ) = (sin φ, cos φ)`` curve i is ``V_i1 sin φ + V_i2 cos φ`` (Asteris et al. 2014,
section 4.1). On (−π/2, π/2] the vector v(φ) and its negative cover the circle; here φ runs over
(−π/2, 3π/2] if loadings must be nonnegative, since v(φ + π) = −v(φ), and over (−π/2, π/2] if not
(then only |v(φ)| counts, Asteris et al. 2011).

A *cell* is an interval between crossings of any two curves (or of one with zero): the order is
constant on it. A *region* is an interval on which the top-k set is constant, which is coarser and
enough for the optimum; :mod:`nnspca.spannogram.arcs` finds the regions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.spannogram.arcs import Regions, regions
from nnspca.spannogram.intersections import ZERO, Crossings, crossings, values

__all__ = [
    "ZERO",
    "Crossings",
    "Optimum",
    "Regions",
    "crossings",
    "feasible_arc",
    "objective",
    "optimum",
    "regions",
    "values",
]


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best angle of a rank-2 problem."""

    phi: float
    value: float  # largest ‖V'x‖² over the feasible set
    support: np.ndarray


def optimum(V: np.ndarray, k: int, *, nonnegative: bool = True, precomputed: Regions | None = None) -> Optimum:
    """Solve the rank-2 problem exactly: in each region the best angle is known in closed form.

    With the top set I fixed the objective is c'Qc, ``Q = V_I'V_I``: half its trace plus a cosine of
    twice the angle, largest at the leading eigenvector of Q if that lies in the region, else at an
    end of it. Q changes by one or two rows from region to region, so all of them come from running
    sums.

    Examples
    --------
    >>> best = optimum(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, -3.0]]), k=1)
    >>> round(best.value, 6), best.support.tolist()
    (9.0, [2])
    """
    precomputed = regions(V, k, nonnegative=nonnegative) if precomputed is None else precomputed
    products = np.stack([V[:, 0] ** 2, V[:, 0] * V[:, 1], V[:, 1] ** 2], axis=1)
    padded = np.vstack([products, np.zeros(3)])  # row −1 stands for no curve
    steps = padded[precomputed.entering] - padded[precomputed.leaving]
    q = products[precomputed.first].sum(axis=0) + np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    edges = np.concatenate([[precomputed.start], precomputed.angles, [precomputed.end]])
    left, right = edges[:-1], edges[1:]
    mean, cosine, sine = (q[:, 0] + q[:, 2]) / 2, (q[:, 2] - q[:, 0]) / 2, q[:, 1]
    peak = np.arctan2(sine, cosine) / 2  # objective = mean + hypot(cosine, sine) · cos(2(φ − peak))
    peak = peak + np.pi * np.ceil((left - peak) / np.pi)
    inside = peak <= right
    angles = np.stack([left, right, np.where(inside, peak, left)], axis=1)
    heights = mean[:, None] + cosine[:, None] * np.cos(2 * angles) + sine[:, None] * np.sin(2 * angles)
    region, column = np.unravel_index(int(heights.argmax()), heights.shape)
    phi = float(angles[region, column])
    support = precomputed.support(int(region))
    w = values(V[support], phi)
    if nonnegative:
        support, w = support[w > 0], w[w > 0]
    return Optimum(phi, float((w**2).sum()), support)


def objective(V: np.ndarray, k: int, phi: np.ndarray, *, nonnegative: bool = True) -> np.ndarray:
    """Return ``g(c(φ))``, the sum of squares of the top-k (positive) values, at each angle."""
    w = values(V, phi)
    score = np.maximum(w, 0.0) if nonnegative else np.abs(w)
    if k < score.shape[-1]:
        score = np.partition(score, -k, axis=-1)[..., -k:]
    return (score**2).sum(axis=-1)


def feasible_arc(V: np.ndarray, support: np.ndarray) -> tuple[float, float] | None:
    """Return the arc of angles at which every curve of the support is nonnegative; None if there is none.

    It is the feasible set of (P₂) (Asteris et al. 2014, Fig. 2): an intersection of half circles,
    so an arc of length at most π, or the whole circle (−π/2, 3π/2) where every row is zero.

    Examples
    --------
    >>> low, high = feasible_arc(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]))
    >>> round(low / np.pi, 3), round(high / np.pi, 3)
    (0.0, 0.5)
    """
    rows = V[support]
    rows = rows[rows.any(axis=1)]
    if not len(rows):
        return -np.pi / 2, 3 * np.pi / 2
    peaks = np.arctan2(rows[:, 0], rows[:, 1])
    offset = (peaks - peaks[0] + np.pi) % (2 * np.pi) - np.pi  # peaks as seen from the first
    low, high = float(offset.max()) - np.pi / 2, float(offset.min()) + np.pi / 2
    if low > high + 1e-12:
        return None
    return float(peaks[0]) + low, float(peaks[0]) + max(high, low)
