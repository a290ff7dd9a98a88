"""The data page: each data set with its terms and a way to use it."""

from __future__ import annotations

import streamlit as st

from nnspca.datasets import DatasetInfo, fetch
from nnspca.view import foreign
from nnspca.view.session import catalogue, fetching
from nnspca.view.session.state import State


def card(info: DatasetInfo, now: State) -> None:
    """Show one data set of the list: what it is, its terms, and how to use it."""
    rows, columns = info.shape
    st.markdown(f"**{foreign.plain(info.title)}** · {foreign.code(info.name)}  \n{foreign.plain(info.description)}")
    st.caption(f"{rows:,} × {columns:,}, {info.kind}")
    fetching.terms(info)
    if not info.local:
        fetching.download(info)
        return
    if info.name == now.data:
        st.caption(":material/check: In use on every page.")
    else:
        st.button("Use these data", key=f"use-{info.name}", on_click=catalogue.use, args=(info.name, columns))
    if info.names_bytes:
        fetching.download_names(info, catalogue.forget)


def folder() -> None:
    """Say what is wrong with the folder of data files that this server was given, if anything is."""
    wrong = fetch.fault(fetch.data_folder())
    if wrong:
        st.warning(foreign.plain(f"The data sets that come along still work. {wrong}"), icon=":material/folder_off:")
