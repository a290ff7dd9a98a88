"""The data page: each data set with its terms and a way to use it, and the file a person brings."""

from __future__ import annotations

import streamlit as st

import nnspca
from nnspca.datasets import DatasetInfo
from nnspca.datasets.readers import SUFFIXES
from nnspca.view import foreign
from nnspca.view.session import datasets, sidebar, store
from nnspca.view.session.state import State


def card(info: DatasetInfo, now: State) -> None:
    """Show one data set of the list: what it is, its terms, and how to use it."""
    rows, columns = info.shape
    st.markdown(f"**{foreign.plain(info.title)}** · {foreign.code(info.name)}  \n{foreign.plain(info.description)}")
    st.caption(f"{rows:,} × {columns:,}, {info.kind}")
    datasets.terms(info)
    if not info.local:
        datasets.download(info)
    elif info.name == now.data:
        st.caption(":material/check: In use on every page.")
    else:
        st.button("Use these data", key=f"use-{info.name}", on_click=sidebar.use, args=(info.name, columns))


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
        data = store.read_upload(file.getvalue(), file.name, "columns" if turned else "rows")
    except nnspca.DataError as problem:
        st.error(foreign.plain(str(problem)), icon=":material/error:")
        return
    rows, columns = data.shape
    said = foreign.plain(" ".join(data.notes))
    st.success(f"Read **{foreign.plain(data.name)}**: {rows:,} × {columns:,}, {data.kind}. {said}")
    if st.session_state.get("data") != data.name:
        st.button(
            "Use it on every page",
            key="use-upload",
            type="primary",
            on_click=sidebar.use,
            args=(data.name, data.n_features),
        )
