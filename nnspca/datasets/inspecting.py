"""Inspects a table before anything is computed: scales, identifiers, counts, signs, and advice that follows.

A certificate is about the numbers it is given. One column in a larger unit can hold nearly all
variance, and the proven optimum is then that column: a true statement about units, not about the
data. The observations are shown before a result, with the choice that was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nnspca.datasets.dataset import Dataset
from nnspca.datasets.parsing import quoted
from nnspca.datasets.roles import is_time, is_whole, numbers_samples
from nnspca.datasets.scales import means
from nnspca.datasets.tables import is_counted
from nnspca.numerics.fantope import largest_eigenpairs

OUTLYING = 5.0  # kurtosis of a feature from which its tenth and ninetieth per cent tell its scale; 3 for normal samples
WIDE, UNEQUAL = 10.0, 3.0  # ratios of two standard deviations: of different scales, and perhaps of such
DOMINANT, LARGE = 0.9, 0.5  # a column with more of the total variance is dominant, or large
FEWEST = 5  # samples below which hardly anything can be said
COUNTED = 20  # distinct values that whole numbers must have to be counts, not grades
TALL, ALIKE = 20.0, 3.0  # times more rows than columns, all of one kind, from which rows may be the features
MOST_COLUMNS = 2000  # most columns that are compared with each other
SAME = 1 - 1e-9  # correlation from which two columns are one quantity, be it in two units
PART_SHARE = 0.3  # share of the first direction's largest loading from which a feature counts as part of it
NAMED_ALIKE = 8  # least number of columns for which a shared name plus a number means one unit
FEW_KINDS = 20  # most whole numbers that may stand for classes
GENERIC = frozenset({"", "c", "col", "column", "f", "feat", "feature", "attr", "field", "unnamed", "v", "var", "x"})


@dataclass(frozen=True)
class Finding:
    """Something that was seen of the data."""

    # "scales", "named alike", "dominant", "counts", "constant", "duplicates", "identifiers", "dates",
    # "classes", "totals", "orientation", "signs" or "few samples"
    kind: str
    says: str  # one sentence
    # what is done about it unless something else is chosen: "standardise", "leave out", "offer log1p", "offer
    # transpose", "offer any sign" or ""
    choice: str = ""
    features: tuple[int, ...] = ()  # the columns it is about; empty where it is about all


@dataclass(frozen=True)
class Inspection:
    """The observations about a table.

    Examples
    --------
    >>> import nnspca
    >>> seen = nnspca.datasets.inspect([[1000.0, 1.2], [3100.0, 0.7], [4500.0, 1.9], [2800.0, 1.1]])
    >>> seen.shape, seen.standardise
    ((4, 2), True)
    """

    shape: tuple[int, int]  #: Samples and features
    notes: tuple[Finding, ...]  #: In the order in which they matter
    feature_names: tuple[str, ...] = ()  #: One for each column

    @property
    def standardise(self) -> bool:
        """Whether the features should be divided by their standard deviations."""
        return any(note.choice == "standardise" for note in self.notes)

    @property
    def left_out(self) -> tuple[int, ...]:
        """Columns that are not useful features: constant ones, identifiers, dates, copies of another."""
        return tuple(sorted({i for note in self.notes if note.choice == "leave out" for i in note.features}))

    def note(self, kind: str) -> Finding | None:
        """Return the note of a kind, if there is one."""
        return next((note for note in self.notes if note.kind == kind), None)

    def __str__(self) -> str:
        """Return the sentences, one in a line."""
        return "\n".join(note.says for note in self.notes) or "Nothing unusual was noticed."


def inspect(X: object, feature_names: Sequence[str] | None = None) -> Inspection:
    """Examine a table before anything is computed from it.

    Parameters
    ----------
    X : Dataset, array-like or sparse matrix, shape (m, n), or data frame
        Samples in rows.
    feature_names : sequence of str, optional
        Names of the columns; those of a Dataset or a data frame are taken from it.

    Returns
    -------
    Inspection
        Images, spectra, expression arrays and covariance matrices keep their own rules: of these
        only constant features and few samples are noted.

    Raises
    ------
    nnspca.DataError
        Where ``X`` is no table of real numbers.

    Examples
    --------
    >>> X = [[23_000.0, 1.2, 1], [31_000.0, 0.7, 2], [45_000.0, 1.9, 3], [28_000.0, 1.1, 4], [39_000.0, 1.6, 5]]
    >>> seen = inspect(X, ["income", "spend", "id"])
    >>> seen.standardise, seen.left_out
    (True, (2,))
    >>> print(seen)
    Left out, numbers of the samples: 'id'.
    The scales of the columns differ by a factor of 19,000: standardised, so that units do not matter.
    Without standardising, 'income' alone would have 99.9 % of the total variance.
    """
    names = tuple(map(str, () if feature_names is None else feature_names))
    data = X if isinstance(X, Dataset) else Dataset(name="table", X=X, feature_names=names)
    m, n = data.shape
    if data.kind == "covariance":
        return Inspection((m, n), (), data.feature_names)
    notes = [Finding("few samples", f"Samples, so few that the result says little about others: {m}.")] * (m < FEWEST)
    spread = np.asarray(data.deviations)
    constant = np.flatnonzero(spread == 0)
    if constant.size and (constant.size == n or data.image_shape is not None):  # a picture keeps its pixels
        notes.append(Finding("constant", f"Without variation: {_named(data, constant)}.", "", tuple(constant.tolist())))
    else:
        notes += _left_out("constant", data, constant, "without variation")
    if data.kind == "table" and data.image_shape is None and data.axis is None:
        notes += _of_table(data, spread, np.flatnonzero(spread > 0))
    return Inspection((m, n), tuple(notes), data.feature_names)


def _of_table(data: Dataset, spread: np.ndarray, used: np.ndarray) -> list[Finding]:
    """The notes on a table; what one leaves out counts for none of those after it."""
    comparable = not data.is_sparse and data.shape[0] >= FEWEST
    notes = _identifiers_and_dates(data, used) if comparable else []
    used = _without(used, notes)
    orientation = _orientation(data, spread, used)
    beside: list[Finding] = []
    if comparable and 2 <= len(used) <= MOST_COLUMNS:
        beside += _duplicates(data, used)
        signs = _signs(data, used := _without(used, beside))
        beside += _totals(data, used)
        used = _without(used, beside)
        beside += signs
    return [*notes, *_scales(data, spread, used), *_counts(data, used), *orientation, *beside]


def _without(used: np.ndarray, notes: Iterable[Finding]) -> np.ndarray:
    gone = [i for note in notes if note.choice == "leave out" for i in note.features]
    return np.setdiff1d(used, gone).astype(int)


def _named(data: Dataset, which: Sequence[int] | np.ndarray) -> str:
    """The names of columns, at most five."""
    return quoted([str(data.feature_names[int(i)]) for i in which])


def _left_out(kind: str, data: Dataset, which: Sequence[int] | np.ndarray, what: str) -> list[Finding]:
    """A note on columns that are left out as ``what`` they are, if there are any."""
    says = f"Left out, {what}: {_named(data, which)}."
    return [Finding(kind, says, "leave out", tuple(map(int, which)))] if len(which) else []


def _identifiers_and_dates(data: Dataset, used: np.ndarray) -> list[Finding]:
    """Whole numbers that name a sample, a time or a class."""
    identifiers, dates, classes = [], [], []
    for i in used.tolist():
        name, values = str(data.feature_names[i]), data.X[:, i]
        if is_time(name, values):
            dates.append(i)
        elif is_whole(values):
            kinds, steps = len(np.unique(values)), np.diff(values)
            if kinds == len(values):
                identifiers += [i] * bool((np.abs(steps) == 1).all() or numbers_samples(name, values))
            elif means("class", name) and kinds <= min(FEW_KINDS, len(values) // 2) and not is_counted(data.X, i):
                classes.append(i)
    return [
        *_left_out("identifiers", data, identifiers, "numbers of the samples"),
        *_left_out("dates", data, dates, "dates or times"),
        *_left_out("classes", data, classes, "whole numbers of classes"),
    ]


def _duplicates(data: Dataset, used: np.ndarray) -> list[Finding]:
    """Columns that hold the quantity of an earlier column, be it in another unit."""
    Z = _standardised(data, used)
    later = np.triu(Z.T @ Z / len(Z), 1)  # each pair once, at the row of the earlier column
    same = used[(later >= SAME).any(axis=0)]
    return _left_out("duplicates", data, same, "the same quantity as another column, be it in another unit")


def _totals(data: Dataset, used: np.ndarray) -> list[Finding]:
    """Columns that are the sum of all others, or so called and the sum of those before them."""
    X, found = data.X[:, used], []
    whole, small = X.sum(axis=1), 1e-9 * np.abs(X).max(axis=0)
    may_be = np.isclose(X[0], whole[0] - X[0], rtol=1e-6, atol=small)
    for j, i in enumerate(used.tolist()):
        others = [whole - X[:, j]] * bool(may_be[j])
        if j > 1 and means("sum_of_columns", str(data.feature_names[i])):
            others.append(X[:, [k for k in range(j) if used[k] not in found]].sum(axis=1))
        if any(np.allclose(X[:, j], other, rtol=1e-6, atol=small[j]) for other in others):
            found.append(i)
    if len(used) < 3 or len(found) >= len(used) - 1:  # where all are sums of all, none is the total
        return []
    return _left_out("totals", data, found, "sums of others")


def _scales(data: Dataset, spread: np.ndarray, used: np.ndarray) -> list[Finding]:
    """Different scales, and one column that holds nearly all the variance."""
    if len(used) < 2:
        return []
    mine, Z = spread[used], _standardised(data, used)
    kurtosis, (low, high) = (Z**4).mean(axis=0), np.quantile(Z, (0.1, 0.9), axis=0)
    usual = mine * np.where((kurtosis > OUTLYING) & (high > low), (high - low) / 2.563, 1.0)  # 2.563 of normal samples
    ratio = float(min(each.max() / each.min() for each in (mine, usual)))
    share = float(mine.max() ** 2 / (mine**2).sum())
    heavy = max(float(kurtosis.mean()) - 1, 2) / 2  # 1 for normal samples
    # what the ratio of two deviations of samples of one scale exceeds in about 1 of 20 tables at most
    chance = float(np.exp(2 * np.sqrt(2 * np.log(40 * len(used)) * heavy / (2 * (data.shape[0] - 1)))))
    first = int(used[mine.argmax()])
    name, percentage = repr(str(data.feature_names[first])[:40]), f"{np.floor(1000 * share) / 10:.1f} %"
    if ratio > max(WIDE, chance) and share <= DOMINANT and _named_alike(data, used):
        text = "The columns' names differ only in a number, so they seem to share one unit: not standardised."
        return [Finding("named alike", text)]
    notes = []
    text = f"The scales of the columns differ by a factor of {float(f'{ratio:.2g}'):,.0f}"
    if ratio > max(WIDE, chance):
        notes.append(Finding("scales", f"{text}: standardised, so that units do not matter.", "standardise"))
    elif ratio > chance and ((ratio > UNEQUAL and not _named_alike(data, used)) or share > LARGE):
        text += f", and {name} has {percentage} of the total variance."
        notes.append(Finding("scales", f"{text} If units differ, standardise."))
    if share > DOMINANT:
        text = f"Without standardising, {name} alone would have {percentage} of the total variance."
        notes.append(Finding("dominant", text, "standardise", (first,)))
    return notes


def _named_alike(data: Dataset, used: np.ndarray) -> bool:
    """Whether all names are one word with a number each, as "pixel_3_4" or "470 nm": one quantity, in one unit."""
    stems = {re.sub(r"[\d.,_\s-]+", "", str(data.feature_names[int(i)])).lower() for i in used}
    return len(used) >= NAMED_ALIKE and len(stems) == 1 and not stems & GENERIC


def _counts(data: Dataset, used: np.ndarray) -> list[Finding]:
    """Counts: a logarithm may suit them."""
    values = data.X.data if data.is_sparse else data.X[:, used]
    if values.size == 0 or float(values.min()) < 0:
        return []
    sample = np.asarray(values).ravel()[:: max(1, values.size // 200_000)]
    if not (sample > 0).any() or not is_whole(sample) or len(np.unique(sample[:20_000])) < COUNTED:
        return []
    text = (
        "All values are whole numbers of zero and more, like counts: a logarithm, log(1 + x), "
        "or the square root of each row's shares (Hellinger) may suit them."
    )
    return [Finding("counts", text, "offer log1p")]


def _orientation(data: Dataset, spread: np.ndarray, used: np.ndarray) -> list[Finding]:
    """A table whose columns look like samples: far fewer than rows, and all of one kind."""
    m, n = data.shape
    if m < TALL * n or n < FEWEST or m < 1000 or len(used) < n:
        return []
    alike = spread.max() <= ALIKE * spread.min() and np.ptp(np.asarray(data.means)) <= ALIKE * spread.max()
    if not alike or _leading(_standardised(data, used))[1] <= DOMINANT:
        return []
    text = f"{m:,} rows and {n:,} columns that resemble each other: the samples may be the columns."
    return [Finding("orientation", text, "offer transpose")]


def _standardised(data: Dataset, used: np.ndarray) -> np.ndarray:
    return (data.features(used) - np.asarray(data.means)[used]) / np.asarray(data.deviations)[used]


def _leading(Z: np.ndarray) -> tuple[np.ndarray, float]:
    """The leading eigenvector of Z'Z, and its share of the trace."""
    G = Z @ Z.T if (wide := Z.shape[0] < Z.shape[1]) else Z.T @ Z
    values, vectors = largest_eigenpairs(G, 1)
    x = Z.T @ vectors[:, -1] if wide else vectors[:, -1]
    return x, float(values[-1] / max(np.trace(G), np.finfo(float).tiny))


