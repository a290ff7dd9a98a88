"""Data sets opened where they lie: names and sizes are read at once, rows when they are asked for."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.datasets.arrays import gene_names, lies_elsewhere, table_of
from nnspca.datasets.dataset import Dataset, distinct
from nnspca.datasets.formats import TEXTS
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.datasets.readers import SUFFIXES
from nnspca.errors import DataError, needed, reason

AT_A_TIME = 2**23  # numbers
INSIDE = (".h5ad", ".h5", ".hdf5", ".zarr")  # a path may go on inside these
OPENED = (".npy", *INSIDE, ".parquet")
# In a folder; a text may be anything: one is opened where it is named itself.
LISTED = tuple({*OPENED, *SUFFIXES} - {f"{ending}{gz}" for ending in TEXTS for gz in ("", ".gz") if ending != ".csv"})


@dataclass(frozen=True, eq=False)
class LazyData:
    """A data set that :func:`open_lazily` has opened, for :meth:`nnspca.Covariance.from_data`.

    Examples
    --------
    >>> LazyData("few.npy", (3, 2), 176, np.arange(6.0).reshape(3, 2)).load().shape
    (3, 2)
    """

    name: str  #: The name of the file or folder, followed by the path inside it where one was given
    shape: tuple[int, int]  #: Rows (samples) and columns (features)
    size_bytes: int  #: Size of the file, or of all files of the folder
    #: The array or table that reads rows: a numpy.memmap, h5py.Dataset, Zarr array, AnnData's sparse array of a file,
    #: or pyarrow.dataset.Dataset
    rows: Any
    feature_names: tuple[str, ...] | None = None  #: None where the file has no names

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
        every = self.feature_names or [f"feature {i + 1}" for i in range(self.shape[1])]
        names = tuple(every[i] for i in chosen)
        if hasattr(self.rows, "to_table"):
            X = self.rows.to_table(columns=list(names))
        else:
            step = max(1, AT_A_TIME // self.shape[1])
            parts = [self.rows[start : start + step][:, chosen] for start in range(0, self.shape[0], step)]
            X = scipy.sparse.vstack(parts) if scipy.sparse.issparse(parts[0]) else np.concatenate(parts)
        return Dataset(name=self.name, title=self.name, X=X, feature_names=names, source=self.name)


def open_lazily(path: str | Path) -> LazyData:
    """Open a data set of any size without reading its rows.

    Parameters
    ----------
    path : path or str
        A .npy file of two dimensions; an AnnData file (.h5ad), of which X is opened; an HDF5 file (.h5, .hdf5) or a
        Zarr folder (.zarr) with one array of two dimensions; a Parquet file, or a folder of Parquet files, of which
        columns of text are left out. The path may go on inside .h5ad, HDF5 and Zarr: ``cells.h5ad/layers/counts``.

    Raises
    ------
    DataError
        No such file, no known format, or no array of real numbers of two dimensions in it; the
        message gives the name and what is allowed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(pathlib.Path(folder, "few.npy"), np.arange(6.0).reshape(3, 2))
    ...     open_lazily(pathlib.Path(folder, "few.npy"))
    LazyData('few.npy', 3 × 2, 176 bytes)
    """
    file, part = split(Path(path))
    name = "/".join((file.name, *part))
    if not file.exists():
        raise DataError(f"{name!r}: there is no such file or folder.")
    kind = file.suffix.lower()
    try:
        if kind == ".npy" and not part:
            rows, names = np.load(file, mmap_mode="r", allow_pickle=False), None
        elif kind in INSIDE:
            rows, names = _inside(file, part)
        elif kind == ".parquet" or (file.is_dir() and next(file.rglob("*.parquet"), None) is not None):
            rows, names = _parquet(file)
        else:
            raise DataError(f"no known format; {', '.join(OPENED)} and folders of Parquet files are opened.")
        sizes = (rows.count_rows(), len(rows.schema)) if hasattr(rows, "count_rows") else tuple(map(int, rows.shape))
        if getattr(getattr(rows, "dtype", None), "kind", "f") not in "fiub":
            raise DataError(f"it holds {rows.dtype}; real numbers (float or integer) are needed.")
        if len(sizes) != 2 or 0 in sizes:
            raise DataError(f"it has shape {sizes}; a table of shape (samples, features) is needed.")
    except (DataError, MemoryError) as problem:
        raise type(problem)(f"{name!r}: {problem}") from None
    except Exception as problem:
        text = str(problem).replace(f"{file.parent}{os.sep}", "")
        raise DataError(f"{name!r} cannot be opened{reason(text, 200)}: it is damaged, or of another format.") from None
    files = [file] if file.is_file() else [p for p in file.rglob("*") if p.is_file()]
    return LazyData(name, (sizes[0], sizes[1]), sum(p.stat().st_size for p in files), rows, names)


def files_of(path: str) -> list[str]:
    """Return a path, or what can be opened in it where it is a folder of such files and none of them itself."""
    if not os.path.isdir(path) or path.lower().endswith(OPENED):
        return [path]
    every = [name for name in sorted(os.listdir(path)) if not name.startswith(".")]
    inside = [name for name in every if name.lower().endswith(LISTED)]
    parts = all(name.lower().endswith(".parquet") for name in inside)  # of one table, or nothing to open
    images = sum(name.lower().endswith(IMAGES) for name in every) > len(every) / 2
    return [path] if parts or images else [os.path.join(path, name) for name in inside]


def split(path: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the file or folder that a path names, and the path inside it."""
    file = next((p for p in (path, *path.parents) if p.suffix.lower() in (".npy", *INSIDE)), path)
    return file, path.relative_to(file).parts


