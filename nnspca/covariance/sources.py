"""Data that come a few rows at a time, recognised by what they are: files, stores, clusters, folders, functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.control.arguments import check_callables, is_table, shown
from nnspca.control.progress import Monitor, OnProgress, ShouldStop
from nnspca.control.threads import one_blas_thread
from nnspca.covariance.input import Input, check_masks, last_names, numbers, read_given
from nnspca.covariance.sums import joined
from nnspca.errors import DataError, ReadingStopped, reason
from nnspca.machines import arrays

CHUNK = 8_000_000  # numbers of a chunk where what holds the data does not say how large one is
ROWS = 100_000  # most rows of such a chunk
VARIABLE = "highly_variable"  # the column of an AnnData's var that scanpy's own methods go by
UNHEARD = Monitor()


@dataclass(frozen=True, eq=False)
class Source:
    """Rows that are read a chunk at a time."""

    what: str  # what holds them, for messages
    read: Callable[[], Iterator[Any]]  # gives the chunks anew, each an array, a table or a sparse array of some rows
    rows: int | None = None  # how many there are; None where only reading them all tells
    n: int | None = None  # how many features there are
    names: tuple[str, ...] | None = None
    stored: bool = True  # whether the numbers lie elsewhere than in memory
    spread: Any = None  # a Dask array of the rows as numbers, where they are one: passes are made where its blocks lie
    features: np.ndarray | None = None  # which of the features are meant, where not all are
    chosen: str = ""  # and in words what chose them
    monitor: Monitor = UNHEARD  # hears how far the reading is, and says whether to stop

    @property
    def shape(self) -> tuple[int | None, int | None]:
        """Rows and features, each None where only reading tells."""
        return self.rows, self.n if self.features is None else len(self.features)

    def chunks(self) -> Iterator[Any]:
        """Give the chunks one after the other, as arrays of real numbers, dense or sparse, of one width."""
        n, count, number = self.n, 0, 0
        with _within(0, self.what):
            chunks = iter(self.read())
        while True:
            with _within(number, self.what):
                if (given := next(chunks, None)) is None:
                    break
                rows = chunk_array(given)
            if n is None:
                n = rows.shape[1]
            if rows.shape[1] != n:
                raise DataError(f"chunk {number} has {rows.shape[1]} features where those before have {n}")
            count, number = count + rows.shape[0], number + 1
            self.monitor.tell(count / self.rows if self.rows else 0.0, f"{count:,} rows read")
            if self.monitor.stop():
                raise ReadingStopped(f"the reading was stopped after {count:,} rows")
            yield rows if self.features is None else rows[:, self.features]
        if self.rows is not None and count != self.rows:
            raise DataError(f"{self.what} gave {count} rows where {self.rows} were announced")
        if not count:
            raise DataError(f"{self.what} gave no rows: data must have at least 1 sample and 1 feature")

    def heeding(self, should_stop: ShouldStop | None, on_progress: OnProgress | None) -> Source:
        """Return the same rows, whose reading tells how far it is and can be stopped."""
        check_callables(should_stop=should_stop, on_progress=on_progress)
        own = self.monitor
        return replace(self, monitor=Monitor(should_stop or own.should_stop, on_progress or own.on_progress))

    def only(self, features: np.ndarray) -> Source:
        """Return the same rows with some of their features, to be read again."""
        names = None if self.names is None else tuple(self.names[i] for i in features)
        if (X := self.spread) is not None:
            columns = itemgetter((slice(None), features))
            X = X.map_blocks(columns, chunks=(X.chunks[0], (len(features),)), dtype=X.dtype, meta=X._meta)
            return replace(of_blocks(X, self.what), names=names, chosen=self.chosen)
        chosen = features if self.features is None else self.features[features]
        return replace(self, names=names, features=chosen, monitor=UNHEARD)

    def repeated(self, counts: np.ndarray) -> Source:
        """Return rows of a Dask array, each so many times in its place."""
        import dask.array

        X, counts = self.spread, counts.astype(np.min_scalar_type(int(counts.max())))
        heights = tuple(int(part.sum()) for part in np.split(counts, np.cumsum(X.chunks[0])[:-1]))
        beside = dask.array.from_array(counts[:, None], chunks=(X.chunks[0], 1))
        X = X.map_blocks(_repeated, beside, chunks=(heights, X.chunks[1]), dtype=X.dtype, meta=X._meta)
        return replace(of_blocks(X, self.what), names=self.names, chosen=self.chosen, monitor=self.monitor)


def _repeated(rows: Any, counts: np.ndarray) -> Any:
    return rows[np.repeat(np.arange(rows.shape[0]), counts[:, 0])]


@contextmanager
def _within(number: int, what: str) -> Iterator[None]:
    """Say in which chunk it was."""
    try:
        yield
    except DataError as error:
        raise DataError(f"chunk {number}: {error}") from None
    except MemoryError:
        raise
    except Exception as error:
        raise DataError(f"chunk {number} of {what} cannot be read{reason(error, 200)}") from error


def chunk_array(chunk: Any) -> Any:
    """A chunk as an array of real numbers, of its own type where it has one."""
    if scipy.sparse.issparse(chunk):
        if chunk.dtype.kind not in "fiub":
            raise DataError(f"data must be real numbers; got dtype {chunk.dtype}")
        return scipy.sparse.csr_array(chunk)
    if isinstance(chunk, np.ndarray) and chunk.dtype.kind in "fiub":
        check_masks(chunk)
        rows = chunk
    else:
        rows = numbers(chunk)
    if rows.ndim != 2:
        raise DataError(f"it must be a table of shape (rows, features); got shape {rows.shape}")
    return rows


def chunked(given: Any) -> Source | None:
    """Return what holds rows that are read a few at a time; None for anything that is in memory whole."""
    if isinstance(given, Source):
        return given
    if isinstance(given, Input):
        return given.values if isinstance(given.values, Source) else None
    if isinstance(own := getattr(given, "source", None), Source):  # features that were chosen
        return own
    if isinstance(given, np.memmap):
        return _of_slices(given, f"the file {str(given.filename or '')[-60:]!r}")
    if isinstance(given, np.ndarray | list | tuple | str | bytes) or scipy.sparse.issparse(given):
        return None
    package, kind = type(given).__module__.partition(".")[0], type(given).__name__
    if package == "nnspca" and kind == "LazyData":
        source, names = chunked(given.rows), given.feature_names
        assert source is not None
        return replace(source, what=f"the file {given.name!r:.60}", rows=given.shape[0], names=names or source.names)
    if package == "dask" and kind in ("Array", "DataFrame"):
        if kind == "Array":
            return _of_dask(given)
        return replace(_of_dask(given.to_dask_array(lengths=True)), names=tuple(map(str, given.columns)))
    if package == "anndata":
        return _of_annotated(given)
    if hasattr(given, "to_batches") and hasattr(given, "count_rows"):
        return _of_parquet(given)
    if package == "xarray" and kind == "DataArray" and type(given.data).__module__.startswith("dask."):
        return replace(_of_dask(given.data), names=last_names(given))
    if isinstance(given, Iterator):
        return Source(f"the {kind}", _once(given))
    if callable(given) and not is_table(given) and not hasattr(given, "__array__"):
        return Source(f"the function {getattr(given, '__name__', kind)!r:.60}", given)
    sliced = all(hasattr(given, name) for name in ("shape", "dtype", "__getitem__"))  # an array outside memory
    sliced = sliced and isinstance(given.shape, tuple) and not is_table(given)
    if sliced and (package == "h5py" or isinstance(getattr(given, "chunks", None), tuple)):
        return _of_slices(given, f"the {kind} of {package}")
    return None


def genes_used(given: Any) -> Any:
    """Return an AnnData as its X of the genes that take part, those marked as highly variable; all else as it is.

    One rule for every call that finds components of data. What measures given components finds genes by name.
    """
    if not (type(given).__module__.partition(".")[0] == "anndata" and hasattr(given, "var_names")):
        return given
    mask, by = mask_of_genes(given, "auto")
    return given if mask.all() else of_genes(given.X if given.isbacked else read_given(given).values, given, mask, by)


def mask_of_genes(adata: Any, mask_var: Any) -> tuple[np.ndarray, str]:
    """Return which genes of an AnnData take part, a column of var or a mask, and what chose them; "auto" is the rule.

    Where no such column is there, and with None, all do.
    """
    n = len(adata.var_names)
    if isinstance(mask_var, str) and mask_var == "auto":
        mask_var = VARIABLE if VARIABLE in adata.var else None
    if mask_var is None:
        return np.ones(n, dtype=bool), ""
    column = mask_var if isinstance(mask_var, str) else None
    if column is not None:
        if column not in adata.var:
            columns = ", ".join(map(repr, adata.var.columns)) or "none"
            raise DataError(f"mask_var={column!r:.60} is no column of var; there are {columns:.300}")
        mask_var = adata.var[column]
    mask = np.asarray(mask_var)
    if mask.dtype != bool or mask.shape != (n,) or not mask.any():
        what = f"mask_var={shown(mask_var)}" if column is None else f"the column {column!r:.60} of var"
        raise DataError(f"{what} is not allowed; give {n} of True and False, at least one True, or adata.X for all")
    return mask, "mask_var" if column is None else f"var[{column!r:.60}]"


def of_genes(values: Any, adata: Any, mask: np.ndarray, by: str) -> Input | Source:
    """Return numbers of an AnnData, read a few cells at a time or in memory, of the genes that take part."""
    places, names = np.flatnonzero(mask), tuple(map(str, adata.var_names))
    chosen = "" if mask.all() else f"{len(places):,} of {len(mask):,} genes take part, by {by}"
    if (source := chunked(values)) is not None:
        return replace(replace(source, names=names).only(places), chosen=chosen)
    return Input(values if mask.all() else values[:, places], tuple(names[i] for i in places), chosen=chosen)


def _once(rows: Iterator[Any]) -> Callable[[], Iterator[Any]]:
    """An iterator as a function that gives it, and says so when it is asked for again."""
    unread = [rows]

    def read() -> Iterator[Any]:
        if not unread:
            raise DataError("an iterator can be read once only: give a function that returns a new one")
        return unread.pop()

    return read


def in_memory(values: Any, names: tuple[str, ...] | None = None) -> Source:
    """Return rows of an array in memory a few at a time, so that it is never converted whole."""
    m, n = values.shape
    step = _step((m, -(-values.nnz // max(1, m)) if scipy.sparse.issparse(values) else n))
    rows = values.iloc if hasattr(values, "iloc") else values
    return Source("the array", partial(_slices, rows, m, step), m, n, names, stored=False)


def _slices(rows: Any, m: int, step: int) -> Iterator[Any]:
    return (rows[start : start + step] for start in range(0, m, step))


def _of_slices(given: Any, what: str, share: float = 1.0) -> Source:
    """An array that gives rows when sliced, of whose numbers it stores a share."""
    if len(given.shape) != 2:
        raise DataError(f"data must be a table of shape (samples, features); got {len(given.shape)} dimension(s)")
    if isinstance(given.dtype, np.dtype) and given.dtype.kind not in "fiub":
        raise DataError(f"data must be real numbers; got dtype {given.dtype}")
    m, n = map(int, given.shape)
    own = getattr(given, "chunks", None)
    height = own[0] if isinstance(own, tuple) and own and isinstance(own[0], int) else 1
    most = _step((m, max(1, round(n * share))))
    step = max(1, most // height) * height  # whole chunks, so that none is unpacked twice
    return Source(what, partial(_slices, given, m, min(step, max(most, height))), m, n)


def _step(shape: tuple[int, ...]) -> int:
    """How many rows make a chunk."""
    return max(1, min(ROWS, CHUNK // max(1, shape[1])))


def _of_dask(given: Any) -> Source:
    if given.ndim != 2:
        raise DataError(f"data must be a table of shape (samples, features); got {given.ndim} dimension(s)")
    if any(np.isnan(size) for side in given.chunks for size in side):
        raise DataError(
            "data is a dask array whose chunks are of unknown size: call X.compute_chunk_sizes() first, or "
            "to_dask_array(lengths=True) where it is made of a table"
        )
    if given.numblocks[1] > 1:
        given = given.rechunk({1: -1})
    return of_blocks(given.map_blocks(chunk_array, dtype=given.dtype, meta=given._meta), "the dask array")


def of_blocks(X: Any, what: str) -> Source:
    """Rows of a Dask array of numbers, dense or sparse, of which a few blocks are brought here at a time."""
    import dask

    m, n = map(int, X.shape)
    few = max(1, 2 * CHUNK // max(1, max(X.chunks[0]) * n))

    def read() -> Iterator[Any]:
        for i in range(0, X.numblocks[0], few):
            yield from dask.compute(*X.blocks[i : i + few].to_delayed().ravel())

    return Source(what, read, m, n, spread=X)


def _of_annotated(given: Any) -> Source | None:
    """An AnnData whose X is not in memory, or such an array of one."""
    if hasattr(given, "var_names"):
        source = None if given.X is None else chunked(given.X)
        return None if source is None else replace(source, names=tuple(map(str, given.var_names)))
    if not hasattr(given, "format") or not hasattr(given, "shape"):
        return None
    if given.format != "csr":
        raise DataError(
            "the sparse array in the file is stored by columns (CSC), and rows of it cannot be read alone: store it "
            "by rows (CSR), or give adata.to_memory()"
        )
    m, n = map(int, given.shape)
    indexed = 4 * given.group["data"].shape[0]  # an entry with its place, and those read beside it
    return _of_slices(given, "the AnnData's file", min(1.0, indexed / max(1, m * n)))


def _of_parquet(given: Any) -> Source:
    """A pyarrow.dataset.Dataset: one or many files of one table."""
    import pyarrow

    fields = [field for field in given.schema if not field.name.startswith("__index_level_")]
    for field in fields:
        of = field.type
        if not (pyarrow.types.is_integer(of) or pyarrow.types.is_floating(of) or pyarrow.types.is_boolean(of)):
            raise DataError(
                f"column {field.name!r:.60} holds {of}, no numbers: choose columns, as in dataset.to_table(columns=…) "
                "or pyarrow.dataset.dataset(folder, schema=…)"
            )
    names = tuple(field.name for field in fields)
    step = _step((0, len(names)))

    def read() -> Iterator[np.ndarray]:
        for batch in given.to_batches(columns=list(names), batch_size=step):
            if batch.num_rows:
                yield _columns(batch, names)

    return Source("the Parquet data set", read, None, len(names), names)


def _columns(batch: Any, names: tuple[str, ...]) -> np.ndarray:
    """A batch of columns as one array, a missing value not a number."""
    table = np.empty((batch.num_rows, len(names)))
    for j, column in enumerate(batch.columns):
        table[:, j] = column.to_numpy(zero_copy_only=False)
    return table


def summed(source: Source, kind: Callable[..., Any], weights: np.ndarray | None = None) -> Any:
    """Return what a pass adds up of all rows, where they lie."""
    beside = None if weights is None else np.column_stack([weights, np.cumsum(weights > 0) - (weights > 0)])
    return total_of(source, partial(_pass_over, kind, source.names), joined, beside)


def total_of(source: Source, leaf: arrays.Leaf, merged: Callable[..., Any], beside: np.ndarray | None = None) -> Any:
    """Return what the rows of a source add up to, where they lie: :func:`nnspca.machines.arrays.blocks_total`."""
    if source.spread is not None:
        return arrays.blocks_total(source.spread, leaf, merged, source.monitor, beside)
    whole, begin = None, 0
    for rows in source.chunks():
        share = leaf(rows, begin, None if beside is None else beside[begin : begin + rows.shape[0]])
        whole, begin = share if whole is None else merged([whole, share]), begin + rows.shape[0]
    return whole


def map_rows(source: Source, function: Callable[[Any], np.ndarray], width: int) -> Any:
    """Return the Dask array of what a function makes of rows that lie on workers, of so many columns."""
    chunks = source.spread.chunks[0], (width,)
    return source.spread.map_blocks(function, chunks=chunks, dtype=float, meta=np.empty((0, 0)))


def _pass_over(kind: Any, names: tuple[str, ...] | None, rows: Any, start: int, beside: np.ndarray | None) -> Any:
    """On a worker: what one block adds; beside its rows are their weights, and their places among those of weight."""
    if beside is not None and len(beside):
        start = int(beside[0, 1])
    total = kind(rows.shape[1], names, start)
    with one_blas_thread():
        total.add(rows, *(() if beside is None else (beside[:, 0],)))
        total.settle()
    return total
