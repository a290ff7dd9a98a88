"""What outlives a redraw: data sets read or brought, their covariances and spectra, and finished results.

Every cache is keyed by content hash and parameters, never by an array.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo, preparing
from nnspca.view import foreign
from nnspca.view.session import fetching, widgets
from nnspca.view.session.state import State

MOST_BYTES = 256 * 2**20
MOST_ENTRIES = 4000


class Results:
    """Finished results by key, the least recently used thrown out first; safe among threads."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES):
        self._most_bytes, self._most_entries = most_bytes, most_entries
        self._results: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
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
            self._results[key] = (result, _size(result))
            self._results.move_to_end(key)
            while len(self._results) > 1 and (
                len(self._results) > self._most_entries
                or sum(size for _, size in self._results.values()) > self._most_bytes
            ):
                self._results.popitem(last=False)

    def drop(self, key: Hashable) -> None:
        """Forget one result."""
        with self._lock:
            self._results.pop(key, None)


def _size(thing: Any) -> int:
    """Return about how many bytes of arrays a result holds."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if dataclasses.is_dataclass(thing):
        return sum(_size(getattr(thing, f.name)) for f in dataclasses.fields(thing))
    if isinstance(thing, Mapping):
        return sum(_size(value) for value in thing.values())
    if isinstance(thing, tuple | list):
        return 8 * len(thing) + sum(_size(item) for item in thing if not isinstance(item, float))
    return 64


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


def keep_upload(data: Dataset, *, repair: bool = False) -> nnspca.Covariance:
    """Keep a data set for this session, once its covariance is known to be one; return that.

    With ``repair``, a matrix that is none stands for the nearest one from here on.

    Raises
    ------
    nnspca.DataError
        When no page could use it: an indefinite matrix, or numbers too small or too large to square.
    """
    cov = _covariance(data.name, data.content_hash, False, repair, data)
    mended: set[str] = st.session_state.setdefault("_repaired", set())
    (mended.add if repair else mended.discard)(data.content_hash)
    uploads()[data.name] = data
    return cov


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


@st.cache_resource(show_spinner="Reading the data …", max_entries=6)
def _read(name: str) -> Dataset:
    return nnspca.datasets.load(name)


def forget(name: str) -> None:
    """Read a data set of the catalogue anew when it is next asked for."""
    _read.clear(name)


def dataset(name: str) -> Dataset:
    """Return a data set that is on this machine; its arrays are read-only and shared.

    Raises
    ------
    nnspca.DataError
        When it is not here, or its file is broken; the message says what to do.
    """
    brought = uploads().get(name)
    return _read(name) if brought is None else brought


@st.cache_resource(show_spinner="Preparing the covariance …", max_entries=6)
def _covariance(name: str, content_hash: str, standardise: bool, repair: bool, _data: Dataset) -> nnspca.Covariance:
    return nnspca.Covariance.from_dataset(_data, standardize=standardise, repair=repair)


def covariance(data: Dataset, state: State) -> nnspca.Covariance:
    """Return the covariance of a data set, standardised when the state says so."""
    return _covariance(data.name, data.content_hash, state.standardise, repaired(data), data)


@st.cache_data(show_spinner="Computing the spectrum …", max_entries=64)
def _spectrum(name: str, content_hash: str, standardise: bool, d: int, _cov: nnspca.Covariance) -> np.ndarray:
    return np.asarray(_cov.eigenpairs(d)[0])


def spectrum(data: Dataset, state: State, d: int = 20) -> np.ndarray:
    """Return the ``d`` largest eigenvalues (fewer when there are fewer features)."""
    cov = covariance(data, state)
    most = min(d, cov.n_features, cov.n_samples or cov.n_features)
    return _spectrum(data.name, data.content_hash, state.standardise, most, cov)


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
    return ready(now.data, now.prep)


def ready(name: str, steps: tuple[str, ...]) -> Dataset:
    """Return a data set that is on this machine after these steps, or say what is wrong and end the page here."""
    raw = loaded(name)
    try:
        return prepared(raw, steps)
    except nnspca.DataError as problem:
        st.error(foreign.plain(str(problem)))
        widgets.end_page()


@st.cache_resource(show_spinner="Preparing the data …", max_entries=6)
def _prepared(name: str, content_hash: str, steps: tuple[str, ...], _data: Dataset) -> Dataset:
    for step in steps:
        _data = preparing.STEPS[step].do(_data)
    return _data


def prepared(data: Dataset, steps: tuple[str, ...]) -> Dataset:
    """Return a data set after the steps that are possible with it, in their order."""
    able = preparing.possible(data) if steps else ()
    wanted = tuple(step for step in able if step in steps)
    return _prepared(data.name, data.content_hash, wanted, data) if wanted else data


def features(name: str, steps: tuple[str, ...]) -> int:
    """Return how many features a data set has after these steps; 1 where nothing is known of it."""
    info = catalogue().get(name)
    if info is None:
        return 1
    if not info.local or not any(step.startswith("crop") for step in steps):
        return info.shape[1]
    try:
        return prepared(dataset(name), steps).n_features
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
