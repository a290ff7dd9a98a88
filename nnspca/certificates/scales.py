"""Re-derives the bound by balanced row sums: every row is read in full."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.proofs import ScaleProof
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
ROWS = 256


def scale_bound(proof: ScaleProof, k: int, nonnegative: bool, cov: Covariance) -> float:
    """What the weights prove about ``cov``: the largest balanced row."""
    d = np.asarray(proof.weights, dtype=np.float64)
    n = cov.n_features
    if d.shape != (n,) or not np.isfinite(d).all() or not (d > 0).all():
        raise CertificateError(f"the weights must be {n} positive numbers")
    deviations = np.sqrt(np.maximum(cov.diagonal, 0.0))
    terms = 0 if cov.factor is None else cov.factor.shape[0]
    company = np.sort(deviations * d)[::-1][:k].sum()
    most = -np.inf
    for start in range(0, n, ROWS):
        rows = np.arange(start, min(start + ROWS, n))
        block = np.array(cov.block(rows))
        own = block[rows - start, rows].copy()
        block[rows - start, rows] = 0.0
        weighed = (np.maximum(block, 0.0) if nonnegative else np.abs(block)) * d
        if k <= n:
            weighed = np.partition(weighed, n - k, axis=1)[:, n - k + 1 :]
        sums = weighed.sum(axis=1) / d[rows]
        rounding = (k + 6) * EPS * (np.abs(own) + sums) + 2 * terms * EPS * deviations[rows] * company / d[rows]
        most = max(most, float((own + sums + rounding).max()))
    return most + cov.representation_error
