"""The spectraplex: positive semidefinite matrices of trace 1, and the way to the nearest of them."""

from __future__ import annotations

import numpy as np
import scipy.linalg

FEW_PAYS = 150  # features from which a few eigenpairs cost less than all


def onto_spectraplex(B: np.ndarray, rank: int | None = None) -> tuple[np.ndarray, int]:
    """Return the nearest such matrix, its eigenvalues projected onto the simplex, and its rank.

    ``rank`` is a guess: where few eigenvalues stay positive, only the largest are computed.

    Examples
    --------
    >>> onto_spectraplex(np.diag([2.0, 0.0]))
    (array([[1., 0.],
           [0., 0.]]), 1)
    """
    values, vectors = largest_pairs(B, rank)
    falling = values[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(values) + 1)
    live = int(np.flatnonzero(falling > excess)[-1]) + 1
    if live == len(values) < len(B):  # more may be positive than were computed
        return onto_spectraplex(B)
    weights = falling[:live] - excess[live - 1]
    kept = vectors[:, ::-1][:, :live]
    return (kept * weights) @ kept.T, live


def largest_pairs(B: np.ndarray, rank: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues, ascending, and eigenvectors of the symmetric part: all, or the largest few where that pays.

    ``rank`` is a guess at how many are needed; some more are computed, None asks for all.
    """
    n = len(B)
    B = (B + B.T) / 2
    few = n if rank is None or n < FEW_PAYS else rank + max(4, rank // 4)
    if few < n // 4:
        return scipy.linalg.eigh(B, driver="evr", subset_by_index=(n - few, n - 1), check_finite=False)
    return np.linalg.eigh(B)
