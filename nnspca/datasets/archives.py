"""ZIP and TAR archives: members are unpacked in memory, within size limits; nothing is written to disk.

Python's tarfile and zipfile unpack. An archive that unpacks to more than it lists is held by the limits of
the process that reads it.
"""

from __future__ import annotations

import io
import itertools
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from nnspca.datasets import limits, progress
from nnspca.errors import DataError, reason

UNPACKING = "Unpacking the archive"
Member = tuple[str, bytes]  # the name inside the archive, only ever read as text, and the content


def members(data: bytes, suffixes: Iterable[str], left_out: Counter[str] | None = None) -> Iterator[Member]:
    """Yield name and content of the members with one of ``suffixes``; count the others by suffix."""
    endings = tuple(suffixes)
    walk = _zip_members if data[:2] == b"PK" else _tar_members
    try:
        for name, content in walk(data, endings):
            if _hidden(name):
                continue
            if content is not None:
                yield name, content
            elif left_out is not None:
                stem, dot, suffix = name.rpartition("/")[2].rpartition(".")
                left_out[repr(f".{suffix[:12]}") if dot and stem else "no suffix"] += 1
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise DataError(f"the archive is damaged or no ZIP or TAR file{reason(error)}.") from error


def open_zip(data: bytes) -> zipfile.ZipFile:
    """Open a ZIP whose listed sizes are within limits and whose members can be read in bounded memory."""
    # Counting signatures costs nothing; letting zipfile list millions of members costs gigabytes.
    limits.check_members(data.count(b"PK\x01\x02"))
    archive = zipfile.ZipFile(io.BytesIO(data))
    members = archive.infolist()
    limits.check_unpacked(sum(m.file_size for m in members))
    if any(m.flag_bits & 1 for m in members):
        raise DataError("the archive is protected by a password; pack it without one.")
    if any(m.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for m in members):
        raise DataError("the archive uses a rare compression; pack it as a plain ZIP (deflate).")
    return archive


def _zip_members(data: bytes, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes | None]]:
    with open_zip(data) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                progress.report_or_stop(member.header_offset, len(data), UNPACKING)
                content = None
                if member.filename.lower().endswith(endings):
                    with archive.open(member) as stream:  # at most the size it lists: read() would inflate all first
                        content = stream.read(member.file_size)
                yield member.filename, content


def _tar_members(data: bytes, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes | None]]:
    mode: Literal["r|gz", "r|"] = "r|gz" if data[:2] == b"\x1f\x8b" else "r|"  # read forward only
    unpacked_size = 0
    with tarfile.open(fileobj=io.BytesIO(data), mode=mode, errorlevel=2) as archive:
        for count in itertools.count(1):
            member = archive.next()
            if member is None:
                break
            archive.members = []  # type: ignore[attr-defined]  # each keeps a copy of all attributes before it
            limits.check_members(count)
            progress.report_or_stop(count % 100, 100, UNPACKING)
            if member.isreg() and not member.issparse():
                limits.check_unpacked(unpacked_size := unpacked_size + member.size)
                stream = archive.extractfile(member) if member.name.lower().endswith(endings) else None
                yield member.name, stream.read() if stream is not None else None


def _hidden(name: str) -> bool:
    """Whether a member was added by an operating system, not by a person."""
    parts = name.replace("\\", "/").split("/")
    return "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1] in ("Thumbs.db", "desktop.ini", "")


def shown(name: str) -> str:
    """Return the end of a member's name, for a message."""
    return repr(name[-80:])
