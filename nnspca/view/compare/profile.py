"""Data sets side by side: their spectra, signs and correlations, and the shares proven on them, as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from nnspca.covariance import Covariance
from nnspca.datasets import Dataset
from nnspca.result import ShouldStop, SweepPoint
from nnspca.solvers.registry import METHODS
from nnspca.studies.asteris2014 import guarantee
from nnspca.studies.study import Table

SHARES = (0.02, 0.05, 0.15, 0.4, 1.0)  # of the features
SPECTRUM = 20  # eigenvalues shown
RANKS = 10  # largest d for the a-priori guarantee
ROWS = 512  # of the covariance read at a time
HEADINGS = {  # of the tables, by the names in their files
    "data": "Data set",
    "features": "Features",
    "samples": "Samples",
    "first_share": "First eigenvector's share",
    "second": "λ₂ ÷ λ₁",
    "fourth": "λ₄ ÷ λ₁",
    "one_sign": "Of one sign",
    "positive": "Positive covariance",
    "correlation": "Mean |correlation|",
    "method": "Solver",
    "share_of_features": "k ÷ n",
    "cardinality": "Features used",
    "normalized_variance": "Variance ÷ λ₁",
    "normalized_upper": "Proven upper bound ÷ λ₁",
    "ratio": "Proven share",
    "promised": "Promised by Theorem 1",
    "seconds": "Solver, s",
    "seconds_of_proof": "Proof, s",
    "k": "k",
}


@dataclass(frozen=True, eq=False)
class Profile:
    """Properties of a data set that are computed before any solver runs."""

    name: str
    title: str
    n_features: int
    n_samples: int | None
    spectrum: np.ndarray  # the largest eigenvalues divided by the first
    leading: float  # the first eigenvalue, in the units of the variance
    first_share: float  # of the first direction in the total variance
    one_sign: float  # larger share of the first eigenvector's squared loadings with one sign: 1 if it is nonnegative
    positive: float  # share of the sum of magnitudes of all covariances between different features
    correlation: float  # mean magnitude between two different features of nonzero variance

    def promised(self, k: int) -> float:
        """The best a-priori guarantee of Asteris et al. (2014, Theorem 1) over d up to 10."""
        decays = self.spectrum[1 : RANKS + 1].tolist() + [0.0] * (self.n_features <= RANKS)  # zero at d = n
        return max(guarantee(self.n_features, k, decay) for decay in decays)


def profile(data: Dataset, cov: Covariance, *, should_stop: ShouldStop | None = None) -> Profile | None:
    """Measure a data set; None if stopped. Every entry of the covariance is read once, block by block."""
    n = cov.n_features
    values, vectors = cov.eigenpairs(min(SPECTRUM, n))
    leading = float(values[0])
    first = vectors[:, 0]
    weight = float((first[first > 0] ** 2).sum())
    sums = _sums(cov, should_stop)
    if sums is None:
        return None
    positive, magnitude, correlation, pairs = sums
    return Profile(
        data.name,
        data.title or data.name,
        n,
        cov.n_samples,
        values / leading,
        leading,
        leading / cov.trace,
        min(max(weight, 1.0 - weight), 1.0),
        positive / magnitude if magnitude > 0 else 1.0,
        correlation / pairs if pairs else 0.0,
    )


def _sums(cov: Covariance, should_stop: ShouldStop | None) -> tuple[float, float, float, int] | None:
    """Sums over i ≠ j of positive entries, magnitudes, and magnitudes of correlations; and the number of the latter."""
    deviation = np.sqrt(np.maximum(cov.diagonal, 0.0))
    varies = deviation > 0
    inverse = np.where(varies, 1.0 / np.where(varies, deviation, 1.0), 0.0)
    positive = magnitude = correlation = 0.0
    for start in range(0, cov.n_features, ROWS):
        if should_stop is not None and should_stop():
            return None
        rows = np.arange(start, min(start + ROWS, cov.n_features))
        block = np.array(cov.block(rows))
        block[np.arange(len(rows)), rows] = 0.0
        total = float(block.sum())
        np.abs(block, out=block)
        block_magnitude = float(block.sum())
        magnitude += block_magnitude
        positive += (block_magnitude + total) / 2
        correlation += float((block @ inverse) @ inverse[rows])
    count = int(varies.sum())
    return positive, magnitude, correlation, count * (count - 1)


def cardinalities(n: int, shares: Sequence[float] = SHARES) -> tuple[int, ...]:
    """Return the numbers of features that are these shares of ``n``, at least 1.

    >>> cardinalities(100), cardinalities(13)
    ((2, 5, 15, 40, 100), (1, 2, 5, 13))
    """
    return tuple(sorted({max(1, round(share * n)) for share in shares}))


def tables(profiles: Sequence[Profile], points: Sequence[tuple[Profile, SweepPoint]]) -> tuple[Table, Table]:
    """Return the data sets and the points as tables."""
    about = pd.DataFrame(
        {
            "data": p.name,
            "features": p.n_features,
            "samples": p.n_samples,
            "first_share": p.first_share,
            "second": _at(p.spectrum, 1),
            "fourth": _at(p.spectrum, 3),
            "one_sign": p.one_sign,
            "positive": p.positive,
            "correlation": p.correlation,
        }
        for p in profiles
    )
    found = pd.DataFrame(_row(p, point) for p, point in points)
    lower = ["normalized_variance", "ratio", "promised"]
    each = Table("points", "Every point", found, down=lower, up=["normalized_upper"])
    return Table("data", "The data sets", about), each


def _row(p: Profile, point: SweepPoint) -> dict[str, Any]:
    part, proof = point.component, point.certificate
    proven = proof is not None and proof.upper > 0 and METHODS[point.method].feasible
    return {
        "data": p.name,
        "method": point.method,
        "k": point.k,
        "share_of_features": point.k / p.n_features,
        "cardinality": part.cardinality,
        "normalized_variance": part.variance / p.leading,
        "normalized_upper": proof.upper / p.leading if proof else math.nan,
        "ratio": part.variance / proof.upper if proof and proven else math.nan,
        "promised": p.promised(point.k),
        "seconds": part.seconds,
        "seconds_of_proof": proof.seconds if proof else math.nan,
    }


def _at(values: np.ndarray, place: int) -> float:
    return float(values[place]) if place < len(values) else math.nan
