"""Reads files of tables into cells: text, workbooks, and what pandas has a reader for."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import os
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from nnspca.datasets import arrays
from nnspca.datasets.cells import (
    ABSENT,
    CLASS_NAMES,
    DELIMITERS,
    count_numbers,
    decimal_sign,
    is_number,
    number,
    text_of,
)
from nnspca.datasets.layout import SAMPLED_CELLS, Grid, first_lines, layout
from nnspca.datasets.notes import Choice, Note, decision, doubt
from nnspca.datasets.options import Reading
from nnspca.errors import DataError, needed, reason
from nnspca.numerics.doubles import EXACT

MATRICES, TEXTS = (".mtx", ".mtx.gz"), (".csv", ".txt", ".dat", ".data", ".asc", ".prn")
SAMPLED = 300  # rows that are read to find delimiter, header and title
SAMPLED_CHARACTERS = 1_000_000  # after which no more rows are read
CHUNK = 2**20  # bytes decoded at once
# how pandas reads cells: what stands for a missing value is said beside
PANDAS_OPTIONS: dict[str, Any] = {"header": None, "index_col": False, "keep_default_na": False, "low_memory": False}
PANDAS_OPTIONS["float_precision"] = "round_trip"
DIGITS = 15  # so many and no exponent: pandas' own way, twice as fast as Python's, gives the nearest double too


def read_text(data: bytes, options: Reading, *, tabs: bool = False) -> Grid:
    """The table in a file of text, cells parted by a delimiter."""
    pandas = needed("pandas", "tables")
    notes: list[Note] = []
    encoding = options.encoding or _encoding(data)
    if not options.encoding and encoding in ("cp1252", "latin-1"):
        notes.append(decision(f"The text is no UTF-8: it was read as {encoding}.", "encoding"))
    stated: re.Match[str] | None = None
    about, mark, table = data.partition(b"!series_matrix_table_begin")  # GEO's, after lines about each sample
    if mark:
        data = table.partition(b"\n")[2]
        lines_above = about.count(b"\n") + 1
        said = f"{lines_above:,} lines stand above the table and are left out, as GEO marks where it begins."
        notes.append(decision(said, "header"))

    def opened() -> io.TextIOWrapper:
        stream = io.TextIOWrapper(io.BytesIO(data), encoding, newline="")
        if stated:
            stream.readline()
        return stream

    try:
        stated = re.match(r'"?sep=(.)"?\s*$', opened().readline(100))
        lines = list(_some(opened()))
    except (UnicodeError, LookupError) as error:
        raise DataError(f"the text is not encoded as {encoding}{reason(error)}: give encoding='…'.") from error
    tabbed = tabs and any("\t" in line for line in lines)
    delimiter = options.delimiter or (stated[1] if stated else "\t" if tabbed else _delimiter(lines))
    rows = list(_rows(lines, delimiter))
    if not any(map(any, rows)):
        raise DataError("the file is empty: it needs at least two rows of numbers.")
    cells = [cell for row in rows[:100] for cell in row[:SAMPLED_CELLS]]
    pointed = next((cell for cell in cells if "." in cell and number(cell, ".") is not None), None)
    # beside semicolons a comma is decimal, but never a point the sign of thousands, unless the numbers tell
    told_by = options.decimal or decimal_sign(cells)
    decimal = told_by or ("," if delimiter == ";" and pointed is None else ".")
    if delimiter == ";" and pointed and not told_by:
        said = f"The point in {pointed!r:.30} is read as decimal, not as a sign of thousands."
        notes.append(decision(said, "decimal", decimal=","))
    parted = DELIMITERS.get(delimiter, repr(delimiter))
    if delimiter not in ",\t " or decimal == ",":
        signs = any("," in cell or "." in cell for cell in cells)
        decimals = f", and decimals written with a {'comma' if decimal == ',' else 'point'}" if signs else ""
        notes.append(decision(f"Cells are parted by {parted}{decimals}.", "delimiter"))
    found = layout(rows, options, f"parted by {parted}")
    usual = PANDAS_OPTIONS | ({"sep": r"\s+"} if delimiter == " " else {"sep": delimiter, "skipinitialspace": True})
    absent = {word for one in ABSENT for word in (one, one.upper(), one.capitalize())} | {"NaN", "N.A.", "N/A"}
    usual |= {"decimal": decimal, "na_values": sorted(absent), "names": range(len(found.names))}
    if _is_short(data, decimal):
        usual["float_precision"] = "high"

    def below(**how: Any) -> Any:
        stream = opened()
        reader = csv.reader(stream, delimiter=delimiter, skipinitialspace=True)
        for _ in range(found.start):
            next(reader)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", "Length of header", pandas.errors.ParserWarning)  # cells would be lost
            return pandas.read_csv(stream, on_bad_lines="error", **usual, **how)

    try:
        frame = below()
        large = [j for j, most in frame.select_dtypes("float").abs().max().items() if most >= EXACT]
        if large:  # whole numbers beside a missing value, or beyond 64 bits, may have been rounded
            frame[large] = below(usecols=large, dtype=str)
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError, pandas.errors.ParserWarning) as error:
        raise DataError(f"{_misfit(str(error), found, delimiter)} {first_lines(rows)}") from error
    decided = {**found.decided, "delimiter": delimiter, "decimal": decimal, "encoding": encoding}
    return replace(found, frame=frame, decimal=decimal, decided=decided, notes=(*notes, *found.notes))


def _is_short(data: bytes, decimal: str) -> bool:
    """Whether no number of a text has more than so many digits or an exponent: one exact division gives its double."""
    seen = data.translate(bytes.maketrans(b"123456789\0" + decimal.encode(), b"0" * 11))  # UTF-16 has zeros between
    return not any(long in seen for long in (b"0" * (DIGITS + 1), b"0e", b"0E"))


def _misfit(said: str, found: Grid, delimiter: str) -> str:
    if said.startswith("Length of header"):
        return "Some rows far below have more cells than the first ones: name every column, or fill the last one."
    fields = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", said)
    if fields is None:
        return f"the rows cannot be parted into cells{reason(said)}. Look for a quotation mark that is never closed."
    expected, line, seen = map(int, fields.groups())
    return (
        f"line {line + found.start:,} has {seen:,} cells where {expected:,} are expected, parted by "
        f"{DELIMITERS.get(delimiter, repr(delimiter))}. Give every row the same number of cells, or another delimiter=."
    )


def read_sheets(data: bytes, options: Reading) -> Grid:
    """The table in a workbook: the largest of its sheets, or the one asked for; formulas count by stored values."""
    pandas, calamine = needed("pandas", "tables"), needed("python_calamine", "Excel workbooks")
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = {
            about.name: book.get_sheet_by_name(about.name).to_python(skip_empty_area=True)
            for about in book.sheets_metadata
            if about.typ == calamine.SheetTypeEnum.WorkSheet
        }
    except (calamine.CalamineError, OSError, ValueError) as error:
        if (text := data[:1000].lstrip()) and not text.startswith(b"<") and b"\t" in text and b"\0" not in text:
            grid = read_text(data, options, tabs=True)  # what many instruments save under .xls
            return replace(grid, notes=(decision("This is no workbook but text, and read as that."), *grid.notes))
        protected = "" if data[:8] != b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" else ", or one with a password"
        raise DataError(f"this is no workbook, or a damaged one{protected}{reason(error)}: save it again.") from error
    sizes = {
        name: sum(
            isinstance(v, float | int) or (isinstance(v, str) and is_number(v.strip())) for row in rows for v in row
        )
        for name, rows in sheets.items()
    }
    largest = max(sizes, key=lambda name: sizes[name], default=None)
    wanted: Any = options.sheet if isinstance(options.sheet, tuple) else (options.sheet,)
    places = dict(enumerate(sheets)) | {i - len(sheets): name for i, name in enumerate(sheets)} | {None: largest}
    chosen, *others = (places.get(one, one) for one in wanted)
    if unknown := [one for one in (chosen, *others) if one not in sheets]:
        listed = ", ".join(map(repr, sheets)) or "none"
        raise DataError(f"sheet={unknown[0]!r:.60} is not in the workbook; its sheets are: {listed}.")
    if not sheets[chosen]:
        raise DataError(
            "every sheet of the workbook is empty." if options.sheet is None else f"sheet {chosen!r} is empty."
        )
    notes, doubts, values = list[Note](), list[Note](), sheets[chosen]
    alike = tuple(name for name in sheets if sheets[name][:1] == values[:1])
    if len(sheets) > 1 and options.sheet is None:
        said = f"Of {len(sheets)} sheets, {chosen!r:.60} was read, which holds the most numbers."
        one, *ways = (Choice(name, {"sheet": name}) for name in dict.fromkeys((chosen, *sheets)))
        if len(alike) > 1:
            ways.insert(0, Choice(f"all {len(alike)} with these columns, stacked", {"sheet": alike}))
            doubts.append(doubt("sheet", said, one, *ways))
        else:
            notes.append(Note(said, (), tuple(ways), "sheet"))
    if different := [name for name in others if name not in alike]:
        raise DataError(f"sheets are stacked where their first rows are equal; {different[0]!r:.60} differs.")
    rows = [[text_of(value) for value in row] for row in values[:SAMPLED]]
    found = layout(rows, options)
    values = [row for name in (chosen, *others) for row in sheets[name][found.start :]]
    frame = pandas.DataFrame(values, dtype=object).replace({"": None}).dropna(how="all").infer_objects()
    return replace(
        found,
        frame=frame.iloc[:, : len(found.names)],
        sheets=tuple(sheets),
        decided={**found.decided, "sheet": chosen},
        notes=(*notes, *found.notes),
        doubts=(*doubts, *found.doubts),
    )


def read_arff(data: bytes, _: Reading) -> Grid:
    """The table of Weka's format: columns are declared, and nominal ones list their values."""
    pandas = needed("pandas", "tables")
    head, found, body = (
        re.split(r"(?im)^\s*(@data)\b.*$", data.decode("utf-8-sig", "replace"), maxsplit=1)
        if re.search(rb"(?im)^\s*@data\b", data)
        else ("", "", "")
    )
    if not found:
        raise DataError("no @data line found: is this an ARFF file?")
    declared = re.findall(r"""(?im)^\s*@attribute\s+('[^']*'|"[^"]*"|[^\s{]+)\s*(.*?)\s*$""", head)
    if not declared:
        raise DataError("no @attribute line before @data: an ARFF file declares its columns.")
    body = re.sub(r"(?m)^\s*%.*$", "", body)
    if re.search(r"(?m)^\s*\{", body):
        raise DataError("the file has sparse rows ({index value, …}); write rows in full.")
    names = [name.strip("'\"") for name, _ in declared]
    quote = "'" if "'" in body else '"'
    usual = PANDAS_OPTIONS | {"quotechar": quote, "escapechar": "\\", "skipinitialspace": True, "na_values": ["?", ""]}
    words = {j: str for j, (_, kind) in enumerate(declared) if not re.match("(?i)(numeric|real|integer)", kind)}
    try:
        frame = pandas.read_csv(io.StringIO(body), names=range(len(names)), dtype=words, **usual)
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError) as error:
        raise DataError(f"the rows below @data do not fit the {len(names)} attributes{reason(error)}.") from error
    for j, (_, kind) in enumerate(declared):
        if not kind.startswith("{"):
            continue
        values = frame[j].str.strip()
        how: dict[str, Any] = {"quotechar": "'" if "'" in kind else '"', "escapechar": "\\", "skipinitialspace": True}
        levels = [cell.strip() for row in csv.reader([kind.strip("{}")], **how) for cell in row]
        numeric = all(number(level, ".") is not None for level in levels) and j < len(names) - 1
        numeric &= CLASS_NAMES.isdisjoint(re.split(r"[^a-z]+", names[j].lower()))
        frame[j] = values.astype(float) if numeric else pandas.Categorical(values, dict.fromkeys(levels))
    return Grid(names, frame)


