"""StudyTable: named columns, rows, and the description of their picture."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from nnspca.studies.picture import Curves, Line, Picture

Toward = Literal["nearest", "down", "up"]
Cell = float | int | str | bool | None
# The characters that start a formula in a cell, also in full width; with semicolons as separators, a
# spreadsheet also splits there.
FORMULA = re.compile(r"^(?=\t|\s*[=+\-@＝＋－＠])|(?<=[;\t\n])(?=\s*[=+\-@＝＋－＠])")


def safe_cell(cell: object) -> object:
    """Return a cell that no spreadsheet takes for a formula.

    A carriage return becomes a blank: the csv module does not quote it, so a new row would begin there.

    >>> safe_cell("=1+1"), safe_cell("pixel 7"), safe_cell(-2.5), safe_cell("a;=1+1")
    ("'=1+1", 'pixel 7', -2.5, "a;'=1+1")
    """
    return FORMULA.sub("'", cell.replace("\r", " ")) if isinstance(cell, str) else cell


@dataclass(frozen=True)
class Column:
    """One column: its name and its heading.

    Attributes
    ----------
    name : str
        In records and CSV files.
    title : str
        Above the column on a page.
    digits : int or None
        Digits after the point on a page; None shows the value as it is.
    toward : {"nearest", "down", "up"}
        Rounding on the page: down for proven lower bounds, up for upper bounds.
    """

    name: str
    title: str = ""
    digits: int | None = None
    toward: Toward = "nearest"

    @property
    def heading(self) -> str:
        """The title, or the name if there is none."""
        return self.title or self.name

    def rounded(self, cell: Cell) -> Cell:
        """Return a cell for a sortable table: rounded like :meth:`format`, but a number.

        Examples
        --------
        >>> Column("share", digits=4, toward="down").rounded(0.99996)
        0.9999
        """
        whole = cell is None or isinstance(cell, bool | str | int) or self.digits is None or not math.isfinite(cell)
        return cell if whole else float(self.format(cell))

    def format(self, cell: Cell) -> str:
        """Format a cell for a page.

        Examples
        --------
        >>> share = Column("share", digits=2, toward="down")
        >>> share.format(0.9999), share.format(None), Column("k").format(12)
        ('0.99', '', '12')
        """
        if cell is None:
            return ""
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if self.digits is None or isinstance(cell, str | int) or not math.isfinite(cell):
            return str(cell)
        if self.toward == "nearest":
            return f"{cell:.{self.digits}f}"
        step = 10.0**self.digits
        return f"{(math.floor if self.toward == 'down' else math.ceil)(cell * step) / step:.{self.digits}f}"


@dataclass(frozen=True)
class StudyTable:
    """One table of a study.

    Attributes
    ----------
    name : str
        Unique in its study; ``"printed"`` compares the paper's numbers with ours.
    title : str
    columns : tuple of Column
    rows : tuple of tuple
        One cell for each column: a number, a word, or None if empty.
    picture : Picture or None
        How to draw it.
    note : str
        A remark for readers, in plain words.
    stopped : bool
        True when the run was stopped before it had all rows.

    Examples
    --------
    >>> table = StudyTable("squares", "Squares", (Column("n"), Column("square")), ((1, 1), (2, 4)))
    >>> table.column("square"), table.to_records()[1]
    ([1, 4], {'n': 2, 'square': 4})
    >>> print(table.to_csv())
    n,square
    1,1
    2,4
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    picture: Picture | None = None
    note: str = ""
    stopped: bool = False

    def __post_init__(self) -> None:
        wrong = [row for row in self.rows if len(row) != len(self.columns)]
        if wrong:
            raise ValueError(f"table {self.name!r} has {len(self.columns)} columns, but a row {wrong[0]!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> list[Cell]:
        """Return one column; KeyError for a name that is not there."""
        if name not in self.names:
            raise KeyError(f"table {self.name!r} has no column {name!r}; it has {', '.join(self.names)}")
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def to_records(self) -> list[dict[str, Cell]]:
        """Return one flat record for each row, ready for a data frame."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]

    def to_csv(self) -> str:
        """Return the table as CSV, with a header; None is an empty cell, numbers keep every digit.

        A word that looks like a formula gets an apostrophe in front.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(map(safe_cell, self.names))
        writer.writerows(map(safe_cell, row) for row in self.rows)
        return out.getvalue()

    def formatted_records(self) -> list[dict[str, str]]:
        """Return the rows as formatted for a page, by heading."""
        return [
            {
                column.heading: column.format(cell) if isinstance(cell, str) else column.format(cell).replace("-", "−")
                for column, cell in zip(self.columns, row, strict=True)
            }
            for row in self.rows
        ]

    def without(self, *names: str) -> StudyTable:
        """Return the same table without some columns."""
        keep = [place for place, name in enumerate(self.names) if name not in names]
        rows = tuple(tuple(row[place] for place in keep) for row in self.rows)
        return replace(self, columns=tuple(self.columns[place] for place in keep), rows=rows)

    def as_stopped(self) -> StudyTable:
        """Return the same table, marked as stopped."""
        return replace(self, stopped=True)


def plotted(
    name: str,
    title: str,
    x: Column,
    lines: Sequence[Line],
    rows: Iterable[tuple[Cell, ...]],
    axes: tuple[str, str],
    *,
    digits: int | None = None,
    toward: Toward = "nearest",
    note: str = "",
    **look: Any,
) -> StudyTable:
    """Return a table of x and one column for each line, with its picture; ``look`` are other fields of that."""
    columns = (x, *[Column(line.y, line.title, digits, toward) for line in lines])
    return StudyTable(name, title, columns, tuple(rows), Curves(x.name, tuple(lines), *axes, **look), note)
