"""What all results have: equality by value, a few lines at a prompt, sentences in a notebook, tables of pandas."""

from __future__ import annotations

import dataclasses
import inspect
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from nnspca.result.wording import LINES

if TYPE_CHECKING:
    from pandas import DataFrame
else:  # imported when a table is asked for
    DataFrame = Any
Figure = Any  # of plotly.graph_objects, which has no types


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
    """A result that is shown as lines at a prompt, and as a summary with a picture in a notebook."""

    def __repr__(self) -> str:
        first, *rest = self._lines()
        return "\n  ".join([first, *rest][:LINES])

    def _repr_html_(self) -> str:
        lines = [f"<p>{escape(self.summary())}</p>", self._picture()]
        return f"<div>{''.join(lines)}<details><summary>more</summary><pre>{escape(repr(self))}</pre></details></div>"

    @abstractmethod
    def summary(self) -> str:
        """Return plain sentences about the result."""

    @abstractmethod
    def _lines(self) -> list[str]:
        """The lines shown at a prompt, the most important first."""

    def _picture(self) -> str:
        """A picture as inline SVG, or nothing."""
        return ""


class FieldDocs:
    """A class's docstring with what is written beside its fields, read from the source when ``help`` asks for it."""

    DEEP = " " * 8
    FIELD = re.compile(r" {4}(\w+): ([^=#]+?)\s*(?:=[^#]*)?(?:#: (.*))?")

    def __init__(self, text: str) -> None:
        self._text = text

    def __get__(self, instance: object, owner: type) -> str:
        try:
            source = inspect.getsource(owner).split('"""', 2)[2].partition("    @")[0]
        except (OSError, IndexError):  # there is no source
            return self._text
        told, above = [], ""
        for line in source.splitlines():
            if line.startswith("    #: "):
                above += f"{line[7:]} "
            elif field := self.FIELD.fullmatch(line):
                name, kind, beside = field.groups()
                told += [
                    f"    {name} : {kind}",
                    *wrap(above or beside or "", 100, initial_indent=" " * 8, subsequent_indent=" " * 8),
                ]
                above = ""
        return self._text.replace(
            "    Examples\n", "\n".join(["    Attributes", "    ----------", *told, "", "    Examples\n"])
        )


def with_fields(*classes: Any) -> None:
    """Have ``help`` show what is written beside the fields of these classes."""
    for each in classes:
        each.__doc__ = FieldDocs(each.__doc__)


def frame(
    rows: Mapping[str, Any] | Sequence[Mapping[str, object]], index: Sequence[object] = (), name: str = ""
) -> DataFrame:
    """Return a data frame of columns or of records; pandas is imported when a table is asked for."""
    import pandas

    return pandas.DataFrame(rows, index=pandas.Index(index, name=name) if name else None)
