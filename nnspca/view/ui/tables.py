"""Components as tables to download: loadings long and wide, lists of features, scores of the samples."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.studies.table import safe_cell
from nnspca.view import sanitize
from nnspca.view.link.state import State
from nnspca.view.ui import downloads

ComponentsBySolver = Mapping[str, np.ndarray]  # by solver: components as columns, shape (n, r)


def loadings_long(components: ComponentsBySolver, data: Dataset) -> bytes:
    """Return one row for each loading that is not zero, for each component by decreasing |loading|, as CSV."""
    return downloads.table_csv(
        {"solver": solver, "part": part, "feature": str(data.feature_names[i]), "loading": float(column[i])}
        for solver, part, column in _columns(components)
        for i in _by_magnitude(column)
    )


def loadings_wide(components: ComponentsBySolver, data: Dataset) -> bytes:
    """Return one row for each feature and one column for each component, as CSV."""
    columns = [(f"{solver} part {part}", column) for solver, part, column in _columns(components)]
    return downloads.table_csv(
        {"feature": str(name), **{title: float(column[i]) for title, column in columns}}
        for i, name in enumerate(data.feature_names)
    )


def feature_lists(components: ComponentsBySolver, data: Dataset) -> bytes:
    """Return one line for each component as GMT: its name, what it is, its features by decreasing |loading|.

    Features with negative loadings are listed on a separate line. A name that a spreadsheet would
    evaluate as a formula is prefixed with an apostrophe.
    """
    lines = []
    for solver, part, column in _columns(components):
        signs = [("", column > 0), ("_negative", column < 0)]
        for ending, chosen in signs:
            names = [sanitize.line(str(data.feature_names[i])) for i in _by_magnitude(column) if chosen[i]]
            if names:
                about = f"{sanitize.line(data.title or data.name)}, {solver}, part {part}, {len(names)} features"
                lines.append("\t".join(map(str, map(safe_cell, [f"{solver}_part_{part}{ending}", about, *names]))))
    return "".join(f"{line}\n" for line in lines).encode()


def scores(components: ComponentsBySolver, data: Dataset, now: State) -> bytes:
    """Return one row for each sample and one column for each component: the sample's score on it, as CSV."""
    columns = [(f"{solver} part {part}", column) for solver, part, column in _columns(components)]
    values = nnspca.scores(data.X, np.column_stack([x for _, x in columns]), mean="own", standardize=now.standardise)
    labels = data.labels
    return downloads.table_csv(
        {
            "sample": i + 1,
            **({"name": data.sample_names[i]} if data.sample_names else {}),
            **({} if labels is None else {"label": data.label_names[labels[i]] if labels[i] >= 0 else ""}),
            **{title: float(value) for (title, _), value in zip(columns, row, strict=True)},
        }
        for i, row in enumerate(values)
    )


def _columns(components: ComponentsBySolver) -> list[tuple[str, int, np.ndarray]]:
    """Return every component with its solver and its number."""
    return [(solver, part + 1, column) for solver, U in components.items() for part, column in enumerate(U.T)]


def _by_magnitude(column: np.ndarray) -> list[int]:
    order = np.argsort(-np.abs(column), kind="stable")
    return [int(i) for i in order if column[i]]
