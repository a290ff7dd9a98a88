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
from nnspca.datasets.tables import encode_labels
from nnspca.errors import DataError, needed, reason

SUFFIXES = (".png", ".jpg", ".jpeg", ".pgm", ".bmp", ".tif", ".tiff", ".gif")
_FORMATS = ("PNG", "JPEG", "PPM", "BMP", "TIFF", "GIF")
_PLAIN_MODES = frozenset({"L", "I", "I;16", "I;16B", "I;16L", "F"})

ORIENTATION = 0x0112  # EXIF's tag
Member = tuple[str, bytes]  # the name inside an archive, only ever read as text, and the content


def members(data: bytes, suffixes: Iterable[str], left_out: Counter[str] | None = None) -> Iterator[Member]:
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


def shown(name: str) -> str:
    """Return the end of a file's name, for a message."""
    return repr(name[-80:])


def of_images(files: Iterable[Member], seen: Counter[str], samples: str = "rows") -> Content:
    """Read image files, one image a sample, in order of their names; ``seen`` counts other files."""
    if samples != "rows":
        raise DataError("in an archive each image is one sample: leave its samples as rows.")
    images = [(name, Grey(content, name)) for name, content in files]
    images.sort(key=lambda image: image[0])
    X, shape = stack([grey for _, grey in images])
    labels, label_names = _folders([name for name, _ in images])
    left_out = sum(seen.values())
    notes = (f"Left out what is no image: {left_out} of the files in the archive.",) if left_out else ()
    return Content(X=X, image_shape=shape, labels=labels, label_names=label_names, notes=notes)


def no_images(seen: Counter[str]) -> DataError:
    """Return the error about an archive without images."""
    listing = ", ".join(f"{count} × {suffix}" for suffix, count in seen.most_common(5)) or "nothing"
    return DataError(
        f"no image in the archive; found {listing}. PNG, JPG, PGM, BMP, TIFF and GIF are read; "
        "an archive inside an archive has to be unpacked first."
    )


def stack(images: list[Grey]) -> tuple[np.ndarray, tuple[int, int]]:
    """Decode images of one size into rows of grey values; return them with (height, width)."""
    sizes = Counter(image.size for image in images)
    if len(sizes) > 1:
        listed = ", ".join(f"{w}×{h} ({count})" for (w, h), count in sizes.most_common(5))
        more = f" and {len(sizes) - 5} more" if len(sizes) > 5 else ""
        usual = sizes.most_common(1)[0][0]
        odd = next(image for image in images if image.size != usual)
        raise DataError(
            f"the images have {len(sizes)} different sizes: {listed}{more} (width×height in pixels). "
            f"{shown(odd.name)} is {odd.size[0]}×{odd.size[1]}. Crop or resize them to one size."
        )
    ((width, height),) = sizes
    X = np.empty((len(images), height * width))
    for row, image in zip(X, images, strict=True):
        row[:] = image.pixels().ravel()
    return X, (height, width)


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
            raise DataError(f"{shown(self.name)} cannot be read as an image{reason(error)}.") from error

    def pixels(self) -> np.ndarray:
        """The upright grey values, shape (height, width); deeper than 8 bits where the file is."""
        with self._opened() as image:
            grey = image if image.mode in _PLAIN_MODES else image.convert("L")
            pixels = np.asarray(grey, dtype=np.float64)
        if self.orientation >= 5:  # width and height change places
            pixels = pixels.T
        if self.orientation in (2, 3, 6, 7):
            pixels = pixels[:, ::-1]
        if self.orientation in (3, 4, 7, 8):
            pixels = pixels[::-1]
        if pixels.shape != self.size[::-1]:
            raise DataError(f"{shown(self.name)} is damaged: its pixels do not fill its size.")
        return pixels


def _folders(names: list[str]) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Labels from the folders of the images, if there are at least two."""
    paths = [name.replace("\\", "/").split("/")[:-1] for name in names]
    common = 0
    while all(len(path) > common for path in paths) and len({path[common] for path in paths}) == 1:
        common += 1
    folders = ["/".join(path[common:]) or "top folder" for path in paths]
    return encode_labels(folders, tuple(dict.fromkeys(folders))) if len(set(folders)) > 1 else (None, ())
