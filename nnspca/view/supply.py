"""The data set a page works on, or how to get it."""

from __future__ import annotations

import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo
from nnspca.view import compute, jobs, words
from nnspca.view.state import State


def dataset(now: State) -> Dataset:
    """Return the data set, or show how to get it and end the page here."""
    infos = compute.catalogue()
    info = infos.get(now.data)
    if info is None:
        st.error(f"There is no data set called “{now.data}”. Choose one of: {', '.join(infos)}.")
        st.stop()
    if not info.local:
        _offer(info)
        st.stop()
    try:
        return compute.dataset(now.data)
    except (nnspca.DataError, OSError) as problem:
        st.error(str(problem))
        st.stop()


def _offer(info: DatasetInfo) -> None:
    """Show what a data set is and offer to download it, with true progress."""
    st.title(info.title)
    st.markdown(info.description)
    job = jobs.peek("fetch", info.name)
    with st.container(border=True):
        size = f" ({words.size(info.size_bytes)})" if info.size_bytes else ""
        st.markdown(f"**These data are not on this machine yet.** They are fetched once{size}, checked, and kept.")
        st.caption(f"{info.citation}  \nTerms: {info.terms}")
        if info.homepage:
            st.caption(f"More about the data: {info.homepage}")
        asked = st.button(
            "Download" if job is None else "Download again",
            key="fetch",
            type="primary",
            icon=":material/download:",
            disabled=job is not None and not job.done,
        )
        if asked:
            job = jobs.start("fetch", info.name, compute.fetch(info.name))
        if job is not None:
            jobs.follow("fetch", job, "Stopped. Nothing was kept; **Download again** starts over.")
        if job is not None and job.done and not job.problem and not job.stopped:
            st.rerun()
