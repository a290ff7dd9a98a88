"""Turns a table of cells into numbers, names of features and samples, and a class; says each decision in a note."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import ABSENT, CLASS_NAMES, number, text_of
from nnspca.datasets.covariances import covariance, only_correlations
from nnspca.datasets.dataset import Content, distinct
from nnspca.datasets.layout import Grid
from nnspca.datasets.notes import Note, decision
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import Table, counted, listed, parse
from nnspca.errors import DataError

FEW_KINDS = 20  # most distinct whole numbers in a column that may be meant as the class
LOOKED_AT = 2000  # most columns of which each is examined for codes, classes and names
CODES = tuple(sign * int("9" * digits) for digits in range(1, 6) for sign in (-1, 1))  # −9, 9, −99, 99, …
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


def encode_labels(values: Sequence[str], levels: Sequence[str] = ()) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the classes: declared ones first, then in order of appearance; -1 for a missing one."""
    names = tuple(dict.fromkeys([*levels, *(v for v in values if v.lower() not in ABSENT)]))
    index = {name: i for i, name in enumerate(names)}
    return np.array([index.get(v, -1) for v in values], dtype=np.int64), names


def arrange(grid: Grid, reading: Reading) -> Content:
    """Turn a table into numbers, a class and names; missing values are NaN."""
    of_file = ("name", "class", "weight", "time")  # other columns may have their names only after reading
    if unknown := [name for name, role in reading.columns.items() if role in of_file and name not in grid.names]:
        raise DataError(
            f"columns= names {unknown[0]!r:.60}, and no column is called so; there are: {listed(grid.names)}."
        )
    table = _unfolded(_without_ends(parse(grid, reading), reading), reading)
    if reading.kind != "table" and reading.samples != "columns":
        table = only_correlations(table)
        found = covariance(table, reading)
        if found is not None:
            return found
    if reading.kind != "covariance":
        table = _without_codes(table, reading)
    if reading.samples == "columns" and reading.label:
        raise DataError(f"with samples in columns no column is the class, and {reading.label!r:.40} cannot be it.")
    if reading.samples == "columns":
        return _turned(table)
    if reading.samples is None and (why := _why_features_are_rows(table, reading)):
        said = f"The rows were read as features and the columns as samples: {why}."
        return _turned(table.saying(decision(said, "samples", samples="rows")))
    return _with_class(table, grid, reading)


# What is no sample


def _without_ends(table: Table, reading: Reading) -> Table:
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
    if not table.texts:
        return table
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
    said_all = f"{counted(len(names), 'row')} of totals left out: {listed(names)}."
    return table.of_rows(kept).saying(decision(said_all, "skip_rows", skip_rows=()))


def _unfolded(table: Table, reading: Reading) -> Table:
    """A long table, one number a row for each pair of two texts, as rows and columns."""
    chosen = reading.samples is not None or reading.label is not None or bool(reading.columns)
    if chosen or len(table.names) != 1 or len(table.texts) != 2:
        return table
    first, second = table.texts
    rows, columns = (list(dict.fromkeys(text.values)) for text in table.texts)
    pairs = list(zip(first.values, second.values, strict=True))
    if min(len(rows), len(columns)) < 2 or not len(set(pairs)) == len(pairs) == len(rows) * len(columns):
        return table
    numbers = dict(zip(pairs, table.numbers[:, 0].tolist(), strict=True))
    said = (
        f"Each row holds one number, {table.names[0]!r:.40}, for a {first.name!r:.40} and a {second.name!r:.40}: read "
        f"as {len(rows):,} samples of {len(columns):,} features."
    )
    return Table(
        (first.name, *columns),
        np.array([[numbers[row, column] for column in columns] for row in rows]),
        np.arange(1, 1 + len(columns)),
        (replace(first, values=rows, place=0),),
        notes=(*table.notes, decision(said, "pivot", pivot=())),
        doubts=table.doubts,
    )


