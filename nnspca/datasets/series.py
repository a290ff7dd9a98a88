"""Series over time: asks whether levels are meant, and forms changes or returns of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nnspca.datasets.columns import Table
from nnspca.datasets.dataset import Content
from nnspca.datasets.notes import Choice, decision
from nnspca.datasets.options import Reading
from nnspca.datasets.scales import means
from nnspca.errors import DataError

SHORT = 20  # samples below which nothing is asked
WANDERS = 0.9  # median correlation of a value with the one before, from which a series is asked about


def goes_on_in_time(table: Table, names: Sequence[str]) -> bool:
    """Whether the rows do, by a column of times or by dates that are their names."""
    when = table.of_role("time")
    ordered = list(names) in (sorted(names), sorted(names, reverse=True))
    dated = bool(names) and ordered and all(means("date", name) for name in names[:50])
    return dated or (isinstance(when, np.ndarray) and bool((np.diff(when) > 0).all()))


def asked_levels(table: Table, X: np.ndarray, names: Sequence[str], reading: Reading) -> Table:
    """Ask whether levels over time are meant, where the samples X go on in time and values wander."""
    if reading.series or len(X) < SHORT or np.isnan(X).all(axis=0).any() or not goes_on_in_time(table, names):
        return table
    Z = X - np.nanmean(X, axis=0)
    with np.errstate(invalid="ignore"):
        alike = np.nanmean(Z[1:] * Z[:-1], axis=0) / np.nanmean(Z * Z, axis=0)
    if not np.nanmedian(alike) > WANDERS:
        return table
    says = "Each row is nearly the one before, and levels that wander all seem correlated: are levels or changes meant?"
    able = ("levels", "changes", "returns")[: 2 + bool((X[~np.isnan(X)] > 0).all())]
    return table.asking("levels", says, *(Choice(way, {"series": way}) for way in able))


def changes_of(content: Content, reading: Reading) -> Content:
    """Return the changes of each row to the one before, or these as shares of it, as chosen."""
    if reading.series in (None, "levels"):
        return content
    X = np.asarray(content.X)
    if len(X) < 3:
        raise DataError(f"changes of {len(X)} rows leave fewer than 2; at least 3 are needed.")
    changes, says = np.diff(X, axis=0), "Each row is the difference to the one before."
    if reading.series == "returns":
        if not X[:-1].all():
            raise DataError("returns divide by the value before, and some are 0: take changes.")
        changes, says = changes / X[:-1], "Each row is the difference to the one before, as a share of it."
    content = replace(content.of_rows(np.arange(1, len(X))), X=changes)
    return replace(content, notes=(*content.notes, decision(says, "series", series="levels")))
