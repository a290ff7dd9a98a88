"""What is missing in a table, and what becomes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import nothing
from nnspca.datasets.dataset import Content
from nnspca.datasets.notes import decision
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import listed
from nnspca.errors import DataError


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


def handle(content: Content, reading: Reading) -> Content:
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
            raise DataError(f"without any value, so no {choice} either: {listed(bare)}. Leave these columns out.")
        if choice == "mean":
            X, said = np.where(missing, np.nanmean(X, axis=0), X), f"{said}: filled with the mean of the feature."
        else:
            X, said = _carried(X, missing), f"{said}: filled with the value before, at the beginning with the first."
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


def _carried(X: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Each missing value as the one before it in its column, at the beginning as the first."""
    rows = np.where(missing, -1, np.arange(len(X))[:, None])
    rows = np.maximum.accumulate(rows, axis=0)
    rows = np.where(rows < 0, (~missing).argmax(axis=0), rows)
    return np.take_along_axis(X, rows, axis=0)
