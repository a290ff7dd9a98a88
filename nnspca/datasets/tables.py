"""Turns a table of cells into numbers, names of features and samples, and a class; says each decision in a note."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from decimal import Decimal
from typing import Any

import numpy as np

from nnspca.datasets.cells import (
    ABSENT,
    CLASS_NAMES,
    LIMIT,
    TRUTHS,
    Grid,
    ReadingOptions,
    decimal_sign,
    is_number,
    nothing,
    number,
    text_of,
)
from nnspca.datasets.dataset import Content, distinct
from nnspca.errors import DataError, needed
from nnspca.numerics.doubles import EXACT, as_doubles

FEW_KINDS = 20  # most distinct whole numbers in a column that may be meant as the class
LOOKED_AT = 2000  # most columns of which each is examined for codes, classes and names
MANY = 5000  # distinct cells of which only some are looked at to know words from numbers
CODES = tuple(sign * int("9" * digits) for digits in range(1, 6) for sign in (-1, 1))  # −9, 9, −99, 99, …
SYMMETRY_TOLERANCE = 1e-8
BESIDE_NUMBER = re.compile(r"(\S+)\s+([^\W\d]\S{0,7}|°\S)")  # 12 kg, or 12.3 b
UNIT = re.compile(
    r"([kcmµunhMG]?(g|m|l|L|s|V|W|J|Pa|Hz|N|mol|eV|B|bp|Wh|cal|bar)|mA|t|h|hrs?|min|days?|weeks?|months?|years?|yrs?|"
    r"pp[mb]|dB|lbs?|oz|ft|in|mi|mph|IU|rpm|ha|mmHg|°[CF])[23²³]?(/[a-zA-Zµ]{1,4}[23²³]?)?"
)
PAIRWISE = re.compile(r"(pearson|spearman|kendall|korrelation|corr[eé]lation)", re.IGNORECASE)  # beside them: Sig., N
WHOLE = re.compile(r"[+\-−]?\d+")

TOTALS = re.compile(
    r"(grand |sub)?-?totals?|sums?|averages?|means?|avg\.?|overall|gesamt|summe|mittelwert|durchschnitt|moyenne|somme|"
    r"media|promedio|suma|totale",
    re.IGNORECASE,
)
BESIDE_TOTALS = re.compile(
    r"medians?|std\.?( ?dev\.?)?|s\.?d\.?|st(andard )?dev(iation)?|min(imum)?|max(imum)?|counts?|n", re.IGNORECASE
)
OF_FEATURES = re.compile(
    r"(ensembl_?)?(gene|transcript|protein|probe|feature|otu|probeset)s?[ _.]?(id|name|symbol)?|(hugo[ _])?symbol|"
    r"id_ref|accession|tax(on|a)|cpg|metabolites?",
    re.IGNORECASE,
)
ABOUT_FEATURES = re.compile(r"chr(om(osome)?)?|pos(ition)?|start|end|strand|length|taxid|description", re.IGNORECASE)
LIKE_PROBES = re.compile(r"ENS[A-Z]*[GTP]\d{6,}.*|\w+_at|ILMN_\d+|cg\d{8}|[NX][MRP]_\d+.*|LOC\d+", re.IGNORECASE)
LIKE_GENES = re.compile(r"[A-Z][A-Z0-9]*\d[A-Z0-9]*(-[A-Z0-9]+)?|[A-Z]{3,7}")
LIKE_SAMPLES = re.compile(
    r"GSM\d+.*|TCGA-.*|SRR\d+|[ACGT]{8,}(-\d+)?|(.*[\W_])?(sample|patient|subject|ctrl|control|treated|untreated|case|cell|"
    r"donor|rep|wt|ko|tumou?r|normal|all|aml|mouse|batch|run)s?[\W_]?\d*([\W_].*)?|[A-Za-z]{1,3}\d{1,4}",
    re.IGNORECASE,
)
OF_COVARIANCE = re.compile(r"(cov|cor|corr|r|covariance|correlation)[._ ]", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of text, "" where nothing stands; ``levels`` are its values where the format declares them."""

    name: str
    values: list[str]
    levels: tuple[str, ...] = ()
    place: int = 0

    @property
    def called(self) -> str:
        """How a sentence begins that is about this column."""
        return f"Column {self.name!r:.60}" if self.name else "The first column, which has no name,"

    @property
    def identifies(self) -> bool:
        """Whether each row has a text of its own."""
        return (
            len(self.values) > 1 and len(set(self.values)) == len(self.values) and self.name.lower() not in CLASS_NAMES
        )


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of numbers, NaN where one is missing, and those of text."""

    numbers: np.ndarray
    names: list[str]
    texts: list[Texts]

    def without(self, j: int) -> Table:
        """The same without one column of numbers."""
        names = [name for i, name in enumerate(self.names) if i != j]
        return replace(self, numbers=np.delete(self.numbers, j, axis=1), names=names)

    def of_rows(self, kept: np.ndarray) -> Table:
        """The same with some rows."""
        where = np.flatnonzero(kept)
        texts = [replace(text, values=[text.values[i] for i in where]) for text in self.texts]
        return replace(self, numbers=self.numbers[kept], texts=texts)


def encode_labels(values: Sequence[str], levels: Sequence[str] = ()) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the classes: declared ones first, then in order of appearance; -1 for a missing one."""
    names = tuple(dict.fromkeys([*levels, *(v for v in values if v.lower() not in ABSENT)]))
    index = {name: i for i, name in enumerate(names)}
    return np.array([index.get(v, -1) for v in values], dtype=np.int64), names


