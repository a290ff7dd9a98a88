"""Covariances that stand for a large one during a search: of some samples, in single precision, of few features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnspca.covariance.covariance import Covariance
from nnspca.covariance.factor import DenseFactor, SparseFactor
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.provenance import Provenance

BATCH_ENTRIES = 2**22  # stored numbers of the data beyond which a search considers some of the samples first
IN_SINGLE = 2**25  # and beyond which it does so in single precision, where they are dense
DENSE = 2**23  # numbers of the data that are dense at a time
SPARSE = 0.01  # share of a dense product's multiplications that a sparse product may have to take less time
FORMED = 3000  # features up to which the entries are formed, where there are more samples


def of_some_samples(cov: Covariance, rng: np.random.Generator, entries: int | None = None) -> Covariance:
    """Return the covariance of as many samples, drawn at random, as hold so many numbers; ``cov`` if all do."""
    factor = cov.held.factor
    if not isinstance(factor, DenseFactor | SparseFactor):
        return cov
    m = factor.shape[0]
    stored = factor.Y.size if isinstance(factor, DenseFactor) else factor.S.nnz
    count = m * (entries or BATCH_ENTRIES) // max(stored, 1)
    if not 0 < count < m:
        return cov
    rows = np.sort(rng.choice(m, count, replace=False))
    if isinstance(factor, DenseFactor):
        return Covariance(DenseFactor(factor.Y[rows] * np.sqrt(m / count)), Provenance(n_samples=count))
    return Covariance(SparseFactor(factor.S[rows], factor.mean), Provenance(n_samples=count))


def in_single(cov: Covariance, rng: np.random.Generator) -> Covariance:
    """Return the covariance of some samples, of dense data more of them, scaled, and in single precision."""
    if not isinstance(cov.held.factor, DenseFactor):
        return of_some_samples(cov, rng)
    factor = of_some_samples(cov, rng, IN_SINGLE).held.factor
    assert isinstance(factor, DenseFactor)
    features_first = np.empty(factor.shape[::-1], np.float32)
    np.divide(factor.Y.T, np.sqrt(cov.diagonal.max() or 1.0), out=features_first, casting="same_kind")
    return Covariance(DenseFactor(features_first.T))


def entry_by_entry(
    cov: Covariance, features: np.ndarray, step: Callable[[float], None] = lambda share: None
) -> Covariance:
    """Return the covariance of some features as a matrix, where these are few and the samples are more.

    ``step`` is called with the share that is done, some times a second; what it raises ends the call.
    """
    factor = cov.held.factor
    if factor is None or len(features) > FORMED or factor.shape[0] <= len(features):
        return cov.restrict(features)
    if isinstance(factor, SparseFactor):
        A = _sparse_cross(factor.select(features), step)
    else:
        A = factor.select(features).cross()
    return Covariance(HeldMatrix((A + A.T) / 2), Provenance(n_samples=cov.n_samples))


def _sparse_cross(factor: SparseFactor, step: Callable[[float], None]) -> np.ndarray:
    """Return Y'Y: rows are made dense some at a time, in single precision, unless a sparse product takes less."""
    m, n = factor.shape
    stored = np.diff(factor.S.indptr).astype(float)
    if stored @ stored < SPARSE * m * n**2:
        return factor.cross()
    A, mean, rows = np.zeros((n, n)), factor.mean.astype(np.float32), max(1, DENSE // n)
    for start in range(0, m, rows):
        step(start / m)
        Y = factor.S[start : start + rows].astype(np.float32).toarray() - mean
        A += Y.T @ Y
    return A / m
