"""Sparse arrays read as rows in double precision, once all they store is found to lie within their shape."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from nnspca.errors import DataError, reason
from nnspca.numerics.doubles import EXACT, as_doubles


def of_sparse(given) -> scipy.sparse.csr_array:
    """Return a sparse array as rows in double precision, entries stored twice added up as SciPy adds them.

    SciPy reads and writes beside its arrays where indices are out of range, so they are looked at
    first. Entries of true and false stored twice are true where one of them is. DataError for anything
    that is no table of finite real numbers.
    """
    if given.dtype.kind not in "fiub":
        raise DataError(f"data must be real numbers; got dtype {given.dtype}")
    if given.ndim != 2:
        raise DataError(f"data must be a table of shape (samples, features); got {given.ndim} dimension(s)")
    try:
        rows = _as_rows(given)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise DataError(f"the sparse array contradicts itself{reason(error, 200)}") from error
    if rows.dtype.kind == "b":
        rows.sum_duplicates()
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large becomes infinite, and is refused
        stored, kind = len(rows.data), rows.dtype.kind
        rows = scipy.sparse.csr_array((as_doubles(rows.data), rows.indices, rows.indptr), shape=rows.shape)
        _check_finite(rows, "value(s) are not finite")
        rows.sum_duplicates()
        if kind in "iu" and len(rows.data) < stored and np.abs(rows.data).max() >= EXACT:
            raise DataError(
                f"whole numbers stored several times for one place add up to 2^53 = {EXACT:.0f} or more, "
                "which doubles may round: add them up (sum_duplicates), or give floats"
            )
    _check_finite(rows, "place(s) hold several entries whose sum is not finite")
    return rows


def _as_rows(given) -> scipy.sparse.csr_array:
    """A copy by rows, nothing added up yet; ValueError where its own arrays contradict one another."""
    if given.format in ("csr", "csc", "bsr"):
        parts = given.data, np.asarray(given.indices), np.asarray(given.indptr)
        if any(part.dtype.kind not in "iu" for part in parts[1:]):
            raise ValueError("its indices and index pointers are no whole numbers")
        matrix = getattr(scipy.sparse, f"{given.format}_array")(parts, shape=given.shape, copy=True)
        if (matrix.indptr[1:] < matrix.indptr[:-1]).any():  # SciPy's own check lets that pass where nothing is stored
            raise ValueError("its index pointers do not rise from 0")
        matrix.check_format(full_check=True)
        return matrix.tocsr()
    if given.format == "lil":
        lengths = [len(row) for row in given.rows]
        if lengths != [len(row) for row in given.data]:
            raise ValueError("its rows of indices and of values differ in length")
        columns = np.array([i for row in given.rows for i in row], dtype=np.int64)
        data = np.array([v for row in given.data for v in row], dtype=given.dtype)
        return _by_rows(given, data, np.repeat(np.arange(given.shape[0]), lengths), columns)
    if given.format == "dia" and (
        given.offsets.shape != given.data.shape[:1] or len(np.unique(given.offsets)) < len(given.offsets)
    ):
        raise ValueError("its diagonals and their offsets differ in number, or one comes twice")
    listed = given.tocoo()
    return _by_rows(given, listed.data, *listed.coords)


def _check_within(places: np.ndarray, side: int) -> None:
    if places.dtype.kind not in "iu" or (places.size and not (places.min() >= 0 and places.max() < side)):
        raise ValueError(f"an index is outside 0 to {side - 1}")


def _by_rows(given, data: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> scipy.sparse.csr_array:
    """What is listed entry by entry, by rows."""
    if not rows.shape == columns.shape == data.shape:
        raise ValueError(f"it has {rows.size} and {columns.size} indices for {data.size} values")
    m, n = given.shape
    _check_within(rows, m)
    _check_within(columns, n)
    order = np.argsort(rows, kind="stable")
    pointers = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=m))])
    return scipy.sparse.csr_array((data[order], columns[order], pointers), shape=(m, n))


def _check_finite(rows: scipy.sparse.csr_array, what: str) -> None:
    bad = np.flatnonzero(~np.isfinite(rows.data))
    if len(bad):
        first = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1, int(rows.indices[bad[0]])
        value_text = "NaN" if np.isnan(rows.data[bad[0]]) else "infinite"
        raise DataError(f"{len(bad)} {what}, the first at index {first} ({value_text}); remove or fill them")