def arrange(grid: Grid, options: ReadingOptions) -> Content:
    """Turn a table into numbers, a class and names; missing values are NaN."""
    notes = grid.notes
    if unknown := [name for name in options.columns if name not in grid.names]:
        raise DataError(
            f"columns= names {unknown[0]!r:.60}, and no column is called so; there are: {listed(grid.names)}."
        )
    table = _parsed(grid, options, notes)
    table = _unfolded(_without_ends(table, options, notes), options, notes)
    if options.kind != "table" and options.samples != "columns":
        table = _only_correlations(table, notes)
        found = _covariance(table, grid, options, notes)
        if found is not None:
            grid.taken.update({text.name: "name" for text in table.texts})
            return found
    if options.kind != "covariance":
        table = _without_codes(table, options, notes)
    if options.samples == "columns" and options.label:
        raise DataError(f"with samples in columns no column is the class, and {options.label!r:.40} cannot be it.")
    if options.samples == "columns" or (options.samples is None and _features_in_rows(table, options, notes)):
        grid.decided["samples"] = "columns"
        return _turned(table, grid, notes)
    return _with_class(table, grid, options, notes)


# From cells to numbers


def _parsed(grid: Grid, options: ReadingOptions, notes: list[str]) -> Table:
    """Each column as numbers, truth values or text."""
    frame = grid.frame.dropna(how="all")
    gone = len(grid.frame) - len(frame)
    if gone:
        notes.append(f"{_counted(gone, 'row')} without any value left out.")
    texts: list[Texts] = []
    truths: list[str] = []
    written: list[str] = []
    dtypes = frame.dtypes.tolist()
    kinds = ["O" if hasattr(dtype, "categories") else getattr(dtype, "kind", "O") for dtype in dtypes]
    numeric = [j for j, kind in enumerate(kinds) if kind in "iuf"]
    block = frame[numeric].to_numpy(dtype=np.float64, na_value=np.nan)
    columns = dict(zip(numeric, block.T, strict=True))
    words = frozenset(str(code).lower() for code in options.missing_codes or ())
    gone_by_choice = []
    for j, name in enumerate(grid.names):
        role = options.columns.get(name)
        if role == "left out":
            gone_by_choice.append(name)
            columns.pop(j, None)
            continue
        marked = grid.roles.get(name) in ("class", "meta") or (kinds[j] == "b" and name.lower() in CLASS_NAMES)
        marked = role != "feature" and (marked or (role in ("name", "class") and not name))
        if j in columns and not marked:
            if kinds[j] in "iu" and (np.abs(columns[j]) >= EXACT).any() and not _exact(frame[j].dropna()):
                notes.append(_too_long(name))
                texts.append(Texts(name, list(map(str, frame[j].tolist())), place=j))
                del columns[j]
            continue
        column = _Column(name, frame[j], options.decimal, grid.decimal, words)
        if column.is_empty and role in (None, "feature"):
            columns[j] = np.full(len(frame), np.nan)
        elif role != "feature" and (marked or column.is_too_long or (column.is_text and not column.is_truth)):
            if column.is_too_long and not marked:
                notes.append(_too_long(name))
            texts.append(Texts(name, column.texts(), column.levels, place=j))
            columns.pop(j, None)
        else:
            columns[j] = column.numbers
            if column.is_truth:
                truths.append(name)
                continue
            if column.percents:
                notes.append(f"Column {name!r:.60} holds numbers with a per cent sign and without: {column.percents}.")
            elif column.decorated and not column.beside:
                written.append(name)
            if column.beside:
                notes.append(f"Column {name!r:.60} holds {column.beside} behind its numbers, which is not read.")
            if odd := column.odd:
                most = ", ".join(f"{count:,} × {word[:30]!r}" for word, count in odd.most_common(4))
                most += f" and {len(odd) - 4:,} more" if len(odd) > 4 else ""
                notes.append(f"Column {name!r:.60} holds {most}, which is no number: read as missing.")
    if gone_by_choice:
        notes.append(f"{_counted(len(gone_by_choice), 'column')} left out, as chosen: {listed(gone_by_choice)}.")
    bare = {j for j, values in columns.items() if np.isnan(values).all()}
    empty = [grid.names[j] for j in columns if j in bare]
    columns = {j: columns[j] for j in sorted(columns) if j not in bare}
    names = [grid.names[j] for j in columns]
    if not columns and empty and not texts:
        raise nothing((len(grid.frame), len(empty)))
    if not columns:
        raise DataError(
            f"no column of numbers among the {len(grid.names):,} found: give numbers without their units, or another "
            "delimiter=, sheet= or header=."
        )
    if empty and (named := [name for name in empty if name and not re.fullmatch(r"column \d+|Unnamed: \d+", name)]):
        notes.append(f"{_counted(len(named), 'empty column')} left out: {listed(named)}.")
    if truths:
        notes.append(f"True and false are read as 1 and 0, in {len(truths)} column(s): {listed(truths)}.")
    if written:
        notes.append(
            f"Signs of currency, per cent and thousands are not read in {len(written)} column(s): {listed(written)}; "
            "so are stars, and a number in parentheses is negative."
        )
    whole = len(columns) == block.shape[1] == len(numeric) and not texts and list(columns) == numeric
    return Table(block if whole else np.column_stack(list(columns.values())), names, texts)


