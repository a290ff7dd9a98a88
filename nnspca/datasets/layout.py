"""Finds the table among rows of cells: title, header and the first row of numbers."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nnspca.datasets.cells import ABSENT, CLASS_NAMES, TRUTHS, count_numbers, is_number, nothing, number
from nnspca.datasets.notes import Note, decision
from nnspca.datasets.options import Reading
from nnspca.datasets.scales import order_of
from nnspca.errors import DataError

SAMPLED_CELLS = 300  # of each row, that are read to find the header
LEVELS = 3  # most rows of a header
KINDS = frozenset({"c", "d", "s", "t", "continuous", "discrete", "string", "time", "class", "meta", ""})  # of Orange's


@dataclass(frozen=True, eq=False)
class Grid:
    """A table as it stands in a file: a pandas frame of columns, their names, and what was decided on the way."""

    names: list[str]
    frame: Any = None
    named: bool = True
    notes: tuple[Note, ...] = ()
    doubts: tuple[Note, ...] = ()
    start: int = 0  # the row of the file where its numbers begin
    levels: int = 0  # rows of the header
    beginning: str = ""  # its first lines as they were understood
    decimal: str = "."
    short: bool = False  # the header had no name for the first column, as R writes row names
    roles: Mapping[str, str] = field(default_factory=dict)  # Orange's: "class" or "meta", by name
    labels: Mapping[str, Mapping[float, str]] = field(default_factory=dict)  # what codes stand for, by column
    sheets: tuple[str, ...] = ()
    decided: Mapping[str, Any] = field(default_factory=dict)  # options of a reading, found by looking


def layout(rows: list[list[str]], reading: Reading, parted: str = "") -> Grid:
    """Tell title, header and numbers apart; an error shows the first lines as they were understood."""
    try:
        grid = _laid_out(rows, reading, parted)
        return replace(grid, beginning=first_lines(rows), decided={"header": grid.levels})
    except DataError as error:
        raise DataError(f"{error} {first_lines(rows)}") from error


def _laid_out(rows: list[list[str]], reading: Reading, parted: str) -> Grid:
    """Tell title, header and numbers apart by which cells hold numbers."""
    notes: list[Note] = []
    filled = [sum(map(bool, row)) for row in rows]
    numbers = [_numbers(row, beside) for row, beside in zip(rows, [*rows[1:], *rows[-2:-1]], strict=False)] or [0]
    first = _first(rows, filled, numbers)
    levels: list[int] = []
    imported = next((i for i, row in enumerate(rows[:10]) if any(cell.startswith('{"ImportId"') for cell in row)), None)
    wide = max(len(row) for row in rows[first:]) if rows[first:] else 1
    if reading.header is None and imported:  # Qualtrics: names, questions, and what it writes for itself
        levels, first = [*range(imported + 1)], imported + 1
    elif reading.header is None:
        above = first - 1
        while above >= 0 and not filled[above] and above > first - 3:
            above -= 1
        named = above >= 0 and filled[above] > 1 and not numbers[above]
        if named and above < first - 1 and not is_number(rows[first][0]):  # a blank line between
            named = not _counts_columns(rows, first)
        if not named and (_counts_columns(rows, first) or _is_mixed(rows, first)):
            levels, first = [first], first + 1
        else:
            while above >= 0 and len(levels) < LEVELS:
                if numbers[above] and (levels or not _is_mixed(rows, above)):
                    break
                deepest = not levels or (len(levels) == 1 and filled[levels[0]] == 1)
                if not _is_level(rows[above], rows[above - 1] if above else [], wide, deepest):
                    break
                levels.insert(0, above)
                above -= 1
    elif reading.header:
        top = next((i for i in range(len(rows)) if filled[i] >= max(1, min(2, wide // 2))), 0)
        levels = [i for i in range(top, len(rows)) if filled[i]][: int(reading.header)]
        first = levels[-1] + 1
    else:
        first = next((i for i in range(len(rows)) if filled[i]), 0)
    if not rows[first:]:
        raise DataError("found a header and no rows below it: header= says how many rows name the columns.")
    if title := [i for i in range(levels[0] if levels else first) if filled[i]]:
        said = " ".join(" ".join(filter(None, rows[i])) for i in title)
        notes.append(decision(f"Above the table, left out: {said[:60]!r}.", "header"))
    below = [row for row in rows[first:] if any(row)]
    wide = max(map(len, below))
    while wide > 1 and all(len(row) < wide or not row[wide - 1] for row in [*below, *(rows[i] for i in levels)]):
        wide -= 1
    usual = Counter(map(len, below)).most_common(1)[0][0]
    triangle = not levels and set(np.diff([len(row) for row in below]).tolist()) in ({1}, {-1})
    if reading.header is None and usual < wide and not triangle and (not levels or usual == len(rows[levels[-1]])):
        i = next(i for i in range(first, len(rows)) if len(rows[i]) > usual)
        raise DataError(
            f"line {i + 1:,} has {len(rows[i]):,} cells where {usual:,} are expected, {parted}. Give every row the "
            "same number of cells, or another delimiter=."
        )
    gap = bool(levels) and not all(filled[levels[-1] + 1 : first])
    grid = _named([rows[i] for i in levels], below, first, wide, gap=gap)
    return replace(grid, notes=(*notes, *grid.notes))


def _numbers(row: list[str], beside: list[str]) -> int:
    """How many of a row's first cells hold numbers; a truth counts where another stands below it."""
    if row and row[0].startswith(("#", "!")) and row[0].lower() not in ABSENT:
        return 0
    looked = row[:SAMPLED_CELLS]
    truths = ({cell.lower(), other.lower()} <= TRUTHS.keys() for cell, other in zip(looked, beside, strict=False))
    return count_numbers(looked) + sum(truths)


