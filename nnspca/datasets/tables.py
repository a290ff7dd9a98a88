"""Turns a table of cells into numbers, names of features and samples, and a class; says each decision in a note."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnspca.datasets.cells import ABSENT, CLASS_NAMES, text_of
from nnspca.datasets.codes import read_codes
from nnspca.datasets.covariances import covariance, only_correlations
from nnspca.datasets.dataset import Content, distinct
from nnspca.datasets.folding import unfold
from nnspca.datasets.layout import Grid
from nnspca.datasets.notes import Choice, Note, decision, doubt
from nnspca.datasets.options import Reading
from nnspca.datasets.orders import read_labels, read_orders
from nnspca.datasets.parsing import (
    Table,
    Texts,
    counted,
    is_whole,
    listed,
    parse,
    short_header,
    without_counter,
    without_empty,
)
from nnspca.datasets.roles import about_samples
from nnspca.datasets.rows import without_ends
from nnspca.datasets.turning import orient, turned
from nnspca.errors import DataError

FEW_KINDS = 20  # most distinct whole numbers in a column that may be meant as the class
LOOKED_AT = 2000  # most columns of which each is examined for classes and names


def encode_labels(values: Sequence[str], levels: Sequence[str] = ()) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the classes: declared ones first, then in order of appearance; -1 for a missing one."""
    names = tuple(dict.fromkeys([*levels, *(v for v in values if v.lower() not in ABSENT)]))
    index = {name: i for i, name in enumerate(names)}
    return np.array([index.get(v, -1) for v in values], dtype=np.int64), names


def arrange(grid: Grid, reading: Reading) -> Content:
    """Turn a table into numbers, a class and names; missing values are NaN."""
    of_file = ("name", "class", "weight", "time")  # other columns may have their names only after reading
    if unknown := [name for name, role in reading.columns.items() if role in of_file and name not in grid.names]:
        raise DataError(
            f"columns= names {unknown[0]!r:.60}, and no column is called so; there are: {listed(grid.names)}."
        )
    table = read_orders(read_labels(parse(grid, reading), grid.labels, reading), reading)
    table = unfold(without_ends(without_empty(table), reading), reading)
    if reading.kind != "table" and reading.samples != "columns":
        table = only_correlations(table)
        found = covariance(table, reading)
        if found is not None:
            return found
    if reading.kind != "covariance":
        table = read_codes(table, reading)
    if reading.samples == "columns" and reading.label:
        raise DataError(f"with samples in columns no column is the class, and {reading.label!r:.40} cannot be it.")
    table, rows_are_features = orient(table, reading)
    return turned(table) if rows_are_features else _with_class(table, grid, reading)


def _with_class(table: Table, grid: Grid, reading: Reading) -> Content:
    """Samples in rows: leave out what counts them, take their names and their class."""
    if reading.columns.get(table.names[0]) != "feature":
        table = without_counter(table, grid.short)
    table = about_samples(table, reading)
    able = _could_name(table)
    sample_names, table = _names(table, grid, able, reading)
    candidates = _could_be_class(table)
    labels, label_names, table = _class(table, grid, reading)
    X = np.ascontiguousarray(table.numbers)
    X.setflags(write=False)
    return Content(
        X=X,
        feature_names=tuple(name or "column 1" for name in table.names) if grid.named else (),
        labels=labels,
        label_names=label_names,
        class_columns=candidates,
        sample_names=sample_names,
        name_columns=able,
        notes=table.notes,
        doubts=(*table.doubts, *_asked_many_out(table)),
        table=table.columns(X),
    )


def _asked_many_out(table: Table) -> tuple[Note, ...]:
    """The question about columns left out, where these are most of all."""
    out = [j for j, one in table.beside.items() if table.roles.get(j, "left out") == "left out" and _holds(one)]
    chosen = {name for note in table.notes if note.topic == "chosen" for name in note.about}
    names = [table.every[j] for j in sorted(out) if table.every[j] not in chosen]
    if len(names) <= len(table.names) or len(names) < 3:
        return ()
    says = f"{len(names):,} of {len(table.every):,} columns would be left out, which is most of them: {listed(names)}."
    return (doubt("left out", says, Choice("left out", {"columns": dict.fromkeys(names, "left out")}), about=names),)


def _holds(one: np.ndarray | Texts) -> bool:
    """Whether a column holds different values."""
    return len(set(one.values) - {""}) > 1 if isinstance(one, Texts) else bool((one > np.fmin.reduce(one)).any())


