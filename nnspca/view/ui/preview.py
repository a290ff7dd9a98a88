"""Preview of a data set: some samples, how its variance spreads, and where it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from nnspca.datasets import Dataset
from nnspca.view import sanitize
from nnspca.view.figures import dataset as figures
from nnspca.view.figures.dataset import montage
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator
from nnspca.view.sources import store
from nnspca.view.sources.opened import Summed
from nnspca.view.ui import charts, component

TILES = 36
SMALL = 16  # rows and columns of a picture of numbers
BY_CONTENT: dict[Any, Any] = dict.fromkeys((Dataset, Summed), lambda data: (data.name, data.content_hash))


def _sample_preview(data: Dataset) -> None:
    """Show a few samples: images as images, spectra as curves, the rest as a small table."""
    look = charts.palette()
    if data.image_shape is not None and data.kind != "covariance":
        shown = min(TILES, data.X.shape[0])
        about = f"{shown} of the {data.X.shape[0]:,} images of {sanitize.line(data.title)}, side by side."
        charts.picture(sheet(data, TILES), about)
        rows, columns = data.image_shape
        st.caption(f"{shown} of {data.X.shape[0]:,} images; each of the {rows} × {columns} pixels is a feature.")
    elif data.axis is not None and data.kind != "covariance":
        charts.figure(figures.curves(_samples(data, 40), data.axis, look), "glance")
    else:
        st.dataframe(table_excerpt(data), hide_index=True, height=316, alt=f"A corner of {sanitize.line(data.title)}.")
        if data.kind == "covariance":
            st.caption(f"A {data.n_features} × {data.n_features} covariance, one row for each feature.")
        else:
            controls = len(component.unlisted(data))
            which = "probe (AFFX) is" if controls == 1 else "probes (AFFX) are"
            left = f" {controls} control {which} not listed." if controls else ""
            most = f"of {data.n_features:,} {component.noun(data)}, those that vary most"
            st.caption(f"A few of {data.X.shape[0]:,} samples; {most}.{left}")
    if data.labels is not None and data.label_names:
        st.caption("Classes: " + ", ".join(sanitize.plain(str(name), sanitize.NAME) for name in data.label_names) + ".")


def overview(data: Dataset, now: State) -> DeltaGenerator:
    """Show samples, how the variance spreads over directions, and the source; return the place below that."""
    few, rest = st.columns([1, 1.25], gap="large")
    with few:
        _sample_preview(data)
    eigenvalues, trace = store.spectrum(data, now), store.covariance(data, now).trace
    source, citation, terms = map(sanitize.plain, (data.source, data.citation, data.terms))
    with rest:
        charts.figure(figures.spectrum(eigenvalues, trace, charts.palette(), rank=now.d), "spectrum")
        st.caption(f"Source: {source}. {citation}" + (f"  \nTerms: {terms}" if terms else ""))
    return rest


def _samples(data: Dataset, count: int) -> np.ndarray:
    """Return ``count`` samples spread evenly over the data set, always the same ones."""
    m = data.X.shape[0]
    return data.rows(np.unique(np.linspace(0, m - 1, min(count, m)).round().astype(int)))


@st.cache_data(show_spinner=False, max_entries=32, hash_funcs=BY_CONTENT)
def sheet(data: Dataset, count: int) -> bytes:
    """Return one PNG of ``count`` sample images."""
    return montage(_samples(data, count), data.image_shape or (1, data.n_features))


@st.cache_data(show_spinner=False, max_entries=32, hash_funcs=BY_CONTENT)
def thumbnail(data: Dataset) -> bytes:
    """Return a small PNG of what a data set looks like: the mean image, or some of its numbers as greys."""
    if data.image_shape is not None:
        return montage(data.means, data.image_shape, width=64)
    across, down = (np.linspace(0, size - 1, SMALL).round().astype(int) for size in data.shape[::-1])
    numbers = data.rows(down)[:, across]
    least, most = numbers.min(axis=0), numbers.max(axis=0)
    return montage((numbers - least) / np.where(most > least, most - least, 1.0), numbers.shape, width=64)


def table_excerpt(data: Dataset, rows: int = 8, columns: int = 8) -> dict[str, Sequence[Any]]:
    """Return a corner of the data as a table: for many features, the most varied ones."""
    if data.kind == "covariance":
        chosen, body = np.arange(min(columns * 2, data.n_features)), data.X[: rows * 2]
    else:
        controls = component.unlisted(data)
        ranked = np.argsort(-data.deviations, kind="stable")
        spread = ranked[~np.isin(ranked, list(controls))][:columns]
        chosen = spread if data.n_features > columns else np.arange(data.n_features)
        body = _samples(data, rows)
    names = sanitize.headings([data.feature_names[i] for i in chosen])
    return {name: list(body[:, i]) for name, i in zip(names, chosen, strict=True)}
