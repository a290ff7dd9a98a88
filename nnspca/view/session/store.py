"""What outlives a redraw: data sets read or brought, their covariances and spectra, and finished results.

Every cache is keyed by content hash and parameters, never by an array.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo, preparing
from nnspca.view import foreign
from nnspca.view.session import fetching, preparation, widgets
from nnspca.view.session.preparation import Preparation
from nnspca.view.session.state import State
from nnspca.view.session.weight import size

MOST_BYTES, MOST_ENTRIES = 256 * 2**20, 4000  # of finished results
PATIENCE = 10.0  # seconds that a session waits for another one that seeks the same
LOOK = 0.03  # seconds between two looks meanwhile


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
    preparation.shared().drop(("read", name))


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
    return preparation.made(("read", name), lambda: nnspca.datasets.load(name), "Reading the data")


def covariance(data: Dataset, state: State) -> nnspca.Covariance:
    """Return the covariance of a data set, standardised when the state says so."""
    return preparation.covariance(data, standardise=state.standardise, repair=repaired(data))


def spectrum(data: Dataset, state: State) -> np.ndarray:
    """Return the largest eigenvalues that a page shows (fewer where there are fewer features)."""
    return preparation.eigenvalues(data, standardise=state.standardise, repair=repaired(data))


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
    wanted = [Preparation.of(raw, steps, standardise=scaled, repair=repaired(raw)) for raw in raws]
    try:
        made = preparation.ready(wanted)
    except nnspca.DataError as problem:
        st.error(foreign.plain(str(problem)))
        made = None
    if made is None:
        widgets.end_page()
    return made


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
