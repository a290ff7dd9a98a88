"""What is missing in a table: codes that stand for no number, known by the gap to others; and what becomes of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import nothing, number, text_of
from nnspca.datasets.columns import Table
from nnspca.datasets.dataset import Content
from nnspca.datasets.notes import Choice, decision
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import counted, quoted
from nnspca.errors import DataError, needed

LOOKED_AT = 2000  # most columns of which each is examined
NINES = [sign * int("9" * digits) for digits in range(1, 6) for sign in (-1.0, 1.0)]  # −9, 9, −99, 99, …
ENDS = [sign * 2.0**bits - (sign > 0) for bits in (15, 31) for sign in (-1.0, 1.0)]  # of whole numbers of so many bits
USUAL = [*ENDS, 1.0 - 2.0**15, 2.0**16 - 1.0, -200.0, 1e20, -1e20, 1e30, -1e30, 1e31, 1e36]
USUAL += [  # of instruments, formats and databases; nines with any decimals too
    sign * (int("9" * d) + e) for d in (2, 3, 4, 5, 6) for sign in (-1.0, 1.0) for e in (0, 0.9, 0.99, 0.25, 0.5, 0.999)
]
MOST_ROWS = 20  # of which a question says the places
GAP = 10.0  # ranges of the others between them and a value that is asked about; a usual one needs a single range


class MissingValues(DataError):
    """Values are missing, and the call does not say how to handle them.

    Attributes
    ----------
    found : str
        What is missing and where, without what a program can do about it.
    count : int
        How many values are missing.
    rows, features : int
        In how many samples, and in how many features.
    shape : (int, int)
        All samples and features.

    Examples
    --------
    >>> import nnspca
    >>> try:
    ...     nnspca.datasets.read(b"a,b\\n1,2\\n3,\\n5,6\\n", "table.csv")
    ... except nnspca.datasets.MissingValues as error:
    ...     print(error.count, "of", error.shape)
    1 of (3, 2)
    """

    def __init__(self, found: str, count: int, rows: int, features: int, shape: tuple[int, int]):
        super().__init__(
            f"{found} Fill them in or remove those rows or columns; or missing= does it: 'drop rows', 'drop features', "
            "'mean' or 'last'."
        )
        self.found, self.count, self.rows, self.features, self.shape = found, count, rows, features, shape


def fill_or_drop(content: Content, reading: Reading) -> Content:
    """Fill in missing values or leave them out, as chosen; MissingValues where nothing was."""
    X, choice = content.X, reading.missing
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        return content
    missing = np.asarray(np.isnan(X))
    if not missing.any():
        return content
    if missing.all():
        raise nothing(X.shape)
    count = int(missing.sum())
    rows, features = (~np.asarray(missing.any(axis=axis)) for axis in (1, 0))
    if choice == "refuse":
        i, j = (int(at) for at in np.unravel_index(missing.argmax(), X.shape))
        gone, what = int((~rows).sum()), "samples" if reading.samples == "columns" else "rows"
        found = (
            f"{count:,} {'value is' if count == 1 else 'values are'} missing in {gone:,} of {len(X):,} {what} "
            f"(first at row {i + 1:,}, in {content.feature_names[j][:60]!r})."
        )
        found = " ".join([found, *(str(note) for note in content.notes if note.topic in ("missing", "missing_codes"))])
        raise MissingValues(found, count, gone, int((~features).sum()), X.shape)
    said = f"{count:,} missing value{'' if count == 1 else 's'}"
    if choice in ("mean", "last"):
        if (empty := np.asarray(missing.all(axis=0))).any():
            bare = [content.feature_names[j] for j in np.flatnonzero(empty)]
            raise DataError(f"without any value, so no {choice} either: {quoted(bare)}. Leave these columns out.")
        if choice == "mean":
            X, said = np.where(missing, np.nanmean(X, axis=0), X), f"{said}: filled with the mean of the feature."
        else:
            X = needed("pandas", "tables").DataFrame(X).ffill().bfill().to_numpy()
            said += ": filled with the value before, at the beginning with the first."
        return replace(content, X=X, notes=(*content.notes, decision(said, "missing")))
    by_rows = choice == "drop rows"
    retained, what = (rows, "samples") if by_rows else (features, "features")
    gone, left = int((~retained).sum()), int(retained.sum())
    if left < (2 if by_rows else 1):
        raise DataError(
            f"{said} in {gone:,} of {len(retained):,} {what}: without these {what}, {left} would be left. Choose "
            "another way to deal with missing values."
        )
    said += f": left out the {gone:,} of {len(retained):,} {what} that {'has' if gone == 1 else 'have'} one."
    places, notes = np.flatnonzero(retained), (*content.notes, decision(said, "missing"))
    if not by_rows:
        return content.of_features(places, notes=notes)
    return replace(content.of_rows(places), notes=notes)


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
        says = f"{counted(count, 'value')} {text_of(code)} in {quoted(names)}, far from all others, read as missing."
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
        what = f"{counted(int(where[:, places].sum()), 'value')} {value:g} in {quoted(names)}"
        ways = Choice("real"), Choice("missing", {"missing_codes": (*known, value)})
        rows = np.flatnonzero(where[:, places].any(axis=1))[:MOST_ROWS].tolist()
        says = f"{what}, far from all others there: missing or real?"
        table = table.asking(f"code: {value:g}", says, *ways, about=names, rows=rows)
    return table
