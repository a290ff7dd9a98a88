"""Proven ceilings on eigenvalues: what floating-point arithmetic can vouch for, and nothing less.

**Dense.** If the Cholesky factorisation of a floating-point matrix M runs to its end, then
``λ_min(M) >= −γ/(1−γ) tr M`` with ``γ = (n+1)u/(1−(n+1)u)``, whatever the order of its sums (Rump 2006;
Demmel 1989). So t is a ceiling on λ_max(B) when the factorisation of tI − B succeeds, once that term and
the rounding of forming tI − B are added. No eigenvalue routine has to be trusted.

**Factored.** For A = Y'Y with few samples and V with few columns, put ``K = τI + V'V`` and P = YV. By
Schur complements ``Y'Y ⪯ τI_n + VV'`` holds exactly when ``τI_m − YY' + PK⁻¹P' ⪰ 0``, and by completing
the square ``PK⁻¹P' ⪰ PZ' + ZP' − ZKZ'`` for every Z. With any Z near PK⁻¹ this leaves one Cholesky
factorisation of an m×m matrix made of products, whose rounding is bounded term by term.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from nnspca.covariance import Covariance

EPS = np.finfo(float).eps
DENSE_EIGEN = 500  # above, the estimate to be proven comes from Lanczos iterations
LARGEST = 6000  # side of the largest matrix that is factorised


def of_matrix(B: np.ndarray, error: float = 0.0) -> float:
    """Return a proven ceiling on λ_max of the symmetric matrix that B holds up to ``error`` in norm."""
    n = len(B)
    scale = float(np.abs(B).sum(axis=1).max())  # at least the spectral norm
    if scale == 0:
        return error
    if n <= DENSE_EIGEN:
        estimate = float(scipy.linalg.eigvalsh(B, subset_by_index=[n - 1, n - 1])[0])
    else:
        start = np.random.default_rng(0).random(n)
        estimate = float(scipy.sparse.linalg.eigsh(B, k=1, which="LA", v0=start, tol=1e-10)[0][0])
    step = 4 * n * EPS * scale
    for _ in range(40):
        t = estimate + step
        # forming tI − B rounds each diagonal entry once
        forming = 2 * EPS * (abs(t) + float(np.abs(B.diagonal()).max()))
        excess = positive_by_cholesky(t * np.eye(n) - B)
        if excess is not None:
            return t + 2 * (forming + excess + error)  # twice: room for whoever checks it by another route
        step *= 4
    return scale * (1 + 2 * n * EPS) + 2 * error  # the row sums: always a ceiling


def positive_by_cholesky(M: np.ndarray) -> float | None:
    """Return e such that ``λ_min(M) >= −e`` is proven, None when the factorisation breaks down."""
    try:
        scipy.linalg.cholesky(M, lower=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        return None
    gamma = (len(M) + 2) * EPS
    return 2 * gamma * float(np.abs(M.diagonal()).sum())


def residual(cov: Covariance, V: np.ndarray, guess: float) -> float | None:
    """Return a proven τ with ``A ⪯ τI + VV'``, near the least one.

    Parameters
    ----------
    cov : Covariance
    V : ndarray, shape (n, d)
        d = 0 gives a ceiling on λ₁.
    guess : float
        About where τ should be: the (d+1)-th eigenvalue where V holds the first d.

    Returns
    -------
    float or None
        None where neither A nor YY' is small enough to factorise.
    """
    if cov.matrix is not None:
        if cov.n_features > LARGEST:
            return None
        B = cov.matrix - V @ V.T if V.shape[1] else cov.matrix
        products = (V.shape[1] + 3) * EPS * (float(np.linalg.norm(cov.matrix)) + float(np.sum(V * V)))
        return of_matrix(B, products + cov.representation_error)
    assert cov.factor is not None
    m, n = cov.factor.shape
    if m > LARGEST:
        return None
    gram = cov.factor.gram()
    P = cov.factor.forward(V.T).T
    scale = cov.factor.rounding_scale()
    inner = V.T @ V
    step = 16 * (m + n) * EPS * scale
    for _ in range(40):
        tau = guess + step
        K = tau * np.eye(V.shape[1]) + inner
        Z = np.linalg.solve(K, P.T).T if V.shape[1] else P
        S = tau * np.eye(m) - gram + P @ Z.T + Z @ P.T - Z @ K @ Z.T
        S = (S + S.T) / 2
        size_v, size_z = float(np.linalg.norm(V)), float(np.linalg.norm(Z))
        terms = scale + 2 * np.sqrt(scale) * size_v * size_z + (size_v**2 + tau) * size_z**2 + tau
        excess = positive_by_cholesky(S)
        if excess is not None:
            return tau + 2 * (excess + 2 * (n + m + 16) * EPS * terms + cov.representation_error)
        step *= 4
    return None
