"""Numbers that stand for no number: codes of missing values, told by the gap between them and all others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import number, text_of
from nnspca.datasets.notes import Choice, Note, decision, doubt
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import Table, counted, listed

LOOKED_AT = 2000  # most columns of which each is examined
NINES = tuple(sign * int("9" * digits) for digits in range(1, 6) for sign in (-1, 1))  # −9, 9, −99, 99, …
USUAL = frozenset(  # of instruments, formats and databases; nines with any decimals too
    (-200.0, -32768.0, -32767.0, 32767.0, 65535.0, -2147483648.0, 2147483647.0, 1e20, -1e20, 1e30, -1e30, 1e31, 1e36)
) | {
    sign * (int("9" * d) + e) for d in (2, 3, 4, 5, 6) for sign in (-1.0, 1.0) for e in (0, 0.9, 0.99, 0.25, 0.5, 0.999)
}
MOST_ROWS = 20  # of which a question says the places
GAP = 10.0  # ranges of the others between them and a value that is asked about; a usual one needs a single range


def read_codes(table: Table, reading: Reading) -> Table:
    """Codes for missing values: those given; else −9, 99, −999 … far from a column's other values, others are asked."""
    X = table.numbers
    if reading.missing_codes is not None:
        codes = [value for code in reading.missing_codes if (value := number(str(code), ".")) is not None]
        counts = {code: int(np.count_nonzero(code == X)) for code in codes}
        said = [f"{counted(n, 'value')} {text_of(c)} read as missing, as chosen." for c, n in counts.items() if n]
        if not codes:
            return table
        chosen = (decision(text, "missing_codes") for text in said)
        return replace(table, numbers=np.where(np.isin(X, codes), np.nan, X)).saying(*chosen)
    if X.shape[1] > LOOKED_AT or len(X) < 4:
        return table
    found: dict[int, list[int]] = {}
    X = X.copy()
    for j in range(X.shape[1]):
        for code in sorted(NINES, key=abs, reverse=True):
            if _is_code(X[:, j], code):
                found.setdefault(code, []).append(j)
                X[X[:, j] == code, j] = np.nan
    notes: list[Note] = []
    for code, places in found.items():
        count, names = int((table.numbers[:, places] == code).sum()), [table.names[j] for j in places]
        where = f"{counted(count, 'value')} {text_of(code)} in {listed(names)}"
        said_so = f"{where}, far from all others there, read as missing."
        notes.append(decision(said_so, "missing_codes", names, missing_codes=()))
    table = replace(table, numbers=X).saying(*notes) if found else table
    known = tuple(map(float, found))
    return replace(table, doubts=(*table.doubts, *_lonely(table, known)))


def _is_code(values: np.ndarray, code: int) -> bool:
    """Whether a value of 9s stands in a column where the others are far from it."""
    hits = values == code
    count = int(hits.sum())
    if not count or 2 * count > len(values):
        return False
    others = values[~hits & ~np.isnan(values)]
    if others.size < 3:
        return False
    low, high = float(others.min()), float(others.max())
    if low == high or (code < 0 and low < 0) or low <= code <= high:
        return False
    gap = low - code if code < low else code - high
    far = (1 if count > 1 or code < 0 else 3) * (high - low)
    return gap > far and (abs(code) > 9 or code < 0)


def _lonely(table: Table, known: tuple[float, ...]) -> list[Note]:
    """Questions about values that stand alone: repeated, or usual codes, and far from all others of their column."""
    X = table.numbers
    found: dict[float, list[int]] = {}
    with np.errstate(invalid="ignore"):
        for ends in (np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)):
            hits = ends == X
            others = np.where(hits, np.nan, X)
            low, high = np.fmin.reduce(others, axis=0), np.fmax.reduce(others, axis=0)
            counts, left = hits.sum(axis=0), (~np.isnan(others)).sum(axis=0)
            gap, width = np.fmax(low - ends, ends - high), high - low
            usual = np.isin(ends, list(USUAL))
            far = np.where(usual, gap > width, (gap > GAP * width) & (counts > 1) & (ends != 0))
            for j in np.flatnonzero(far & (left >= 3) & (width > 0) & (2 * counts <= len(X))).tolist():
                found.setdefault(float(ends[j]), []).append(j)
    doubts = []
    for value, places in found.items():
        where = np.asarray(value == X)
        able = np.flatnonzero(where.any(axis=0)).tolist()
        places = [j for j in able if j in places or _is_outside(X[:, j], value)]
        count, names = int(where[:, places].sum()), [table.names[j] for j in places]
        stand = "stands" if count == 1 else "stand"
        which = f"{counted(count, 'value')} {value:g} in {listed(names)}"
        said = f"{which} {stand} far from all others there: missing or real?"
        ways = (
            Choice("real", {"missing_codes": known}),
            Choice("missing", {"missing_codes": (*known, value)}),
        )
        rows = np.flatnonzero(where[:, places].any(axis=1))[:MOST_ROWS].tolist()
        doubts.append(doubt(f"code: {value:g}", said, *ways, about=names, rows=rows))
    return doubts


def _is_outside(values: np.ndarray, value: float) -> bool:
    """Whether all other values of a column lie on one side of a value."""
    others = values[(values != value) & ~np.isnan(values)]
    return others.size > 2 and (value < others.min() or value > others.max())
