"""Upper bounds on eigenvalues, proven in floating-point arithmetic (docs/mathematics/rounding.md).

**Dense.** t bounds λ_max(B) when the Cholesky factorisation of tI − B succeeds, once its rounding is added: no
eigenvalue routine has to be trusted.

**Factored.** For A = Y'Y with few samples and V with few columns, let ``[V, Y'] = Q [R_V, R_Y]`` with Q of orthonormal
columns. Then ``Y'Y − VV' = Q (R_Y R_Y' − R_V R_V') Q'``: the question is one of a matrix whose side is the number of
samples and directions, not of features.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from nnspca.certificates.eigenvalues import LARGEST, LONGEST
from nnspca.covariance import Covariance
from nnspca.covariance.factor import SparseFactor
from nnspca.numerics import rounding

# of arithmetic, not tuned
LANCZOS = 200  # features from which a few eigenpairs cost less than all
ROUGH = 1e-3  # relative error of an eigenvalue that is only compared


def of_matrix(B: np.ndarray, error: float = 0.0, estimate: float | None = None) -> float:
    """Return a proven upper bound on λ_max of a symmetric matrix that B equals up to ``error`` in norm.

    ``estimate`` saves computing what is to be proven; a wrong one costs tightness only.
    """
    n = len(B)
    scale = float(np.abs(B).sum(axis=1).max())  # at least the spectral norm
    if scale == 0:
        return 2 * error  # error would do: twice, as below
    estimate = about(B, 1e-10) if estimate is None else estimate
    step = rounding.sums(4 * n, scale)
    for _ in range(40):
        t = estimate + step
        forming = rounding.shift(t, B.diagonal())
        excess = positive_by_cholesky(t * np.eye(n) - B)
        if excess is not None:
            return float(t + 2 * (forming + excess + error))  # twice: room for the rounding of a check by another route
        step *= 4
    return rounding.row_sums(n, scale) + 2 * error  # the row sums: always an upper bound


def about(B: np.ndarray, tolerance: float) -> float:
    """Return about λ_max of a symmetric matrix: no bound."""
    if len(B) > LANCZOS:
        start = np.random.default_rng(0).random(len(B))
        try:
            return float(scipy.sparse.linalg.eigsh(B, k=1, which="LA", v0=start, tol=tolerance)[0][0])
        except scipy.sparse.linalg.ArpackError:  # it has not converged, or there is nothing to converge to
            pass
    return float(np.linalg.eigvalsh(B)[-1])


def positive_by_cholesky(M: np.ndarray) -> float | None:
    """Return e such that ``λ_min(M) >= −e`` is proven; None if the factorisation breaks down."""
    try:
        scipy.linalg.cho_factor(M.T, lower=True, check_finite=False)  # LAPACK's order of entries
    except scipy.linalg.LinAlgError:
        return None
    return rounding.factorisation(M.diagonal())


def seconds(cov: Covariance, d: int) -> float:
    """Return about how many seconds :func:`residual` takes on one core of 2024; infinite where it gives nothing."""
    factor, n = cov.held.factor, cov.n_features
    if factor is None:
        return 1e-10 * (1 + (d > 0)) * n**3 if n <= LARGEST else np.inf
    m, _ = factor.shape
    if d:
        work = n * (m + d) ** 2
        return 1e-10 * work if m + d <= LARGEST and work <= LONGEST else np.inf
    side = min(m, n)
    if side > LARGEST:
        return np.inf
    if isinstance(factor, SparseFactor):
        stored = np.diff(factor.by_columns.indptr if m <= n else factor.S.indptr).astype(float)
        return 1e-8 * float(stored @ stored) + 1e-10 * side**3
    return 4e-11 * max(m, n) * side**2 + 1e-10 * side**3


def estimated(cov: Covariance) -> float:
    """Return a variance that some direction has, near λ₁ and not above it: no bound."""
    n = cov.n_features
    operator = scipy.sparse.linalg.LinearOperator((n, n), matvec=lambda x: cov.held.form.apply(x.ravel()), dtype=float)
    start = np.random.default_rng(0).random(n)
    return (
        float(scipy.sparse.linalg.eigsh(operator, k=1, which="LA", v0=start, tol=ROUGH)[0][0]) if n > 1 else cov.trace
    )


def residual(cov: Covariance, V: np.ndarray) -> float | None:
    """Return a proven τ with ``A ⪯ τI + VV'``, near the least one; None where that takes too long.

    Without directions in V it bounds λ₁. Y'Y and YY' have the same: of a factor it is proven on the shorter side.
    """
    d = V.shape[1]
    if seconds(cov, d) == np.inf:
        return None
    factor = cov.held.factor
    if factor is None:
        A = cov.held.entries
        return of_matrix(A - V @ V.T, rounding.low_rank(float(np.linalg.norm(A)), V) + cov.held.room())
    m, n = factor.shape
    if d:
        triangle = np.asarray(np.linalg.qr(np.hstack([V, factor.columns(np.arange(n)).T]), mode="r"))
        R_V, R_Y = triangle[:, :d], triangle[:, d:]
        B = R_Y @ R_Y.T - R_V @ R_V.T
        products = rounding.triangular(n, m + d, factor.rounding_scale + float((V * V).sum()))
    else:
        B = factor.gram() if m <= n else factor.cross()
        products = rounding.sums(2 * max(m, n), factor.rounding_scale)
    return max(of_matrix(B, products + cov.held.room()), 0.0)