class _Column:
    """The cells of one column, each distinct one looked at once."""

    def __init__(self, name: str, series: Any, decimal: str | None, usual: str, words: frozenset[str]):
        pandas = needed("pandas", "tables")
        self.name = name
        self.levels: tuple[str, ...] = ()
        if hasattr(series.dtype, "categories") and series.dtype.categories.dtype.kind not in "biuf":
            self.levels = tuple(map(str, series.dtype.categories))
        try:
            self.codes, self.cells = pandas.factorize(series.astype(object))
        except TypeError:
            raise _unreadable(name, next(value for value in series if value is not None)) from None
        self.cells = [_plain(cell, name) for cell in self.cells]
        words_only = len(self.cells) > MANY and not any(map(is_number, map(str, self.cells[:: len(self.cells) // 999])))
        strings = [] if words_only else [cell for cell in self.cells if isinstance(cell, str)]
        sign = decimal or decimal_sign(strings) or usual
        self.counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.cells))
        self.absent = [
            isinstance(cell, str) and (cell.lower() in ABSENT or cell.lower() in words) for cell in self.cells
        ]
        self.values: list[float | None] = [None] * len(self.cells)
        self.percents = self.beside = ""
        if not words_only:
            self.values = [cell if isinstance(cell, float) else number(cell, sign) for cell in self.cells]
            self.percents, self.beside = self._mixed_percents(), self._without_words(sign)

    def _count(self, cells: Sequence[object]) -> int:
        return int(sum(count for count, one in zip(self.counts, cells, strict=True) if one))

    def _mixed_percents(self) -> str:
        """What is done where some numbers have a per cent sign and others none; empty where that is not so."""
        signed = [isinstance(cell, str) and cell.endswith("%") for cell in self.cells]
        pairs = list(zip(self.values, signed, strict=True))
        plain = [abs(value) for value, has in pairs if value and not has]
        if not plain or not any(signed):
            return ""
        if max(plain) > 1:
            return "read as if all had one"
        self.values = [value / 100 if has and value is not None else value for value, has in pairs]
        return "1 % is read as 0.01, as the others lie within ±1"

    def _without_words(self, sign: str) -> str:
        """What follows a number after a blank, and is left out: one unit, or flags of one letter; empty for none."""
        pairs = [(i, BESIDE_NUMBER.fullmatch(c)) for i, c in enumerate(self.cells) if isinstance(c, str)]
        found = {i: match for i, match in pairs if match and number(match[1], sign) is not None}
        words = {match[2] for match in found.values()}
        plain = sum(value is not None for value in self.values)
        one_unit = len(words) == 1 and UNIT.fullmatch(min(words)) is not None
        if not words or not (
            one_unit or (plain >= len(found) and all(len(word) == 1 and word not in "kKMGTh" for word in words))
        ):
            return ""
        for i, match in found.items():
            self.values[i] = number(match[1], sign)
        return ", ".join(map(repr, sorted(words)[:4]))

    @property
    def is_too_long(self) -> bool:
        """Whether a whole number has more digits than doubles keep."""
        long = [cell for cell in self.cells if isinstance(cell, str) and len(cell) > 15 and WHOLE.fullmatch(cell)]
        return any(int(cell.replace("−", "-")) != float(cell.replace("−", "-")) for cell in long)

    @property
    def is_empty(self) -> bool:
        return all(self.absent)

    @property
    def is_truth(self) -> bool:
        given = [cell for cell, gone in zip(self.cells, self.absent, strict=True) if not gone]
        return self.name.lower() not in CLASS_NAMES and all(isinstance(c, str) and c.lower() in TRUTHS for c in given)

    @property
    def is_text(self) -> bool:
        """Whether fewer than half of the cells are numbers, or say that one lies beyond a limit."""
        if self.levels:
            return True
        beyond = [isinstance(cell, str) and self._limit(cell) for cell in self.cells]
        able = [value is not None or over for value, over in zip(self.values, beyond, strict=True)]
        given = self._count([not gone for gone in self.absent])
        few = self.name.lower() in CLASS_NAMES and self._count(able) < given
        return few or 2 * self._count(able) < given or not any(value is not None for value in self.values)

    def _limit(self, cell: str) -> bool:
        beyond = LIMIT.fullmatch(cell)
        return beyond is not None and any(number(beyond[1], sign) is not None for sign in ".,")

    @property
    def numbers(self) -> np.ndarray:
        if self.is_truth:
            values = [TRUTHS.get(str(cell).lower(), np.nan) for cell in self.cells]
        else:
            pairs = zip(self.values, self.absent, strict=True)
            values = [np.nan if value is None or gone else value for value, gone in pairs]
        return np.array([*values, np.nan])[self.codes]

    @property
    def odd(self) -> Counter[str]:
        """The words among its numbers, and how often each stands there."""
        triples = zip(self.cells, self.values, self.absent, self.counts, strict=True)
        return Counter({str(cell): int(count) for cell, value, gone, count in triples if value is None and not gone})

    @property
    def decorated(self) -> bool:
        """Whether numbers are written with signs that were left out: a digit or two fewer would be left of them."""
        given = zip(self.cells, self.values, strict=True)
        plain = re.compile(r"[+\-−]?\d*[.,]?\d*([eEdD][+\-]?\d+)?")
        return any(
            isinstance(c, str) and v is not None and (not plain.fullmatch(c) or _grouped(c, v)) for c, v in given
        )

    def texts(self) -> list[str]:
        words = [str(cell) if isinstance(cell, str) else text_of(cell) for cell in self.cells]
        return np.array([*words, ""], dtype=object)[self.codes].tolist()


def _too_long(name: str) -> str:
    return f"Column {name!r:.60} holds whole numbers of more digits than numbers keep: read as text."


def _exact(whole: Any) -> bool:
    """Whether doubles equal all these whole numbers."""
    try:
        as_doubles(whole.to_numpy(dtype=whole.dtype.name.lower()))
    except DataError:
        return False
    return True


def _grouped(cell: str, value: float) -> bool:
    """Whether the one sign in a number parts thousands."""
    return re.fullmatch(r"[+\-−]?\d+[.,]\d{3}", cell) is not None and abs(value) >= 1000 > abs(
        float(re.sub("[.,].*|−", "", cell) or 0)
    )


def _plain(cell: Any, name: str) -> float | str:
    """A cell as a float or a text."""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell))
    if isinstance(cell, int | float | np.integer | np.floating | Decimal):
        return float(cell)
    if isinstance(cell, date | time):
        return cell.isoformat().removesuffix("T00:00:00")
    raise _unreadable(name, cell)


