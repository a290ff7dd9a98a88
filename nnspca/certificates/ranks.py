"""Re-derives the bounds that split A into a part of low rank, a cut part and a rest."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.cover import check_cover
from nnspca.certificates.proofs import RankProof
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.result import Certificate

EPS = np.finfo(float).eps
DENSE_EIGEN = 800  # above, definiteness is told by a Cholesky factorisation
BLOCK = 8000  # side of the largest block formed


def rank_bound(proof: RankProof, cert: Certificate, cov: Covariance) -> float:
    """What the split A = L + (low rank) + rest proves, after checking each of its claims."""
    V = np.asarray(proof.V, dtype=np.float64)
    if V.ndim != 2 or len(V) != cov.n_features or not np.isfinite(V).all():
        raise CertificateError("the low-rank part does not fit the data")
    if not (np.isfinite(proof.tail) and 0 <= proof.inner < np.inf):
        raise CertificateError(f"it claims a rest of {proof.tail!r} and a low-rank part of {proof.inner!r}")
    cut = 0.0
    if proof.rho is not None:
        if not 0 <= proof.rho < np.inf:
            raise CertificateError(f"the cut is at {proof.rho!r}; it must be a finite number of at least 0")
        cut = proof.rho * cert.k * (1 + 4 * EPS)
    _check_tail(proof, V, cert.nonnegative, cov)
    if V.any():
        check_cover(proof, V, cert)
    return cut + proof.tail + proof.inner


def _check_tail(proof: RankProof, V: np.ndarray, nonnegative: bool, cov: Covariance) -> None:
    """Check A − L − VV' ⪯ tail·I."""
    tail = proof.tail
    if proof.rho is None and not V.any() and tail >= cov.trace * (1 + cov.n_features * EPS) + cov.representation_error:
        return
    if proof.rho is not None:
        least = _least_after_cut(proof, V, nonnegative, cov)
    elif cov.matrix is not None:
        least = least_of_rest(cov.matrix, V, tail - cov.representation_error)
    else:
        least = least_of_factored_rest(V, tail, cov)
    if not least >= 0:
        raise CertificateError(f"the rest of A exceeds the claimed {tail!r} by {-least:.3g}")


def least_of_rest(A: np.ndarray, V: np.ndarray, tail: float) -> float:
    """Least eigenvalue of tail·I − A + VV', less what rounding may have hidden; −∞ if Cholesky says no."""
    n, d = V.shape
    B = A - V @ V.T
    shifted = tail * np.eye(n) - B
    forming = (d + 2) * EPS / 2 * (float(np.linalg.norm(A)) + float((V * V).sum()))
    forming += EPS * (abs(tail) + float(np.abs(B.diagonal()).max()))
    if n <= DENSE_EIGEN:
        values = np.linalg.eigvalsh(shifted)
        return float(values[0]) - (n + 8) * EPS * float(np.abs(values).max()) - forming
    # a factorisation that runs to its end proves the least eigenvalue above −(n+1)u·trace (Rump 2006)
    forming += (n + 2) * EPS * float(np.abs(shifted.diagonal()).sum())
    try:
        np.linalg.cholesky(shifted - forming * np.eye(n))
    except np.linalg.LinAlgError:
        return -np.inf
    return 0.0


def _least_after_cut(proof: RankProof, V: np.ndarray, nonnegative: bool, cov: Covariance) -> float:
    """The same for what lies above the cut, on the features that reach above it."""
    assert proof.rho is not None
    if cov.matrix is not None:
        reach = np.maximum(cov.matrix.max(axis=1), -cov.matrix.min(axis=1))
    else:  # A is Y'Y, so that no entry exceeds the product of two deviations
        deviations = np.sqrt(cov.diagonal)
        reach = deviations * deviations.max() * (1 + 1e-9)
    kept = np.flatnonzero((reach > proof.rho) | V.any(axis=1))
    if len(kept) > BLOCK:
        raise CertificateError(f"{len(kept)} features reach above the cut: too many to check")
    reading = cov.representation_error
    if cov.factor is not None:
        reading += 2 * (cov.factor.shape[0] + 4) * EPS * cov.factor.rounding_scale()
    if not len(kept):
        return proof.tail - reading
    A = cov.block(kept, kept)
    above = np.maximum(A - proof.rho, 0.0)
    if not nonnegative:
        above -= np.maximum(-A - proof.rho, 0.0)
    return min(least_of_rest(above, V[kept], proof.tail - reading), proof.tail - reading)


def least_of_factored_rest(V: np.ndarray, tail: float, cov: Covariance) -> float:
    """The same for A = Y'Y with few samples, in the span of V and of the samples.

    With ``[V, Y'] = Q [R, T]``, Q of orthonormal columns, ``Y'Y − VV' = Q (TT' − RR') Q'``.
    """
    assert cov.factor is not None
    Y = cov.factor.columns(np.arange(cov.n_features))
    m, n = Y.shape
    scale = cov.factor.rounding_scale() + float((V * V).sum())
    if V.any():
        triangle = np.asarray(np.linalg.qr(np.hstack([V, Y.T]), mode="r"))
        R, T = triangle[:, : V.shape[1]], triangle[:, V.shape[1] :]
        most = float(np.linalg.eigvalsh(T @ T.T - R @ R.T)[-1])
    else:
        most = float(np.linalg.eigvalsh(Y @ Y.T)[-1])
    return tail - cov.representation_error - 2 * (n + m) * EPS * scale - max(most, 0.0)
