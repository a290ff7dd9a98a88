"""Factor: centred data Y with A = Y'Y, dense, sparse or deflated, known by what it does to vectors."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import scipy.sparse

AT_A_TIME = 4_000_000  # numbers of the data that are dense at a time


class Factor(Protocol):
    """Centred, scaled data Y of shape (m, n), so that the covariance is Y'Y.

    ``forward`` takes rows (…, n) to rows (…, m): Yx; ``backward`` takes rows (…, m) to (…, n): Y'z.
    """

    shape: tuple[int, int]

    def forward(self, x: np.ndarray) -> np.ndarray:
        """Return Yx."""
        ...

    def backward(self, z: np.ndarray) -> np.ndarray:
        """Return Y'z."""
        ...

    def columns(self, index: np.ndarray) -> np.ndarray:
        """Return the columns of Y at ``index``, dense, shape (m, len(index))."""
        ...

    def squared_norms(self) -> np.ndarray:
        """Return the diagonal of Y'Y, shape (n,)."""
        ...

    def gram(self) -> np.ndarray:
        """Return YY', shape (m, m)."""
        ...

    def cross(self) -> np.ndarray:
        """Return Y'Y, shape (n, n)."""
        ...

    def rounding_scale(self) -> float:
        """Return the sum of squares that the rounding of an inner product of columns is relative to."""
        ...

    def arrays(self) -> list[np.ndarray]:
        """Return the arrays that define Y, for hashing."""
        ...


class DenseFactor:
    """Y held as an array."""

    def __init__(self, Y: np.ndarray) -> None:
        Y.setflags(write=False)
        self.Y = Y
        self.shape = (Y.shape[0], Y.shape[1])

    @classmethod
    def of_data(cls, X: np.ndarray, standardize: bool) -> DenseFactor:
        """Centre (twice: the second pass removes the rounding of the first) and scale."""
        with np.errstate(over="ignore", invalid="ignore"):
            Y = X - X.mean(axis=0)
            Y -= Y.mean(axis=0)
            # a feature that never varies must be zero exactly, whatever its mean's rounding left behind
            Y[:, (X[:1] == X).all(axis=0)] = 0.0
            deviation = _deviation(Y)
        if standardize:
            Y /= np.where(deviation > 0, deviation, 1.0)
        Y /= np.sqrt(len(X))
        return cls(Y)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return x @ self.Y.T

    def backward(self, z: np.ndarray) -> np.ndarray:
        return z @ self.Y

    def columns(self, index: np.ndarray) -> np.ndarray:
        return self.Y[:, index]

    def squared_norms(self) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.einsum("ij,ij->j", self.Y, self.Y)

    def gram(self) -> np.ndarray:
        return self.Y @ self.Y.T

    def cross(self) -> np.ndarray:
        return self.Y.T @ self.Y

    def rounding_scale(self) -> float:
        return float(self.squared_norms().sum())

    def arrays(self) -> list[np.ndarray]:
        return [self.Y]


class SparseFactor:
    """Y = (S − 1 mean') / sqrt(m) with S sparse: the centring is never carried out."""

    def __init__(self, S: scipy.sparse.csr_array, mean: np.ndarray) -> None:
        self.S, self.mean = S, mean
        self._columns = S.tocsc()
        self.shape = (S.shape[0], S.shape[1])

    @classmethod
    def of_data(cls, X, standardize: bool) -> SparseFactor:
        """Hold the data as they are, or each feature divided by its standard deviation."""
        S = scipy.sparse.csr_array(X)
        S.sum_duplicates()
        # a feature that never varies must be zero exactly, whatever its mean's rounding would leave
        constant = S.max(axis=0).toarray().ravel() == S.min(axis=0).toarray().ravel()
        if constant.any():
            S = scipy.sparse.csr_array(S * np.where(constant, 0.0, 1.0)[None, :])
        mean = np.asarray(S.sum(axis=0)).ravel() / S.shape[0]
        made = cls(S, mean)
        if standardize:
            deviation = np.sqrt(made.squared_norms())
            scale = 1.0 / np.where(deviation > 0, deviation, 1.0)
            made = cls(scipy.sparse.csr_array(S * scale[None, :]), mean * scale)
        return made

    def forward(self, x: np.ndarray) -> np.ndarray:
        z = (self.S @ x.T).T - (x @ self.mean)[..., None]
        return z / np.sqrt(self.shape[0])

    def backward(self, z: np.ndarray) -> np.ndarray:
        return ((self.S.T @ z.T).T - z.sum(axis=-1)[..., None] * self.mean) / np.sqrt(self.shape[0])

    def columns(self, index: np.ndarray) -> np.ndarray:
        return (self._columns[:, index].toarray() - self.mean[index]) / np.sqrt(self.shape[0])

    def squared_norms(self) -> np.ndarray:
        """Sum over the stored entries and the zeros apart: no cancellation of large squares."""
        m = self.shape[0]
        stored = np.diff(self._columns.indptr)
        deviation = self._columns.data - np.repeat(self.mean, stored)
        column = np.repeat(np.arange(self.shape[1]), stored)
        squares = np.bincount(column, weights=deviation**2, minlength=self.shape[1])
        return (squares + (m - stored) * self.mean**2) / m

    def gram(self) -> np.ndarray:
        m = self.shape[0]
        inner = (self.S @ self.S.T).toarray()
        projected = self.S @ self.mean
        return (inner - projected[:, None] - projected[None, :] + self.mean @ self.mean) / m

    def cross(self) -> np.ndarray:
        m, n = self.shape
        if m * n <= 5e7:
            Y = self.columns(np.arange(n))
            return Y.T @ Y
        return (self.S.T @ self.S).toarray() / m - np.outer(self.mean, self.mean)

    def rounding_scale(self) -> float:
        return 4.0 * float(self.S.data @ self.S.data) / self.shape[0]

    def arrays(self) -> list[np.ndarray]:
        return [self.S.data, self.S.indices, self.S.indptr, self.mean]


class DeflatedFactor:
    """Data ``Y − LR'`` with Y held as it is, sparse for one, and L (m, s), R (n, s) of few columns."""

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
        """Column by column: the norms before less what was taken out would cancel."""
        m, n = self.shape
        step = max(1, AT_A_TIME // m)
        norms = [np.square(self.columns(np.arange(j, min(j + step, n)))).sum(axis=0) for j in range(0, n, step)]
        return np.concatenate(norms)

    def gram(self) -> np.ndarray:
        image = self.base.forward(self.R.T).T
        crossed = image @ self.L.T
        return self.base.gram() - crossed - crossed.T + self.L @ (self.R.T @ self.R) @ self.L.T

    def cross(self) -> np.ndarray:
        Y = self.columns(np.arange(self.shape[1]))
        return Y.T @ Y

    def rounding_scale(self) -> float:
        return 4.0 * (self.base.rounding_scale() + float(np.sum((self.L.T @ self.L) * (self.R.T @ self.R))))

    def arrays(self) -> list[np.ndarray]:
        return [*self.base.arrays(), self.L, self.R]


def _deviation(Y: np.ndarray) -> np.ndarray:
    """Standard deviation (1/m) of centred columns."""
    return np.sqrt(np.einsum("ij,ij->j", Y, Y) / len(Y))
