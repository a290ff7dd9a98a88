"""Which data sets there are: the catalogue's, and those this session has brought."""

from __future__ import annotations

import hashlib
from typing import Literal

import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo


def uploads() -> dict[str, Dataset]:
    """Return the data sets this session has brought, by name."""
    brought: dict[str, Dataset] = st.session_state.setdefault("_uploads", {})
    return brought


def keep(content: bytes, filename: str, samples: Literal["rows", "columns"]) -> Dataset:
    """Read an uploaded file, once, and keep it for this session.

    Raises
    ------
    nnspca.DataError
        Saying what was found in the file and what to change.
    """
    seen: dict[tuple[str, str, str], Dataset] = st.session_state.setdefault("_read", {})
    key = hashlib.sha256(content).hexdigest(), filename, samples
    if key not in seen:
        with st.spinner("Reading the file …"):
            seen[key] = nnspca.datasets.read(content, filename, samples=samples)
    uploads()[seen[key].name] = seen[key]
    return seen[key]


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
