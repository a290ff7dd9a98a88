"""Reads a table in long form, one number a row, as samples in rows and features in columns."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nnspca.datasets.cells import text_of
from nnspca.datasets.notes import Choice, decision, doubt
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import Table, Texts, is_whole, listed
from nnspca.errors import DataError

FILLED = 0.4  # share of all pairs that must be there, that a table is taken for a long one
MOST_KEYS = 8  # columns that are tried as names of samples or features
DATE = re.compile(r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*")
OF_FEATURES = re.compile(
    r".*(variable|item|gene|taxon|species|parameter|indicator|analyte|question|feature|series|ticker|symbol|compound|"
    r"measure|metric|element|channel|sensor|protein|metabolite|marker|product|attribute|variable|merkmal|otu|asv)s?\b.*",
    re.IGNORECASE,
)


OF_SAMPLES = re.compile(
    r"(?:^|[_\s.-])(id|no|nr|subject|person|respondent|participant|patient|case|plot|site|station|year|month|week|day|date|"
    r"time|visit|wave|round|sample)s?(?:$|[_\s.-])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Key:
    """A column that may name samples or features: its values as text, numbered in order of appearance."""

    name: str
    values: list[str]
    is_text: bool

    @property
    def codes(self) -> tuple[np.ndarray, list[str]]:
        places = {value: i for i, value in enumerate(dict.fromkeys(self.values))}
        return np.array([places[value] for value in self.values]), list(places)

    @property
    def repeats(self) -> bool:
        return 2 <= len(set(self.values)) <= len(self.values) / 2

    @property
    def is_date(self) -> bool:
        return all(DATE.fullmatch(value) for value in self.values[:50])


def unfold(table: Table, reading: Reading) -> Table:
    """Read a long table as rows and columns, as chosen or where two columns name samples and features."""
    if reading.pivot:
        return _chosen(table, reading.pivot)
    chosen = reading.samples is not None or reading.label is not None or bool(reading.columns)
    if chosen or reading.pivot is not None or not 1 <= len(table.names) <= 4 or len(table.numbers) < 4:
        return table
    for rows, columns, value in _ways(table):
        key = (table, rows, columns, value)
        sure = len(table.names) == 1 and len(table.texts) == 2 and len(rows) == 1
        folded, filled, replicated = _folded(*key)
        m, n = folded.numbers.shape
        if filled < FILLED or m < 2 or n < 2:
            continue
        named = " and ".join(repr(row.name[:40]) for row in rows)
        said = f"Each row holds one number, {value!r:.40}, for a {named} and a {columns.name!r:.40}"
        mean = "; of several numbers for one pair the mean" if replicated else ""
        said += f": read as {m:,} samples of {n:,} features{mean}."
        if sure and filled == 1 and not replicated:
            return folded.saying(decision(said, "pivot", pivot=()))
        first = tuple(row.name for row in rows) if len(rows) > 1 else rows[0].name
        as_read = Choice("rows and columns", {"pivot": (first, columns.name, value)})
        other = Choice("the other way round", {"pivot": (columns.name, rows[0].name, value)})
        question = doubt("long", said, as_read, *[other] * (len(rows) == 1), Choice("keep the rows", {"pivot": ()}))
        return replace(folded, doubts=(*folded.doubts, question))
    return table


def _keys(table: Table) -> list[_Key]:
    """Columns of which values name samples or features, in the order of the file."""
    found = [(text.place, _Key(text.name, text.values, True)) for text in table.texts]
    for j, name in enumerate(table.names):
        if is_whole(table.numbers[:, j]):
            found.append((int(table.places[j]), _Key(name, list(map(text_of, table.numbers[:, j].tolist())), False)))
    return [key for _, key in sorted(found, key=lambda pair: pair[0])]


def _ways(table: Table) -> list[tuple[list[_Key], _Key, str]]:
    """Ways to read a table as long: columns that name its samples, one that names features, and that of its numbers."""
    keys = [key for key in _keys(table) if key.repeats and key.name][:MOST_KEYS]
    ways = []
    for row, column in itertools.permutations(keys, 2):
        values = [name for name in table.names if name not in (row.name, column.name)]
        if not values or column.is_date or (row.is_text, OF_FEATURES.fullmatch(row.name)) == (True, True):
            continue
        if not column.is_text and not OF_FEATURES.fullmatch(column.name):
            continue
        if not row.is_text and not OF_SAMPLES.search(row.name):
            continue
        others = [key for key in keys if key.name not in (row.name, column.name) and key.name in values]
        values = [name for name in values if name not in {key.name for key in others if _belongs(key, row, column)}]
        if len(values) != 1:
            continue
        more = [
            key for key in keys if key not in (row, column) and key.name != values[0] and not _belongs(key, row, column)
        ]
        ways.append(([row, *more], column, values[0]))
    return sorted(ways, key=lambda way: (len(way[0]), not way[0][0].is_date, not OF_FEATURES.fullmatch(way[1].name)))


def _belongs(key: _Key, row: _Key, column: _Key) -> bool:
    """Whether a column has one value for each sample, or for each feature."""
    return any(len(set(zip(one.values, key.values, strict=True))) == len(set(one.values)) for one in (row, column))


def _chosen(table: Table, pivot: Sequence[str | Sequence[str]]) -> Table:
    """The long table as chosen."""
    first, second, value = pivot
    keys = {key.name: key for key in _keys(table)}
    wanted = [*([first] if isinstance(first, str) else first), str(second)]
    for name in (*wanted, str(value)):
        if name not in keys and name not in table.names:
            raise DataError(f"pivot= names {name!r:.60}, and no column is called so; there are: {listed(table.every)}.")
    if value not in table.names or any(name not in keys for name in wanted):
        raise DataError(f"pivot={tuple(pivot)!r:.100} needs two columns of names and one of numbers.")
    folded, _, _ = _folded(table, [keys[name] for name in wanted[:-1]], keys[str(second)], str(value))
    said = f"Read in long form: {value!r:.40} for each {' and '.join(map(repr, wanted[:-1]))} and {second!r:.40}."
    return folded.saying(decision(said, "pivot", pivot=()))


def _folded(table: Table, rows: Sequence[_Key], columns: _Key, value: str) -> tuple[Table, float, bool]:
    """The table, the share of its pairs that are there, and whether a pair has several numbers: it has their mean."""
    joined = [" · ".join(some) for some in zip(*(row.values for row in rows), strict=True)]
    at, samples = _Key("", joined, True).codes
    across, features = columns.codes
    numbers = table.numbers[:, table.names.index(value)]
    known = ~np.isnan(numbers)
    pair = at * len(features) + across
    counts = np.bincount(pair[known], minlength=len(samples) * len(features))
    sums = np.bincount(pair[known], numbers[known], minlength=len(samples) * len(features))
    with np.errstate(invalid="ignore"):
        X = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).reshape(len(samples), len(features))
    filled = len(np.unique(pair)) / (len(samples) * len(features))
    head = " · ".join(row.name for row in rows)
    made = Table(
        (head, *features),
        X,
        np.arange(1, 1 + len(features)),
        (Texts(head, samples, place=0),),
        notes=table.notes,
        doubts=table.doubts,
    )
    return made, filled, bool((counts > 1).any())