def _unreadable(name: str, cell: object) -> DataError:
    held = "lists" if isinstance(cell, list | tuple | np.ndarray) else type(cell).__name__
    return DataError(
        f"column {name!r:.60} holds {held}; numbers, truth values and text are read. Leave the column out."
    )


# What is no sample


def _without_ends(table: Table, options: ReadingOptions, notes: list[str]) -> Table:
    """Leave out remarks below the table, and rows of totals and averages, by name."""
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
            notes.append(f"{_counted(int((~kept).sum()), 'line')} below the table left out{said_so}.")
            table = table.of_rows(kept)
    if options.keep_totals or not table.texts:
        return table
    first = [
        next((text.values[i] for text in table.texts[:2] if text.values[i]), "") for i in range(len(table.numbers))
    ]
    if min(Counter(first).values()) > 1:
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
    notes.append(f"{_counted(len(names), 'row')} of totals left out: {listed(names)}; keep_totals=True keeps them.")
    return table.of_rows(kept)


def _unfolded(table: Table, options: ReadingOptions, notes: list[str]) -> Table:
    """A long table, one number a row for each pair of two texts, as rows and columns."""
    chosen = options.samples is not None or options.label is not None or "left out" in options.columns.values()
    if chosen or len(table.names) != 1 or len(table.texts) != 2:
        return table
    first, second = table.texts
    rows, columns = (list(dict.fromkeys(text.values)) for text in table.texts)
    pairs = list(zip(first.values, second.values, strict=True))
    if min(len(rows), len(columns)) < 2 or not len(set(pairs)) == len(pairs) == len(rows) * len(columns):
        return table
    numbers = dict(zip(pairs, table.numbers[:, 0].tolist(), strict=True))
    notes.append(
        f"Each row holds one number, {table.names[0]!r:.40}, for a {first.name!r:.40} and a {second.name!r:.40}: read "
        f"as {len(rows):,} samples of {len(columns):,} features; samples='rows' keeps the rows."
    )
    return Table(
        np.array([[numbers[row, column] for column in columns] for row in rows]), columns, [replace(first, values=rows)]
    )


