"""Series over time: asks whether levels are meant, and forms changes or returns of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnspca.datasets.dataset import Content
from nnspca.datasets.folding import DATE
from nnspca.datasets.notes import Choice, Note, decision, doubt
from nnspca.datasets.options import Reading
from nnspca.errors import DataError

SHORT = 20  # samples below which nothing is asked
WANDERS = 0.9  # median correlation of a value with the one before, from which a series is asked about


def asked_levels(content: Content) -> tuple[Note, ...]:
    """Return the question whether levels over time are meant, where rows go on in time and values wander."""
    X, table = content.X, content.table
    dated = bool(content.sample_names) and all(DATE.fullmatch(name) for name in content.sample_names[:50])
    when = table.beside.get(table.roles.index("time")) if table is not None and "time" in table.roles else None
    timed = when is not None and bool((np.diff(when) > 0).all())
    if len(X) < SHORT or not (dated or timed) or np.isnan(X).all(axis=0).any():
        return ()
    if dated and list(content.sample_names) not in (sorted(content.sample_names), sorted(content.sample_names)[::-1]):
        return ()
    Z = X - np.nanmean(X, axis=0)
    with np.errstate(invalid="ignore"):
        alike = np.nanmean(Z[1:] * Z[:-1], axis=0) / np.nanmean(Z * Z, axis=0)
    if not np.nanmedian(alike) > WANDERS:
        return ()
    says = (
        "The rows go on in time and each value is nearly the one before: levels that wander all seem to be correlated. "
        "Are levels meant, or their changes?"
    )
    ways = [Choice("levels", {"series": "levels"}), Choice("changes", {"series": "changes"})]
    ways += [Choice("returns", {"series": "returns"})] * bool((X[~np.isnan(X)] > 0).all())
    return (doubt("levels", says, *ways),)


def formed(content: Content, reading: Reading) -> Content:
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
    return replace(
        content,
        X=changes,
        labels=None if content.labels is None else content.labels[1:],
        sample_names=content.sample_names[1:],
        notes=(*content.notes, decision(says, "series", series="levels")),
    )