def _first(rows: list[list[str]], filled: list[int], numbers: list[int]) -> int:
    """The first row of numbers."""
    having = [n for n in numbers[len(numbers) // 2 :] if n] or [n for n in numbers if n]
    if not having and _are_ordered(rows):
        return 1
    if not having:
        width, below = max(map(len, rows)), rows[1:]
        cell = next((cell for row in below or rows for cell in row if cell), "")
        if not any(map(any, below)):
            raise DataError(f"found 0 rows and {width:,} columns of numbers below the first line.")
        if all(cell.lower() in ABSENT for row in below for cell in row):
            raise nothing((len(below), width))
        raise DataError(
            f"no column of numbers among the {width:,} found (the first cell holds {cell!r:.60}): is the delimiter a "
            "comma, semicolon or tab, and are numbers without their units? delimiter=, sheet= and header= take others."
        )
    usual = float(np.median(having))
    if set(np.diff([n for n in numbers if n][-6:]).tolist()) in ({1}, {-1}):  # a triangle
        usual = 1.0
    first = next(i for i, n in enumerate(numbers) if n >= max(1.0, usual / 2))
    named = any(not numbers[i] and filled[i] >= 2 for i in range(first))
    under = rows[first]
    while named and first and (numbers[first - 1] or _is_bare(rows, first - 1, under)):  # rows with many gaps
        if len(rows[first - 1]) < len(rows[first]) / 2:
            break
        first -= 1
    return first


def _are_ordered(rows: list[list[str]]) -> bool:
    """Whether most columns hold words of a known order below a row of names."""
    columns = [{row[j] for row in rows[1:] if len(row) > j and row[j]} for j in range(len(rows[0]))]
    return len(rows) > 3 and 2 * sum(bool(order_of(sorted(words))) for words in columns) > len(columns)


def _is_bare(rows: list[list[str]], i: int, under: list[str]) -> bool:
    """Whether a row has words where the first numbers have some, below one row of names; or a triangle no diagonal."""
    row, above, title = rows[i], rows[i - 1], rows[i - 2] if i > 1 else []
    words = [j for j, cell in enumerate(row) if cell.lower() not in ABSENT]
    if not i or not words or len(row) < 2:
        return False
    if words == [0] and row[0] in above[1:]:
        return True
    if len(row) < 3 or len(row) != len(under) or any(is_number(under[j]) for j in words):
        return False
    named = all(above[1:]) and len(above) in (len(row), len(row) - 1) and sum(map(bool, title)) < 2
    return named or _is_bare(rows, i - 1, under)


def _counts_columns(rows: list[list[str]], i: int) -> bool:
    """Whether a row of numbers names the columns: 0, 1, 2, … as data frames write it, years or wavelengths."""
    cells = list(itertools.dropwhile(lambda cell: not is_number(cell), rows[i]))
    corner = len(rows[i]) - len(cells)
    plain = [number(cell, ".") for cell in itertools.takewhile(bool, cells)]
    if len(plain) < 3 or any(cells[len(plain) :]) or i + 1 >= len(rows) or None in plain:
        return False
    values = np.array(plain, float)
    steps = np.diff(values)
    rising, by_one = bool(np.all(steps > 0) or np.all(steps < 0)), bool((np.abs(steps) == 1).all())
    if not corner:
        beneath = [value for cell in rows[i + 1] if (value := number(cell, ".")) is not None]
        apart = bool(beneath) and (max(beneath) < values.min() or min(beneath) > values.max())
        return (plain[0] == 0 and by_one and any(rows[i + 1])) or (rising and apart and len(plain) > 4)
    years = 1500 <= values[0] < 2200 and by_one
    return years or (corner == 1 and rising and (not rows[i][0] or not i or by_one))


def _is_mixed(rows: list[list[str]], i: int) -> bool:
    """Whether at least half of a row's cells are words, and one of them stands over a number."""
    words = [bool(cell) and cell.lower() not in ABSENT and not is_number(cell) for cell in rows[i]]
    under = next((row for row in rows[i + 1 :] if any(row)), [])
    below = under[len(under) > len(rows[i]) :]
    over = any(w and is_number(cell) for w, cell in zip(words, below, strict=False))
    return over and (2 * sum(words) >= len(words) or any(cell.lower() in CLASS_NAMES for cell in rows[i]))


def _is_level(row: list[str], above: list[str], wide: int, deepest: bool) -> bool:
    """Whether a row of words belongs to the header; the ``deepest`` stands directly over the numbers."""
    filled = sum(map(bool, row))
    if filled < 2:  # alone is the name of the row names, as pandas writes it below the names of columns
        alone = bool(row) and bool(row[0]) and sum(map(bool, above)) > 1 and row[0] not in above
        return filled == 1 and deepest and (wide <= 2 or alone)
    if row[0].startswith("#"):
        return deepest and len(row) - (row[0] == "#") in (wide, wide - 1)
    last = max(j for j, cell in enumerate(row) if cell) + 1
    return deepest or (last > wide / 3 and len(row) >= wide - 1 and all(len(cell.split()) < 4 for cell in row))


def _named(levels: list[list[str]], below: list[list[str]], first: int, wide: int, *, gap: bool) -> Grid:
    """The names of the columns from the rows of the header."""
    if not levels:
        return Grid([f"column {j + 1}" for j in range(wide)], named=False, start=first)
    given = len(levels)
    # a rule below the names, as databases and Markdown write it, and the row that Qualtrics writes for itself
    levels = [row for row in levels if not re.match(r'[-+=:|\s]*$|.*\{"ImportId"', "".join(row))] or levels
    levels = [row[row[0] == "#" :] for row in levels]
    marks: list[str] = []
    if len(levels) == 3 and all(cell.lower() in KINDS for cell in levels[1]):  # Orange: names, types, roles
        marks = [cell.lower().partition(" ")[0] for cell in levels[2]]
        levels = levels[:1]
    widest = max(map(len, levels))
    while widest > wide and all(len(row) < widest or not row[widest - 1] for row in levels):
        widest -= 1
    if widest > wide:
        raise DataError(
            f"the header names {widest:,} columns but the row below has {wide:,} cells. Give every row the same number "
            "of cells, or another delimiter= or header=."
        )
    short = len(levels) == 1 and widest == wide - 1 and any(len(row) == wide for row in below)
    names = [""] * wide
    for depth, row in enumerate(levels):
        cells = ([""] if short else []) + row[: wide - short]
        cells += [""] * (wide - len(cells))
        if depth < len(levels) - 1:  # merged cells: a name holds up to the next
            for j in range(1, wide):
                cells[j] = cells[j] or cells[j - 1]
        if len(levels) > 1 and (gap or sum(map(bool, levels[-1])) == 1):  # below them the row names have a name
            cells[0] = levels[-1][0] if depth == len(levels) - 1 and not gap else ""
        names = [f"{a} {b}".strip() if b and b != a else a for a, b in zip(names, cells, strict=True)]
    notes: tuple[Note, ...] = ()
    if len(levels) > 1:
        said = f"The header has {len(levels)} rows, joined into one name for each column."
        notes = (decision(said, "header", header=1),)
    elif any(map(is_number, names)):
        notes = (decision("The first row was read as the names of the columns.", "header", header=0),)
    names[0] = names[0].removeprefix("# ")  # as NumPy writes it
    for j, name in enumerate(names):
        if role := re.match(r"([mciw]?)[CDSTcd]?#(?=.)", name):
            names[j] = name[role.end() :]
            marks = marks or [""] * wide
            marks[j] = {"c": "class", "m": "meta"}.get(role[1], "")
    roles = {names[j]: mark for j, mark in enumerate(marks[:wide]) if mark in ("class", "meta")}
    names = [name or ("" if j == 0 else f"column {j + 1}") for j, name in enumerate(names)]
    return Grid(names, notes=notes, start=first, levels=given, short=short, roles=roles)


def first_lines(rows: list[list[str]]) -> str:
    """The first three lines as they were understood, for an error."""
    some = [row for row in rows if any(row)][:3]
    lines = [" | ".join(cell[:20] for cell in row[:6]) + (" | …" if len(row) > 6 else "") for row in some]
    return "Its first lines were understood as: " + "; ".join(f"[{line}]" for line in lines) + "."
