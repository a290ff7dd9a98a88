"""Archives of images to rows of grey values; nothing touches the disk, sizes are checked before decoding.

Pillow decodes and Python's tarfile and zipfile unpack; by hand is only the watch over how much they
may.
"""

from __future__ import annotations

import copy
import gzip
import io
import itertools
import tarfile
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self

import numpy as np

from nnspca.datasets import limits, progress
from nnspca.datasets.arrays import open_zip
from nnspca.datasets.dataset import Content
from nnspca.datasets.tables import encode_labels
from nnspca.errors import DataError, reason

SUFFIXES = (".png", ".jpg", ".jpeg", ".pgm", ".bmp", ".tif", ".tiff", ".gif")
_FORMATS = ("PNG", "JPEG", "PPM", "BMP", "TIFF", "GIF")
_PLAIN_MODES = frozenset({"L", "I", "I;16", "I;16B", "I;16L", "F"})

STEP = 2**20  # bytes unpacked at a time where a member is only measured
ORIENTATION = 0x0112  # EXIF's tag
# What makes a picture upright, in Pillow's names, by that tag; from 5 on its width and height
# change places.
_TURNS = (
    "",
    "",
    "FLIP_LEFT_RIGHT",
    "ROTATE_180",
    "FLIP_TOP_BOTTOM",
    "TRANSPOSE",
    "ROTATE_270",
    "TRANSVERSE",
    "ROTATE_90",
)
_SIDEWAYS = 5
# Blocks of attributes and of long names, which tarfile reads into memory before it hands over their
# member.
_EXTENSIONS = frozenset(
    {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)

UNPACKING = "Unpacking the archive"
Member = tuple[str, bytes]  # the name inside the archive, only ever read as text, and the content


def of_images(files: Iterable[Member], seen: Counter[str], samples: str = "rows") -> Content:
    """Read image files, one image a sample, in the order of their names; ``seen`` counts what is no image."""
    if samples != "rows":
        raise DataError("in an archive each image is one sample: leave its samples as rows.")
    images = [(name, _Grey(content, name)) for name, content in files]
    images.sort(key=lambda image: image[0])
    X, shape = stack([grey for _, grey in images])
    labels, label_names = _folders([name for name, _ in images])
    left_out = sum(seen.values())
    notes = (f"Left out what is no image: {left_out} of the files in the archive.",) if left_out else ()
    return Content(X=X, image_shape=shape, labels=labels, label_names=label_names, notes=notes)


def no_images(seen: Counter[str]) -> DataError:
    """Return the error about an archive without images."""
    found = ", ".join(f"{count} × {suffix}" for suffix, count in seen.most_common(5)) or "nothing"
    return DataError(
        f"no image in the archive; found {found}. PNG, JPG, PGM, BMP, TIFF and GIF are read; "
        "an archive inside an archive has to be unpacked first."
    )


def members(data: bytes, left_out: Counter[str] | None = None, suffixes: Iterable[str] = SUFFIXES) -> Iterator[Member]:
    """Yield name and content of the members with one of ``suffixes``; count the others by suffix."""
    wanted = tuple(suffixes)
    walk = _zip_members if data[:2] == b"PK" else _tar_members
    try:
        for name, content in walk(data, wanted):
            if _hidden(name):
                continue
            if content is not None:
                yield name, content
            elif left_out is not None:
                stem, dot, suffix = name.rpartition("/")[2].rpartition(".")
                left_out[repr(f".{suffix[:12]}") if dot and stem else "no suffix"] += 1
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise DataError(f"the archive is damaged or no ZIP or TAR file{reason(error)}.") from error


def stack(images: list[_Grey]) -> tuple[np.ndarray, tuple[int, int]]:
    """Decode images of one size into rows of grey values; return them with (height, width)."""
    sizes = Counter(image.size for image in images)
    if len(sizes) > 1:
        listed = ", ".join(f"{w}×{h} ({count})" for (w, h), count in sizes.most_common(5))
        more = f" and {len(sizes) - 5} more" if len(sizes) > 5 else ""
        usual = sizes.most_common(1)[0][0]
        odd = next(image for image in images if image.size != usual)
        raise DataError(
            f"the images have {len(sizes)} different sizes: {listed}{more} (width×height in pixels). "
            f"{_shown(odd.name)} is {odd.size[0]}×{odd.size[1]}. Crop or resize them to one size."
        )
    ((width, height),) = sizes
    limits.check_entries(len(images), width * height)
    X = np.empty((len(images), height * width))
    for row, image in zip(X, progress.tracked(images, len(images), "Decoding the images"), strict=True):
        row[:] = image.pixels().ravel()
    return X, (height, width)


class _Grey:
    """An image file whose size is known and whose pixels are decoded when asked for."""

    def __init__(self, content: bytes, name: str):
        self.content, self.name = content, name
        with self._opened() as image:
            limits.check_entries(*image.size)
            # As the camera was held; of what every format has, as PNG's own looks behind the pixels
            # it has to decode.
            held = _pillow().Image.getexif(image).get(ORIENTATION)
            known = held in range(1, len(_TURNS)) and image.format != "TIFF"  # which Pillow turns by itself
            self.held = held if known else 1
            self.size: tuple[int, int] = image.size[::-1] if self.held >= _SIDEWAYS else image.size

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        pillow = _pillow()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", pillow.DecompressionBombWarning)  # our own limit is lower
                with pillow.open(io.BytesIO(self.content), formats=_FORMATS) as image:
                    yield image
        except DataError:
            raise
        except Exception as error:  # damaged files raise anything from OSError to SyntaxError
            raise DataError(f"{_shown(self.name)} cannot be read as an image{reason(error)}.") from error

    def pixels(self) -> np.ndarray:
        """The upright grey values, shape (height, width); deeper than 8 bits where the file is."""
        with self._opened() as image:
            turn = _TURNS[self.held]
            upright = image.transpose(_pillow().Transpose[turn]) if turn else image
            grey = upright if upright.mode in _PLAIN_MODES else upright.convert("L")
            pixels = np.asarray(grey, dtype=np.float64)
        if pixels.shape != self.size[::-1]:
            raise DataError(f"{_shown(self.name)} is damaged: its pixels do not fill its size.")
        return pixels


def _pillow() -> Any:
    """Return Pillow's module of images."""
    try:
        from PIL import Image
    except ImportError as error:
        raise DataError("images are decoded by Pillow, which is not installed: pip install pillow.") from error
    return Image


def grey_images(files: Iterable[Member]) -> list[_Grey]:
    """Open image files without decoding them yet."""
    return [_Grey(content, name) for name, content in files]


def _zip_members(data: bytes, wanted: tuple[str, ...]) -> Iterator[tuple[str, bytes | None]]:
    with open_zip(data) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                progress.report_or_stop(member.header_offset, len(data), UNPACKING)
                take = member.filename.lower().endswith(wanted)
                yield member.filename, unpacked(archive, member) if take else None


def unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Read no more than the size a member lists: reading all would first inflate all there is."""
    try:
        with archive.open(member) as stream:
            return stream.read(member.file_size)
    except zipfile.BadZipFile:
        _refuse_larger(archive, member)
        raise


def _refuse_larger(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Refuse a member that unpacks to more than it lists, without ever holding what it unpacks to."""
    endless = copy.copy(member)
    endless.file_size = limits.MAX_UNPACKED_BYTES + STEP
    size = 0
    with archive.open(endless) as stream, suppress(zipfile.BadZipFile, zlib.error, EOFError):
        while chunk := stream.read(STEP):
            size += len(chunk)
            progress.report_or_stop(size, limits.MAX_UNPACKED_BYTES, UNPACKING)
            limits.check_unpacked(size)
    if size > member.file_size:
        raise DataError(
            f"{_shown(member.filename)} unpacks to {size:,} bytes where the archive lists {member.file_size:,}, and no "
            "more than is listed is read. Pack the files anew."
        )


def _tar_members(data: bytes, wanted: tuple[str, ...]) -> Iterator[tuple[str, bytes | None]]:
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
                stream = archive.extractfile(member) if member.name.lower().endswith(wanted) else None
                yield member.name, stream.read() if stream is not None else None


class _Header(tarfile.TarInfo):
    """A header of a TAR file whose extension, read whole, is no longer than anyone needs."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read the header; of names and attributes that follow it in their own block, the size."""
        header = super().frombuf(buf, encoding, errors)
        if header.type in _EXTENSIONS:
            limits.check_header_bytes(header.size)
        return header


class _Capped:
    """A stream that refuses to give more bytes than an archive may unpack to."""

    def __init__(self, stream: Any):
        self.stream, self.given = stream, 0

    def read(self, size: int) -> bytes:
        chunk: bytes = self.stream.read(min(size, limits.MAX_UNPACKED_BYTES + 1))
        self.given += len(chunk)
        limits.check_unpacked(self.given)
        return chunk


def _folders(names: list[str]) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Labels from the folders the images lie in, when there are at least two."""
    paths = [name.replace("\\", "/").split("/")[:-1] for name in names]
    common = 0
    while all(len(path) > common for path in paths) and len({path[common] for path in paths}) == 1:
        common += 1
    folders = ["/".join(path[common:]) or "top folder" for path in paths]
    return encode_labels(folders, tuple(dict.fromkeys(folders))) if len(set(folders)) > 1 else (None, ())


def _hidden(name: str) -> bool:
    """What operating systems leave in archives beside the files one meant to pack."""
    parts = name.replace("\\", "/").split("/")
    return "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1] in ("Thumbs.db", "desktop.ini", "")


def _shown(text: str) -> str:
    return repr(text[-80:])
