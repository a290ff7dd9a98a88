"""AnnData's .h5ad files through h5py: X, dense or sparse, with its names.

HDF5 inflates whatever a chunk holds before it looks how much that is, and a damaged file can make it
end the process it runs in, or look for something without end: that process has limits of its own.
"""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np

from nnspca.datasets import limits, progress
from nnspca.datasets.cells import ReadingOptions
from nnspca.datasets.dataset import Content
from nnspca.datasets.naming import distinct
from nnspca.datasets.sparse import check_shape, compressed
from nnspca.datasets.tables import CLASS_NAMES, encode_labels
from nnspca.errors import DataError, needed, reason

MOST_NAMED = 20_000  # samples whose names are kept
SYMBOLS = ("gene_symbols", "gene_symbol", "gene_name", "gene_names", "feature_name", "symbol")
USUAL_CLASSES = ("cell_type", "celltype", "cell_type_original")
MOST_CLASSES = 1000
SLAB = 8 * 2**20  # bytes
READING = "Reading the numbers"


def read_h5ad(data: bytes, options: ReadingOptions) -> Content:
    """Read X of an AnnData file: cells in rows, genes in columns; a column of obs with categories may be the class."""
    h5py = needed("h5py", "AnnData files")
    if data[:8] != b"\x89HDF\r\n\x1a\n":
        raise DataError("this is no HDF5 file, which .h5ad is: it begins with other bytes.")
    if options.samples == "columns":
        raise DataError("AnnData has cells in rows by definition: leave its samples as rows.")
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            return _content(Reader(file, h5py, len(data)), options)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # HDF5 raises anything, RecursionError of a loop of links too
        raise DataError(f"the HDF5 file is damaged{reason(error)}: save it again.") from error


