"""Renames features by a file of two columns: the name in the data, and the name to show."""

from __future__ import annotations

import csv
import io
import itertools
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from nnspca.control.arguments import check_instance, shown
from nnspca.datasets.dataset import Dataset
from nnspca.errors import DataError, reason


def read_names(path_or_bytes: str | os.PathLike[str] | bytes) -> dict[str, str]:
    """Read a file of two columns, separated by tabs, commas or semicolons: a name in the data, and its new name.

    Parameters
    ----------
    path_or_bytes : path or bytes
        Where the file is, or what it contains. A first row such as ``probe,symbol`` does no harm.

    Returns
    -------
    dict
        New names by old ones; old names without a new one are left out.

    Raises
    ------
    nnspca.DataError
        If a row has not two cells, or a name has two meanings.

    Examples
    --------
    >>> read_names(b"X95735_at\\tZYX\\nM55150_at\\tFAH")
    {'X95735_at': 'ZYX', 'M55150_at': 'FAH'}
    """
    if isinstance(path_or_bytes, str | os.PathLike):
        path = Path(path_or_bytes).expanduser()
        if not path.is_file():
            raise DataError(f"there is no file of names at the place given ({path.name!r:.60}). Check the path.")
        data = path.read_bytes()
    elif isinstance(path_or_bytes, bytes):
        data = path_or_bytes
    else:
        raise TypeError(f"path_or_bytes={shown(path_or_bytes)} is not allowed; give a path or what a file contains")
    text = data.decode("utf-8-sig", "replace")
    first = next((line for line in text.splitlines() if line.strip()), "")
    mapping: dict[str, str] = {}
    delimiter = max("\t,;", key=first[:10_000].count)
    try:
        for number, cells in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter), start=1):
            pair = [cell.strip() for cell in cells]
            if any(pair) and len(pair) != 2:
                raise DataError(
                    f"row {number:,} of the file of names has {len(pair):,} cell(s); two are needed: the name in the "
                    "data and what to call it."
                )
            old, new = pair if any(pair) else ("", "")
            if old and new and mapping.setdefault(old, new) != new:
                raise DataError(f"row {number:,} calls {old!r:.60} {new!r:.60}, and a row before {mapping[old]!r:.60}.")
    except csv.Error as error:
        raise DataError(f"the file of names cannot be read{reason(error)}.") from error
    if not mapping:
        raise DataError("the file of names is empty: each row needs a name in the data and what to call it.")
    return mapping


def rename(dataset: Dataset, names: Mapping[str, str]) -> Dataset:
    """Return the data set with new names of its features; those without one keep their own.

    Raises
    ------
    nnspca.DataError
        When none of its features has a new name.

    Examples
    --------
    >>> from nnspca.datasets import read
    >>> ds = read(b"X95735_at,other\\n1,2\\n3,5\\n4,0", "genes.csv")
    >>> rename(ds, {"X95735_at": "ZYX"}).feature_names
    ('ZYX', 'other')
    """
    check_instance("dataset", dataset, Dataset, "as nnspca.datasets.load or read returns it")
    check_instance("names", names, Mapping, "new names by old ones, as nnspca.datasets.read_names returns them")
    known = sum(name in names for name in dataset.feature_names)
    if not known:
        theirs, ours = next(iter(names), ""), dataset.feature_names[0]
        raise DataError(
            f"none of the {dataset.n_features:,} features has a new name: the file's first is {theirs!r:.60}, that of "
            f"the data {ours!r:.60}. The first column must hold the names as they are in the data."
        )
    renamed = distinct(str(names.get(name, name)) for name in dataset.feature_names)
    note = f"{known:,} of {dataset.n_features:,} features have the names given beside the data."
    return replace(dataset, feature_names=renamed, notes=(*dataset.notes, note))


def numbered(dataset: Dataset) -> Dataset:
    """Return the data set with distinct names of features, and a note if some were changed.

    >>> twins = Dataset(name="t", X=[[1, 2, 3], [3, 5, 8]], feature_names=("a", "b", "a"))
    >>> numbered(twins).feature_names, numbered(twins).notes
    (('a', 'b', 'a (2)'), ('1 of 3 features had the name of one before: they have a number behind it.',))
    """
    again = dataset.n_features - len(set(dataset.feature_names))
    if not again:
        return dataset
    note = f"{again:,} of {dataset.n_features:,} features had the name of one before: they have a number behind it."
    return replace(dataset, feature_names=distinct(dataset.feature_names), notes=(*dataset.notes, note))


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return distinct names: repeated ones get a number, as for probes of one gene.

    >>> distinct(["ACTB", "MYC", "ACTB"])
    ('ACTB', 'MYC', 'ACTB (2)')
    """
    names = list(names)
    if len(set(names)) == len(names):
        return tuple(names)
    taken = set(names)
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        if seen[name] > 1:
            count = next(i for i in itertools.count(seen[name]) if f"{name} ({i})" not in taken)
            seen[name], name = count, f"{name} ({count})"
            taken.add(name)
        unique.append(name)
    return tuple(unique)
