"""The data set a page works on, or how to get it."""

from __future__ import annotations

import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo
from nnspca.datasets.readers import SUFFIXES
from nnspca.view import compute, holdings, jobs, words
from nnspca.view.state import State


def dataset(now: State) -> Dataset:
    """Return the data set, or show how to get it and end the page here."""
    infos = holdings.catalogue()
    info = infos.get(now.data)
    if info is None:
        st.error(f"There is no data set called “{now.data}”. Choose one of: {', '.join(infos)}.")
        st.stop()
    if not info.local:
        _offer(info)
        st.stop()
    return loaded(now.data)


def loaded(name: str) -> Dataset:
    """Return a data set that is on this machine, or say what is wrong with its file and end the page here."""
    try:
        return compute.dataset(name)
    except (nnspca.DataError, OSError) as problem:
        st.error(str(problem))
        st.stop()


def _offer(info: DatasetInfo) -> None:
    """Show what a data set is and offer to download it."""
    st.title(info.title)
    st.markdown(info.description)
    with st.container(border=True):
        _terms(info)
        download(info)


def _terms(info: DatasetInfo) -> None:
    """Say whom to thank, what one may do with the data, and where to read more."""
    st.caption(f"{info.citation}  \nTerms: {info.terms}")
    if info.homepage:
        st.markdown(f":small[More about the data: <{info.homepage}>]")  # a caption would dim the link


def download(info: DatasetInfo) -> None:
    """Offer to fetch a data set, with true progress and Stop."""
    slot = f"fetch-{info.name}"
    job = jobs.peek(slot, info.name)
    if info.download_url:
        size, label = words.size(info.size_bytes), "Download" if job is None else "Download again"
        st.markdown(f"**These data are not on this machine yet.** They are fetched once ({size}), checked, and kept.")
    else:
        label = "How to get the file"
        st.markdown("**These data are not on this machine yet.** They cannot be fetched: you supply the file.")
    asked = st.button(
        label,
        key=slot,
        type="primary",
        icon=":material/download:",
        disabled=job is not None and not job.done,
    )
    if asked:
        job = jobs.start(slot, info.name, compute.fetch(info.name))
    if job is not None:
        jobs.follow(slot, job, "Stopped. Nothing was kept; **Download again** starts over.")
    if job is not None and job.done and not job.problem and not job.stopped:
        st.rerun()


def card(info: DatasetInfo, now: State) -> None:
    """Show one data set of the list: what it is, its terms, and how to use it."""
    rows, columns = info.shape
    st.markdown(f"**{info.title}** · `{info.name}`  \n{info.description}")
    st.caption(f"{rows:,} × {columns:,}, {info.kind}")
    _terms(info)
    if not info.local:
        download(info)
    elif info.name == now.data:
        st.caption(":material/check: In use on every page.")
    else:
        st.button("Use these data", key=f"use-{info.name}", on_click=_use, args=(info.name,))


def _use(name: str) -> None:
    """Choose a data set in the sidebar."""
    st.session_state["data"] = name


def bring() -> None:
    """Let the person bring a file; what it holds stays available until the tab is closed."""
    turned = st.toggle(
        "Samples are columns",
        key="turned",
        help="On: each column of the file is one sample. Off: each row is.",
    )
    file = st.file_uploader(
        "Your own data",
        key="upload",
        type=[suffix.removeprefix(".") for suffix in SUFFIXES],
        help="CSV, TSV, NPY, NPZ, MAT, ARFF, or a ZIP or TAR of images of one size. It stays on this machine.",
    )
    if file is None:
        return
    try:
        data = holdings.keep(file.getvalue(), file.name, "columns" if turned else "rows")
    except nnspca.DataError as problem:
        st.error(str(problem), icon=":material/error:")
        return
    st.success(f"Read **{data.name}**: {data.shape[0]:,} × {data.shape[1]:,}, {data.kind}. " + " ".join(data.notes))
    if st.session_state.get("data") != data.name:
        st.button("Use it on every page", key="use-upload", type="primary", on_click=_use, args=(data.name,))