class Reader:
    """An open file whose data sets are read only if their shape is within the limits."""

    def __init__(self, file: Any, h5py: Any, size: int):
        self.file, self.h5py, self.size = file, h5py, size

    def node(self, *path: str) -> Any:
        """A group or data set of the file itself, or None: links into other files are never followed."""
        here = self.file
        for name in path:
            if not isinstance(here, self.h5py.Group) or not isinstance(
                here.get(name, getlink=True), self.h5py.HardLink
            ):
                return None
            here = here[name]
        return here

    def numbers(self, node: Any, kinds: str = "biuf") -> np.ndarray:
        """All numbers of a data set."""
        if not isinstance(node, self.h5py.Dataset) or node.dtype.kind not in kinds or node.dtype.hasobject:
            kind = getattr(node, "dtype", "no data set")
            raise DataError(f"the numbers of X are of type {kind!s:.40}; real numbers are needed.")
        limits.check_entries(*node.shape)
        if node.dtype.itemsize > 16 or node.is_virtual or node.external:
            raise DataError("X is stored in other files, or in a rare type: write it again with AnnData.")
        if node.chunks is None and node.dtype.itemsize * math.prod(node.shape) > self.size:
            raise DataError(f"the file promises {node.shape} numbers, more than it has bytes. It is damaged.")
        array = np.zeros(node.shape, node.dtype)
        if not array.ndim or not array.size:
            return array
        step = max(1, SLAB * len(array) // array.nbytes)
        if node.chunks:  # whole chunks, so that none is unpacked twice
            step = max(1, step // node.chunks[0]) * node.chunks[0]
        for start in progress.tracked(range(0, len(array), step), len(array) / step, READING):
            array[start : start + step] = node[start : start + step]
        return array

    def _is_column(self, node: Any, count: int) -> bool:
        """Whether it is a data set of the file itself with so many values, within the limits."""
        fits = isinstance(node, self.h5py.Dataset) and node.shape == (count,)
        if not fits or node.is_virtual or node.external:
            return False
        limits.check_columns(count)
        return node.dtype.itemsize * count <= limits.most(limits.MAX_UNPACKED_BYTES)

    def texts(self, node: Any, count: int) -> list[str] | None:
        """The texts of a data set with so many of them, or None."""
        if not self._is_column(node, count) or node.dtype.kind not in "OS":
            return None
        if node.dtype.kind == "O" and self.h5py.check_string_dtype(node.dtype) is None:
            return None
        return [v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in node[()].tolist()]

    def index(self, node: Any, count: int) -> list[str] | None:
        """The texts in the first field of a table that is stored by rows, as AnnData once wrote it, or None."""
        if not self._is_column(node, count) or node.dtype.names is None or node.dtype.hasobject:
            return None
        first = node.dtype.names[0]
        if node.dtype[first].kind != "S":
            return None
        return [value.decode("utf-8", "replace") for value in node[first].tolist()]


def _content(reader: Reader, options: ReadingOptions) -> Content:
    X, note = _numbers(reader)
    rows, columns = X.shape
    names = names_of(reader, "var", columns, SYMBOLS)
    labels, label_names, class_note = _labels(reader, rows, options)
    return Content(
        X=X,
        feature_names=distinct(names) if names else (),
        labels=labels,
        label_names=label_names,
        notes=(*note, *class_note),
        class_columns=tuple(_categories(reader)),
        sample_names=tuple((names_of(reader, "obs", rows) if rows <= MOST_NAMED else None) or ()),
    )


def _numbers(reader: Reader) -> tuple[Any, tuple[str, ...]]:
    X = reader.node("X")
    if X is None:
        raise DataError("there is no X in the file: an AnnData file holds its numbers there.")
    if isinstance(X, reader.h5py.Dataset):
        if len(X.shape) != 2:
            raise DataError(f"X has the shape {X.shape!s:.60}; needed: cells in rows, genes in columns.")
        return reader.numbers(X), ()
    kind = str(X.attrs.get("encoding-type", X.attrs.get("h5sparse_format", "")))
    shape = np.asarray(X.attrs.get("shape", X.attrs.get("h5sparse_shape", ())))
    if not kind.startswith(("csr", "csc")) or shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise DataError(f"X is stored as {kind or 'something unknown'!r:.40}; dense, csr and csc are read.")
    parts = [reader.node("X", name) for name in ("data", "indices", "indptr")]
    stored = parts[0].shape[0] if isinstance(parts[0], reader.h5py.Dataset) and len(parts[0].shape) == 1 else -1
    size = check_shape((int(shape[0]), int(shape[1])), stored, at_most=limits.most(limits.MAX_ENTRIES))
    values, places, starts = reader.numbers(parts[0]), reader.numbers(parts[1], "iu"), reader.numbers(parts[2], "iu")
    matrix = compressed(values, places, starts, size, by_rows=kind.startswith("csr"))
    return matrix, (f"Sparse: {matrix.nnz:,} of {size[0] * size[1]:,} numbers are not zero, and no others are stored.",)


def names_of(reader: Reader, table: str, count: int, better: tuple[str, ...] = ()) -> list[str] | None:
    """The names of rows or columns: symbols if there are some, the index of the table otherwise."""
    group = reader.node(table)
    if not isinstance(group, reader.h5py.Group):
        index_names = reader.index(group, count)
        return index_names if index_names is not None and all(index_names) else None
    index = group.attrs.get("_index", "_index")
    for name in (*better, index if isinstance(index, str) else "_index", "_index", "index"):
        names = reader.texts(reader.node(table, name), count)
        if names is not None and all(names):
            return names
    return None


def _categories(reader: Reader) -> list[str]:
    obs = reader.node("obs")
    if not isinstance(obs, reader.h5py.Group):
        return []
    limits.check_columns(len(obs))
    return [name for name in obs if reader.node("obs", name, "categories") is not None]


def _labels(
    reader: Reader, rows: int, options: ReadingOptions
) -> tuple[np.ndarray | None, tuple[str, ...], tuple[str, ...]]:
    """The class: the column asked for, else one whose name says so, else the only one."""
    known = _categories(reader)
    if options.label and options.label not in known:
        raise DataError(
            f"no column of obs with categories is called {options.label!r:.60}; there are: "
            f"{', '.join(known[:10]) or 'none'}."
        )
    usual = [name for name in known if name.lower() in CLASS_NAMES or name.lower() in USUAL_CLASSES]
    chosen = options.label if options.label is not None else (usual or (known if len(known) == 1 else [""]))[0]
    if not chosen:
        return None, (), ()
    categories = reader.node("obs", chosen, "categories")
    count = categories.shape[0] if isinstance(categories, reader.h5py.Dataset) and len(categories.shape) == 1 else 0
    names = reader.texts(categories, count) if 0 < count <= MOST_CLASSES else None
    codes = reader.node("obs", chosen, "codes")
    if names is None or not isinstance(codes, reader.h5py.Dataset) or codes.shape != (rows,):
        if options.label is None:
            return None, (), ()
        raise DataError(f"the column {chosen!r:.60} of obs cannot be the class: its categories cannot be read.")
    places = reader.numbers(codes, "iu").astype(np.int64)
    if places.min(initial=0) < -1 or places.max(initial=0) >= len(names):
        raise DataError(f"the column {chosen!r:.60} of obs is damaged: a code has no category.")
    labels, label_names = encode_labels([names[i] if i >= 0 else "" for i in places], names)
    return labels, label_names, (f"Column {chosen!r:.60} of obs is the class.",)
