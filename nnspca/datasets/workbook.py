"""Excel workbooks (.xlsx) through calamine: the first sheet that holds anything, as rows of cells."""

from __future__ import annotations

import datetime
import io
import itertools
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nnspca.datasets import limits, progress
from nnspca.datasets.archives import open_zip
from nnspca.datasets.arranging import ReadingOptions
from nnspca.datasets.dataset import Content
from nnspca.datasets.delimited import read_rows
from nnspca.datasets.tables import Row
from nnspca.errors import DataError, needed, reason
from nnspca.numerics.doubles import EXACT


def read_workbook(data: bytes, options: ReadingOptions, *, header: bool | None = None) -> Content:
    """Read the first sheet that is not empty; formulas count by their stored values."""
    calamine = needed("python_calamine", "Excel workbooks")
    if data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise DataError("this is an old or a protected workbook (.xls): save it as .xlsx without a password.")
    progress.report_or_stop(0, 1, "Opening the workbook")
    try:
        open_zip(data).close()
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        kinds = [about.typ for about in book.sheets_metadata]
        sheets = [i for i, kind in enumerate(kinds) if kind == calamine.SheetTypeEnum.WorkSheet]
        for i in sheets:
            sheet = book.get_sheet_by_index(i)
            rows = _rows(sheet)
            first = next(rows, None)
            if first is not None:
                every, count = itertools.chain([first], rows), float(sheet.total_height)
                content = read_rows(every, options, header=header, expected=count)
                note = f"Of {len(sheets)} sheets, {sheet.name!r:.60} was read, the first that is not empty."
                return replace(content, notes=(*content.notes, note)) if len(sheets) > 1 else content
    except (zipfile.BadZipFile, calamine.CalamineError) as error:
        raise DataError(f"this is no Excel workbook, or a damaged one{reason(error)}: save it again.") from error
    raise DataError("every sheet of the workbook is empty.")


def _rows(sheet: Any) -> Iterator[Row]:
    """Yield the rows that are not empty, each at least as wide as the wider of the first two."""
    if sheet.start is None:
        return
    limits.check_columns(sheet.total_width)
    limits.check_entries(sheet.total_height, sheet.total_width)
    width = 0
    for count, values in enumerate(sheet.iter_rows(), start=1):
        progress.report_or_stop(count, sheet.total_height, "Reading the sheet")
        cells = list(map(_text, values))
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        width = max(width, len(cells)) if not width or count <= 2 else width
        yield count, cells + [""] * (width - len(cells))


def _text(value: object) -> str:
    """A cell as text, as in a table of text."""
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < EXACT else repr(value)
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
