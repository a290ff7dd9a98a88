"""The data set a page works on, or how to get it."""

from __future__ import annotations

import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo
from nnspca.result import Progress
from nnspca.view import foreign, words
from nnspca.view.session import runs, store, widgets
from nnspca.view.session.runs import Job, Work
from nnspca.view.session.state import State


def dataset(now: State) -> Dataset:
    """Return the data set, or show how to get it and end the page here."""
    infos = store.catalogue()
    info = infos.get(now.data)
    if info is None:
        asked, known = foreign.plain(now.data), foreign.plain(", ".join(infos))
        st.error(f"There is no data set called “{asked}”. Choose one of: {known}.")
        widgets.end_page()
    if not info.local:
        _offer(info)
        widgets.end_page()
    return loaded(now.data)


def loaded(name: str) -> Dataset:
    """Return a data set that is on this machine, or say what is wrong with its file and end the page here."""
    try:
        return store.dataset(name)
    except (nnspca.DataError, OSError) as problem:
        st.error(foreign.plain(str(problem)))
        widgets.end_page()


def _offer(info: DatasetInfo) -> None:
    """Show what a data set is and offer to download it."""
    st.title(foreign.plain(info.title))
    st.markdown(foreign.plain(info.description))
    with st.container(border=True):
        terms(info)
        download(info)


def terms(info: DatasetInfo) -> None:
    """Say whom to thank, what one may do with the data, and where to read more."""
    st.caption(f"{foreign.plain(info.citation)}  \nTerms: {foreign.plain(info.terms)}")
    if info.homepage:
        st.markdown(f":small[More about the data: <{info.homepage}>]")  # a caption would dim the link


def download(info: DatasetInfo) -> None:
    """Offer to fetch a data set, with true progress and Stop."""
    slot = f"fetch-{info.name}"
    job = runs.job_for(slot, info.name)
    if info.download_url:
        size, label = words.size(info.size_bytes), "Download" if job is None else "Download again"
        st.markdown(f"**These data are not on this machine yet.** They are fetched once ({size}), checked, and kept.")
    else:
        label = "How to get the file"
        st.markdown("**These data are not on this machine yet.** They cannot be fetched: you supply the file.")
    pressed = st.button(
        label,
        key=slot,
        type="primary",
        icon=":material/download:",
        disabled=job is not None and not job.done,
    )
    if pressed:
        job = runs.start(slot, info.name, _fetch(info.name))
    if job is not None:
        runs.follow(slot, job, "Stopped. Nothing was kept; **Download again** starts over.")
    if job is not None and job.done and not job.problem and not job.stopped:
        st.rerun()


def _fetch(name: str) -> Work:
    """Return the work of downloading a data set."""

    def work(job: Job) -> None:
        def listen(done: int, total: int | None) -> None:
            whole = f" of {total / 1e6:.1f}" if total else ""
            job.report(Progress(min(done / total, 1.0) if total else 0.0, f"Downloaded {done / 1e6:.1f}{whole} MB"))

        nnspca.datasets.load(name, on_progress=listen, should_stop=job.should_stop)

    return work
