"""CSV and TSV: finds the delimiter, and whether the first row names the columns.

The cells are read by Python's csv; the rest by hand, as neither numpy nor pandas finds out whether
there is a header and a class, or names line and column of a bad value.
"""

from __future__ import annotations

import codecs
import csv
import io
import itertools
from collections.abc import Iterator

import numpy as np

from nnspca.datasets import limits, progress
from nnspca.datasets.arranging import ReadingOptions, arrange
from nnspca.datasets.dataset import Content
from nnspca.datasets.tables import CLASS_NAMES, MISSING, OTHERWISE, TRUTHS, Column, Row, convert, is_number
from nnspca.errors import DataError

SAMPLED_ROWS, SAMPLED_CELLS, SAMPLED_CHARACTERS = 50, 1_000_000, 100_000
CHUNK = 2**20  # bytes decoded at once


def read_delimited(
    data: bytes,
    options: ReadingOptions = ReadingOptions(),  # noqa: B008 - frozen
    *,
    delimiter: str = "",
    header: bool | None = None,
) -> Content:
    """Read CSV or TSV bytes; ``delimiter`` and ``header`` are detected unless given.

    >>> content = read_delimited(b"height,width,species\\n1,2,cat\\n3,4,dog\\n5,7,cat")
    >>> content.feature_names, content.label_names
    (('height', 'width'), ('cat', 'dog'))
    >>> content.labels
    array([0, 1, 0])
    """
    encoding = _encoding(data)

    def lines() -> Iterator[str]:
        return io.TextIOWrapper(io.BytesIO(data), encoding, newline="")

    delimiter = delimiter or _delimiter(next((line for line in lines() if line.strip()), ""))
    count = data.count(b"\n") + 1
    cells_at_most = data.count(delimiter.encode()) + count
    if cells_at_most > 2 * limits.most(limits.MAX_ENTRIES):  # text columns come on top of the numbers
        limits.check_entries(cells_at_most)
    return read_rows(_rows(lines(), delimiter), options, header=header, expected=float(count))


def read_rows(
    rows: Iterator[Row], options: ReadingOptions, *, header: bool | None = None, expected: float = 0.0
) -> Content:
    """Read rows of text cells."""
    sampled = list(itertools.islice(rows, 1))
    if not sampled:
        raise DataError("the file is empty: it needs at least two rows of numbers.")
    sampled += itertools.islice(rows, max(1, min(SAMPLED_ROWS, SAMPLED_CELLS // max(1, len(sampled[0][1])))))
    limits.check_columns(max(len(cells) for _, cells in sampled))
    names = None
    notes: list[str] = []
    if _is_header(sampled) if header is None else header:
        names = [cell.strip() for cell in sampled.pop(0)[1]]
        if header is None and any(map(is_number, names)):
            notes.append("The first row was read as the names of the columns.")
    columns = _describe(names, [cells for _, cells in sampled])
    table = convert(itertools.chain(sampled, rows), columns, expected)
    return arrange(table, options, named=names is not None, notes=notes)


def _encoding(data: bytes) -> str:
    """How the bytes are decoded, found without ever holding all of the text."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for start in progress.tracked(range(0, len(data), CHUNK), len(data) / CHUNK, "Opening the file"):
            decoder.decode(data[start : start + CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        if encoding == "utf-16":
            raise
        return "latin-1"
    return encoding


def _rows(source: Iterator[str], delimiter: str) -> Iterator[Row]:
    """Split lines into rows without blank ones."""
    reader = csv.reader(source, delimiter=delimiter, skipinitialspace=True)
    for cells in reader:
        if len(cells) > 1 or "".join(cells).strip():
            yield reader.line_num, cells


def _delimiter(line: str) -> str:
    """The delimiter met most often; blanks only between numbers; a comma, so one column, when none is met.

    What parts a line into numbers with decimal commas is no comma, which would be met more often.
    """
    head = line[:SAMPLED_CHARACTERS]
    for other in "\t; ":
        whole = head.split(other)[: None if len(head) == len(line) else -1]  # the last may be cut
        cells = [cell.strip() for cell in whole if cell.strip()]
        if len(cells) > 1 and all(is_number(cell) or OTHERWISE.fullmatch(cell) for cell in cells):
            return other
    return max(",;\t", key=line.count)


def _is_header(rows: list[Row]) -> bool:
    """Whether the first row names the columns: words over numbers, a class, or a run of wavelengths."""
    first = [cell.strip() for cell in rows[0][1]]
    # a truth above another is one more, above anything else a name
    over = itertools.zip_longest(first, rows[1][1][: len(first)] if len(rows) > 1 else (), fillvalue="")
    words = [not (is_number(cell) or {cell.lower(), below.strip().lower()} <= TRUTHS.keys()) for cell, below in over]
    if not any(words) or all(cell.lower() in MISSING for cell in first):
        return False
    if all(words) or any(cell.lower() in CLASS_NAMES for cell in first):
        return True
    if len(rows) == 1:
        return False
    if words[0] and not any(words[1:]):
        steps = np.diff([float(cell) for cell in first[1:] if is_number(cell)])
        return len(first) > 3 and len(steps) == len(first) - 2 and bool(np.all(steps > 0) or np.all(steps < 0))
    below = rows[1][1][len(rows[1][1]) > len(first) :]  # R leaves the column of row names without a header
    return 2 * sum(words) >= len(words) and any(w and is_number(c) for w, c in zip(words, below, strict=False))


def _describe(names: list[str] | None, rows: list[list[str]]) -> list[Column]:
    width = len(rows[0]) if rows else len(names or ())
    short = names is not None and width == len(names) + 1
    if names is None:
        names = [f"column {j}" for j in range(1, width + 1)]
    elif short:
        names = ["", *names]
    if rows and len(names) != width:
        raise DataError(
            f"the header names {len(names):,} columns but the row below has {width:,} cells. "
            "Give every row the same number of cells, with the same delimiter."
        )
    regular = [row for row in rows if len(row) == width]
    columns = []
    for j, name in enumerate(names):
        cells = [row[j].strip().lower() for row in regular[:1]]
        if not cells or cells[0] in MISSING or not is_number(cells[0]):  # with a number it is neither of the two
            cells += [row[j].strip().lower() for row in regular[1:]]
        given = set(cells) - MISSING
        truth = name.lower() not in CLASS_NAMES and bool(given) and TRUTHS.keys() >= given
        text = not truth and bool(given) and not any(map(is_number, cells))
        columns.append(Column(name or ("" if j == 0 else f"column {j + 1}"), text, truth=truth, rows=short and j == 0))
    return columns
