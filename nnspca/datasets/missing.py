"""Missing values: counted, refused with a list of choices, or handled as chosen."""

from __future__ import annotations

import numpy as np

from nnspca.datasets.cells import CHOICES as CHOICES
from nnspca.datasets.cells import Missing as Missing
from nnspca.datasets.cells import nothing
from nnspca.errors import DataError

REMEDY = (
    "Fill them in or remove those rows or columns; or missing='drop rows', missing='drop features' or missing='mean' "
    "does it."
)


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
        super().__init__(f"{found} {REMEDY}")
        self.found, self.count, self.rows, self.features, self.shape = found, count, rows, features, shape

    def named(self, label: str) -> MissingValues:
        """Return the same error, with the name of the file in front."""
        return MissingValues(f"{label!r}: {self.found}", self.count, self.rows, self.features, self.shape)

    def adding(self, said: str) -> MissingValues:
        """Return the same error, with another sentence on what was found."""
        return MissingValues(f"{self.found} {said}", self.count, self.rows, self.features, self.shape)


def counted(X: np.ndarray, where: str, what: str = "rows") -> DataError:
    """Return the error about NaN values; ``where`` is the place of the first, ``what`` the name of X's rows.

    It is a :class:`MissingValues`, unless no value is there at all: nothing that could be chosen
    would help.

    >>> counted(np.array([[1.0, np.nan], [2.0, 3.0]]), "row 1, column 2").count
    1
    """
    missing = np.isnan(X)
    if missing.all():
        return nothing((X.shape[0], X.shape[1]))
    count, rows, features = int(missing.sum()), int(missing.any(axis=1).sum()), int(missing.any(axis=0).sum())
    return MissingValues(
        f"{count:,} {'value is' if count == 1 else 'values are'} missing in {rows:,} of {len(X):,} {what} "
        f"(first at {where}).",
        count,
        rows,
        features,
        (X.shape[0], X.shape[1]),
    )


def without_missing(X: np.ndarray, choice: Missing) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    """Return X without missing values, the rows and features left, and a sentence on what was done.

    >>> X = np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]])
    >>> without_missing(X, "mean")[0][0]
    array([1., 4.])
    >>> without_missing(X, "drop rows")[3]
    '1 missing value: left out the 1 of 3 samples that has one.'
    """
    missing = np.isnan(X)
    if missing.all():
        raise nothing((X.shape[0], X.shape[1]))
    rows, features = ~missing.any(axis=1), ~missing.any(axis=0)
    count = int(missing.sum())
    summary = f"{count:,} missing value{'' if count == 1 else 's'}"
    everything = np.ones(len(rows), bool), np.ones(len(features), bool)
    if not count:
        return X, *everything, ""
    if choice == "mean":
        empty = missing.all(axis=0)
        if empty.any():
            raise DataError(
                f"{int(empty.sum()):,} of {len(empty):,} features "
                f"{'has' if empty.sum() == 1 else 'have'} no value at all, so no mean either (the first is number "
                f"{int(np.argmax(empty)) + 1:,}). Leave out the features with missing values, or remove these."
            )
        means = np.nanmean(X, axis=0)
        return np.where(missing, means, X), *everything, f"{summary}: filled with the mean of the feature."
    by_rows = choice == "drop rows"
    retained = rows if by_rows else features
    gone, what = int((~retained).sum()), "samples" if by_rows else "features"
    if retained.sum() < (2 if by_rows else 1):
        raise DataError(
            f"{summary} in {gone:,} of {len(retained):,} {what}: without these {what}, {int(retained.sum())} would be "
            "left. Choose another way to deal with missing values."
        )
    chosen = (rows, everything[1]) if by_rows else (everything[0], features)
    has = "has one" if gone == 1 else "have one"
    return X[np.ix_(*chosen)], *chosen, f"{summary}: left out the {gone:,} of {len(retained):,} {what} that {has}."
