"""The door for files people bring: every format, with its guards, to one checked data set."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Literal

import numpy as np

from nnspca.arguments import check_flag, check_instance, shown
from nnspca.datasets import limits, loading
from nnspca.datasets.arff import read_arff
from nnspca.datasets.arrays import read_mat, read_npy, read_npz
from nnspca.datasets.dataset import Content, Dataset, Kind
from nnspca.datasets.delimited import read_delimited
from nnspca.datasets.images import SUFFIXES as IMAGE_SUFFIXES
from nnspca.datasets.images import read_archive
from nnspca.errors import DataError

SUFFIXES = (".csv", ".tsv", ".txt", ".npy", ".npz", ".mat", ".arff", ".zip", ".tar", ".tar.gz", ".tgz")

SYMMETRY_TOLERANCE = 1e-8


def read(
    path_or_bytes: str | os.PathLike[str] | bytes | bytearray | memoryview,
    filename: str | None = None,
    *,
    name: str | None = None,
    samples: Literal["rows", "columns"] = "rows",
    kind: Literal["table", "covariance"] | None = None,
    header: bool | None = None,
) -> Dataset:
    """Read a data set from a file or from uploaded bytes.

    CSV, TSV, NPY, NPZ, MAT (v5 to v7), ARFF, and ZIP or TAR(.gz) archives of images of one size. A
    column of text becomes the class, or the samples' names when all differ; true and false are 1 and 0, as in a data
    frame. A first column without a name that numbers the rows is left out. A square symmetric matrix
    that can be a covariance is taken as one. A file of the catalogue is recognised by its checksum and
    comes back as the data set it is. Nothing is unpacked to disk and no code in a file is ever run.

    Parameters
    ----------
    path_or_bytes : path or bytes
        Where the file is, or what it contains.
    filename : str, optional
        With bytes: the name of the file. Only its ending (the format) and its last part (a label) matter.
    name : str, optional
        What to call the data set; the file's name unless given.
    samples : {"rows", "columns"}
        Where the samples are; with ``"columns"`` the array is turned.
    kind : {"table", "covariance"}, optional
        Read a square symmetric matrix as samples, or insist on a covariance, instead of deciding by looking.
    header : bool, optional
        For CSV and TSV: whether the first row names the columns, instead of deciding by looking.

    Returns
    -------
    Dataset
        Of kind ``"table"``, ``"images"`` or ``"covariance"``; ``notes`` says what was decided on the way.

    Raises
    ------
    nnspca.DataError
        When it cannot be used as given; says what was found, where, and what to change.
    ValueError, TypeError
        For an option of another kind than those above.

    Examples
    --------
    >>> ds = read(b"height,width\\n1,2\\n3,5\\n4,0", "shapes.csv")
    >>> ds.name, ds.kind, ds.shape, ds.feature_names
    ('shapes', 'table', (3, 2), ('height', 'width'))
    >>> read(b"2,1\\n1,2", "shapes.csv").kind
    'covariance'
    """
    if not isinstance(samples, str) or samples not in ("rows", "columns"):
        raise ValueError(f"samples is {samples!r:.60}; it must be 'rows' or 'columns'")
    if kind is not None and (not isinstance(kind, str) or kind not in ("table", "covariance")):
        raise ValueError(f"kind is {kind!r:.60}; it must be 'table', 'covariance' or None")
    if header is not None:
        check_flag("header", header, none=True)
    if name is not None:
        check_instance("name", name, str, "what to call the data set")
    data, label = _open(path_or_bytes, filename)
    known = loading.recognise(hashlib.sha256(data).hexdigest(), data)
    if known is not None:
        return known
    try:
        content = _parse(data, label, samples, header)
        _check(content, kind)
        drawn_as = _kind(content, kind)
    except DataError as error:
        raise DataError(f"{label!r}: {error}") from error
    return Dataset.dress(
        content,
        name=name or label[: -len(_suffix(label))] or label,
        title=name or label,
        kind=drawn_as,
        description=f"Read from the file {label}.",
        citation="Not known: the file does not say.",
        terms="Yours to know: the file does not say.",
        source=label,
    )


def _open(source: str | os.PathLike[str] | bytes | bytearray | memoryview, filename: object) -> tuple[bytes, str]:
    if isinstance(filename, os.PathLike):
        filename = os.fspath(filename)
    if filename is not None and not isinstance(filename, str):
        raise TypeError(f"filename={shown(filename)} is not allowed; give the name of the file as a text")
    if not isinstance(source, str | os.PathLike | bytes | bytearray | memoryview):
        raise TypeError(
            f"path_or_bytes={shown(source)} is not allowed; give a path or what a file contains as bytes (numbers at "
            "hand need no file: Covariance.from_data(X))"
        )
    if isinstance(source, (bytes, bytearray, memoryview)):
        if not filename:
            raise DataError("bytes alone do not tell their format; give the file's name too, for instance 'data.csv'.")
        limits.check_bytes(memoryview(source).nbytes)
        return bytes(source), _label(filename)
    path = Path(source).expanduser()
    label = _label(filename or path.name)
    if not os.path.isfile(path):
        raise DataError(f"there is no file {label!r} at the place given. Check the path.")
    limits.check_bytes(path.stat().st_size)
    try:
        return path.read_bytes(), label
    except OSError as error:
        raise DataError(f"{label!r} cannot be opened: {error.strerror}. Check that you may read it.") from error


def _label(filename: str) -> str:
    """The last part of a file's name, printable and short; never a path."""
    last = re.split(r"[/\\\\]", filename.strip())[-1]
    printable = "".join(c if c.isprintable() else "_" for c in last)
    return printable[-100:] or "upload"


