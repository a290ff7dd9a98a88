"""Re-derives the bounds that split A into a part of low rank and a rest."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.cover import check_cover
from nnspca.certificates.numbers import array, at_most, bits, number
from nnspca.certificates.pairs import factorises
from nnspca.certificates.proofs import RankProof
from nnspca.covariance import Covariance
from nnspca.covariance.factor import Factor
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
LARGEST = 6000  # side of the largest matrix that is made of data, and factorised
DENSE_EIGEN = 800  # above, definiteness is proven by a Cholesky factorisation


DEEPEST = 8  # directions: the work of checking a cover doubles with each, and no certificate of ours has as many


def rank_bound(proof: RankProof, problem: Problem) -> float:
    """The bound that the split A = (low rank) + rest proves, after checking each claim."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    V = array(proof.V, "the low-rank part", (cov.n_features, None))
    tail, inner = number(proof.tail, "the rest"), number(proof.inner, "the low-rank part's share", least=0.0)
    if V.shape[1] > DEEPEST:
        raise CertificateError(f"the low-rank part has {V.shape[1]} directions; {DEEPEST} are checked at most")
    if V.any() or tail < cov.trace * (1 + cov.n_features * EPS) + cov.representation_error:
        check_rest(cov, V, tail)
    if V.any():
        check_cover(bits(proof.tree, "the cover"), V, inner, k, nonnegative)
    return tail + inner  # each was checked with more to spare than the sum's rounding


def holds_everywhere(proof: object) -> bool:
    """Whether the proof bounds every direction, not only the feasible ones: it has no low-rank part."""
    return type(proof) is RankProof and not array(proof.V, "the low-rank part", (None, None)).any()


def check_rest(cov: Covariance, V: np.ndarray, tail: float) -> None:
    """Check A − VV' ⪯ tail·I, on the side of the features, or of the samples if A is held as data."""
    left = tail - cov.representation_error
    if cov.holds_entries:
        _check_rest_is(least_of_rest(cov.entries, V, left), tail)
    elif cov.factor is not None:
        _check_rest_is(_least_of_factored_rest(cov.factor, V, left), tail)
    else:
        raise CertificateError("an eigenvalue is not checked of data that are not in memory")


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
    return 0.0 if factorises(shifted - forming * np.eye(n)) else -np.inf


def _least_of_factored_rest(factor: Factor, V: np.ndarray, tail: float) -> float:
    """The same for A = Y'Y with few samples, in the span of V and of the samples.

    With ``[V, Y'] = Q [R, T]``, Q of orthonormal columns, ``Y'Y − VV' = Q (TT' − RR') Q'``.
    LAPACK's R and T are exact for rows a relative (n · columns) u away in the Frobenius norm
    (Higham 2002, §19.3), products by twice as much.
    """
    m, n = factor.shape
    allowed = 2 * (n + m) * EPS
    scale = factor.rounding_scale() + float((V * V).sum())
    if V.any():
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
