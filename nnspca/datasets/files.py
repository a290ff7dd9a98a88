"""Which files a call names: a path, a folder, several paths, or contents by name."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from nnspca.control.arguments import shown
from nnspca.datasets.fetch import read_local
from nnspca.datasets.formats import MATRICES
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.errors import DataError, reason

LONGEST = 100  # characters of a label
Path_ = str | os.PathLike[str]
FileSource = Path_ | bytes | bytearray | memoryview | Mapping[str, bytes] | Iterable[Path_]


def contents_of(source: FileSource, filename: object) -> tuple[str, dict[str, bytes]]:
    """The label, and name and content of each file that belongs to it: several for a folder or a list."""
    if isinstance(filename, os.PathLike):
        filename = os.fspath(filename)
    if filename is not None and not isinstance(filename, str):
        raise TypeError(f"filename={shown(filename)} is not allowed; give the name of the file as a text")
    if isinstance(source, bytes | bytearray | memoryview):
        if not filename:
            raise DataError("bytes alone do not tell their format; give the file's name too, for instance 'data.csv'.")
        return label_of(filename), {label_of(filename): bytes(source)}
    if isinstance(source, Mapping):
        return _several([(str(name), bytes(content)) for name, content in source.items()], filename)
    if isinstance(source, list | tuple) and source and all(isinstance(one, str | os.PathLike) for one in source):
        return _several([(os.fspath(one), _content(Path(one).expanduser())) for one in source], filename)
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"path_or_bytes={shown(source)} is not allowed; give a path or what a file contains as bytes (numbers at "
            "hand need no file: Covariance.from_data(X))"
        )
    path = Path(source).expanduser()
    if not os.path.isdir(path):
        called = label_of(filename or path.name)
        return called, {called: _content(path)}
    inside = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
    if not inside:
        raise DataError(f"the folder {label_of(path.name)!r} holds no files.")
    return _several([(one.name, _content(one)) for one in inside], filename or path.name)


def _content(path: Path) -> bytes:
    if not os.path.isfile(path):
        raise DataError(f"there is no file {label_of(path.name)!r} at the place given. Check the path.")
    return read_local(path)


def _several(files: list[tuple[str, bytes]], filename: str | None) -> tuple[str, dict[str, bytes]]:
    if not files:
        raise DataError("no file was given.")
    called = {label_of(name): content for name, content in files}
    if len(called) < len(files):
        raise DataError("two of the files have the same name: rename one of them.")
    return label_of(filename or next(iter(called))), called


def label_of(filename: str) -> str:
    """Return the last part of a file's name, printable and short; never a path."""
    last = re.split(r"[/\\\\]", filename.strip())[-1]
    printable = "".join(c if c.isprintable() else "_" for c in last)
    return printable[-LONGEST:] or "upload"


def part_names(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], dict[str, str]]:
    """Separate a file of two columns, which names the features, from the one data file."""
    texts = [name for name in files if name.lower().endswith((".csv", ".tsv", ".txt"))]
    if len(files) == 2 and texts and not any(name.lower().endswith((*MATRICES, *IMAGES)) for name in files):
        for name in sorted(texts, key=lambda name: len(files[name])):
            try:
                names = names_in(files[name])
            except DataError:
                continue
            return {other: content for other, content in files.items() if other != name}, names
    return dict(files), {}


def names_in(data: bytes) -> dict[str, str]:
    """New names by old ones, of a file of two columns parted by tabs, commas or semicolons; DataError if it is none.

    >>> names_in(b"X95735_at\\tZYX\\nM55150_at\\tFAH")
    {'X95735_at': 'ZYX', 'M55150_at': 'FAH'}
    """
    text = data.decode("utf-8-sig", "replace")
    first = next((line for line in text.splitlines() if line.strip()), "")
    mapping: dict[str, str] = {}
    delimiter = max("\t,;", key=first[:10_000].count)
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter), start=1):
            pair = [cell.strip() for cell in row]
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
