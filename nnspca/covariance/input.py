"""What a caller hands over as data, recognised and read as numbers with their names; refused where it cannot be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.control.arguments import is_table, masked, non_numbers, shown
from nnspca.errors import DataError, needed, reason
from nnspca.numerics.doubles import EXACT, as_doubles


@dataclass(frozen=True, eq=False)
class Input:
    """Numbers as they were handed over, and what stood beside them."""

    values: Any  # what :func:`numbers` takes
    names: tuple[str, ...] | None = None  # of the features; None where the data do not say
    image_shape: tuple[int, int] | None = None  # where the features are the pixels of an image
    axis: np.ndarray | None = None  # a number for each feature to draw it along
    axis_title: str = ""  # and what that is
    is_matrix: bool = False  # whether it is a data set that is itself a covariance matrix
    chosen: str = ""  # which of the features these are, where not all take part
    titles: tuple[str, ...] = ()  # of the features, beside their names
    package: str = ""  # whose table it is, where results are to be tables of the same


def read_given(given: Any) -> Input:
    """Return the numbers of anything that is taken as data, with the names of its features.

    Arrays, tables of pandas and polars, a two-dimensional ``xarray.DataArray``, sparse arrays, a
    Dataset and an AnnData in memory.
    """
    if isinstance(given, Input):
        return given
    if isinstance(given, np.ndarray | list | tuple):
        return Input(given)
    package, kind = type(given).__module__.partition(".")[0], type(given).__name__
    if (package, kind) in (("polars", "LazyFrame"), ("xarray", "Dataset"), ("dask", "DataFrame")):
        raise DataError(f"data is a {kind} of {package}: give an array or a table in memory")
    if package == "nnspca" and kind == "Covariance":
        raise DataError("data is a Covariance already: give it as it is, or the samples it was made of")
    if package == "anndata":
        return _of_annotated(given)
    if hasattr(given, "to_pandas") and not hasattr(given, "to_numpy"):  # Arrow's
        given = given.to_pandas(types_mapper=needed("pandas", "tables").ArrowDtype)
    if package == "xarray":
        return Input(given.values, last_names(given))
    if hasattr(given, "kind") and hasattr(given, "X") and not is_table(given):  # a data set
        names = tuple(map(str, getattr(given, "feature_names", ()))) or None
        shape, axis = getattr(given, "image_shape", None), getattr(given, "axis", None)
        title = "" if axis is None else f"{axis.name} ({axis.unit})" if axis.unit else axis.name
        values = None if axis is None else axis.values
        titles = tuple(getattr(given, "feature_titles", ()))
        return Input(given.X, names, shape, values, title, given.kind == "covariance", titles=titles)
    columns = list(given.columns) if is_table(given) and isinstance(given.columns, Iterable) else []
    names = None if columns == list(range(len(columns))) else tuple(map(str, columns))
    return Input(given, names, package=package_of(given))


def package_of(given: Any) -> str:
    """Return "polars" for a table of it, whose results are such tables; an empty string for anything else."""
    return "polars" if type(given).__module__.partition(".")[0] == "polars" else ""


def _of_annotated(given: Any) -> Input:
    """An AnnData: its X, named by its variables."""
    if not hasattr(given, "var_names"):  # one of its arrays
        return Input(given)
    if getattr(given, "isbacked", False):
        raise DataError("data is an AnnData that lies in a file: give adata.to_memory()")
    if given.X is None:
        raise DataError("data is an AnnData without X: give one of its layers, adata.layers[name]")
    return Input(given.X, tuple(map(str, given.var_names)))


def last_names(given: Any) -> tuple[str, ...] | None:
    """Return the coordinate of a DataArray's last dimension; None where it has none."""
    last = given.dims[-1] if given.dims else None
    return tuple(map(str, given.coords[last].values)) if last in given.coords else None


def numbers(given: object, *, finite: bool = True) -> np.ndarray | scipy.sparse.csr_array:
    """Return what was given in double precision, as an array or, where it was sparse, a sparse array of rows."""
    given = given if scipy.sparse.issparse(given) else read_given(given).values
    if scipy.sparse.issparse(given):
        return _of_sparse(given, finite)
    check_masks(given)
    values = _of_table(given) if is_table(given) else _of_array(given)
    if finite:
        check_finite(values, columns=getattr(given, "columns", None) if is_table(given) else None)
    return values