def _signs(data: Dataset, used: np.ndarray) -> list[Finding]:
    """How many features each sign of the first direction has: a nonnegative component uses one of the two."""
    if len(used) < 2:
        return []
    x, share = _leading(_standardised(data, used))
    if share <= _share_by_chance(data.shape[0], len(used)):
        return []
    strong = np.abs(x) >= PART_SHARE * np.abs(x).max()
    few, many = sorted((np.flatnonzero(strong & (side * x > 0)) for side in (1, -1)), key=len)
    if not len(few):
        return []
    text = (
        f"The first eigenvector sets {_named(data, used[many])} against {_named(data, used[few])}: a nonnegative "
        "component can use only one of these groups. With any sign it uses both; so it does once items of opposite "
        "direction are turned round."
    )
    return [Finding("signs", text, "offer any sign")]


def _share_by_chance(m: int, n: int) -> float:
    """Return what the first direction of m samples of n independent features exceeds in 1 of 20 tables.

    The share of the trace, by Johnstone's approximation (Annals of Statistics 29, 2001) to the largest eigenvalue.
    """
    rows, columns = np.sqrt(m - 1), np.sqrt(n)
    width = (rows + columns) * np.cbrt(1 / rows + 1 / columns)
    return float(((rows + columns) ** 2 + 0.98 * width) / (m * n))
