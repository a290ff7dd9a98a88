"""Reads the arrays of an .npz file that may be damaged or hostile: plain numbers only, within size limits."""

from __future__ import annotations

import io
import math
import os
import stat
from os import PathLike
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np

from nnspca.errors import CertificateError

MEMBER = 2**27  # most bytes of one array
TOTAL = 2**28  # most bytes of a file, and of all its arrays together: several times what a certificate holds
WORDS = 2**25  # and of its text, four a character: what it describes takes far more memory than it does
MEMBERS = 20_000
HEADER = 10_000  # most characters of an array's description
KINDS = "fiub"  # real numbers and truth values


def read_arrays(file: str | PathLike[str] | BinaryIO | bytes, text: str) -> dict[str, np.ndarray]:
    """Return the arrays by name; the one called ``text`` is a string, all others are numbers.

    Sizes are read from the archive's directory before anything is unpacked, and unpacking stops at them.

    Raises
    ------
    CertificateError
        The file cannot be opened, or holds more than a certificate can.
    """
    with _opened(file) as stream, ZipFile(stream) as archive:
        members = archive.infolist()
        names = [member.filename for member in members]
        if len(members) > MEMBERS or len(set(names)) < len(names):
            raise CertificateError(f"the file is not a certificate: {len(members)} members, or one name twice")
        if max((m.file_size for m in members), default=0) > MEMBER or sum(m.file_size for m in members) > TOTAL:
            raise CertificateError(
                f"the file is not a certificate: unpacked it is larger than {TOTAL // 2**20} MB, "
                f"or one array larger than {MEMBER // 2**20} MB"
            )
        words = sum(member.file_size for member in members if member.filename == f"{text}.npy")
        if words > WORDS:
            raise CertificateError(
                f"the file is not a certificate: its words take {words >> 20} MB, over {WORDS >> 20}"
            )
        arrays = {}
        for member in members:
            if not member.filename.endswith(".npy") or member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise ValueError(f"member {member.filename!r:.60} is no array, or packed in another way")
            name = member.filename.removesuffix(".npy")
            with archive.open(member) as packed:
                content = packed.read(member.file_size + 1)
            arrays[name] = _array(content, "U" if name == text else KINDS)
        return arrays


def _opened(file: str | PathLike[str] | BinaryIO | bytes) -> BinaryIO:
    """A stream to read from; anything but a path is read into memory, up to the limit."""
    if isinstance(file, bytes):
        return io.BytesIO(file)
    if isinstance(file, str | PathLike):
        try:
            if not stat.S_ISREG(os.stat(file).st_mode) and not os.path.isdir(file):  # opening a pipe waits for a writer
                raise CertificateError(f"{os.fspath(file)!r} is no regular file")
            stream = open(file, "rb")  # noqa: SIM115  # the caller closes it
        except FileNotFoundError:
            raise CertificateError(f"the file {os.fspath(file)!r} does not exist") from None
        except (OSError, ValueError) as error:
            raise CertificateError(f"the file {os.fspath(file)!r} cannot be opened: {error}") from error
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            stream.close()
            raise CertificateError(f"{os.fspath(file)!r} is no regular file")
        if (size := os.fstat(stream.fileno()).st_size) > TOTAL:
            stream.close()
            raise CertificateError(f"the file is not a certificate: it has {size / 2**20:.0f} MB, over {TOTAL >> 20}")
        return stream
    if not hasattr(file, "read"):
        raise CertificateError(f"a {type(file).__name__} is no file; give a path, an open binary file or bytes")
    content = file.read(TOTAL + 1)
    if not isinstance(content, bytes):
        raise CertificateError("the file is open as text; open it as binary: open(path, 'rb')")
    if len(content) > TOTAL:
        raise CertificateError(f"the file is not a certificate: it is larger than {TOTAL // 2**20} MB")
    return io.BytesIO(content)


def _array(content: bytes, kinds: str) -> np.ndarray:
    """One array in NumPy's format; its header is checked against the actual bytes."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"an array is of version {version}")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, columns_first, dtype = read(stream, max_header_size=HEADER)
    if dtype.kind not in kinds or dtype.hasobject or dtype.subdtype is not None:
        raise ValueError(f"an array has dtype {dtype!r:.60}")
    start = stream.tell()
    if any(side < 0 for side in shape) or math.prod(shape) * dtype.itemsize != len(content) - start:
        raise ValueError(f"an array of shape {shape!r:.60} has {len(content) - start} bytes")
    flat = np.frombuffer(content, dtype=dtype, offset=start)
    return flat.reshape(shape, order="F" if columns_first else "C").astype(dtype.newbyteorder("="))
