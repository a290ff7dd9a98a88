"""Re-derives the bound by the largest eigenvalues: A ⪯ tail·I + VV'."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.numbers import array, at_most, real
from nnspca.certificates.proofs import EigenvalueProof
from nnspca.covariance import Covariance
from nnspca.covariance.factor import Factor
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
LONGEST = 4e10  # operations of the longest orthogonal factorisation
LARGEST = 6000  # side of the largest matrix that is made of data, and factorised
COMBINED = 1e8  # numbers of the data in directions of the samples
DENSE_EIGEN = 400  # above, definiteness is proven by a Cholesky factorisation


def eigenvalue_bound(proof: EigenvalueProof, r: int, problem: Problem) -> float:
    """``r·tail + ‖V‖²`` once ``A ⪯ tail·I + VV'`` holds; ``tail +`` the most along each column for one component."""
    cov = problem.cov
    V = array(proof.V, "the low-rank part", (cov.n_features, None))
    tail = real(proof.tail, "the tail")
    if V.any() or tail < cov.trace * (1 + cov.n_features * EPS) + cov.representation_error:
        check_rest(cov, V, tail)
    if r > 1:
        top = float(np.sort((V * V).ravel()).sum())
        return r * tail + top + (V.size + 4) * EPS * (r * abs(tail) + top)
    if not V.size:
        return tail
    k = problem.k
    sides = np.array([np.maximum(V, 0.0), np.maximum(-V, 0.0)] if problem.nonnegative else [V])
    most = float(np.sort(sides * sides, axis=1)[:, ::-1][:, :k].sum(axis=1).max(axis=0).sum())
    return tail + most + 2 * EPS * abs(tail) + (k + V.shape[1] + 4) * EPS * most


def check_rest(cov: Covariance, V: np.ndarray, tail: float) -> None:
    """Check A − VV' ⪯ tail·I, on the side of the features, or of the samples if A is held as data."""
    left = tail - cov.representation_error
    if cov.held.factor is None:
        _check_rest_is(least_of_rest(cov.held.entries, V, left), tail)
    else:
        _check_rest_is(_least_of_factored_rest(cov.held.factor, V, left), tail)


def check_samples(factor: Factor, W: np.ndarray, tail: float) -> None:
    """Check YY' ⪯ tail·I + WW', tail > 0, on the side of the samples."""
    m, n = factor.shape
    if not 0 < m == len(W) or max(W.shape) > LARGEST or n * W.shape[1] > COMBINED:
        raise CertificateError(
            f"{W.shape[1]:,} directions of {len(W):,} samples are not checked of {m:,} × {n:,} numbers: at most "
            f"{LARGEST:,} of each, and features times directions at most {COMBINED:.0e}"
        )
    allowed = 2 * (n + m) * EPS * factor.rounding_scale
    if not tail > 0:
        raise CertificateError(f"the tail {tail!r} beside directions is not positive")
    _check_rest_is(least_of_rest(factor.gram(), W, tail - allowed), tail)


def _check_rest_is(least: float, tail: float) -> None:
    if not at_most(0.0, least):
        raise CertificateError(f"the rest of A exceeds the claimed {tail!r} by {-least:.3g}")


def least_of_rest(A: np.ndarray, V: np.ndarray, tail: float) -> float:
    """Least eigenvalue of tail·I − A + VV', less an allowance for rounding; −∞ if Cholesky fails."""
    n, d = V.shape
    B = A - V @ V.T
    shifted = tail * np.eye(n) - B
    forming = (d + 2) * EPS / 2 * (float(np.linalg.norm(A)) + float((V * V).sum()))
    forming += EPS * (abs(tail) + float(np.abs(B.diagonal()).max()))
    if n <= DENSE_EIGEN:
        values = np.linalg.eigvalsh(shifted)
        return float(values[0]) - (n + 8) * EPS * float(np.abs(values).max()) - forming
    # a factorisation that runs to its end proves the least eigenvalue above −(n+1)u·trace (Rump
    # 2006)
    forming += (n + 2) * EPS * float(np.abs(shifted.diagonal()).sum())
    return 0.0 if has_cholesky(shifted - forming * np.eye(n)) else -np.inf


def _least_of_factored_rest(factor: Factor, V: np.ndarray, tail: float) -> float:
    """Bound the rest of A = Y'Y with few samples from below, in the span of V and of the samples.

    With ``[V, Y'] = Q [R, T]``, Q of orthonormal columns, ``Y'Y − VV' = Q (TT' − RR') Q'``. LAPACK's R and T are exact
    for rows a relative (n · columns) u away in the Frobenius norm (Higham 2002, §19.3), products by twice as much.
    """
    m, n = factor.shape
    allowed = 2 * (n + m) * EPS
    scale = factor.rounding_scale + float((V * V).sum())
    if V.any():
        if (side := m + V.shape[1]) > LARGEST or n * side**2 > LONGEST:
            raise CertificateError(
                f"what {V.shape[1]:,} directions leave of {m:,} × {n:,} numbers is more than what is checked: at most "
                f"{LARGEST:,} samples and directions s, and features times s² at most {LONGEST:.0e}"
            )
        Y = factor.columns(np.arange(n))
        triangle = np.asarray(np.linalg.qr(np.hstack([V, Y.T]), mode="r"))
        R, T = triangle[:, : V.shape[1]], triangle[:, V.shape[1] :]
        most = float(np.linalg.eigvalsh(T @ T.T - R @ R.T)[-1])
        allowed += 2 * n * triangle.shape[1] * EPS
        return tail - allowed * scale - max(most, 0.0)
    if (side := min(m, n)) > LARGEST:
        raise CertificateError(f"an eigenvalue is checked of up to {LARGEST:,} samples or features; there are {side:,}")
    # the samples' inner products have A's largest eigenvalue as well
    return least_of_rest(factor.gram() if m <= n else factor.cross(), np.zeros((side, 0)), tail - allowed * scale)


def has_cholesky(B: np.ndarray) -> bool:
    """Whether the Cholesky factorisation succeeds with finite numbers."""
    try:
        return bool(np.isfinite(np.linalg.cholesky(B)).all())  # some libraries let a NaN on the diagonal pass
    except np.linalg.LinAlgError:
        return False
