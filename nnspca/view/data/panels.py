"""The data page: each data set with its terms and a way to use it, and the file a person brings."""

from __future__ import annotations

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo, fetch
from nnspca.datasets.readers import SUFFIXES
from nnspca.view import foreign, words
from nnspca.view.session import sidebar, store
from nnspca.view.session.state import State


def card(info: DatasetInfo, now: State) -> None:
    """Show one data set of the list: what it is, its terms, and how to use it."""
    rows, columns = info.shape
    st.markdown(f"**{foreign.plain(info.title)}** · {foreign.code(info.name)}  \n{foreign.plain(info.description)}")
    st.caption(f"{rows:,} × {columns:,}, {info.kind}")
    store.terms(info)
    if not info.local:
        store.download(info)
    elif info.name == now.data:
        st.caption(":material/check: In use on every page.")
    else:
        st.button("Use these data", key=f"use-{info.name}", on_click=sidebar.use, args=(info.name, columns))


def folder() -> None:
    """Say what is wrong with the folder of data files that this server was given, if anything is."""
    wrong = fetch.fault(fetch.data_folder())
    if wrong:
        st.warning(foreign.plain(f"The data sets that come along still work. {wrong}"), icon=":material/folder_off:")


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
    if not _usable(data):
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


def _usable(data: Dataset) -> bool:
    """Keep a data set that has a covariance, or say what is wrong with it and offer what can be done."""
    try:
        store.keep_upload(data)
    except nnspca.DataError as problem:
        if data.kind != "covariance":
            st.error(foreign.plain(f"{data.title}: {problem}."), icon=":material/error:")
            return False
        st.warning(foreign.plain(f"{data.title}: {problem}."), icon=":material/error:")
    else:
        return True
    wanted = st.toggle(
        "Take the nearest covariance instead",
        key=f"repair-{data.content_hash[:8]}",
        help="The matrix without its negative eigenvalues: the nearest one that is a covariance (Higham 1988).",
    )
    if not wanted:
        return False
    try:
        cov = store.keep_upload(data, repair=True)
    except nnspca.DataError as problem:
        st.error(foreign.plain(f"{data.title}: {problem}."), icon=":material/error:")
        return False
    size = float(np.linalg.norm(data.X))
    st.info(
        f"Repaired: the nearest covariance lies {words.number(cov.moved, up=True)} away, of a matrix of norm "
        f"{words.number(size)}. Everything shown, certificates too, speaks about the repaired one.",
        icon=":material/build:",
    )
    return True
