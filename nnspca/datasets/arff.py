"""ARFF, Weka's table format: declared columns, then comma-separated rows.

By hand, as scipy.io.arff refuses text attributes and double quotes, cuts rows that are too long
without a word, and does not say in which line a bad value stands.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from nnspca.datasets import limits, progress
from nnspca.datasets.arranging import ReadingOptions, arrange
from nnspca.datasets.dataset import Content
from nnspca.datasets.tables import CLASS_NAMES, Column, Row, convert, is_number
from nnspca.errors import DataError

_ATTRIBUTE = re.compile(r"""@attribute\s+('[^']*'|"[^"]*"|[^\s{]+)\s*(.*)""", re.IGNORECASE)
_NUMERIC = frozenset({"numeric", "real", "integer"})


def read_arff(data: bytes, options: ReadingOptions = ReadingOptions()) -> Content:  # noqa: B008 - frozen
    """Read ARFF bytes: numeric attributes are features, one nominal attribute may be the class.

    >>> text = b"@relation r\\n@attribute a real\\n@attribute c {x, y}\\n@data\\n1, x\\n2, y\\n3, y"
    >>> content = read_arff(text)
    >>> content.X.ravel(), content.labels, content.label_names
    (array([1., 2., 3.]), array([0, 1, 1]), ('x', 'y'))
    """
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", errors="replace", newline="\n")
    lines = enumerate(text, start=1)
    columns: list[Column] = []
    values = read = 0
    for number, line in lines:
        progress.report_or_stop(read := read + len(line), len(data), "Reading the attributes")
        if (lowered := line.strip().lower()).startswith("@attribute"):
            values += line.count(",") + 1 if "{" in line else 0
            _check_values(values, number)
            columns.append(_column(line.strip(), number))
            limits.check_columns(len(columns))
        elif lowered.startswith("@data"):
            break
    else:
        raise DataError("no @data line found: is this an ARFF file?")
    if not columns:
        raise DataError("no @attribute line before @data: an ARFF file declares its columns.")
    columns[:-1] = map(_as_numbers, columns[:-1])  # the last one is the class by custom
    return arrange(convert(_rows(lines), columns, data.count(b"\n") + 1.0), options)


def _as_numbers(column: Column) -> Column:
    """Treat a nominal attribute whose values are all numbers as numeric, unless its name marks the class."""
    words = re.split(r"[^a-z]+", column.name.lower())
    if not column.levels or not CLASS_NAMES.isdisjoint(words) or not all(map(is_number, column.levels)):
        return column
    return Column(column.name)


def _check_values(values: int, number: int) -> None:
    """Refuse nominal attributes that list too many values in total."""
    if values > limits.most(limits.MAX_COLUMNS):
        raise DataError(
            f"the attributes down to line {number:,} list {values:,} nominal values; at most {limits.MAX_COLUMNS:,} "
            "are read. Declare those with many values as string, or leave them out."
        )


def _column(line: str, number: int) -> Column:
    match = _ATTRIBUTE.match(line)
    if match is None:
        raise DataError(f"line {number:,} is no attribute declaration: {line[:60]!r}. Write @attribute NAME TYPE.")
    name, declared = match[1].strip("'\""), match[2].strip()
    if declared.startswith("{"):
        return Column(name, text=True, levels=tuple(_cells(declared.strip("{}"))))
    words = declared.lower().split()
    if not words or words[0] not in _NUMERIC | {"string", "date"}:
        raise DataError(
            f"line {number:,}: attribute {name[:60]!r} has type {declared[:40]!r}; "
            "numeric, real, integer, string, date and {nominal, values} are read."
        )
    return Column(name, text=words[0] not in _NUMERIC)


def _rows(lines: Iterator[tuple[int, str]]) -> Iterator[Row]:
    for number, line in lines:
        stripped = line.strip()
        if stripped.startswith("{"):
            raise DataError(f"line {number:,} is a sparse row ({{index value, …}}); write rows in full.")
        if stripped and not stripped.startswith("%"):
            limits.check_columns(stripped.count(","))
            yield number, _cells(stripped)


def _cells(text: str) -> list[str]:
    quote = "'" if "'" in text else '"'
    cells = next(csv.reader([text], quotechar=quote, escapechar="\\", skipinitialspace=True), [])
    return [cell.strip() for cell in cells]
