"""Data minus the components taken out, stored as the original data and a low-rank term."""

from __future__ import annotations

import numpy as np

from nnspca.covariance.factor import AT_A_TIME, DenseFactor, Factor


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

    def rounding_scale(self) -> float:
        return 4.0 * (self.base.rounding_scale() + float(np.sum((self.L.T @ self.L) * (self.R.T @ self.R))))

    def arrays(self) -> list[np.ndarray]:
        return [*self.base.arrays(), self.L, self.R]
