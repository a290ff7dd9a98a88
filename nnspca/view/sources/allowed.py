"""Paths that the server's owner names in NNSPCA_OPEN, if they lie below NNSPCA_ROOTS."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from nnspca.datasets import remote
from nnspca.datasets.lazily import split
from nnspca.errors import DataError

OPEN, ROOTS = "NNSPCA_OPEN", "NNSPCA_ROOTS"
_OUTSIDE = (
    f"{{!r}} leads outside the folders that may be read: name its real folder in {ROOTS} "
    f"(folders separated by {os.pathsep!r})."
)


def listed(paths: str) -> tuple[str, ...]:
    """Return the paths of a list that the system's path separator divides, in order.

    >>> listed(os.pathsep.join(["/data/a.npy", "c.npy"]))
    ('/data/a.npy', 'c.npy')
    """
    parts = re.split(rf"{re.escape(os.pathsep)}(?!//)", paths)  # an address stays whole, for the error
    return tuple(part.strip() for part in parts if part.strip())


def resolve(path: str) -> Path:
    """Return the real path of a named one, links resolved.

    Raises DataError: it is an address; or it, or a link in the folder that it names, leads out of the folders of
    ``NNSPCA_ROOTS``; where these are not set, out of the folder of the path itself. The message has no folder in it.
    """
    if remote.is_address(path):
        raise DataError("an address is named, and only files of this machine are opened: download it, name the file.")
    roots = listed(os.environ.get(ROOTS, ""))
    file_here, _ = split(Path(os.path.abspath(path)))
    folders = [Path(root).resolve() for root in roots] or [file_here.parent.resolve()]
    target = Path(os.path.abspath(path)).resolve()
    for real in (target, *_links(file_here.resolve())):
        if not any(real.is_relative_to(folder) for folder in folders):
            raise DataError(_OUTSIDE.format(file_here.name))
    return target


def _links(folder: Path) -> Iterator[Path]:
    """The real paths of the links in a folder."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            if os.path.islink(inner := os.path.join(place, name)):
                yield Path(inner).resolve()
