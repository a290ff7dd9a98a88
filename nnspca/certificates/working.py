"""Re-derives the pair-scaled bound on a working set: its own check there, and every row outside read in full."""

from __future__ import annotations

import numpy as np

from nnspca.certificates.pairs import check_pairs
from nnspca.certificates.proofs import WorkingProof
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
ROWS = 256


def working_bound(proof: WorkingProof, k: int, nonnegative: bool, cov: Covariance) -> float:
    """What is proven when pairs inside share by M, pairs across by the limits, and pairs outside evenly."""
    n = cov.n_features
    chosen, limits = np.asarray(proof.features), np.asarray(proof.limits, dtype=np.float64)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or not len(chosen):
        raise CertificateError("the working set must be a list of features")
    if (np.diff(chosen) <= 0).any() or chosen[0] < 0 or chosen[-1] >= n:
        raise CertificateError(f"the working set must name different features from 0 to {n - 1}, in order")
    if limits.shape != chosen.shape or not np.isfinite(limits).all() or not (limits > 0).all():
        raise CertificateError("every feature of the working set needs a positive limit")
    block = cov.block(chosen, chosen)
    terms = 0 if cov.factor is None else cov.factor.shape[0]
    forming = 2 * (terms + 2) * EPS * float(cov.diagonal[chosen].sum()) if terms else 0.0
    L, M, tail = check_pairs(proof.pairs, nonnegative, (block + block.T) / 2, forming)
    # a row may have any k−1 companions: its own largest shares, or any number of the others at its limit
    companions = np.sort(np.hstack([M, np.repeat(limits[:, None], min(k - 1, n - len(chosen)), axis=1)]), axis=1)
    shares = companions[:, ::-1][:, : k - 1].sum(axis=1)
    own = L.diagonal()
    rows = own + shares + (k + 2) * EPS * (np.abs(own) + shares)
    inside = tail + float(rows.max()) + 2 * EPS * (abs(tail) + abs(float(rows.max())))
    return max(inside, _outside(cov, chosen, limits, k, nonnegative)) + cov.representation_error


def _outside(cov: Covariance, chosen: np.ndarray, limits: np.ndarray, k: int, nonnegative: bool) -> float:
    """What the heaviest row outside costs."""
    deviations = np.sqrt(np.maximum(cov.diagonal, 0.0))
    terms = 0 if cov.factor is None else cov.factor.shape[0]
    member = np.zeros(cov.n_features, dtype=bool)
    member[chosen] = True
    others = np.flatnonzero(~member)
    most = -np.inf
    for start in range(0, len(others), ROWS):
        rows = others[start : start + ROWS]
        block = np.array(cov.block(rows))
        own = block[np.arange(len(rows)), rows].copy()
        shares = (np.maximum(block, 0.0) if nonnegative else np.abs(block)) + (
            (terms + 2) * EPS * np.outer(deviations[rows], deviations)
        )
        with np.errstate(over="ignore"):
            shares[:, chosen] = shares[:, chosen] * shares[:, chosen] / limits * (1 + 4 * EPS)
        shares[np.arange(len(rows)), rows] = 0.0
        if k <= shares.shape[1]:
            shares = np.partition(shares, shares.shape[1] - k, axis=1)[:, shares.shape[1] - k + 1 :]
        sums = own * (1 + (terms + 2) * EPS) + shares.sum(axis=1)
        most = max(most, float((sums * (1 + (k + 4) * EPS)).max()))
    return most
