"""The columns of a table as it was read, those left out too: what each is, and what its values are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
import scipy.sparse

Role = Literal["feature", "name", "class", "weight", "time", "left out"]
ColumnKind = Literal["number", "whole number", "yes or no", "text", "order", "empty"]
EXAMPLES, BARS = 3, 10  # values shown of a column, and bars of its histogram
BLOCK = 2**22  # numbers that are sorted at once


@dataclass(frozen=True)
class Column:
    """One column of a table as it was read.

    Attributes
    ----------
    name : str
        As the header has it; ``""`` for a column without one.
    role : {"feature", "name", "class", "weight", "time", "left out", "sample"}
        What became of it: of a row, ``"name"`` and ``"class"`` are those of the sample; ``"sample"`` where samples are
        columns.
    kind : {"number", "whole number", "yes or no", "text", "order", "empty"}
        What its cells hold; ``"order"`` for words that are read as their places in an order.
    least, median, most : float
        Of its numbers, NaN where it has none.
    missing : int
        Cells without a value.
    distinct : int
        Different values.
    examples : tuple of str
        The first three different values.

    Examples
    --------
    >>> import nnspca
    >>> columns = nnspca.datasets.read(b"plot,kind,pH\\n1,a,7.5\\n1,b,6.9\\n2,a,7.1", "soil.csv").columns
    >>> [(column.name, column.role, column.kind) for column in columns]
    [('plot', 'feature', 'whole number'), ('kind', 'class', 'text'), ('pH', 'feature', 'number')]
    >>> columns[2].least, columns[2].median, columns[2].most, columns[2].examples
    (6.9, 7.1, 7.5, ('7.5', '6.9', '7.1'))
    """

    name: str
    role: str
    kind: str
    least: float = np.nan
    median: float = np.nan
    most: float = np.nan
    missing: int = 0
    distinct: int = 0
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Words:
    """What is known of a column of text."""

    missing: int
    distinct: int
    examples: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Figures:
    """What describes numbers, one entry a column: NaN and 0 where a column has none."""

    least: np.ndarray
    median: np.ndarray
    most: np.ndarray
    missing: np.ndarray
    distinct: np.ndarray
    bars: np.ndarray  # (n, 10): how many values lie in each tenth from the least to the most


@dataclass(frozen=True, eq=False)
class Columns(Sequence[Column]):
    """All columns of a table, made into :class:`Column` when asked for; ``figures`` has their numbers as arrays.

    Attributes
    ----------
    names, roles, kinds : tuple of str
        One for each column, in the order of the file.
    places : ndarray of int, shape (n,)
        Of a column of numbers its place in ``numbers``; −1 for text.
    numbers : ndarray or sparse array, shape (m, p)
        The columns of numbers as they were read, NaN where one is missing; None where only ``known`` came over.
    beside : mapping of int to ndarray, shape (m,)
        Columns of numbers that are no features, by place.
    words : mapping of int to Words
        Of a column of text, by place.
    levels : mapping of int to mapping of float to str
        What numbers stand for, by place: words that are an order, and value labels.

    Examples
    --------
    >>> import nnspca
    >>> table = nnspca.datasets.preview(b"a,b\\n1,x\\n3,y\\n8,x", "t.csv").columns
    >>> table.names, table.roles, table.figures.most.tolist()
    (('a', 'b'), ('feature', 'class'), [8.0, nan])
    """

    names: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    places: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    numbers: Any = None
    beside: Mapping[int, np.ndarray] = field(default_factory=dict)
    words: Mapping[int, Words] = field(default_factory=dict)
    levels: Mapping[int, Mapping[float, str]] = field(default_factory=dict)
    known: Figures | None = None
    known_examples: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of_features(cls, X: Any, names: Sequence[str]) -> Columns:
        """Describe an array of which every column is a feature."""
        n = len(names)
        return cls(tuple(names), ("feature",) * n, ("",) * n, np.arange(n), X)

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, j: int) -> Column: ...
    @overload
    def __getitem__(self, j: slice) -> tuple[Column, ...]: ...
    def __getitem__(self, j: int | slice) -> Column | tuple[Column, ...]:
        if isinstance(j, slice):
            return tuple(self[i] for i in range(len(self))[j])
        j = range(len(self))[j]
        role = self.roles[j] if self.roles else ""
        if j in self.words:
            words = self.words[j]
            none = (np.nan, np.nan, np.nan)
            return Column(self.names[j], role, self.kinds[j], *none, words.missing, words.distinct, words.examples)
        if not len(self.places):  # of a table that could not be read
            return Column(self.names[j], role, "")
        seen = self.figures
        ends = float(seen.least[j]), float(seen.median[j]), float(seen.most[j])
        counted = int(seen.missing[j]), int(seen.distinct[j])
        return Column(self.names[j], role, self.kind(j), *ends, *counted, self.examples(j))

    def __iter__(self) -> Iterator[Column]:
        return (self[j] for j in range(len(self)))

    def kind(self, j: int) -> str:
        """Return the kind of a column; that of plain numbers is found by looking."""
        if self.kinds[j]:
            return self.kinds[j]
        seen = self._numbers_of(j)
        return "whole number" if seen.size and bool((seen == np.round(seen)).all()) else "number"

    def examples(self, j: int) -> tuple[str, ...]:
        """Return the first different values of a column as text."""
        if j in self.words:
            return self.words[j].examples
        if self.numbers is None:
            return self.known_examples[j] if self.known_examples else ()
        words, values = self.levels.get(j, {}), dict.fromkeys(self._numbers_of(j)[:1000].tolist())
        return tuple(f"{v:.15g}" + (f" = {words[v]}" if v in words else "") for v in list(values)[:EXAMPLES])

    def _numbers_of(self, j: int) -> np.ndarray:
        """The numbers of a column that are not missing."""
        if j in self.beside:
            values = self.beside[j]
        else:
            values = self.numbers[:, [int(self.places[j])]]
            values = np.ravel(values.toarray() if scipy.sparse.issparse(values) else values)
        return values[~np.isnan(values)]

    @cached_property
    def figures(self) -> Figures:
        """The least, median and most of each column, and what else counts its values."""
        n = len(self.names)
        if self.known is not None:
            return self.known
        (least, median, most), (missing, distinct) = np.full((3, n), np.nan), np.zeros((2, n), int)
        made = Figures(least, median, most, missing, distinct, np.zeros((n, BARS), int))
        for j, words in self.words.items():
            made.missing[j], made.distinct[j] = words.missing, words.distinct
        among = np.flatnonzero(self.places >= 0) if self.numbers is not None else np.empty(0, int)
        step = max(1, BLOCK // max(1, self.numbers.shape[0])) if among.size else 1
        for some in (among[start : start + step] for start in range(0, among.size, step)):
            values = self.numbers[:, self.places[some]]
            _describe(made, some, values.toarray() if scipy.sparse.issparse(values) else values)
        if self.beside:
            _describe(made, np.array(list(self.beside)), np.column_stack(list(self.beside.values())))
        return made

    def with_roles(self, roles: Mapping[str, str]) -> Columns:
        """Return the same with other roles, by name."""
        if not self.roles or not roles:
            return self
        return replace(self, roles=tuple(roles.get(n, r) for n, r in zip(self.names, self.roles, strict=True)))

    def with_feature_role(self, role: str) -> Columns:
        """Return the same with another role in place of that of features."""
        return replace(self, roles=tuple(role if one == "feature" else one for one in self.roles))

    def some(self, places: Sequence[int]) -> Columns:
        """Return some of the columns, in this order: their figures are computed without those of the others."""

        def pick(values: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(values[j] for j in places) if values else ()

        def kept(held: Mapping[int, Any]) -> dict[int, Any]:
            return {i: held[j] for i, j in enumerate(places) if j in held}

        return replace(
            self,
            names=pick(self.names),
            roles=pick(self.roles),
            kinds=pick(self.kinds),
            places=self.places[list(places)] if len(self.places) else self.places,
            beside=kept(self.beside),
            words=kept(self.words),
            levels=kept(self.levels),
            known=None if self.known is None else Figures(*(of[list(places)] for of in vars(self.known).values())),
            known_examples=pick(self.known_examples),
        )

    def without_numbers(self) -> Columns:
        """Return the same with its figures in place of the numbers."""
        n = range(len(self))
        kinds, examples = tuple(map(self.kind, n)) if self.kinds else (), tuple(map(self.examples, n))
        return replace(self, kinds=kinds, numbers=None, beside={}, known=self.figures, known_examples=examples)


def _describe(made: Figures, some: np.ndarray, values: np.ndarray) -> None:
    """Fill in what describes some columns; sorted, missing values come last."""
    X = np.sort(values, axis=0)
    m = len(X)
    missing = np.isnan(X).sum(axis=0)
    count = m - missing
    full, columns = count > 0, np.arange(X.shape[1])
    last = np.maximum(count - 1, 0)
    made.missing[some] = missing
    made.least[some], made.most[some] = X[0], np.where(full, X[last, columns], np.nan)
    made.median[some] = (X[last // 2, columns] + X[count // 2 * full, columns]) / 2
    made.distinct[some] = full + (np.diff(X, axis=0) > 0).sum(axis=0)
    width = made.most[some] - made.least[some]
    with np.errstate(invalid="ignore", over="ignore"):
        bins = (X - X[0]) / np.where(width > 0, width, 1.0) * BARS
    bins = np.where(np.isfinite(bins), np.minimum(bins, BARS - 1), BARS).astype(int)
    flat = np.bincount((bins + columns * (BARS + 1)).ravel(), minlength=(BARS + 1) * len(columns))
    made.bars[some] = flat.reshape(len(columns), BARS + 1)[:, :BARS]
