"""Re-derives the pair-scaled bound: a product test, partial row sums, one definiteness test."""

from __future__ import annotations

import numpy as np

from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.result import PairProof

EPS = np.finfo(float).eps
DENSE_EIGEN = 400  # above, definiteness is told by a Cholesky factorisation


def pair_bound(proof: PairProof, k: int, nonnegative: bool, cov: Covariance) -> float:
    """What (L, M) prove about ``cov``, after checking the claims made of them."""
    A = cov.matrix
    L, M = np.asarray(proof.L, dtype=np.float64), np.asarray(proof.M, dtype=np.float64)
    if A is None or L.shape != A.shape or M.shape != A.shape:
        raise CertificateError("L and M do not fit the data")
    if not (np.isfinite(L).all() and np.isfinite(M).all() and np.isfinite(proof.tail)):
        raise CertificateError("L, M and the tail must be finite")
    if (L != L.T).any():
        raise CertificateError("L is not symmetric")
    if (M < 0).any() or M.diagonal().any():
        raise CertificateError("M has a negative entry, or a nonzero diagonal")
    _check_products(L, M, nonnegative)
    _check_tail(A, L, proof.tail - cov.representation_error)
    falling = -np.sort(-M, axis=1)[:, : k - 1]
    own = L.diagonal()
    rows = own + falling.sum(axis=1) + (k + 2) * EPS * (np.abs(own) + falling.sum(axis=1))
    return proof.tail + float(rows.max()) + 2 * EPS * (abs(proof.tail) + abs(float(rows.max())))


def _check_products(L: np.ndarray, M: np.ndarray, nonnegative: bool) -> None:
    """Check ``M_ij M_ji >= (L_ij⁺)²`` off the diagonal; entries are first scaled so that squares are exact enough."""
    size = float(np.abs(L).max())
    if size == 0:
        return
    needed = (np.maximum(L, 0.0) if nonnegative else np.abs(L)) / size
    scaled = M / size
    short = scaled * scaled.T * (1 - 4 * EPS) < needed * needed
    np.fill_diagonal(short, False)
    if short.any():
        i, j = np.argwhere(short)[0]
        raise CertificateError(f"M_ij M_ji is below the square of L_ij at ({i}, {j})")


def _check_tail(A: np.ndarray, L: np.ndarray, tail: float) -> None:
    """Check A − L ⪯ tail·I."""
    n = len(A)
    shifted = L - A
    forming = 2 * EPS * (float(np.abs(A).sum(axis=1).max()) + float(np.abs(L).sum(axis=1).max()) + abs(tail))
    shifted[np.diag_indices(n)] += tail - forming
    if n <= DENSE_EIGEN:
        values = np.linalg.eigvalsh(shifted)
        holds = bool(values[0] >= (n + 8) * EPS * np.abs(values).max() / 2)
    else:
        # a factorisation that runs to its end proves the least eigenvalue above −(n+1)u·trace (Rump 2006)
        shifted[np.diag_indices(n)] -= (n + 2) * EPS * float(np.abs(shifted.diagonal()).sum())
        try:
            np.linalg.cholesky(shifted)
            holds = True
        except np.linalg.LinAlgError:
            holds = False
    if not holds:
        raise CertificateError(f"the largest eigenvalue of A − L exceeds the claimed {tail!r}")