def check_distinct_names(given: object) -> None:
    """Raise DataError where two columns of a table have one name."""
    columns: Any = getattr(given, "columns", None)
    if is_table(given) and hasattr(columns, "duplicated") and (again := columns.duplicated()).any():
        raise DataError(
            f"{int(again.sum())} column(s) have the name of another, the first {str(columns[again][0])[:40]!r}; "
            "rename them, or give an array"
        )


def check_masks(given: object) -> None:
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
        raise DataError(f"data must be a table whose rows have the same length; got {shown(given)}") from error
    missing = values.ndim > 0  # an empty place is refused as not finite, with where it is
    strange = non_numbers(values, lambda v: (v is None and missing) or (isinstance(v, Decimal) and not v.is_snan()))
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


def _of_sparse(given, finite: bool) -> scipy.sparse.csr_array:
    """A sparse array as rows in double precision, entries stored twice added up as SciPy adds them."""
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
        if finite:
            check_finite(rows)
        rows.sum_duplicates()
        if kind in "iu" and len(rows.data) < stored and np.abs(rows.data).max() >= EXACT:
            raise DataError(
                f"whole numbers stored several times for one place add up to 2^53 = {EXACT:.0f} or more, "
                "which doubles may round: add them up (sum_duplicates), or give floats"
            )
    if finite:
        check_finite(rows, "place(s) hold several entries whose sum is not finite")
    return rows


def _as_rows(given) -> scipy.sparse.csr_array:
    """A copy by rows, nothing added up yet; ValueError where an index is out of range: SciPy would read beside."""
    if given.format in ("csr", "csc", "bsr"):
        parts = given.data, np.asarray(given.indices), np.asarray(given.indptr)
        if any(part.dtype.kind not in "iu" for part in parts[1:]):
            raise ValueError("its indices and index pointers are no whole numbers")
        matrix = getattr(scipy.sparse, f"{given.format}_array")(parts, shape=given.shape, copy=True)
        if (matrix.indptr[1:] < matrix.indptr[:-1]).any():  # SciPy's own check lets that pass where nothing is stored
            raise ValueError("its index pointers do not rise from 0")
        matrix.check_format(full_check=True)
        return matrix.tocsr()
    if given.format == "lil" and list(map(len, given.rows)) != list(map(len, given.data)):
        raise ValueError("its rows of indices and of values differ in length")
    if given.format == "dia" and not len(set(given.offsets.tolist())) == given.offsets.size == len(given.data):
        raise ValueError("its diagonals and their offsets differ in number, or one comes twice")
    listed = given.tocoo()
    if any(part.dtype.kind not in "iu" for part in listed.coords):
        raise ValueError("its indices are no whole numbers")
    listed = scipy.sparse.coo_array((listed.data, listed.coords), shape=given.shape)  # which looks at its indices
    order = np.argsort(listed.row, kind="stable")
    pointers = np.concatenate([[0], np.cumsum(np.bincount(listed.row, minlength=given.shape[0]))])
    return scipy.sparse.csr_array((listed.data[order], listed.col[order], pointers), shape=given.shape)


def check_finite(values: Any, what: str = "value(s) are not finite", columns: Any = None) -> None:
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


def check_feature_names(names: object, n: int) -> tuple[str, ...] | None:
    """Return names for n features, or None for None; ValueError for anything else."""
    if names is None:
        return None
    try:
        given_names: tuple[Any, ...] = () if isinstance(names, str) or masked(names)[0] else tuple(names)  # type: ignore[arg-type]
    except TypeError:
        given_names = ()
    if len(given_names) != n or not all(isinstance(name, str) for name in given_names):
        raise ValueError(f"names={shown(names)} is not allowed; give {n} names, one for each feature")
    return tuple(str(name) for name in given_names)


def places_among(names: tuple[str, ...] | None, known: tuple[str, ...] | None, what: str) -> np.ndarray | None:
    """Return the places that the features known have among names in another order, or among more of them.

    None where they are the same, or either has no names. DataError where one is not there, or there twice.

    >>> places_among(("weight", "age", "height"), ("height", "weight"), "the component")
    array([2, 0])
    """
    if names is None or known is None or names == known:
        return None
    counts = Counter(names)
    if missing := [name for name in known if counts[name] != 1]:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        amiss = "several features called" if counts[missing[0]] else "no feature"
        raise DataError(f"X has {amiss} {missing[0]!r:.40}{more}, which {what} has: give each of its features once")
    places = {name: i for i, name in enumerate(names)}
    return np.array([places[name] for name in known])
