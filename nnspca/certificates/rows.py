"""Re-derives what rows of A cost: all of them balanced, or those outside a working set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnspca.certificates.eigenvalues import check_samples
from nnspca.certificates.numbers import UpperBound, array, largest_sums, real, rows_by_cost, rows_of
from nnspca.certificates.proofs import ScaleProof
from nnspca.covariance import Covariance
from nnspca.covariance.factor import DenseFactor
from nnspca.covariance.problem import Problem
from nnspca.covariance.provenance import Provenance
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
# weights whose ratios stay below 1e100: no A_ij w_j / w_i overflows, and what one loses to
# underflow is below 1e-220
LEAST, MOST = 1e-50, 1e50


def scale_bound(proof: ScaleProof, r: int, problem: Problem) -> float:
    """The bound that the weights prove: the largest balanced row of A, or the tail and that of A's shrunk rows."""
    if proof.directions is not None:
        tail = real(proof.tail, "the tail")
        rest = replace(problem, cov=_shrunk(problem.cov, array(proof.directions, "the directions", (None, None)), tail))
        value = tail + scale_bound(replace(proof, directions=None), r, rest) + problem.cov.representation_error
        return value + 4 * EPS * abs(value)
    cov, k = problem.cov, problem.k
    n = cov.n_features
    d = _weights(proof.weights, n)
    deviations = np.sqrt(np.maximum(cov.diagonal, 0.0))
    terms = cov.held.form.terms
    company = np.sort(deviations * d)[::-1][:k].sum()
    most = UpperBound()
    most.cover(real(proof.level, "the level of the rows that are not read", least=0.0))
    for rows in rows_by_cost(cov, d, k, most):
        own, shares = rows_of(problem, rows)
        sums = largest_sums(shares * d, k - 1) / d[rows]
        rounding = (k + 6) * EPS * (np.abs(own) + sums) + 2 * terms * EPS * deviations[rows] * company / d[rows]
        most.cover(own + sums + rounding)
    return most.value + cov.representation_error


def _shrunk(cov: Covariance, W: np.ndarray, tail: float) -> Covariance:
    """B = Y'W (tI + W'W)⁻¹ W'Y, to which A = Y'Y adds at most t in any direction once YY' ⪯ tI + WW'.

    ``tI + W'W`` is at least the diagonal of its rows' own entries less the magnitudes of all others.
    """
    factor = cov.held.factor
    if factor is None:
        raise CertificateError("directions of samples prove nothing about a matrix")
    check_samples(factor, W, tail)
    terms = factor.shape[0] + 8
    own, norms = tail + (W * W).sum(axis=0), np.linalg.norm(W, axis=0)
    others = np.abs(W.T @ W).sum(axis=1) - norms**2 + 2 * terms * EPS * norms * norms.sum()
    least = own * (1 - 2 * terms * EPS) - others
    if not (least > 0).all():
        raise CertificateError("the directions are too far from orthogonal")
    combined = W / np.sqrt(least * (1 - 4 * EPS))
    V = factor.backward(combined.T)
    off = 4 * terms * EPS * float(np.linalg.norm(combined)) * np.sqrt(factor.rounding_scale)
    error = off * (2 * float(np.linalg.norm(V)) + off)
    return Covariance(DenseFactor(V), Provenance(representation_error=error))


def _weights(given: object, n: int) -> np.ndarray:
    d = array(given, "the weights", (n,))
    if not ((d >= LEAST) & (d <= MOST)).all():
        raise CertificateError(f"the weights must be {n} numbers from {LEAST:g} to {MOST:g}")
    return d


def cover_outside(
    most: UpperBound,
    problem: Problem,
    chosen: np.ndarray,
    limits: np.ndarray,
    prices: np.ndarray,
    weights: object | None = None,
) -> None:
    """Raise the bound to the cost of the heaviest row outside, with the prices subtracted from the chosen's shares.

    A pair outside shares its entry in the ratio of its ``weights``; equally where there are none.
    """
    cov, k = problem.cov, problem.k
    deviations = np.sqrt(np.maximum(cov.diagonal, 0.0))
    terms, d = cov.held.form.terms, None if weights is None else _weights(weights, cov.n_features)
    member = np.zeros(cov.n_features, dtype=bool)
    member[chosen] = True
    others = np.flatnonzero(~member)
    others = others[np.argsort(-deviations[others], kind="stable")]
    for start in range(0, len(others), cov.held.strip):
        rows = others[start : start + cov.held.strip]
        own, shares = rows_of(problem, rows)
        shares += (terms + 2) * EPS * np.outer(deviations[rows], deviations)
        # divided first: a square could vanish where the quotient does not
        across = shares[:, chosen] * (shares[:, chosen] / limits) * (1 + 4 * EPS)
        if d is not None:
            shares = shares * (d / d[rows, None]) * (1 + 4 * EPS)
        shares[:, chosen] = np.maximum(across - prices, 0.0) * (1 + EPS)
        shares[np.arange(len(rows)), rows] = 0.0
        together = largest_sums(shares, k - 1)
        most.cover(own + together + (k + terms + 6) * EPS * (np.abs(own) + together))
