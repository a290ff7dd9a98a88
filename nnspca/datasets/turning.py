"""Tells tables whose rows are features, as those of genes, from names, counts and shapes, and turns them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import text_of
from nnspca.datasets.dataset import Content, distinct
from nnspca.datasets.notes import Choice, decision, doubt
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import Table, counted, is_whole, listed, without_counter

OF_FEATURES = re.compile(
    r"(ensembl_?)?(gene|transcript|protein|probe|feature|otu|probeset)s?[ _.]?(id|name|symbol)?|(hugo[ _])?symbol|"
    r"id_ref|accession|tax(on|a)|cpg|metabolites?|row[ _]id|compound([ _](id|name))?|(majority )?protein ids",
    re.IGNORECASE,
)
ABOUT_FEATURES = re.compile(
    r"chr(om(osome)?)?|pos(ition)?|start|end|strand|length|taxid|description|.*\b(m/z|mz|mass|rt|retention[ _.]?time|"
    r"kda|score|q-?value|pep|charge|peptides|coverage|row id|annotation|formula|fasta|probability)\b.*",
    re.IGNORECASE,
)
OF_AMOUNTS = tuple(  # that several columns share of which each is a sample, the best first
    re.compile(rf"{words}", re.IGNORECASE)
    for words in (
        r"lfq[ _.]intensity[ _.]+(.+)",
        r"(?:normali[sz]ed[ _.])?abundances?[ _.:(]+(.+)",
        r"reporter[ _.]intensity(?:[ _.]corrected)?[ _.]+(.+)",
        r"(.+?)[ _.](?:peak[ _.])?(?:area|height)",
        r"intensity[ _.]+(.+)",
        r"(.+)[ _.](?:raw[ _.])?(?:intensity|counts?|quantity|pg\.quantity)",
    )
)
WELL = re.compile(r"(?:well[ _.]?)?([A-P])0?([1-9]|1\d|2[0-4])( .*)?", re.IGNORECASE)
ALONG_ROWS = re.compile(r"(wave ?length|time|cycle|frequency|wavenumber|λ|nm|t)\b.*", re.IGNORECASE)
LIKE_PROBES = re.compile(r"ENS[A-Z]*[GTP]\d{6,}.*|\w+_at|ILMN_\d+|cg\d{8}|[NX][MRP]_\d+.*|LOC\d+", re.IGNORECASE)
LIKE_GENES = re.compile(r"[A-Z][A-Z0-9]*\d[A-Z0-9]*(-[A-Z0-9]+)?|[A-Z]{3,7}")
LIKE_SAMPLES = re.compile(
    r"GSM\d+.*|TCGA-.*|SRR\d+|[ACGT]{8,}(-\d+)?|(.*[\W_])?(sample|patient|subject|ctrl|control|treated|untreated|case|cell|"
    r"donor|rep|wt|ko|tumou?r|normal|all|aml|mouse|batch|run)s?[\W_]?\d*([\W_].*)?|[A-Za-z]{1,3}\d{1,4}",
    re.IGNORECASE,
)


def orient(table: Table, reading: Reading) -> tuple[Table, bool]:
    """Tell whether the rows are features, as chosen or by looking; return the table with what was said of it, too."""
    if reading.samples is not None:
        return (_of_amounts(table) if reading.samples == "columns" else table), reading.samples == "columns"
    if reading.label or reading.sample_names or len(table.names) < 2:
        return table, False
    columns, rows = Choice("in columns", {"samples": "columns"}), Choice("in rows", {"samples": "rows"})
    reasons = _reasons(table)
    why = ", ".join(dict.fromkeys(reasons))
    if amounts := _amounts(table):
        said = f"The rows seem to be features and the columns samples: {amounts}. Where are the samples?"
        question = doubt("samples", said, columns, rows)
        return replace(_of_amounts(table), doubts=(*table.doubts, question)), True
    if len(reasons) >= 3:
        said = f"The rows were read as features and the columns as samples: {why}."
        return table.saying(decision(said, "samples", samples="rows")), True
    if len(reasons) == 2:
        said = f"The rows were read as samples, but may be features: {why}. Where are the samples?"
        return replace(table, doubts=(*table.doubts, doubt("samples", said, rows, columns))), False
    return table, False


def _reasons(table: Table) -> list[str]:
    """Why the rows seem to be features, as genes are: names, counts and shapes; what names them so counts twice."""
    m, n = table.numbers.shape
    head, rows = _row_names(table)
    if not rows:
        return []
    some = rows[:500]
    reasons = []
    if OF_FEATURES.fullmatch(head.strip("# ")):
        reasons += [f"their names stand under {head!r:.40}"] * 2
    numbered_rows = len({name.rstrip("0123456789") for name in some}) <= 2  # S001, S002, …
    if sum(bool(LIKE_PROBES.fullmatch(name)) for name in some) >= 0.6 * len(some):
        reasons += [f"they are named like probes or genes ({some[0]!r:.30})"] * 2
    elif (
        len(some) >= 20
        and not numbered_rows
        and sum(bool(LIKE_GENES.fullmatch(name)) for name in some) >= 0.6 * len(some)
    ):
        reasons.append(f"they are named like genes ({some[0]!r:.30})")
    if not reasons:
        return []
    names = table.names[:500]
    stems = {name.rstrip("0123456789") for name in names}
    numbered = len(stems) <= len(names) / 2 and not stems & set(names)
    if numbered or sum(bool(LIKE_SAMPLES.fullmatch(name)) for name in names) >= 0.6 * len(names):
        reasons.append(f"the columns are named like samples ({names[0]!r:.30})")
    if m >= 5 * n and m >= 50:
        reasons.append(f"there are {m:,} of them for {n:,} columns")
    return reasons


def _group(table: Table) -> list[int]:
    """The columns of amounts, one a sample, beside others about the features; none where there is no such group."""
    for pattern in OF_AMOUNTS:
        group = [j for j, name in enumerate(table.names) if pattern.fullmatch(name)]
        if len(group) >= 2 and len({pattern.fullmatch(table.names[j])[1] for j in group}) == len(group):  # type: ignore[index]
            return group
    return []


def _amounts(table: Table) -> str:
    """Why columns seem to be samples, from their names and what stands beside them; empty where they do not."""
    about = [name for name in (*table.names, *(text.name for text in table.texts)) if ABOUT_FEATURES.fullmatch(name)]
    group = [table.names[j] for j in _group(table)]
    about = [name for name in about if name not in group]
    if group and about:
        return f"amounts in {listed(group)} stand beside {listed(about)}"
    wells = [name for name in table.names if WELL.fullmatch(name)]
    first = table.every[0]
    if len(wells) >= max(6, 0.6 * len(table.names)) and first not in wells and ALONG_ROWS.match(first):
        return f"the columns are wells ({wells[0]!r:.20}) and the rows go along {first!r:.40}"
    return ""


def _of_amounts(table: Table) -> Table:
    """Leave out what is said about features beside a group of columns of amounts."""
    group = _group(table)
    if not group or not _amounts(table):
        return table
    return table.without(
        [j for j in range(len(table.names)) if j not in group and not OF_FEATURES.fullmatch(table.names[j])]
    )


def _row_names(table: Table) -> tuple[str, list[str]]:
    """The heading and the names of the rows: whole numbers under a heading for features, else the first text."""
    values = table.numbers[:, 0]
    along = ALONG_ROWS.match(table.names[0]) and sum(bool(WELL.fullmatch(name)) for name in table.names) > 1
    if along and len(np.unique(values)) == len(values):
        return table.names[0], [text_of(value) for value in values.tolist()]
    if OF_FEATURES.fullmatch(table.names[0].strip("# ")) and is_whole(values) and len(np.unique(values)) == len(values):
        return table.names[0], [text_of(value) for value in values.tolist()]
    if not table.texts:
        return "", []
    first = table.texts[0]
    return first.name, first.values if len(set(first.values)) > len(first.values) / 2 else []


def turned(table: Table) -> Content:
    """The transpose: rows are features."""
    head, features = _row_names(table)
    of_names = [text for text in table.texts if text.name == head] if features else list(table.texts[:1])
    if not features and of_names:
        features = of_names[0].values
    elif not features:
        table = without_counter(table, False)
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
