"""Tells tables whose rows are features, as those of genes, from names, counts and shapes, and turns them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import text_of
from nnspca.datasets.columns import Table, Texts
from nnspca.datasets.dataset import Content, distinct
from nnspca.datasets.notes import Choice
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import can_be_labels, listed, without_counter
from nnspca.datasets.scales import means, patterns
from nnspca.datasets.series import asked_levels


def orient(table: Table, reading: Reading) -> tuple[Table, bool]:
    """Tell whether the rows are features, as chosen or by looking; return the table with what was said of it, too."""
    if reading.samples is not None:
        return (_of_amounts(table) if reading.samples == "columns" else table), reading.samples == "columns"
    if reading.of_role("class") or reading.of_role("name") or len(table.names) < 2:
        return table, False
    columns, rows = Choice("in columns", {"samples": "columns"}), Choice("in rows", {"samples": "rows"})
    reasons = _reasons(table)
    why = ", ".join(dict.fromkeys(reasons))
    if amounts := _amounts(table):
        says = f"The rows seem to be features and the columns samples: {amounts}. Where are the samples?"
        return _of_amounts(table).asking("samples", says, columns, rows), True
    if len(reasons) >= 3:
        says = f"The rows were read as features and the columns as samples: {why}."
        return table.saying(says, "samples", samples="rows"), True
    if len(reasons) == 2:
        says = f"The rows were read as samples, but may be features: {why}. Where are the samples?"
        return table.asking("samples", says, rows, columns), False
    return table, False


def _reasons(table: Table) -> list[str]:
    """Why the rows seem to be features, as genes are: names, counts and shapes; what names them so counts twice."""
    m, n = table.numbers.shape
    if (named := _row_names(table)) is None:
        return []
    some, reasons = named.values[:500], []
    if means("name_of_features", named.name.strip("# ")):
        reasons += [f"their names stand under {named.name!r:.40}"] * 2
    numbered_rows = len({name.rstrip("0123456789") for name in some}) <= 2  # S001, S002, …
    if sum(means("probe", name) for name in some) >= 0.6 * len(some):
        reasons += [f"they are named like probes or genes ({some[0]!r:.30})"] * 2
    elif len(some) >= 20 and not numbered_rows and sum(means("gene", name) for name in some) >= 0.6 * len(some):
        reasons.append(f"they are named like genes ({some[0]!r:.30})")
    if not reasons:
        return []
    names = table.names[:500]
    stems = {name.rstrip("0123456789") for name in names}
    numbered = len(stems) <= len(names) / 2 and not stems & set(names)
    if numbered or sum(means("sample", name) for name in names) >= 0.6 * len(names):
        reasons.append(f"the columns are named like samples ({names[0]!r:.30})")
    if m >= 5 * n and m >= 50:
        reasons.append(f"there are {m:,} of them for {n:,} columns")
    return reasons


def _group(table: Table) -> list[int]:
    """The columns of amounts, one a sample, beside others about the features; none where there is no such group."""
    for pattern in patterns("amount"):  # the best first
        group = [j for j, name in enumerate(table.names) if pattern.fullmatch(name)]
        if len(group) >= 2 and len({pattern.fullmatch(table.names[j])[1] for j in group}) == len(group):  # type: ignore[index]
            return group
    return []


def _amounts(table: Table) -> str:
    """Why columns seem to be samples, from their names and what stands beside them; empty where they do not."""
    about = [name for name in (*table.names, *(text.name for text in table.texts)) if means("about_features", name)]
    group = [table.names[j] for j in _group(table)]
    about = [name for name in about if name not in group]
    if group and about:
        return f"amounts in {listed(group)} stand beside {listed(about)}"
    wells = [name for name in table.names if means("well", name)]
    first = table.every[0]
    if len(wells) >= max(6, 0.6 * len(table.names)) and first not in wells and means("along_rows", first):
        return f"the columns are wells ({wells[0]!r:.20}) and the rows go along {first!r:.40}"
    return ""


def _of_amounts(table: Table) -> Table:
    """Leave out what is said about features beside a group of columns of amounts."""
    group = _group(table)
    if not group or not _amounts(table):
        return table
    return table.without(
        [j for j in range(len(table.names)) if j not in group and not means("name_of_features", table.names[j])]
    )


def _row_names(table: Table) -> Texts | None:
    """What names the rows: whole numbers under a heading for features, else the first text that mostly differs."""
    values, head = table.numbers[:, 0], table.names[0]
    along = means("along_rows", head) and sum(means("well", name) for name in table.names) > 1
    able = along or (means("name_of_features", head.strip("# ")) and can_be_labels(values))
    if able and len(np.unique(values)) == len(values):
        return Texts(head, list(map(text_of, values.tolist())), place=int(table.places[0]))
    return next((one for one in table.texts[:1] if len(set(one.values)) > len(one.values) / 2), None)


def turned(table: Table, reading: Reading) -> Content:
    """The transpose: rows are features."""
    named = _row_names(table) or next(iter(table.texts), None)
    if named is None:
        table = without_counter(table, False)
    else:
        table = table.without([named] if named in table.texts else [0], "name")
    about = [j for j, name in enumerate(table.names) if means("about_features", name)]
    about = about if len(about) < len(table.names) - 1 else []
    if names := [*(text.name for text in table.texts), *(table.names[j] for j in about)]:
        table = table.saying(f"Columns about the features, left out: {listed(names)}.", "columns", names)
    table = table.without([*table.texts, *about])
    samples = tuple(table.names) if all(table.names) else ()
    X = np.ascontiguousarray(table.numbers.T)
    X.setflags(write=False)
    table = asked_levels(table, X, samples, reading)
    return Content(
        X=X,
        feature_names=() if named is None else distinct(named.values),
        sample_names=samples,
        notes=table.notes,
        doubts=table.doubts,
        table=replace(table, numbers=X.T, role="sample"),
    )
