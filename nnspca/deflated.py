"""What is left of a covariance once components have been taken out of it, in the form it is held in."""

from __future__ import annotations

import numpy as np

from nnspca.covariance import Covariance
from nnspca.errors import DataError
from nnspca.factor import DenseFactor

LARGEST = 5e7  # numbers of a deflated factor; one that was sparse is dense afterwards
EPS = np.finfo(float).eps


def restricted(cov: Covariance, U: np.ndarray) -> tuple[Covariance, np.ndarray]:
    """Leave out every feature that a column of U uses; return what is left and which features those are."""
    free = np.flatnonzero(~U.any(axis=1))
    return cov.restrict(free), free


def projected(cov: Covariance, U: np.ndarray) -> Covariance:
    """``PAP`` with P the projection off the span of U (Sigg & Buhmann 2008, eq. 18, on an orthonormal basis)."""
    Q = np.linalg.qr(U)[0]
    if cov.matrix is not None:
        half = cov.matrix - Q @ (Q.T @ cov.matrix)
        return _of_matrix(cov, half - (half @ Q) @ Q.T, U.shape[1])
    Y = _dense(cov)
    return _of_factor(cov, Y - (Y @ Q) @ Q.T)


def schur(cov: Covariance, U: np.ndarray) -> Covariance:
    """``A − Aww'A / w'Aw`` for each column in turn (Mackey 2008): what w predicts of the others goes too.

    On data it is a reflection-free projection of the samples: Yw is taken out of them.
    """
    if cov.matrix is not None:
        A = cov.matrix
        for w in U.T:
            image = A @ w
            explained = float(w @ image)
            if explained > 0:
                A = A - np.outer(image, image) / explained
        return _of_matrix(cov, A, U.shape[1])
    Y = _dense(cov)
    for w in U.T:
        scores = Y @ w
        explained = float(scores @ scores)
        if explained > 0:
            Y = Y - np.outer(scores, scores @ Y) / explained
    return _of_factor(cov, Y)


def hotelling(cov: Covariance, U: np.ndarray) -> Covariance:
    """``A − λww' + λI`` for each column in turn, λ = w'Aw of what is left.

    Taking λww' away alone leaves an indefinite matrix where w is no eigenvector; adding λI changes no maximiser over
    unit vectors, and makes it positive semidefinite.

    Raises
    ------
    ValueError
        A is held as data: the shift is of full rank, so the result would need an n×n array.
    """
    if cov.matrix is None:
        raise ValueError(
            f"deflation 'hotelling' needs a matrix, which {cov.n_features} features are too many for; "
            "give 'projection' or 'schur'"
        )
    A = np.array(cov.matrix)
    shift = 0.0
    for w in U.T:
        variance = max(float(w @ A @ w), 0.0)
        A -= variance * np.outer(w, w)
        shift += variance
    A[np.diag_indices(len(A))] += shift
    return _of_matrix(cov, A, U.shape[1])


def _of_matrix(cov: Covariance, A: np.ndarray, count: int) -> Covariance:
    """A deflated matrix; eigenvalues below zero by rounding are covered by the representation error."""
    A = (A + A.T) / 2
    n = len(A)
    least = float(np.linalg.eigvalsh(A)[0]) if n <= 3000 else 0.0
    below = max(0.0, -least) + 8 * (count + 1) * n * EPS * float(np.abs(A).sum(axis=1).max())
    return Covariance(matrix=A, n_samples=cov.n_samples, representation_error=cov.representation_error + n * below)


def _of_factor(cov: Covariance, Y: np.ndarray) -> Covariance:
    """Deflated data."""
    return Covariance(
        factor=DenseFactor(np.ascontiguousarray(Y)),
        n_samples=cov.n_samples,
        representation_error=cov.representation_error,
    )


def _dense(cov: Covariance) -> np.ndarray:
    """The data as one array."""
    assert cov.factor is not None
    m, n = cov.factor.shape
    if m * n > LARGEST:
        raise DataError(
            f"deflated data of {m} × {n} would be dense; give deflation='disjoint', which keeps them sparse"
        )
    return np.array(cov.factor.columns(np.arange(n)))
