"""The deflations: how several components are found, and which covariance remains after each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from nnspca.calls.arguments import check_choice, check_columns
from nnspca.calls.threads import one_blas_thread
from nnspca.components import remainders
from nnspca.covariance import Covariance
from nnspca.result import Component, Components
from nnspca.tasks._solve import check_covariance


@dataclass(frozen=True)
class DeflationInfo:
    """One way to find several components.

    Attributes
    ----------
    name : str
        Key in :data:`DEFLATIONS`.
    title : str
        For menus.
    summary : str
        One sentence for readers new to it.
    paper : str
        Where it comes from.
    remainder : callable or None
        ``remainder(cov, U) -> Covariance``: what is left once the columns of U are taken out; None
        where the next component is sought on the covariance as it is.

    Examples
    --------
    >>> import nnspca
    >>> info = nnspca.DEFLATIONS["disjoint"]
    >>> info.title, info.remainder is not None
    ('Disjoint supports', True)
    """

    name: str
    title: str
    summary: str
    paper: str
    remainder: Callable[[Covariance, np.ndarray], Covariance] | None = None


DEFLATIONS: dict[str, DeflationInfo] = {
    info.name: info
    for info in (
        DeflationInfo(
            "disjoint",
            "Disjoint supports",
            "A feature that one component uses is not there for the next: the parts share nothing.",
            "Asteris et al. 2014, Fig. 3; Sigg & Buhmann 2008, Sec. 4",
            remainders.restricted,
        ),
        DeflationInfo(
            "together",
            "Together",
            "All parts are sought at once, no feature in two of them, so that together they explain the most.",
            "this library",
        ),
        DeflationInfo(
            "projection",
            "Projection",
            "The directions found are projected out of the data; later components may use the same features.",
            "Sigg & Buhmann 2008, eq. 18",
            remainders.projected,
        ),
        DeflationInfo(
            "schur",
            "Schur complement",
            "Everything that the components found predict of the other features is taken out.",
            "Mackey 2008",
            remainders.schur,
        ),
        DeflationInfo(
            "hotelling",
            "Hotelling",
            "The variance along each component is taken out of the covariance; overlaps may come back.",
            "Hotelling 1933; Mackey 2008",
            remainders.hotelling,
        ),
        DeflationInfo(
            "quasi-orthogonal",
            "A least angle",
            "Components may share features as long as any two keep a least angle. EM finds all but the first.",
            "Sigg & Buhmann 2008, eq. 20",
        ),
        DeflationInfo(
            "joint",
            "All at once",
            "The method finds all components together; only for methods that can.",
            "Zass & Shashua 2006",
        ),
    )
}


def deflate(cov: Covariance, loadings: np.ndarray, deflation: str = "disjoint") -> Covariance:
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
        Positive semidefinite, and held as ``cov`` is: of data no n×n array is formed. The same
        loadings give the same covariance to the last digit, so that a certificate made on it can be
        verified.

    Raises
    ------
    ValueError
        An unknown deflation, loadings that do not fit or are no unit columns, a "disjoint" one that
        leaves no feature, or "hotelling" for more features than have all their eigenvalues
        computed.

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


def sought(cov: Covariance, parts: Components, r: int) -> tuple[Covariance, Component]:
    """Return the covariance on which component r of a decomposition was sought, and the component there.

    Where features were left out for it, its loadings and its k are those of the features that were
    left.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0, 1.0]) + 1.0)
    >>> left, part = sought(cov, nnspca.decompose(cov, 2, k=2), 1)
    >>> part.loadings, part.k
    (array([1.]), 1)
    """
    U, part = parts.loadings[:, :r], parts.parts[r]
    left = deflate(cov, U, parts.deflation)
    x = part.loadings
    if left.n_features < len(x):
        x = x[~U.any(axis=1)]
    k = min(part.k, left.n_features)
    return left, replace(part, loadings=x, variance=left.variance(x), k=k, features=left.features)


def check_deflation(deflation: str) -> DeflationInfo:
    """Return the entry; ValueError for an unknown name."""
    check_choice("deflation", deflation, DEFLATIONS)
    return DEFLATIONS[deflation]
