"""Turns a table of numbers and texts into a data set: class column, row names, columns left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nnspca.datasets import missing
from nnspca.datasets.dataset import Content
from nnspca.datasets.tables import (
    CLASS_NAMES,
    MISSING,
    NAMELESS,
    OTHERWISE,
    POINT,
    Column,
    Table,
    encode_labels,
    is_number,
)
from nnspca.errors import DataError

FEW_KINDS = 20  # most distinct whole numbers in a column that may be meant as the class
LOOKED_AT = 2000  # most columns for which each is examined for that, and for names of the samples


class SeveralClasses(DataError):
    """Several columns hold text, and only one can be the class.

    Attributes
    ----------
    found : str
        What was found, without what a program can do about it.
    columns : tuple of str
        Their names.

    Examples
    --------
    >>> import nnspca
    >>> try:
    ...     nnspca.datasets.read(b"a,b,c,d\\n1,2,x,u\\n3,5,y,v\\n4,1,x,v\\n", "table.csv")
    ... except nnspca.datasets.SeveralClasses as error:
    ...     print(error.columns)
    ('c', 'd')
    """

    def __init__(self, found: str, columns: tuple[str, ...]):
        super().__init__(
            f"{found} Turn the others into numbers or remove them, or say which is the class: label='name'."
        )
        self.found, self.columns = found, columns

    def named(self, label: str) -> SeveralClasses:
        """Return the same error, with the name of the file in front."""
        return SeveralClasses(f"{label!r}: {self.found}", self.columns)


@dataclass(frozen=True)
class ReadingOptions:
    """How a table is read: where its samples are, its class, and its missing values."""

    samples: str = "rows"  # or "columns"
    label: str | None = None  # the column that is the class; "" for none, None to decide by looking
    missing: missing.Missing = "refuse"  # what becomes of missing values, as :func:`nnspca.datasets.read` has it
    names: str | None = None  # the column that names the samples; "" for none, None to decide by looking


def arrange(table: Table, options: ReadingOptions, *, named: bool = True, notes: Sequence[str] = ()) -> Content:
    """Turn a table into numbers, a class and names."""
    _refuse_missing(table, options)
    _refuse_other_notations(table)
    notes = list(notes)
    truths = [column for column in table.numeric if column.truth]
    if truths:
        notes.append(f"True and false are read as 1 and 0, in {len(truths)} column(s): {_listed(truths)}.")
    if options.samples == "columns":
        if options.label:
            raise DataError(f"with samples in columns no column is the class, and {options.label!r:.40} cannot be it.")
        return _features_in_rows(table, notes)
    table = _drop_counter(table, notes)
    able = _could_name(table)
    names = next((tuple(values) for column, values in table.texts if _identifies(column, values)), ())
    if options.names:
        names, table = _take_names(table, able, options.names, notes)
    candidates = _could_be_class(table)
    if options.label is None:
        labels, label_names, table = _take_class(table, notes)
    else:
        labels, label_names, table = _take(table, options.label, notes)
    return Content(
        X=table.numbers,
        feature_names=tuple(c.name or "column 1" for c in table.numeric) if named else (),
        labels=labels,
        label_names=label_names,
        notes=tuple(notes),
        class_columns=candidates,
        sample_names=() if options.names == "" else names,
        name_columns=able,
    )


def _refuse_missing(table: Table, options: ReadingOptions) -> None:
    gone = np.isnan(table.numbers)
    if options.missing == "refuse" and gone.any():
        row, j = np.unravel_index(np.argmax(gone), gone.shape)
        turned = options.samples == "columns"
        numbers, what = (table.numbers.T, "samples") if turned else (table.numbers, "rows")
        raise missing.counted(numbers, table.where(int(row), int(j)), what)


def _could_be_class(table: Table) -> tuple[str, ...]:
    """The columns that may be meant as the class: text that repeats, and few distinct whole numbers."""
    columns = [c.name for c, values in table.texts if c.name and not (_identifies(c, values) or _alike(values))]
    looked = table.numeric if 1 < len(table.numeric) <= LOOKED_AT else []
    for j, column in enumerate(looked):
        values = table.numbers[:, j]
        if _whole(values[:1000]) and _whole(values):
            kinds = len(np.unique(values))
            if 1 < kinds <= FEW_KINDS and kinds < len(values):
                columns.append(column.name)
    return tuple(dict.fromkeys(columns))


def _take(table: Table, label: str, notes: list[str]) -> tuple[np.ndarray | None, tuple[str, ...], Table]:
    """Use the column of that name as the class, or none; other columns of text are left out."""
    others = [column for column, _ in table.texts if column.name != label]
    if others:
        notes.append(f"{len(others)} column(s) of text left out: {_listed(others)}.")
    bare = replace(table, texts=[])
    if not label:
        return None, (), bare
    for column, values in table.texts:
        if column.name == label:
            notes.append(f"{column.called} is the class, as chosen.")
            return *encode_labels(values, column.levels), bare
    names = [column.name for column in table.numeric]
    if label not in names:
        known = _listed([*(column for column, _ in table.texts), *table.numeric])
        raise DataError(f"no column is called {label!r:.60}; there are: {known}. Choose one of these as the class.")
    j = names.index(label)
    if len(names) == 1 or not _whole(table.numbers[:, j]):
        raise DataError(f"column {label!r:.60} cannot be the class: it needs texts or whole numbers beside a feature.")
    notes.append(f"{table.numeric[j].called} is the class, as chosen.")
    return _take_numbers(bare, j)


def _take_numbers(table: Table, j: int) -> tuple[np.ndarray, tuple[str, ...], Table]:
    """Separate a column of whole numbers, as the class."""
    levels, labels = np.unique(table.numbers[:, j].astype(np.int64), return_inverse=True)
    return labels, tuple(map(str, levels)), _without(table, j)


def _features_in_rows(table: Table, notes: list[str]) -> Content:
    if len(table.texts) > 1:
        raise DataError(
            f"{len(table.texts)} columns hold text ({_listed([column for column, _ in table.texts])}); with samples in "
            "columns only one may, the names of the features. Remove the others."
        )
    features = tuple(table.texts[0][1]) if table.texts else ()
    table = table if table.texts else _drop_counter(table, notes)
    samples = tuple(column.name for column in table.numeric)
    return Content(
        X=table.numbers.T,
        feature_names=features,
        notes=tuple(notes),
        sample_names=samples if all(samples) else (),
    )


def _refuse_other_notations(table: Table) -> None:
    """Raise DataError for a column of numbers in a notation that was read as text."""
    for column, values in table.texts:
        given = [value for value in values if value.lower() not in MISSING]
        odd = [value for value in given if not is_number(value)]
        if not column.levels and odd and all(is_number(v) or OTHERWISE.fullmatch(v) for v in given):
            raise DataError(
                f"column {column.name!r:.60} holds {odd[0]!r:.40}, which is a number in another notation. {POINT}"
            )


def _drop_counter(table: Table, notes: list[str]) -> Table:
    """Leave out a nameless first column of row numbers, as data frames write it."""
    if len(table.numeric) < 2 or table.numeric[0].name not in NAMELESS:
        return table
    numbers, first = table.numbers[:, 0], table.numeric[0]
    if len(set(numbers.tolist())) < len(numbers) or not _whole(numbers):
        if first.rows:
            _refuse_short_header(len(table.numeric) + len(table.texts))
        return table
    counts = any(np.array_equal(numbers, np.arange(start, start + len(numbers))) for start in (0, 1))
    if first.rows:
        notes.append("The header has one name fewer than there are columns: the first is the names of the rows.")
    elif counts:
        notes.append("The first column has no name and counts the rows: left out.")
    else:
        notes.append("The first column has no name and a whole number of its own in each row: left out.")
    return _without(table, 0)


def _refuse_short_header(width: int) -> None:
    raise DataError(
        f"the header names {width - 1:,} columns where the rows have {width:,} cells, and the first column does not "
        "name the rows: it holds neither a text nor a whole number of its own in each. Name every column."
    )


def _take_class(table: Table, notes: list[str]) -> tuple[np.ndarray | None, tuple[str, ...], Table]:
    """Separate the class: the one column of text, else whole numbers under a class's name."""
    classes, named = [], False
    for column, values in table.texts:
        if _identifies(column, values):
            _refuse_another_order(values, table)
            taken = "left out" if named else "taken as the names of the rows"
            notes.append(f"{column.called} has a different text in each row: {taken}.")
            named = True
        elif _alike(values):
            notes.append(f"{column.called} has one text in all rows: left out.")
        elif column.rows:
            _refuse_short_header(len(table.numeric) + len(table.texts))
        else:
            classes.append((column, values))
    if len(classes) > 1:
        texts = _listed([column for column, _ in classes])
        raise SeveralClasses(
            f"{len(classes)} columns hold text ({texts}); only one may, the class.",
            tuple(column.name for column, _ in classes),
        )
    for column, values in classes:
        notes.append(f"{column.called} holds text: read as the class.")
        return *encode_labels(values, column.levels), table
    for j, column in enumerate(table.numeric):
        if column.name.lower() in CLASS_NAMES and len(table.numeric) > 1 and _whole(table.numbers[:, j]):
            notes.append(f"Column {column.name!r} holds whole numbers: read as the class.")
            return _take_numbers(replace(table, texts=[]), j)
    return None, (), table


