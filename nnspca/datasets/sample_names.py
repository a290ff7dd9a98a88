"""What the samples of a table are called: by a column that is another one in each row, found or chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnspca.datasets.tables import CLASS_NAMES, Column, Table
from nnspca.errors import DataError

LOOKED_AT = 2000  # columns, up to which each is looked at whether it may name the samples


def from_table(table: Table) -> tuple[str, ...]:
    """Return the names in the first column of text that has another one in each row; none where there is none."""
    return next((tuple(values) for column, values in table.texts if identifies(column, values)), ())


def candidates(table: Table) -> tuple[str, ...]:
    """Return the columns that may name the samples: texts, or whole numbers, of which none is there twice."""
    texts = [column.name for column, values in table.texts if column.name and identifies(column, values)]
    if not 1 < len(table.numeric) <= LOOKED_AT:
        return tuple(texts)
    numbers = [
        column.name
        for j, column in enumerate(table.numeric)
        if column.name and whole(table.numbers[:, j]) and len(np.unique(table.numbers[:, j])) == len(table.numbers)
    ]
    return (*texts, *numbers)


def taken(table: Table, name: str, notes: list[str]) -> tuple[tuple[str, ...], Table]:
    """Take the names from the column that was chosen; it is no feature and no class."""
    if name not in candidates(table):
        able = ", ".join(repr(column[:40]) for column in candidates(table)[:5]) or "none"
        raise DataError(
            f"column {name!r:.60} cannot name the samples: each needs a name of its own. These can: {able}."
        )
    notes.append(f"Column {name!r:.60} names the samples, as chosen.")
    for column, values in table.texts:
        if column.name == name:
            return tuple(values), replace(table, texts=[pair for pair in table.texts if pair[0] is not column])
    j = [column.name for column in table.numeric].index(name)
    return tuple(f"{value:.0f}" for value in table.numbers[:, j].tolist()), without(table, j)


def identifies(column: Column, values: list[str]) -> bool:
    """Tell whether texts are another one in each row."""
    return len(values) > 1 and len(set(values)) == len(values) and column.name.lower() not in CLASS_NAMES


def whole(values: np.ndarray) -> bool:
    """Tell whether all numbers are whole ones."""
    return bool(np.all(np.abs(values) < 2**31) and np.all(values == np.round(values)))


def without(table: Table, j: int) -> Table:
    """Return the table without one of its columns of numbers."""
    return replace(
        table,
        numbers=np.delete(table.numbers, j, axis=1),
        numeric=[c for i, c in enumerate(table.numeric) if i != j],
        places=[p for i, p in enumerate(table.places) if i != j],
    )
