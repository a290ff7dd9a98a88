"""Sources of a file: a path, a folder, several files, or bytes with a name; each has a label."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from nnspca.control.arguments import shown
from nnspca.datasets import limits, progress
from nnspca.errors import DataError

Path_ = str | os.PathLike[str]
Bytes = bytes | bytearray | memoryview
Source = Path_ | Bytes | Mapping[str, bytes] | Iterable[Path_]
LONGEST = 100  # characters of a label

#: What is read of each: its label, and all its files by theirs; several for a folder or a list.
Opened = tuple[str, dict[str, bytes]]


def opened(source: Source, filename: object) -> Opened:
    """Return the names and contents of a file, or of several that belong together."""
    if isinstance(filename, os.PathLike):
        filename = os.fspath(filename)
    if filename is not None and not isinstance(filename, str):
        raise TypeError(f"filename={shown(filename)} is not allowed; give the name of the file as a text")
    if isinstance(source, Bytes):
        if not filename:
            raise DataError("bytes alone do not tell their format; give the file's name too, for instance 'data.csv'.")
        limits.check_bytes(memoryview(source).nbytes)
        return label(filename), {label(filename): bytes(source)}
    if isinstance(source, Mapping):
        return _several({str(name): bytes(content) for name, content in source.items()}, filename)
    if isinstance(source, list | tuple) and source and all(isinstance(one, str | os.PathLike) for one in source):
        return _several(_contents([Path(one).expanduser() for one in source]), filename)
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"path_or_bytes={shown(source)} is not allowed; give a path or what a file contains as bytes (numbers at "
            "hand need no file: Covariance.from_data(X))"
        )
    path = Path(source).expanduser()
    if os.path.isdir(path):
        inside = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
        limits.check_members(len(inside))
        if not inside:
            raise DataError(f"the folder {label(path.name)!r} holds no files.")
        return _several(_contents(inside), filename or path.name)
    files = _contents([path], label(filename or path.name))
    return next(iter(files)), files


def _contents(paths: list[Path], called: str | None = None) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    size = 0
    for path in progress.tracked(paths, len(paths), "Opening the files"):
        name = called or label(path.name)
        if not os.path.isfile(path):
            raise DataError(f"there is no file {name!r} at the place given. Check the path.")
        size += path.stat().st_size
        limits.check_bytes(size)
        try:
            contents[name] = path.read_bytes()
        except OSError as error:
            raise DataError(f"{name!r} cannot be opened: {error.strerror}. Check that you may read it.") from error
    return contents


def _several(files: dict[str, bytes], filename: str | None) -> Opened:
    limits.check_members(len(files))
    limits.check_bytes(sum(map(len, files.values())))
    if not files:
        raise DataError("no file was given.")
    called = {label(name): content for name, content in files.items()}
    if len(called) < len(files):
        raise DataError("two of the files have the same name: rename one of them.")
    return label(filename or next(iter(called))), called


def label(filename: str) -> str:
    """Return the last part of a file's name, printable and short; never a path.

    >>> label("../../etc/faces.csv")
    'faces.csv'
    """
    last = re.split(r"[/\\\\]", filename.strip())[-1]
    printable = "".join(c if c.isprintable() else "_" for c in last)
    return printable[-LONGEST:] or "upload"
