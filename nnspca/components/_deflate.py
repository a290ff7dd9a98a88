"""The deflations: how several components are found, and which covariance remains after each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nnspca.components import remainders
from nnspca.control.arguments import Deflation, check_choice, check_columns
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.result import Component, Components
from nnspca.result.display import with_fields
from nnspca.tasks._solve import check_covariance


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
    #: ``remainder(cov, U) -> Covariance``, the covariance after removing the columns of U; None if the
    #: covariance stays as it is
    remainder: Callable[[Covariance, np.ndarray], Covariance] | None = None


with_fields(DeflationInfo)


DEFLATIONS: dict[Any, DeflationInfo] = {
    info.name: info
    for info in (
        DeflationInfo(
            "disjoint",
            "Disjoint supports",
            "Each component uses only features that earlier ones do not use: no feature is shared.",
            "Asteris et al. 2014, Fig. 3; Sigg & Buhmann 2008, Sec. 4",
            remainders.restricted,
        ),
        DeflationInfo(
            "together",
            "Together",
            "All parts are found together, without shared features, to explain as much variance as possible in total.",
            "this library",
        ),
        DeflationInfo(
            "projection",
            "Projection",
            "The components found are projected out of the data; later ones may use the same features.",
            "Sigg & Buhmann 2008, eq. 18",
            remainders.projected,
        ),
        DeflationInfo(
            "schur",
            "Schur complement",
            "Whatever the scores of the components predict of the features is removed.",
            "Mackey 2008",
            remainders.schur,
        ),
        DeflationInfo(
            "hotelling",
            "Hotelling",
            "The variance along each component is subtracted from the covariance; later components may overlap.",
            "Hotelling 1933; Mackey 2008",
            remainders.hotelling,
        ),
        DeflationInfo(
            "quasi-orthogonal",
            "A least angle",
            "Components may share features if the angle between any two is at least a given one. EM finds all but the "
            "first.",
            "Sigg & Buhmann 2008, eq. 20",
        ),
        DeflationInfo(
            "joint",
            "All at once",
            "The solver finds all components at once; only some solvers can.",
            "Zass & Shashua 2006",
        ),
    )
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
