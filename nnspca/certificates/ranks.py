"""Re-derives the bounds that split A into a part of low rank, a cut part and a rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.certificates.cover import check_cover
from nnspca.certificates.numbers import array, at_most, bits, number
from nnspca.certificates.pairs import factorises
from nnspca.certificates.proofs import RankProof
from nnspca.covariance import Covariance
from nnspca.covariance.factor import Factor
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
DENSE_EIGEN = 800  # above, definiteness is proven by a Cholesky factorisation
BLOCK = 8000  # side of the largest block formed


@dataclass(frozen=True, eq=False)
class Split:
    """The claims of a proof, each a number in range."""

    V: np.ndarray
    tail: float
    inner: float
    rho: float | None


DEEPEST = 8  # directions: the work of checking a cover doubles with each, and no certificate of ours has as many


def rank_bound(proof: RankProof, problem: Problem) -> float:
    """The bound that the split A = L + (low rank) + rest proves, after checking each claim."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    split = Split(
        array(proof.V, "the low-rank part", (cov.n_features, None)),
        number(proof.tail, "the rest"),
        number(proof.inner, "the low-rank part's share", least=0.0),
        None if proof.rho is None else number(proof.rho, "the cut", least=0.0),
    )
    if split.V.shape[1] > DEEPEST:
        raise CertificateError(f"the low-rank part has {split.V.shape[1]} directions; {DEEPEST} are checked at most")
    _check_tail(split, nonnegative, cov)
    if split.V.any():
        check_cover(bits(proof.tree, "the cover"), split.V, split.inner, k, nonnegative)
    cut = 0.0 if split.rho is None else split.rho * k * (1 + 4 * EPS)
    return cut + split.tail + split.inner  # each was checked with more to spare than the sums' rounding


def holds_everywhere(proof: object) -> bool:
    """Whether the proof bounds every direction, not only the feasible ones: no cut and no low-rank part."""
    return (
        type(proof) is RankProof and proof.rho is None and not array(proof.V, "the low-rank part", (None, None)).any()
    )


def _check_tail(split: Split, nonnegative: bool, cov: Covariance) -> None:
    """Check A − L − VV' ⪯ tail·I."""
    V, tail = split.V, split.tail
    if split.rho is None and not V.any() and tail >= cov.trace * (1 + cov.n_features * EPS) + cov.representation_error:
        return
    if split.rho is None:
        check_rest(cov, V, tail)
    else:
        _check_rest_is(_least_after_cut(split, split.rho, nonnegative, cov), tail)


def check_rest(cov: Covariance, V: np.ndarray, tail: float) -> None:
    """Check A − VV' ⪯ tail·I, on the side of the features, or of the samples if A is held as data."""
    left = tail - cov.representation_error
    if isinstance(cov._form, HeldMatrix):
        _check_rest_is(least_of_rest(cov._form.A, V, left), tail)
    else:
        _check_rest_is(_least_of_factored_rest(cov._form.factor, V, left), tail)


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


def _least_after_cut(split: Split, rho: float, nonnegative: bool, cov: Covariance) -> float:
    """The same for the entries above the cut, on the features that have any."""
    V = split.V
    remaining = np.flatnonzero((cov._form.reach() > rho) | V.any(axis=1))
    if len(remaining) > BLOCK:
        raise CertificateError(f"{len(remaining)} features reach above the cut: too many to check")
    reading = cov.representation_error + 2 * (cov._form.terms + 4) * EPS * cov._form.rounding_scale
    if not len(remaining):
        return split.tail - reading
    A = cov.block(remaining, remaining)
    above = np.maximum(A - rho, 0.0)
    if not nonnegative:
        above -= np.maximum(-A - rho, 0.0)
    return float(np.minimum(least_of_rest(above, V[remaining], split.tail - reading), split.tail - reading))


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
    else:
        most = float(np.linalg.eigvalsh(factor.gram())[-1])
    return tail - allowed * scale - max(most, 0.0)
