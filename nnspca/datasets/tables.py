"""Rows of text cells to numbers, a class and names: what every table format shares."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nnspca.datasets import limits
from nnspca.datasets.dataset import Content
from nnspca.doubles import EXACT, check_whole_numbers
from nnspca.errors import DataError

MISSING = frozenset({"", "?", "-", "na", "n/a", "nan", "null", "none"}) | {
    *("#n/a", "#div/0!", "#name?", "#null!", "#num!", "#ref!", "#value!"),  # what spreadsheets write for no value
}
TRUTHS = {"true": 1.0, "false": 0.0}
CLASS_NAMES = frozenset({"class", "label", "labels", "target"})
NAMELESS = ("", "Unnamed: 0")  # of the first column, as data frames write it once and twice
WHOLE = re.compile(r"[+-]?\d+")
SIGNED = r"[+\-−]?"
# numbers as other conventions write them: 1,5 · 1.234,5 · 1,000 · 1D3 · 5 % · $5 · −5 · (5) · '5
OTHERWISE = re.compile(
    rf"['(]?[$€£¥]?\s?{SIGNED}(\d+(,\d+)?|\d{{1,3}}([.,'\u2019\s]\d{{3}})+([.,]\d+)?|(\d+\.?\d*|\.\d+)([eEdD][+\-−]?\d+)?)\s?[%$€£¥]?\)?"
)
POINT = "Write decimals with a point, and leave out separators of thousands, currencies and per cent."

Row = tuple[int, list[str]]  # line number in the file, counted from 1, and its cells


@dataclass(frozen=True)
class Column:
    """A column of a table: numbers, truths (1 and 0), or text with (where the format declares them) its values.

    ``rows`` is set for a first column that the header, one cell short, has no name for: it can only name the rows.
    """

    name: str
    text: bool = False
    levels: tuple[str, ...] = ()
    truth: bool = False
    rows: bool = False

    @property
    def called(self) -> str:
        """How a sentence begins that is about this column."""
        return f"Column {self.name!r}" if self.name else "The first column, which has no name,"


def assemble(
    rows: Iterable[Row],
    columns: Sequence[Column],
    *,
    samples: str = "rows",
    named: bool = True,
    notes: Sequence[str] = (),
) -> Content:
    """Turn rows of cells into numbers, a class and names, as ``columns`` describes them."""
    table = _convert(rows, columns)
    _refuse_other_notations(table)
    notes = list(notes)
    truths = [column for column in columns if column.truth]
    if truths:
        notes.append(f"True and false are read as 1 and 0, in {len(truths)} column(s): {_listed(truths)}.")
    if samples == "columns":
        return _features_in_rows(table, notes)
    table = _drop_counter(table, notes)
    labels, label_names, table = _take_class(table, notes)
    return Content(
        X=table.numbers,
        feature_names=tuple(c.name or "column 1" for c in table.numeric) if named else (),
        labels=labels,
        label_names=label_names,
        notes=tuple(notes),
    )


def encode_labels(values: Sequence[str], levels: Sequence[str] = ()) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the classes: those declared first, then in the order they appear; -1 for a missing one.

    Examples
    --------
    >>> encode_labels(["ALL", "AML", "ALL", "?"])
    (array([ 0,  1,  0, -1]), ('ALL', 'AML'))
    """
    names = tuple(dict.fromkeys([*levels, *(v for v in values if v.lower() not in MISSING)]))
    index = {name: i for i, name in enumerate(names)}
    return np.array([index.get(v, -1) for v in values], dtype=np.int64), names


