"""Re-derives the bound by balanced row sums: reads every row in full that can be the largest."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.numbers import UpperBound, array, largest_sums, number, rows_by_reach
from nnspca.certificates.proofs import ScaleProof
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
# weights whose ratios stay below 1e100: no A_ij w_j / w_i overflows, and what one loses to
# underflow is below 1e-220
LEAST, MOST = 1e-50, 1e50


def scale_bound(proof: ScaleProof, problem: Problem) -> float:
    """The bound that the weights prove for ``cov``: the largest balanced row."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    n = cov.n_features
    d = array(proof.weights, "the weights", (n,))
    if not ((d >= LEAST) & (d <= MOST)).all():
        raise CertificateError(f"the weights must be {n} numbers from {LEAST:g} to {MOST:g}")
    deviations = np.sqrt(np.maximum(cov.diagonal, 0.0))
    terms = cov.form.terms
    company = np.sort(deviations * d)[::-1][:k].sum()
    most = UpperBound()
    most.cover(number(proof.level, "the level of the rows that are not read", least=0.0))
    for rows in rows_by_reach(cov, d, k, most):
        block = np.array(cov.block(rows))
        own = block[np.arange(len(rows)), rows].copy()
        block[np.arange(len(rows)), rows] = 0.0
        weighed = (np.maximum(block, 0.0) if nonnegative else np.abs(block)) * d
        sums = largest_sums(weighed, k - 1) / d[rows]
        rounding = (k + 6) * EPS * (np.abs(own) + sums) + 2 * terms * EPS * deviations[rows] * company / d[rows]
        most.cover(own + sums + rounding)
    return most.value + cov.representation_error
