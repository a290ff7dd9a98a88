"""Deflated covariances, in the same form (matrix or data) as the original.

Every function takes the covariance and the components found, unit columns U (n, r), and returns a
positive semidefinite covariance of the same form; sparse data stay sparse, with r outer products
subtracted. The representation error covers the rounding of the deflation.
"""

from __future__ import annotations

import numpy as np

from nnspca.covariance import Covariance
from nnspca.covariance.factor import AT_A_TIME, DenseFactor, Factor
from nnspca.covariance.forms import DENSE_EIGEN, HeldFactor, HeldMatrix
from nnspca.covariance.span import orthonormal
from nnspca.numerics import rounding

DEPENDENT = 1e-8  # share of the variance of a combination of scores below which it counts as zero


def restricted(cov: Covariance, U: np.ndarray) -> Covariance:
    """Leave out every feature that a column of U uses; at least one must remain."""
    free = np.flatnonzero(~U.any(axis=1))
    return cov.derived(cov.form.select(free), "restrict", free)


def projected(cov: Covariance, U: np.ndarray) -> Covariance:
    """``PAP`` with P = I − QQ', Q an orthonormal basis of the span of U.

    For one component this is the projection of Sigg & Buhmann (2008, eq. 18); for several, the
    whole span is projected out at once, so that no later component brings an earlier one back.
    """
    Q = orthonormal(U)
    if cov.factor is not None:
        factor = cov.factor
        return _of_factor(cov, factor, "projected", U, factor.forward(Q.T).T, Q, 1.0)
    half = cov.entries - Q @ (Q.T @ cov.entries)
    return _of_matrix(cov, "projected", U, half - (half @ Q) @ Q.T, growth=1.0)


def schur(cov: Covariance, U: np.ndarray) -> Covariance:
    """``A − AU (U'AU)⁻¹ U'A``: the part of the features that the scores YU predict is removed (Mackey 2008).

    The same, in any order, as ``A − Aww'A / w'Aw`` for one component after the other. On data, the
    samples are projected off the scores.
    """
    if cov.factor is not None:
        factor = cov.factor
        scores = factor.forward(U.T).T
        Z = orthonormal(scores)
        R = factor.backward(Z.T).T
        weights = U @ np.linalg.pinv(Z.T @ scores)
        return _of_factor(cov, factor, "schur", U, Z, R, 1.0 + float(np.linalg.norm(weights) * np.linalg.norm(R)))
    A = cov.entries
    image = A @ U
    explained = np.einsum("ir,ir->r", U, image)
    positive = explained > rounding.sums(len(A), cov.trace)  # below that, rounding error only
    used, image = U[:, positive], image[:, positive]
    scale = np.sqrt(explained[positive])
    values, vectors = np.linalg.eigh((used.T @ image) / np.outer(scale, scale))
    usable = values > DEPENDENT
    mix = vectors[:, usable] / np.sqrt(values[usable]) / scale[:, None]
    B = image @ mix
    norm = 1.0 + float(np.linalg.norm(used @ mix) * np.linalg.norm(B))
    condition = 1.0 / float(values[usable].min(initial=1.0))
    return _of_matrix(cov, "schur", U, A - B @ B.T, growth=2 * norm**2, condition=condition)


def hotelling(cov: Covariance, U: np.ndarray) -> Covariance:
    """The positive semidefinite part of ``A − Σ λww'``, λ = max(w'Bw, 0) on the B that is deflated so far.

    If w is no eigenvector, subtracting λww' leaves directions of negative variance. These are
    removed, so that the result is a covariance and certificates remain valid.
    """
    if not cov.holds_entries or cov.n_features > DENSE_EIGEN:
        raise ValueError(
            f"deflation 'hotelling' needs all eigenvalues of a matrix, which {cov.n_features} features are too many "
            "for; give 'projection' or 'schur'"
        )
    B = np.array(cov.entries)
    for w in U.T:
        B -= max(float(w @ B @ w), 0.0) * np.outer(w, w)
    values, vectors = np.linalg.eigh(B)
    below = values < 0
    B -= (vectors[:, below] * values[below]) @ vectors[:, below].T
    # removing the negative part does not increase Frobenius distances
    return _of_matrix(cov, "hotelling", U, B, growth=float(np.sqrt(len(B))))


