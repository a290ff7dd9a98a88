"""Data sets by name: the catalogue's and the uploaded ones, how others are fetched or read, and which is in use."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo, fetch, preparing
from nnspca.result import Progress, rounded
from nnspca.view import cache, running, sanitize, session
from nnspca.view.desk import Desk
from nnspca.view.jobs import Job
from nnspca.view.link import widgets
from nnspca.view.link.state import State, assign, default_k, default_scale
from nnspca.view.running import Button, Task
from nnspca.view.sources import hosted, preparation, uploads
from nnspca.view.sources.hosted import HostedFile

SLOT = "pass"
ABSENT = "not on this machine yet"


def download_dataset(info: DatasetInfo) -> None:
    """Offer to fetch a data set, with true progress and Stop."""
    if wrong := fetch.folder_problem(fetch.data_folder()):
        st.markdown(f"**These data are not on this machine, and cannot be fetched now.** {sanitize.plain(wrong)}")
        return
    if info.download_url:
        size = rounded.size(info.size_bytes)
        st.markdown(f"**These data are not on this machine yet.** They are fetched once ({size}), checked, and kept.")
    else:
        st.markdown("**These data are not on this machine yet.** They cannot be fetched: you supply the file.")
    load = functools.partial(nnspca.datasets.load, info.name)
    if _fetched(f"fetch-{info.name}", load, "Download" if info.download_url else "How to get the file"):
        _use(infos()[info.name].local)


def download_names(info: DatasetInfo) -> None:
    """Offer to fetch the names of genes that go with the probes of a data set, which is read anew with them."""
    size = rounded.size(info.names_bytes)
    st.caption(f"The gene symbols of its probes can be shown: fetched once ({size}), checked, and kept.")
    if _fetched(f"names-{info.name}", nnspca.datasets.gene_symbols, "Fetch gene symbols"):
        cache.shared().drop(("read", info.name))
        _use(not infos()[info.name].names_bytes)


def _use(kept: bool) -> None:
    """Draw the page anew with what was fetched; say so where it could not be kept."""
    if kept:
        st.rerun()
    st.error(
        "What was fetched could not be kept: the folder for it cannot be written. The server's owner can name "
        "another one in the environment variable NNSPCA_CACHE."
    )


def _fetched(slot: str, load: Callable[..., object], label: str) -> bool:
    """Draw the button, the progress and Stop of one download; return whether it has just succeeded."""
    again = "Download again" if label == "Download" else label

    def work(job: Job) -> None:
        def listen(done: int, total: int | None) -> None:
            fraction, whole = (min(done / total, 1.0), f" of {rounded.fixed(total / 1e6, 1)}") if total else (0.0, "")
            job.report(Progress(fraction, f"Downloaded {rounded.fixed(done / 1e6, 1)}{whole} MB"))

        load(on_progress=listen, should_stop=job.should_stop)

    look: Literal["primary", "secondary"] = "primary" if label == "Download" else "secondary"
    button = Button(label, None, ":material/download:", again=again, type=look)
    job = running.offer(Task(slot, slot, work), button)
    if job is not None:
        running.follow(job, f"Stopped. Nothing was kept; **{again}** starts over.")
    return job is not None and job.done and not job.problem and not job.stopped


def read_server_file(opened: HostedFile) -> None:
    """Show what a data set in a file is and read it; the page is drawn anew after."""
    rows, columns = opened.file.shape
    name, size = sanitize.plain(opened.name), rounded.size(opened.file.size_bytes)
    need = "One pass is needed." if opened.passes == 1 else "Two passes are needed: the first computes the variances."
    shape = f"{rows:,} rows × {columns:,} columns, {size} on disk. {need} {opened.kept_text}"
    st.markdown(f"**{name}**: {shape}")
    task = Task(SLOT, opened.name, opened.read)
    if not running.follow(running.ask(task), "Stopped. Nothing was kept."):
        return
    if opened.data is not None:
        st.rerun()
    st.button("Read it again", icon=":material/replay:", key="read-it", on_click=running.begin, args=(task, True))


def server_file_on_desk(name: str) -> Desk | None:
    """Lay a table or images of the server's owner on the visitor's desk, unless they lie there; None for others."""
    here, one = session.current(), hosted_files().get(name)
    if one is None or one.path is None or name in here.desks:
        return None
    if here.desk is None or here.desk.path != one.path:
        here.desk = Desk((), path=one.path, called=name)
    return here.desk


def hosted_files() -> dict[str, HostedFile]:
    """Return the data sets in files that the server's owner names, by name."""
    return hosted.datasets() if hosted.OPEN in os.environ else {}


