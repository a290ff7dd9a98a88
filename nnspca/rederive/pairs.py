"""Re-derives the pair-scaled bound: a product test, partial row sums, one definiteness test."""

from __future__ import annotations

import numpy as np

from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.proofs import BranchProof, PairProof

EPS = np.finfo(float).eps
DENSE_EIGEN = 400  # above, definiteness is told by a Cholesky factorisation


def branch_bound(proof: BranchProof, k: int, nonnegative: bool, cov: Covariance) -> float:
    """What is proven when every x either misses a feature of F or has all of F in its support."""
    features = list(proof.features)
    if len(set(features)) != len(features) or len(features) != len(proof.without) or not len(features) < k:
        raise CertificateError("the features known to be in must be different, fewer than k, one proof for each")
    if not all(isinstance(i, int) and 0 <= i < cov.n_features for i in features):
        raise CertificateError("a feature known to be in is not one of the data's")
    worst = pair_bound(proof.rest, k, nonnegative, cov, features)
    for feature, part in zip(features, proof.without, strict=True):
        others = [i for i in range(cov.n_features) if i != feature]
        worst = max(worst, pair_bound(part, min(k, len(others)), nonnegative, cov.restrict(np.array(others))))
    return worst


def pair_bound(proof: PairProof, k: int, nonnegative: bool, cov: Covariance, inside: list[int] | None = None) -> float:
    """What (L, M) prove about ``cov``, after checking the claims made of them; ``inside`` is in every support."""
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
    shares = _shares(M, k, inside or [])
    own = L.diagonal()
    rows = own + shares + (k + 2) * EPS * (np.abs(own) + shares)
    return proof.tail + float(rows.max()) + 2 * EPS * (abs(proof.tail) + abs(float(rows.max())))


def _shares(M: np.ndarray, k: int, inside: list[int]) -> np.ndarray:
    """What k−1 companions of each row can cost at most, those known to be in among them."""
    if not inside:
        return np.sort(M, axis=1)[:, ::-1][:, : k - 1].sum(axis=1)
    shares = np.zeros(len(M))
    for i in range(len(M)):
        sure = [f for f in inside if f != i]
        others = np.delete(M[i], [*sure, i])
        shares[i] = M[i, sure].sum() + np.sort(others)[::-1][: k - 1 - len(sure)].sum()
    return shares


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
