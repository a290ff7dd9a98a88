"""Data as pages look at them, their covariance and its leading eigenvalues: each made once, shared by all sessions."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, preparing
from nnspca.view.session.held import Shared

_T = TypeVar("_T")
LEADING = 20  # eigenvalues that a page shows
SHARED = 512 * 2**20  # bytes of data sets, prepared ones and covariances that are held for whoever asks next
A_NUMBER, A_STORED_ONE = 300.0, 4000.0  # what reading a number costs, and a stored one of a sparse array, in products


@st.cache_resource(show_spinner=False)
def shared() -> Shared:
    """Return what all sessions share of data sets and covariances."""
    return Shared(SHARED)


def made(key: Hashable, make: Callable[[], _T], doing: str) -> _T:
    """Return what sessions share under a key; say what is being done where it is still to be made."""
    held = shared()
    if held.holds(key):
        return held.get(key, make)
    with st.spinner(f"{doing} …"):
        return held.get(key, make)


@dataclass(frozen=True, eq=False)
class Preparation:
    """How a page looks at a data set: after which steps, standardised or not, repaired or not.

    Attributes
    ----------
    raw : Dataset
    steps : tuple of str
        Those that are possible with it, in their order.
    standardise, repair : bool
    """

    raw: Dataset
    steps: tuple[str, ...] = ()
    standardise: bool = False
    repair: bool = False

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What tells this preparation from others."""
        return self.raw.name, self.raw.content_hash, self.steps, self.standardise, self.repair

    @property
    def cost(self) -> float:
        """About how many products of two numbers it takes."""
        m, n = self.raw.shape
        if self.raw.is_sparse:
            return A_STORED_ONE * float(self.raw.X.nnz) + A_NUMBER * (m + n)
        side = float(min(m, n))
        return m * n * (side + A_NUMBER * (1 + len(self.steps))) + side**3

    def done(self) -> Dataset:
        """Return the data after the steps, without asking what is held."""
        data = self.raw
        for step in self.steps:
            data = preparing.STEPS[step].do(data)
        return data

    def make(self, held: Shared, doing: Callable[[float, str], None], should_stop: Callable[[], bool]) -> None:
        """Make all that is not held, in a thread of its own; ``doing`` hears how far it has come and what is made."""
        data = self.raw
        if self.steps:
            doing(0.0, "Preparing the data")
            data = held.get(data_key(self.raw, self.steps), self.done)
        if not should_stop():
            doing(0.2, "Preparing the covariance")
            formed = held.get(*_forming(data, self.standardise, self.repair))
            if isinstance(formed, nnspca.Covariance) and not should_stop():
                doing(0.5, "Computing the spectrum")
                held.get(*_spreading(data, formed, self.standardise, self.repair))

    def is_held(self) -> bool:
        """Tell whether a page finds all of it made."""
        held = shared()
        data = held.find(data_key(self.raw, self.steps)) if self.steps else self.raw
        if data is None:
            return False
        key = _covariance_key(data, self.standardise, self.repair)
        formed = held.find(key)
        return formed is not None and (isinstance(formed, nnspca.DataError) or held.holds(("leading", *key)))


def data_key(raw: Dataset, steps: tuple[str, ...]) -> tuple[Hashable, ...]:
    """Return the key under which data are shared after these steps."""
    return "prepared", raw.name, raw.content_hash, steps


def possible(data: Dataset, steps: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the steps that can be done to these data, in the order in which they are done."""
    able = preparing.possible(data) if steps else ()
    return tuple(step for step in able if step in steps)


def prepared(data: Dataset, steps: tuple[str, ...]) -> Dataset:
    """Return a data set after the steps that are possible with it, in their order."""
    wanted = possible(data, steps)
    if not wanted:
        return data
    return made(data_key(data, wanted), Preparation(data, wanted).done, "Preparing the data")


def covariance(data: Dataset, *, standardise: bool, repair: bool) -> nnspca.Covariance:
    """Return the covariance of a data set, made where no session has asked for it.

    Raises
    ------
    nnspca.DataError
        Where it has none; this is held too, as finding it out takes as long.
    """
    formed = made(*_forming(data, standardise, repair), "Preparing the covariance")
    if isinstance(formed, nnspca.DataError):
        raise nnspca.DataError(str(formed))
    return formed


def eigenvalues(data: Dataset, *, standardise: bool, repair: bool) -> np.ndarray:
    """Return the ``LEADING`` largest eigenvalues (fewer where there are fewer features or samples)."""
    cov = covariance(data, standardise=standardise, repair=repair)
    return made(*_spreading(data, cov, standardise, repair), "Computing the spectrum")


def _covariance_key(data: Dataset, standardise: bool, repair: bool) -> tuple[Hashable, ...]:
    return "covariance", data.name, data.content_hash, standardise, repair


def _forming(
    data: Dataset, standardise: bool, repair: bool
) -> tuple[Hashable, Callable[[], nnspca.Covariance | nnspca.DataError]]:
    """Return the key of a covariance and what makes it, or says why it cannot be made."""

    def form() -> nnspca.Covariance | nnspca.DataError:
        try:
            return nnspca.Covariance.from_dataset(data, standardize=standardise, repair=repair)
        except nnspca.DataError as problem:
            return nnspca.DataError(str(problem))

    return _covariance_key(data, standardise, repair), form


def _spreading(
    data: Dataset, cov: nnspca.Covariance, standardise: bool, repair: bool
) -> tuple[Hashable, Callable[[], np.ndarray]]:
    """Return the key of the leading eigenvalues of a covariance and what computes them."""
    most = min(LEADING, cov.n_features, cov.n_samples or cov.n_features)
    return ("leading", *_covariance_key(data, standardise, repair)), lambda: cov.eigenpairs(most)[0]
