"""Reads saved arrays (NPY, NPZ, MAT); headers are checked before any data are loaded.

numpy and scipy read the arrays; the headers are looked at first, as both make room for whatever
they promise.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.datasets import limits
from nnspca.datasets.archives import open_zip
from nnspca.datasets.dataset import Content
from nnspca.datasets.sparse import DAMAGED, check_shape, compressed, triplets
from nnspca.datasets.tables import encode_labels
from nnspca.errors import DataError
from nnspca.numerics.doubles import as_doubles

_LABEL_KEYS = ("y", "labels", "label", "gnd")
_TEXT_KEYS = frozenset({"feature_names", "label_names", *_LABEL_KEYS})
_SPARSE_KEYS = frozenset({"format", "shape", "data"})
_MAT_NUMBERS = ("double", "single", "sparse", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
_NPY_HEAD = 12_000  # bytes; numpy refuses longer headers


def read_npy(data: bytes, *, samples: str = "rows") -> Content:
    """Read one array from NPY bytes: (m, n) samples, or (m, height, width) grey images."""
    return _content(_load_npy(io.BytesIO(data), len(data)), samples)


def read_npz(data: bytes, *, samples: str = "rows") -> Content:
    """Read the array ``X`` (or the only one that can be samples) from NPZ bytes.

    ``feature_names``, ``label_names``, ``image_shape`` and labels (``y``) saved beside it are used
    where they fit. What ``scipy.sparse.save_npz`` wrote stays sparse.
    """
    with open_zip(data) as archive:
        members = {m.filename.removesuffix(".npy"): m for m in archive.infolist() if m.filename.endswith(".npy")}

        def load(key: str) -> np.ndarray:
            try:
                with archive.open(members[key]) as stream:
                    return _load_npy(stream, members[key].file_size, text=key in _TEXT_KEYS or key == "format")
            except DataError as error:
                raise DataError(f"{key[:40]!r} in it: {error}") from error

        if members.keys() >= _SPARSE_KEYS:
            return _sparse(members, load, samples)
        shapes = {}
        for key, member in members.items():
            with archive.open(member) as stream:
                shapes[key] = _npy_header(io.BytesIO(stream.read(_NPY_HEAD)))[0]
        key = _choose(shapes)
        vectors_by_name = {
            other: load(other)
            for other in ("feature_names", "label_names", "image_shape", *_LABEL_KEYS)
            if other in members and other != key
        }
        return _content(load(key), samples, vectors_by_name)


def _sparse(names: Iterable[str], load: Callable[[str], np.ndarray], samples: str) -> Content:
    """An array saved by scipy.sparse: its form, its shape and its parts."""
    form = load("format").tobytes().rstrip(b"\0").decode("latin-1").replace("\0", "")
    shape = load("shape")
    parts = {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "coo": ("row", "col")}.get(form, ())
    if not parts or any(part not in names for part in parts):
        raise DataError(f"the sparse array has the form {form!r:.20}; csr, csc and coo are read: save X.tocsr().")
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise DataError(DAMAGED.format("its shape is no pair of whole numbers"))
    size = check_shape(tuple(shape.tolist()), 0, at_most=0)
    values, first, second = load("data"), load(parts[0]), load(parts[1])
    _check_plain(values.dtype)
    array = (
        triplets(values, first, second, size)
        if form == "coo"
        else compressed(values, first, second, size, by_rows=form == "csr")
    )
    array = array.T.tocsr() if samples == "columns" else array
    note = f"Sparse: {array.nnz:,} of {size[0] * size[1]:,} numbers are not zero, and no others are stored."
    return Content(X=array, notes=(note,))


def read_mat(data: bytes, *, samples: str = "rows") -> Content:
    """Read the variable ``X`` (or the only numeric matrix) from the bytes of a MATLAB file (v5 to v7)."""
    if data[:10] == b"MATLAB 7.3" or b"\x89HDF\r\n\x1a\n" in data[:1024]:
        raise DataError("this is a MATLAB v7.3 (HDF5) file; save it with save('file.mat', 'X', '-v7').")
    if data[126:128] not in (b"IM", b"MI"):
        raise DataError("this is not a MATLAB v5 file; save it with save('file.mat', 'X', '-v7').")
    from scipy.io import matlab

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        listed = matlab.whosmat(io.BytesIO(data))
        shapes = {name: shape for name, shape, kind in listed if kind in _MAT_NUMBERS}
        vectors = {name for name in _LABEL_KEYS if name in shapes and 1 in shapes[name]}
        key = _choose({name: shape for name, shape in shapes.items() if name not in vectors} or shapes)
        for name in (key, *vectors):
            limits.check_entries(*shapes[name])
        try:
            arrays = matlab.loadmat(io.BytesIO(data), variable_names=[key, *vectors])
        except ValueError as error:
            raise DataError(
                f"the variable {key[:40]!r} is damaged: its numbers do not fill its shape {shapes[key]}. Save the file "
                "again."
            ) from error
    return _content(_written_out(arrays[key]), samples, {name: arrays[name].ravel() for name in vectors - {key}})


def _written_out(array: Any) -> np.ndarray:
    """The dense form of an array, once the indices of a sparse one are checked."""
    if not scipy.sparse.issparse(array):
        return np.asarray(array)
    _check_plain(array.dtype)
    return compressed(array.data, array.indices, array.indptr, array.shape, by_rows=False).toarray()


def _npy_header(stream: Any) -> tuple[tuple[int, ...], np.dtype]:
    version = np.lib.format.read_magic(stream)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise DataError(f"NPY format version {version[0]}.{version[1]} is not read; save plain numbers.")
    shape, _, dtype = readers[version](stream)
    return shape, dtype


def _load_npy(stream: Any, size: int, *, text: bool = False) -> np.ndarray:
    """Load an array whose header fits the available bytes and has a plain type."""
    head = io.BytesIO(stream.read(_NPY_HEAD))
    shape, dtype = _npy_header(head)
    _check_plain(dtype, text=text)
    needed = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or needed > size:
        raise DataError(
            f"the header promises an array of shape {shape} and type {dtype}, more than the {size:,} bytes "
            "that follow. The file is damaged or cut short: save it again."
        )
    limits.check_entries(*shape)
    whole = io.BytesIO(head.getvalue() + stream.read(needed))
    return np.lib.format.read_array(whole, allow_pickle=False)


def _check_plain(dtype: np.dtype, *, text: bool = False) -> None:
    if dtype.hasobject:
        raise DataError("the array holds Python objects, which are never loaded; save numbers (float or integer).")
    if dtype.kind not in ("biufUS" if text else "biuf"):
        what = "complex numbers" if dtype.kind == "c" else f"values of type {dtype}"
        raise DataError(f"the array holds {what}; real numbers (float or integer) are needed.")


def _choose(shapes: dict[str, tuple[int, ...]]) -> str:
    """The array called X, or the only one with two dimensions, or the only one with three."""
    if "X" in shapes:
        return "X"
    for dimensions in (2, 3):
        fitting = [name for name, shape in shapes.items() if len(shape) == dimensions]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            break
    listed = ", ".join(f"{name[:40]!r} {shape}" for name, shape in list(shapes.items())[:10]) or "none"
    raise DataError(f"which array holds the samples? Found: {listed}. Name it X, or save it alone.")


def _content(array: np.ndarray, samples: str, vectors: dict[str, np.ndarray] | None = None) -> Content:
    vectors = vectors or {}
    _check_plain(array.dtype)
    if array.ndim not in (2, 3):
        raise DataError(
            f"the array has shape {array.shape}; needed: (samples, features), or (images, height, width) in grey."
        )
    limits.check_entries(*array.shape)
    values = as_doubles(array)
    if samples == "columns":
        values = np.moveaxis(values, -1, 0)
    image_shape = values.shape[1:] if values.ndim == 3 else _image_shape(vectors, values.shape[1])
    labels, label_names = _labels(vectors, len(values))
    names = vectors.get("feature_names", np.empty(0))
    X = values.reshape(len(values), int(np.prod(values.shape[1:])))
    return Content(
        X=X,
        feature_names=tuple(map(str, names)) if names.shape == (X.shape[1],) else (),
        image_shape=image_shape,
        labels=labels,
        label_names=label_names,
    )


def _image_shape(vectors: dict[str, np.ndarray], n_features: int) -> tuple[int, int] | None:
    shape = vectors.get("image_shape")
    if shape is None or shape.shape != (2,) or shape.dtype.kind not in "iu" or min(shape) < 1:
        return None
    height, width = map(int, shape)
    return (height, width) if height * width == n_features else None


def _labels(vectors: dict[str, np.ndarray], n_samples: int) -> tuple[np.ndarray | None, tuple[str, ...]]:
    for key in _LABEL_KEYS:
        values = vectors.get(key)
        if values is None or values.shape != (n_samples,):
            continue
        if values.dtype.kind == "U":
            return encode_labels(list(map(str, values)))
        if not np.array_equal(values, np.round(values)) or np.abs(values).max(initial=0) > 2**31:
            continue
        names = vectors.get("label_names", np.empty(0))
        if names.ndim == 1 and len(names) > values.max(initial=0) and values.min(initial=0) >= 0:
            return values.astype(np.int64), tuple(map(str, names))
        levels, labels = np.unique(values.astype(np.int64), return_inverse=True)
        return labels, tuple(map(str, levels))
    return None, ()
