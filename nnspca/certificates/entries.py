"""Re-derives the bounds read off A's entries: every row is read in full."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.numbers import Ceiling, largest_sums
from nnspca.certificates.proofs import EntryProof
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
ROWS = 256  # rows of A read at a time


def entry_bound(proof: EntryProof, k: int, nonnegative: bool, cov: Covariance) -> float:
    """The entry bounds, read in full."""
    n = cov.n_features
    terms = 4 * cov.form.terms
    if type(proof.rule) is not str or proof.rule not in ("diagonal", "rows"):
        raise CertificateError(f"unknown rule {proof.rule!r:.60}")
    if proof.rule == "diagonal":
        return float(np.sort(cov.diagonal)[n - k :].sum()) * (1 + (k + terms) * EPS) + cov.representation_error
    most = Ceiling()
    most.cover(0.0)
    for start in range(0, n, ROWS):
        chosen = np.arange(start, min(start + ROWS, n))
        block = np.array(cov.block(chosen))
        if not nonnegative:
            block = np.abs(block)
        own = block[chosen - start, chosen].copy()
        block[chosen - start, chosen] = 0.0
        block = np.maximum(block, 0.0)
        most.cover(own + largest_sums(block, k - 1))
    return most.value * (1 + (k + terms) * EPS) + cov.representation_error
