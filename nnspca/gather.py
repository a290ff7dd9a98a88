"""Several components taken together: what their span explains, without crediting anything twice."""

from __future__ import annotations

import numpy as np

from nnspca.covariance import Covariance

SPANNED = 1e-10  # below this share of itself a column's fresh part is rounding


def cumulative_variance(cov: Covariance, loadings: np.ndarray) -> np.ndarray:
    """Return the variance of the span of the first 1, 2, …, r columns of ``loadings``, shape (r,).

    ``tr(Q'AQ)`` with Q an orthonormal basis of the span, built column by column: what a component adds is the
    variance of its part orthogonal to those before it. A column that lies in the span of those before it adds
    nothing.

    Examples
    --------
    >>> cov = Covariance.from_matrix(np.diag([3.0, 2.0, 1.0]))
    >>> cumulative_variance(cov, np.array([[1.0, 0.6], [0.0, 0.8], [0.0, 0.0]]))
    array([3., 5.])
    """
    basis = np.zeros((0, cov.n_features))
    added = np.zeros(loadings.shape[1])
    for r, column in enumerate(loadings.T):
        fresh = column.copy()
        for _ in range(2):  # once more, for the digits the first projection loses
            fresh = fresh - basis.T @ (basis @ fresh)
        length = float(np.linalg.norm(fresh))
        if length > SPANNED * float(np.linalg.norm(column)):
            basis = np.vstack([basis, fresh / length])
            added[r] = cov.variance(basis[-1])
    return np.cumsum(added)
