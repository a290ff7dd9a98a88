"""Tells rows that are no samples: those chosen, remarks below the table, totals and means by name and by sum."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from nnspca.datasets.columns import Table
from nnspca.datasets.notes import Choice
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import counted, quoted
from nnspca.datasets.scales import means

MOST_ROWS, LOOKED_AT = 2000, 200  # rows and columns of a table in which sums are sought
REMARK = re.compile(r"^[!#*†‡§]|[\s:]")


def without_ends(table: Table, reading: Reading) -> Table:
    """Leave out rows that were chosen, remarks below the table, and rows of totals and averages, by name."""
    if reading.n_rows is not None:
        table = table.of_rows(np.arange(len(table.numbers)) < reading.n_rows)
    bare = np.isnan(table.numbers).all(axis=1)
    width = table.numbers.shape[1] + len(table.texts)
    end = len(bare)
    while width > 1 and end > 2 and bare[end - 1]:  # words alone among numbers are missing values by now
        said = [text.values[end - 1] for text in table.texts if text.values[end - 1]]
        if len(said) > 1 or (said and (width < 3 or not REMARK.search(said[0]))):
            break
        end -= 1
    if end < len(bare):
        first_said = "".join(text.values[end] for text in table.texts)
        table = table.of_rows(np.arange(len(bare)) < end)
        table = table.saying(f"{counted(len(bare) - end, 'line')} below the table left out: {first_said[:60]!r}.")
    first = {i: next((text.values[i] for text in table.texts[:2] if text.values[i]), "") for i in range(end)}
    if reading.skip_rows == ():
        return table
    chosen = set(reading.skip_rows or ())
    table, first = _of_rows(table, first, [not {i, name} & chosen for i, name in first.items()])
    return _asked_sums(*_without_totals(table, first))


def _of_rows(table: Table, first: dict[int, str], kept: Sequence[bool]) -> tuple[Table, dict[int, str]]:
    """Some rows, and their first words by their places in the file."""
    return table.of_rows(np.array(kept, bool)), dict(itertools.compress(first.items(), kept))


def _without_totals(table: Table, first: dict[int, str]) -> tuple[Table, dict[int, str]]:
    """Leave out rows called total, sum, mean and the like, and what stands beside them."""
    words = [word.strip(" :") for word in first.values()]
    if not table.texts or min(Counter(words).values()) > 1:
        return table, first  # every word repeats: classes, such as media and cells
    kept = [not means("total", word) for word in words]
    if all(kept) or sum(kept) < 2:
        return table, first
    for i in [i for i, stays in enumerate(kept) if not stays]:  # standard deviations and the like stand with them
        for j in (i + 1, i - 1):
            while 0 <= j < len(kept) and kept[j] and means("beside_total", words[j]):
                kept[j] = False
                j += 1 if j > i else -1
    names = [word for word, stays in zip(words, kept, strict=True) if not stays]
    table = table.saying(
        f"{counted(len(names), 'row')} of totals left out: {quoted(names)}.", "skip_rows", skip_rows=()
    )
    return _of_rows(table, first, kept)


def _asked_sums(table: Table, first: dict[int, str]) -> Table:
    """Ask about rows whose names hold the word total, and those that are the sum or mean of others."""
    count = Counter(first.values())
    named = [i for i, word in enumerate(first.values()) if count[word] == 1 and means("sum_of_rows", word)]
    rows = sorted({*_sums(table.numbers), *(named if len(named) < len(first) / 2 else ())})
    if not rows or len(rows) > len(first) / 2:
        return table
    places, words = list(first), list(first.values())
    called = quoted([words[i] or f"row {places[i] + 1}" for i in rows])
    says = f"{counted(len(rows), 'row')} may be totals and no samples, by name or as sums or means of others: {called}."
    unique = all(words[i] and count[words[i]] == 1 for i in rows)
    out = Choice("not samples", {"skip_rows": tuple(words[i] if unique else places[i] for i in rows)})
    return table.asking("totals", says, Choice("samples"), out, rows=[places[i] for i in rows])


def _sums(X: np.ndarray) -> list[int]:
    """Rows that are the sum of rows before or after them, or the sum or mean of all others, in two columns or more."""
    m = len(X)
    if not 4 <= m <= MOST_ROWS or np.isnan(X).any():
        return []
    X = X[:, np.flatnonzero(np.ptp(X, axis=0) > 0)[:LOOKED_AT]]
    if X.shape[1] < 2:
        return []
    far = 1e-6 * np.abs(X).sum(axis=0) / m + 1e-12
    others = X.sum(axis=0) - X

    def close(difference: np.ndarray) -> np.ndarray:
        return np.asarray((np.abs(difference) <= far).all(axis=-1))

    found = close(X - others) | (close(X - others / (m - 1)) & (m > 4))
    before = np.vstack([np.zeros(X.shape[1]), np.cumsum(X, axis=0)])
    for i in np.flatnonzero((X != 0).sum(axis=1) > 1).tolist():
        above = before[i] - before[: max(0, i - 1)]  # of at least two rows
        below = before[i + 3 :] - before[i + 1]
        found[i] |= close(above - X[i]).any() or close(below - X[i]).any()
    return np.flatnonzero(found).tolist()
