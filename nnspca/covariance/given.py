"""Recognise what a caller hands over as data before any of it is converted: the numbers and their names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nnspca.control.arguments import is_table, masked, shown
from nnspca.errors import DataError

# Types whose numbers are not in memory, and the call that loads them.
LAZY = {
    ("dask", "Array"): "X.compute()",
    ("dask", "DataFrame"): "X.compute()",
    ("polars", "LazyFrame"): "X.collect()",
    ("xarray", "Dataset"): 'X["name"], one of its arrays',
    ("pyarrow", "Table"): "X.to_pandas()",
}


@dataclass(frozen=True, eq=False)
class Given:
    """Numbers as they were handed over, and what stood beside them."""

    values: Any  # what :func:`nnspca.covariance.reading.numbers` takes
    names: tuple[str, ...] | None = None  # of the features; None where the data do not say
    image_shape: tuple[int, int] | None = None  # where the features are the pixels of an image
    axis: np.ndarray | None = None  # a number for each feature to draw it along
    axis_title: str = ""  # and what that is
    is_matrix: bool = False  # whether it is a data set that is itself a covariance matrix


def opened(given: Any) -> Given:
    """Return the numbers of anything that is taken as data, with the names of its features.

    Arrays, tables of pandas and polars, a two-dimensional ``xarray.DataArray``, sparse arrays, a
    Dataset and an AnnData in memory; DataError for data that lie elsewhere, as those of Dask do.

    >>> opened([[1.0, 2.0]]).names
    >>> import pandas
    >>> opened(pandas.DataFrame({"height": [1.0], "width": [2.0]})).names
    ('height', 'width')
    """
    if isinstance(given, Given):
        return given
    if isinstance(given, np.ndarray | list | tuple):
        return Given(given)
    package, kind = type(given).__module__.partition(".")[0], type(given).__name__
    if advice := LAZY.get((package, kind)):
        raise DataError(f"data is a {kind} of {package}, which is not in memory: give {advice}")
    if package == "anndata":
        return _of_annotated(given)
    if package == "xarray":
        return Given(given.values, last_names(given))
    if hasattr(given, "kind") and hasattr(given, "X") and not is_table(given):  # a data set
        names: Any = getattr(given, "feature_names", ())
        counted = not names or (names[0] == "feature 1" and names[-1] == f"feature {len(names)}")
        names = None if counted else tuple(map(str, names))
        shape, axis = getattr(given, "image_shape", None), getattr(given, "axis", None)
        title = "" if axis is None else f"{axis.name} ({axis.unit})" if axis.unit else axis.name
        values = None if axis is None else axis.values
        return Given(given.X, names, shape, values, title, given.kind == "covariance")
    columns = list(given.columns) if is_table(given) and isinstance(given.columns, Iterable) else []
    return Given(given, None if columns == list(range(len(columns))) else tuple(map(str, columns)))


def _of_annotated(given: Any) -> Given:
    """An AnnData: its X, named by its variables."""
    if not hasattr(given, "var_names"):  # one of its arrays
        return Given(given)
    if getattr(given, "isbacked", False):
        raise DataError("data is an AnnData that lies in a file: give adata.to_memory()")
    if given.X is None:
        raise DataError("data is an AnnData without X: give one of its layers, adata.layers[name]")
    package, kind = type(given.X).__module__.partition(".")[0], type(given.X).__name__
    if advice := LAZY.get((package, kind)):
        raise DataError(f"data is an AnnData whose X is a {kind} of {package}: give adata.to_memory(), or {advice}")
    return Given(given.X, tuple(map(str, given.var_names)))


def last_names(given: Any) -> tuple[str, ...] | None:
    """Return the coordinate of a DataArray's last dimension; None where it has none."""
    last = given.dims[-1] if given.dims else None
    return tuple(map(str, given.coords[last].values)) if last in given.coords else None


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


def check_same_names(names: tuple[str, ...] | None, known: tuple[str, ...] | None, what: str) -> None:
    """Raise DataError where data name other features than those known, or in another order."""
    if names is None or known is None or names == known:
        return
    if len(names) == len(known):
        i = next(i for i, (one, other) in enumerate(zip(names, known, strict=True)) if one != other)
        raise DataError(
            f"feature {i} of X is {names[i]!r:.40}; {what} has {known[i]!r:.40} there: give its features, in its order"
        )
