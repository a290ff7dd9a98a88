"""StudyTable: named columns and rows, and how to draw them."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass, replace
from typing import Literal

from nnspca.studies.picture import Picture

Cell = float | int | str | bool | None
# What opens a formula at the start of a cell, in full width too; a spreadsheet set to a semicolon
# splits there as well.
FORMULA = re.compile(r"^(?=\t|\s*[=+\-@＝＋－＠])|(?<=[;\t\n])(?=\s*[=+\-@＝＋－＠])")


def written(cell: object) -> object:
    """Return a cell that is safe in a text table: a spreadsheet would run a word that opens like a formula.

    A carriage return becomes a blank: the csv module leaves it unquoted, and what follows it would
    open a row.

    Examples
    --------
    >>> written("=1+1"), written("pixel 7"), written(-2.5), written("a;=1+1")
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
        How the page rounds: what is proven to be at least so much goes down, an upper bound goes up.
    """

    name: str
    title: str = ""
    digits: int | None = None
    toward: Literal["nearest", "down", "up"] = "nearest"

    @property
    def heading(self) -> str:
        """The title, or the name if there is none."""
        return self.title or self.name

    def rounded(self, cell: Cell) -> Cell:
        """Return a cell as a sortable table shows it: rounded like :meth:`say`, and still a number.

        Examples
        --------
        >>> Column("share", digits=4, toward="down").rounded(0.99996)
        0.9999
        """
        whole = cell is None or isinstance(cell, bool | str | int) or self.digits is None or not math.isfinite(cell)
        return cell if whole else float(self.say(cell))

    def say(self, cell: Cell) -> str:
        """Format a cell for a page.

        Examples
        --------
        >>> share = Column("share", digits=2, toward="down")
        >>> share.say(0.9999), share.say(None), Column("k").say(12)
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
        Unique in its study; ``"printed"`` is the one that holds the paper's numbers against ours.
    title : str
    columns : tuple of Column
    rows : tuple of tuple
        One cell for each column: a number, a word, or None where there is nothing.
    picture : Picture or None
        How to draw it.
    note : str
        A remark for readers, in plain words.
    stopped : bool
        True when the run was stopped before all rows were there.

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

        A word that a spreadsheet would run as a formula gets an apostrophe before it.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(map(written, self.names))
        writer.writerows(map(written, row) for row in self.rows)
        return out.getvalue()

    def words(self) -> list[dict[str, str]]:
        """Return the rows as a page shows them, by heading."""
        return [
            {column.heading: column.say(cell) for column, cell in zip(self.columns, row, strict=True)}
            for row in self.rows
        ]

    def halted(self) -> StudyTable:
        """Return the same table, marked as stopped."""
        return replace(self, stopped=True)
