"""Sparse arrays read as rows in double precision, once all they store is found to lie within their shape."""

from __future__ import annotations

import copy

import numpy as np
import scipy.sparse

from nnspca.errors import DataError


def of_sparse(given) -> scipy.sparse.csr_array:
    """Return a sparse array as rows in double precision, entries stored twice added up as SciPy adds them.

    SciPy reads and writes beside its arrays where indices are out of range, so they are looked at first. Entries of
    true and false stored twice are true where one of them is.

    Raises
    ------
    DataError
        No table, not real numbers, an index or an index pointer out of range, values or sums that are not finite.
    """
    if given.dtype.kind not in "fiub":
        raise DataError(f"data must be real numbers; got dtype {given.dtype}")
    if given.ndim != 2:
        raise DataError(f"data must be a table of shape (samples, features); got {given.ndim} dimension(s)")
    try:
        rows = _as_rows(given)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise DataError(f"the sparse array contradicts itself: {error!s:.200}") from error
    if rows.dtype.kind == "b":
        rows.sum_duplicates()
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large becomes infinite, and is refused
        rows = rows.astype(np.float64)
        _check_finite(rows, "value(s) are not finite")
        rows.sum_duplicates()
    _check_finite(rows, "place(s) hold several entries whose sum is not finite")
    return rows


def _as_rows(given) -> scipy.sparse.csr_array:
    """A copy by rows, nothing added up yet; ValueError where its own arrays contradict one another."""
    if given.format in ("csr", "csc", "bsr"):
        given = copy.copy(given)  # looking at it may replace its arrays
        given.check_format(full_check=True)
        rows = given.tocsr()
        data, indices, pointers = rows.data, rows.indices, rows.indptr
    elif given.format == "lil":
        lengths = [len(row) for row in given.rows]
        if lengths != [len(row) for row in given.data]:
            raise ValueError("its rows of indices and of values differ in length")
        indices = np.array([i for row in given.rows for i in row], dtype=np.int64)
        data = np.array([v for row in given.data for v in row], dtype=given.dtype)
        pointers = np.cumsum([0, *lengths])
    else:
        data, indices, pointers = _by_rows(given)
    made = scipy.sparse.csr_array((data, indices, pointers), shape=given.shape, copy=True)
    made.check_format(full_check=True)
    return made


def _by_rows(given) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, columns and row pointers of one that lists places: by coordinates, keys or diagonals."""
    if given.format == "dia" and (
        given.offsets.shape != given.data.shape[:1] or len(np.unique(given.offsets)) < len(given.offsets)
    ):
        raise ValueError("its diagonals and their offsets differ in number, or one comes twice")
    listed = given.tocoo()
    for axis, (places, side) in enumerate(zip(listed.coords, given.shape, strict=True)):
        if places.shape != listed.data.shape or places.dtype.kind not in "iu":
            raise ValueError(f"{places.size} indices along axis {axis} for {listed.data.size} values")
        if places.size and not (places.min() >= 0 and places.max() < side):
            raise ValueError(f"an index along axis {axis} is outside 0 to {side - 1}")
    order = np.argsort(listed.row, kind="stable")
    pointers = np.concatenate([[0], np.cumsum(np.bincount(listed.row, minlength=given.shape[0]))])
    return listed.data[order], listed.col[order], pointers


def _check_finite(rows: scipy.sparse.csr_array, what: str) -> None:
    bad = np.flatnonzero(~np.isfinite(rows.data))
    if len(bad):
        first = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1, int(rows.indices[bad[0]])
        said = "NaN" if np.isnan(rows.data[bad[0]]) else "infinite"
        raise DataError(f"{len(bad)} {what}, the first at index {first} ({said}); remove or fill them")
