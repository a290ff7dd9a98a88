"""Features packed for the browser, by what they stand for: pixels of an image, points of an axis, or names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnspca.datasets import Dataset
from nnspca.view import sanitize
from nnspca.view.link import canvas

NOUNS = {"faces": "pixels", "images": "pixels", "spectra": "wavelengths", "genes": "genes"}


def noun(data: Dataset) -> str:
    """Return what the features are called."""
    return NOUNS.get(data.kind, "features")


def unlisted(data: Dataset) -> frozenset[int]:
    """Return the features that lists leave out: the control probes of Affymetrix's chips, which measure no gene.

    They are left out of lists and drawings of names only; what is computed has all features.
    """
    return frozenset(i for i, name in enumerate(data.feature_names) if str(name).startswith("AFFX"))


def packed(data: Dataset, backdrop: np.ndarray | None, named: Sequence[int]) -> dict[str, Any]:
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
    names = {int(i): sanitize.line(str(data.feature_names[i]), sanitize.NAME) for i in named}
    return {"names": names, "unlisted": sorted(unlisted(data))}
