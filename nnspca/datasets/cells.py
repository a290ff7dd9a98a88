"""Tells numbers from words: how a number is written in a cell, and what stands for a missing value."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, time

from nnspca.errors import DataError

TRUTHS = {"true": 1.0, "false": 0.0}
CLASS_NAMES = frozenset({"class", "label", "labels", "target"})
DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", " ": "blanks"}
ABSENT = frozenset(
    {"", "?", "-", ".", "–", "—", "na", "n/a", "n.a.", "nan", "<na>", "null", "none", "missing", ":", ".."}
) | {
    *("#n/a", "#div/0!", "#name?", "#null!", "#num!", "#ref!", "#value!")  # what spreadsheets write for no value
}

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


def count_numbers(cells: list[str]) -> int:
    """How many cells are numbers; where all are plain, as most are, none is looked at by itself."""
    with suppress(ValueError):
        if not math.isnan(sum(map(float, cells))) and "_" not in "".join(cells):
            return len(cells)
    return sum(map(is_number, cells))


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
