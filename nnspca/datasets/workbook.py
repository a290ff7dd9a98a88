"""Excel workbooks (.xlsx) through openpyxl: the first sheet that holds numbers, as rows of cells.

By hand is only the watch over what is unpacked: openpyxl reads whatever an entry of the archive
inflates to.
"""

from __future__ import annotations

import datetime
import io
import itertools
import zipfile
from collections.abc import Iterator
from typing import Any

from nnspca.datasets import limits, progress
from nnspca.datasets.arranging import ReadingOptions
from nnspca.datasets.arrays import open_zip
from nnspca.datasets.dataset import Content
from nnspca.datasets.delimited import read_rows
from nnspca.datasets.images import unpacked
from nnspca.datasets.optional import needed
from nnspca.datasets.tables import Row
from nnspca.errors import DataError, reason

MOST_UNPACKED = 200_000_000  # bytes; read by Python at about 5 MB a second
MOST_TEXTS = 50_000_000  # bytes of the texts that cells share, which are read before the first row
TEXTS = "sharedstrings.xml"
FORBIDDEN = (b"<!DOCTYPE", b"<!ENTITY", "<!ENTITY".encode("utf-16-le"), "<!ENTITY".encode("utf-16-be"))


def read_workbook(data: bytes, options: ReadingOptions, *, header: bool | None = None) -> Content:
    """Read the first sheet of a workbook that is not empty; formulas count as what they last came to."""
    openpyxl = needed("openpyxl", "Excel workbooks")
    if data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise DataError("this is an old or a protected workbook (.xls): save it as .xlsx without a password.")
    honest = _repacked(data)
    progress.report_or_stop(0, 1, "Opening the workbook")
    book = openpyxl.load_workbook(io.BytesIO(honest), read_only=True, data_only=True, keep_links=False)
    sheets = list(book.worksheets)
    for sheet in sheets:
        rows = _rows(sheet)
        first = next(rows, None)
        if first is None:
            continue
        content = read_rows(itertools.chain([first], rows), None, options, header=header, expected=_expected(sheet))
        if len(sheets) == 1:
            return content
        note = f"Of {len(sheets)} sheets, {sheet.title!r:.60} was read, the first that is not empty."
        return Content(
            X=content.X,
            feature_names=content.feature_names,
            labels=content.labels,
            label_names=content.label_names,
            notes=(*content.notes, note),
            class_columns=content.class_columns,
        )
    raise DataError("every sheet of the workbook is empty.")


def _repacked(data: bytes) -> bytes:
    """The same archive, not compressed, each entry cut where it says that it ends."""
    held = io.BytesIO()
    try:
        with open_zip(data) as archive, zipfile.ZipFile(held, "w") as honest:
            members = archive.infolist()
            size = sum(m.file_size for m in members)
            if size > MOST_UNPACKED:
                raise DataError(
                    f"the workbook unpacks to {size:,} bytes; at most {MOST_UNPACKED:,} are read. Save it as CSV."
                )
            if any(m.filename.lower().endswith(TEXTS) and m.file_size > MOST_TEXTS for m in members):
                raise DataError("the workbook holds too much text to be a table of numbers. Save the sheet as CSV.")
            for member in progress.tracked(members, len(members), "Unpacking the workbook"):
                content = unpacked(archive, member)
                if member.filename.endswith((".xml", ".rels")) and any(word in content for word in FORBIDDEN):
                    raise DataError("the workbook defines entities of its own, which no table needs. Save it again.")
                honest.writestr(member.filename, content)
    except zipfile.BadZipFile as error:
        raise DataError(f"this is no Excel workbook, or a damaged one{reason(error)}: save it again.") from error
    return held.getvalue()


def _expected(sheet: Any) -> float:
    return float(sheet.max_row or 0)


def _rows(sheet: Any) -> Iterator[Row]:
    """Rows that are not empty, all as wide as the first two; what a sheet says of its size is not believed."""
    sheet.reset_dimensions()
    width = given = 0
    for number, values in enumerate(sheet.iter_rows(values_only=True), start=1):
        given += 1 + len(values)
        limits.check_columns(len(values))
        if given > 2 * limits.MAX_ENTRIES:
            limits.check_entries(given)
        progress.report_or_stop(number, 0, "Reading the sheet")
        cells = [_text(value) for value in values]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        width = max(width, len(cells)) if not width or number <= 2 else width
        yield number, cells + [""] * (width - len(cells))


def _text(value: object) -> str:
    """A cell as a table of text has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return repr(value) if isinstance(value, int | float) else str(value).strip()
