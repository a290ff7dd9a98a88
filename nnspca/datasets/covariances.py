"""Recognises a covariance among tables: whole, a triangle, or a part of a table; and says what no covariance can be."""

from __future__ import annotations

import re

import numpy as np

from nnspca.datasets.columns import Table
from nnspca.datasets.dataset import Content
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import counted, quoted

SYMMETRY_TOLERANCE = 1e-8
PAIRWISE = re.compile(r"(pearson|spearman|kendall|korrelation|corr[eé]lation)", re.IGNORECASE)  # beside them: Sig., N
OF_COVARIANCE = re.compile(r"(cov|cor|corr|r|covariance|correlation)[._ ]", re.IGNORECASE)


def invalid_entry(A: object) -> str | None:
    """Return the entry that no covariance can have; None if there is none, "" if A is not square and symmetric."""
    if not isinstance(A, np.ndarray) or A.shape[0] != A.shape[1] or not np.any(A):
        return ""
    scale, diagonal = np.abs(A).max(), np.diag(A)
    with np.errstate(invalid="ignore"):  # of infinite entries
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


def only_correlations(table: Table) -> Table:
    """SPSS writes significances and numbers of cases below each correlation."""
    for text in table.texts:
        kept = np.array([bool(PAIRWISE.match(value)) for value in text.values])
        if kept.sum() == len(table.names) < len(kept):
            says = f"{counted(int((~kept).sum()), 'row')} beside the correlations left out, as {text.name!r} says."
            return table.without([text]).of_rows(kept).saying(says)
    return table


def covariance(table: Table, reading: Reading) -> Content | None:
    """A covariance with the names of its features: whole, a triangle, or a part of the table; None if there is none."""
    A, names = table.numbers, table.names
    rows = next((text.values for text in table.texts if text.identifies), [])
    if len(table.texts) > 1 or (table.texts and not rows):
        return None
    named, said, used = False, [], set(names)
    if rows:
        bare = [OF_COVARIANCE.sub("", name, count=1) for name in names]
        known = names if set(rows) <= set(names) else bare
        if set(rows) <= set(known) and len(set(known)) == len(known):
            order = [known.index(row) for row in rows]
            if order != list(range(len(names))):
                others = [name for name, plain in zip(names, known, strict=True) if plain not in rows]
                if others:
                    said.append(f"Beside the matrix, {counted(len(others), 'column')} left out: {quoted(others)}.")
                if sorted(order) != order:
                    said.append("Its columns were put in the order of its rows, which have the same names.")
            A, names, named, used = A[:, order], rows, True, {names[i] for i in order}
        elif (len(rows) == len(names) + 1 and set(names) < set(rows)) or rows[:-1] == names[1:]:
            every = rows if set(names) < set(rows) else [names[0], *rows]  # a triangle without its diagonal
            whole = np.full((len(every),) * 2, np.nan)
            whole[np.ix_([every.index(row) for row in rows], [every.index(name) for name in names])] = A
            A, names, named = whole, every, True
        elif reading.kind is None:
            return None
    if A.shape[0] != A.shape[1] or len(A) < 2:
        return None
    full, side = _mirrored(A, named or reading.kind == "covariance")
    if full is None or invalid_entry(full) is not None:
        return None
    for says in filter(None, (*said, side)):
        table = table.saying(says, "kind")
    table = table.without(table.texts, "name").without([j for j, name in enumerate(table.names) if name not in used])
    return Content(X=full, feature_names=tuple(names), notes=table.notes, doubts=table.doubts, table=table)


def _mirrored(A: np.ndarray, sure: bool) -> tuple[np.ndarray | None, str]:
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
        if not (sure and n > 2 and blank_upper != blank_lower and A.diagonal().all()):
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
