"""Finds the table in a file of cells: encoding, delimiter, sheet, title, header; pandas reads what is below."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any, Literal, get_args

import numpy as np

from nnspca.errors import DataError, needed, reason
from nnspca.numerics.doubles import EXACT

Missing = Literal["refuse", "drop rows", "drop features", "mean"]
MISSING: tuple[Missing, ...] = get_args(Missing)
Role = Literal["feature", "name", "class", "left out"]

SAMPLED, SAMPLED_CELLS = 300, 300  # rows, and cells of each, that are looked at to find delimiter, header and title
SAMPLED_CHARACTERS = 1_000_000  # after which no more rows are looked at
CHUNK = 2**20  # bytes decoded at once
TRUTHS = {"true": 1.0, "false": 0.0}
CLASS_NAMES = frozenset({"class", "label", "labels", "target"})
DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", " ": "blanks"}
ABSENT = frozenset(
    {"", "?", "-", ".", "–", "—", "na", "n/a", "n.a.", "nan", "<na>", "null", "none", "missing", ":", ".."}
) | {
    *("#n/a", "#div/0!", "#name?", "#null!", "#num!", "#ref!", "#value!")  # what spreadsheets write for no value
}
LEVELS = 3  # most rows of a header
# how pandas reads cells: what stands for a missing value is said beside
READ: dict[str, Any] = {"header": None, "index_col": False, "keep_default_na": False, "low_memory": False}
READ["float_precision"] = "round_trip"
KINDS = frozenset({"c", "d", "s", "t", "continuous", "discrete", "string", "time", "class", "meta", ""})  # of Orange's

_SIGN = r"[+\-−]?"
_PLAIN = re.compile(rf"{_SIGN}(\d+\.?\d*|\.\d+)([eEdD][+\-−]?\d+)?")
_COMMA = re.compile(rf"{_SIGN}(\d+,\d*|,\d+)([eEdD][+\-−]?\d+)?")
_GROUPED = {  # by the decimal sign: thousands are parted by the other sign, blanks or apostrophes
    ".": re.compile(rf"{_SIGN}[1-9]\d{{0,2}}([,'’\s]\d{{3}})+(\.\d*)?"),
    ",": re.compile(rf"{_SIGN}[1-9]\d{{0,2}}([.'’\s]\d{{3}})+(,\d*)?"),
}
_EITHER = re.compile(rf"{_SIGN}[1-9]\d{{0,2}}([.,])\d{{3}}(\1\d{{3}})*")  # 1,234: of thousands or of decimals
_MONEY = re.compile(r"[$€£¥]|\b(?:USD|EUR|GBP|CHF|kr)\b")
_DECORATED = re.compile(r"[$€£¥%()']|^(?:USD|EUR|GBP|CHF|kr)\b|\b(?:USD|EUR|GBP|CHF|kr)$")
LIMIT = re.compile(r"(?:[<>≤≥]=?|~)\s*(\S.*)")
_INFINITE = frozenset({"inf", "infinity"})


@dataclass(frozen=True)
class ReadingOptions:
    """How a table is read, as :func:`nnspca.datasets.read` has it; None to decide by looking."""

    samples: str | None = None
    kind: str | None = None
    sheet: str | int | None = None
    header: int | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    label: str | None = None
    sample_names: str | None = None
    columns: Mapping[str, Role] = field(default_factory=dict)
    missing: Missing = "refuse"
    missing_codes: Sequence[float | str] | None = None
    keep_totals: bool = False
    image_size: tuple[int, int] | None = None


@dataclass(eq=False)
class Grid:
    """A table as it stands in a file: a pandas frame of columns, their names, and what was decided on the way."""

    names: list[str]
    frame: Any = None
    named: bool = True
    notes: list[str] = field(default_factory=list)
    start: int = 0  # the row of the file where its numbers begin
    levels: int = 0  # rows of the header
    beginning: str = ""  # its first lines as they were understood
    decimal: str = "."
    short: bool = False  # the header had no name for the first column, as R writes row names
    roles: dict[str, str] = field(default_factory=dict)  # Orange's: "class" or "meta", by name
    sheets: tuple[str, ...] = ()
    decided: dict[str, Any] = field(default_factory=dict)  # arguments of a reading, found by looking
    taken: dict[str, str] = field(default_factory=dict)  # what became of columns, by name; others are left out


def number(cell: str, decimal: str) -> float | None:
    """The number in a cell, written with this decimal sign; None if it holds none.

    >>> [number(cell, ".") for cell in ("-1.5e3", "$1,200", "5 %", "(3)", "(3", "−2", "1_000", "12 cm")]
    [-1500.0, 1200.0, 5.0, -3.0, None, -2.0, None, None]
    >>> number("1.234,5", ","), number("1,5", ","), number("1,5", ".")
    (1234.5, 1.5, None)
    """
    text = cell.strip().rstrip("*†‡§")  # stars of significance, signs of notes
    negative = False
    if _DECORATED.search(text):
        negative = text.startswith("(") and text.endswith(")")
        text = text[1:-1] if negative else text.removeprefix("'")
        text = _MONEY.sub("", text).strip().removesuffix("%").strip()
    if _GROUPED[decimal].fullmatch(text):
        text = re.sub(r"[,'’\s]" if decimal == "." else r"[.'’\s]", "", text)
    if decimal == "," and _COMMA.fullmatch(text):
        text = text.replace(",", ".")
    if not _PLAIN.fullmatch(text) and text.lstrip("+-").lower() not in _INFINITE:
        return None
    value = float(re.sub("[dD]", "e", text.replace("−", "-")) if "i" not in text.lower() else text)
    return -value if negative else value


def is_number(cell: str) -> bool:
    """Whether a cell is a number in either notation, or says that one lies beyond a limit of detection."""
    if not cell or "_" in cell:
        return False
    with suppress(ValueError):
        return float(cell) == float(cell)
    beyond = LIMIT.fullmatch(cell)
    text = beyond[1] if beyond else cell
    return number(text, ".") is not None or number(text, ",") is not None


def decimal_sign(cells: Iterable[str]) -> str:
    """The decimal sign of these numbers; empty where they do not tell.

    >>> decimal_sign(["1,5", "2"]), decimal_sign(["1.234,5"]), decimal_sign(["1,200"])
    (',', ',', '')
    """
    votes: Counter[str] = Counter()
    for cell in cells:
        text = _MONEY.sub("", cell).strip(" %()'")
        if not ("," in text or "." in text) or (_EITHER.fullmatch(text) and len(re.findall("[.,]", text)) == 1):
            continue
        if _PLAIN.fullmatch(text):
            votes["."] += 2
            continue
        for sign in ".,":
            votes[sign] += number(text, sign) is not None and number(text, ".,".replace(sign, "")) is None
    return "" if votes["."] == votes[","] else max(".,", key=votes.__getitem__)


def read_text(data: bytes, options: ReadingOptions, *, tabs: bool = False) -> Grid:
    """The table in a file of text, cells parted by a delimiter."""
    pandas = needed("pandas", "tables")
    notes: list[str] = []
    encoding = options.encoding or _encoding(data)
    if not options.encoding and encoding in ("cp1252", "latin-1"):
        notes.append(f"The text is no UTF-8: it was read as {encoding}; encoding= takes another.")
    told: re.Match[str] | None = None
    about, mark, table = data.partition(b"!series_matrix_table_begin")  # GEO's, after lines about each sample
    if mark:
        data = table.partition(b"\n")[2]
        lines_above = about.count(b"\n") + 1
        notes.append(f"{lines_above:,} lines stand above the table and are left out, as GEO marks where it begins.")

    def opened() -> io.TextIOWrapper:
        stream = io.TextIOWrapper(io.BytesIO(data), encoding, newline="")
        if told:
            stream.readline()
        return stream

    try:
        told = re.match(r'"?sep=(.)"?\s*$', opened().readline(100))
        lines = list(_some(opened()))
    except (UnicodeError, LookupError) as error:
        raise DataError(f"the text is not encoded as {encoding}{reason(error)}: give encoding='…'.") from error
    tabbed = tabs and any("\t" in line for line in lines)
    delimiter = options.delimiter or (told[1] if told else "\t" if tabbed else _delimiter(lines))
    rows = list(_rows(lines, delimiter))
    if not any(map(any, rows)):
        raise DataError("the file is empty: it needs at least two rows of numbers.")
    cells = [cell for row in rows[:100] for cell in row[:SAMPLED_CELLS]]
    pointed = next((cell for cell in cells if "." in cell and number(cell, ".") is not None), None)
    # beside semicolons a comma is decimal, but never a point the sign of thousands, unless the numbers tell
    told_by = options.decimal or decimal_sign(cells)
    decimal = told_by or ("," if delimiter == ";" and pointed is None else ".")
    if delimiter == ";" and pointed and not told_by:
        notes.append(f"The point in {pointed!r:.30} is read as decimal: decimal=',' takes it as a sign of thousands.")
    if delimiter not in ",\t " or decimal == ",":
        signs = any("," in cell or "." in cell for cell in cells)
        decimals = f", and decimals written with a {'comma' if decimal == ',' else 'point'}" if signs else ""
        notes.append(f"Cells are parted by {DELIMITERS.get(delimiter, repr(delimiter))}{decimals}.")
    found = _layout(rows, options, notes, f"parted by {DELIMITERS.get(delimiter, repr(delimiter))}")
    usual = READ | ({"sep": r"\s+"} if delimiter == " " else {"sep": delimiter, "skipinitialspace": True})
    absent = {word for one in ABSENT for word in (one, one.upper(), one.capitalize())} | {"NaN", "N.A.", "N/A"}
    usual |= {"decimal": decimal, "na_values": sorted(absent), "names": range(len(found.names))}

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
        large = [j for j in frame if frame[j].dtype.kind == "f" and frame[j].abs().max() >= EXACT]
        if large:  # whole numbers beside a missing value, or beyond 64 bits, may have been rounded
            frame[large] = below(usecols=large, dtype=str)
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError, pandas.errors.ParserWarning) as error:
        raise DataError(f"{_misfit(str(error), found, delimiter)} {_shown(rows)}") from error
    found.frame, found.decimal = frame, decimal
    found.decided |= {"delimiter": delimiter, "decimal": decimal, "encoding": encoding}
    return found


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


def read_sheets(data: bytes, options: ReadingOptions) -> Grid:
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
            grid.notes.insert(0, "This is no workbook but text, and read as that.")
            return grid
        protected = "" if data[:8] != b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" else ", or one with a password"
        raise DataError(f"this is no workbook, or a damaged one{protected}{reason(error)}: save it again.") from error
    sizes = {
        name: sum(
            isinstance(v, float | int) or (isinstance(v, str) and is_number(v.strip())) for row in rows for v in row
        )
        for name, rows in sheets.items()
    }
    chosen: Any = options.sheet
    if isinstance(chosen, int) and -len(sheets) <= chosen < len(sheets):
        chosen = list(sheets)[chosen]
    if chosen is None:
        chosen = max(sizes, key=lambda name: sizes[name], default=None)
    if chosen not in sheets:
        listed = ", ".join(map(repr, sheets)) or "none"
        raise DataError(f"sheet={options.sheet!r:.60} is not in the workbook; its sheets are: {listed}.")
    if not sheets[chosen]:
        raise DataError(
            "every sheet of the workbook is empty." if options.sheet is None else f"sheet {chosen!r} is empty."
        )
    notes = []
    if len(sheets) > 1 and options.sheet is None:
        others = ", ".join(repr(name)[:40] for name in sheets if name != chosen)
        notes.append(
            f"Of {len(sheets)} sheets, {chosen!r:.60} was read, which holds the most numbers; sheet= takes another: "
            f"{others}."
        )
    values = sheets[chosen]
    rows = [[text_of(value) for value in row] for row in values[:SAMPLED]]
    found = _layout(rows, options, notes)
    frame = pandas.DataFrame(values[found.start :], dtype=object).replace({"": None}).dropna(how="all").infer_objects()
    found.frame, found.sheets = frame.iloc[:, : len(found.names)], tuple(sheets)
    found.decided["sheet"] = chosen
    return found


def read_arff(data: bytes, _: ReadingOptions) -> Grid:
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
    usual = READ | {"quotechar": quote, "escapechar": "\\", "skipinitialspace": True, "na_values": ["?", ""]}
    words = {j: str for j, (_, kind) in enumerate(declared) if not re.match("(?i)(numeric|real|integer)", kind)}
    try:
        frame = pandas.read_csv(io.StringIO(body), names=range(len(names)), dtype=words, **usual)
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError) as error:
        raise DataError(f"the rows below @data do not fit the {len(names)} attributes{reason(error)}.") from error
    for j, (_, kind) in enumerate(declared):
        if not kind.startswith("{"):
            continue
        values = frame[j].str.strip()
        quote = "'" if "'" in kind else '"'
        levels = [
            cell.strip()
            for cell in next(
                csv.reader([kind.strip("{}")], quotechar=quote, escapechar="\\", skipinitialspace=True), []
            )
        ]
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
        cells = [cell for row in rows if len(row) > 1 for cell in row[:100] if cell]
        alike = max(widths.values()) / len(rows)
        triangle = len(widths) > 2 and len(widths) >= sum(widths.values()) - 1  # each row is one longer
        told = sum(is_number(cell) or cell.lower() in ABSENT for cell in cells) / max(1, len(cells))
        score = (1.0 if triangle else alike) * (0.05 + told) * (0.9 if sign == " " else 1.0)
        if score > most:
            best, most = sign, score
    return best


def _layout(rows: list[list[str]], options: ReadingOptions, notes: list[str], parted: str = "") -> Grid:
    """Tell title, header and numbers apart; an error shows the first lines as they were understood."""
    try:
        grid = _laid_out(rows, options, notes, parted)
        grid.notes, grid.beginning, grid.decided = notes, _shown(rows), {"header": grid.levels}
        return grid
    except DataError as error:
        raise DataError(f"{error} {_shown(rows)}") from error


def _laid_out(rows: list[list[str]], options: ReadingOptions, notes: list[str], parted: str) -> Grid:
    """Tell title, header and numbers apart by which cells hold numbers."""
    filled = [sum(map(bool, row)) for row in rows]
    numbers = [_numbers(row, beside) for row, beside in zip(rows, [*rows[1:], *rows[-2:-1]], strict=False)] or [0]
    first = _first(rows, filled, numbers)
    levels: list[int] = []
    wide = max(len(row) for row in rows[first:]) if rows[first:] else 1
    if options.header is None:
        above = first - 1
        while above >= 0 and not filled[above] and above > first - 3:
            above -= 1
        named = above >= 0 and filled[above] > 1 and not numbers[above]
        if named and above < first - 1 and not is_number(rows[first][0]):  # a blank line between
            named = not _counts_columns(rows, first)
        if not named and (_counts_columns(rows, first) or _is_mixed(rows, first)):
            levels, first = [first], first + 1
        else:
            while above >= 0 and len(levels) < LEVELS:
                if numbers[above] and (levels or not _is_mixed(rows, above)):
                    break
                deepest = not levels or (len(levels) == 1 and filled[levels[0]] == 1)
                if not _is_level(rows[above], rows[above - 1] if above else [], wide, deepest):
                    break
                levels.insert(0, above)
                above -= 1
    elif options.header:
        top = next((i for i in range(len(rows)) if filled[i] >= max(1, min(2, wide // 2))), 0)
        levels = [i for i in range(top, len(rows)) if filled[i]][: int(options.header)]
        first = levels[-1] + 1
    else:
        first = next((i for i in range(len(rows)) if filled[i]), 0)
    if not rows[first:]:
        raise DataError("found a header and no rows below it: header= says how many rows name the columns.")
    if title := [i for i in range(levels[0] if levels else first) if filled[i]]:
        said = " ".join(" ".join(filter(None, rows[i])) for i in title)
        what = "line stands" if len(title) == 1 else "lines stand"
        notes.append(
            f"{len(title)} {what} above the table and {'is' if len(title) == 1 else 'are'} left out: {said[:60]!r}."
        )
    below = [row for row in rows[first:] if any(row)]
    wide = max(map(len, below))
    while wide > 1 and all(len(row) < wide or not row[wide - 1] for row in [*below, *(rows[i] for i in levels)]):
        wide -= 1
    usual = Counter(map(len, below)).most_common(1)[0][0]
    triangle = not levels and set(np.diff([len(row) for row in below]).tolist()) in ({1}, {-1})
    if options.header is None and usual < wide and not triangle and (not levels or usual == len(rows[levels[-1]])):
        i = next(i for i in range(first, len(rows)) if len(rows[i]) > usual)
        raise DataError(
            f"line {i + 1:,} has {len(rows[i]):,} cells where {usual:,} are expected, {parted}. Give every row the "
            "same number of cells, or another delimiter=."
        )
    gap = bool(levels) and not all(filled[levels[-1] + 1 : first])
    return _named([rows[i] for i in levels], below, first, wide, notes, gap=gap)


def _numbers(row: list[str], beside: list[str]) -> int:
    """How many of a row's first cells hold numbers; a truth counts where another stands below it."""
    looked = itertools.zip_longest(row[:SAMPLED_CELLS], beside[: len(row[:SAMPLED_CELLS])], fillvalue="")
    if row and row[0].startswith(("#", "!")) and row[0].lower() not in ABSENT:
        return 0
    return sum(is_number(cell) or {cell.lower(), other.lower()} <= TRUTHS.keys() for cell, other in looked)


