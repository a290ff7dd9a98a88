"""The two forms a covariance is held in, its entries or a factor, behind one operator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnspca.covariance.factor import Factor, lanczos
from nnspca.numerics import fantope, rounding
from nnspca.numerics.doubles import read_only

FEW_PAYS = 1000  # above, only those eigenpairs of a matrix are computed that are asked for
DENSE_EIGEN = 3000  # above, a few eigenpairs come from Lanczos iterations


class HeldMatrix:
    """A itself, as an array."""

    terms = 0  # how many products an entry is summed from when it is read
    rounding_scale = 0.0  # what the rounding of such a sum is relative to
    roundings = 0  # how many there may be in an entry that is read
    name = "matrix"

    def __init__(self, A: np.ndarray) -> None:
        self.A = read_only(A)
        self.diagonal = read_only(A.diagonal().copy())

    def apply(self, x: np.ndarray) -> np.ndarray:
        """Return Ax, for one vector (n,) or a batch of rows (r, n)."""
        return x @ self.A

    def variances(self, x: np.ndarray) -> np.ndarray:
        """Return x'Ax of each row of x."""
        return np.einsum("ri,ri->r", x, x @ self.A)

    def variance_on(self, support: np.ndarray, x: np.ndarray) -> float:
        """Return x'Ax for the x that has these loadings on the support."""
        return float(x @ self.A[np.ix_(support, support)] @ x)

    def block(self, rows: np.ndarray, columns: np.ndarray | None) -> np.ndarray:
        """Return the entries of A at ``rows`` × ``columns`` (all columns when None)."""
        return self.A[rows] if columns is None else self.A[np.ix_(rows, columns)]

    def restrict(self, features: np.ndarray) -> HeldMatrix:
        """Return the form of some features only."""
        return HeldMatrix(self.A[np.ix_(features, features)])

    select = restrict  # held as this one is

    def smaller_side(self) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """Return a matrix with A's leading eigenvalues, and what makes of its eigenvectors those of A: A itself."""
        return self.A, lambda v: v

    def leading(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Return at least d eigenpairs (fewer where the rest are zero), largest first, values not below zero."""
        n = len(self.A)
        if n > DENSE_EIGEN:
            values, vectors = lanczos(self.A, d)
        else:
            values, vectors = fantope.largest(self.A, d if n > FEW_PAYS else n)
        return np.maximum(values[::-1], 0.0), vectors[:, ::-1]

    def extreme_eigenvalues(self) -> tuple[float, float]:
        """Return the smallest and the largest eigenvalue."""
        n = len(self.A)
        if n <= DENSE_EIGEN:
            values = np.linalg.eigvalsh(self.A)
            return float(values[0]), float(values[-1])
        largest = float(lanczos(self.A, 1)[0][-1])
        missing = largest * np.eye(n) - self.A
        if not missing.any():  # Lanczos iterations need an image that is not zero
            return largest, largest
        return largest - float(lanczos(missing, 1)[0][-1]), largest

    def without_negative_eigenvalues(self) -> tuple[HeldMatrix, float]:
        """Return the nearest positive semidefinite matrix, and how far it is in the Frobenius norm."""
        values, vectors = np.linalg.eigh(self.A)
        below = values < -rounding.eigenvalues(len(self.A), float(np.abs(values).max()))
        if not below.any():
            return self, 0.0
        factor = vectors[:, values > 0] * np.sqrt(values[values > 0])
        return HeldMatrix(factor @ factor.T), float(np.linalg.norm(values[below]))

    def arrays(self) -> list[np.ndarray]:
        """Return the arrays that define A, for hashing."""
        return [self.A]


Form = HeldMatrix | Factor
