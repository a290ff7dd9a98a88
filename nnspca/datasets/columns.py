"""The columns of a table: numbers, texts and what lies beside them while it is read; and what is known of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse

from nnspca.datasets.cells import CLASS_NAMES
from nnspca.datasets.notes import Choice, Note, decision, doubt

Role = Literal["feature", "name", "class", "weight", "time", "left out"]
EXAMPLES, BARS = 3, 10  # values shown of a column, and bars of its histogram
BLOCK = 2**19  # numbers that are sorted at once


@dataclass(frozen=True)
class Column:
    """One column of a table as it was read.

    Examples
    --------
    >>> import nnspca
    >>> columns = nnspca.datasets.read(b"plot,kind,pH\\n1,a,7.5\\n1,b,6.9\\n2,a,7.1", "soil.csv").columns
    >>> [(column.name, column.role, column.kind) for column in columns]
    [('plot', 'feature', 'whole number'), ('kind', 'class', 'text'), ('pH', 'feature', 'number')]
    >>> columns[2].least, columns[2].median, columns[2].most, columns[2].examples
    (6.9, 7.1, 7.5, ('7.5', '6.9', '7.1'))
    """

    name: str  #: As the header has it; ``""`` for a column without one
    #: What became of it: "feature", "name", "class", "weight", "time" or "left out"; of a row, "name" and "class" are
    #: those of the sample, and "sample" where samples are columns. ``""`` where the file could not be read.
    role: str = ""
    #: What its cells hold: "number", "whole number", "yes or no", "text", "order" for words that are read as their
    #: places in an order, or "empty"
    kind: str = ""
    least: float = np.nan  #: NaN where it has no number
    median: float = np.nan  #: NaN where it has no number
    most: float = np.nan  #: NaN where it has no number
    missing: int = 0  #: Cells without a value
    distinct: int = 0  #: Different values
    examples: tuple[str, ...] = ()  #: The first three different values
    bars: tuple[int, ...] = ()  #: How many numbers lie in each tenth from the least to the most; empty for text


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of text, "" where nothing stands; ``levels`` are its values where the format declares them."""

    name: str
    values: list[str]
    levels: tuple[str, ...] = ()
    place: int = 0

    @property
    def called(self) -> str:
        """How a sentence begins that is about this column."""
        return f"Column {self.name!r:.60}" if self.name else "The first column, which has no name,"

    @property
    def identifies(self) -> bool:
        """Whether each row has a text of its own."""
        return (
            len(self.values) > 1 and len(set(self.values)) == len(self.values) and self.name.lower() not in CLASS_NAMES
        )


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of numbers, NaN where one is missing, and those of text; those of other roles lie beside."""

    every: tuple[str, ...]  # the names of all columns as read
    numbers: Any
    places: np.ndarray  # of each column of numbers among all
    texts: tuple[Texts, ...] = ()
    beside: Mapping[int, np.ndarray | Texts] = field(default_factory=dict)  # by place
    roles: Mapping[int, str] = field(default_factory=dict)  # by place, of those beside
    role: str = "feature"  # of the columns of numbers
    kinds: Mapping[int, str] = field(default_factory=dict)  # by place, of numbers written as words
    levels: Mapping[int, Mapping[float, str]] = field(default_factory=dict)  # by place, what codes stand for
    notes: tuple[Note, ...] = ()
    doubts: tuple[Note, ...] = ()

    @cached_property
    def names(self) -> list[str]:
        """Those of the columns of numbers."""
        return [self.every[place] for place in self.places.tolist()]

    def saying(self, says: str, topic: str = "", about: Sequence[str] = (), **otherwise: Any) -> Table:
        """Note a decision."""
        return replace(self, notes=(*self.notes, decision(says, topic, about, **otherwise)))

    def asking(self, topic: str, says: str, *choices: Choice, **about: Any) -> Table:
        """Note a doubt."""
        return replace(self, doubts=(*self.doubts, doubt(topic, says, *choices, **about)))

    def without(self, columns: Sequence[int | Texts], role: str = "left out") -> Table:
        """Leave out some columns, of text or by their places among the numbers, which get another role."""
        if not len(columns):
            return self
        at = [j for j in columns if not isinstance(j, Texts)]
        gone = {one.place: one for one in columns if isinstance(one, Texts)}
        beside = {**self.beside, **gone, **{int(self.places[j]): self.numbers[:, j] for j in at}}
        return replace(
            self,
            numbers=np.delete(self.numbers, at, axis=1) if at else self.numbers,
            places=np.delete(self.places, at) if at else self.places,
            texts=tuple(text for text in self.texts if text.place not in gone),
            beside=beside,
            roles={**dict.fromkeys(beside, role), **self.roles},
        )

    def of_rows(self, kept: np.ndarray) -> Table:
        """Keep some rows."""
        where = np.flatnonzero(kept)

        def some(one: Any) -> Any:
            return replace(one, values=[one.values[i] for i in where]) if isinstance(one, Texts) else one[where]

        beside = {place: some(one) for place, one in self.beside.items()}
        return replace(self, numbers=self.numbers[where], texts=tuple(map(some, self.texts)), beside=beside)

    def of_role(self, role: str) -> np.ndarray | Texts | None:
        """The column that has a role which only one can have."""
        return next((self.beside[place] for place, one in self.roles.items() if one == role), None)

    def described(self) -> tuple[Column, ...]:
        """Return what is known of every column."""
        made: dict[int, Column] = {}
        for place, one in [*((text.place, text) for text in self.texts), *self.beside.items()]:
            if isinstance(one, Texts):
                words = dict.fromkeys(filter(None, one.values))
                examples, missing = tuple(words)[:EXAMPLES], one.values.count("")
                made[place] = Column("", kind="text", missing=missing, distinct=len(words), examples=examples)
        for places, values in self._blocks():
            made |= zip(places, _described(values), strict=True)
        for place in {*self.levels, *self.kinds}:
            column, levels = made[place], self.levels.get(place, {})
            if levels and column.kind != "text":
                shown = [f"{code} = {levels[float(code)]}" for code in column.examples if float(code) in levels]
                column = replace(column, examples=tuple(shown) or column.examples)
            made[place] = replace(column, kind=self.kinds.get(place, column.kind))
        roles = {**dict.fromkeys(self.places.tolist(), self.role), **self.roles}
        return tuple(
            replace(made[place], name=name, role=roles.get(place, "left out")) for place, name in enumerate(self.every)
        )

    def _blocks(self) -> Iterator[tuple[list[int], np.ndarray]]:
        """Columns of numbers by their places, few at a time."""
        step = max(1, BLOCK // max(1, self.numbers.shape[0]))
        for start in range(0, len(self.places), step):
            values = self.numbers[:, start : start + step]
            values = values.toarray() if scipy.sparse.issparse(values) else values
            yield self.places[start : start + step].tolist(), values
        for place, one in self.beside.items():
            if not isinstance(one, Texts):
                yield [place], one[:, None]


def _described(values: np.ndarray) -> list[Column]:
    """Return what is known of columns of numbers; sorted, missing values come last."""
    X = np.sort(values, axis=0)
    m, columns = len(X), np.arange(X.shape[1])
    missing = np.isnan(X).sum(axis=0)
    count = m - missing
    last, full = np.maximum(count - 1, 0), count > 0
    least, most = X[0], np.where(full, X[last, columns], np.nan)
    median = (X[last // 2, columns] + X[count // 2 * full, columns]) / 2
    with np.errstate(invalid="ignore", over="ignore"):
        distinct = full + (np.diff(X, axis=0) > 0).sum(axis=0)
        bins = (X - least) / np.where(most > least, most - least, 1.0) * BARS
        whole = ((np.round(X) == X) | np.isnan(X)).all(axis=0) & full
    bins = np.where(np.isfinite(bins), np.minimum(bins, BARS - 1), BARS).astype(int)
    flat = np.bincount((bins + columns * (BARS + 1)).ravel(), minlength=(BARS + 1) * len(columns))
    bars = map(tuple, flat.reshape(len(columns), BARS + 1)[:, :BARS].tolist())
    kinds, examples = np.where(whole, "whole number", "number"), map(_examples, values.T)
    figures = (one.tolist() for one in (kinds, least, median, most, missing, distinct))
    return [Column("", "", *known) for known in zip(*figures, examples, bars, strict=True)]


def _examples(values: np.ndarray) -> tuple[str, ...]:
    """The first different numbers as text."""
    seen = values[~np.isnan(values)]
    few = dict.fromkeys(seen[:20].tolist())
    few = few if len(few) >= EXAMPLES else dict.fromkeys(seen[:1000].tolist())
    return tuple(f"{value:.15g}" for value in list(few)[:EXAMPLES])