def _of_matrix(
    cov: Covariance, operation: str, U: np.ndarray, A: np.ndarray, *, growth: float, condition: float = 1.0
) -> Covariance:
    """A deflated matrix; ``growth`` is the factor by which an error of ``cov`` grows, before rounding is added.
    In bounds that sum variances, the rounding error counts once for each feature.
    """
    n, r = U.shape
    perturbation = rounding.deflated(r, n, condition, float(np.linalg.norm(cov.entries)))
    return cov.derived(HeldMatrix(A / 2 + A.T / 2), operation, U, growth=growth, rounding=perturbation, times=n)


def _of_factor(
    cov: Covariance, factor: Factor, operation: str, U: np.ndarray, L: np.ndarray, R: np.ndarray, norm: float
) -> Covariance:
    """Deflated data ``Y − LR'``.

    ``norm`` bounds the norm of the matrix S in A left = S'AS, so that an error of A grows by its
    square at most.
    """
    m, n = factor.shape
    perturbation = rounding.deflated(L.shape[1], n + m, norm, factor.rounding_scale())
    growth = 1.0 if norm == 1.0 else 2 * norm**2
    return cov.derived(HeldFactor(minus_low_rank(factor, L, R)), operation, U, growth=growth, rounding=perturbation)


def minus_low_rank(factor: Factor, L: np.ndarray, R: np.ndarray) -> Factor:
    """Return ``Y − LR'``: computed if Y is an array; otherwise Y, L and R are stored separately."""
    if isinstance(factor, DenseFactor):
        return DenseFactor(factor.Y - L @ R.T)
    return DeflatedFactor(factor, np.ascontiguousarray(L), np.ascontiguousarray(R))


class DeflatedFactor(Factor):
    """Data ``Y − LR'`` with Y stored as it is, for example sparse, and L (m, s), R (n, s) of few columns."""

    def __init__(self, base: Factor, L: np.ndarray, R: np.ndarray) -> None:
        self.base, self.L, self.R = base, L, R
        self.shape = base.shape

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self.base.forward(x) - (x @ self.R) @ self.L.T

    def backward(self, z: np.ndarray) -> np.ndarray:
        return self.base.backward(z) - (z @ self.L) @ self.R.T

    def columns(self, index: np.ndarray) -> np.ndarray:
        return self.base.columns(index) - self.L @ self.R[index].T

    def squared_norms(self) -> np.ndarray:
        """Computed column by column: subtracting from the old norms would lose digits by cancellation."""
        m, n = self.shape
        step = max(1, AT_A_TIME // m)
        norms = [np.square(self.columns(np.arange(j, min(j + step, n)))).sum(axis=0) for j in range(0, n, step)]
        return np.concatenate(norms)

    def gram(self) -> np.ndarray:
        image = self.base.forward(self.R.T).T
        crossed = image @ self.L.T
        return self.base.gram() - crossed - crossed.T + self.L @ (self.R.T @ self.R) @ self.L.T

    def cross(self) -> np.ndarray:
        crossed = self.base.backward(self.L.T).T @ self.R.T
        return self.base.cross() - crossed - crossed.T + self.R @ (self.L.T @ self.L) @ self.R.T

    def rounding_scale(self) -> float:
        return 4.0 * (self.base.rounding_scale() + float(np.sum((self.L.T @ self.L) * (self.R.T @ self.R))))

    def arrays(self) -> list[np.ndarray]:
        return [*self.base.arrays(), self.L, self.R]
