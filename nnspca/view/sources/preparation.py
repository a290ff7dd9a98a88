"""Preprocessing, covariance and spectrum as sessions share them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

import nnspca
from nnspca.datasets import Dataset, preparing
from nnspca.view import cache, session
from nnspca.view.sources.opened import Summed

LEADING = 20  # eigenvalues that a page shows


def covariance_for(data: Dataset, standardise: bool, repair: bool) -> nnspca.Covariance:
    """Return the covariance of a data set, made where no session has asked for it.

    Raises nnspca.DataError: where it has none; this is held too, as finding it out takes as long.
    """
    cov = cache.get_or_create(*covariance_maker(data, standardise, repair), "Preparing the covariance")
    if isinstance(cov, nnspca.DataError):
        raise nnspca.DataError(str(cov))
    return cov


def eigenvalues(data: Dataset, standardise: bool, repair: bool) -> np.ndarray:
    """Return the ``LEADING`` largest eigenvalues (fewer where there are fewer features or samples)."""
    cov, key = covariance_for(data, standardise, repair), covariance_maker(data, standardise, repair)[0]
    most = min(LEADING, cov.n_features, cov.n_samples or cov.n_features)
    return cache.get_or_create(("leading", key), lambda: cov.eigenpairs(most)[0], "Computing the spectrum")


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

    return ("covariance", data.name, data.content_hash, standardise, repair), form


def prepared(raw: Dataset, steps: Sequence[str]) -> Dataset:
    """Return a data set after those of the steps that are possible with it, in their order."""
    done = [step for step in preparing.possible(raw) if step in steps] if steps else []
    if not done:
        return raw

    def make() -> Dataset:
        data = raw
        for step in done:
            data = preparing.STEPS[step].do(data)
        return data

    return cache.get_or_create(("prepared", raw.name, raw.content_hash, *done), make, "Preparing the data")


def is_repaired(data: Dataset) -> bool:
    """Return whether this session took the nearest covariance instead of the matrix itself."""
    own = session.current().desks.get(data.name)
    return own is not None and own.read is not None and own.read.repair
