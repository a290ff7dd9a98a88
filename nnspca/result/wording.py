"""What all results have: equality, a few lines at a prompt, tables; and words for features and counts."""

from __future__ import annotations

import dataclasses
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from nnspca.result.features import Features

if TYPE_CHECKING:
    from pandas import DataFrame
else:  # imported when a table is asked for
    DataFrame = Any
Figure = Any  # of plotly.graph_objects, which has no types
NAMED = 6  # most features that a line names
LINES = 6  # most lines of a result at a prompt
# The characters that start a formula in a cell, also in full width; with semicolons as separators, a
# spreadsheet also splits there.
FORMULA = re.compile(r"^(?=\t|\s*[=+\-@＝＋－＠])|(?<=[;\t\n])(?=\s*[=+\-@＝＋－＠])")
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


class ByValue:
    """Equal to another instance of its class if all compared fields are equal.

    Seconds, proofs and the names of features are not compared: a result read from a file equals the
    one that was written.
    """

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, name), getattr(other, name)) for name in _compared(self))

    def __hash__(self) -> int:
        plain = [getattr(self, name) for name in _compared(self)]
        return hash((type(self).__name__, *(v for v in plain if isinstance(v, bool | int | float | str))))


def _compared(record: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(record) if field.compare]


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal; arrays entry by entry, with NaN equal to NaN."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == other.dtype.kind == "f"))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other or (one != one and other != other))


class Display(ByValue):
    """A result that is shown as lines at a prompt, and as a summary in a notebook."""

    def __repr__(self) -> str:
        chosen = _chosen(self)
        return "\n  ".join([*self._lines()[: LINES - len(chosen)], *chosen])

    def _repr_html_(self) -> str:
        more = f"<details><summary>more</summary><pre>{escape(repr(self))}</pre></details>"
        words = "".join(f"<p>{escape(text)}</p>" for text in (self.summary(), *_chosen(self)))
        return f"<div>{words}{more}</div>"

    def to_frame(self) -> DataFrame:
        """Return a data frame with the rows of ``to_records()``: of pandas, or of polars where the data were one."""
        return self._frame(self.to_records())  # type: ignore[attr-defined]

    def plot(self, ax: Any = None) -> Any:
        """Return a Plotly figure; or draw it on axes of Matplotlib, and return these."""
        figures = import_module("nnspca.figures")
        return figures.drawn(self._figure(figures), ax)

    @abstractmethod
    def _figure(self, figures: Any) -> Figure:
        """The figure in Plotly."""

    def _frame(
        self, rows: Mapping[str, Any] | Sequence[Mapping[str, object]], index: Sequence[object] = (), name: str = ""
    ) -> DataFrame:
        """Return columns or records as a table, made by the package whose table the data came in."""
        features = _features_of(self)
        if features is not None and features.package == "polars":
            polars = import_module("polars")
            table = polars.DataFrame(rows)
            return table.insert_column(0, polars.Series(name, index)) if name else table
        pandas = import_module("pandas")
        return pandas.DataFrame(rows, index=pandas.Index(index, name=name) if name else None)

    @abstractmethod
    def summary(self) -> str:
        """Return plain sentences about the result."""

    @abstractmethod
    def _lines(self) -> list[str]:
        """The lines shown at a prompt, the most important first."""

    @property
    def _ended(self) -> str:
        """What a line adds of a call that was stopped."""
        return ", stopped before its end" if getattr(self, "stopped", False) else ""


def _chosen(result: object) -> list[str]:
    """What chose the features of a result, in a line, where not all that the data have take part."""
    features = _features_of(result)
    return [features.chosen] if features is not None and features.chosen else []


def _features_of(held: Any) -> Features | None:
    """Return the features of a result, or of the first result that it holds."""
    if isinstance(held, tuple):
        return _features_of(held[0]) if held else None
    if held is None or (own := getattr(held, "features", None)) is not None:
        return None if held is None else own
    inside = (
        _features_of(getattr(held, name, None)) for name in ("component", "parts", "components", "points", "greedy")
    )
    return next((features for features in inside if features is not None), None)


def safe_cell(cell: object) -> object:
    """Return a cell that no spreadsheet takes for a formula.

    A carriage return becomes a blank: the csv module does not quote it, so a new row would begin there.

    >>> safe_cell("=1+1"), safe_cell("pixel 7"), safe_cell(-2.5), safe_cell("a;=1+1")
    ("'=1+1", 'pixel 7', -2.5, "a;'=1+1")
    """
    return FORMULA.sub("'", cell.replace("\r", " ")) if isinstance(cell, str) else cell


def counted(count: int, noun: str) -> str:
    """Return a number of things, in letters up to twelve.

    >>> counted(1, "feature"), counted(3, "feature"), counted(40, "part")
    ('one feature', 'three features', '40 parts')
    """
    return plural(count, noun, in_letters(count))


def plural(count: int, noun: str, number: str | None = None) -> str:
    """Return a number of things, in digits unless the ``number`` is given otherwise.

    >>> plural(1, "part"), plural(1000, "resample")
    ('1 part', '1,000 resamples')
    """
    return f"{f'{count:,}' if number is None else number} {noun}" + ("" if count == 1 else "s")


def in_letters(count: int) -> str:
    """Return a number in letters up to twelve.

    >>> in_letters(3), in_letters(40), in_letters(12582)
    ('three', '40', '12,582')
    """
    return WORDS[count] if count < len(WORDS) else f"{count:,}"


def listed(words: Sequence[str], more: int = 0) -> str:
    """Return words as an enumeration in a sentence, with the number of further ones.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed(["a", "b"], 7)
    ('a', 'a and b', 'a, b and c', 'a, b and 7 more')
    """
    words = [*words, f"{more:,} more"] if more else list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def named(names: Sequence[str], most: int = NAMED) -> str:
    """Return names as a sentence lists them, the first few where there are many.

    >>> named(["a", "b", "c"], most=2), named(["a", "b", "c", "d"], most=2)
    ('a, b and c', 'a, b and 2 more')
    """
    most = most if len(names) > most + 1 else len(names)
    return listed([short(name) for name in names[:most]], len(names) - most)


def name_with_title(name: str, title: str) -> str:
    """Return a feature's name with its title; control probes of a gene chip are marked.

    >>> [name_with_title(*pair) for pair in (("37724_at", "MYC"), ("MYC", "MYC proto-oncogene"), ("AFFX-BioB", ""))]
    ['MYC (37724_at)', 'MYC, MYC proto-oncogene', 'control AFFX-BioB']
    """
    name = f"control {name}" if name.startswith("AFFX") else name
    if title in ("", name):
        return name
    return f"{name}, {title}" if " " in title else f"{title} ({name})"


def short(name: str) -> str:
    """Return a name cut to fit a line."""
    return name if len(name) <= 24 else f"{name[:23]}…"


def sign_in_words(nonnegative: bool) -> str:
    """Return the sign constraint in two words."""
    return "loadings ≥ 0" if nonnegative else "any sign"
