"""Re-derives the bounds read off A's entries: every row is read in full."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.proofs import EntryProof
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.result import Certificate

EPS = np.finfo(float).eps
ROWS = 256  # rows of A read at a time


def entry_bound(proof: EntryProof, cert: Certificate, cov: Covariance) -> float:
    """The entry bounds, read in full."""
    k, n = cert.k, cov.n_features
    terms = 0 if cov.factor is None else 4 * cov.factor.shape[0]
    if proof.rule == "diagonal":
        return float(np.sort(cov.diagonal)[n - k :].sum()) * (1 + (k + terms) * EPS) + cov.representation_error
    if proof.rule != "rows":
        raise CertificateError(f"unknown rule {proof.rule!r}")
    most = 0.0
    for start in range(0, n, ROWS):
        chosen = np.arange(start, min(start + ROWS, n))
        block = np.array(cov.block(chosen))
        if not cert.nonnegative:
            block = np.abs(block)
        own = block[chosen - start, chosen].copy()
        block[chosen - start, chosen] = 0.0
        block = np.maximum(block, 0.0)
        companions = np.partition(block, n - k, axis=1)[:, n - k + 1 :] if k > 1 else block[:, :0]
        most = max(most, float((own + companions.sum(axis=1)).max()))
    return most * (1 + (k + terms) * EPS) + cov.representation_error