def _suffix(label: str) -> str:
    """The format's ending, as long as it was written; empty when it is not one that is read."""
    return next((label[-len(s) :] for s in sorted(SUFFIXES, key=len, reverse=True) if label.lower().endswith(s)), "")


def _parse(data: bytes, label: str, samples: str, header: bool | None) -> Content:
    suffix = _suffix(label).lower()
    if not suffix:
        _refuse_format(label)
    if not data:
        raise DataError("the file is empty.")
    try:
        match suffix:
            case ".csv" | ".txt":
                return read_delimited(data, header=header, samples=samples)
            case ".tsv":
                return read_delimited(data, delimiter="\t", header=header, samples=samples)
            case ".npy":
                return read_npy(data, samples=samples)
            case ".npz":
                return read_npz(data, samples=samples)
            case ".mat":
                return read_mat(data, samples=samples)
            case ".arff":
                return read_arff(data, samples=samples)
            case _:
                return read_archive(data, samples=samples)
    except DataError:
        raise
    except Exception as error:
        # Decoders raise whatever they like on damaged input; here, at the door, it means one thing.
        raise DataError(
            f"this cannot be read as {suffix} ({type(error).__name__}: {str(error)[:200]}). "
            "It is damaged, or another format under this ending: save it again."
        ) from error


def _refuse_format(label: str) -> None:
    if label.lower().endswith(IMAGE_SUFFIXES):
        raise DataError("this is one image, and that is one sample: pack several of the same size in a ZIP.")
    _, dot, ending = label.rpartition(".")
    found = f"ends in {dot + ending!r}" if dot else "has no ending"
    raise DataError(f"the name {found}; files ending in {', '.join(SUFFIXES)} are read. Save it as one of these.")


def _check(content: Content, kind: str | None) -> None:
    X = content.X
    rows, columns = X.shape
    if rows < 2 or columns < 1:
        raise DataError(
            f"found {rows} {'row' if rows == 1 else 'rows'} and {columns} "
            f"{'column' if columns == 1 else 'columns'} of numbers; at least 2 rows (samples) and 1 column "
            "are needed."
        )
    limits.check_entries(rows, columns)
    _check_values(content, ~np.isfinite(X), "is not finite", "Fill it in or remove that row or column.")
    too_large = np.abs(X) > limits.MAX_MAGNITUDE
    _check_values(content, too_large, f"is beyond ±{limits.MAX_MAGNITUDE:g}", "Rescale that column.")
    if kind != "covariance" and not np.ptp(X, axis=0).any():
        raise DataError(
            f"all {rows:,} rows are equal, so nothing varies and there is nothing to explain. "
            "Check that samples are in rows and that the right numbers were saved."
        )


def _check_values(content: Content, bad: np.ndarray, what: str, remedy: str) -> None:
    count = int(np.count_nonzero(bad))
    if count:
        i, j = np.unravel_index(np.argmax(bad), bad.shape)
        more = f" ({count:,} such values in all)" if count > 1 else ""
        raise DataError(
            f"the value {content.X[i, j]:g} in row {i + 1:,}, column {j + 1:,} "
            f"({content.feature_names[j][:60]!r}) {what}{more}. {remedy}"
        )


def _kind(content: Content, asked: str | None) -> Kind:
    if asked == "covariance":
        if not _is_covariance(content.X):
            raise DataError(
                f"a covariance is asked for, but the {content.X.shape[0]:,} × "
                f"{content.X.shape[1]:,} matrix is not square and symmetric with a diagonal that "
                "dominates. Check the matrix, or read it as samples."
            )
        return "covariance"
    if content.image_shape is not None:
        return "images"
    return "covariance" if asked is None and content.labels is None and _is_covariance(content.X) else "table"


def _is_covariance(A: np.ndarray) -> bool:
    """Whether A is square, symmetric and has no 2×2 minor that a covariance cannot have."""
    if A.shape[0] != A.shape[1] or not np.any(A):
        return False
    scale = np.abs(A).max()
    spread = np.sqrt(np.maximum(np.diag(A), 0) / scale)
    symmetric = np.abs(A - A.T).max() <= SYMMETRY_TOLERANCE * scale
    return bool(
        symmetric
        and np.diag(A).min() >= 0
        and np.all(np.abs(A) / scale <= np.outer(spread, spread) + SYMMETRY_TOLERANCE)
    )
