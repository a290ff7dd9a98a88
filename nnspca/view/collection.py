"""Data sets at a glance: a preview of one, and cards of all, each with its component and proven share from the ledger.

Where the terms of a data set forbid passing images on, its picture is drawn where the data are: once a server, when the
first visitor looks at the card.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from nnspca.datasets import Dataset, DatasetInfo
from nnspca.result import rounded
from nnspca.view import cache, ledger, sanitize, session, stored
from nnspca.view.figures import dataset as figures
from nnspca.view.figures.dataset import montage
from nnspca.view.ledger import Known
from nnspca.view.link import canvas
from nnspca.view.link.canvas import Card
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue
from nnspca.view.ui import charts, component

TILES = 36
OVER_MEAN = ("faces", "images")  # kinds of data whose component is drawn over the mean
MEANS = Path(__file__).with_name("means.json")  # of data that may be passed on, by `python -m tests.stored means`


def sample_preview(data: Dataset, key: str = "glance") -> None:
    """Show a few samples: images as images, spectra as curves, the rest as a small table."""
    look = charts.palette()
    if data.image_shape is not None and data.kind != "covariance":
        shown = min(TILES, data.X.shape[0])
        about = f"{shown} of the {data.X.shape[0]:,} images of {sanitize.line(data.title)}, side by side."
        charts.picture(image_sheet(data, TILES), about)
        rows, columns = data.image_shape
        st.caption(f"{shown} of {data.X.shape[0]:,} images; each of the {rows} × {columns} pixels is a feature.")
    elif data.axis is not None and data.kind != "covariance":
        charts.figure(figures.curves(_samples(data, 40), data.axis, look), key)
    else:
        st.dataframe(table_corner(data), hide_index=True, height=316, alt=f"A corner of {sanitize.line(data.title)}.")
        if data.kind == "covariance":
            st.caption(f"A {data.n_features} × {data.n_features} covariance, one row for each feature.")
        else:
            most = f"of {data.n_features:,} {component.called(data)}, those that vary most"
            st.caption(f"A few of {data.X.shape[0]:,} samples; {most}.")
    if data.labels is not None and data.label_names:
        st.caption("Classes: " + ", ".join(sanitize.plain(str(name), sanitize.NAME) for name in data.label_names) + ".")


def _samples(data: Dataset, count: int) -> np.ndarray:
    """Return ``count`` samples spread evenly over the data set, always the same ones."""
    m = data.X.shape[0]
    return data.rows(np.unique(np.linspace(0, m - 1, min(count, m)).round().astype(int)))


def image_sheet(data: Dataset, count: int) -> bytes:
    """Return one PNG of ``count`` sample images, drawn once for all visits."""
    key, shape = ("sheet", data.name, data.content_hash, count), data.image_shape or (1, data.n_features)
    return cache.shared().get(key, lambda: montage(_samples(data, count), shape))


def table_corner(data: Dataset, rows: int = 8, columns: int = 8) -> dict[str, Sequence[Any]]:
    """Return a corner of the data as a table: for many features, the most varied ones."""
    if data.kind == "covariance":
        chosen, body = np.arange(min(columns * 2, data.n_features)), data.X[: rows * 2]
    else:
        spread = np.argsort(-data.deviations, kind="stable")[:columns]
        chosen = spread if data.n_features > columns else np.arange(data.n_features)
        body = _samples(data, rows)
    names = sanitize.column_names(list(component.feature_names(data, chosen).values()))
    return {name: list(body[:, i]) for name, i in zip(names, chosen, strict=True)}


def _mean(info: DatasetInfo) -> tuple[np.ndarray, tuple[int, int]] | None:
    """Return the mean image and its shape, as stored or of data that are here; None where there is none."""
    if info.name in (held := json.loads(MEANS.read_text(encoding="utf-8"))):
        rows = np.array(held[info.name], dtype=float)
        return rows.ravel(), rows.shape
    if info.local and info.kind in OVER_MEAN:
        with suppress(ValueError, OSError):  # of an unreadable file, as its own page says
            data = catalogue.local_dataset(info.name)
            return None if data.image_shape is None else (data.means, data.image_shape)
    return None


def cards(now: State, lay: str = "") -> None:
    """Show a card for each data set, laid in a ``row`` or one below the other; a press opens it in its own view."""
    infos = catalogue.infos()
    own, book = catalogue.own_datasets(), ledger.shared()
    known = {held.name: book.at(held.problem, held.opening, 0.0) for held in stored.problems().values() if held.opened}
    canvas.cards(
        f"{lay}gallery",
        "Data sets",
        [_card(info, None if name in own else known.get(name)) for name, info in infos.items()],
        now.data,
        lambda name: catalogue.open_dataset(name, infos[name].shape[1]),
        lay=lay,
    )


def _card(info: DatasetInfo, best: Known | None) -> Card:
    best = best if best is not None and best.bounded else None
    says = info.description.split(". ")[0].rstrip(".") + "." if info.description else ""
    away = "" if info.local else f" {catalogue.why_missing(info).capitalize()}."
    share = "" if best is None else rounded.proven_share(best.lower, best.upper)
    foot = "" if best is None else f"k = {best.at}: {share}{' (stored proof)' * best.stored}"
    return Card(info.name, sanitize.line(info.title), f"{says}{away}", foot, _address(info, best))


def _address(info: DatasetInfo, best: Known | None) -> str:
    """Return where the browser fetches a card's picture once the card is in view; empty where no component is known."""
    if best is None:
        return ""

    def draw() -> bytes:
        loadings, mean = best.component.loadings, _mean(info)
        if mean is None or len(mean[0]) != len(loadings):
            return figures.as_bars(loadings)
        return figures.over_image(loadings, *mean)

    drawn = functools.partial(cache.shared().get, ("card", info.name, info.local), draw)
    return session.current().offer("cards", f"{info.name}.png", drawn, "image/png")
