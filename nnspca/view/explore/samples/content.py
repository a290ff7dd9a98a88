"""What the browser draws of the samples, packed: scores, classes and pictures, and the component's features."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnspca.datasets import Dataset
from nnspca.result import Component, Contribution, wording
from nnspca.view import sanitize
from nnspca.view.explore.samples import claims
from nnspca.view.explore.samples.run import SamplePositions
from nnspca.view.link import canvas
from nnspca.view.link.state import State
from nnspca.view.sources import store
from nnspca.view.ui import scene

ENDS = 8  # samples shown at either end
BUDGET = 100_000  # bytes for pictures of samples
SIDE, POINTS = 32, 96  # most pixels of a picture's side, and points of a curve
CLASSES = 9  # the largest classes, shown separately; the others are merged if there are two or more
COLUMNS, ROWS = 360, 40  # maximum size of the features × samples map, but for the rows of `MAP_ALL`
MAP_ALL = 128  # largest number of features along an axis for which the map shows all of them
NAMES, NAMED_SAMPLES = 80, 5000  # names of features sent, and samples up to which theirs are


def payload(
    part: Component,
    second: Component | None,
    positions: SamplePositions | None,
    role: Contribution,
    data: Dataset,
    now: State,
    *,
    requested: bool,
) -> dict[str, Any]:
    """Return all that the browser draws.

    ``role`` describes the feature that the user asked about (``requested``), or an example.
    """
    support = part.support
    covarying = role.others[np.argsort(-np.abs(role.covariances), kind="stable")][:ROWS]
    named = sorted({*wording.heaviest(part)[:NAMES], *covarying.tolist(), role.feature})
    content = {
        "about": dataset_key(data),
        "noun": scene.noun(data),
        "n": data.n_features,
        "m": 0 if positions is None else len(positions.scores),
        "scene": scene.packed(data, store.mean(data), named),
        "names": {int(i): claims.feature_name(data, int(i)) for i in named},
        "support": canvas.pack(support, "i4"),
        "weights": canvas.pack(part.loadings[support], "f4"),
        "lead": "" if positions is None else claims.score(part, data, standardised=now.standardise),
        "separation": "" if positions is None else claims.told_apart(data, positions),
        "why": _why(role, part, data, now, requested=requested),
    }
    if positions is not None:
        samples = data.sample_names if data.shape[0] <= NAMED_SAMPLES else ()
        content |= {
            "scores": canvas.pack(positions.scores, "f4"),
            "second": None if positions.second is None else canvas.pack(positions.second, "f4"),
            "sampleNames": [sanitize.line(name, sanitize.NAME) for name in samples],
            "secondSize": "" if second is None else f"{second.cardinality:,} {scene.noun(data)}",
            **_classes(data, positions),
            "pictures": _pictures(data, positions.order),
            "map": _map(part, data, now, positions.order),
        }
    return canvas.signed(content)


def dataset_key(data: Dataset) -> str:
    """Return a key that identifies the data set in the browser."""
    return f"{data.name} {data.content_hash[:16]}"


def _why(role: Contribution, part: Component, data: Dataset, now: State, *, requested: bool) -> dict[str, Any]:
    """Return the answer to "why this one?": its words, and its covariances to be drawn."""
    return {
        "feature": role.feature,
        "asked": requested,
        "measure": claims.measure(now.standardise),
        "title": claims.question(role, data, example=not requested),
        "says": claims.why(role, part, data, standardised=now.standardise),
        "others": canvas.pack(role.others, "i4"),
        "covariances": canvas.pack(role.covariances, "f4"),
    }


def _classes(data: Dataset, positions: SamplePositions) -> dict[str, Any]:
    """Return the samples' classes, and for each class its name, size and how well it is separated from the rest."""
    if data.labels is None:
        return {"labels": None, "classes": []}
    labels = data.labels
    counts = np.bincount(labels[labels >= 0], minlength=len(positions.apart))
    shown = np.arange(len(counts))
    if len(shown) > CLASSES + 1:
        shown = np.sort(np.argsort(-counts, kind="stable")[:CLASSES])
    areas = ["" if area is None else claims.area(area) for area in positions.apart]
    listed: list[dict[str, Any]] = [
        {"name": claims.class_name(data, c), "count": int(counts[c]), "area": areas[c]} for c in shown.tolist()
    ]
    code = np.full(len(counts) + 1, len(shown))
    code[shown] = np.arange(len(shown))
    code[-1] = len(shown) + 1  # for samples without a class: label -1 indexes this last entry
    codes = code[labels]
    rest, none = int((codes == len(shown)).sum()), int((codes == len(shown) + 1).sum())
    if rest or none:
        merged_count = int((counts > 0).sum()) - int((counts[shown] > 0).sum())
        name = "a smaller class" if merged_count == 1 else f"{merged_count} smaller classes"
        listed.append({"name": name, "count": rest, "area": "", "other": True})
    if none:
        listed.append({"name": "no class", "count": none, "area": "", "other": True})
    return {"labels": canvas.pack(codes, "u1"), "classes": listed}


