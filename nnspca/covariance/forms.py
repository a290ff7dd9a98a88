"""The two forms a covariance is held in, its entries or a factor, behind one operator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse.linalg

from nnspca.covariance.factor import Factor
from nnspca.numerics import fantope, feasible, rounding
from nnspca.numerics.doubles import read_only

FEW_SAMPLES = 800  # above, a few eigenpairs of a factor come from Lanczos iterations
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
            values, vectors = _lanczos(self.A, d)
        else:
            values, vectors = fantope.largest(self.A, d if n > FEW_PAYS else n)
        return np.maximum(values[::-1], 0.0), vectors[:, ::-1]

    def extreme_eigenvalues(self) -> tuple[float, float]:
        """Return the smallest and the largest eigenvalue."""
        n = len(self.A)
        if n <= DENSE_EIGEN:
            values = np.linalg.eigvalsh(self.A)
            return float(values[0]), float(values[-1])
        largest = float(_lanczos(self.A, 1)[0][-1])
        missing = largest * np.eye(n) - self.A
        if not missing.any():  # Lanczos iterations need an image that is not zero
            return largest, largest
        return largest - float(_lanczos(missing, 1)[0][-1]), largest

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


class HeldFactor:
    """Y with A = Y'Y, of shape (m, n): entries of A are formed when they are read, as sums of m products.

    Its attributes and methods are those of :class:`HeldMatrix`.
    """

    name = "factor"

    def __init__(self, factor: Factor) -> None:
        self.factor = factor
        self.terms = factor.shape[0]
        self.roundings = self.terms + 4
        self.diagonal = read_only(factor.squared_norms())

    @property
    def rounding_scale(self) -> float:
        """Sum of squares that the rounding of an entry is relative to."""
        return self.factor.rounding_scale()

    def apply(self, x: np.ndarray) -> np.ndarray:
        return self.factor.backward(self.factor.forward(x))

    def variances(self, x: np.ndarray) -> np.ndarray:
        z = self.factor.forward(x)
        return np.einsum("ri,ri->r", z, z)

    def variance_on(self, support: np.ndarray, x: np.ndarray) -> float:
        z = self.factor.columns(support) @ x
        return float(z @ z)

    def block(self, rows: np.ndarray, columns: np.ndarray | None) -> np.ndarray:
        return self.factor.products(rows, columns)

    def restrict(self, features: np.ndarray) -> HeldFactor:
        return HeldFactor(self.factor.restricted(features))

    def select(self, features: np.ndarray) -> HeldFactor:
        """Return the form of some features only, held as this one is: sparse data stay sparse."""
        return HeldFactor(self.factor.selected(features))

    def smaller_side(self) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """Return a matrix with A's leading eigenvalues, and what makes of its eigenvectors those of A: YY' or A."""
        m, n = self.factor.shape
        if m < n:
            return self.factor.gram(), lambda left: feasible.unit(self.factor.backward(left))
        every = np.arange(n)
        return self.factor.products(every, every), lambda v: v

    def leading(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        m = self.factor.shape[0]
        d = min(d, m)
        if m <= FEW_SAMPLES or 4 * d > m:
            values, left = np.linalg.eigh(self.factor.gram())
            values, left = values[m - d :], left[:, m - d :]
        else:  # on the samples' side: n × d numbers are formed, not n × m
            operator = scipy.sparse.linalg.LinearOperator(
                (m, m), matvec=lambda z: self.factor.forward(self.factor.backward(z.ravel())), dtype=np.float64
            )
            values, left = _lanczos(operator, d)
        live = values > rounding.eigenvalues(m, values[-1])
        values = values[live]
        vectors = self.factor.backward(left[:, live].T).T / np.sqrt(values)
        # Y'u/√λ loses its digits, and its right angles, where λ is small
        return np.maximum(values[::-1], 0.0), np.linalg.qr(vectors[:, ::-1])[0]

    def arrays(self) -> list[np.ndarray]:
        """Return the arrays that define Y, for hashing."""
        return self.factor.arrays()


Form = HeldMatrix | HeldFactor


def _lanczos(operator, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the d largest eigenpairs, ascending, from a fixed start so that runs repeat."""
    n = operator.shape[0]
    start = np.random.default_rng(0).standard_normal(n)
    return scipy.sparse.linalg.eigsh(operator, k=min(d, n - 1), which="LA", v0=start)