def _names(table: Table, grid: Grid, able: tuple[str, ...], reading: Reading) -> tuple[tuple[str, ...], Table]:
    """The names of the samples: the column chosen, else the first text that tells all rows apart."""
    if name := reading.sample_names:
        if name not in able:
            raise DataError(
                f"column {name!r:.60} cannot name the samples: each needs a name of its own. These can: "
                f"{listed(able) or 'none'}."
            )
        table = table.saying(decision(f"Column {name!r:.60} names the samples, as chosen.", "sample_names", [name]))
        if text := next((text for text in table.texts if text.name == name), None):
            return tuple(text.values), table.without_texts([text], "name")
        j = table.names.index(name)
        return tuple(map(text_of, table.numbers[:, j].tolist())), table.without([j], "name")
    taken: tuple[str, ...] = ()
    for text in table.texts:
        few = {*text.values} - ({""} if text.name.lower() not in CLASS_NAMES else set())
        many = len(text.values) > 2 * FEW_KINDS and len(set(text.values)) > len(text.values) / 2
        each = "a different text in each row" if text.identifies else "as many texts as names have"
        if grid.short and not text.place and not text.identifies:
            raise short_header(len(grid.names))
        if len(text.values) > 1 and len(few) == 1:
            filled = sum(map(bool, text.values))
            where = "all rows" if filled == len(text.values) else f"{filled:,} of {len(text.values):,} rows, no other"
            table = table.without_texts([text])
            table = table.saying(decision(f"{text.called} has one text in {where}: left out.", "columns", [text.name]))
        elif grid.roles.get(text.name) == "class" or text.name == reading.label or not (text.identifies or many):
            continue
        elif taken or reading.sample_names == "":
            table = table.without_texts([text])
            table = table.saying(decision(f"{text.called} has {each}: left out.", "sample_names", [text.name]))
        else:
            said = f"{text.called} has {each}: taken as the names of the rows."
            table = table.without_texts([text], "name")
            table = table.saying(decision(said, "sample_names", [text.name], sample_names=""))
            taken = distinct(text.values)
    return taken, table


def _class(table: Table, grid: Grid, reading: Reading) -> tuple[np.ndarray | None, tuple[str, ...], Table]:
    """The class: the column chosen, else one so marked or called, else the first text that repeats."""
    marked = next((name for name, role in grid.roles.items() if role == "class"), None)
    wanted = marked if reading.label is None else reading.label
    how = "is the class, as chosen" if reading.label is not None else "is the class, as the file says"
    chosen = next((text for text in table.texts if text.name == wanted), None)
    if wanted is None:
        texts = [text for text in table.texts if grid.roles.get(text.name) != "meta"]
        called = [text for text in texts if text.name.lower() in CLASS_NAMES]
        chosen, how = next(iter(called or texts), None), "holds text: read as the class"
        if chosen is None and len(table.names) > 1:
            whole = (
                name
                for name, values in zip(table.names, table.numbers.T, strict=True)
                if name.lower() in CLASS_NAMES and reading.columns.get(name) != "feature" and is_whole(values)
            )
            whole = (name for name in whole if not is_counted(table.numbers, table.names.index(name)))
            wanted, how = next(whole, None), "holds whole numbers: read as the class"
    if chosen is not None:
        table = table.without_texts([chosen], "class")
        table = table.saying(decision(f"{chosen.called} {how}.", "label", [chosen.name], label=""))
    if others := [text.name for text in table.texts]:
        said = f"{counted(len(others), 'column')} of text left out: {listed(others)}."
        table = table.without_texts(table.texts).saying(decision(said, "label", others))
    if chosen is not None:
        return *encode_labels(chosen.values, chosen.levels), table
    if not wanted:
        return None, (), table
    if wanted not in table.names:
        known = listed([*others, *table.names])
        raise DataError(f"no column is called {wanted!r:.60}; there are: {known}. Choose one of these as the class.")
    j = table.names.index(wanted)
    if len(table.names) == 1 or not is_whole(table.numbers[:, j]):
        raise DataError(f"column {wanted!r:.60} cannot be the class: it needs texts or whole numbers beside a feature.")
    levels, labels = np.unique(table.numbers[:, j].astype(np.int64), return_inverse=True)
    table = table.without([j], "class").saying(decision(f"Column {wanted!r:.60} {how}.", "label", [wanted], label=""))
    return labels, tuple(map(str, levels)), table


def is_counted(X: np.ndarray, j: int) -> bool:
    """Whether a column stands between others that are all counts with zeros, as those of words in texts are."""
    between = 0 < j < X.shape[1] - 1 and not X.min(axis=0).any()
    return between and is_whole(X) and bool(X.max() > 1)


def _could_be_class(table: Table) -> tuple[str, ...]:
    """The columns that may be meant as the class: text that repeats, and few distinct whole numbers."""
    columns = [text.name for text in table.texts if text.name]
    looked = table.names if 1 < len(table.names) <= LOOKED_AT else []
    for j, name in enumerate(looked):
        values = table.numbers[:, j]
        if is_whole(values[:1000]) and is_whole(values):
            kinds = len(np.unique(values))
            if 1 < kinds <= FEW_KINDS and kinds < len(values):
                columns.append(name)
    return tuple(dict.fromkeys(columns))


def _could_name(table: Table) -> tuple[str, ...]:
    """The columns that may name the samples: texts, or whole numbers, of which none is there twice."""
    texts = [text.name for text in table.texts if text.name and text.identifies]
    if not 1 < len(table.names) <= LOOKED_AT:
        return tuple(texts)
    columns = zip(table.names, table.numbers.T, strict=True)
    numbers = [name for name, values in columns if name and is_whole(values) and len(np.unique(values)) == len(values)]
    return (*texts, *numbers)
