"""The spectraplex: positive semidefinite matrices of trace 1, and the projection onto it."""

from __future__ import annotations

import numpy as np
import scipy.linalg

FEW_PAYS = 150  # features from which a few eigenpairs cost less than all
NARROW = 8  # a subspace is followed where it is narrower than the matrix by this factor
DEPTH = 3  # blocks of the Krylov space in which it is sought
AFRESH = 30  # projections after which the subspace is computed afresh
EARLY, SHARE = 60, 12  # first projections, which compute this share of the pairs: their number soon falls


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
    weights = _onto_simplex(values)
    live = int(np.count_nonzero(weights))
    if live == len(values) < len(B):  # more may be positive than were computed
        return onto_spectraplex(B)
    eigenvectors = vectors[:, ::-1][:, :live]
    return (eigenvectors * weights[::-1][:live]) @ eigenvectors.T, live


class Spectraplex:
    """Projections of one matrix after another that differ little: each looks where the one before found its pairs.

    What it returns is near the nearest matrix, and as near as the matrices are to each other:
    enough for a splitting, whose proofs do not rest on it.
    """

    def __init__(self) -> None:
        self.rank: int | None = None
        self.basis: np.ndarray | None = None
        self.projections, self.followed = 0, 0

    def nearest(self, B: np.ndarray) -> np.ndarray:
        """Return the projection of the symmetric part of B."""
        n = len(B)
        B = (B + B.T) / 2
        self.projections += 1
        most = n if n < FEW_PAYS or self.projections > EARLY else n // SHARE
        few = min(_few(n, self.rank), most) if self.rank is not None else n
        if self.basis is not None and NARROW * few <= n and self.followed < AFRESH:
            values, vectors = followed_pairs(B, self.basis, few)
            self.followed += 1
        else:
            values, vectors = largest(B, few)
            self.followed = 0
        weights = _onto_simplex(values)
        if weights.all() and len(values) < most:  # more may be positive than were computed
            values, vectors = np.linalg.eigh(B)
            self.followed, weights = 0, _onto_simplex(values)
        self.rank = live = int(np.count_nonzero(weights))
        self.basis = vectors[:, -_with_spare(live) :]
        eigenvectors = vectors[:, -live:]
        return (eigenvectors * weights[-live:]) @ eigenvectors.T


def _onto_simplex(values: np.ndarray) -> np.ndarray:
    """Nearest numbers, none negative, that add up to 1; both ascend."""
    falling = values[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(values) + 1, dtype=values.dtype)
    above = np.flatnonzero(falling > excess)
    if not len(above):  # beside such numbers 1 is lost: the nearest are those of the same numbers less the largest
        return _onto_simplex(np.maximum(values - falling[0], -2.0))
    return np.maximum(values - excess[above[-1]], 0.0)


def followed_pairs(B: np.ndarray, basis: np.ndarray, few: int) -> tuple[np.ndarray, np.ndarray]:
    """Return about the ``few`` largest eigenpairs of B, ascending, from orthonormal vectors that were those of another.

    By Rayleigh and Ritz on the block Krylov space of the basis.
    """
    blocks = [basis]
    for _ in range(DEPTH - 1):
        blocks.append(_orthonormal(B @ blocks[-1]))
        blocks[-1] -= basis @ (basis.T @ blocks[-1])  # what the basis lacks would be lost beside it
    K = _orthonormal(np.hstack(blocks))  # even where nothing is lacking
    H = K.T @ (B @ K)
    values, turned = np.linalg.eigh((H + H.T) / 2)
    return values[-few:], K @ turned[:, -few:]


def _orthonormal(K: np.ndarray) -> np.ndarray:
    """Return orthonormal columns that span those of K; in the precision of K, where NumPy's would be double."""
    Q: np.ndarray = scipy.linalg.qr(K, mode="economic", overwrite_a=True, check_finite=False)[0]
    return Q


def largest_pairs(B: np.ndarray, rank: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues, ascending, and eigenvectors of the symmetric part: all, or the largest few where that pays.

    ``rank`` is a guess at how many are needed; some more are computed, None asks for all.
    """
    return largest((B + B.T) / 2, _few(len(B), rank))


def _few(n: int, rank: int | None) -> int:
    """How many of n eigenpairs to ask for, where about ``rank`` are needed: all where fewer do not pay."""
    return n if rank is None or n < FEW_PAYS else _with_spare(rank)


def _with_spare(count: int) -> int:
    return count + max(4, count // 4)


def largest(B: np.ndarray, few: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``few`` largest eigenpairs of the symmetric B, ascending, or all where that costs no more."""
    n = len(B)
    if few < n // 4:
        return scipy.linalg.eigh(B, driver="evr", subset_by_index=(n - few, n - 1), check_finite=False)
    return np.linalg.eigh(B)
