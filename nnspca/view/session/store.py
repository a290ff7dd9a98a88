"""What outlives a redraw: data sets read or brought, their covariances and spectra, and finished results.

Every cache is keyed by content hash and parameters, never by an array.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo, preparing
from nnspca.view import foreign
from nnspca.view.session import fetching, preparation, widgets
from nnspca.view.session.state import State
from nnspca.view.session.weight import size

MOST_BYTES, MOST_ENTRIES = 256 * 2**20, 4000  # of finished results
PATIENCE = 10.0  # seconds that a session waits for another one that seeks the same
LOOK = 0.03  # seconds between two looks meanwhile
LEADING = 20  # eigenvalues that a page shows
SHARED = 512 * 2**20  # bytes of data sets, prepared ones and covariances that are held for whoever asks next
A_NUMBER, A_STORED_ONE = 300.0, 4000.0  # what reading a number costs, and a stored one of a sparse array, in products
QUICK = 1e9  # products of two numbers that a page's own script computes: a tenth of a second

_T = TypeVar("_T")


class Results:
    """Finished results by key, the least recently used thrown out first; safe among threads."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES):
        self._most_bytes, self._most_entries = most_bytes, most_entries
        self._results: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._seeking: set[Hashable] = set()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any:
        """Return the result kept under ``key``, or None."""
        with self._lock:
            if key not in self._results:
                return None
            self._results.move_to_end(key)
            return self._results[key][0]

    def put(self, key: Hashable, result: Any) -> None:
        """Keep a result, making room for it."""
        with self._lock:
            self._results[key] = (result, size(result))
            self._results.move_to_end(key)
            while len(self._results) > 1 and (
                len(self._results) > self._most_entries
                or sum(held for _, held in self._results.values()) > self._most_bytes
            ):
                self._results.popitem(last=False)

    def drop(self, key: Hashable) -> None:
        """Forget one result."""
        with self._lock:
            self._results.pop(key, None)

    @contextmanager
    def sought(self, key: Hashable, should_stop: Callable[[], bool]) -> Iterator[None]:
        """Be the only one who seeks a result: where another session is at it, wait for that one first.

        A while at most, for that one may itself be waiting for others; then both seek it.
        """
        end = time.monotonic() + PATIENCE
        while not (alone := self._claim(key)) and time.monotonic() < end and not should_stop():
            time.sleep(LOOK)
        try:
            yield
        finally:
            if alone:
                with self._lock:
                    self._seeking.discard(key)

    def _claim(self, key: Hashable) -> bool:
        with self._lock:
            free = key not in self._seeking
            self._seeking.add(key)
            return free


@st.cache_resource(show_spinner=False)
def results() -> Results:
    """Return the finished results of all sessions."""
    return Results()


def finished(keys: Iterable[Hashable]) -> list[Any]:
    """Return the results kept under ``keys``, None for each that is not."""
    kept = results()
    return [kept.get(key) for key in keys]


class Shared:
    """Large things that all sessions share, each made by the first who asks while the others wait for it.

    They may grow while they are held (a covariance keeps its eigenvectors), so they are weighed
    anew each time.
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
    held : Shared
        Where what is made is held; asked for in the page's own thread.
    """

    raw: Dataset
    steps: tuple[str, ...] = ()
    standardise: bool = False
    repair: bool = False
    held: Shared = field(default_factory=lambda: shared(), repr=False)

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

    @property
    def title(self) -> str:
        """What the data are called."""
        return self.raw.title or self.raw.name

    @property
    def named(self) -> str:
        """The same with how they are looked at, marked up."""
        how = [*self.steps, *(["standardised"] if self.standardise else []), *(["repaired"] if self.repair else [])]
        return f"**{foreign.plain(self.title)}**" + (f" ({', '.join(how)})" if how else "")

    def make(self, doing: Callable[[float, str], None], should_stop: Callable[[], bool]) -> None:
        """Make all that is not held, in a thread of its own; ``doing`` hears how far it has come and what is made."""
        data = self.raw
        if self.steps:
            doing(0.0, "Preparing the data")
            data = self.held.get(self.data_key, self._done)
        if not should_stop():
            doing(0.2, "Preparing the covariance")
            formed = self.held.get(*_forming(data, self.standardise, self.repair))
            if isinstance(formed, nnspca.Covariance) and not should_stop():
                doing(0.5, "Computing the spectrum")
                self.held.get(*_spreading(data, formed, self.standardise, self.repair))

    def is_held(self) -> bool:
        """Tell whether a page finds all of it made."""
        held = self.held
        data = held.find(self.data_key) if self.steps else self.raw
        if data is None:
            return False
        key = _covariance_key(data, self.standardise, self.repair)
        formed = held.find(key)
        return formed is not None and (isinstance(formed, nnspca.DataError) or held.holds(("leading", *key)))


def formed(data: Dataset, *, standardise: bool, repair: bool) -> nnspca.Covariance:
    """Return the covariance of a data set, made where no session has asked for it.

    Raises
    ------
    nnspca.DataError
        Where it has none; this is held too, as finding it out takes as long.
    """
    found = made(*_forming(data, standardise, repair), "Preparing the covariance")
    if isinstance(found, nnspca.DataError):
        raise nnspca.DataError(str(found))
    return found


def eigenvalues(data: Dataset, *, standardise: bool, repair: bool) -> np.ndarray:
    """Return the ``LEADING`` largest eigenvalues (fewer where there are fewer features or samples)."""
    cov = formed(data, standardise=standardise, repair=repair)
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


