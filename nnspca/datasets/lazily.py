"""Data sets opened where they lie: names and sizes are read at once, rows when they are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.datasets import h5ad, limits, remote
from nnspca.datasets.dataset import Dataset
from nnspca.datasets.naming import distinct
from nnspca.errors import DataError, needed, reason

AT_A_TIME = 2**23  # numbers


@dataclass(frozen=True, eq=False)
class LazyData:
    """A data set that :func:`open_lazily` has opened, for :meth:`nnspca.Covariance.from_data`.

    Attributes
    ----------
    name : str
        The name of the file or folder, followed by the path inside it where one was given.
    shape : (int, int)
        Rows (samples) and columns (features).
    size_bytes : int
        Size of the file, or of all files of the folder.
    rows : object
        The array or table that reads rows: a numpy.memmap, h5py.Dataset, Zarr array, AnnData's sparse
        array of a file, or pyarrow.dataset.Dataset.
    feature_names : tuple of str, or None
        None where the file has no names.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(pathlib.Path(folder, "few.npy"), np.arange(6.0).reshape(3, 2))
    ...     open_lazily(pathlib.Path(folder, "few.npy"))
    LazyData('few.npy', 3 × 2, 176 bytes)
    """

    name: str
    shape: tuple[int, int]
    size_bytes: int
    rows: Any
    feature_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"LazyData({self.name!r}, {self.shape[0]:,} × {self.shape[1]:,}, {self.size_bytes:,} bytes)"

    def load(self, features: np.ndarray | None = None) -> Dataset:
        """Read all rows into memory, of these features where some are given.

        Parameters
        ----------
        features : ndarray of int, optional
            Places of columns, such as ``features`` of :func:`nnspca.most_variable`.
        """
        chosen = np.arange(self.shape[1]) if features is None else np.asarray(features)
        if hasattr(self.rows, "to_table"):
            columns = [self.feature_names[i] for i in chosen] if self.feature_names else None
            X = self.rows.to_table(columns=columns).to_pandas().to_numpy()
        else:
            step = max(1, AT_A_TIME // self.shape[1])
            parts = [self.rows[start : start + step][:, chosen] for start in range(0, self.shape[0], step)]
            X = scipy.sparse.vstack(parts) if scipy.sparse.issparse(parts[0]) else np.concatenate(parts)
        every = self.feature_names or [f"feature {i + 1}" for i in range(self.shape[1])]
        names = tuple(every[i] for i in chosen)
        return Dataset(name=self.name, title=self.name, X=X, feature_names=names, source=self.name)


_Rows = tuple[Any, tuple[str, ...] | None]


def open_lazily(path: str | Path) -> LazyData:
    """Open a data set of any size without reading its rows.

    Parameters
    ----------
    path : path or str
        A .npy file of two dimensions; an AnnData file (.h5ad), of which X is opened; an HDF5 file
        (.h5, .hdf5) or a Zarr folder (.zarr) with one array of two dimensions; a Parquet file, or a
        folder of Parquet files, of which columns of text are left out. The path may go on inside
        .h5ad, HDF5 and Zarr: ``cells.h5ad/layers/counts``. Or the address of any of them but .npy, with a
        scheme that fsspec knows: ``https://host/cells.zarr``, ``s3://bucket/cells.parquet``; the
        package is ``nnspca[remote]``, and other schemes have packages of their own.

    Raises
    ------
    DataError
        No such file, no known format, or no array of real numbers of two dimensions in it; the
        message gives the name and what is allowed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import nnspca
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "few.npy")
    ...     np.save(path, [[0.0, 1.0], [2.0, 1.0], [1.0, 4.0]])
    ...     nnspca.Covariance.from_data(open_lazily(path)).diagonal
    array([0.66666667, 2.        ])
    """
    file: Path | str
    if isinstance(path, str) and remote.is_address(path):
        file, own_name, part = remote.split(path)
        folder = ""
    else:
        file, part = split(Path(path))
        own_name, folder = file.name, f"{file.parent}{os.sep}"
    name = "/".join((own_name, *part))
    if isinstance(file, Path) and not file.exists():
        raise DataError(f"{name!r}: there is no such file or folder.")
    try:
        with limits.lifted():
            rows, names = _opener(Path(file))(file, part)
        shape, size_bytes = _shape(rows), _size(file)
    except (DataError, MemoryError) as problem:
        raise type(problem)(f"{name!r}: {problem}") from None
    except Exception as problem:
        # what a store says of an address may name its host
        text = type(problem).__name__ if isinstance(file, str) else str(problem).replace(folder, "")
        raise DataError(f"{name!r} cannot be opened{reason(text, 200)}: it is damaged, or of another format.") from None
    return LazyData(name, shape, size_bytes, rows, names)


def split(path: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the file or folder that a path names, and the path inside it.

    >>> file, part = split(Path("cells.h5ad/layers/counts"))
    >>> str(file), part
    ('cells.h5ad', ('layers', 'counts'))
    """
    inner = (p for p in (path, *path.parents) if p.suffix.lower() in OPENERS and p.suffix.lower() != ".parquet")
    file = next(inner, path)
    return file, path.relative_to(file).parts


def _opener(file: Path) -> Callable[[Any, tuple[str, ...]], _Rows]:
    known = OPENERS.get(file.suffix.lower())
    if known is not None:
        return known
    if file.is_dir() and next(file.rglob("*.parquet"), None) is not None:
        return _open_parquet
    raise DataError(f"no known format; {', '.join(OPENERS)} and folders of Parquet files are opened.")


