"""Reads saved arrays: NPY, NPZ, MAT, MatrixMarket with 10x's names beside it, and AnnData; sparse ones stay sparse."""

from __future__ import annotations

import gzip
import io
import warnings
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.datasets.cells import CLASS_NAMES
from nnspca.datasets.dataset import Content, distinct
from nnspca.datasets.notes import Note, decision
from nnspca.datasets.options import Reading
from nnspca.datasets.tables import encode_labels
from nnspca.errors import DataError, needed, reason
from nnspca.numerics.doubles import as_doubles

_LABEL_KEYS = ("y", "labels", "label", "gnd")
_MAT_NUMBERS = ("double", "single", "sparse", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
FEATURES, SAMPLES = ("genes.tsv", "features.tsv"), ("barcodes.tsv",)
BESIDE = (*FEATURES, *SAMPLES)
DESCRIPTIONS = ("description", "gene_description", "gene_title", "full_name")
SYMBOLS = ("gene_symbols", "gene_symbol", "gene_name", "gene_names", "feature_name", "symbol")
USUAL_CLASSES = CLASS_NAMES | {"cell_type", "celltype", "cell_type_original"}


def read_npy(data: bytes, options: Reading) -> Content:
    """Read one array from NPY bytes: (m, n) samples, or (m, height, width) grey images."""
    return _content(_loaded(data), options)


def read_npz(data: bytes, options: Reading) -> Content:
    """Read the array ``X`` (or the only one that can be samples) from NPZ bytes.

    ``feature_names``, ``label_names``, ``image_shape`` and labels (``y``) saved beside it are used where they fit.
    """
    saved = _loaded(data)
    if {"format", "shape", "data"} <= set(saved):
        return _sparse(scipy.sparse.load_npz(io.BytesIO(data)), options)
    arrays = dict(saved)
    key = _choose({name: array.shape for name, array in arrays.items()})
    return _content(arrays.pop(key), options, arrays)


def _loaded(data: bytes) -> Any:
    """The array, or the arrays by name; Python objects are never loaded."""
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        return loaded if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except ValueError as error:
        if "pickle" not in str(error):
            raise
        raise DataError("the file holds no plain numbers; Python objects are never loaded: save an array.") from error


def read_mat(data: bytes, options: Reading) -> Content:
    """Read the variable ``X`` (or the only numeric matrix) from the bytes of a MATLAB file (v5 to v7)."""
    if data[:10] == b"MATLAB 7.3" or b"\x89HDF\r\n\x1a\n" in data[:1024]:
        raise DataError("this is a MATLAB v7.3 (HDF5) file; save it with save('file.mat', 'X', '-v7').")
    if data[126:128] not in (b"IM", b"MI"):
        raise DataError("this is not a MATLAB v5 file; save it with save('file.mat', 'X', '-v7').")
    from scipy.io import matlab

    listed = matlab.whosmat(io.BytesIO(data))
    shapes = {name: shape for name, shape, kind in listed if kind in _MAT_NUMBERS}
    vectors = {name for name in _LABEL_KEYS if name in shapes and 1 in shapes[name]}
    key = _choose({name: shape for name, shape in shapes.items() if name not in vectors} or shapes)
    arrays = matlab.loadmat(io.BytesIO(data), variable_names=[key, *vectors])
    X = _checked(arrays[key]).toarray() if scipy.sparse.issparse(arrays[key]) else arrays[key]
    return _content(X, options, {name: arrays[name].ravel() for name in vectors - {key}})


def read_market(data: bytes, options: Reading, beside: Mapping[str, bytes] | None = None) -> Content:
    """Read a matrix in MatrixMarket format, gzipped or not, with the names of its features and samples."""
    from scipy import io as scipy_io

    text = decompress(data)
    if text[:14].lower() != b"%%matrixmarket":
        raise DataError("the first line does not say %%MatrixMarket matrix …: is this a MatrixMarket file?")
    content = _sparse(scipy.sparse.csr_array(scipy_io.mmread(io.BytesIO(text))), Reading())
    X, notes = content.X, list(content.notes)
    features, samples = _names(beside or {}, FEATURES), _names(beside or {}, SAMPLES)
    turned = options.samples == "columns"
    if features or samples:
        rows, columns = X.shape
        as_10x = (not features or rows == len(features)) and (not samples or columns == len(samples))
        as_table = (not features or columns == len(features)) and (not samples or rows == len(samples))
        if not (as_10x or as_table):
            count, what = len(features or samples), "features" if features else "barcodes"
            raise DataError(
                f"the matrix is {rows:,} × {columns:,}, and the file of {what} beside it names {count:,}: they do not "
                "belong together."
            )
        turned = as_10x
        said = f"The samples are its {'columns' if turned else 'rows'}, by the names beside it."
        notes.append(decision(said, "samples"))
    X = scipy.sparse.csr_array(X.T) if turned else X
    return Content(
        X=X,
        feature_names=distinct(features),
        notes=tuple(notes),
        sample_names=samples if len(samples) == X.shape[0] else (),
    )


def read_h5ad(data: bytes, options: Reading) -> Content:
    """Read X of an AnnData file: cells in rows, genes in columns; a column of obs with categories may be the class."""
    if options.samples == "columns":
        raise DataError("AnnData has cells in rows by definition: leave its samples as rows.")
    h5py = needed("h5py", "AnnData files")
    if data[:8] != b"\x89HDF\r\n\x1a\n":
        raise DataError("this is no HDF5 file, which .h5ad is: it begins with other bytes.")
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            check_links(file, h5py)
            if "X" not in file:
                raise DataError("there is no X in the file: an AnnData file holds its numbers there.")
            element = needed("anndata.io", "AnnData files").read_elem
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of older dialects
                X, obs, var = element(file["X"]), table_of(element(file["obs"])), table_of(element(file["var"]))
    except (DataError, MemoryError):
        raise
    except Exception as error:  # HDF5 raises anything
        raise DataError(f"the HDF5 file is damaged{reason(error)}: save it again.") from error
    content = _sparse(X, options) if scipy.sparse.issparse(X) else _content(np.asarray(X), options)
    described = [name for name in DESCRIPTIONS if name in var][:1]
    kinds = [name for name in obs if hasattr(obs[name].dtype, "categories")]
    usual = [name for name in kinds if name.lower() in USUAL_CLASSES] or (kinds if len(kinds) == 1 else [])
    chosen = options.of_role("class") or next(iter(usual if options.label is None else ()), "")
    if chosen and chosen not in kinds:
        known = ", ".join(kinds[:10]) or "none"
        raise DataError(f"no column of obs with categories is called {chosen!r:.60}; there are: {known}.")
    labels: Any = None
    said: tuple[Note, ...] = ()
    if chosen:
        said = (decision(f"Column {chosen!r:.60} of obs is the class.", "label", [chosen], label=""),)
        levels = tuple(map(str, obs[chosen].dtype.categories))
        labels = encode_labels(["" if v is None or v != v else str(v) for v in obs[chosen].astype(object)], levels)
    return Content(
        X=content.X,
        feature_names=gene_names(var),
        feature_titles=tuple("" if word != word else str(word) for name in described for word in var[name]),
        labels=labels[0] if labels else None,
        label_names=labels[1] if labels else (),
        notes=(*content.notes, *said),
        sample_names=tuple(map(str, obs.index)),
    )


def read_h5(data: bytes, options: Reading) -> Content:
    """Read the array ``X`` (or the only one that can be samples) from the bytes of an HDF5 file."""
    h5py, shapes = needed("h5py", "HDF5 files"), dict[str, tuple[int, ...]]()
    with h5py.File(io.BytesIO(data), "r") as file:
        check_links(file, h5py)
        file.visititems(lambda name, node: shapes.update({name: getattr(node, "shape", ())}))
        return _content(np.asarray(file[_choose(shapes)]), options)


def table_of(element: Any) -> Any:
    """Return AnnData's table as a frame; once it wrote a structured array, its index first."""
    if hasattr(element, "columns"):
        return element
    names = [name.decode() if isinstance(name, bytes) else str(name) for name in element[element.dtype.names[0]]]
    return needed("pandas", "tables").DataFrame(index=names)


def gene_names(var: Any) -> tuple[str, ...]:
    """Return distinct names of the genes in AnnData's table of them: symbols if there are some, else its index."""
    return distinct(map(str, next((var[name] for name in SYMBOLS if name in var), var.index)))


def check_links(file: Any, h5py: Any) -> None:
    """Refuse an HDF5 file that leads into other files, or around in circles."""
    linked = file.visititems_links(lambda name, link: None if isinstance(link, h5py.HardLink) else name)
    away = file.visititems(lambda name, node: name if lies_elsewhere(node) else None)
    if linked or away:
        raise DataError(f"{linked or away!r:.60} leads into other files or places, which are not read: write it again.")


def lies_elsewhere(node: Any) -> bool:
    """Whether the numbers of an HDF5 data set lie in other files."""
    return bool(getattr(node, "is_virtual", False) or getattr(node, "external", None))


def decompress(data: bytes) -> bytes:
    """The content of a gzipped file; any other file unchanged."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"the gzipped file is damaged{reason(error)}: save it again.") from error


def _names(beside: Mapping[str, bytes], endings: tuple[str, ...]) -> tuple[str, ...]:
    """The names in a file with this ending: its second column if it has one, where 10x writes symbols."""
    for name, content in beside.items():
        if name.lower().removesuffix(".gz").endswith(endings):
            text = decompress(content).decode("utf-8", "replace")
            rows = [line.split("\t") for line in text.splitlines() if line.strip()]
            return tuple((row[1] if len(row) > 1 and row[1].strip() else row[0]).strip() for row in rows)
    return ()


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


def _checked(given: Any) -> scipy.sparse.csr_array:
    """A sparse array as rows, once its indices are known to lie inside; each entry once, none of them zero."""
    _check_plain(given.dtype)
    try:
        if hasattr(given, "check_format"):
            given.check_format(full_check=True)
        array = scipy.sparse.csr_array(given)
        array.data = as_doubles(array.data)
        with np.errstate(over="ignore", invalid="ignore"):
            array.sum_duplicates()
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"the sparse array contradicts itself{reason(error)}. The file is damaged: save it again."
        ) from error
    array.eliminate_zeros()
    return array


def _sparse(given: Any, options: Reading) -> Content:
    array = _checked(given)
    array = scipy.sparse.csr_array(array.T) if options.samples == "columns" else array
    size = array.shape[0] * array.shape[1]
    said = f"Sparse: {array.nnz:,} of {size:,} numbers are not zero, and no others are stored."
    return Content(X=array, notes=(decision(said),))


def _check_plain(dtype: np.dtype) -> None:
    if dtype.kind not in "biuf":
        what = "complex numbers" if dtype.kind == "c" else f"values of type {dtype}"
        raise DataError(f"the array holds {what}; real numbers (float or integer) are needed.")


def _content(array: np.ndarray, options: Reading, vectors: dict[str, np.ndarray] | None = None) -> Content:
    vectors = vectors or {}
    _check_plain(array.dtype)
    if array.ndim not in (2, 3):
        raise DataError(
            f"the array has shape {array.shape}; needed: (samples, features), or (images, height, width) in grey."
        )
    values = as_doubles(array)
    if options.samples == "columns":
        values = np.moveaxis(values, -1, 0)
    shape: Any = values.shape[1:] if values.ndim == 3 else vectors.get("image_shape", np.empty(0)).tolist()
    X = values.reshape(len(values), -1) if values.size else values.reshape(len(values), int(np.prod(values.shape[1:])))
    whole = len(shape) == 2 and all(isinstance(side, int) and side > 0 for side in shape)
    labels, label_names = _labels(vectors, len(values))
    names = vectors.get("feature_names", np.empty(0))
    return Content(
        X=X,
        feature_names=tuple(map(str, names)) if names.shape == (X.shape[1],) else (),
        image_shape=(shape[0], shape[1]) if whole and shape[0] * shape[1] == X.shape[1] else None,
        labels=labels,
        label_names=label_names,
    )


def _labels(vectors: dict[str, np.ndarray], n_samples: int) -> tuple[np.ndarray | None, tuple[str, ...]]:
    for key in _LABEL_KEYS:
        values = vectors.get(key)
        if values is None or values.shape != (n_samples,):
            continue
        if values.dtype.kind == "U":
            return encode_labels(list(map(str, values)))
        if values.dtype.kind not in "biuf" or not np.array_equal(values, np.round(values)):
            continue
        if np.abs(values).max(initial=0) > 2**31:
            continue
        names = vectors.get("label_names", np.empty(0))
        if names.ndim == 1 and len(names) > values.max(initial=0) and values.min(initial=0) >= 0:
            return values.astype(np.int64), tuple(map(str, names))
        levels, labels = np.unique(values.astype(np.int64), return_inverse=True)
        return labels, tuple(map(str, levels))
    return None, ()