def _pictures(data: Dataset, order: np.ndarray) -> dict[str, Any] | None:
    """Return pictures or curves of samples: those at both ends, and as many between, evenly, as the budget allows."""
    kind: dict[str, Any]
    if data.image_shape is not None:
        height, width = data.image_shape
        step = -(-max(height, width) // SIDE)
        places = np.arange(height * width).reshape(height, width)[::step, ::step]
        kind = {"rows": places.shape[0], "columns": places.shape[1]}
    elif data.axis is not None:
        along = np.argsort(data.axis.values, kind="stable")
        places = along[_evenly(len(along), POINTS)]
        values = data.axis.values[places]
        kind = {"points": len(places), "places": ((values - values[0]) / ((values[-1] - values[0]) or 1.0)).tolist()}
    else:
        return None
    m, count = len(order), max(2 * ENDS, BUDGET // places.size)
    ranks = np.unique(np.concatenate([np.arange(min(ENDS, m)), np.arange(max(m - ENDS, 0), m), _evenly(m, count)]))
    which = order[ranks]
    return {**kind, "which": canvas.pack(which, "i4"), "values": canvas.greys(data.rows(which)[:, places.ravel()])}


def _map(part: Component, data: Dataset, now: State, order: np.ndarray) -> dict[str, Any]:
    """Return how far each sample lies from the mean, feature by feature: rows features, columns samples by score.

    Each row is relative to its largest entry; where there are many samples, each column is the
    mean of several that are consecutive by score.
    """
    if data.axis is not None and data.n_features <= MAP_ALL:
        rows = np.argsort(data.axis.values, kind="stable")
    else:
        rows = np.array(wording.heaviest(part)[:ROWS], dtype=int)
        if data.axis is not None:
            rows = rows[np.argsort(data.axis.values[rows], kind="stable")]
    centred = data.columns(rows) - data.means[rows]
    if now.standardise:
        spread = data.deviations[rows]
        centred = centred / np.where(spread > 0, spread, 1.0)
    starts = np.linspace(0, len(order), min(len(order), COLUMNS) + 1).round().astype(int)
    cells = np.add.reduceat(centred[order], starts[:-1], axis=0) / np.diff(starts)[:, None]
    row_scale = np.abs(cells).max(axis=0, initial=0.0)
    level = np.round(127 * cells / np.where(row_scale > 0, row_scale, 1.0)) + 128
    return {
        "features": canvas.pack(rows, "i4"),
        "most": canvas.pack(row_scale, "f4"),
        "starts": canvas.pack(starts, "i4"),
        "cells": canvas.pack(level.T, "u1"),
    }


def _evenly(count: int, most: int) -> np.ndarray:
    """Return at most ``most`` evenly spaced indices below ``count``, both ends included."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))
