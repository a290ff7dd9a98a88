"""Reads a table in long form, one number a row, as samples in rows and features in columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from nnspca.datasets.cells import text_of
from nnspca.datasets.columns import Table, Texts
from nnspca.datasets.notes import Choice
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import can_be_labels, listed
from nnspca.datasets.scales import means
from nnspca.errors import DataError

FILLED = 0.4  # share of all pairs that must be there, that a table is taken for a long one
MOST_KEYS = 8  # columns that are tried as names of samples or features


def unfold(table: Table, reading: Reading) -> Table:
    """Read a long table as rows and columns, as chosen or where two columns name samples and features."""
    if reading.pivot:
        return _chosen(table, reading.pivot)
    chosen = reading.samples is not None or reading.label is not None or bool(reading.columns)
    if chosen or reading.pivot is not None or not 1 <= len(table.names) <= 4 or len(table.numbers) < 4:
        return table
    for rows, columns, value in _ways(table):
        folded, filled, most = _folded(table, rows, columns, value)
        m, n = folded.numbers.shape
        if filled < FILLED or m < 2 or n < 2:
            continue
        first = tuple(row.name for row in rows)
        says = f"Read in long form: {value!r:.40} for each {listed([*first, columns.name])}, {m:,} samples × {n:,}"
        says += " features, the mean of several numbers for one pair." if most > 1 else " features."
        if len(table.names) == 1 and len(table.texts) == 2 and len(rows) == filled == most == 1:
            return folded.saying(says, "pivot", pivot=())
        ways = [Choice("rows and columns", {"pivot": (first if len(rows) > 1 else first[0], columns.name, value)})]
        if len(rows) == 1:
            ways.append(Choice("the other way round", {"pivot": (columns.name, first[0], value)}))
        return folded.asking("long", says, *ways, Choice("keep the rows", {"pivot": ()}))
    return table


def _keys(table: Table) -> list[Texts]:
    """Columns of which values name samples or features, whole numbers as text, in the order of the file."""
    found = list(table.texts)
    for j, name in enumerate(table.names):
        if can_be_labels(table.numbers[:, j]):
            found.append(Texts(name, list(map(text_of, table.numbers[:, j].tolist())), place=int(table.places[j])))
    return sorted(found, key=lambda key: key.place)


def _ways(table: Table) -> list[tuple[list[Texts], Texts, str]]:
    """Ways to read a table as long: columns that name its samples, one that names features, and that of its numbers."""
    keys = [key for key in _keys(table) if key.name and 2 <= len(set(key.values)) <= len(key.values) / 2][:MOST_KEYS]
    ways = []
    for row, column in itertools.permutations(keys, 2):
        of_samples = not means("key_of_features", row.name) if row in table.texts else means("key_of_samples", row.name)
        of_features = column in table.texts or means("key_of_features", column.name)
        if not of_samples or not of_features or _is_date(column):
            continue
        others = [key for key in keys if key not in (row, column)]
        known = {key.name for key in others if _belongs(key, row, column)}
        values = [name for name in table.names if name not in {row.name, column.name, *known}]
        if len(values) == 1:
            more = [key for key in others if key.name not in {*known, values[0]}]
            ways.append(([row, *more], column, values[0]))
    return sorted(
        ways, key=lambda way: (len(way[0]), not _is_date(way[0][0]), not means("key_of_features", way[1].name))
    )


def _is_date(key: Texts) -> bool:
    return all(means("date", value) for value in key.values[:50])


def _belongs(key: Texts, row: Texts, column: Texts) -> bool:
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
    folded, _, _ = _folded(table, [keys[name] for name in wanted[:-1]], keys[wanted[-1]], str(value))
    return folded.saying(f"Read in long form: {value!r:.40} for each {listed(wanted)}.", "pivot", pivot=())


def _folded(table: Table, rows: Sequence[Texts], columns: Texts, value: str) -> tuple[Table, float, int]:
    """The table, the share of its pairs that are there, and the most numbers of a pair: it has their mean."""
    joined = [" · ".join(some) for some in zip(*(row.values for row in rows), strict=True)]
    samples, features = list(dict.fromkeys(joined)), list(dict.fromkeys(columns.values))
    at, across = (dict(zip(names, range(len(names)), strict=True)) for names in (samples, features))
    pairs = zip(joined, columns.values, strict=True)
    pair = np.array([at[row] * len(features) + across[column] for row, column in pairs])
    numbers = table.numbers[:, table.names.index(value)]
    known, size = ~np.isnan(numbers), len(samples) * len(features)
    counts = np.bincount(pair[known], minlength=size)
    sums = np.bincount(pair[known], numbers[known], minlength=size)
    X = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).reshape(len(samples), len(features))
    head = " · ".join(row.name for row in rows)
    names, places = (head, *features), np.arange(1, 1 + len(features))
    made = Table(names, X, places, (Texts(head, samples),), notes=table.notes, doubts=table.doubts)
    return made, len(np.unique(pair)) / size, int(counts.max(initial=0))
