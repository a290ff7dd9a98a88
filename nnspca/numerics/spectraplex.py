"""The spectraplex: positive semidefinite matrices of trace 1, and the projection onto it."""

from __future__ import annotations

import numpy as np
import scipy.linalg

PARTIAL_FROM = 90  # features from which a few eigenpairs are cheaper than all: at 128 a third of the time
MIN_RATIO = 8  # a subspace is updated if the matrix is larger by this factor
DEPTH = 3  # blocks of the Krylov space; half and twice of it, and of the next, change a live bound by 1e-11 at most
RECOMPUTE = 30  # projections after which the subspace is computed anew
FIRST_PROJECTIONS, SHARE = 60, 12  # the first projections may compute all pairs; later ones at most one in SHARE


class Spectraplex:
    """Projections of a sequence of matrices that differ little: each starts from the last eigenvectors.

    The results approximate the nearest matrix. That is enough for operator splitting, as no proof
    depends on them.
    """

    def __init__(self) -> None:
        self.rank: int | None = None
        self.basis: np.ndarray | None = None
        self.projections, self.updates = 0, 0

    def nearest(self, B: np.ndarray) -> np.ndarray:
        """Return the projection of the symmetric part of B."""
        n = len(B)
        B = (B + B.T) / 2
        self.projections += 1
        most = n if n < PARTIAL_FROM or self.projections > FIRST_PROJECTIONS else n // SHARE
        few = min(pairs_needed(n, self.rank), most) if self.rank is not None else n
        if self.basis is not None and MIN_RATIO * few <= n and self.updates < RECOMPUTE:
            values, vectors = updated_pairs(B, self.basis[:, -few:], few)  # the first projection may keep all
            self.updates += 1
        else:
            values, vectors = largest(B, few)
            self.updates = 0
        weights = _onto_simplex(values)
        if weights.all() and len(values) < most:  # more may be positive than were computed
            values, vectors = np.linalg.eigh(B)
            self.updates, weights = 0, _onto_simplex(values)
        self.rank = positive = int(np.count_nonzero(weights))
        self.basis = vectors[:, -_with_margin(positive) :]
        eigenvectors = vectors[:, -positive:]
        return (eigenvectors * weights[-positive:]) @ eigenvectors.T


def _onto_simplex(values: np.ndarray) -> np.ndarray:
    """Nearest numbers, none negative, that add up to 1; both ascend."""
    descending = values[::-1]
    excess = (np.cumsum(descending) - 1) / np.arange(1, len(values) + 1, dtype=values.dtype)
    above = np.flatnonzero(descending > excess)
    if not len(above):  # so large that adding 1 has no effect: subtract the largest first
        return _onto_simplex(np.maximum(values - descending[0], -2.0))
    return np.maximum(values - excess[above[-1]], 0.0)


def updated_pairs(B: np.ndarray, basis: np.ndarray, few: int) -> tuple[np.ndarray, np.ndarray]:
    """Return approximately the ``few`` largest eigenpairs of B, ascending, from those of a similar matrix.

    Rayleigh–Ritz on the block Krylov space of the basis.
    """
    blocks = [basis]
    for _ in range(DEPTH - 1):
        blocks.append(_orthonormal(B @ blocks[-1]))
        blocks[-1] -= basis @ (basis.T @ blocks[-1])  # else small components outside the basis are lost to rounding
    K = _orthonormal(np.hstack(blocks))  # needed even if nothing is outside
    H = K.T @ (B @ K)
    values, rotation = np.linalg.eigh((H + H.T) / 2)
    return values[-few:], K @ rotation[:, -few:]


def _orthonormal(K: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the columns of K, in the precision of K (NumPy would return doubles)."""
    Q: np.ndarray = scipy.linalg.qr(K, mode="economic", overwrite_a=True, check_finite=False)[0]
    return Q


def pairs_needed(n: int, rank: int | None) -> int:
    """The number of eigenpairs to compute if about ``rank`` of n are needed: all, unless fewer are cheaper."""
    return n if rank is None or n < PARTIAL_FROM else _with_margin(rank)


def _with_margin(count: int) -> int:
    return count + max(4, count // 4)


def largest(B: np.ndarray, few: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``few`` largest eigenpairs of the symmetric B, ascending, or all if that is as cheap."""
    n = len(B)
    if few < n // 4:
        values, vectors = scipy.linalg.eigh(B, driver="evr", subset_by_index=(n - few, n - 1), check_finite=False)
        if len(values) == few:  # of eigenvalues that are nearly equal LAPACK finds fewer at times, and does not say so
            return values, vectors
    return np.linalg.eigh(B)
