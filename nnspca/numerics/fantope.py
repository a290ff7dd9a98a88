"""The Fantope: symmetric matrices of trace r with eigenvalues from 0 to 1, and the projection onto it."""

from __future__ import annotations

import numpy as np

from nnspca.numerics.spectraplex import largest, pairs_needed


def onto_fantope(B: np.ndarray, r: int, rank: int | None = None) -> tuple[np.ndarray, int]:
    """Return the projection, with eigenvalues ``λ ↦ clip(λ − θ, 0, 1)`` of sum r, and its rank.

    ``rank`` is a guess: where few eigenvalues stay positive, only the largest are computed.

    Examples
    --------
    >>> onto_fantope(np.diag([3.0, 1.5, 1.25]), 2)
    (array([[1.   , 0.   , 0.   ],
           [0.   , 0.625, 0.   ],
           [0.   , 0.   , 0.375]]), 3)
    """
    values, vectors = largest((B + B.T) / 2, pairs_needed(len(B), rank))
    weights = _clipped(values, r)
    positive = weights > 0
    if positive[0] and len(values) < len(B):  # more may be positive than were computed
        return onto_fantope(B, r)
    eigenvectors = vectors[:, positive]
    return (eigenvectors * weights[positive]) @ eigenvectors.T, int(positive.sum())


def _clipped(values: np.ndarray, r: int) -> np.ndarray:
    """``clip(values − θ, 0, 1)`` with sum r: the sum is linear in θ between the values and the values less one."""
    knots = np.sort(np.concatenate([values, values - 1.0]))
    sums = np.clip(values - knots[:, None], 0.0, 1.0).sum(axis=1)
    theta = np.interp(r, sums[::-1], knots[::-1])
    return np.clip(values - theta, 0.0, 1.0)