def _shape(rows: Any) -> tuple[int, int]:
    """Rows and columns, once they are known to be real numbers in two dimensions."""
    if hasattr(rows, "count_rows"):
        shape: tuple[int, ...] = (rows.count_rows(), len(rows.schema))
    else:
        shape = tuple(map(int, rows.shape))
        if getattr(rows.dtype, "kind", "") not in "fiub":
            raise DataError(f"it holds {rows.dtype}; real numbers (float or integer) are needed.")
    if len(shape) != 2 or 0 in shape:
        raise DataError(f"it has shape {shape}; a table of shape (samples, features) is needed.")
    return shape[0], shape[1]


def _size(file: Path | str) -> int:
    if isinstance(file, str):
        return remote.size(file)
    files = [file] if file.is_file() else [p for p in file.rglob("*") if p.is_file()]
    return sum(p.stat().st_size for p in files)


def _open_npy(file: Path, part: tuple[str, ...]) -> _Rows:
    if part:
        raise DataError(f"there is nothing inside a .npy file, and {'/'.join(part)!r} was given.")
    return np.load(file, mmap_mode="r", allow_pickle=False), None


def _open_parquet(file: Path | str, part: tuple[str, ...]) -> _Rows:
    arrow, dataset = needed("pyarrow", "Parquet tables"), needed("pyarrow.dataset", "Parquet tables")
    types = arrow.types
    table = remote.parquet(file, dataset) if isinstance(file, str) else dataset.dataset(str(file), format="parquet")
    tests = (types.is_integer, types.is_floating, types.is_boolean)
    numeric = [f for f in table.schema if not f.name.startswith("__index_level_") and any(t(f.type) for t in tests)]
    if not numeric:
        raise DataError("none of its columns holds numbers.")
    return table.replace_schema(arrow.schema(numeric)), tuple(field.name for field in numeric)


def _open_h5ad(file: Path | str, part: tuple[str, ...]) -> _Rows:
    reader = _hdf5(file)
    rows = _hdf5_rows(reader, part or ("X",))
    names = h5ad.names_of(reader, "var", int(rows.shape[1]), h5ad.SYMBOLS) if len(rows.shape) == 2 else None
    return rows, distinct(names) if names else None


def _open_hdf5(file: Path | str, part: tuple[str, ...]) -> _Rows:
    reader, tables = _hdf5(file), []

    def note(name: str, node: Any) -> None:
        if isinstance(node, reader.h5py.Dataset) and len(node.shape or ()) == 2 and node.dtype.kind in "fiub":
            tables.append(name)

    if not part:
        reader.file.visititems(note)
    return _hdf5_rows(reader, part or tuple(_only(tables).split("/"))), None


def _hdf5(file: Path | str) -> h5ad.Reader:
    h5py = needed("h5py", "HDF5 files")
    opened = h5py.File(remote.stream(file) if isinstance(file, str) else file, "r")
    return h5ad.Reader(opened, h5py, _size(file))


def _hdf5_rows(reader: h5ad.Reader, part: tuple[str, ...]) -> Any:
    """The array at this place of the file; links and data sets in other files are never followed."""
    node = reader.node(*part)
    if node is None:
        raise DataError(f"there is no {'/'.join(part)!r} in it.")
    sparse = isinstance(node, reader.h5py.Group)
    arrays = [reader.node(*part, name) for name in ("data", "indices", "indptr")] if sparse else [node]
    if not all(isinstance(array, reader.h5py.Dataset) for array in arrays):
        raise DataError(f"{'/'.join(part)!r} is no array.")
    if any(array.is_virtual or array.external for array in arrays):
        raise DataError("its numbers lie in other files, which are not opened.")
    return _sparse(node) if sparse else node


def _open_zarr(file: Path | str, part: tuple[str, ...]) -> _Rows:
    zarr = needed("zarr", "Zarr folders", "zarr")
    top = zarr.open(str(file), mode="r")
    if hasattr(top, "shape"):
        return _plain(top), None
    if not part:
        part = ("X",) if "X" in top else (_only([name for name, array in top.arrays() if len(array.shape) == 2]),)
    try:
        node = top["/".join(part)]
    except KeyError:
        raise DataError(f"there is no {'/'.join(part)!r} in it.") from None
    rows = _plain(node) if hasattr(node, "shape") else _sparse(node)
    if "var" not in top:
        return rows, None
    var = top["var"]
    names = distinct(map(str, _plain(var[var.attrs.get("_index", "_index")])[:]))
    return rows, names if len(names) == rows.shape[-1] else None


def _plain(array: Any) -> Any:
    """An array of Zarr whose decoding runs no code of its own."""
    if "pickle" in str(array.metadata):
        raise DataError("it holds Python objects (pickle), which are never loaded.")
    return array


def _sparse(group: Any) -> Any:
    """A sparse array of AnnData's, its rows read from the file."""
    for _, array in group.arrays() if hasattr(group, "arrays") else ():
        _plain(array)
    return needed("anndata.io", "sparse arrays in a file", "'nnspca[anndata]'").sparse_dataset(group)


def _only(tables: list[str]) -> str:
    if len(tables) != 1:
        listed = ", ".join(repr(name[:60]) for name in tables[:10]) or "none"
        raise DataError(
            f"it has {len(tables)} arrays of two dimensions ({listed}), and one is "
            "needed: let the path go on inside the file, as in 'file.h5/group/array'."
        )
    return tables[0]


OPENERS: dict[str, Callable[[Any, tuple[str, ...]], _Rows]] = {
    ".npy": _open_npy,
    ".h5ad": _open_h5ad,
    ".h5": _open_hdf5,
    ".hdf5": _open_hdf5,
    ".zarr": _open_zarr,
    ".parquet": _open_parquet,
}
