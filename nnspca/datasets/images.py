"""Images as rows of grey values, alone or in a ZIP or TAR, which is unpacked in memory: nothing is written to disk."""

from __future__ import annotations

import io
import tarfile
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from nnspca.datasets.dataset import Content
from nnspca.datasets.notes import Note, decision
from nnspca.datasets.options import Reading
from nnspca.datasets.tables import encode_labels
from nnspca.errors import DataError, needed, reason

SUFFIXES = (".png", ".jpg", ".jpeg", ".pgm", ".bmp", ".tif", ".tiff", ".gif")
_FORMATS = ("PNG", "JPEG", "PPM", "BMP", "TIFF", "GIF")
_PLAIN_MODES = frozenset({"L", "I", "I;16", "I;16B", "I;16L", "F"})

ORIENTATION = 0x0112  # EXIF's tag
Member = tuple[str, bytes]  # the name inside an archive, only ever read as text, and the content


def archive_members(data: bytes, suffixes: Iterable[str], left_out: Counter[str] | None = None) -> Iterator[Member]:
    """Yield name and content of an archive's files with one of ``suffixes``; count the others by suffix."""
    endings = tuple(suffixes)
    try:
        for name, content in _zipped(data, endings) if data[:2] == b"PK" else _tarred(data, endings):
            parts = name.replace("\\", "/").split("/")
            if "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1] in ("Thumbs.db", "desktop.ini", ""):
                continue  # added by an operating system, not by a person
            if content is not None:
                yield name, content
            elif left_out is not None:
                stem, dot, suffix = name.rpartition("/")[2].rpartition(".")
                left_out[repr(f".{suffix[:12]}") if dot and stem else "no suffix"] += 1
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise DataError(f"the archive is damaged or no ZIP or TAR file{reason(error)}.") from error


def _zipped(data: bytes, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes | None]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            if member.flag_bits & 1:
                raise DataError("the archive is protected by a password; pack it without one.")
            if not member.is_dir():
                wanted = member.filename.lower().endswith(endings)
                yield member.filename, archive.read(member) if wanted else None


def _tarred(data: bytes, endings: tuple[str, ...]) -> Iterator[tuple[str, bytes | None]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r|*", errorlevel=2) as archive:  # read forward only
        while (member := archive.next()) is not None:
            archive.members = []  # type: ignore[attr-defined]  # each keeps a copy of all attributes before it
            if member.isreg() and not member.issparse():
                stream = archive.extractfile(member) if member.name.lower().endswith(endings) else None
                yield member.name, stream.read() if stream is not None else None


def of_images(files: Iterable[Member], seen: Counter[str], options: Reading) -> Content:
    """Read image files, one image a sample, in order of their names; ``seen`` counts other files."""
    if options.samples == "columns":
        raise DataError("in an archive each image is one sample: leave its samples as rows.")
    images = sorted((Grey(content, name) for name, content in files), key=lambda image: image.name)
    X, shape, notes = stack(images, options.image_size)
    labels, label_names = _folders([image.name for image in images])
    if left_out := sum(seen.values()):
        notes = (decision(f"Left out what is no image: {left_out} of the files in the archive."), *notes)
    return Content(X=X, image_shape=shape, labels=labels, label_names=label_names, notes=notes)


def no_images(seen: Counter[str]) -> DataError:
    """Return the error about an archive without images."""
    listing = ", ".join(f"{count} × {suffix}" for suffix, count in seen.most_common(5)) or "nothing"
    return DataError(
        f"no image in the archive; found {listing}. PNG, JPG, PGM, BMP, TIFF and GIF are read; "
        "an archive inside an archive has to be unpacked first."
    )


def stack(
    images: list[Grey], wanted: tuple[int, int] | None = None
) -> tuple[np.ndarray, tuple[int, int], tuple[Note, ...]]:
    """Decode images into rows of grey values; return them with (height, width) and what was done to their sizes.

    Those of another size than the one wanted, or than that of most, are resized. Where most have none in common, it is
    the least width and the least height.
    """
    sizes = Counter(image.size for image in images)
    usual, count = sizes.most_common(1)[0]
    if 2 * count <= len(images):
        usual = min(width for width, _ in sizes), min(height for _, height in sizes)
    width, height = usual if wanted is None else wanted[::-1]
    X = np.empty((len(images), height * width))
    for row, image in zip(X, images, strict=True):
        row[:] = image.pixels((width, height)).ravel()
    resized = sum(image.size != (width, height) for image in images)
    if not resized:
        return X, (height, width), ()
    listed = ", ".join(f"{w}×{h} ({count})" for (w, h), count in sizes.most_common(5))
    said = (
        f"{resized:,} of {len(images):,} images were resized to {width}×{height} pixels (width×height); they have "
        f"{len(sizes)} size{'s' * (len(sizes) > 1)}: {listed}{', …' if len(sizes) > 5 else ''}."
    )
    return X, (height, width), (decision(said, "image_size"),)


def _pillow() -> Any:
    return needed("PIL.Image", "images", "pillow")


class Grey:
    """An image file whose size is known and whose pixels are decoded when asked for."""

    def __init__(self, content: bytes, name: str):
        self.content, self.name = content, name
        with self._opened() as image:
            # As the camera was held; of what every format has, as PNG's own looks behind the pixels
            # it has to decode.
            orientation = _pillow().Image.getexif(image).get(ORIENTATION)
            known = orientation in range(1, 9) and image.format != "TIFF"  # which Pillow turns by itself
            self.orientation = orientation if known else 1
            self.size: tuple[int, int] = image.size[::-1] if self.orientation >= 5 else image.size

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        pillow = _pillow()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", pillow.DecompressionBombWarning)
                with pillow.open(io.BytesIO(self.content), formats=_FORMATS) as image:
                    yield image
        except DataError:
            raise
        except Exception as error:  # damaged files raise anything from OSError to SyntaxError
            raise DataError(f"{self.name[-80:]!r} cannot be read as an image{reason(error)}.") from error

    def pixels(self, size: tuple[int, int]) -> np.ndarray:
        """The upright grey values, shape (height, width) of this size; deeper than 8 bits where the file is."""
        with self._opened() as image:
            grey = image if image.mode in _PLAIN_MODES else image.convert("L")
            if self.orientation > 1:
                grey = needed("PIL.ImageOps", "images", "pillow").exif_transpose(grey)
            if grey.size != self.size:
                raise ValueError("its pixels do not fill its size")
            if grey.size != size:
                grey = (grey if grey.mode == "L" else grey.convert("F")).resize(size, _pillow().Resampling.BILINEAR)
            return np.asarray(grey, dtype=np.float64)


def _folders(names: list[str]) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Labels from the folders of the images, if there are at least two."""
    paths = [name.replace("\\", "/").split("/")[:-1] for name in names]
    common = 0
    while all(len(path) > common for path in paths) and len({path[common] for path in paths}) == 1:
        common += 1
    folders = ["/".join(path[common:]) or "top folder" for path in paths]
    return encode_labels(folders, tuple(dict.fromkeys(folders))) if len(set(folders)) > 1 else (None, ())
