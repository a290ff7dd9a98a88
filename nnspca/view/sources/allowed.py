"""Paths that the server's owner names in NNSPCA_OPEN, if their real paths lie below NNSPCA_ROOTS."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from nnspca.datasets.lazily import split
from nnspca.errors import DataError

OPEN, ROOTS = "NNSPCA_OPEN", "NNSPCA_ROOTS"


def listed(paths: str) -> tuple[str, ...]:
    """Return the paths of a list that the system's path separator divides, in order."""
    parts = (part.strip() for part in paths.split(os.pathsep))
    return tuple(part for part in parts if part)


def resolve(path: str) -> Path:
    """Return the real path of a named one, links resolved.

    Raises
    ------
    DataError
        It, or a link in the folder that it names, leads out of the folders of ``NNSPCA_ROOTS``; where
        these are not set, out of the folder of the path itself. The message has no folder in it.
    """
    file, _ = split(Path(os.path.abspath(path)))
    roots = [Path(root).resolve() for root in listed(os.environ.get(ROOTS, "")) or (file.parent,)]
    target = Path(os.path.abspath(path)).resolve()
    for real in (target, *_links(file.resolve())):
        if not any(real.is_relative_to(root) for root in roots):
            raise DataError(
                f"{file.name!r} leads outside the folders that may be read: name its real folder in {ROOTS} "
                f"(folders separated by {os.pathsep!r})."
            )
    return target


def _links(folder: Path) -> Iterator[Path]:
    """The real paths of the links in a folder."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            if os.path.islink(inner := os.path.join(place, name)):
                yield Path(inner).resolve()
