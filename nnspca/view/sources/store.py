"""Covariances and spectra as all sessions share them, and whether this one repaired a matrix."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import cache, session
from nnspca.view.link.state import State
from nnspca.view.sources.opened import Summed

LEADING = 20  # eigenvalues that a page shows
A_NUMBER, A_STORED_ONE = 300.0, 4000.0  # what reading a number costs, and a stored one of a sparse array, in products
QUICK = 1e9  # products of two numbers that a page's own script computes: a tenth of a second

_T = TypeVar("_T")


def covariance_for(data: Dataset, *, standardise: bool, repair: bool) -> nnspca.Covariance:
    """Return the covariance of a data set, made where no session has asked for it.

    Raises nnspca.DataError: where it has none; this is held too, as finding it out takes as long.
    """
    cov = cache.get_or_create(*covariance_maker(data, standardise, repair), "Preparing the covariance")
    if isinstance(cov, nnspca.DataError):
        raise nnspca.DataError(str(cov))
    return cov


def eigenvalues(data: Dataset, *, standardise: bool, repair: bool) -> np.ndarray:
    """Return the ``LEADING`` largest eigenvalues (fewer where there are fewer features or samples)."""
    cov = covariance_for(data, standardise=standardise, repair=repair)
    return cache.get_or_create(*eigenvalue_maker(data, cov, standardise, repair), "Computing the spectrum")


def covariance_key(data: Dataset, standardise: bool, repair: bool) -> tuple[Hashable, ...]:
    """Return the key under which a covariance is shared."""
    return "covariance", data.name, data.content_hash, standardise, repair


def covariance_maker(
    data: Dataset, standardise: bool, repair: bool
) -> tuple[Hashable, Callable[[], nnspca.Covariance | nnspca.DataError]]:
    """Return the key of a covariance and what makes it, or says why it cannot be made."""

    def form() -> nnspca.Covariance | nnspca.DataError:
        if isinstance(data, Summed):
            return data.scales[standardise]
        try:
            return nnspca.Covariance.from_dataset(data, standardize=standardise, repair=repair)
        except nnspca.DataError as problem:
            return nnspca.DataError(str(problem))

    return covariance_key(data, standardise, repair), form


def eigenvalue_maker(
    data: Dataset, cov: nnspca.Covariance, standardise: bool, repair: bool
) -> tuple[Hashable, Callable[[], np.ndarray]]:
    """Return the key of the leading eigenvalues of a covariance and what computes them."""
    most = min(LEADING, cov.n_features, cov.n_samples or cov.n_features)
    return ("leading", *covariance_key(data, standardise, repair)), lambda: cov.eigenpairs(most)[0]


def is_large(data: Dataset, steps: Sequence[str] = ()) -> bool:
    """Tell whether the steps, the covariance and the spectrum of a data set take longer than a page's script may."""
    m, n = data.shape
    if data.is_sparse:
        return A_STORED_ONE * float(data.X.nnz) + A_NUMBER * (m + n) > QUICK
    side = float(min(m, n))
    return m * n * (side + A_NUMBER * (1 + len(steps))) + side**3 > QUICK


def is_repaired(data: Dataset) -> bool:
    """Return whether this session took the nearest covariance instead of the matrix itself."""
    return data.content_hash in session.current().repaired


def covariance(data: Dataset, state: State) -> nnspca.Covariance:
    """Return the covariance of a data set, standardised when the state says so."""
    return covariance_for(data, standardise=state.standardise, repair=is_repaired(data))


def spectrum(data: Dataset, state: State) -> np.ndarray:
    """Return the largest eigenvalues that a page shows (fewer where there are fewer features)."""
    return eigenvalues(data, standardise=state.standardise, repair=is_repaired(data))


def leading(data: Dataset, state: State) -> float:
    """Return the largest eigenvalue, by which variances are normalised."""
    return float(spectrum(data, state)[0])


def mean(data: Dataset) -> np.ndarray | None:
    """Return the mean sample, where a mean can be drawn behind a component."""
    drawn = data.axis is not None or data.image_shape is not None
    return data.means if drawn and data.kind != "covariance" else None
