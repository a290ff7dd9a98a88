"""Preprocessing, covariance and spectrum as sessions share them: in the page for small data, else as a job."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, preparing
from nnspca.result import Progress
from nnspca.view import cache, sanitize, session, tasks
from nnspca.view.jobs import Job
from nnspca.view.sources.opened import Summed
from nnspca.view.tasks import Task

LEADING = 20  # eigenvalues that a page shows
A_NUMBER, A_STORED_ONE = 300.0, 4000.0  # what reading a number costs, and a stored one of a sparse array, in products
QUICK = 1e9  # products of two numbers that a page's own script computes: a tenth of a second

_T = TypeVar("_T")


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
    cov = covariance_for(data, standardise, repair)
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
    own = session.current().desks.get(data.name)
    return own is not None and own.read is not None and own.read.repair


SLOT = "prepare"  # the run of a page's own data


@dataclass(frozen=True, eq=False)
class Preparation:
    """How a page looks at a data set: after which steps, standardised or not, repaired or not."""

    raw: Dataset
    steps: tuple[str, ...] = ()  # those that are possible with it, in their order
    standardise: bool = False
    repair: bool = False
    # the store of finished data; looked up in the page's own thread
    held: cache.Shared = field(default_factory=lambda: cache.shared(), repr=False)

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What tells this preparation from others."""
        return self.raw.name, self.raw.content_hash, self.steps, self.standardise, self.repair

    @classmethod
    def of(cls, raw: Dataset, steps: Sequence[str], *, standardise: bool, repair: bool) -> Preparation:
        """Return the preparation with those of the steps that these data allow."""
        able = preparing.possible(raw) if steps else ()
        return cls(raw, tuple(step for step in able if step in steps), standardise, repair)

    def data(self) -> Dataset:
        """Return the data after the steps."""
        return cache.get_or_create(self.data_key, self._done, "Preparing the data") if self.steps else self.raw

    @property
    def data_key(self) -> tuple[Hashable, ...]:
        """The key under which the data after the steps are shared."""
        return "prepared", self.raw.name, self.raw.content_hash, self.steps

    def _done(self) -> Dataset:
        data = self.raw
        for step in self.steps:
            data = preparing.STEPS[step].do(data)
        return data

    @property
    def title(self) -> str:
        """What the data are called."""
        return self.raw.title or self.raw.name

    @property
    def named(self) -> str:
        """The same with how they are looked at, marked up."""
        how = [*self.steps, *(["standardised"] if self.standardise else []), *(["repaired"] if self.repair else [])]
        return f"**{sanitize.plain(self.title)}**" + (f" ({', '.join(how)})" if how else "")

    def make(self, doing: Callable[[float, str], None], should_stop: Callable[[], bool]) -> None:
        """Make what is missing, in its own thread; ``doing`` is called with the progress and the current task."""
        data = self.raw
        if self.steps:
            doing(0.0, "Preparing the data")
            data = self.held.get(self.data_key, self._done)
        if not should_stop():
            doing(0.2, "Preparing the covariance")
            formed = self.held.get(*covariance_maker(data, self.standardise, self.repair))
            if isinstance(formed, nnspca.Covariance) and not should_stop():
                doing(0.5, "Computing the spectrum")
                self.held.get(*eigenvalue_maker(data, formed, self.standardise, self.repair))

    def is_held(self) -> bool:
        """Tell whether a page finds all of it made."""
        shared = self.held
        data = shared.find(self.data_key) if self.steps else self.raw
        if data is None:
            return False
        key = covariance_key(data, self.standardise, self.repair)
        formed = shared.find(key)
        return formed is not None and (isinstance(formed, nnspca.DataError) or shared.holds(("leading", *key)))


def prepared(wanted: Sequence[Preparation], slot: str = SLOT) -> tuple[Dataset, ...] | None:
    """Return the prepared data, or None and draw the run that prepares them.

    Small data are prepared here at once.
    """
    large = [one for one in wanted if is_large(one.raw, one.steps)]
    if large or slot in session.current().jobs:  # _follow also ends a run no longer wanted
        missing = [one for one in large if not one.is_held()]
        if not _follow(large, missing, slot):
            return None
    return tuple(one.data() for one in wanted)


def _follow(large: Sequence[Preparation], missing: Sequence[Preparation], slot: str) -> bool:
    """Return whether all that is large is there; draw the run that makes what is missing where not."""
    key: Hashable = tuple(one.key for one in large)
    task = Task(slot, key, lambda: partial(_make, missing))
    job = tasks.ask(task) if missing else tasks.running(task)
    if job is None:
        return True
    named = ", ".join(dict.fromkeys(one.named for one in large))
    with st.container():
        if not tasks.follow(
            job,
            f"Stopped before {named} was prepared. Choose other data or preprocessing, or prepare it again.",
        ):
            st.caption(f"{named} is large: it is prepared once, and then every page can use it.")
            return False
        if job.stopped or job.problem:
            st.button(
                "Prepare it again", key=f"again-{slot}", icon=":material/replay:", on_click=tasks.drop, args=(slot,)
            )
            return False
    tasks.drop(slot)  # data evicted later are prepared by a new run
    return True


def _make(missing: Sequence[Preparation], job: Job) -> None:
    """Make what is missing, one data set after the other."""
    with job.uninterruptible():
        for at, one in enumerate(missing):
            if job.should_stop():
                return

            def doing(share: float, what: str, at: int = at, one: Preparation = one) -> None:
                stage = what if len(missing) == 1 else f"{one.title}: {what}"
                job.report(Progress((at + share) / len(missing), stage))

            one.make(doing, job.should_stop)
