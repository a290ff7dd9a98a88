"""Numbers that stand for no number: codes of missing values, told by the gap between them and all others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import number, text_of
from nnspca.datasets.columns import Table
from nnspca.datasets.notes import Choice
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import counted, listed

LOOKED_AT = 2000  # most columns of which each is examined
NINES = [sign * int("9" * digits) for digits in range(1, 6) for sign in (-1.0, 1.0)]  # −9, 9, −99, 99, …
ENDS = [sign * 2.0**bits - (sign > 0) for bits in (15, 31) for sign in (-1.0, 1.0)]  # of whole numbers of so many bits
USUAL = [*ENDS, 1.0 - 2.0**15, 2.0**16 - 1.0, -200.0, 1e20, -1e20, 1e30, -1e30, 1e31, 1e36]
USUAL += [  # of instruments, formats and databases; nines with any decimals too
    sign * (int("9" * d) + e) for d in (2, 3, 4, 5, 6) for sign in (-1.0, 1.0) for e in (0, 0.9, 0.99, 0.25, 0.5, 0.999)
]
MOST_ROWS = 20  # of which a question says the places
GAP = 10.0  # ranges of the others between them and a value that is asked about; a usual one needs a single range


def read_codes(table: Table, reading: Reading) -> Table:
    """Codes for missing values: those given; else −9, 99, −999 … far from a column's other values, others are asked."""
    X = table.numbers
    codes = [value for code in reading.missing_codes or () if (value := number(str(code), ".")) is not None]
    for code in codes:
        if count := int(np.count_nonzero(code == X)):
            table = table.saying(
                f"{counted(count, 'value')} {text_of(code)} read as missing, as chosen.", "missing_codes"
            )
    X = np.where(np.isin(X, codes), np.nan, X) if codes else X
    if reading.missing_codes == () or X.shape[1] > LOOKED_AT or len(X) < 4:
        return replace(table, numbers=X)
    found: dict[float, list[int]] = defaultdict(list)
    sure, asked = _alone(X)
    while sure and reading.missing_codes is None:
        X = X.copy()
        for code, places in sure.items():
            found[code] += places
            X[:, places] = np.where(X[:, places] == code, np.nan, X[:, places])
        sure, asked = _alone(X)
    for code in sorted(found, key=abs, reverse=True):
        names = [table.names[j] for j in sorted(found[code])]
        count = int(np.count_nonzero(table.numbers[:, found[code]] == code))
        says = f"{counted(count, 'value')} {text_of(code)} in {listed(names)}, far from all others, read as missing."
        table = table.saying(says, "missing_codes", names, missing_codes=())
    return _asked(replace(table, numbers=X), sure | asked, tuple(found))


def _alone(X: np.ndarray) -> tuple[dict[float, list[int]], dict[float, list[int]]]:
    """Values far from all others of their column, and where: nines that are codes, and others that are asked about."""
    sure: dict[float, list[int]] = defaultdict(list)
    asked: dict[float, list[int]] = defaultdict(list)
    with np.errstate(invalid="ignore"):
        for ends in (np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)):
            hits = ends == X
            others = np.where(hits, np.nan, X)
            low, high = np.fmin.reduce(others, axis=0), np.fmax.reduce(others, axis=0)
            counts, left = hits.sum(axis=0), (~np.isnan(others)).sum(axis=0)
            gap, width = np.fmax(low - ends, ends - high), high - low
            able = (left >= 3) & (width > 0) & (2 * counts <= len(X))
            code = np.isin(ends, NINES) & np.where(ends < 0, low >= 0, ends > 9)
            code &= gap > np.where((counts > 1) | (ends < 0), 1, 3) * width
            far = np.where(np.isin(ends, USUAL), gap > width, (gap > GAP * width) & (counts > 1) & (ends != 0))
            for which, into in ((code, sure), (far & ~code, asked)):
                for j in np.flatnonzero(which & able).tolist():
                    into[float(ends[j])].append(j)
    return sure, asked


def _asked(table: Table, found: Mapping[float, list[int]], known: tuple[float, ...]) -> Table:
    """Ask about values that stand alone."""
    for value, places in found.items():
        where, names = np.asarray(value == table.numbers), [table.names[j] for j in places]
        what = f"{counted(int(where[:, places].sum()), 'value')} {value:g} in {listed(names)}"
        ways = Choice("real"), Choice("missing", {"missing_codes": (*known, value)})
        rows = np.flatnonzero(where[:, places].any(axis=1))[:MOST_ROWS].tolist()
        says = f"{what}, far from all others there: missing or real?"
        table = table.asking(f"code: {value:g}", says, *ways, about=names, rows=rows)
    return table
