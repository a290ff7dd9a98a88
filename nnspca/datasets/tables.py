"""Turns a table of cells into numbers, names of features and samples, and a class; says each decision in a note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import ABSENT, CLASS_NAMES, text_of
from nnspca.datasets.columns import Table, Texts
from nnspca.datasets.covariances import covariance, only_correlations
from nnspca.datasets.dataset import Content, distinct
from nnspca.datasets.layout import Grid
from nnspca.datasets.missing import read_codes
from nnspca.datasets.notes import Choice
from nnspca.datasets.options import Reading
from nnspca.datasets.orders import read_labels, read_orders
from nnspca.datasets.parsing import can_be_labels, counted, parse, quoted, short_header, without_counter, without_empty
from nnspca.datasets.roles import about_samples
from nnspca.datasets.rows import without_ends
from nnspca.datasets.series import asked_levels
from nnspca.datasets.shapes import features_in_columns, pivot, transposed
from nnspca.errors import DataError

FEW_KINDS = 20  # most distinct whole numbers in a column that may be meant as the class


def encode_labels(values: Sequence[str], levels: Sequence[str] = ()) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the classes: declared ones first, then in order of appearance; -1 for a missing one."""
    names = tuple(dict.fromkeys([*levels, *(v for v in values if v.lower() not in ABSENT)]))
    index = {name: i for i, name in enumerate(names)}
    return np.array([index.get(v, -1) for v in values], dtype=np.int64), names


def table_content(grid: Grid, reading: Reading) -> Content:
    """Turn a table into numbers, a class and names; missing values are NaN."""
    of_file = ("name", "class", "weight", "time")  # other columns may have their names only after reading
    if unknown := [name for name, role in reading.columns.items() if role in of_file and name not in grid.names]:
        raise DataError(
            f"columns= names {unknown[0]!r:.60}, and no column is called so; there are: {quoted(grid.names)}."
        )
    table = read_orders(read_labels(parse(grid, reading), grid.labels, reading), reading)
    table = pivot(without_ends(without_empty(table), reading), reading)
    if reading.kind != "table" and reading.samples != "columns":
        table = only_correlations(table)
        found = covariance(table, reading)
        if found is not None:
            return found
    if reading.kind != "covariance":
        table = read_codes(table, reading)
    if reading.samples == "columns" and (label := reading.of_role("class")):
        raise DataError(f"with samples in columns no column is the class, and {label!r:.40} cannot be it.")
    table, rows_are_features = features_in_columns(table, reading)
    return transposed(table, reading) if rows_are_features else _with_class(table, grid, reading)


def _with_class(table: Table, grid: Grid, reading: Reading) -> Content:
    """Samples in rows: leave out what counts them, take their names and their class."""
    if reading.columns.get(table.names[0]) != "feature":
        table = without_counter(table, grid.short)
    table = _with_names(about_samples(table, reading), grid, reading)
    table = _with_one_class(table, grid, reading)
    if others := [text.name for text in table.texts]:
        table = table.without(table.texts)
        table = table.saying(f"{counted(len(others), 'column')} of text left out: {quoted(others)}.", "label", others)
    X = np.ascontiguousarray(table.numbers)
    X.setflags(write=False)
    named, classes, weights = map(table.of_role, ("name", "class", "weight"))
    sample_names: tuple[str, ...] = ()
    if named is not None:
        sample_names = distinct(named.values if isinstance(named, Texts) else map(text_of, named.tolist()))
    labels, label_names = _labels(classes)
    table = _asked_many_out(asked_levels(table, X, sample_names, reading))
    return Content(
        X=X,
        feature_names=tuple(name or "column 1" for name in table.names) if grid.named else (),
        labels=labels,
        label_names=label_names,
        sample_names=sample_names,
        weights=weights if isinstance(weights, np.ndarray) else None,
        notes=table.notes,
        doubts=table.doubts,
        table=replace(table, numbers=X),
    )


