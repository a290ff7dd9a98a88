"""What a caller hands over as data, read as numbers: arrays, tables, sparse arrays; refused where it cannot be."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.control.arguments import is_table, masked, strangers
from nnspca.covariance.given import opened
from nnspca.errors import DataError, reason
from nnspca.numerics.doubles import EXACT, as_doubles


def numbers(given: object) -> np.ndarray | scipy.sparse.csr_array:
    """Return what was given in double precision, as an array or, where it was sparse, a sparse array of rows.

    Tables (pandas) are read column by column: true and false are 1 and 0, a missing value is none
    that can be used, and text is none either, whatever it writes. DataError says how many values
    cannot be used, and where.
    """
    given = given if scipy.sparse.issparse(given) else opened(given).values
    if scipy.sparse.issparse(given):
        return _of_sparse(given)
    check_unmasked(given)
    values = _of_table(given) if is_table(given) else _of_array(given)
    _check_finite(values, columns=getattr(given, "columns", None) if is_table(given) else None)
    return values


def check_names(given: object) -> None:
    """Raise DataError where two columns of a table have one name."""
    columns: Any = getattr(given, "columns", None)
    if is_table(given) and hasattr(columns, "duplicated") and (again := columns.duplicated()).any():
        raise DataError(
            f"{int(again.sum())} column(s) have the name of another, the first {str(columns[again][0])[:40]!r}; "
            "rename them, or give an array"
        )


def check_unmasked(given: object) -> None:
    """Raise DataError where values are masked: an array made of them would show what the mask hides."""
    hidden, total = masked(given)
    if hidden:
        raise DataError(
            f"{hidden} of {total} values are masked; fill them (X.filled(value)) or leave out their rows or "
            "columns (numpy.ma.compress_rows, compress_cols)"
        )


def _of_table(given) -> np.ndarray:
    """A data frame, whose columns may each have a type of their own."""
    kinds = list(getattr(given, "dtypes", ()))
    if not kinds or not all(hasattr(kind, "kind") for kind in kinds):  # not pandas: it knows best how to be an array
        return _of_array(given.to_numpy())
    if all(kind.kind in "fiub" for kind in kinds):
        values = given.to_numpy(dtype=np.float64, na_value=np.nan)
        if not _reaches(values) or all(kind.kind in "fb" for kind in kinds):
            return values
    columns = []
    for i, name in enumerate(given.columns):
        column = given.iloc[:, i]
        try:
            if column.dtype.kind in "fb":
                columns.append(column.to_numpy(dtype=np.float64, na_value=np.nan))
            else:
                columns.append(_of_array(column.astype(object).to_numpy(dtype=object, na_value=None)))
        except DataError as error:
            raise DataError(f"column {str(name)[:40]!r}: {error}") from None
    return np.column_stack(columns)


def _of_array(given: object) -> np.ndarray:
    try:
        values = np.asarray(given)
    except (TypeError, ValueError) as error:
        raise DataError(f"data must be a table whose rows have the same length; {_lengths(given)}") from error
    missing = values.ndim > 0  # an empty place is refused as not finite, with where it is
    strange = strangers(values, lambda v: (v is None and missing) or (isinstance(v, Decimal) and not v.is_snan()))
    if strange and hasattr(given, "feature_names") and hasattr(given, "X"):
        raise DataError(f"data must be real numbers; got a {type(given).__name__}: give its .X, or use from_dataset")
    if strange:
        kind = f"of type {type(strange[0]).__name__}"
        got = f"{strange[0]!s:.40} {kind}" if values.dtype == object else f"dtype {strange[0]!s:.40}"
        raise DataError(f"data must be real numbers; got {got}")
    if values.dtype == np.float64 and isinstance(given, list | tuple) and _reaches(values):
        values = np.asarray(given, dtype=object)  # NumPy rounds whole numbers that stand beside others
    try:
        return as_doubles(values)
    except OverflowError:
        raise DataError("a whole number is too large for double precision: rescale the data") from None


def _reaches(values: np.ndarray) -> bool:
    """Whether numbers are so large that whole ones may have been rounded."""
    return bool(values.size and np.abs(values).max() >= EXACT)


def _lengths(given: object) -> str:
    """Where rows of different lengths begin."""
    if isinstance(given, list | tuple):
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in given]
        odd = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
        if odd is not None:
            return f"row 0 has {lengths[0]} value(s), row {odd} has {lengths[odd]}"
    return f"got {type(given).__name__}"


def _of_sparse(given) -> scipy.sparse.csr_array:
    """A sparse array as rows in double precision, entries stored twice added up as SciPy adds them.

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
        _check_finite(rows)
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


def _check_finite(values: Any, what: str = "value(s) are not finite", columns: Any = None) -> None:
    """Raise DataError where a value is not finite; ``columns`` are the names of a table's, None without names."""
    stored = values.data if scipy.sparse.issparse(values) else values
    bad = int(stored.size - np.isfinite(stored).sum())
    if not bad:
        return
    at = first = tuple(int(i) for i in np.argwhere(~np.isfinite(stored))[0])
    if stored is not values:
        first = int(np.searchsorted(values.indptr, at[0], side="right")) - 1, int(values.indices[at])
    value_text = "NaN" if np.isnan(stored[at]) else "infinite"
    column = "" if columns is None else f", column {str(columns[first[1]])[:40]!r}"
    raise DataError(f"{bad} {what}, the first at index {first}{column} ({value_text}); remove or fill them")