def _refuse_another_order(rows: list[str], table: Table) -> None:
    """Raise DataError for a square table whose rows are named like its columns, in another order."""
    columns = [column.name for column in table.numeric]
    if rows != columns and sorted(rows) == sorted(columns):
        i = next(i for i, (row, column) in enumerate(zip(rows, columns, strict=True)) if row != column)
        raise DataError(
            f"the rows are named like the columns, but in another order: row {i + 1} is {rows[i]!r:.40} where column "
            f"{i + 1} is {columns[i]!r:.40}. Order rows and columns alike."
        )


def _listed(columns: list[Column]) -> str:
    names = [repr(column.name[:40]) for column in columns]
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def _could_name(table: Table) -> tuple[str, ...]:
    """The columns that may name the samples: texts, or whole numbers, of which none is there twice."""
    texts = [column.name for column, values in table.texts if column.name and _identifies(column, values)]
    if not 1 < len(table.numeric) <= LOOKED_AT:
        return tuple(texts)
    numbers = [
        column.name
        for j, column in enumerate(table.numeric)
        if column.name and _whole(table.numbers[:, j]) and len(np.unique(table.numbers[:, j])) == len(table.numbers)
    ]
    return (*texts, *numbers)


def _take_names(table: Table, able: tuple[str, ...], name: str, notes: list[str]) -> tuple[tuple[str, ...], Table]:
    """Take the names from the column that was chosen; it is no feature and no class."""
    if name not in able:
        these = ", ".join(repr(column[:40]) for column in able[:5]) or "none"
        raise DataError(
            f"column {name!r:.60} cannot name the samples: each needs a name of its own. These can: {these}."
        )
    notes.append(f"Column {name!r:.60} names the samples, as chosen.")
    for column, values in table.texts:
        if column.name == name:
            return tuple(values), replace(table, texts=[pair for pair in table.texts if pair[0] is not column])
    j = [column.name for column in table.numeric].index(name)
    return tuple(f"{value:.0f}" for value in table.numbers[:, j].tolist()), _without(table, j)


def _identifies(column: Column, values: list[str]) -> bool:
    """Whether texts are another one in each row."""
    return len(values) > 1 and len(set(values)) == len(values) and column.name.lower() not in CLASS_NAMES


def _alike(values: list[str]) -> bool:
    """Whether all rows have one text, which tells nothing apart."""
    return len(values) > 1 and len(set(values)) == 1


def _whole(values: np.ndarray) -> bool:
    return bool(np.all(np.abs(values) < 2**31) and np.all(values == np.round(values)))


def _without(table: Table, j: int) -> Table:
    return replace(
        table,
        numbers=np.delete(table.numbers, j, axis=1),
        numeric=[c for i, c in enumerate(table.numeric) if i != j],
        places=[p for i, p in enumerate(table.places) if i != j],
    )
