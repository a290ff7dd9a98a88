"""Tells rows that are no samples: those chosen, remarks below the table, totals and means by name and by sum."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np

from nnspca.datasets.notes import Choice, decision, doubt
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import Table, counted, listed

TOTALS = re.compile(
    r"(grand |sub)?-?totals?|sums?|averages?|means?|avg\.?|overall|gesamt|summe|mittelwert|durchschnitt|moyenne|somme|"
    r"media|promedio|suma|totale",
    re.IGNORECASE,
)
AMONG_TOTALS = re.compile(r"\b(sub|grand)?-?(totals?|gesamt|insgesamt|summe|totaux|totale|average)\b", re.IGNORECASE)
MOST_ROWS, LOOKED_AT = 2000, 200  # rows and columns of a table in which sums are sought
BESIDE_TOTALS = re.compile(
    r"medians?|std\.?( ?dev\.?)?|s\.?d\.?|st(andard )?dev(iation)?|min(imum)?|max(imum)?|counts?|n", re.IGNORECASE
)


def without_ends(table: Table, reading: Reading) -> Table:
    """Leave out rows that were chosen, remarks below the table, and rows of totals and averages, by name."""
    if reading.n_rows is not None:
        table = table.of_rows(np.arange(len(table.numbers)) < reading.n_rows)
    bare = np.isnan(table.numbers).all(axis=1)
    width = table.numbers.shape[1] + len(table.texts)
    kept = np.ones(len(bare), bool)
    if width > 1:
        for i in range(len(bare) - 1, 0, -1):  # words alone among numbers are missing values by now
            said = [text.values[i] for text in table.texts if text.values[i]]
            if not bare[i] or len(said) > 1 or (said and (width < 3 or not re.search(r"^[!#*†‡§]|[\s:]", said[0]))):
                break
            kept[i] = False
        if not kept.all() and kept.sum() > 1:
            first_said = "".join(text.values[int(kept.argmin())] for text in table.texts)
            said_so = f": {first_said[:60]!r}" if first_said else ""
            said_all = f"{counted(int((~kept).sum()), 'line')} below the table left out{said_so}."
            table = table.of_rows(kept).saying(decision(said_all))
    first = [
        next((text.values[i] for text in table.texts[:2] if text.values[i]), "") for i in range(len(table.numbers))
    ]
    if reading.skip_rows is not None:
        gone = set(reading.skip_rows)
        return table.of_rows(np.array([name not in gone and i not in gone for i, name in enumerate(first)], bool))
    return _asked_sums(_without_totals(table, first), first)


def _without_totals(table: Table, first: list[str]) -> Table:
    """Leave out rows called total, sum, mean and the like, and what stands beside them."""
    if not table.texts or min(Counter(first).values()) > 1:
        return table  # every word repeats: classes, such as media and cells
    kept = np.array([not TOTALS.fullmatch(word.strip(" :")) for word in first], bool)
    if kept.all() or kept.sum() < 2:
        return table
    for i in np.flatnonzero(~kept).tolist():  # standard deviations and the like stand with them
        for j in (i + 1, i - 1):
            while 0 <= j < len(kept) and kept[j] and BESIDE_TOTALS.fullmatch(first[j].strip(" :")):
                kept[j] = False
                j += 1 if j > i else -1
    names = [first[i] for i in np.flatnonzero(~kept)]
    said_all = f"{counted(len(names), 'row')} of totals left out: {listed(names)}."
    return replace(table.saying(decision(said_all, "skip_rows", skip_rows=())), gone=(*names,)).of_rows(kept)


def _asked_sums(table: Table, first: list[str]) -> Table:
    """Ask about rows whose names hold the word total, and those that are the sum or mean of others."""
    if table.gone:
        first = [word for word in first if word not in table.gone]
    named = [i for i, word in enumerate(first) if AMONG_TOTALS.search(word) and Counter(first)[word] == 1]
    sums = _sums(table.numbers)
    rows = sorted({*sums, *(named if len(named) < len(first) / 2 else ())})
    if not rows or len(rows) > len(first) / 2:
        return table
    called = [first[i] or f"row {i + 1}" for i in rows]
    why = "are sums or means of others" if sums else "are called so"
    said = f"{counted(len(rows), 'row')} may be totals and no samples, as they {why}: {listed(called)}."
    unique = all(first[i] and first.count(first[i]) == 1 for i in rows)
    out = (*table.gone, *(first[i] if unique else i for i in rows))
    ways = Choice("samples", {"skip_rows": table.gone}), Choice("not samples", {"skip_rows": out})
    return replace(table, doubts=(*table.doubts, doubt("totals", said, *ways, rows=rows)))


def _sums(X: np.ndarray) -> list[int]:
    """Rows that are the sum of rows before or after them, or the sum or mean of all others, in two columns or more."""
    m, n = X.shape
    if not 4 <= m <= MOST_ROWS or n < 2 or np.isnan(X).any():
        return []
    varied = np.flatnonzero(np.ptp(X, axis=0) > 0)[:LOOKED_AT]
    X = X[:, varied]
    if X.shape[1] < 2:
        return []
    far = 1e-6 * np.abs(X).sum(axis=0) / m + 1e-12
    whole = X.sum(axis=0)

    def close(difference: np.ndarray) -> np.ndarray:
        return np.asarray((np.abs(difference) <= far).all(axis=-1))

    found = set(np.flatnonzero(close(X - (whole - X))).tolist())
    found |= set(np.flatnonzero(close(X - (whole - X) / (m - 1))).tolist()) if m > 4 else set()
    before = np.vstack([np.zeros(X.shape[1]), np.cumsum(X, axis=0)])
    for i in range(m):
        if (X[i] != 0).sum() < 2:
            continue
        above = before[i] - before[: max(0, i - 1)]  # of at least two rows
        below = before[i + 3 :] - before[i + 1]
        if (len(above) and close(above - X[i]).any()) or (len(below) and close(below - X[i]).any()):
            found.add(i)
    return sorted(found)
