"""A component, or several parts, over what the features stand for: one picture for every page and for reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

import numpy as np
import streamlit as st

from nnspca.datasets import Dataset
from nnspca.result import Components, sentences, wording
from nnspca.result.rounded import percent
from nnspca.view import sanitize
from nnspca.view.figures.style import LIGHT, PARTS
from nnspca.view.link import canvas

SAMPLES = {"faces": "face", "images": "image", "spectra": "spectrum"}  # what a sample is, by the kind of the data
NOUNS = {"faces": "pixels", "images": "pixels", "spectra": "wavelengths", "genes": "genes"}
NAMED = 24  # features of a part whose names are sent where they are a list
SHORT = 8  # of them in the list of parts
SCRIPTS = ("component.js",)
_mount = canvas.component("component", canvas.SHARED, SCRIPTS)
SHARE = "in resamples (%)"  # the column of a list that is drawn as bars
ROWS = 300  # most rows of a list
PAGE = canvas.SHARED / "page.html"


def called(data: Dataset) -> str:
    """Return what the features are called."""
    return NOUNS.get(data.kind, "features")


def mean_sample(data: Dataset) -> np.ndarray | None:
    """Return the mean sample, where a mean can be drawn behind a component."""
    drawn = data.axis is not None or data.image_shape is not None
    return data.means if drawn and data.kind != "covariance" else None


def features_payload(data: Dataset, backdrop: np.ndarray | None, named: Sequence[int]) -> dict[str, Any]:
    """Return what the features stand for: an image, an axis, or names (of the features ``named``)."""
    if data.image_shape is not None:
        rows, columns = data.image_shape
        mean = None if backdrop is None else canvas.greys(backdrop)
        return {"image": {"rows": rows, "columns": columns, "mean": mean}}
    if data.axis is not None:
        return {
            "axis": {
                "values": canvas.pack(data.axis.values, "f8"),
                "name": data.axis.name,
                "unit": data.axis.unit,
                "mean": None if backdrop is None else canvas.pack(backdrop, "f4"),
            }
        }
    return {"names": feature_names(data, named)}


def feature_names(data: Dataset, features: Iterable[int]) -> dict[int, str]:
    """Return what some features are called, each as one line: their names with their titles."""
    titles = data.feature_titles or [""] * data.n_features
    said = {int(i): wording.name_with_title(str(data.feature_names[i]), titles[i]) for i in features}
    return {i: sanitize.line(text, sanitize.NAME) for i, text in said.items()}


@dataclass(frozen=True, eq=False)
class DrawnPart:
    """One part on the picture."""

    weights: np.ndarray  # shape (n,)
    says: str = ""  # what stands beside its colour
    where: str = ""  # where it lies, in words
    most: float | None = None  # the weight that is drawn in full; without it the part's own largest
    # features that are framed, and those in a dashed frame, shape (n,) each
    sure: np.ndarray | None = None
    open: np.ndarray | None = None


def of(parts: Components, data: Dataset, digits: int = 1) -> list[DrawnPart]:
    """Return parts as layers: each says how many features it has and what it explains of the total variance.

    That share has so many ``digits``.
    """
    noun, layers = called(data), []
    for part in parts.parts:
        support = part.support
        where = ""
        if data.image_shape is not None:
            where = sentences.where_in_image(support, data.image_shape)
        elif data.axis is not None:
            where = sentences.intervals_of_axis(support, data.axis.values, f"{data.axis.name} ({data.axis.unit})")
        many = noun if len(support) != 1 else noun.removesuffix("s")
        says = f"{len(support):,} {many} · {percent(part.variance / (parts.total or 1.0), digits)}"
        layers.append(DrawnPart(part.loadings, says, where))
    return layers


def payload(
    layers: Sequence[DrawnPart],
    data: Dataset,
    backdrop: np.ndarray | None,
    *,
    what: str = "loading",
    note: str = "",
    dimmed: bool = False,
) -> dict[str, Any]:
    """Return what the browser draws; ``what`` is a weight called, and ``note`` stands below the list of parts.

    Parts that share features are shown one at a time. The picture is ``dimmed`` where another one is on its way.
    """
    pictured = data.image_shape is not None or data.axis is not None
    named, listed = set[int](), []
    for r, layer in enumerate(layers):
        support = np.flatnonzero(layer.weights)
        order = support[np.argsort(-np.abs(layer.weights[support]), kind="stable")]
        heavy = order[:NAMED].tolist()
        named |= set(heavy)
        short = [] if pictured or len(layers) < 2 else heavy[:SHORT]
        listed.append(
            {
                "support": canvas.pack(support, "i4"),
                "weights": canvas.pack(layer.weights[support], "f4"),
                "colour": PARTS[r % len(PARTS)] if len(layers) > 1 else None,
                "most": layer.most,
                "says": layer.says,
                "where": layer.where,
                "names": list(feature_names(data, short).values()),
                **{
                    key: np.flatnonzero(marks).tolist()
                    for key, marks in (("sure", layer.sure), ("open", layer.open))
                    if marks is not None
                },
            }
        )
    used = sum((layer.weights != 0).astype(int) for layer in layers)
    content = {
        "what": what,
        "note": note,
        "dimmed": dimmed,
        "single": bool(np.max(used, initial=0) > 1),
        "parts": listed,
        "scene": features_payload(data, backdrop, sorted(named)),
    }
    return canvas.signed(content)


def show(layers: Sequence[DrawnPart], data: Dataset, key: str, **how: Any) -> None:
    """Show parts on one picture, as :func:`payload` takes them."""
    _mount(key=key, data=payload(layers, data, mean_sample(data), **how))


def component_page(layers: Sequence[DrawnPart], data: Dataset, backdrop: np.ndarray | None) -> str:
    """Return the picture as a piece of a web page that needs nothing else, on paper."""
    content = payload(layers, data, backdrop)
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        style=canvas.component_style("component", canvas.SHARED),
        body=(canvas.SHARED / "component.html").read_text(encoding="utf-8"),
        scripts=canvas.written(canvas.SHARED, SCRIPTS, dark=LIGHT),
        data=json.dumps(content).replace("<", "\\u003c"),  # no word of it ends the script it stands in
    )


def table(rows: Sequence[dict[str, object]], alt: str) -> None:
    """List features, the first of many."""
    st.dataframe(
        [{name: sanitize.line(v) if isinstance(v, str) else v for name, v in row.items()} for row in rows[:ROWS]],
        hide_index=True,
        height=400,
        column_config={SHARE: st.column_config.ProgressColumn(min_value=0, max_value=100, format="%d")},
        alt=alt,
    )
