"""Reading: every option of how a file is read, once; signature, code, link and desk are made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, get_args

from nnspca.control.arguments import check_choice, check_instance, check_several, check_whole, shown
from nnspca.datasets.columns import Role
from nnspca.datasets.notes import WORDS, Choice

Missing = Literal["refuse", "drop rows", "drop features", "mean", "last"]
BeyondLimit = Literal["missing", "half", "limit"]
SeriesForm = Literal["levels", "changes", "returns"]
MISSING: tuple[Missing, ...] = get_args(Missing)
OF_CELLS = ("sheet", "header", "delimiter", "decimal", "encoding")  # another one of these makes other columns
ONE_ROLE = {"label": "class", "sample_names": "name"}
SINGLE = {"class", "name", "weight", "time"}
ONE_OF = {
    "samples": ("rows", "columns"),
    "kind": ("table", "covariance"),
    "missing": MISSING,
    "decimal": (".", ","),
    "limits": get_args(BeyondLimit),
    "series": get_args(SeriesForm),
}
ADDED = ("orders", "skip_rows", "accepted", "missing_codes")
OF_COLUMNS = ("label", "sample_names", "columns", "orders", "pivot", "skip_rows", "n_rows")  # forgotten with them


@dataclass(frozen=True)
class Reading:
    """How a file is read: the options of :func:`nnspca.datasets.read`; None to decide by looking.

    Parameters
    ----------
    samples : {"rows", "columns"}, optional
        Where the samples are. By default in the rows, unless names, counts and shape say that these are genes.
    kind : {"table", "covariance"}, optional
        Read a square symmetric matrix as samples, or insist on a covariance. By default a symmetric matrix that can be
        a covariance is taken as one, also where only a triangle of it is filled or other columns stand beside it.
    sheet : str, int or sequence of them, optional
        Of a workbook: a sheet by name or by its place from 0 on, several whose rows are stacked; by default the one
        with the most numbers.
    header : bool or int, optional
        How many rows name the columns; False for none.
    delimiter, decimal, encoding : str, optional
        Of text: what parts the cells, the decimal sign ("." or ","), and how letters are encoded.
    label : str, optional
        The column that is the class, ``""`` for none. By default one called class, label or target, else the first
        column of text that repeats. Other columns of text are left out.
    sample_names : str, optional
        The column that names the samples, ``""`` for none; by default the first text that differs in all rows.
    columns : mapping of str to {"feature", "name", "class", "weight", "time", "left out"}
        What becomes of columns, by name (``""`` is a column without one); others as found by looking. Of a feature,
        words are missing values.
    orders : sequence of sequences of str, optional
        Words in their order, the least first: a column that holds no others is read as their places, 1, 2, 3, …;
        ``()`` for none. Others are still asked about.
    pivot : (str or sequence of str, str, str), optional
        Of a table in long form: the column, or several, whose values name the samples, the one that names the
        features, and the one of numbers; ``()`` keeps the rows as they are.
    skip_rows : sequence of int or str, optional
        Rows that are no samples, by their names or places from 0 on below the header, beside those called total, sum,
        mean or average; ``()`` for none at all.
    n_rows : int, optional
        How many rows below the header belong to the table.
    missing : {"refuse", "drop rows", "drop features", "mean", "last"}
        What becomes of missing values: an error that counts them, samples or features left out that have some, the
        mean of the feature in their place, or the value before. A word in a column of numbers is one.
    missing_codes : sequence of float or str, optional
        Numbers and words that stand for a missing value in every column; ``()`` for none. By default −9, −99, 999 and
        the like, where the other values of a column are far away; else these are asked about.
    limits : {"missing", "half", "limit"}, optional
        How a limit of detection such as "<0.3" is read: as a missing value, half the limit, or the limit.
    series : {"levels", "changes", "returns"}, optional
        Of series over time: as they are, the differences of each value to the one before, or these as shares of it.
    image_size : (int, int), optional
        Height and width in pixels that images of other sizes are resized to; by default those of most of them.
    accepted : sequence of str, optional
        Doubts that are none, by their topics: read as proposed, and not asked again.

    Raises
    ------
    ValueError, TypeError
        For an option of another kind than those above.

    Examples
    --------
    >>> import nnspca
    >>> how = nnspca.datasets.Reading(decimal=",", columns={"age": "left out"})
    >>> nnspca.datasets.read(b"age;pH\\n1;7,5\\n2;6,9\\n4;7,1", "t.csv", how).feature_names
    ('pH',)
    """

    samples: Literal["rows", "columns"] | None = None
    kind: Literal["table", "covariance"] | None = None
    sheet: str | int | Sequence[str | int] | None = None
    header: int | None = None
    delimiter: str | None = None
    decimal: Literal[".", ","] | None = None
    encoding: str | None = None
    label: str | None = None
    sample_names: str | None = None
    columns: Mapping[str, Role] = field(default_factory=dict)
    orders: Sequence[Sequence[str]] | None = None
    pivot: Sequence[str | Sequence[str]] | None = None
    skip_rows: Sequence[int | str] | None = None
    n_rows: int | None = None
    missing: Missing = "refuse"
    missing_codes: Sequence[float | str] | None = None
    limits: BeyondLimit | None = None
    series: SeriesForm | None = None
    image_size: tuple[int, int] | None = None
    accepted: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse what is no option; sequences become tuples, as JSON has lists."""
        for name, allowed in ONE_OF.items():
            check_choice(name, getattr(self, name), allowed, none=name != "missing")
        taken: dict[str, Any] = {}
        if self.header is not None and not isinstance(self.header, bool):
            check_whole("header", self.header, 0, more="or True or False")
        if self.n_rows is not None:
            check_whole("n_rows", self.n_rows, 1)
        for name, what in WORDS["several"].items():
            if (value := getattr(self, name)) is not None:
                several = check_several(name, value, "several", what)
                taken[name] = tuple(tuple(one) if isinstance(one, list | tuple) else one for one in several)
        if isinstance(self.sheet, list | tuple):
            taken["sheet"] = tuple(self.sheet)
        for sheet in taken.get("sheet", (self.sheet,)):
            if sheet is not None and not isinstance(sheet, int):
                check_instance("sheet", sheet, str, "its name, or its place from 0 on")
        if self.pivot is not None and len(self.pivot) not in (0, 3):
            raise ValueError(f"pivot={shown(self.pivot)} is not allowed; give three columns, or () for none")
        if self.image_size is not None:
            sides = check_several("image_size", self.image_size, "two", "whole numbers: height and width")
            if len(sides) != 2:
                raise ValueError(f"image_size={shown(self.image_size)} is not allowed; give height and width")
            taken["image_size"] = tuple(check_whole("image_size", side, 1, 10_000) for side in sides)
        for name, what in WORDS["one"].items():
            if (value := getattr(self, name)) is not None:
                check_instance(name, value, str, what)
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ValueError(f"delimiter={self.delimiter!r:.40} is not allowed; give one character")
        taken |= self._of_columns()
        taken["header"] = None if self.header is None else int(self.header)
        for name, value in taken.items():
            object.__setattr__(self, name, value)

    def _of_columns(self) -> dict[str, Any]:
        """The roles of columns, those that ``label`` and ``sample_names`` give too: "" alone stays there."""
        check_instance("columns", self.columns, Mapping, "what becomes of columns, by name")
        taken: dict[str, Any] = {"columns": dict(self.columns)}
        for option, role in ONE_ROLE.items():
            if name := getattr(self, option):
                taken["columns"] |= {name: role}
            if name or role in taken["columns"].values():
                taken[option] = None
        roles = list(taken["columns"].values())
        for column, role in taken["columns"].items():
            check_choice(f"columns[{column!r:.40}]", role, get_args(Role))
            if role in SINGLE and roles.count(role) > 1:
                raise ValueError(
                    f"columns={shown(taken['columns'])} is not allowed; give one column at most as {role!r}"
                )
        return taken

    def of_role(self, role: str) -> str | None:
        """Return the column that was given a role which only one can have.

        >>> Reading(label="kind").of_role("class")
        'kind'
        """
        return next((name for name, one in self.columns.items() if one == role), None)

    @property
    def arguments(self) -> dict[str, Any]:
        """The options that are not the usual ones, as arguments of :func:`nnspca.datasets.read`."""
        usual = vars(Reading())
        return {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}

    def settled(self, choice: Choice) -> Self:
        """Return the same with a choice; roles of columns, orders, rows and topics are added to those before.

        >>> how = Reading(columns={"id": "name"}).settled(Choice("a weight", {"columns": {"w": "weight"}}))
        >>> how.columns
        {'id': 'name', 'w': 'weight'}
        """
        given, sets = self.arguments, dict(choice.sets)
        if any(name in OF_CELLS and value != getattr(self, name) for name, value in sets.items()):
            given = {name: value for name, value in given.items() if name not in OF_COLUMNS}
        gone = {*sets.get("columns", {}).values()} & SINGLE  # of which the one before loses its role
        gone |= {role for option, role in ONE_ROLE.items() if option in sets}
        roles = {name: role for name, role in given.pop("columns", {}).items() if role not in gone}
        sets["columns"] = roles | sets.get("columns", {})
        for name in ADDED:
            if sets.get(name):
                sets[name] = tuple(dict.fromkeys([*given.get(name, ()), *sets[name]]))
        return replace(self, **(vars(Reading()) | given | sets))
