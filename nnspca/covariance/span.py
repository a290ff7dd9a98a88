"""Several components taken together: what their span explains, without crediting anything twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnspca.covariance import Covariance
from nnspca.numerics.doubles import read_only

SPANNED = 1e-10  # below this share of itself a column's fresh part is rounding


def cumulative_variance(cov: Covariance, loadings: np.ndarray) -> np.ndarray:
    """Return the variance of the span of the first 1, 2, …, r columns of ``loadings``, shape (r,).

    ``tr(Q'AQ)`` with Q an orthonormal basis of the span, built column by column: what a component
    adds is the variance of its part orthogonal to those before it. A column that lies in the span
    of those before it adds nothing.
    """
    explained = [0.0 if q is None else max(cov.variance(q), 0.0) for q in _fresh(loadings)]
    return read_only(np.cumsum(explained))


def orthonormal(columns: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the span of ``columns`` (n, r), shape (n, s) with s <= r, in their order.

    A column that lies in the span of those before it gives no direction, where a plain QR
    factorisation would make one up of its rounding.
    """
    basis = [q for q in _fresh(columns) if q is not None]
    return np.column_stack(basis) if basis else np.zeros((len(columns), 0))


def _fresh(columns: np.ndarray) -> Iterator[np.ndarray | None]:
    """The unit direction that each column adds to the span of those before it; None where it adds none."""
    basis = np.zeros((0, len(columns)))
    for column in columns.T:
        fresh = column.copy()
        for _ in range(2):  # once more, for the digits the first projection loses
            fresh = fresh - basis.T @ (basis @ fresh)
        length = float(np.linalg.norm(fresh))
        if length > SPANNED * float(np.linalg.norm(column)):
            basis = np.vstack([basis, fresh / length])
            yield basis[-1]
        else:
            yield None
