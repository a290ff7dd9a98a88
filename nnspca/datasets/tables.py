"""Turns rows of text cells into columns of numbers and of texts, for every format of text cells."""

from __future__ import annotations

import itertools
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nnspca.datasets import limits, progress
from nnspca.errors import DataError
from nnspca.numerics.doubles import EXACT, check_whole_numbers

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
ROWS, CELLS = 500, 100_000  # most that are converted together
READING = "Reading the rows"


@dataclass(frozen=True)
class Column:
    """A column of a table: numbers, truth values (1 and 0), or text with (if the format declares them) its values.

    ``rows`` is set for a first column that the header, one cell short, has no name for: it can only
    name the rows.
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


def encode_labels(values: Sequence[str], levels: Sequence[str] = ()) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the classes: declared ones first, then in order of appearance; -1 for a missing one.

    >>> encode_labels(["ALL", "AML", "ALL", "?"])
    (array([ 0,  1,  0, -1]), ('ALL', 'AML'))
    """
    names = tuple(dict.fromkeys([*levels, *(v for v in values if v.lower() not in MISSING)]))
    index = {name: i for i, name in enumerate(names)}
    return np.array([index.get(v, -1) for v in values], dtype=np.int64), names


def is_number(cell: str) -> bool:
    """Return whether a cell is a number as tables write them: ``1_000`` is not.

    >>> is_number(" -1.5e3"), is_number("1_000"), is_number("1,5")
    (True, False, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


@dataclass(frozen=True, eq=False)
class Table:
    """The columns split into numbers (m, p), NaN for missing ones, and texts.

    ``lines`` are the line numbers of the rows, ``places`` the columns of the numbers in the file.
    """

    numbers: np.ndarray
    numeric: list[Column]
    texts: list[tuple[Column, list[str]]]
    lines: Sequence[int] = ()
    places: Sequence[int] = ()
    unit: str = "line"

    def where(self, row: int, j: int) -> str:
        """Return the position of a number in the file."""
        line = self.lines[row] if len(self.lines) else row + 1
        place = self.places[j] if len(self.places) else j
        return f"{self.unit} {line:,}, {_where(place, self.numeric[j].name)}"


def convert(rows: Iterator[Row], columns: Sequence[Column], expected: float = 0.0) -> Table:
    """Turn rows of cells into numbers and texts by ``columns``; about ``expected`` rows will come."""
    numeric = [j for j, c in enumerate(columns) if not c.text]
    textual = [j for j, c in enumerate(columns) if c.text]
    texts: list[list[str]] = [[] for _ in textual]
    if not numeric:
        _, first = next(rows, (0, [""]))
        check_numeric(0, len(columns), first[0].strip() if first else "")
    values, lines = array("d"), array("q")
    known: dict[str, str] = {}  # one object for each text: classes repeat in many rows
    while some := list(itertools.islice(rows, max(1, min(ROWS, CELLS // len(columns))))):
        progress.report_or_stop(len(lines), expected, READING)
        places, cells = zip(*some, strict=True)
        if set(map(len, cells)) != {len(columns)}:
            line, count = next((line, len(row)) for line, row in some if len(row) != len(columns))
            raise DataError(
                f"line {line:,} has {count:,} cells where {len(columns):,} are expected. "
                "Give every row the same number of cells, with the same delimiter."
            )
        limits.check_entries(len(lines) + len(some), len(columns))
        limits.check_texts(len(lines) + len(some), len(textual))
        for words, j in zip(texts, textual, strict=True):
            words.extend(known.setdefault(word, word) for word in (row[j].strip() for row in cells))
        numbers = _numbers(cells, columns, numeric)
        if numbers is None:
            for line, row in some:
                _append(values, row, columns, numeric, line)
        else:
            values.frombytes(numbers.tobytes())
        lines.extend(places)
    table = np.frombuffer(values, dtype=np.float64).reshape(len(lines), len(numeric))
    named_texts = [(columns[j], words) for j, words in zip(textual, texts, strict=True)]
    return Table(table, [columns[j] for j in numeric], named_texts, lines, numeric)


def check_numeric(numeric: int, columns: int, seen: str = "") -> None:
    """Refuse a table without a column of numbers, in whose first cell this was ``seen``."""
    if not numeric:
        example = f" (the first cell holds {seen!r:.60})" if seen else ""
        raise DataError(
            f"no column of numbers among the {columns:,} found{example}: is the delimiter a comma, semicolon or tab, "
            "are decimals written with a point, and are numbers without their units?"
        )


def _numbers(rows: Sequence[list[str]], columns: Sequence[Column], numeric: list[int]) -> np.ndarray | None:
    """The numbers of rows one after the other, NaN for missing ones; None if any needs a closer look."""
    if len(numeric) == len(columns):
        cells = list(itertools.chain.from_iterable(rows))
    else:
        cells = [row[j] for row in rows for j in numeric]
    for place, j in enumerate(numeric):
        if columns[j].truth:
            truths = cells[place :: len(numeric)]
            cells[place :: len(numeric)] = [str(TRUTHS.get(cell.strip().lower(), cell)) for cell in truths]
    return _plain(cells)


def _plain(cells: list[str]) -> np.ndarray | None:
    """The numbers of all cells, NaN for missing ones; None if any is no number, or may be rounded."""
    if "_" in "".join(cells):
        return None
    try:
        numbers = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        missing = {cell for cell in set(cells) if cell.strip().lower() in MISSING}
        try:
            texts = ("nan" if cell in missing else cell for cell in cells)
            numbers = np.fromiter(map(float, texts), np.float64, len(cells))
        except ValueError:
            return None
    far = np.isfinite(numbers) & (np.abs(numbers) >= EXACT)
    return None if any(WHOLE.fullmatch(cells[i].strip()) for i in np.flatnonzero(far)) else numbers


def _append(values: array[float], cells: list[str], columns: Sequence[Column], numeric: list[int], line: int) -> None:
    """Add the cells of one row as floats, NaN for missing ones."""
    for j in numeric:
        cell = cells[j].strip()
        if cell.lower() in MISSING:
            values.append(np.nan)
        elif is_number(cell):
            values.append(float(cell))
            if abs(values[-1]) >= EXACT and WHOLE.fullmatch(cell):
                _check_whole(cell, values[-1], f"line {line:,}, {_where(j, columns[j].name)}")
        elif columns[j].truth and cell.lower() in TRUTHS:
            values.append(TRUTHS[cell.lower()])
        else:
            hint = f" {POINT}" if OTHERWISE.fullmatch(cell) else ""
            raise DataError(f"line {line:,}, {_where(j, columns[j].name)}: {cell[:40]!r} is not a number.{hint}")


def _check_whole(cell: str, number: float, where: str) -> None:
    if not np.isfinite(number):
        return  # refused with all that are not
    try:
        check_whole_numbers([int(cell)], [number])
    except DataError as error:
        raise DataError(f"{where}: {error}") from None


def _where(place: int, name: str) -> str:
    return f"column {place + 1}" if name in ("", f"column {place + 1}") else f"column {place + 1} ({name[:60]!r})"