def _labels(classes: np.ndarray | Texts | None) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Number the classes that a column names."""
    if classes is None:
        return None, ()
    if isinstance(classes, Texts):
        return encode_labels(classes.values, classes.levels)
    levels, labels = np.unique(classes.astype(np.int64), return_inverse=True)
    return labels, tuple(map(str, levels))


def _asked_many_out(table: Table) -> Table:
    """Ask about columns left out, where these are most of all."""
    gone = [j for j, one in table.beside.items() if table.roles[j] == "left out" and _holds(one)]
    chosen = {name for note in table.notes if note.topic == "chosen" for name in note.about}
    names = [table.every[j] for j in sorted(gone) if table.every[j] not in chosen]
    if len(names) <= len(table.names) or len(names) < 3:
        return table
    says = f"{len(names):,} of {len(table.every):,} columns are left out, which is most of them: {quoted(names)}."
    return table.asking(
        "left out", says, Choice("left out", {"columns": dict.fromkeys(names, "left out")}), about=names
    )


def _holds(one: np.ndarray | Texts) -> bool:
    """Whether a column holds different values."""
    return len(set(one.values) - {""}) > 1 if isinstance(one, Texts) else bool((one > np.fmin.reduce(one)).any())


def _with_names(table: Table, grid: Grid, reading: Reading) -> Table:
    """Give the column chosen, else the first text that tells all rows apart, the role of the samples' names."""
    if (name := reading.of_role("name")) is not None:
        one, values = _column(table, name)
        if one is None or len(set(values)) < len(values):
            raise DataError(f"column {name!r:.60} cannot name the samples: each needs a name of its own.")
        table = table.without([one], "name")
        table = table.saying(f"Column {name!r:.60} names the samples, as chosen.", "columns", [name])
    for text in table.texts:
        few = {*text.values} - ({""} if text.name.lower() not in CLASS_NAMES else set())
        many = len(text.values) > 2 * FEW_KINDS and len(set(text.values)) > len(text.values) / 2
        if grid.short and not text.place and not text.identifies:
            raise short_header(len(grid.names))
        if len(text.values) > 1 and len(few) == 1:
            table = table.without([text]).saying(f"{text.called} has one text: left out.", "columns", [text.name])
        elif "class" in (grid.roles.get(text.name), reading.columns.get(text.name)):
            continue
        elif text.identifies or many:
            is_name = table.of_role("name") is None and reading.sample_names is None
            role, does = ("name", "names the samples") if is_name else ("left out", "is left out")
            says = f"{text.called} {does}: it has {'a' if text.identifies else 'nearly a'} different text in each row."
            otherwise = {"sample_names": ""} if is_name else {}
            table = table.without([text], role).saying(says, "columns", [text.name], **otherwise)
    return table


def _column(table: Table, name: str) -> tuple[int | Texts | None, list[str]]:
    """A column of text, or the place of one of whole numbers, and its values as text; None where there is none."""
    for text in table.texts:
        if text.name == name:
            return text, text.values
    if name not in table.names or not can_be_labels(values := table.numbers[:, table.names.index(name)]):
        return None, []
    return table.names.index(name), list(map(text_of, values.tolist()))


def _with_one_class(table: Table, grid: Grid, reading: Reading) -> Table:
    """Give the column chosen, else one so marked or called, else the first text that repeats, the role of the class."""
    wanted, how = reading.of_role("class"), "as chosen"
    if wanted is None and reading.label is None:
        wanted, how = next((name for name, role in grid.roles.items() if role == "class"), None), "as the file says"
    if wanted is None and reading.label is None:
        texts = [text.name for text in table.texts if grid.roles.get(text.name) != "meta"]
        numbers = [
            name
            for j, name in enumerate(table.names)
            if name.lower() in CLASS_NAMES and reading.columns.get(name) != "feature" and len(table.names) > 1
            if can_be_labels(table.numbers[:, j]) and not is_counted(table.numbers, j)
        ]
        called = [name for name in texts if name.lower() in CLASS_NAMES]
        wanted, how = next(iter([*called, *texts, *numbers]), None), "by its texts" if texts else "by its name"
    if wanted is None:
        return table
    one, _ = _column(table, wanted)
    if one is None or (not isinstance(one, Texts) and len(table.names) == 1):
        raise DataError(f"column {wanted!r:.60} cannot be the class: it needs texts or whole numbers beside a feature.")
    what = one.called if isinstance(one, Texts) else f"Column {wanted!r:.60}"
    return table.without([one], "class").saying(f"{what} is the class, {how}.", "label", [wanted], label="")


def is_counted(X: np.ndarray, j: int) -> bool:
    """Whether a column stands between others that are all counts with zeros, as those of words in texts are."""
    between = 0 < j < X.shape[1] - 1 and not X.min(axis=0).any()
    return between and can_be_labels(X) and bool(X.max() > 1)