def _without_codes(table: Table, options: ReadingOptions, notes: list[str]) -> Table:
    """Codes for missing values: those given, else −9, 99, −999 … far from a column's other values."""
    X = table.numbers
    if options.missing_codes is not None:
        codes = [value for code in options.missing_codes if (value := number(str(code), ".")) is not None]
        counts = {code: int(np.count_nonzero(code == X)) for code in codes}
        notes += [f"{_counted(n, 'value')} {text_of(c)} read as missing, as chosen." for c, n in counts.items() if n]
        return replace(table, numbers=np.where(np.isin(X, codes), np.nan, X))
    if X.shape[1] > LOOKED_AT or len(X) < 4:
        return table
    found: dict[int, list[int]] = {}
    X = X.copy()
    for j in range(X.shape[1]):
        for code in sorted(CODES, key=abs, reverse=True):
            if _is_code(X[:, j], code):
                found.setdefault(code, []).append(j)
                X[X[:, j] == code, j] = np.nan
    for code, places in found.items():
        count = int((table.numbers[:, places] == code).sum())
        notes.append(
            f"{_counted(count, 'value')} {code} in {listed([table.names[j] for j in places])}, far from all others "
            "there, read as missing: missing_codes=() keeps such numbers, missing_codes=[…] names the codes."
        )
    return replace(table, numbers=X)


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


# Covariances


def objection(A: object) -> str | None:
    """Return the entry that no covariance can have; None if there is none, "" if A is not square and symmetric."""
    if not isinstance(A, np.ndarray) or A.shape[0] != A.shape[1] or not np.any(A):
        return ""
    scale, diagonal = np.abs(A).max(), np.diag(A)
    if not np.abs(A - A.T).max() <= SYMMETRY_TOLERANCE * scale:
        return ""
    if diagonal.min() < 0:
        return f"the number in row {int(np.argmin(diagonal)) + 1:,} of its diagonal is negative"
    spread = np.sqrt(diagonal / scale)
    sizes, most = np.abs(A) / scale, np.outer(spread, spread)
    if np.all(sizes <= most + SYMMETRY_TOLERANCE):
        return None
    i, j = np.unravel_index(np.argmax(sizes - most), A.shape)
    return f"the number in row {i + 1:,}, column {j + 1:,} is larger than its diagonal allows"


def _only_correlations(table: Table, notes: list[str]) -> Table:
    """SPSS writes significances and numbers of cases below each correlation."""
    for text in table.texts:
        kept = np.array([bool(PAIRWISE.match(value)) for value in text.values])
        if kept.sum() == len(table.names) < len(kept):
            notes.append(
                f"{_counted(int((~kept).sum()), 'row')} beside the correlations left out, as {text.name!r} says."
            )
            return replace(table, texts=[other for other in table.texts if other is not text]).of_rows(kept)
    return table


