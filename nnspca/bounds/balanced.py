"""Balanced row sums: the largest row sum of A, after the rows are levelled by a positive weight for each feature.

Why any weights prove a bound, and how power steps find good ones, stands in docs/mathematics/rows.md: a few
milliseconds where the pair-scaled bound takes seconds, and a certificate that is one vector. The rows of a factor are
levelled by one reading of those of large variance (:mod:`nnspca.bounds.levelled`); no others are read.
"""

from __future__ import annotations

import numpy as np

from nnspca.bounds import levelled
from nnspca.certificates.proofs import ScaleProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.numerics.feasible import allowed, sum_of_largest
from nnspca.result import Bound


def balanced_rows(problem: Problem, *, monitor: Monitor, lower: float = 0.0, warm_start: Bound | None = None) -> Bound:
    """The least bound over the weights tried, from those of ``warm_start``, this bound as it was found before.

    If A is not stored, only the rows that need be are read, as the variance ``lower`` is attained.
    """
    cov, level = problem.cov, 0.0
    s = np.sqrt(np.maximum(cov.diagonal, 0.0))  # at such weights no row costs much more than the largest variances
    d, start = np.maximum(s / (s.max() or 1.0), levelled.FLOOR), None
    if warm_start is not None and isinstance(warm_start.ingredients, ScaleProof):
        d, start = warm_start.ingredients.weights, warm_start.value
    chosen = levelled.choose_features(problem, lower, monitor)
    value, d = levelled.level_rows(problem, chosen, d, monitor, lower=lower, start=start)
    if cov.held.holds_entries:
        value = _of_matrix(problem, d)
    else:
        level = value  # a judge reads no row that cannot reach it
    value = float(value + cov.held.error_elsewhere)  # each row has room for what drifts
    if warm_start is not None and value >= warm_start.value:
        return warm_start
    return Bound(
        "balanced-rows",
        value,
        detail=(
            "Every pair of features splits its covariance in the ratio of their scales, chosen so that all row sums "
            "are nearly equal. The largest row, its own variance and k − 1 largest shares, is this bound."
        ),
        ingredients=ScaleProof(d, level),
    )


def _of_matrix(problem: Problem, d: np.ndarray) -> float:
    """The largest row at these weights, in double precision."""
    cov, k = problem.cov, problem.k
    shares = allowed(cov.held.entries, problem.nonnegative)
    np.fill_diagonal(shares, 0.0)
    shares *= d
    image = cov.diagonal * d + sum_of_largest(shares, k - 1)
    return rounding.raised(float(((image + cov.held.drift_of_rows(d, k)) / d).max()), 2 * k + 32)
