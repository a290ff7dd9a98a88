"""Paths that the server's owner names in NNSPCA_OPEN, if they lie below NNSPCA_ROOTS."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

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
    return tuple(part.strip() for part in paths.split(os.pathsep) if part.strip())


def resolve(path: str) -> Path:
    """Return the real path of a named one, links resolved.

    Raises DataError: it, or a link in the folder that it names, leads out of the folders of ``NNSPCA_ROOTS``; where
    these are not set, out of the folder of the path itself. The message has no folder in it.
    """
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