def of_frame(frame: Any) -> Grid:
    """The table in a pandas frame; an index that is no mere count is its first column."""
    pandas = needed("pandas", "tables")
    if isinstance(frame.index, pandas.MultiIndex) or not isinstance(frame.index, pandas.RangeIndex):
        frame = frame.reset_index(names=None if any(frame.index.names) else "")
    names = [" ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.columns]
    return Grid(names, frame.set_axis(range(len(names)), axis=1))


def _encoding(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if len(data) > 9 and data[1:200:2].count(0) > 0.4 * len(data[1:200:2]):
        return "utf-16-le"
    for encoding in ("utf-8-sig", "cp1252"):
        decoder = codecs.getincrementaldecoder(encoding)()
        with suppress(UnicodeDecodeError):
            for start in range(0, len(data), CHUNK):
                decoder.decode(data[start : start + CHUNK])
            decoder.decode(b"", final=True)
            return encoding
    return "latin-1"


def _some(stream: Iterable[str]) -> Iterator[str]:
    """The first lines, whole, and at least a few."""
    seen = 0
    for count, line in enumerate(itertools.islice(stream, SAMPLED)):
        yield line
        seen += len(line)
        if seen > SAMPLED_CHARACTERS and count > 8:
            break


def _rows(lines: Iterable[str], delimiter: str) -> Iterable[list[str]]:
    try:
        for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True):
            yield [cell.strip() for cell in row]
    except csv.Error as error:
        raise DataError(f"the text cannot be parted into cells{reason(error)}.") from error


def _delimiter(lines: list[str]) -> str:
    """The delimiter that parts most rows alike, into the most numbers; a comma, so one column, if there is none."""
    best, most = ",", 0.0
    for sign in DELIMITERS:
        if not any(sign in line for line in lines):
            continue
        try:
            rows = [row for row in _rows(lines[:100], sign) if any(row)]
        except DataError:
            continue
        widths = Counter(len(row) for row in rows if len(row) > 1)
        if not widths or (sign == " " and any(re.search("[\t;,|]", c) and not is_number(c) for c in rows[-1][:100])):
            continue
        filled = [list(filter(None, row[:100])) for row in rows if len(row) > 1]
        alike = max(widths.values()) / len(rows)
        triangle = len(widths) > 2 and len(widths) >= sum(widths.values()) - 1  # each row is one longer
        absent = sum(cell.lower() in ABSENT for row in filled for cell in row)
        plain = (sum(map(count_numbers, filled)) + absent) / max(1, sum(map(len, filled)))
        score = (1.0 if triangle else alike) * (0.05 + plain) * (0.9 if sign == " " else 1.0)
        if score > most:
            best, most = sign, score
    return best


def _by_pandas(function: str, package: str = "pandas", **how: Any) -> Callable[[bytes, Reading], Grid]:
    """A reader of tables that is pandas' own function of that name, through that package."""

    def read_table(data: bytes, _: Reading) -> Grid:
        needed(package, f"{function.removeprefix('read_').title()} files")
        return of_frame(getattr(needed("pandas", "tables"), function)(io.BytesIO(data), **how))

    return read_table


def _spss(data: bytes, _: Reading) -> Grid:
    read = needed("pyreadstat", "SPSS files").read_sav  # which takes paths only
    if hasattr(os, "memfd_create"):  # a file in memory, as the app's reader may write none
        with open(os.memfd_create("table.sav"), "wb") as file:
            file.write(data)
            file.flush()
            frame, about = read(f"/proc/self/fd/{file.fileno()}")
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "table.sav")
            path.write_bytes(data)
            frame, about = read(path)
    labels = {
        str(name): {float(code): str(label) for code, label in labels.items()}
        for name, labels in about.variable_value_labels.items()
        if all(isinstance(code, int | float) for code in labels)
    }
    return replace(of_frame(frame), labels=labels)


