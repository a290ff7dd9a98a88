"""Turns a table of cells into columns of numbers and columns of text, each distinct cell read once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from typing import Any

import numpy as np

from nnspca.datasets.cells import ABSENT, CLASS_NAMES, LIMIT, TRUTHS, decimal_sign, is_number, nothing, number, text_of
from nnspca.datasets.columns import Table, Texts
from nnspca.datasets.layout import Grid
from nnspca.datasets.notes import WORDS, Choice, Note, decision
from nnspca.datasets.options import Reading
from nnspca.errors import DataError, needed
from nnspca.numerics.doubles import EXACT, as_doubles

MANY = 5000  # distinct cells of which only some are read to tell words from numbers
BESIDE_NUMBER = re.compile(r"(\S+)\s+([^\W\d]\S{0,7}|°\S)")  # 12 kg, or 12.3 b
BESIDE_CODE = re.compile(r"(\d{1,2})\s*[-–:.)=]\s*[^\W\d_].*|[^\W\d_].*\((\d{1,2})\)")  # 1 = never, or never (1)
UNIT = re.compile(
    r"([kcmµunhMG]?(g|m|l|L|s|V|W|J|Pa|Hz|N|mol|eV|B|bp|Wh|cal|bar)|mA|t|h|hrs?|min|days?|weeks?|months?|years?|yrs?|"
    r"pp[mb]|dB|lbs?|oz|ft|in|mi|mph|IU|rpm|ha|mmHg|°[CF])[23²³]?(/[a-zA-Zµ]{1,4}[23²³]?)?"
)
WHOLE = re.compile(r"[+\-−]?\d+")


def parse(grid: Grid, reading: Reading) -> Table:
    """Each column as numbers, truth values or text; those that were chosen to be left out lie beside."""
    frame = grid.frame.dropna(how="all")
    notes: list[Note] = []
    if gone := len(grid.frame) - len(frame):
        notes.append(decision(f"{counted(gone, 'row')} without any value left out."))
    texts: list[Texts] = []
    kinds: dict[int, str] = {}
    said: dict[str, list[str]] = {"truths": [], "written": [], "chosen": [], "limits": []}
    words_in = np.zeros(len(frame), int)  # of each row, among columns of numbers
    dtypes = ["O" if hasattr(one, "categories") else getattr(one, "kind", "O") for one in frame.dtypes.tolist()]
    numeric = [j for j, kind in enumerate(dtypes) if kind in "iuf"]
    block = frame[numeric].to_numpy(dtype=np.float64, na_value=np.nan)
    columns = dict(zip(numeric, block.T, strict=True))
    chosen_out = [j for j, name in enumerate(grid.names) if reading.columns.get(name) == "left out"]
    for j, name in enumerate(grid.names):
        role = reading.columns.get(name)
        marked = grid.roles.get(name) in ("class", "meta") or (dtypes[j] == "b" and name.lower() in CLASS_NAMES)
        marked = role != "feature" and (marked or (role in ("name", "class") and not name))
        if j in columns and not marked:
            if dtypes[j] in "iu" and (np.abs(columns[j]) >= EXACT).any() and not _exact(frame[j].dropna()):
                notes.append(_too_long(name))
                texts.append(Texts(name, list(map(str, frame[j].tolist())), place=j))
                del columns[j]
            continue
        try:
            column = _Column(name, frame[j], reading, grid.decimal)
        except DataError:
            if role != "left out":
                raise
            texts.append(Texts(name, [""] * len(frame), place=j))
            continue
        if all(column.absent) and role in (None, "feature"):
            columns[j] = np.full(len(frame), np.nan)
        elif role != "feature" and (marked or column.is_too_long or (column.is_text and not column.is_truth)):
            if column.is_too_long and not marked:
                notes.append(_too_long(name))
            texts.append(Texts(name, column.texts(), column.levels, place=j))
            columns.pop(j, None)
        else:
            columns[j] = column.numbers
            if column.is_truth:
                kinds[j] = "yes or no"
                said["truths"] += [name] * (role != "left out")
            elif role != "left out":
                notes += column.said
                said["written"] += [name] * (not column.percents and not column.beside and column.decorated)
                said["limits"] += [name] * bool(column.beyond)
                words_in += np.array([*column.words, False])[column.codes]
    order = sorted(columns)
    whole = len(order) == block.shape[1] == len(numeric) and not texts
    numbers = block if whole and order == numeric else np.column_stack([columns[j] for j in order] or [block[:, :0]])
    table = Table(tuple(grid.names), numbers, np.array(order, int), tuple(texts), kinds=kinds)
    table = replace(table, notes=(*grid.notes, *notes), doubts=grid.doubts)
    out = set(chosen_out)
    table = table.without([i for i, j in enumerate(order) if j in out])
    table = table.without([text for text in table.texts if text.place in out])
    if (beyond := said.pop("limits")) and reading.limits is None:
        says = f"Values beyond a limit, such as <0.3, are read as missing in {quoted(beyond)}."
        ways = {"missing": "missing", "half the limit": "half", "the limit": "limit"}
        table = table.asking("limits", says, *(Choice(way, {"limits": to}) for way, to in ways.items()), about=beyond)
    table = _asked_rows(table, words_in, reading)
    said["chosen"] = [grid.names[j] for j in chosen_out]
    for key, text in WORDS["columns"].items():
        if names := said[key]:
            table = table.saying(f"{text} {quoted(names)}.", "chosen" if key == "chosen" else "columns", names)
    return table


def _asked_rows(table: Table, words: np.ndarray, reading: Reading) -> Table:
    """Ask about rows of words among numbers: units, a second header, or where a second table begins."""
    bare = np.isnan(table.numbers).all(axis=1) & (words >= max(2, len(table.names) / 2))
    rows = [i for i in np.flatnonzero(bare).tolist() if i not in (reading.skip_rows or ())]
    if not rows or len(rows) > 5 or reading.skip_rows == () or reading.n_rows is not None:
        return table
    says = f"{counted(len(rows), 'row')} of words among the numbers: units, or the header of a second table?"
    ways = [Choice("samples without numbers"), Choice("not samples", {"skip_rows": tuple(rows)})]
    ways += [Choice("the table ends there", {"n_rows": rows[0]})] if rows[0] > 1 else []
    return table.asking("rows of words", says, *ways, rows=rows)


def without_empty(table: Table) -> Table:
    """Leave out columns without a value; DataError where no other is left."""
    bare = np.flatnonzero(np.isnan(table.numbers).all(axis=0))
    empty = [table.names[j] for j in bare]
    kinds = {**table.kinds, **{int(table.places[j]): "empty" for j in bare}}
    table = replace(table, kinds=kinds).without(bare.tolist())
    if not len(table.places) and empty and not table.texts:
        raise nothing((len(table.numbers), len(empty)))
    if not len(table.places):
        raise DataError(
            f"no column of numbers among the {len(table.every):,} found: give numbers without their units, or another "
            "delimiter=, sheet= or header=."
        )
    named = [name for name in empty if name and not re.fullmatch(r"column \d+|Unnamed: \d+", name)]
    return table.saying(f"Without any value, left out: {quoted(named)}.", "columns", named) if named else table


class _Column:
    """The cells of one column, each distinct one read once."""

    def __init__(self, name: str, series: Any, reading: Reading, usual: str):
        pandas = needed("pandas", "tables")
        words = frozenset(str(code).lower() for code in reading.missing_codes or ())
        limits = reading.limits
        self.name = name
        self.beyond: list[int] = []
        self.levels: tuple[str, ...] = ()
        if hasattr(series.dtype, "categories") and series.dtype.categories.dtype.kind not in "biuf":
            self.levels = tuple(map(str, series.dtype.categories))
        try:
            self.codes, self.cells = pandas.factorize(series.astype(object))
        except TypeError:
            raise _unreadable(name, next(value for value in series if value is not None)) from None
        self.cells = [_plain(cell, name) for cell in self.cells]
        words_only = len(self.cells) > MANY and not any(map(is_number, map(str, self.cells[:: len(self.cells) // 999])))
        strings = [] if words_only else [cell for cell in self.cells if isinstance(cell, str)]
        sign = reading.decimal or decimal_sign(strings) or usual
        self.counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.cells))
        self.absent = [
            isinstance(cell, str) and (cell.lower() in ABSENT or cell.lower() in words) for cell in self.cells
        ]
        self.values: list[float | None] = [None] * len(self.cells)
        self.percents = self.beside = ""
        if not words_only:
            self.values = [cell if isinstance(cell, float) else number(cell, sign) for cell in self.cells]
            self.percents, self.beside = self._mixed_percents(), self._without_words(sign)
            self._without_labels()
            self.beyond = [i for i, cell in enumerate(self.cells) if isinstance(cell, str) and self._limit(cell)]
            for i in self.beyond if limits in ("half", "limit") else ():
                self.values[i] = _at_limit(self.cells[i], sign, limits)

    def _count(self, cells: Sequence[object]) -> int:
        return int(sum(count for count, one in zip(self.counts, cells, strict=True) if one))

    def _mixed_percents(self) -> str:
        """What is done where some numbers have a per cent sign and others none; empty where that is not so."""
        signed = [isinstance(cell, str) and cell.endswith("%") for cell in self.cells]
        pairs = list(zip(self.values, signed, strict=True))
        plain = [abs(value) for value, has in pairs if value and not has]
        if not plain or not any(signed):
            return ""
        if max(plain) > 1:
            return "read as if all had one"
        self.values = [value / 100 if has and value is not None else value for value, has in pairs]
        return "1 % is read as 0.01, as the others lie within ±1"

    def _without_words(self, sign: str) -> str:
        """What follows a number after a blank, and is left out: one unit, or flags of one letter; empty for none."""
        pairs = [(i, BESIDE_NUMBER.fullmatch(c)) for i, c in enumerate(self.cells) if isinstance(c, str)]
        found = {i: match for i, match in pairs if match and number(match[1], sign) is not None}
        words = {match[2] for match in found.values()}
        plain = sum(value is not None for value in self.values)
        one_unit = len(words) == 1 and UNIT.fullmatch(min(words)) is not None
        if not words or not (
            one_unit or (plain >= len(found) and all(len(word) == 1 and word not in "kKMGTh" for word in words))
        ):
            return ""
        for i, match in found.items():
            self.values[i] = number(match[1], sign)
        return ", ".join(map(repr, sorted(words)[:4]))

    def _without_labels(self) -> None:
        """Read 1 of "1 = never" and "never (1)", where the other cells are whole numbers near it."""
        pairs = [(i, BESIDE_CODE.fullmatch(c)) for i, c in enumerate(self.cells) if isinstance(c, str)]
        found = {i: float(match[1] or match[2]) for i, match in pairs if match}
        plain = [value for value in self.values if value is not None]
        if plain and found and all(value.is_integer() and abs(value) <= 20 for value in plain):
            self.values = [found.get(i, value) for i, value in enumerate(self.values)]

    @property
    def is_too_long(self) -> bool:
        """Whether a whole number has more digits than doubles keep."""
        long = [cell for cell in self.cells if isinstance(cell, str) and len(cell) > 15 and WHOLE.fullmatch(cell)]
        return any(int(cell.replace("−", "-")) != float(cell.replace("−", "-")) for cell in long)

    @property
    def is_truth(self) -> bool:
        given = [cell for cell, gone in zip(self.cells, self.absent, strict=True) if not gone]
        return self.name.lower() not in CLASS_NAMES and all(isinstance(c, str) and c.lower() in TRUTHS for c in given)

    @property
    def is_text(self) -> bool:
        """Whether fewer than half of the cells are numbers, or say that one lies beyond a limit."""
        if self.levels:
            return True
        able = [value is not None or i in self.beyond for i, value in enumerate(self.values)]
        given = self._count([not gone for gone in self.absent])
        few = self.name.lower() in CLASS_NAMES and self._count(able) < given
        return few or 2 * self._count(able) < given or not any(value is not None for value in self.values)

    def _limit(self, cell: str) -> bool:
        beyond = LIMIT.fullmatch(cell)
        return beyond is not None and any(number(beyond[1], sign) is not None for sign in ".,")

    @property
    def words(self) -> list[bool]:
        """Whether a cell holds a word, of each different one."""
        return [value is None and not gone for value, gone in zip(self.values, self.absent, strict=True)]

    @property
    def numbers(self) -> np.ndarray:
        if self.is_truth:
            values = [TRUTHS.get(str(cell).lower(), np.nan) for cell in self.cells]
        else:
            pairs = zip(self.values, self.absent, strict=True)
            values = [np.nan if value is None or gone else value for value, gone in pairs]
        return np.array([*values, np.nan])[self.codes]

    @property
    def said(self) -> list[Note]:
        """What was not read of its cells."""
        called = f"Column {self.name!r:.60} holds"
        notes = []
        if self.percents:
            said = f"{called} numbers with a per cent sign and without: {self.percents}."
            notes.append(decision(said, "columns", [self.name]))
        if self.beside:
            said = f"{called} {self.beside} behind its numbers, which is not read."
            notes.append(decision(said, "columns", [self.name]))
        triples = zip(self.cells, self.words, self.counts.tolist(), strict=True)
        if odd := Counter({str(cell): count for cell, is_word, count in triples if is_word}):
            most = ", ".join(f"{count:,} × {word[:30]!r}" for word, count in odd.most_common(4))
            most += f" and {len(odd) - 4:,} more" if len(odd) > 4 else ""
            said = f"{called} {most}, which is no number: read as missing."
            notes.append(decision(said, "missing", [self.name]))
        return notes

    @property
    def decorated(self) -> bool:
        """Whether numbers are written with signs that were left out: a digit or two fewer would be left of them."""
        given = zip(self.cells, self.values, strict=True)
        plain = re.compile(r"[+\-−]?\d*[.,]?\d*([eEdD][+\-]?\d+)?")
        return any(
            isinstance(c, str) and v is not None and (not plain.fullmatch(c) or _grouped(c, v)) for c, v in given
        )

    def texts(self) -> list[str]:
        words = [str(cell) if isinstance(cell, str) else text_of(cell) for cell in self.cells]
        return np.array([*words, ""], dtype=object)[self.codes].tolist()


def _too_long(name: str) -> Note:
    said = f"Column {name!r:.60} holds whole numbers of more digits than numbers keep: read as text."
    return decision(said, "columns", [name])


def _exact(whole: Any) -> bool:
    """Whether doubles equal all these whole numbers."""
    try:
        as_doubles(whole.to_numpy(dtype=whole.dtype.name.lower()))
    except DataError:
        return False
    return True


def _grouped(cell: str, value: float) -> bool:
    """Whether the one sign in a number parts thousands."""
    return re.fullmatch(r"[+\-−]?\d+[.,]\d{3}", cell) is not None and abs(value) >= 1000 > abs(
        float(re.sub("[.,].*|−", "", cell) or 0)
    )


def _at_limit(cell: Any, sign: str, limits: str | None) -> float | None:
    """The number in "<0.3", or half of it where values lie below."""
    beyond = LIMIT.fullmatch(cell)
    value = number(beyond[1], sign) if beyond else None
    return value / 2 if value is not None and limits == "half" and cell[0] in "<≤" else value


def _plain(cell: Any, name: str) -> float | str:
    """A cell as a float or a text."""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell))
    if isinstance(cell, int | float | np.integer | np.floating | Decimal):
        return float(cell)
    if isinstance(cell, date | time):
        return cell.isoformat().removesuffix("T00:00:00")
    raise _unreadable(name, cell)


def _unreadable(name: str, cell: object) -> DataError:
    held = "lists" if isinstance(cell, list | tuple | np.ndarray) else type(cell).__name__
    return DataError(
        f"column {name!r:.60} holds {held}; numbers, truth values and text are read. Leave the column out."
    )


def quoted(names: Sequence[str]) -> str:
    """Return names in quotation marks, at most five."""
    return ", ".join(repr(name[:40]) for name in names[:5]) + (", …" if len(names) > 5 else "")


def counted(count: int, what: str) -> str:
    """Return a number and what it counts, in the plural where it is none."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def without_counter(table: Table, short: bool) -> Table:
    """Leave out a nameless first column of row numbers, as data frames write it."""
    if len(table.names) < 2 or table.names[0] not in ("", "Unnamed: 0"):
        return table
    values = table.numbers[:, 0]
    if len(np.unique(values)) < len(values) or not can_be_labels(values):
        if short:
            raise short_header(len(table.names) + len(table.texts))
        return table
    says = "The first column has no name and a whole number of its own in each row: left out."
    if short:
        says = "The header has one name fewer than there are columns: the first is the names of the rows."
    name = table.names[0]
    return table.without([0]).saying(says, "columns", [name], columns={name: "feature"})


def short_header(width: int) -> DataError:
    """Return the error about a header that is one name short, where no column names the rows."""
    return DataError(
        f"the header names {width - 1:,} columns where the rows have {width:,} cells, and the first column does not "
        "name the rows: it holds neither a text nor a whole number of its own in each. Name every column."
    )


def can_be_labels(values: np.ndarray) -> bool:
    """Whether all are whole numbers that a label can be."""
    return bool(np.all(np.abs(values) < 2**31) and np.all(values == np.round(values)))