def _without_codes(table: Table, reading: Reading) -> Table:
    """Codes for missing values: those given, else −9, 99, −999 … far from a column's other values."""
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
        for code in sorted(CODES, key=abs, reverse=True):
            if _is_code(X[:, j], code):
                found.setdefault(code, []).append(j)
                X[X[:, j] == code, j] = np.nan
    notes: list[Note] = []
    for code, places in found.items():
        count, names = int((table.numbers[:, places] == code).sum()), [table.names[j] for j in places]
        said_so = f"{counted(count, 'value')} {code} in {listed(names)}, far from all others there, read as missing."
        notes.append(decision(said_so, "missing_codes", names, missing_codes=()))
    return replace(table, numbers=X).saying(*notes) if found else table


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


# Samples in columns


def _why_features_are_rows(table: Table, reading: Reading) -> str:
    """Guess from names, counts and shapes that the rows are features, as genes are; empty where they are samples."""
    if reading.label or reading.sample_names or len(table.names) < 2:
        return ""
    m, n = table.numbers.shape
    head, rows = _row_names(table)
    if not rows:
        return ""
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
    return ", ".join(dict.fromkeys(reasons)) if len(reasons) >= 3 else ""


def _row_names(table: Table) -> tuple[str, list[str]]:
    """The heading and the names of the rows: whole numbers under a heading for features, else the first text."""
    values = table.numbers[:, 0]
    if OF_FEATURES.fullmatch(table.names[0].strip("# ")) and _whole(values) and len(np.unique(values)) == len(values):
        return table.names[0], [text_of(value) for value in values.tolist()]
    if not table.texts:
        return "", []
    first = table.texts[0]
    return first.name, first.values if len(set(first.values)) > len(first.values) / 2 else []


def _turned(table: Table) -> Content:
    """The transpose: rows are features."""
    head, features = _row_names(table)
    of_names = [text for text in table.texts if text.name == head] if features else list(table.texts[:1])
    if not features and of_names:
        features = of_names[0].values
    elif not features:
        table = _without_counter(table, False)
    elif not of_names:  # whole numbers
        table = table.without([0], "name")
    about = [j for j, name in enumerate(table.names) if ABOUT_FEATURES.fullmatch(name)]
    about = about if len(about) < len(table.names) - 1 else []
    names = [text.name for text in table.texts if text not in of_names] + [table.names[j] for j in about]
    if names:
        said = f"{counted(len(names), 'column')} about the features left out: {listed(names)}."
        table = table.saying(decision(said, "columns", names))
    table = table.without_texts(of_names, "name").without(about)
    table = table.without_texts(table.texts)
    samples = tuple(table.names)
    X = np.ascontiguousarray(table.numbers.T)
    X.setflags(write=False)
    return Content(
        X=X,
        feature_names=distinct(features),
        sample_names=samples if all(samples) else (),
        notes=table.notes,
        doubts=table.doubts,
        table=table.columns(X.T).with_feature_role("sample"),
    )


# Class and names


def _with_class(table: Table, grid: Grid, reading: Reading) -> Content:
    """Samples in rows: leave out what counts them, take their names and their class."""
    if reading.columns.get(table.names[0]) != "feature":
        table = _without_counter(table, grid.short)
    able = _could_name(table)
    sample_names, table = _names(table, grid, able, reading)
    candidates = _could_be_class(table)
    labels, label_names, table = _class(table, grid, reading)
    X = np.ascontiguousarray(table.numbers)
    X.setflags(write=False)
    return Content(
        X=X,
        feature_names=tuple(name or "column 1" for name in table.names) if grid.named else (),
        labels=labels,
        label_names=label_names,
        class_columns=candidates,
        sample_names=sample_names,
        name_columns=able,
        notes=table.notes,
        doubts=table.doubts,
        table=table.columns(X),
    )


def _without_counter(table: Table, short: bool) -> Table:
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
        said = "The header has one name fewer than there are columns: the first is the names of the rows."
    elif counts:
        said = "The first column has no name and counts the rows: left out."
    else:
        said = "The first column has no name and a whole number of its own in each row: left out."
    name = table.names[0]
    return table.without([0]).saying(decision(said, "columns", [name], columns={name: "feature"}))


