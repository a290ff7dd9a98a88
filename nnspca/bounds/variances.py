"""The sum of the largest variances: no component on k features has more.

The variance of x on its support J is at most the largest eigenvalue of A_JJ. A covariance has no
negative eigenvalue, so that is at most the trace of A_JJ, and no k features have a larger sum of
variances than the k of largest variance.
"""

from __future__ import annotations

import numpy as np

from nnspca.covariance import Covariance
from nnspca.numerics import rounding


def largest_variances(cov: Covariance, k: int) -> float:
    """Return the sum of the k largest variances, rounded up."""
    value = float(np.sort(cov.diagonal)[::-1][:k].sum())
    return rounding.raised(value, k + 8 + 8 * cov.form.terms) + cov.room(k)