def _first(rows: list[list[str]], filled: list[int], numbers: list[int]) -> int:
    """The first row of numbers."""
    having = [n for n in numbers[len(numbers) // 2 :] if n] or [n for n in numbers if n]
    if not having:
        width, below = max(map(len, rows)), rows[1:]
        cell = next((cell for row in below or rows for cell in row if cell), "")
        if not any(map(any, below)):
            raise DataError(f"found 0 rows and {width:,} columns of numbers below the first line.")
        if all(cell.lower() in ABSENT for row in below for cell in row):
            raise nothing((len(below), width))
        raise DataError(
            f"no column of numbers among the {width:,} found (the first cell holds {cell!r:.60}): is the delimiter a "
            "comma, semicolon or tab, and are numbers without their units? delimiter=, sheet= and header= take others."
        )
    usual = float(np.median(having))
    if set(np.diff([n for n in numbers if n][-6:]).tolist()) in ({1}, {-1}):  # a triangle
        usual = 1.0
    first = next(i for i, n in enumerate(numbers) if n >= max(1.0, usual / 2))
    named = any(not numbers[i] and filled[i] >= 2 for i in range(first))
    under = rows[first]
    while named and first and (numbers[first - 1] or _is_bare(rows, first - 1, under)):  # rows with many gaps
        if len(rows[first - 1]) < len(rows[first]) / 2:
            break
        first -= 1
    return first


def _is_bare(rows: list[list[str]], i: int, under: list[str]) -> bool:
    """Whether a row has words where the first numbers have some, below one row of names; or a triangle no diagonal."""
    row, above, title = rows[i], rows[i - 1], rows[i - 2] if i > 1 else []
    words = [j for j, cell in enumerate(row) if cell.lower() not in ABSENT]
    if not i or not words or len(row) < 2:
        return False
    if words == [0] and row[0] in above[1:]:
        return True
    if len(row) < 3 or len(row) != len(under) or any(is_number(under[j]) for j in words):
        return False
    named = all(above[1:]) and len(above) in (len(row), len(row) - 1) and sum(map(bool, title)) < 2
    return named or _is_bare(rows, i - 1, under)


def _counts_columns(rows: list[list[str]], i: int) -> bool:
    """Whether a row of numbers names the columns: 0, 1, 2, … as data frames write it, years or wavelengths."""
    cells = list(itertools.dropwhile(lambda cell: not is_number(cell), rows[i]))
    corner = len(rows[i]) - len(cells)
    plain = [number(cell, ".") for cell in itertools.takewhile(bool, cells)]
    if len(plain) < 3 or any(cells[len(plain) :]) or i + 1 >= len(rows) or None in plain:
        return False
    values = np.array(plain, float)
    steps = np.diff(values)
    if not corner:
        return plain[0] == 0 and bool((steps == 1).all()) and any(rows[i + 1])
    years = 1500 <= values[0] < 2200 and bool((np.abs(steps) == 1).all())
    rising = bool(np.all(steps > 0) or np.all(steps < 0))
    return years or (corner == 1 and rising and (not rows[i][0] or not i))


def _is_mixed(rows: list[list[str]], i: int) -> bool:
    """Whether at least half of a row's cells are words, and one of them stands over a number."""
    words = [bool(cell) and cell.lower() not in ABSENT and not is_number(cell) for cell in rows[i]]
    under = next((row for row in rows[i + 1 :] if any(row)), [])
    below = under[len(under) > len(rows[i]) :]
    over = any(w and is_number(cell) for w, cell in zip(words, below, strict=False))
    return over and (2 * sum(words) >= len(words) or any(cell.lower() in CLASS_NAMES for cell in rows[i]))


def _is_level(row: list[str], above: list[str], wide: int, deepest: bool) -> bool:
    """Whether a row of words belongs to the header; the ``deepest`` stands directly over the numbers."""
    filled = sum(map(bool, row))
    if filled < 2:  # alone is the name of the row names, as pandas writes it below the names of columns
        alone = bool(row) and bool(row[0]) and sum(map(bool, above)) > 1 and row[0] not in above
        return filled == 1 and deepest and (wide <= 2 or alone)
    if row[0].startswith("#"):
        return deepest and len(row) - (row[0] == "#") in (wide, wide - 1)
    last = max(j for j, cell in enumerate(row) if cell) + 1
    return deepest or (last > wide / 3 and len(row) >= wide - 1 and all(len(cell.split()) < 4 for cell in row))


def _named(
    levels: list[list[str]], below: list[list[str]], first: int, wide: int, notes: list[str], *, gap: bool
) -> Grid:
    """The names of the columns from the rows of the header."""
    if not levels:
        return Grid([f"column {j + 1}" for j in range(wide)], named=False, start=first)
    given = len(levels)
    # a rule below the names, as databases and Markdown write it, and the row that Qualtrics writes for itself
    levels = [row for row in levels if not re.match(r'[-+=:|\s]*$|.*\{"ImportId"', "".join(row))] or levels
    levels = [row[row[0] == "#" :] for row in levels]
    roles: dict[str, str] = {}
    marks: list[str] = []
    if len(levels) == 3 and all(cell.lower() in KINDS for cell in levels[1]):  # Orange: names, types, roles
        marks = [cell.lower().partition(" ")[0] for cell in levels[2]]
        levels = levels[:1]
    widest = max(map(len, levels))
    while widest > wide and all(len(row) < widest or not row[widest - 1] for row in levels):
        widest -= 1
    if widest > wide:
        raise DataError(
            f"the header names {widest:,} columns but the row below has {wide:,} cells. Give every row the same number "
            "of cells, or another delimiter= or header=."
        )
    short = len(levels) == 1 and widest == wide - 1 and any(len(row) == wide for row in below)
    names = [""] * wide
    for depth, row in enumerate(levels):
        cells = ([""] if short else []) + row[: wide - short]
        cells += [""] * (wide - len(cells))
        if depth < len(levels) - 1:  # merged cells: a name holds up to the next
            for j in range(1, wide):
                cells[j] = cells[j] or cells[j - 1]
        if len(levels) > 1 and (gap or sum(map(bool, levels[-1])) == 1):  # below them the row names have a name
            cells[0] = levels[-1][0] if depth == len(levels) - 1 and not gap else ""
        names = [f"{a} {b}".strip() if b and b != a else a for a, b in zip(names, cells, strict=True)]
    if len(levels) > 1:
        notes.append(
            f"The header has {len(levels)} rows, joined into one name for each column; header=1 reads only one."
        )
    elif any(map(is_number, names)):
        notes.append("The first row was read as the names of the columns; header=False reads it as numbers.")
    if names[0].startswith("# "):  # as NumPy writes it
        names[0] = names[0][2:]
    for j, name in enumerate(names):
        role = re.match(r"([mciw]?)[CDSTcd]?#(?=.)", name)
        if role:
            names[j] = name[role.end() :]
            marks = marks or [""] * wide
            marks[j] = {"c": "class", "m": "meta"}.get(role[1], "")
    roles = {names[j]: mark for j, mark in enumerate(marks[:wide]) if mark in ("class", "meta")}
    names = [name or ("" if j == 0 else f"column {j + 1}") for j, name in enumerate(names)]
    return Grid(names, start=first, levels=given, short=short, roles=roles)


def text_of(value: object) -> str:
    """A cell as text, a whole number without a point."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    return value.isoformat() if isinstance(value, date | time) else str(value).strip()


def nothing(shape: tuple[int, int]) -> DataError:
    """Return the error about a table without any value."""
    rows, columns = shape
    return DataError(
        f"none of its {rows:,} × {columns:,} values is a number, so nothing can be sought in it. Check what was saved "
        "in the file."
    )


def _shown(rows: list[list[str]]) -> str:
    """The first three lines as they were understood, for an error."""
    some = [row for row in rows if any(row)][:3]
    lines = [" | ".join(cell[:20] for cell in row[:6]) + (" | …" if len(row) > 6 else "") for row in some]
    return "Its first lines were understood as: " + "; ".join(f"[{line}]" for line in lines) + "."
