"""ZIP and TAR archives: members are unpacked in memory, within size limits; nothing is written to disk.

Python's tarfile and zipfile unpack; by hand is only the watch over how much they may.
"""

from __future__ import annotations

import copy
import gzip
import io
import itertools
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Self

from nnspca.datasets import limits, progress
from nnspca.errors import DataError, reason

STEP = 2**20  # bytes unpacked at a time where a member is only measured
# Blocks of attributes and of long names, which tarfile reads into memory before it hands over their
# member.
_EXTENSIONS = frozenset(
    {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)
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
                take = member.filename.lower().endswith(endings)
                yield member.filename, unpacked(archive, member) if take else None


def unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Read at most the size that a member lists: reading all would inflate everything first."""
    try:
        with archive.open(member) as stream:
            return stream.read(member.file_size)
    except zipfile.BadZipFile:
        _refuse_larger(archive, member)
        raise


def _refuse_larger(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Refuse a member that unpacks to more than it lists, without holding its content."""
    endless = copy.copy(member)
    endless.file_size = limits.most(limits.MAX_UNPACKED_BYTES) + STEP
    size = 0
    with archive.open(endless) as stream, suppress(zipfile.BadZipFile, zlib.error, EOFError):
        while chunk := stream.read(STEP):
            size += len(chunk)
            progress.report_or_stop(size, limits.MAX_UNPACKED_BYTES, UNPACKING)
            limits.check_unpacked(size)
    if size > member.file_size:
        raise DataError(
            f"{shown(member.filename)} unpacks to {size:,} bytes where the archive lists {member.file_size:,}, and no "
            "more than is listed is read. Pack the files anew."
        )


def _tar_members(data: bytes, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes | None]]:
    source: Any = io.BytesIO(data)
    if data[:2] == b"\x1f\x8b":
        source = gzip.GzipFile(fileobj=source)
    capped: Any = _Capped(source)
    # Mode "r|" reads forward only, so nothing is unpacked beyond what the capped stream lets
    # through.
    with tarfile.open(fileobj=capped, mode="r|", errorlevel=2, tarinfo=_Header) as archive:
        for count in itertools.count(1):
            member = archive.next()
            if member is None:
                break
            archive.members = []  # type: ignore[attr-defined]  # each keeps a copy of all attributes before it
            limits.check_members(count)
            progress.report_or_stop(count % 100, 100, UNPACKING)
            limits.check_headers(len(member.pax_headers))
            if member.isreg() and not member.issparse():
                limits.check_unpacked(member.size)
                stream = archive.extractfile(member) if member.name.lower().endswith(endings) else None
                yield member.name, stream.read() if stream is not None else None


class _Header(tarfile.TarInfo):
    """A header of a TAR file whose extension, which is read whole, is limited in size."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read the header; of names and attributes that follow it in their own block, the size."""
        header = super().frombuf(buf, encoding, errors)
        if header.type in _EXTENSIONS:
            limits.check_header_bytes(header.size)
        return header


class _Capped:
    """A stream that refuses to return more bytes than an archive may unpack to."""

    def __init__(self, stream: Any):
        self.stream, self.given = stream, 0

    def read(self, size: int) -> bytes:
        chunk: bytes = self.stream.read(min(size, limits.most(limits.MAX_UNPACKED_BYTES) + 1))
        self.given += len(chunk)
        limits.check_unpacked(self.given)
        return chunk


def _hidden(name: str) -> bool:
    """Whether a member was added by an operating system, not by a person."""
    parts = name.replace("\\", "/").split("/")
    return "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1] in ("Thumbs.db", "desktop.ini", "")


def shown(name: str) -> str:
    """Return the end of a member's name, for a message."""
    return repr(name[-80:])
