"""The data page: what is in use, its terms and where it comes from, and what is wrong with a folder of data."""

from __future__ import annotations

import streamlit as st

from nnspca.datasets import Dataset, DatasetInfo, fetch
from nnspca.view import sanitize
from nnspca.view.data import preparing
from nnspca.view.link.state import State
from nnspca.view.sources import allowed, catalogue, fetching, opened
from nnspca.view.ui import preview


def in_use(info: DatasetInfo, data: Dataset | None, now: State) -> None:
    """Show the data set that every page uses: samples, variance, citation and terms; or offer to fetch it."""
    rows, columns = info.shape
    st.header(f"In use: {sanitize.plain(info.title)}")
    if data is None:
        catalogue.offer(info)
        return
    shape = ""  # of a covariance it stands below the excerpt
    if info.kind != "covariance":
        shape = f"{rows:,} samples × {columns:,} {'feature' if columns == 1 else 'features'}.".replace(" ", "\u00a0")
    st.markdown(f"{sanitize.plain(info.description)} {shape}".strip())
    few, rest = st.columns([1, 1.25], gap="large")
    with few:
        preview.sample_preview(data)
    with rest:
        preview.scree_plot(data, now)
        preview.provenance(data)
        if info.homepage:
            st.markdown(f":small[More about the data: <{info.homepage}>]")
        if info.names_bytes:
            fetching.download_names(info, catalogue.forget)
    with st.expander("Preprocessing: what each step does", expanded=bool(now.prep), icon=":material/tune:"):
        preparing.explained(catalogue.dataset(now.data), data, now)


def problems() -> None:
    """Say which of the data sets that the server's owner named in the environment cannot be opened, and why."""
    for problem in opened.problems():
        st.error(sanitize.plain(f"{allowed.OPEN}: {problem}"), icon=":material/error:")


def folder() -> None:
    """Say what is wrong with the folder of data files that this server was given, if anything is."""
    wrong = fetch.fault(fetch.data_folder())
    if wrong:
        st.warning(
            sanitize.plain(f"The data sets that come with the package still work. {wrong}"),
            icon=":material/folder_off:",
        )