def own_datasets() -> dict[str, Dataset]:
    """Return the data sets this session has brought, by name."""
    return session.current().uploads


def infos() -> dict[str, DatasetInfo]:
    """Return every data set by name, this session's own included, as far as known without loading it."""
    known = {info.name: info for info in nnspca.datasets.available()}
    known |= {name: one.info for name, one in hosted_files().items()}
    for name, data in own_datasets().items():
        said: dict[str, Any] = {what: getattr(data, what) for what in ("description", "kind", "citation", "terms")}
        known[name] = DatasetInfo(name=name, title=data.title or name, shape=data.shape, bundled=False, **said)
    return known


def why_missing(info: DatasetInfo) -> str:
    """Say why a data set cannot be used yet; nothing where it can."""
    if info.local:
        return ""
    return "not read yet" if info.name in hosted_files() else ABSENT


def dataset(name: str) -> Dataset:
    """Return a data set that is on this machine; its arrays are read-only and shared.

    Raises nnspca.DataError: when it is not here, or its file is broken; the message says what to do.
    """
    own = own_datasets().get(name)
    return local_dataset(name, "Reading the data") if own is None else own


def local_dataset(name: str, doing: str = "") -> Dataset:
    """Return a data set that all visits share and that is on this machine; the page says what it is ``doing``, if any.

    Raises nnspca.DataError: when it is not here, or its file is broken.
    """
    if (one := hosted_files().get(name)) is not None and one.data is not None:
        return one.data
    making = ("read", name), lambda: nnspca.datasets.load(name)
    return cache.get_or_create(*making, doing) if doing else cache.shared().get(*making)


def dataset_in_use(now: State) -> Dataset:
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
            describe_dataset(info)
        widgets.end_page()
    return datasets_of_views(now)[0]


def datasets_of_views(*views: State) -> tuple[Dataset, ...]:
    """Return data sets that are on this machine, each as its view has it prepared, or end the page here.

    The covariance of large ones is made as a run, which the page shows.
    """
    found = tuple(preparation.with_steps(loaded(view.data), view.prep) for view in views)
    large = [(data, view.standardise) for data, view in zip(found, views, strict=True)]
    if waiting := [one for one in large if preparation.waits(*one)]:
        button = running.compute_button("The covariance of all features and its spectrum.", ":material/replay:")
        job = running.offer(preparation.run(waiting), button, at_once=True)
        prepared = job is not None and running.follow(job, "Stopped before the data were prepared.")
        if job is None or not prepared or job.stopped or job.problem:
            widgets.end_page()
    return found


def n_features(name: str, steps: tuple[str, ...]) -> int:
    """Return how many features a data set has after these steps; 1 where nothing is known of it."""
    info = infos().get(name)
    if info is None:
        return 1
    if not info.shape[0]:  # a table that was not read yet
        return hosted.MOST
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


def describe_dataset(info: DatasetInfo) -> None:
    """Show what a data set is, and offer to download or to read it."""
    if (desk := server_file_on_desk(info.name)) is not None:
        if uploads.follow_reading(desk) and desk.problem:
            st.error(sanitize.plain(desk.problem), icon=":material/error:")
            widgets.page_link("data.py", "To the reading desk, which says what mends it →", ":material/database:")
        return
    if (one := hosted_files().get(info.name)) is not None:
        read_server_file(one)
        return
    st.markdown(sanitize.plain(info.description))
    lines = [sanitize.plain(info.citation), f"Terms: {sanitize.plain(info.terms)}" if info.terms else ""]
    st.caption("  \n".join(filter(None, lines)))
    if info.homepage:
        st.markdown(f":small[More about the data: <{info.homepage}>]")  # a caption would dim the link
    download_dataset(info)


def choose_next_dataset() -> None:
    """Choose the data set that is to be opened: while a page is drawn, its widgets cannot be changed."""
    waiting, session.current().to_open = session.current().to_open, None
    if waiting is not None:
        open_dataset(*waiting)


def open_dataset(name: str, n: int, k: int | None = None) -> None:
    """Choose a data set of ``n`` features, and the view it opens with, at this k if there is one."""
    assign(data=name)
    open_view(name, n)
    if k is not None:
        assign(k=min(k, n))


def open_view(name: str, n: int) -> None:
    """Set preprocessing and k to what the data set opens with, and d to what it can have."""
    here = session.current()
    here.lost = ""
    here.memory.pop((("parts",), "r"), None)  # their number opens anew
    st.session_state.pop("r", None)
    d = st.session_state.get("d", 1)
    assign(scale=default_scale(name), k=default_k(n, name), prep=[], **({"d": n} if d > n else {}))
