"""The two forms a covariance is held in, its entries or a factor; a matrix handed over is held, repaired or refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnspca.covariance.factor import Factor, lanczos
from nnspca.covariance.input import is_table, numbers
from nnspca.covariance.provenance import Provenance, hash_of
from nnspca.errors import DataError
from nnspca.numerics import fantope, rounding
from nnspca.numerics.doubles import read_only

FEW_PAYS = 1000  # above, only those eigenpairs of a matrix are computed that are asked for
DENSE_EIGEN = 3000  # above, a few eigenpairs come from Lanczos iterations
SMALLEST_TRACE, LARGEST_TRACE = 1e-140, 1e140  # squares of variances stay representable
INDEFINITE = 1e-8  # most negative eigenvalue forgiven as rounding, relative to the largest
ASYMMETRIC = 1e-8  # asymmetry forgiven as rounding, relative to the largest entry


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
            values, vectors = fantope.largest_eigenpairs(self.A, d if n > FEW_PAYS else n)
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


def semidefinite(given: object, repair: bool, roundings: int = 0) -> tuple[HeldMatrix, Provenance]:
    """Return the symmetric part of a matrix, with what rounding and a repair did to it.

    ``roundings`` is how often each entry was rounded on the way to ``given``. A repair takes the nearest positive
    semidefinite matrix in the Frobenius norm (Higham 1988, Theorem 2.1), which moves no two further apart.
    """
    A = square(given)
    peak = float(np.abs(A).max())
    if peak == 0:
        raise DataError("the covariance matrix is zero: there is no variance to explain")
    with np.errstate(over="ignore"):
        check_scale(max(float(A.trace()), peak))
    _check_both_triangles(A)
    if not repair:
        _check_symmetric(A, peak)
    asymmetry = float(np.linalg.norm(A - A.T)) / 2 if repair else 0.0
    roundings += not np.array_equal(A, A.T)  # the half-sum is one more
    rounding_error = rounding.entries(roundings, float(np.linalg.norm(A)))
    A = A / 2 + A.T / 2
    operation = f"matrix{' repaired' if repair else ''}"
    digest = hash_of(operation, A)
    form, below, drift = HeldMatrix(A), 0.0, 0.0
    if repair:
        form, below = form.without_negative_eigenvalues()
        drift = rounding.repaired(len(A), float(np.linalg.norm(A)))
    least, largest = form.extreme_eigenvalues()
    if least < -INDEFINITE * max(largest, peak):
        raise DataError(
            f"the matrix is not positive semidefinite: its most negative eigenvalue is {least:g} "
            f"(allowed as rounding: {-INDEFINITE * max(largest, peak):g}); a covariance has none below zero: give "
            "the data themselves (from_data), or repair=True for the nearest matrix that is one"
        )
    if not form.diagonal.any():
        raise DataError("the matrix has no positive eigenvalue: once repaired there is no variance to explain")
    # bounds that sum variances need A + μI to be positive semidefinite, once for each of the
    # features
    off = rounding.eigenvalues(len(A), largest)
    error = len(A) * max(0.0, off - least) + rounding_error
    # another machine's least eigenvalue may be off by as much again, to the other side
    elsewhere = len(A) * max(0.0, 4 * off + drift - least) + 1.01 * rounding_error
    moved = float(np.hypot(asymmetry, below))
    return form, Provenance(
        operation, digest=digest, moved=moved, representation_error=error, drift=drift, error_elsewhere=elsewhere
    )


def square(given: object) -> np.ndarray:
    """Return a square matrix as an array of its own; DataError for what is none."""
    read = numbers(given)
    if is_table(given):
        _check_order(given)
    if read.ndim != 2 or read.shape[0] != read.shape[1] or not read.shape[0]:
        raise DataError(
            f"a covariance matrix must be square, (n, n) with n >= 1; got shape {read.shape}; samples as rows go to "
            "Covariance.from_data(X)"
        )
    return np.array(read) if isinstance(read, np.ndarray) else read.toarray()


def _check_order(given) -> None:  # a data frame, of whichever library
    """Raise DataError where rows and columns carry the same names in different orders."""
    rows, columns = list(getattr(given, "index", ())), list(given.columns)
    known = set(map(str, columns))
    if rows == columns or not any(str(row) in known for row in rows) or rows == list(range(len(rows))):
        return
    if len(rows) == len(columns):
        i = next(i for i, (row, column) in enumerate(zip(rows, columns, strict=True)) if row != column)
        raise DataError(
            f"row {i} is named {str(rows[i])!r:.40} where column {i} is {str(columns[i])!r:.40}; give a matrix whose "
            "rows and columns are in one order"
        )


def _check_both_triangles(A: np.ndarray) -> None:
    """Raise DataError where all on one side of the diagonal is zero, and not so on the other."""
    if np.triu(A, 1).any() != np.tril(A, -1).any():
        raise DataError(
            "the matrix holds one triangle only, and its symmetric part would halve every covariance; mirror it: "
            "A + A.T - numpy.diag(A.diagonal())"
        )


def _check_symmetric(A: np.ndarray, peak: float) -> None:
    skew = np.abs(A - A.T)
    if skew.max() > ASYMMETRIC * peak:
        i, j = np.unravel_index(skew.argmax(), A.shape)
        raise DataError(
            f"the matrix is not symmetric: entry ({i}, {j}) is {A[i, j]:g} but ({j}, {i}) is {A[j, i]:g}; "
            "give repair=True for its symmetric part"
        )


def check_scale(trace: float) -> None:
    """Raise DataError where squares of variances would overflow or vanish."""
    if not SMALLEST_TRACE <= trace <= LARGEST_TRACE:
        raise DataError(
            f"the total variance is {trace:g}; it must lie between {SMALLEST_TRACE:g} and {LARGEST_TRACE:g}: "
            "rescale the data, or standardize them"
        )