def is_number(cell: str) -> bool:
    """Return whether the cell is a number, the way tables write them: ``1_000`` is not.

    Examples
    --------
    >>> is_number(" -1.5e3"), is_number("1_000"), is_number("1,5")
    (True, False, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


@dataclass(frozen=True, eq=False)
class _Table:
    """The columns parted into numbers (m, p) and texts."""

    numbers: np.ndarray
    numeric: list[Column]
    texts: list[tuple[Column, list[str]]]


def _convert(rows: Iterable[Row], columns: Sequence[Column]) -> _Table:
    numeric = [j for j, c in enumerate(columns) if not c.text]
    textual = [j for j, c in enumerate(columns) if c.text]
    texts: list[list[str]] = [[] for _ in textual]
    if not numeric:
        raise DataError(
            f"no column of numbers among the {len(columns):,} found: is the delimiter a comma, semicolon or tab, and "
            "are decimals written with a point?"
        )
    values, lines = array("d"), array("q")
    for line, cells in rows:
        if len(cells) != len(columns):
            raise DataError(
                f"line {line:,} has {len(cells):,} cells where {len(columns):,} are expected. "
                "Give every row the same number of cells, with the same delimiter."
            )
        for words, j in zip(texts, textual, strict=True):
            words.append(cells[j].strip())
        limits.check_entries(len(lines) + 1, len(columns))
        _append(values, [cells[j] for j in numeric] if textual else cells, columns, numeric, line)
        lines.append(line)
    numbers = np.frombuffer(values, dtype=np.float64).reshape(len(lines), len(numeric))
    _refuse_missing(numbers, columns, numeric, lines)
    return _Table(
        numbers,
        [columns[j] for j in numeric],
        [(columns[j], words) for j, words in zip(textual, texts, strict=True)],
    )


def _append(values: array[float], cells: list[str], columns: Sequence[Column], numeric: list[int], line: int) -> None:
    """Add the cells of one row as floats, NaN where one is missing."""
    try:
        made = list(map(float, cells))
        plain = "_" not in "".join(cells) and max(made) < EXACT and min(made) > -EXACT
    except ValueError:
        plain = False
    if plain:
        values.extend(made)
        return
    for j, cell in zip(numeric, map(str.strip, cells), strict=True):
        if cell.lower() in MISSING:
            values.append(np.nan)
        elif is_number(cell):
            values.append(float(cell))
            if abs(values[-1]) >= EXACT and WHOLE.fullmatch(cell):
                _check_whole(cell, values[-1], f"line {line:,}, {_where(columns, j)}")
        elif columns[j].truth and cell.lower() in TRUTHS:
            values.append(TRUTHS[cell.lower()])
        else:
            hint = f" {POINT}" if OTHERWISE.fullmatch(cell) else ""
            raise DataError(f"line {line:,}, {_where(columns, j)}: {cell[:40]!r} is not a number.{hint}")


def _check_whole(cell: str, made: float, where: str) -> None:
    if not np.isfinite(made):
        return  # refused with all that are not
    try:
        check_whole_numbers([int(cell)], [made])
    except DataError as error:
        raise DataError(f"{where}: {error}") from None


def _refuse_missing(numbers: np.ndarray, columns: Sequence[Column], numeric: list[int], lines: Sequence[int]) -> None:
    missing = np.isnan(numbers)
    count = np.count_nonzero(missing)
    if count:
        row, j = np.unravel_index(np.argmax(missing), missing.shape)
        raise DataError(
            f"{count:,} {'value is' if count == 1 else 'values are'} missing in "
            f"{np.count_nonzero(missing.any(axis=1)):,} of {len(numbers):,} rows "
            f"(first at line {lines[int(row)]:,}, {_where(columns, numeric[j])}). "
            "Fill them in or remove those rows or columns."
        )


def _where(columns: Sequence[Column], j: int) -> str:
    name = columns[j].name
    return f"column {j + 1}" if name in ("", f"column {j + 1}") else f"column {j + 1} ({name[:60]!r})"


def _features_in_rows(table: _Table, notes: list[str]) -> Content:
    if len(table.texts) > 1:
        raise DataError(
            f"{len(table.texts)} columns hold text ({_listed([column for column, _ in table.texts])}); with samples in "
            "columns only one may, the names of the features. Remove the others."
        )
    if not table.texts:
        return Content(X=_drop_counter(table, notes).numbers.T, notes=tuple(notes))
    return Content(X=table.numbers.T, feature_names=tuple(table.texts[0][1]), notes=tuple(notes))


def _refuse_other_notations(table: _Table) -> None:
    """Raise DataError for a column of numbers written so that they were taken for text."""
    for column, values in table.texts:
        given = [value for value in values if value.lower() not in MISSING]
        odd = [value for value in given if not is_number(value)]
        if not column.levels and odd and all(is_number(v) or OTHERWISE.fullmatch(v) for v in given):
            raise DataError(
                f"column {column.name!r:.60} holds {odd[0]!r:.40}, which is a number in another notation. {POINT}"
            )


def _drop_counter(table: _Table, notes: list[str]) -> _Table:
    """Leave out a first column without a name that numbers the rows, as data frames write it."""
    if len(table.numeric) < 2 or table.numeric[0].name not in NAMELESS:
        return table
    numbers, first = table.numbers[:, 0], table.numeric[0]
    if len(set(numbers.tolist())) < len(numbers) or not _whole(numbers):
        if first.rows:
            _refuse_short_header(len(table.numeric) + len(table.texts))
        return table
    counts = any(np.array_equal(numbers, np.arange(start, start + len(numbers))) for start in (0, 1))
    if first.rows:
        notes.append("The header has one name fewer than there are columns: the first is the names of the samples.")
    elif counts:
        notes.append("The first column has no name and counts the rows: left out.")
    else:
        notes.append("The first column has no name and a whole number of its own in each row: left out.")
    return _Table(table.numbers[:, 1:], table.numeric[1:], table.texts)


def _refuse_short_header(width: int) -> None:
    raise DataError(
        f"the header names {width - 1:,} columns where the rows have {width:,} cells, and the first column does not "
        "name the rows: it holds neither a text nor a whole number of its own in each. Name every column."
    )


def _take_class(table: _Table, notes: list[str]) -> tuple[np.ndarray | None, tuple[str, ...], _Table]:
    """Part the class from the features: the one column of text, else whole numbers under a class's name."""
    classes, named = [], False
    for column, values in table.texts:
        if _identifies(column, values):
            _refuse_another_order(values, table)
            taken = "left out" if named else "taken as the names of the samples"
            notes.append(f"{column.called} has another text in each row: {taken}.")
            named = True
        elif column.rows:
            _refuse_short_header(len(table.numeric) + len(table.texts))
        else:
            classes.append((column, values))
    if len(classes) > 1:
        raise DataError(
            f"{len(classes)} columns hold text ({_listed([column for column, _ in classes])}); only one may, the "
            "class. Turn the others into numbers or remove them."
        )
    for column, values in classes:
        notes.append(f"{column.called} holds text: read as the class.")
        return *encode_labels(values, column.levels), table
    for j, column in enumerate(table.numeric):
        if column.name.lower() in CLASS_NAMES and len(table.numeric) > 1 and _whole(table.numbers[:, j]):
            notes.append(f"Column {column.name!r} holds whole numbers: read as the class.")
            levels, labels = np.unique(table.numbers[:, j].astype(np.int64), return_inverse=True)
            rest = _Table(np.delete(table.numbers, j, axis=1), [c for c in table.numeric if c is not column], [])
            return labels, tuple(map(str, levels)), rest
    return None, (), table


def _refuse_another_order(rows: list[str], table: _Table) -> None:
    """Raise DataError for a square table whose rows are named like its columns, in another order."""
    columns = [column.name for column in table.numeric]
    if rows != columns and sorted(rows) == sorted(columns):
        i = next(i for i, (row, column) in enumerate(zip(rows, columns, strict=True)) if row != column)
        raise DataError(
            f"the rows are named like the columns, but in another order: row {i + 1} is {rows[i]!r:.40} where column "
            f"{i + 1} is {columns[i]!r:.40}. Order rows and columns alike."
        )


def _whole(values: np.ndarray) -> bool:
    return bool(np.all(np.abs(values) < 2**31) and np.all(values == np.round(values)))


def _identifies(column: Column, values: list[str]) -> bool:
    return len(values) > 1 and len(set(values)) == len(values) and column.name.lower() not in CLASS_NAMES


def _listed(columns: list[Column]) -> str:
    names = [repr(column.name[:40]) for column in columns]
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