def _short_header(width: int) -> DataError:
    return DataError(
        f"the header names {width - 1:,} columns where the rows have {width:,} cells, and the first column does not "
        "name the rows: it holds neither a text nor a whole number of its own in each. Name every column."
    )


def _names(table: Table, grid: Grid, able: tuple[str, ...], reading: Reading) -> tuple[tuple[str, ...], Table]:
    """The names of the samples: the column chosen, else the first text that tells all rows apart."""
    if name := reading.sample_names:
        if name not in able:
            raise DataError(
                f"column {name!r:.60} cannot name the samples: each needs a name of its own. These can: "
                f"{listed(able) or 'none'}."
            )
        table = table.saying(decision(f"Column {name!r:.60} names the samples, as chosen.", "sample_names", [name]))
        if text := next((text for text in table.texts if text.name == name), None):
            return tuple(text.values), table.without_texts([text], "name")
        j = table.names.index(name)
        return tuple(map(text_of, table.numbers[:, j].tolist())), table.without([j], "name")
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
            table = table.without_texts([text])
            table = table.saying(decision(f"{text.called} has one text in {where}: left out.", "columns", [text.name]))
        elif grid.roles.get(text.name) == "class" or text.name == reading.label or not (text.identifies or many):
            continue
        elif taken or reading.sample_names == "":
            table = table.without_texts([text])
            table = table.saying(decision(f"{text.called} has {each}: left out.", "sample_names", [text.name]))
        else:
            said = f"{text.called} has {each}: taken as the names of the rows."
            table = table.without_texts([text], "name")
            table = table.saying(decision(said, "sample_names", [text.name], sample_names=""))
            taken = distinct(text.values)
    return taken, table


def _class(table: Table, grid: Grid, reading: Reading) -> tuple[np.ndarray | None, tuple[str, ...], Table]:
    """The class: the column chosen, else one so marked or called, else the first text that repeats."""
    marked = next((name for name, role in grid.roles.items() if role == "class"), None)
    wanted = marked if reading.label is None else reading.label
    how = "is the class, as chosen" if reading.label is not None else "is the class, as the file says"
    chosen = next((text for text in table.texts if text.name == wanted), None)
    if wanted is None:
        texts = [text for text in table.texts if grid.roles.get(text.name) != "meta"]
        called = [text for text in texts if text.name.lower() in CLASS_NAMES]
        chosen, how = next(iter(called or texts), None), "holds text: read as the class"
        if chosen is None and len(table.names) > 1:
            whole = (
                name
                for name, values in zip(table.names, table.numbers.T, strict=True)
                if name.lower() in CLASS_NAMES and reading.columns.get(name) != "feature" and _whole(values)
            )
            whole = (name for name in whole if not is_counted(table.numbers, table.names.index(name)))
            wanted, how = next(whole, None), "holds whole numbers: read as the class"
    if chosen is not None:
        table = table.without_texts([chosen], "class")
        table = table.saying(decision(f"{chosen.called} {how}.", "label", [chosen.name], label=""))
    if others := [text.name for text in table.texts]:
        said = f"{counted(len(others), 'column')} of text left out: {listed(others)}."
        table = table.without_texts(table.texts).saying(decision(said, "label", others))
    if chosen is not None:
        return *encode_labels(chosen.values, chosen.levels), table
    if not wanted:
        return None, (), table
    if wanted not in table.names:
        known = listed([*others, *table.names])
        raise DataError(f"no column is called {wanted!r:.60}; there are: {known}. Choose one of these as the class.")
    j = table.names.index(wanted)
    if len(table.names) == 1 or not _whole(table.numbers[:, j]):
        raise DataError(f"column {wanted!r:.60} cannot be the class: it needs texts or whole numbers beside a feature.")
    levels, labels = np.unique(table.numbers[:, j].astype(np.int64), return_inverse=True)
    table = table.without([j], "class").saying(decision(f"Column {wanted!r:.60} {how}.", "label", [wanted], label=""))
    return labels, tuple(map(str, levels)), table


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
