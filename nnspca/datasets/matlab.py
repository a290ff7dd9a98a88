"""MATLAB's v5 to v7 files: their real numeric matrices, dense or sparse.

By hand, as a damaged file can make scipy.io read outside its memory and end the process, which an
upload must never do. Here every length is checked against the available bytes.
"""

from __future__ import annotations

import itertools
import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nnspca.datasets import limits
from nnspca.errors import DataError

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_SPARSE = 5
_NUMERIC = range(_SPARSE, 16)  # sparse, double, single, and integers of 8 to 64 bits
_COMPLEX = 0x0800
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}


Raw = bytes | memoryview


@dataclass(frozen=True, eq=False)
class Variable:
    """A numeric variable whose numbers have not been read yet."""

    name: str
    shape: tuple[int, ...]
    flags: int
    parts: Iterator[tuple[int, Raw]]  # not walked yet: numbers are copied only when asked for
    order: str

    def array(self) -> np.ndarray:
        """Return its numbers, once; DataError if they are complex or do not fill the shape."""
        if self.flags & _COMPLEX:
            raise DataError(f"the variable {self.name[:40]!r} holds complex numbers; real numbers are needed.")
        limits.check_entries(*self.shape)
        parts = [_numbers(kind, body, self.order) for kind, body in self.parts]
        if self.flags & 0xFF == _SPARSE:
            return self._expanded(parts)
        if not parts or parts[0].size != math.prod(self.shape):
            raise self._damaged()
        return parts[0].reshape(self.shape, order="F")

    def _expanded(self, parts: list[np.ndarray]) -> np.ndarray:
        """The dense matrix of compressed columns: row indices, starts of columns, values."""
        if len(parts) < 3 or len(self.shape) != 2:
            raise self._damaged()
        rows, starts, values = parts[:3]
        height, width = self.shape
        counts: np.ndarray = np.diff(starts.astype(np.int64))
        if len(starts) != width + 1 or starts[0] != 0 or counts.min(initial=0) < 0:
            raise self._damaged()
        stored = int(starts[-1])  # the file may reserve room for more
        rows, values = rows[:stored], values[:stored]
        if not len(rows) == len(values) == stored or np.any(rows < 0) or np.any(rows >= height):
            raise self._damaged()
        dense = np.zeros(self.shape, dtype=values.dtype)
        dense[rows, np.repeat(np.arange(width), counts)] = values
        return dense

    def _damaged(self) -> DataError:
        return DataError(
            f"the variable {self.name[:40]!r} is damaged: its numbers do not fill its shape {self.shape}. "
            "Save the file again."
        )


def numeric_variables(data: bytes) -> dict[str, Variable]:
    """List the numeric variables of a v5 to v7 file, unpacking at most ``limits.MAX_UNPACKED_BYTES``."""
    if data[:10] == b"MATLAB 7.3" or b"\x89HDF\r\n\x1a\n" in data[:1024]:
        raise DataError("this is a MATLAB v7.3 (HDF5) file; save it with save('file.mat', 'X', '-v7').")
    order = {b"IM": "<", b"MI": ">"}.get(data[126:128])
    if order is None:
        raise DataError("this is not a MATLAB v5 file; save it with save('file.mat', 'X', '-v7').")
    variables: dict[str, Variable] = {}
    unpacked = 0
    for kind, body in _elements(memoryview(data)[_HEADER:], order, padded=False):
        if kind == _COMPRESSED:
            body = zlib.decompressobj().decompress(body, limits.most(limits.MAX_UNPACKED_BYTES) - unpacked + 1)
            unpacked += len(body)
            limits.check_unpacked(unpacked)
            kind, body = next(_elements(body, order, padded=False), (0, b""))
        if kind == _MATRIX:
            variable = _variable(body, order)
            if variable.flags & 0xFF in _NUMERIC:
                variables[variable.name] = variable
    return variables


def _variable(body: Raw, order: str) -> Variable:
    """Read flags, dimensions and name; the rest stays unread."""
    walk = _elements(body, order)
    head = [_numbers(kind, content, order) for kind, content in itertools.islice(walk, 3)]
    if len(head) < 3:
        raise DataError("a variable is damaged: it has no flags, dimensions or name. Save the file again.")
    flags, shape, name = head
    if not flags.size or shape.size < 2 or shape.min() < 0:
        raise DataError("a variable is damaged: its dimensions cannot be read. Save the file again.")
    return Variable(
        name=name.astype(np.uint8).tobytes().decode("latin-1"),
        shape=tuple(map(int, shape)),
        flags=int(flags[0]),
        parts=walk,
        order=order,
    )


def _elements(data: Raw, order: str, *, padded: bool = True) -> Iterator[tuple[int, Raw]]:
    """Iterate over the elements: type and content, each after a tag of 8 bytes, or of 4 if it is small."""
    position = 0
    while position + 8 <= len(data):
        kind, size = struct.unpack_from(order + "II", data, position)
        if kind >> 16:
            kind, size, start, end = kind & 0xFFFF, kind >> 16, position + 4, position + 8
        else:
            start = position + 8
            end = start + (-(-size // 8) * 8 if padded else size)
        if start + size > len(data):
            raise DataError("the file is damaged or cut short: a variable is longer than what follows.")
        yield kind, data[start : start + size]
        position = end


def _numbers(kind: int, body: Raw, order: str) -> np.ndarray:
    if kind not in _TYPES:
        raise DataError(f"a variable is damaged: its numbers have the unknown type {kind}. Save the file again.")
    dtype = np.dtype(order + _TYPES[kind])
    return np.frombuffer(body[: len(body) // dtype.itemsize * dtype.itemsize], dtype)