def _covariance(table: Table, grid: Grid, options: ReadingOptions, notes: list[str]) -> Content | None:
    """A covariance with the names of its features: whole, a triangle, or a part of the table; None if there is none."""
    A, names = table.numbers, table.names
    rows = next((text.values for text in table.texts if text.identifies), [])
    if len(table.texts) > 1 or (table.texts and not rows):
        return None
    named, said, used = False, [], names
    if rows:
        bare = [OF_COVARIANCE.sub("", name, count=1) for name in names]
        known = names if set(rows) <= set(names) else bare
        if set(rows) <= set(known) and len(set(known)) == len(known):
            order = [known.index(row) for row in rows]
            if order != list(range(len(names))):
                others = [name for name, plain in zip(names, known, strict=True) if plain not in rows]
                if others:
                    said.append(f"Beside the matrix, {_counted(len(others), 'column')} left out: {listed(others)}.")
                if sorted(order) != order:
                    said.append("Its columns were put in the order of its rows, which have the same names.")
            A, names, named, used = A[:, order], rows, True, [names[i] for i in order]
        elif (len(rows) == len(names) + 1 and set(names) < set(rows)) or rows[:-1] == names[1:]:
            every = rows if set(names) < set(rows) else [names[0], *rows]  # a triangle without its diagonal
            whole = np.full((len(every),) * 2, np.nan)
            whole[np.ix_([every.index(row) for row in rows], [every.index(name) for name in names])] = A
            A, names, named = whole, every, True
        elif options.kind is None:
            return None
    if A.shape[0] != A.shape[1] or len(A) < 2:
        return None
    full, side = _mirrored(A, named or options.kind == "covariance")
    if full is None or objection(full) is not None:
        return None
    notes += [*said, side] if side else said
    grid.taken.update(dict.fromkeys(used, "feature"))
    return Content(X=full, feature_names=tuple(names), notes=tuple(notes))


def _mirrored(A: np.ndarray, told: bool) -> tuple[np.ndarray | None, str]:
    """A triangle as the whole matrix, and a sentence about it; None if it is neither whole nor a triangle."""
    n = len(A)
    off = ~np.eye(n, dtype=bool)
    gone = np.isnan(A)
    lower, upper = np.tril(off), np.triu(off)
    diagonal = ""
    if n > 2 and gone.diagonal().all() and not gone[off].all() and np.nanmax(np.abs(A)) <= 1:
        A, gone = A.copy(), gone.copy()
        np.fill_diagonal(A, 1.0)
        np.fill_diagonal(gone, False)
        diagonal = " Its diagonal is empty and all other numbers lie within ±1: read as correlations, with ones there."
    if not gone.any():
        blank_upper, blank_lower = not A[upper].any(), not A[lower].any()
        if not (told and n > 2 and blank_upper != blank_lower and A.diagonal().all()):
            return A, diagonal.strip()
    else:
        blank_upper, blank_lower = bool(gone[upper].all()), bool(gone[lower].all())
        filled = lower if blank_upper else upper
        if blank_upper == blank_lower or gone[filled].any() or gone.diagonal().any():
            return None, ""
    filled = lower if blank_upper else upper
    whole = np.where(filled | filled.T, 0.0, A)
    whole = whole + np.where(filled, A, 0.0) + np.where(filled, A, 0.0).T
    side = "lower" if blank_upper else "upper"
    return whole, f"Only the {side} triangle of a covariance is filled: the other is its mirror image.{diagonal}"


# Samples in columns


def _features_in_rows(table: Table, options: ReadingOptions, notes: list[str]) -> bool:
    """Guess whether the rows are features, as genes are, from names, counts and shapes."""
    if options.label or options.sample_names or len(table.names) < 2:
        return False
    m, n = table.numbers.shape
    head, rows = _row_names(table)
    if not rows:
        return False
    some = rows[:500]
    reasons = []
    if OF_FEATURES.fullmatch(head.strip("# ")):
        reasons += [f"their names stand under {head!r:.40}"] * 2
    if sum(bool(LIKE_PROBES.fullmatch(name)) for name in some) >= 0.6 * len(some):
        reasons += [f"they are named like probes or genes ({some[0]!r:.30})"] * 2
    elif len(some) >= 20 and sum(bool(LIKE_GENES.fullmatch(name)) for name in some) >= 0.6 * len(some):
        reasons.append(f"they are named like genes ({some[0]!r:.30})")
    names = table.names[:500]
    stems = {name.rstrip("0123456789") for name in names}
    numbered = len(stems) <= len(names) / 2 and not stems & set(names)
    if numbered or sum(bool(LIKE_SAMPLES.fullmatch(name)) for name in names) >= 0.6 * len(names):
        reasons.append(f"the columns are named like samples ({names[0]!r:.30})")
    if m >= 5 * n and m >= 50:
        reasons.append(f"there are {m:,} of them for {n:,} columns")
    if len(reasons) < 3:
        return False
    why = ", ".join(dict.fromkeys(reasons))
    notes.append(
        f"The rows were read as features and the columns as samples: {why}; samples='rows' reads it the other way."
    )
    return True


