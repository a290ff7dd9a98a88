"""Sparse arrays from stored parts: every index is checked, and nothing is made dense."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from nnspca.datasets import limits
from nnspca.errors import DataError
from nnspca.numerics.doubles import as_doubles

DAMAGED = "the sparse array contradicts itself: {}. The file is damaged: save it again."


def check_shape(shape: tuple[int, ...], stored: int, *, at_most: int) -> tuple[int, int]:
    """Return rows and columns, if they and the stored numbers are within limits and fit the available bytes.

    >>> check_shape((3, 4), 2, at_most=10)
    (3, 4)
    """
    if len(shape) != 2 or min(shape) < 0:
        raise DataError(DAMAGED.format(f"its shape is {shape!s:.60}"))
    rows, columns = map(int, shape)
    if max(rows, columns) > limits.most(limits.MAX_COLUMNS):
        raise DataError(
            f"a sparse array of {rows:,} × {columns:,} is larger than the {limits.MAX_COLUMNS:,} rows and columns that "
            "are read. Keep fewer samples or features."
        )
    if stored < 0 or stored > at_most:
        raise DataError(DAMAGED.format(f"{stored:,} numbers are promised and at most {at_most:,} can follow"))
    limits.check_entries(stored)
    return rows, columns


def compressed(
    values: np.ndarray, places: np.ndarray, starts: np.ndarray, shape: tuple[int, int], *, by_rows: bool
) -> scipy.sparse.csr_array:
    """Return an array stored row by row (or column by column), as rows in double precision.

    >>> compressed(np.array([5.0]), np.array([1]), np.array([0, 1, 1]), (2, 2), by_rows=True).toarray()
    array([[0., 5.],
           [0., 0.]])
    """
    rows, columns = check_shape(shape, len(values), at_most=len(values))
    lines, width = (rows, columns) if by_rows else (columns, rows)
    for part, kinds in ((values, "biuf"), (places, "iu"), (starts, "iu")):
        if part.ndim != 1 or part.dtype.kind not in kinds:
            raise DataError(DAMAGED.format(f"a part of it has the type {part.dtype!s:.40}"))
    if len(starts) != lines + 1 or len(places) != len(values):
        raise DataError(DAMAGED.format("its parts have different lengths"))
    places = places if places.dtype == np.int32 else places.astype(np.int64, copy=False)
    starts = starts.astype(np.int64, copy=False)
    if starts[0] != 0 or starts[-1] != len(values) or np.diff(starts).min(initial=0) < 0:
        raise DataError(DAMAGED.format("its rows do not follow each other"))
    if len(places) and (places.min() < 0 or places.max() >= width):
        raise DataError(DAMAGED.format("an index lies outside its shape"))
    kind = scipy.sparse.csr_array if by_rows else scipy.sparse.csc_array
    return _tidy(kind((as_doubles(values), places, starts), shape=(rows, columns)))


def triplets(
    values: np.ndarray, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]
) -> scipy.sparse.csr_array:
    """Return an array stored as row, column and number; repeated entries are added.

    >>> triplets(np.array([5.0]), np.array([0]), np.array([1]), (1, 2)).toarray()
    array([[0., 5.]])
    """
    check_shape(shape, len(values), at_most=len(values))
    for part, most in ((rows, shape[0]), (columns, shape[1])):
        if part.ndim != 1 or part.dtype.kind not in "iu" or len(part) != len(values):
            raise DataError(DAMAGED.format("its parts do not fit together"))
        if len(part) and (int(part.min()) < 0 or int(part.max()) >= most):
            raise DataError(DAMAGED.format("an index lies outside its shape"))
    return _tidy(scipy.sparse.coo_array((as_doubles(values), (rows, columns)), shape=shape))


def _tidy(given: scipy.sparse.sparray) -> scipy.sparse.csr_array:
    """Rows, each entry once, in order, none of them zero."""
    with np.errstate(over="ignore", invalid="ignore"):
        array = scipy.sparse.csr_array(given)
        array.sum_duplicates()
    array.eliminate_zeros()
    return array
