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

Sets = Mapping[str, np.ndarray]  # by solver: components as columns, shape (n, r)


def loadings_long(sets: Sets, data: Dataset) -> bytes:
    """Return one row for each loading that is not zero, the heaviest of each component first, as CSV."""
    return downloads.table_csv(
        {"solver": solver, "part": part, "feature": str(data.feature_names[i]), "loading": float(column[i])}
        for solver, part, column in _columns(sets)
        for i in _heaviest(column)
    )


def loadings_wide(sets: Sets, data: Dataset) -> bytes:
    """Return one row for each feature and one column for each component, as CSV."""
    columns = [(f"{solver} part {part}", column) for solver, part, column in _columns(sets)]
    return downloads.table_csv(
        {"feature": str(name), **{title: float(column[i]) for title, column in columns}}
        for i, name in enumerate(data.feature_names)
    )


def feature_lists(sets: Sets, data: Dataset) -> bytes:
    """Return one line for each component as GMT: its name, what it is, its features, the heaviest first.

    Features of negative loadings make a line of their own. A name that a spreadsheet would run gets
    an apostrophe.
    """
    lines = []
    for solver, part, column in _columns(sets):
        signs = [("", column > 0), ("_negative", column < 0)]
        for ending, chosen in signs:
            names = [sanitize.line(str(data.feature_names[i])) for i in _heaviest(column) if chosen[i]]
            if names:
                about = f"{sanitize.line(data.title or data.name)}, {solver}, part {part}, {len(names)} features"
                lines.append("\t".join(map(str, map(safe_cell, [f"{solver}_part_{part}{ending}", about, *names]))))
    return "".join(f"{line}\n" for line in lines).encode()


def scores(sets: Sets, data: Dataset, now: State) -> bytes:
    """Return one row for each sample and one column for each component: how much of it the sample has, as CSV."""
    columns = [(f"{solver} part {part}", column) for solver, part, column in _columns(sets)]
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


def _columns(sets: Sets) -> list[tuple[str, int, np.ndarray]]:
    """Return every component with its solver and its number."""
    return [(solver, part + 1, column) for solver, U in sets.items() for part, column in enumerate(U.T)]


def _heaviest(column: np.ndarray) -> list[int]:
    order = np.argsort(-np.abs(column), kind="stable")
    return [int(i) for i in order if column[i]]
