"""Re-derives the bounds from entries of A: reads every row in full that can reach the largest sum."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.numbers import UpperBound, largest_sums, rows_by_reach
from nnspca.certificates.proofs import EntryProof
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps


def entry_bound(proof: EntryProof, problem: Problem) -> float:
    """The entry bounds, from rows read in full."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    n = cov.n_features
    terms = 4 * cov._form.terms
    if type(proof.rule) is not str or proof.rule not in ("diagonal", "rows"):
        raise CertificateError(f"unknown rule {proof.rule!r:.60}")
    if proof.rule == "diagonal":
        return float(np.sort(cov.diagonal)[n - k :].sum()) * (1 + (k + terms) * EPS) + cov.representation_error
    most = UpperBound()
    most.cover(0.0)
    for rows in rows_by_reach(cov, np.ones(n), k, most):
        block = np.array(cov.block(rows))
        if not nonnegative:
            block = np.abs(block)
        own = block[np.arange(len(rows)), rows].copy()
        block[np.arange(len(rows)), rows] = 0.0
        block = np.maximum(block, 0.0)
        most.cover(own + largest_sums(block, k - 1))
    return most.value * (1 + (k + terms) * EPS) + cov.representation_error
