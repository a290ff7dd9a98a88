"""Data sets by name: the catalogue's and the uploaded ones, the one in use, and how another is chosen."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo, preparing
from nnspca.view import cache, sanitize, session
from nnspca.view.link import widgets
from nnspca.view.link.dataset_defaults import usual_k
from nnspca.view.link.state import State, assign, usual_scale
from nnspca.view.sources import fetching, opened, preparation, store
from nnspca.view.sources.preparation import Preparation

ABSENT = "not on this machine yet"


def uploaded() -> dict[str, Dataset]:
    """Return the data sets this session has brought, by name."""
    datasets = session.current().uploads
    return datasets


def infos() -> dict[str, DatasetInfo]:
    """Return every data set by name, this session's own included, as far as known without loading it."""
    known = {info.name: info for info in nnspca.datasets.available()}
    known |= {name: one.info for name, one in opened.listed().items()}
    for name, data in uploaded().items():
        known[name] = DatasetInfo(
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
    return known


def away(info: DatasetInfo) -> str:
    """Say why a data set cannot be used yet; nothing where it can."""
    if info.local:
        return ""
    return "not read yet" if info.name in opened.listed() else ABSENT


def forget(name: str) -> None:
    """Read a data set of the catalogue anew when it is next asked for."""
    cache.shared().drop(("read", name))


def dataset(name: str) -> Dataset:
    """Return a data set that is on this machine; its arrays are read-only and shared.

    Raises nnspca.DataError: when it is not here, or its file is broken; the message says what to do.
    """
    own = uploaded().get(name)
    if own is not None:
        return own
    if (one := opened.listed().get(name)) is not None and one.data is not None:
        return one.data
    return cache.get_or_create(*_reading(name), "Reading the data")


def local_dataset(name: str) -> Dataset:
    """Return a data set that all visits share and that is on this machine, with no page to say that it is read.

    Raises nnspca.DataError: when it is not here, or its file is broken.
    """
    one = opened.listed().get(name)
    return one.data if one is not None and one.data is not None else cache.shared().get(*_reading(name))


def _reading(name: str) -> tuple[Hashable, Callable[[], Dataset]]:
    return ("read", name), lambda: nnspca.datasets.load(name)


def in_use(now: State) -> Dataset:
    """Return the data set, or show how to get it and end the page here."""
    known = infos()
    info = known.get(now.data)
    if info is None:
        asked, names = sanitize.plain(now.data), sanitize.plain(", ".join(known))
        st.error(f"There is no data set called “{asked}”. Choose one of: {names}.")
        widgets.end_page()
    if not info.local:
        st.title(sanitize.plain(info.title))
        with st.container(border=True):
            offer(info)
        widgets.end_page()
    return ready((now.data,), now)[0]


def ready(names: Iterable[str], now: State, standardise: Callable[[str], bool] | None = None) -> tuple[Dataset, ...]:
    """Return data sets that are on this machine, all made that a page needs of them, or end the page here.

    Small ones need nothing as they are. Of large ones it is made as a run, which the page shows;
    what is wrong with any is said. ``standardise`` tells of each name whether it is standardised,
    where this is not the same for all.
    """
    raws = tuple(loaded(name) for name in names)
    under_way = preparation.SLOT in session.current().jobs  # a run for what is no longer wanted ends there
    if not (now.prep or under_way or any(map(store.is_large, raws))):
        return raws
    scaled = [now.standardise if standardise is None else standardise(raw.name) for raw in raws]
    wanted = [
        Preparation.of(raw, now.prep, standardise=own, repair=store.is_repaired(raw))
        for raw, own in zip(raws, scaled, strict=True)
    ]
    try:
        prepared = preparation.prepared(wanted)
    except nnspca.DataError as problem:
        st.error(sanitize.plain(str(problem)))
        prepared = None
    if prepared is None:
        widgets.end_page()
    return prepared


def features(name: str, steps: tuple[str, ...]) -> int:
    """Return how many features a data set has after these steps; 1 where nothing is known of it."""
    info = infos().get(name)
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
        st.error(sanitize.plain(str(problem)))
        widgets.end_page()


def offer(info: DatasetInfo) -> None:
    """Show what a data set is, and offer to download or to read it."""
    if (one := opened.listed().get(info.name)) is not None:
        fetching.read(one)
        return
    st.markdown(sanitize.plain(info.description))
    fetching.terms(info)
    fetching.download(info)


def schedule_dataset(name: str, n: int) -> None:
    """Choose a data set when the page is drawn next: while it is drawn, its widgets cannot be changed."""
    session.current().to_open = name, n


def apply_scheduled_dataset() -> None:
    """Choose the data set that :func:`schedule_dataset` named."""
    waiting, session.current().to_open = session.current().to_open, None
    if waiting is not None:
        use(*waiting)


def use(name: str, n: int) -> None:
    """Choose a data set of ``n`` features, and the view it opens with."""
    assign(data=name)
    reopen(name, n)


def reopen(name: str, n: int) -> None:
    """Set preprocessing and k to what the data set opens with, and d to what it can have."""
    d = st.session_state.get("d", 1)
    assign(scale=usual_scale(name), k=usual_k(n, name), prep=[], **({"d": n} if d > n else {}))
