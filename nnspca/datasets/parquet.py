"""Parquet tables through pyarrow: the footer's sizes are checked before any column is read.

A damaged file can make pyarrow end the process it runs in.
"""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np

from nnspca.datasets import limits, progress
from nnspca.datasets.arranging import ReadingOptions, arrange
from nnspca.datasets.dataset import Content
from nnspca.datasets.tables import Column, Table, check_numeric
from nnspca.errors import DataError, needed, reason
from nnspca.numerics.doubles import as_doubles

AT_A_TIME = 1_000_000  # numbers
MOST_COLUMNS = 100_000
READING = "Reading the rows"
INDEX = "__index_level_0__"  # what pandas calls the column of its row names


def read_parquet(data: bytes, options: ReadingOptions) -> Content:
    """Read a Parquet table: columns of numbers and truth values are features, one of text may be the class."""
    parquet = needed("pyarrow.parquet", "Parquet tables")
    if data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        raise DataError("this is no Parquet file, or it is cut short: it does not begin and end with PAR1.")
    arrow = needed("pyarrow", "Parquet tables")
    try:
        file = parquet.ParquetFile(io.BytesIO(data), memory_map=False, pre_buffer=False)
        _check(file.metadata)
        return arrange(_table(file, arrow), options)
    except MemoryError:
        raise
    except (arrow.ArrowException, OSError) as error:
        raise DataError(f"the Parquet file is damaged{reason(error)}: save it again.") from error


def _check(metadata: Any) -> None:
    """Refuse a file that is too large by its footer's rows and columns."""
    rows, columns = metadata.num_rows, metadata.num_columns
    if columns > MOST_COLUMNS:
        raise DataError(
            f"the Parquet file has {columns:,} columns; at most {MOST_COLUMNS:,} are read, as each takes kilobytes of "
            "its own. Save the numbers as an NPY file."
        )
    limits.check_entries(rows, columns)
    if rows != sum(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)):
        raise DataError("the Parquet file's footer contradicts itself: save it again.")


def _table(file: Any, arrow: Any) -> Table:
    """All columns in batches: each as doubles, or as texts."""
    schema, rows = file.schema_arrow, file.metadata.num_rows
    kinds = [_kind(field.type, arrow) for field in schema]
    names = ["" if field.name == INDEX else field.name for field in schema]
    if unreadable := [name for name, kind in zip(names, kinds, strict=True) if not kind]:
        raise DataError(
            f"column {unreadable[0]!r:.60} holds {schema[kinds.index('')].type!s:.60}; numbers, truth values and text "
            "are read. Leave the column out."
        )
    numeric = [j for j, kind in enumerate(kinds) if kind != "text"]
    numeric.sort(key=lambda j: names[j] != "")  # row names go first, as in a table of text
    textual = [j for j, kind in enumerate(kinds) if kind == "text"]
    check_numeric(len(numeric), len(kinds))
    limits.check_texts(rows, len(textual))
    numbers = np.empty((rows, len(numeric)))
    texts: list[list[str]] = [[] for _ in textual]
    place = {j: i for columns in (numeric, textual) for i, j in enumerate(columns)}
    done = 0
    for group in range(file.num_row_groups):
        more = file.metadata.row_group(group).num_rows
        step = max(1, AT_A_TIME // max(1, more))  # reading a column costs far more memory than a few numbers
        for start in progress.tracked(range(0, len(kinds), step), len(kinds) / step, READING):
            indices = list(range(start, min(start + step, len(kinds))))
            read = file.reader.read_row_group(group, column_indices=indices, use_threads=False)
            if read.num_rows != more:
                raise DataError("the Parquet file holds fewer or more rows than its footer says: save it again.")
            for j, column in zip(indices, read.itercolumns(), strict=True):
                if kinds[j] == "text":
                    texts[place[j]] += ("" if value is None else _text(value) for value in column.to_pylist())
                else:
                    numbers[done : done + more, place[j]] = _doubles(column, names[j], arrow)
        done += more
        progress.report_or_stop(done, rows, READING)
    columns = [Column(names[j], text=kind == "text", truth=kind == "truth") for j, kind in enumerate(kinds)]
    named_texts = [(columns[j], words) for j, words in zip(textual, texts, strict=True)]
    return Table(numbers, [columns[j] for j in numeric], named_texts, (), numeric, "row")


def _kind(of: Any, arrow: Any) -> str:
    """How a column is read; nothing if it cannot be."""
    types = arrow.types
    if types.is_dictionary(of):
        return _kind(of.value_type, arrow)
    if types.is_boolean(of):
        return "truth"
    if types.is_integer(of) or types.is_floating(of) or types.is_decimal(of) or types.is_null(of):
        return "number"
    is_text = types.is_string(of) or types.is_large_string(of) or types.is_date(of) or types.is_timestamp(of)
    return "text" if is_text or types.is_string_view(of) else ""


def _doubles(column: Any, name: str, arrow: Any) -> np.ndarray:
    """A column as doubles, NaN where a value is missing."""
    of = column.type
    if arrow.types.is_dictionary(of):
        of = of.value_type
        column = column.cast(of)
    if arrow.types.is_decimal(of) or arrow.types.is_null(of):
        return np.array([math.nan if value is None else float(value) for value in column.to_pylist()], dtype=np.float64)
    gone = column.is_null().to_numpy(zero_copy_only=False)
    whole = arrow.types.is_integer(of) or arrow.types.is_boolean(of)
    given = (column.fill_null(False if arrow.types.is_boolean(of) else 0) if whole else column).to_numpy(
        zero_copy_only=False
    )
    try:
        numbers = as_doubles(given)
    except DataError as error:
        raise DataError(f"column {name!r:.60}: {error}") from None
    return np.where(gone, np.nan, numbers)


def _text(value: object) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value).strip()
