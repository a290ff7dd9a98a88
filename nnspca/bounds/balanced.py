"""Balanced row sums: the largest row sum of A, after the rows are levelled by a positive weight for each feature.

For any d > 0 and feasible x >= 0 with support J, |J| <= k, the arithmetic–geometric mean gives
``2 x_i x_j <= x_i² d_j/d_i + x_j² d_i/d_j``, so

    x'Ax <= Σ_{i∈J} x_i² [A_ii + Σ_{j∈J∖i} A_ij⁺ d_j/d_i] <= max_i f_i(d)/d_i,
    f_i(d) = A_ii d_i + the k−1 largest A_ij⁺ d_j, j ≠ i,

and with |A_ij| for A_ij⁺ where there is no sign constraint. It is the pair-scaled bound with L = A
and weights that belong to features rather than pairs; with d = 1 it is the plain bound by row sums.
f is monotone and homogeneous, so its least max_i f_i(d)/d_i over d is an eigenvalue of f, and power
steps d ← f(d) lead to it: a few milliseconds where the pair-scaled bound takes seconds, and a
certificate that is one vector.

**Many features.** The rows of a factor are levelled by one or two readings of those of large variance
(:mod:`nnspca.bounds.levelled`); no others are read.
"""

from __future__ import annotations

import numpy as np

from nnspca.bounds import levelled
from nnspca.bounds.companions import Companions
from nnspca.certificates.proofs import ScaleProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.numerics.feasible import sum_of_largest
from nnspca.result import Bound

READINGS = 2  # of the rows of data, if a second one promises a gain


def balanced_rows(
    problem: Problem,
    *,
    monitor: Monitor,
    readings: int = READINGS,
    lower: float = 0.0,
    warm_start: Bound | None = None,
    companions: Companions | None = None,
) -> Bound:
    """The least bound over the weights tried.

    Parameters
    ----------
    problem : Problem
    monitor : Monitor
    readings : int
        Of the rows, if A is not stored.
    lower : float
        An attained variance, by which the rows are chosen that need to be read; all of them without it.
    warm_start : Bound, optional
        This bound as it was found before: its weights are where the rows are levelled from.
    companions : Companions, optional
        They take what is read.
    """
    cov, level = problem.cov, 0.0
    d, start = _by_deviations(cov), None
    if warm_start is not None and isinstance(warm_start.ingredients, ScaleProof):
        d, start = warm_start.ingredients.weights, warm_start.value
    chosen = levelled.choose(problem, lower, monitor)
    value, d = levelled.level_rows(
        problem, chosen, d, monitor, readings=readings, lower=lower, start=start, companions=companions
    )
    if cov.holds_entries:
        value = _of_matrix(problem, d)
    else:
        level = value  # a judge reads no row that cannot reach it
    value = float(value + cov.error_elsewhere)  # each row has room for what drifts
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


def _by_deviations(cov: Covariance) -> np.ndarray:
    """Weights at which no row costs much more than the largest variances."""
    s = np.sqrt(np.maximum(cov.diagonal, 0.0))
    return np.maximum(s / (s.max() or 1.0), levelled.FLOOR)


def _of_matrix(problem: Problem, d: np.ndarray) -> float:
    """The largest row at these weights, in double precision."""
    cov, k = problem.cov, problem.k
    shares = np.maximum(cov.entries, 0.0) if problem.nonnegative else np.abs(cov.entries)
    np.fill_diagonal(shares, 0.0)
    image = cov.diagonal * d + sum_of_largest(shares * d, k - 1)
    return rounding.raised(float(((image + cov.drift_of_rows(d, k)) / d).max()), 2 * k + 32)
