"""What a caller hands over as data, read as numbers: arrays, tables, sparse arrays; refused where it cannot be."""

from __future__ import annotations

from numbers import Real

import numpy as np
import scipy.sparse

from nnspca.errors import DataError


def numbers(given: object) -> np.ndarray | scipy.sparse.csr_array:
    """Return what was given in double precision, as an array or, where it was sparse, a sparse array of rows.

    Tables (pandas) are read column by column: true and false are 1 and 0, a missing value is none that can be used.

    Raises
    ------
    DataError
        Not real numbers, rows of different lengths, masked or missing values, values that are not finite. The
        message says how many and where.
    """
    if scipy.sparse.issparse(given):
        return _of_sparse(given)
    check_unmasked(given)
    values = _of_table(given) if hasattr(given, "columns") and hasattr(given, "to_numpy") else _of_array(given)
    _check_finite(values)
    return values


def check_unmasked(given: object) -> None:
    """Raise DataError where values are masked: an array made of them would show what the mask hides."""
    if isinstance(given, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in given):
        given = np.ma.array(given)
    if isinstance(given, np.ma.MaskedArray) and (masked := int(np.ma.count_masked(given))):
        raise DataError(
            f"{masked} of {given.size} values are masked; fill them (X.filled(value)) or leave out their rows or "
            "columns (numpy.ma.compress_rows, compress_cols)"
        )


def _of_sparse(given) -> scipy.sparse.csr_array:
    _check_numeric(given.dtype)
    if given.ndim != 2:
        raise DataError(f"data must be a table of shape (samples, features); got {given.ndim} dimension(s)")
    rows = scipy.sparse.csr_array(given.astype(np.float64))
    _check_finite(rows.data)
    return rows


def _of_table(given) -> np.ndarray:
    """A data frame, whose columns may each have a type of their own."""
    kinds = list(given.dtypes)
    if not all(hasattr(kind, "kind") for kind in kinds):  # not pandas: it knows best how it becomes an array
        return _of_array(given.to_numpy())
    if all(kind.kind in "fiub" for kind in kinds):
        return given.to_numpy(dtype=np.float64, na_value=np.nan)
    columns = []
    for i, name in enumerate(given.columns):
        try:
            columns.append(_of_array(given.iloc[:, i].to_numpy()))
        except DataError as error:
            raise DataError(f"column {str(name)[:40]!r}: {error}") from None
    return np.column_stack(columns)


def _of_array(given: object) -> np.ndarray:
    try:
        values = np.asarray(given)
    except ValueError as error:
        raise DataError(f"data must be a table whose rows have the same length; {_lengths(given)}") from error
    if values.dtype == object:
        missing = values.ndim > 0  # an empty place is refused as not finite, with where it is
        strange = [v for v in values.ravel() if not (isinstance(v, Real | np.bool_) or (v is None and missing))]
        if strange:
            raise DataError(f"data must be real numbers; got {strange[0]!s:.40} of type {type(strange[0]).__name__}")
    else:
        _check_numeric(values.dtype)
    try:
        with np.errstate(over="ignore"):  # what is too large for double precision becomes infinite, and is refused
            return np.asarray(values, dtype=np.float64)
    except OverflowError:
        raise DataError("a whole number is too large for double precision: rescale the data") from None


def _lengths(given: object) -> str:
    """Where rows of different lengths begin."""
    if isinstance(given, list | tuple):
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in given]
        odd = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
        if odd is not None:
            return f"row 0 has {lengths[0]} value(s), row {odd} has {lengths[odd]}"
    return f"got {type(given).__name__}"


def _check_numeric(dtype: np.dtype) -> None:
    if dtype.kind not in "fiub":
        raise DataError(f"data must be real numbers; got dtype {dtype}")


def _check_finite(values: np.ndarray) -> None:
    bad = int(values.size - np.isfinite(values).sum())
    if bad:
        first = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise DataError(f"{bad} value(s) are not finite, the first at index {first}; remove or fill them")