def _row_names(table: Table) -> tuple[str, list[str]]:
    """The heading and the names of the rows: whole numbers under a heading for features, else the first text."""
    values = table.numbers[:, 0]
    if OF_FEATURES.fullmatch(table.names[0].strip("# ")) and _whole(values) and len(np.unique(values)) == len(values):
        return table.names[0], [text_of(value) for value in values.tolist()]
    if not table.texts:
        return "", []
    first = table.texts[0]
    return first.name, first.values if len(set(first.values)) > len(first.values) / 2 else []


def _turned(table: Table, grid: Grid, notes: list[str]) -> Content:
    """The transpose: rows are features."""
    head, features = _row_names(table)
    texts = [text.name for text in table.texts if text.name != head]
    if features and head in table.names and head not in [text.name for text in table.texts]:
        table = table.without(0)
    elif not features and table.texts:
        features = table.texts[0].values
    elif not features:
        table = _without_counter(table, False, notes)
    about = [j for j, name in enumerate(table.names) if ABOUT_FEATURES.fullmatch(name)]
    if 0 < len(about) < len(table.names) - 1:
        texts += [table.names[j] for j in about]
        for j in reversed(about):
            table = table.without(j)
    if texts:
        notes.append(f"{_counted(len(texts), 'column')} about the features left out: {listed(texts)}.")
    samples = tuple(table.names)
    grid.taken |= {head: "name", **dict.fromkeys(samples, "sample")}
    return Content(
        X=table.numbers.T,
        feature_names=distinct(features),
        notes=tuple(notes),
        sample_names=samples if all(samples) else (),
    )


# Class and names


def _with_class(table: Table, grid: Grid, options: ReadingOptions, notes: list[str]) -> Content:
    """Samples in rows: leave out what counts them, take their names and their class."""
    if options.columns.get(table.names[0]) != "feature":
        table = _without_counter(table, grid.short, notes)
    able = _could_name(table)
    sample_names, table = _names(table, grid, able, options)
    candidates = _could_be_class(table)
    labels, label_names, table = _class(table, grid, options)
    grid.taken.update(dict.fromkeys(table.names, "feature"))
    return Content(
        X=table.numbers,
        feature_names=tuple(name or "column 1" for name in table.names) if grid.named else (),
        labels=labels,
        label_names=label_names,
        notes=tuple(notes),
        class_columns=candidates,
        sample_names=sample_names,
        name_columns=able,
    )


def _without_counter(table: Table, short: bool, notes: list[str]) -> Table:
    """Leave out a nameless first column of row numbers, as data frames write it."""
    if len(table.names) < 2 or table.names[0] not in ("", "Unnamed: 0"):
        return table
    values = table.numbers[:, 0]
    if len(np.unique(values)) < len(values) or not _whole(values):
        if short:
            raise _short_header(len(table.names) + len(table.texts))
        return table
    counts = any(np.array_equal(values, np.arange(start, start + len(values))) for start in (0, 1))
    if short:
        notes.append("The header has one name fewer than there are columns: the first is the names of the rows.")
    elif counts:
        notes.append("The first column has no name and counts the rows: left out.")
    else:
        notes.append("The first column has no name and a whole number of its own in each row: left out.")
    return table.without(0)


def _short_header(width: int) -> DataError:
    return DataError(
        f"the header names {width - 1:,} columns where the rows have {width:,} cells, and the first column does not "
        "name the rows: it holds neither a text nor a whole number of its own in each. Name every column."
    )


def _names(table: Table, grid: Grid, able: tuple[str, ...], options: ReadingOptions) -> tuple[tuple[str, ...], Table]:
    """The names of the samples: the column chosen, else the first text that tells all rows apart."""
    if name := options.sample_names:
        if name not in able:
            raise DataError(
                f"column {name!r:.60} cannot name the samples: each needs a name of its own. These can: "
                f"{listed(able) or 'none'}."
            )
        grid.notes.append(f"Column {name!r:.60} names the samples, as chosen.")
        grid.taken[name] = "name"
        if text := next((text for text in table.texts if text.name == name), None):
            return tuple(text.values), replace(table, texts=[other for other in table.texts if other is not text])
        j = table.names.index(name)
        return tuple(map(text_of, table.numbers[:, j].tolist())), table.without(j)
    texts: list[Texts] = []
    taken: tuple[str, ...] = ()
    for text in table.texts:
        few = {*text.values} - ({""} if text.name.lower() not in CLASS_NAMES else set())
        many = len(text.values) > 2 * FEW_KINDS and len(set(text.values)) > len(text.values) / 2
        each = "a different text in each row" if text.identifies else "as many texts as names have"
        if grid.short and not text.place and not text.identifies:
            raise _short_header(len(grid.names))
        if len(text.values) > 1 and len(few) == 1:
            filled = sum(map(bool, text.values))
            where = "all rows" if filled == len(text.values) else f"{filled:,} of {len(text.values):,} rows, no other"
            grid.notes.append(f"{text.called} has one text in {where}: left out.")
        elif grid.roles.get(text.name) == "class" or text.name == options.label or not (text.identifies or many):
            texts.append(text)
        elif taken or options.sample_names == "":
            grid.notes.append(f"{text.called} has {each}: left out.")
        else:
            grid.notes.append(f"{text.called} has {each}: taken as the names of the rows.")
            grid.taken[text.name] = "name"
            taken = distinct(text.values)
    return taken, replace(table, texts=texts)


