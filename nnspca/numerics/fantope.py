"""The Fantope, symmetric matrices of trace r with eigenvalues from 0 to 1 (r = 1: spectraplex), and projections."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import scipy.linalg

# Features up to which all eigenpairs are computed at first, and where more are needed than were computed: of 1,444 they
# take as long as five steps of a splitting.
ALL = 700
PARTIAL_FROM = 90  # features from which a few eigenpairs are cheaper than all: at 128 a third of the time
MIN_RATIO = 8  # a subspace is updated if the matrix is larger by this factor
DEPTH = 3  # blocks of the Krylov space; half and twice of it, and of the next, change a live bound by 1e-11 at most
RECOMPUTE = 30  # projections after which the subspace is computed anew
FIRST_PROJECTIONS, SHARE = 60, 12  # so many first projections compute at most one pair in SHARE


class Fantope:
    """Projections of a sequence of matrices that differ little: each starts from the last eigenvectors.

    With r = 1 the results approximate the nearest matrix. That is enough for operator splitting, as no proof
    depends on them. With more, where fewer steps are taken, they are exact.

    Examples
    --------
    >>> Fantope(2).nearest(np.diag([3.0, 1.5, 1.25]))
    array([[1.   , 0.   , 0.   ],
           [0.   , 0.625, 0.   ],
           [0.   , 0.   , 0.375]])
    """

    def __init__(self, r: int = 1) -> None:
        self.r = r
        self.rank: int | None = None
        self.basis: np.ndarray | None = None
        self.projections, self.updates = 0, 0

    def nearest(self, B: np.ndarray) -> np.ndarray:
        """Return the projection of the symmetric part of B."""
        n = len(B)
        B = (B + B.T) / 2
        self.projections += 1
        most = n if self.r > 1 or n < PARTIAL_FROM or self.projections > FIRST_PROJECTIONS else n // SHARE
        all_at_first = n <= ALL or self.r > 1
        few = (n if all_at_first else most) if self.rank is None else min(_with_margin(self.rank), most)
        if self.r == 1 and self.basis is not None and MIN_RATIO * few <= n and self.updates < RECOMPUTE:
            values, vectors = updated_pairs(B, self.basis[:, -few:], few)  # the first projection may keep all
            self.updates += 1
        else:
            values, vectors = largest_eigenpairs(B, few)
            self.updates = 0
        weights = self._weights(values)
        if weights.all() and len(values) < most:  # more may be positive than were computed
            if all_at_first:
                values, vectors = np.linalg.eigh(B)
                self.updates = 0
            else:
                values, vectors = updated_pairs(B, vectors, min(DEPTH * len(values), most))
            weights = self._weights(values)
        self.rank = positive = int(np.count_nonzero(weights))
        self.basis = vectors[:, -_with_margin(positive) :]
        eigenvectors = vectors[:, -positive:]
        return (eigenvectors * weights[-positive:]) @ eigenvectors.T

    def _weights(self, values: np.ndarray) -> np.ndarray:
        return _onto_simplex(values) if self.r == 1 else _capped(values, self.r)


def _onto_simplex(values: np.ndarray) -> np.ndarray:
    """Nearest numbers, none negative, that add up to 1; both ascend."""
    descending = values[::-1]
    excess = (np.cumsum(descending) - 1) / np.arange(1, len(values) + 1, dtype=values.dtype)
    above = np.flatnonzero(descending > excess)
    if not len(above):  # so large that adding 1 has no effect: subtract the largest first
        return _onto_simplex(np.maximum(values - descending[0], -2.0))
    return np.maximum(values - excess[above[-1]], 0.0)


def _capped(values: np.ndarray, r: int) -> np.ndarray:
    """``clip(values − θ, 0, 1)`` with sum r: the sum is linear in θ between the values and the values less one."""
    knots = np.sort(np.concatenate([values, values - 1.0]))
    sums = np.clip(values - knots[:, None], 0.0, 1.0).sum(axis=1)
    theta = np.interp(r, sums[::-1], knots[::-1])
    return np.clip(values - theta, 0.0, 1.0)


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


def _with_margin(count: int) -> int:
    return count + max(4, count // 4)


def largest_eigenpairs(B: np.ndarray, few: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``few`` largest eigenpairs of the symmetric B, ascending, or all if that is as cheap.

    Of nearly equal eigenvalues LAPACK finds fewer at times, and does not say so; on some processors it fails.
    """
    n = len(B)
    if few < n // 4:
        with suppress(scipy.linalg.LinAlgError):
            values, vectors = scipy.linalg.eigh(B, driver="evr", subset_by_index=(n - few, n - 1), check_finite=False)
            if len(values) == few:
                return values, vectors
    return np.linalg.eigh(B)
