"""The deflations: how several components are found, and which covariance, in the form of the original, remains."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from nnspca.control.arguments import Deflation, check_choice, check_columns
from nnspca.control.fields import with_fields
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.covariance import derived
from nnspca.covariance.factor import AT_A_TIME, DenseFactor, Factor
from nnspca.covariance.forms import DENSE_EIGEN, HeldMatrix
from nnspca.covariance.problem import orthonormal
from nnspca.numerics import rounding
from nnspca.result import Component, Components
from nnspca.tasks._solve import check_covariance

ENTRIES: dict[Any, Any] = tomllib.loads(Path(__file__).with_name("deflations.toml").read_text(encoding="utf-8"))
DEPENDENT = 1e-8  # share of the variance of a combination of scores below which it counts as zero


def without_used(cov: Covariance, U: np.ndarray) -> Covariance:
    """Leave out every feature that a column of U uses; at least one must remain."""
    free = np.flatnonzero(~U.any(axis=1))
    return derived(cov, cov.held.form.select(free), "restrict", free)


def projected(cov: Covariance, U: np.ndarray) -> Covariance:
    """``PAP`` with P = I − QQ', Q an orthonormal basis of the span of U.

    For one component this is the projection of Sigg & Buhmann (2008, eq. 18); for several, the
    whole span is projected out at once, so that no later component brings an earlier one back.
    """
    Q = orthonormal(U)
    if cov.held.factor is not None:
        factor = cov.held.factor
        return _of_factor(cov, factor, "projected", U, factor.forward(Q.T).T, Q, 1.0)
    half = cov.held.entries - Q @ (Q.T @ cov.held.entries)
    return _of_matrix(cov, "projected", U, half - (half @ Q) @ Q.T, growth=1.0)


def schur(cov: Covariance, U: np.ndarray) -> Covariance:
    """``A − AU (U'AU)⁻¹ U'A``: the part of the features that the scores YU predict is removed (Mackey 2008).

    The same, in any order, as ``A − Aww'A / w'Aw`` for one component after the other. On data, the
    samples are projected off the scores.
    """
    if cov.held.factor is not None:
        factor = cov.held.factor
        scores = factor.forward(U.T).T
        Z = orthonormal(scores)
        R = factor.backward(Z.T).T
        weights = U @ np.linalg.pinv(Z.T @ scores)
        return _of_factor(cov, factor, "schur", U, Z, R, 1.0 + float(np.linalg.norm(weights) * np.linalg.norm(R)))
    A = cov.held.entries
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
    if not cov.held.holds_entries or cov.n_features > DENSE_EIGEN:
        raise ValueError(
            f"deflation 'hotelling' needs all eigenvalues of a matrix, which {cov.n_features} features are too many "
            "for; give 'projection' or 'schur'"
        )
    B = np.array(cov.held.entries)
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
    perturbation = rounding.deflated(r, n, condition, float(np.linalg.norm(cov.held.entries)))
    return derived(cov, HeldMatrix(A / 2 + A.T / 2), operation, U, growth=growth, rounding=perturbation, times=n)


def _of_factor(
    cov: Covariance, factor: Factor, operation: str, U: np.ndarray, L: np.ndarray, R: np.ndarray, norm: float
) -> Covariance:
    """Deflated data ``Y − LR'``.

    ``norm`` bounds the norm of the matrix S in A left = S'AS, so that an error of A grows by its square at most.
    """
    m, n = factor.shape
    perturbation = rounding.deflated(L.shape[1], n + m, norm, factor.rounding_scale)
    growth = 1.0 if norm == 1.0 else 2 * norm**2
    return derived(cov, minus_low_rank(factor, L, R), operation, U, growth=growth, rounding=perturbation)


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

    @property
    def rounding_scale(self) -> float:
        return 4.0 * (self.base.rounding_scale + float(np.sum((self.L.T @ self.L) * (self.R.T @ self.R))))

    def arrays(self) -> list[np.ndarray]:
        return [*self.base.arrays(), self.L, self.R]


@dataclass(frozen=True)
class DeflationInfo:
    """One way to find several components.

    Examples
    --------
    >>> import nnspca
    >>> info = nnspca.DEFLATIONS["disjoint"]
    >>> info.title, info.remainder is not None
    ('Disjoint supports', True)
    """

    name: Deflation  #: Key in :data:`DEFLATIONS`
    title: str  #: For menus
    summary: str  #: One sentence for readers new to it
    paper: str  #: Its source
    disjoint: bool = False  #: Whether no two components share a feature
    #: ``remainder(cov, U) -> Covariance``, the covariance after removing the columns of U; None if the
    #: covariance stays as it is
    remainder: Callable[[Covariance, np.ndarray], Covariance] | None = None


with_fields(DeflationInfo)


REMAINDERS = {"disjoint": without_used, "projection": projected, "schur": schur, "hotelling": hotelling}
DEFLATIONS: dict[Any, DeflationInfo] = {
    name: DeflationInfo(name, **info, remainder=REMAINDERS.get(name)) for name, info in ENTRIES.items()
}


def deflate(cov: Covariance, loadings: np.ndarray, deflation: Deflation = "disjoint") -> Covariance:
    """Return the covariance on which the component after ``loadings`` is sought.

    Parameters
    ----------
    cov : Covariance
        Of n features.
    loadings : ndarray, shape (n, r)
        The components found, unit columns; r = 0 gives ``cov`` itself.
    deflation : str
        A key of ``nnspca.DEFLATIONS``. "disjoint" leaves only the features no component uses;
        "together", "quasi-orthogonal" and "joint" leave the covariance as it is.

    Returns
    -------
    Covariance
        Positive semidefinite, in the form of ``cov``: for data no n×n array is formed. The same
        loadings give the same covariance to the last digit, so a certificate for it can be verified.

    Raises
    ------
    ValueError
        An unknown deflation, loadings of a wrong shape or norm, "disjoint" if all features are used,
        or "hotelling" for more features than a full eigendecomposition is computed for.

    Examples
    --------
    >>> cov = Covariance.from_matrix(np.diag([4.0, 3.0, 2.0]))
    >>> deflate(cov, np.array([[1.0], [0.0], [0.0]]), "projection").diagonal
    array([0., 3., 2.])
    """
    remainder = check_deflation(deflation).remainder
    check_covariance(cov)
    U = check_columns("loadings", loadings, cov.n_features)
    lengths = np.linalg.norm(U, axis=0)
    if (np.abs(lengths - 1) > 1e-6).any():
        raise ValueError(f"a column of the loadings has norm {lengths[np.abs(lengths - 1).argmax()]:g}; give 1")
    if not U.shape[1] or remainder is None:
        return cov
    if deflation == "disjoint" and U.any(axis=1).all():
        raise ValueError(f"the loadings use all {len(U)} features: deflation 'disjoint' leaves none for another one")
    with one_blas_thread():
        return remainder(cov, U)


def deflated_problem(cov: Covariance, parts: Components, r: int) -> tuple[Covariance, Component]:
    """Return the covariance on which component r of a decomposition was found, and the component there.

    If that covariance has fewer features, loadings and k refer to these.

    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0, 1.0]) + 1.0)
    >>> remainder, part = deflated_problem(cov, nnspca.decompose(cov, 2, k=2), 1)
    >>> part.loadings, part.k
    (array([1.]), 1)
    """
    left = np.setdiff1d(np.arange(cov.n_features), parts.exclude)
    U, part = parts.loadings[left, :r], parts.parts[r]
    how: Any = parts.deflation
    remainder = deflate(cov.restrict(left) if parts.exclude else cov, U, how)
    x = part.loadings[left]
    if remainder.n_features < len(x):
        x = x[~U.any(axis=1)]
    k = min(part.k, remainder.n_features)
    return remainder, replace(part, loadings=x, variance=remainder.variance(x), k=k, features=remainder.features)


def check_deflation(deflation: str) -> DeflationInfo:
    """Return the entry; ValueError for an unknown name."""
    check_choice("deflation", deflation, DEFLATIONS)
    return DEFLATIONS[deflation]