def _class(table: Table, grid: Grid, options: ReadingOptions) -> tuple[np.ndarray | None, tuple[str, ...], Table]:
    """The class: the column chosen, else one so marked or called, else the first text that repeats."""
    marked = next((name for name, role in grid.roles.items() if role == "class"), None)
    wanted = marked if options.label is None else options.label
    how = "is the class, as chosen" if options.label is not None else "is the class, as the file says"
    chosen = next((text for text in table.texts if text.name == wanted), None)
    if wanted is None:
        texts = [text for text in table.texts if grid.roles.get(text.name) != "meta"]
        called = [text for text in texts if text.name.lower() in CLASS_NAMES]
        chosen, how = next(iter(called or texts), None), "holds text: read as the class"
        if chosen is None and len(table.names) > 1:
            whole = (
                name
                for name, values in zip(table.names, table.numbers.T, strict=True)
                if name.lower() in CLASS_NAMES and options.columns.get(name) != "feature" and _whole(values)
            )
            whole = (name for name in whole if not is_counted(table.numbers, table.names.index(name)))
            wanted, how = next(whole, None), "holds whole numbers: read as the class"
    others = [text.name for text in table.texts if text is not chosen]
    bare = replace(table, texts=[])
    if chosen is not None:
        grid.notes.append(f"{chosen.called} {how}.")
        grid.taken[chosen.name] = "class"
    if others:
        grid.notes.append(f"{len(others)} column(s) of text left out: {listed(others)}; label= takes one as the class.")
    if chosen is not None:
        return *encode_labels(chosen.values, chosen.levels), bare
    if not wanted:
        return None, (), bare
    if wanted not in table.names:
        known = listed([*(text.name for text in table.texts), *table.names])
        raise DataError(f"no column is called {wanted!r:.60}; there are: {known}. Choose one of these as the class.")
    j = table.names.index(wanted)
    if len(table.names) == 1 or not _whole(table.numbers[:, j]):
        raise DataError(f"column {wanted!r:.60} cannot be the class: it needs texts or whole numbers beside a feature.")
    grid.notes.append(f"Column {wanted!r:.60} {how}.")
    grid.taken[wanted] = "class"
    levels, labels = np.unique(table.numbers[:, j].astype(np.int64), return_inverse=True)
    return labels, tuple(map(str, levels)), bare.without(j)


def is_counted(X: np.ndarray, j: int) -> bool:
    """Whether a column stands between others that are all counts with zeros, as those of words in texts are."""
    between = 0 < j < X.shape[1] - 1 and not X.min(axis=0).any()
    return between and _whole(X) and bool(X.max() > 1)


def _could_be_class(table: Table) -> tuple[str, ...]:
    """The columns that may be meant as the class: text that repeats, and few distinct whole numbers."""
    columns = [text.name for text in table.texts if text.name]
    looked = table.names if 1 < len(table.names) <= LOOKED_AT else []
    for j, name in enumerate(looked):
        values = table.numbers[:, j]
        if _whole(values[:1000]) and _whole(values):
            kinds = len(np.unique(values))
            if 1 < kinds <= FEW_KINDS and kinds < len(values):
                columns.append(name)
    return tuple(dict.fromkeys(columns))


def _could_name(table: Table) -> tuple[str, ...]:
    """The columns that may name the samples: texts, or whole numbers, of which none is there twice."""
    texts = [text.name for text in table.texts if text.name and text.identifies]
    if not 1 < len(table.names) <= LOOKED_AT:
        return tuple(texts)
    columns = zip(table.names, table.numbers.T, strict=True)
    numbers = [name for name, values in columns if name and _whole(values) and len(np.unique(values)) == len(values)]
    return (*texts, *numbers)


def _whole(values: np.ndarray) -> bool:
    return bool(np.all(np.abs(values) < 2**31) and np.all(values == np.round(values)))


def listed(names: Sequence[str]) -> str:
    """Return names in quotation marks, at most five."""
    return ", ".join(repr(name[:40]) for name in names[:5]) + (", …" if len(names) > 5 else "")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
