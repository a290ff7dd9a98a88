"""Data as pages look at them, their covariance and eigenvalues: made once for all sessions, large ones as a run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, preparing
from nnspca.result import Progress
from nnspca.view import foreign
from nnspca.view.session import runs
from nnspca.view.session.runs import Work
from nnspca.view.session.weight import size

_T = TypeVar("_T")
LEADING = 20  # eigenvalues that a page shows
SHARED = 512 * 2**20  # bytes of data sets, prepared ones and covariances that are held for whoever asks next
A_NUMBER, A_STORED_ONE = 300.0, 4000.0  # what reading a number costs, and a stored one of a sparse array, in products


QUICK = 1e9  # products of two numbers that a page's own script computes: a tenth of a second
SLOT = "prepare"  # the run of a page's own data


class Shared:
    """Large things that all sessions share, each made by the first who asks while the others wait for it.

    They may grow while they are held (a covariance keeps its eigenvectors), so they are weighed anew each time.
    """

    def __init__(self, most_bytes: int):
        self._most_bytes = most_bytes
        self._held: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def holds(self, key: Hashable) -> bool:
        """Whether it is there already."""
        return key in self._held

    def find(self, key: Hashable) -> Any:
        """Return what is held under ``key``, None where nothing is: it is not made."""
        with self._lock:
            return self._held.get(key)

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return what is held under ``key``, made where it is not."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._held:
                    self._held.move_to_end(key)
                    return self._held[key]
            made = make()
            with self._lock:
                self._held[key] = made
                while len(self._held) > 1 and size(tuple(self._held.values())) > self._most_bytes:
                    self._held.popitem(last=False)
                self._making.pop(key, None)
        return made

    def drop(self, key: Hashable) -> None:
        """Forget one thing."""
        with self._lock:
            self._held.pop(key, None)


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

    @classmethod
    def of(cls, raw: Dataset, steps: Sequence[str], *, standardise: bool, repair: bool) -> Preparation:
        """Return the preparation after those of these steps that are possible with the data."""
        able = preparing.possible(raw) if steps else ()
        return cls(raw, tuple(step for step in able if step in steps), standardise, repair)

    def data(self) -> Dataset:
        """Return the data after the steps."""
        return made(self.data_key, self._done, "Preparing the data") if self.steps else self.raw

    @property
    def data_key(self) -> tuple[Hashable, ...]:
        """The key under which the data after the steps are shared."""
        return "prepared", self.raw.name, self.raw.content_hash, self.steps

    def _done(self) -> Dataset:
        data = self.raw
        for step in self.steps:
            data = preparing.STEPS[step].do(data)
        return data

    def make(self, held: Shared, doing: Callable[[float, str], None], should_stop: Callable[[], bool]) -> None:
        """Make all that is not held, in a thread of its own; ``doing`` hears how far it has come and what is made."""
        data = self.raw
        if self.steps:
            doing(0.0, "Preparing the data")
            data = held.get(self.data_key, self._done)
        if not should_stop():
            doing(0.2, "Preparing the covariance")
            formed = held.get(*_forming(data, self.standardise, self.repair))
            if isinstance(formed, nnspca.Covariance) and not should_stop():
                doing(0.5, "Computing the spectrum")
                held.get(*_spreading(data, formed, self.standardise, self.repair))

    def is_held(self) -> bool:
        """Tell whether a page finds all of it made."""
        held = shared()
        data = held.find(self.data_key) if self.steps else self.raw
        if data is None:
            return False
        key = _covariance_key(data, self.standardise, self.repair)
        formed = held.find(key)
        return formed is not None and (isinstance(formed, nnspca.DataError) or held.holds(("leading", *key)))


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


def ready(wanted: Sequence[Preparation], slot: str = SLOT) -> tuple[Dataset, ...] | None:
    """Return the data once all that a page needs of them is there; None where not, with the run that makes it drawn.

    Of small data the page's own script makes it.
    """
    key: Hashable = tuple(one.key for one in wanted)
    job = runs.only_job(slot, key)
    missing = [one for one in wanted if one.cost > QUICK and not one.is_held()]
    if job is None:
        if not missing:
            return tuple(one.data() for one in wanted)
        job = runs.start(slot, key, _making(missing))
    named = ", ".join(dict.fromkeys(_named(one) for one in wanted if one.cost > QUICK))
    with st.container():
        if not runs.follow(
            slot,
            job,
            f"Stopped: {named} has not been prepared, so nothing can be shown of it yet. Choose other data, or "
            "other preprocessing, or go on here:",
        ):
            st.caption(f"{named} is large: this is done once, and all pages have it then.")
            return None
        if job.stopped or job.problem:
            st.button("Prepare it again", key=f"again-{slot}", icon=":material/replay:", on_click=_forget, args=(slot,))
            return None
    _forget(slot)  # what goes later, to make room for others, is made by another run
    return tuple(one.data() for one in wanted)


def _making(missing: Sequence[Preparation]) -> Work:
    """Return the work of making what is missing, one data set after the other."""
    held = shared()

    def work(job: runs.Job) -> None:
        with job.all_or_nothing():
            for at, one in enumerate(missing):
                if job.should_stop():
                    return
                before = at / len(missing)

                def doing(share: float, what: str, before: float = before, one: Preparation = one) -> None:
                    told = what if len(missing) == 1 else f"{one.raw.title or one.raw.name}: {what}"
                    job.report(Progress(before + share / len(missing), told))

                one.make(held, doing, job.should_stop)

    return work


def _named(one: Preparation) -> str:
    """Say which data are prepared, and how."""
    how = [*one.steps, *(["standardised"] if one.standardise else []), *(["repaired"] if one.repair else [])]
    return f"**{foreign.plain(one.raw.title or one.raw.name)}**" + (f" ({', '.join(how)})" if how else "")


def _forget(slot: str) -> None:
    """Forget the run of a slot."""
    st.session_state["_jobs"].pop(slot, None)