def _stata(data: bytes, _: Reading) -> Grid:
    """The codes of a Stata file, and what they stand for."""
    read = needed("pandas", "tables").read_stata
    codes = read(io.BytesIO(data), convert_categoricals=False)
    try:
        words = read(io.BytesIO(data))
    except ValueError:  # two codes with one label
        words = codes
    labels = {}
    for name in codes:
        if hasattr(words[name].dtype, "categories"):
            pairs = dict(zip(codes[name].tolist(), words[name].tolist(), strict=True))
            labels[str(name)] = {code: str(word) for code, word in pairs.items() if isinstance(word, str)}
    return replace(of_frame(codes), labels=labels)


TABLES: dict[str, Callable[[bytes, Reading], Grid]] = {
    **dict.fromkeys(TEXTS, read_text),
    **dict.fromkeys(
        (f"{ending}.gz" for ending in (*TEXTS, ".tsv")),
        lambda data, options: read_text(arrays.decompress(data), options),
    ),
    **dict.fromkeys((".tsv", ".tab"), lambda data, options: read_text(data, options, tabs=True)),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), read_sheets),
    ".parquet": _by_pandas("read_parquet", "pyarrow", dtype_backend="numpy_nullable"),
    ".feather": _by_pandas("read_feather", "pyarrow", dtype_backend="numpy_nullable"),
    ".dta": _stata,
    ".xpt": _by_pandas("read_sas", format="xport", encoding="utf-8"),
    ".sas7bdat": _by_pandas("read_sas", format="sas7bdat", encoding="infer"),
    ".sav": _spss,
    ".json": _by_pandas("read_json", orient="records", convert_dates=False),
    **dict.fromkeys((".jsonl", ".ndjson"), _by_pandas("read_json", lines=True, convert_dates=False)),
    ".arff": read_arff,
}