def uploads() -> dict[str, Dataset]:
    """Return the data sets this session has brought, by name."""
    brought: dict[str, Dataset] = st.session_state.setdefault("_uploads", {})
    return brought


def repaired(data: Dataset) -> bool:
    """Return whether this session took the nearest covariance instead of the matrix itself."""
    return data.content_hash in st.session_state.get("_repaired", ())


def catalogue() -> dict[str, DatasetInfo]:
    """Return every data set by name, this session's own included, as far as known without loading it."""
    infos = {info.name: info for info in nnspca.datasets.available()}
    for name, data in uploads().items():
        infos[name] = DatasetInfo(
            name=name,
            title=data.title or name,
            description=data.description,
            kind=data.kind,
            shape=data.shape,
            citation=data.citation,
            terms=data.terms,
            bundled=False,
            local=True,
        )
    return infos


def forget(name: str) -> None:
    """Read a data set of the catalogue anew when it is next asked for."""
    shared().drop(("read", name))


def dataset(name: str) -> Dataset:
    """Return a data set that is on this machine; its arrays are read-only and shared.

    Raises
    ------
    nnspca.DataError
        When it is not here, or its file is broken; the message says what to do.
    """
    brought = uploads().get(name)
    if brought is not None:
        return brought
    return made(*_reading(name), "Reading the data")


def of_all(name: str) -> Dataset:
    """Return a data set of the catalogue that is on this machine, with no page to say that it is read.

    Raises
    ------
    nnspca.DataError
        When it is not here, or its file is broken.
    """
    return shared().get(*_reading(name))


def _reading(name: str) -> tuple[Hashable, Callable[[], Dataset]]:
    return ("read", name), lambda: nnspca.datasets.load(name)


def covariance(data: Dataset, state: State) -> nnspca.Covariance:
    """Return the covariance of a data set, standardised when the state says so."""
    return formed(data, standardise=state.standardise, repair=repaired(data))


def spectrum(data: Dataset, state: State) -> np.ndarray:
    """Return the largest eigenvalues that a page shows (fewer where there are fewer features)."""
    return eigenvalues(data, standardise=state.standardise, repair=repaired(data))


def leading(data: Dataset, state: State) -> float:
    """Return the largest eigenvalue, by which variances are normalised."""
    return float(spectrum(data, state)[0])


def mean(data: Dataset) -> np.ndarray | None:
    """Return the mean sample, where a mean can be drawn behind a component."""
    drawn = data.axis is not None or data.image_shape is not None
    return data.means if drawn and data.kind != "covariance" else None


def subject(data: Dataset, state: State) -> tuple[Hashable, ...]:
    """Return what a result is about, k and solver aside: the first part of every key."""
    return data.name, data.content_hash, state.standardise, state.nonnegative


def in_use(now: State) -> Dataset:
    """Return the data set, or show how to get it and end the page here."""
    infos = catalogue()
    info = infos.get(now.data)
    if info is None:
        asked, known = foreign.plain(now.data), foreign.plain(", ".join(infos))
        st.error(f"There is no data set called “{asked}”. Choose one of: {known}.")
        widgets.end_page()
    if not info.local:
        _offer(info)
        widgets.end_page()
    return ready((now.data,), now)[0]


def ready(names: Iterable[str], now: State) -> tuple[Dataset, ...]:
    """Return data sets that are on this machine, all made that a page needs of them, or end the page here.

    Of large ones it is made as a run, which the page shows; what is wrong with any is said.
    """
    raws = [loaded(name) for name in names]
    steps, scaled = now.prep, now.standardise
    try:
        made = prepared([Preparation.of(raw, steps, standardise=scaled, repair=repaired(raw)) for raw in raws])
    except nnspca.DataError as problem:
        st.error(foreign.plain(str(problem)))
        made = None
    if made is None:
        widgets.end_page()
    return made


def prepared(wanted: Sequence[Preparation], slot: str = preparation.SLOT) -> tuple[Dataset, ...] | None:
    """Return the data once all that a page needs of them is there; None where not, with the run that makes it drawn.

    Of small data the page's own script makes it.
    """
    large = [one for one in wanted if one.cost > QUICK]
    if large or slot in st.session_state.get("_jobs", ()):  # a run for what is no longer wanted ends there
        missing = [one for one in large if not one.is_held()]
        if not preparation.follow(large, missing, slot):
            return None
    return tuple(one.data() for one in wanted)


def features(name: str, steps: tuple[str, ...]) -> int:
    """Return how many features a data set has after these steps; 1 where nothing is known of it."""
    info = catalogue().get(name)
    if info is None:
        return 1
    if not info.local or not any(step.startswith("crop") for step in steps):
        return info.shape[1]
    try:
        return preparing.features(dataset(name), steps)
    except (nnspca.DataError, OSError):
        return info.shape[1]


def loaded(name: str) -> Dataset:
    """Return a data set that is on this machine, or say what is wrong with its file and end the page here."""
    try:
        return dataset(name)
    except (nnspca.DataError, OSError) as problem:
        st.error(foreign.plain(str(problem)))
        widgets.end_page()


def _offer(info: DatasetInfo) -> None:
    """Show what a data set is and offer to download it."""
    st.title(foreign.plain(info.title))
    st.markdown(foreign.plain(info.description))
    with st.container(border=True):
        fetching.terms(info)
        fetching.download(info)
