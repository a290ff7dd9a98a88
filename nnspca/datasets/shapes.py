"""Tells in which shape a table lies, in long form or with features in rows as those of genes, and turns it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import text_of
from nnspca.datasets.columns import Table, Texts
from nnspca.datasets.dataset import Content, distinct
from nnspca.datasets.notes import Choice
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import can_be_labels, quoted, without_counter
from nnspca.datasets.scales import means, patterns
from nnspca.datasets.series import asked_levels
from nnspca.errors import DataError

FILLED = 0.4  # share of all pairs that must be there, that a table is taken for a long one
MOST_KEYS = 8  # columns that are tried as names of samples or features


def pivot(table: Table, reading: Reading) -> Table:
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
        says = f"Read in long form: {value!r:.40} for each {quoted([*first, columns.name])}, {m:,} samples × {n:,}"
        says += " features, the mean of several numbers for one pair." if most > 1 else " features."
        if len(table.names) == 1 and len(table.texts) == 2 and len(rows) == filled == most == 1:
            return folded.saying(says, "pivot", pivot=())
        ways = [Choice("rows and columns", {"pivot": (first if len(rows) > 1 else first[0], columns.name, value)})]
        if len(rows) == 1:
            ways.append(Choice("the other way round", {"pivot": (columns.name, first[0], value)}))
        return folded.asking("long", says, *ways, Choice("keep the rows", {"pivot": ()}))
    return table


def _keys(table: Table) -> list[Texts]:
    """Return the columns whose values may name samples or features, whole numbers as text, in the file's order."""
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
            raise DataError(f"pivot= names {name!r:.60}, and no column is called so; there are: {quoted(table.every)}.")
    if value not in table.names or any(name not in keys for name in wanted):
        raise DataError(f"pivot={tuple(pivot)!r:.100} needs two columns of names and one of numbers.")
    folded, _, _ = _folded(table, [keys[name] for name in wanted[:-1]], keys[wanted[-1]], str(value))
    return folded.saying(f"Read in long form: {value!r:.40} for each {quoted(wanted)}.", "pivot", pivot=())


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


def features_in_columns(table: Table, reading: Reading) -> tuple[Table, bool]:
    """Tell whether the rows are features, as chosen or by looking; return the table with what was said of it, too."""
    if reading.samples is not None:
        return (_of_amounts(table) if reading.samples == "columns" else table), reading.samples == "columns"
    if reading.of_role("class") or reading.of_role("name") or len(table.names) < 2:
        return table, False
    columns, rows = Choice("in columns", {"samples": "columns"}), Choice("in rows", {"samples": "rows"})
    reasons = _reasons(table)
    why = ", ".join(dict.fromkeys(reasons))
    if amounts := _amounts(table):
        says = f"The rows seem to be features and the columns samples: {amounts}. Where are the samples?"
        return _of_amounts(table).asking("samples", says, columns, rows), True
    if len(reasons) >= 3:
        says = f"The rows were read as features and the columns as samples: {why}."
        return table.saying(says, "samples", samples="rows"), True
    if len(reasons) == 2:
        says = f"The rows were read as samples, but may be features: {why}. Where are the samples?"
        return table.asking("samples", says, rows, columns), False
    return table, False


def _reasons(table: Table) -> list[str]:
    """Why the rows seem to be features, as genes are: names, counts and shapes; what names them so counts twice."""
    m, n = table.numbers.shape
    if (named := _row_names(table)) is None:
        return []
    some, reasons = named.values[:500], []
    if means("name_of_features", named.name.strip("# ")):
        reasons += [f"their names stand under {named.name!r:.40}"] * 2
    numbered_rows = len({name.rstrip("0123456789") for name in some}) <= 2  # S001, S002, …
    if sum(means("probe", name) for name in some) >= 0.6 * len(some):
        reasons += [f"they are named like probes or genes ({some[0]!r:.30})"] * 2
    elif len(some) >= 20 and not numbered_rows and sum(means("gene", name) for name in some) >= 0.6 * len(some):
        reasons.append(f"they are named like genes ({some[0]!r:.30})")
    if not reasons:
        return []
    names = table.names[:500]
    stems = {name.rstrip("0123456789") for name in names}
    numbered = len(stems) <= len(names) / 2 and not stems & set(names)
    if numbered or sum(means("sample", name) for name in names) >= 0.6 * len(names):
        reasons.append(f"the columns are named like samples ({names[0]!r:.30})")
    if m >= 5 * n and m >= 50:
        reasons.append(f"there are {m:,} of them for {n:,} columns")
    return reasons


def _group(table: Table) -> list[int]:
    """The columns of amounts, one a sample, beside others about the features; none where there is no such group."""
    for pattern in patterns("amount"):  # the best first
        group = [j for j, name in enumerate(table.names) if pattern.fullmatch(name)]
        if len(group) >= 2 and len({pattern.fullmatch(table.names[j])[1] for j in group}) == len(group):  # type: ignore[index]
            return group
    return []


def _amounts(table: Table) -> str:
    """Why columns seem to be samples, from their names and what stands beside them; empty where they do not."""
    about = [name for name in (*table.names, *(text.name for text in table.texts)) if means("about_features", name)]
    group = [table.names[j] for j in _group(table)]
    about = [name for name in about if name not in group]
    if group and about:
        return f"amounts in {quoted(group)} stand beside {quoted(about)}"
    wells = [name for name in table.names if means("well", name)]
    first = table.every[0]
    if len(wells) >= max(6, 0.6 * len(table.names)) and first not in wells and means("along_rows", first):
        return f"the columns are wells ({wells[0]!r:.20}) and the rows go along {first!r:.40}"
    return ""


def _of_amounts(table: Table) -> Table:
    """Leave out what is said about features beside a group of columns of amounts."""
    group = _group(table)
    if not group or not _amounts(table):
        return table
    return table.without(
        [j for j in range(len(table.names)) if j not in group and not means("name_of_features", table.names[j])]
    )


def _row_names(table: Table) -> Texts | None:
    """What names the rows: whole numbers under a heading for features, else the first text that mostly differs."""
    values, head = table.numbers[:, 0], table.names[0]
    along = means("along_rows", head) and sum(means("well", name) for name in table.names) > 1
    able = along or (means("name_of_features", head.strip("# ")) and can_be_labels(values))
    if able and len(np.unique(values)) == len(values):
        return Texts(head, list(map(text_of, values.tolist())), place=int(table.places[0]))
    return next((one for one in table.texts[:1] if len(set(one.values)) > len(one.values) / 2), None)


def transposed(table: Table, reading: Reading) -> Content:
    """The transpose: rows are features."""
    named = _row_names(table) or next(iter(table.texts), None)
    if named is None:
        table = without_counter(table, False)
    else:
        table = table.without([named] if named in table.texts else [0], "name")
    about = [j for j, name in enumerate(table.names) if means("about_features", name)]
    about = about if len(about) < len(table.names) - 1 else []
    if names := [*(text.name for text in table.texts), *(table.names[j] for j in about)]:
        table = table.saying(f"Columns about the features, left out: {quoted(names)}.", "columns", names)
    table = table.without([*table.texts, *about])
    samples = tuple(table.names) if all(table.names) else ()
    X = np.ascontiguousarray(table.numbers.T)
    X.setflags(write=False)
    table = asked_levels(table, X, samples, reading)
    return Content(
        X=X,
        feature_names=() if named is None else distinct(named.values),
        sample_names=samples,
        notes=table.notes,
        doubts=table.doubts,
        table=replace(table, numbers=X.T, role="sample"),
    )