def _inside(file: Path, part: tuple[str, ...]) -> tuple[Any, tuple[str, ...] | None]:
    """An array of an HDF5 file or a Zarr folder, dense or AnnData's sparse, and the names of genes beside it."""
    arrays: dict[str, Any] = {}
    if file.suffix.lower() == ".zarr":
        top, linked = needed("zarr", "Zarr folders", "zarr").open(str(file), mode="r"), None
        if hasattr(top, "shape"):
            return _plain(top), None
        arrays.update(top.arrays())
    else:
        h5py = needed("h5py", "HDF5 files")
        top, linked = h5py.File(file, "r"), h5py.HardLink
        top.visititems(lambda name, node: arrays.update({name: node}) if isinstance(node, h5py.Dataset) else None)
    at = "/".join(part) or ("X" if "X" in top else _only(arrays))
    if at not in top:
        raise DataError(f"there is no {at!r} in it.")
    places = itertools.accumulate(at.split("/"), "{}/{}".format)
    if linked and not all(isinstance(top.get(place, getlink=True), linked) for place in places):
        raise DataError(f"there is no {at!r} in it, but a link, which is not followed.")
    node = top[at]
    if not hasattr(node, "shape"):
        if "data" not in node:
            raise DataError(f"{at!r} is no array.")
        for array in (node["data"], node["indices"], node["indptr"]):
            _plain(array)
        node = needed("anndata.io", "sparse arrays in a file").sparse_dataset(node)
    names = None
    if "var" in top:
        names = gene_names(table_of(needed("anndata.io", "names of genes").read_elem(top["var"])))
    return _plain(node), names if names and len(names) == node.shape[-1] else None


def _plain(array: Any) -> Any:
    """An array of the file itself, whose decoding runs no code of its own."""
    if lies_elsewhere(array):
        raise DataError("its numbers lie in other files, which are not opened.")
    if "pickle" in str(getattr(array, "metadata", "")):
        raise DataError("it holds Python objects (pickle), which are never loaded.")
    return array


def _only(arrays: dict[str, Any]) -> str:
    tables = [name for name, array in arrays.items() if len(array.shape or ()) == 2 and array.dtype.kind in "fiub"]
    if len(tables) != 1:
        listed = ", ".join(repr(name[:60]) for name in tables[:10]) or "none"
        raise DataError(
            f"it has {len(tables)} arrays of two dimensions ({listed}), and one is needed: let the path go on inside "
            "the file, as in 'file.h5/group/array'."
        )
    return tables[0]


def _parquet(file: Path) -> tuple[Any, tuple[str, ...]]:
    arrow, dataset = needed("pyarrow", "Parquet tables"), needed("pyarrow.dataset", "Parquet tables")
    table = dataset.dataset(str(file), format="parquet")
    tests = (arrow.types.is_integer, arrow.types.is_floating, arrow.types.is_boolean)
    numeric = [f for f in table.schema if not f.name.startswith("__index_level_") and any(t(f.type) for t in tests)]
    if not numeric:
        raise DataError("none of its columns holds numbers.")
    return table.replace_schema(arrow.schema(numeric)), distinct(field.name for field in numeric)
