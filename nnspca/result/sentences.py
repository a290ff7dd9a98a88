"""Results in words: which features vary together, where they lie, and how much variance they carry, rounded down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nnspca.result import rounded, wording

if TYPE_CHECKING:
    from nnspca.result.component import Component, Features

STRONG, WEAK = 0.3, 0.1  # mean correlations from which features rise together, and weakly so
SMALL = 0.01  # a part that adds less than this share of the variance before it is counted, not described
COVERED = 0.8  # share of the pixels that lie in the named regions
REGIONS = 3  # most regions that are named
STRETCHES = 3  # most stretches of an axis that are named
ROWS, COLUMNS = ("upper", "middle", "lower"), ("left", "centre", "right")
HALVES = ("upper half", "lower half", "left half", "right half")


def correlation(part: Component) -> float | None:
    """Return the mean correlation between a component's features, each multiplied by the sign of its loading.

    Pairs are weighted by the product of their loadings and standard deviations. None if the
    variances of the features are unknown, or there is no pair.

    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[4.0, 1.0], [1.0, 1.0]])
    >>> round(correlation(nnspca.solve(cov, 2)), 3)
    0.5
    """
    features = part.features
    if features is None or features.variances is None or part.cardinality < 2:
        return None
    own = np.abs(part.loadings[part.support]) * np.sqrt(features.variances[part.support])
    alone = float(own @ own)
    pairs = float(own.sum()) ** 2 - alone
    return (part.variance - alone) / pairs if pairs > 0 else None


def clause(part: Component, most: int = wording.NAMED) -> str:
    """Return which features a component has and how they vary together, as a clause without a full stop.

    Up to ``most`` features are named.

    >>> import nnspca
    >>> A = [[1.0, 0.7, -0.6], [0.7, 1.0, -0.5], [-0.6, -0.5, 1.0]]
    >>> cov = nnspca.Covariance.from_matrix(A, names=["income", "rent", "debt"])
    >>> clause(nnspca.solve(cov, 2)), clause(nnspca.solve(cov, 1))
    ('income and rent rise together', 'income alone')
    >>> clause(nnspca.solve(cov, 3, nonnegative=False))
    'income and rent rise while debt falls'
    """
    position = describe(part.support, part.features)
    if position is not None:
        position = f"{position[0].upper()}{position[1:]}"
    if not part.cardinality:
        return "Nothing"
    subject, mean = position or wording.features_in_words(part, most), correlation(part)
    if part.cardinality == 1:
        return f"{subject} alone"
    if mean is None:
        return subject
    comma, mixed = "," if position and "," in position else "", bool((part.loadings < 0).any())
    if mean < WEAK:
        return f"{subject}{comma} hardly {'vary' if mixed else 'rise'} together"
    weakly = "" if mean >= STRONG else " weakly"
    if not mixed:
        return f"{subject}{comma} rise together{weakly}"
    if position:
        many = wording.in_letters(int((part.loadings < 0).sum()))
        return f"{subject}{comma} vary together{weakly}, {many} of them in the opposite direction"
    up, down = ([i for i in wording.heaviest(part) if part.loadings[i] * sign > 0] for sign in (1, -1))
    rise, fall = (wording.named([part.called(i) for i in some], most) for some in (up, down))
    return f"{rise} rise{'s' * (len(up) == 1)}{weakly} while {fall} fall{'s' * (len(down) == 1)}"


def line(part: Component) -> str:
    """Return the features of a component with their loadings, the largest first, or where they lie."""
    order, most = wording.heaviest(part), wording.NAMED
    if where := describe(part.support, part.features):
        return where
    loadings = [f"{wording.short(part.called(i))} {part.loadings[i]:.2f}" for i in order[:most]]
    return ", ".join(loadings) + (f", … and {len(order) - most:,} more" if len(order) > most else "")


def component(part: Component) -> str:
    """Return which features one component has, and how much variance it carries.

    >>> import nnspca
    >>> A = [[1.0, 0.7, 0.0], [0.7, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> component(nnspca.solve(nnspca.Covariance.from_matrix(A, names=["income", "rent", "age"]), 2))
    'income and rent rise together: one number made of these two carries 56.6 % of the variance of all three features.'
    """
    if part.cardinality < 2:
        beginning = clause(part)
    elif correlation(part) is None:
        beginning = f"One number made of {describe(part.support, part.features) or wording.features_in_words(part)}"
    else:
        beginning = f"{clause(part)}: one number made of these {wording.in_letters(part.cardinality)}"
    features, share = part.features, part.share
    if features is None or share is None:
        return f"{beginning} has variance {rounded.number(part.variance, down=True)}."
    treated = " (standardised)" if features.standardized else ""
    whole = wording.counted(features.count, "feature")
    return f"{beginning} carries {rounded.percent(share)} of the variance of all {whole}{treated}."


def average(features: Features | None, one: str = "One feature has ", end: str = ".") -> str:
    """Return the share of the variance that one feature has on average, beside which others are to be read."""
    return "" if features is None else f"{one}{rounded.percent(1 / features.count)} on average{end}"


def clauses(parts: Sequence[Component], total: float | None = None, is_more: Sequence[bool] = ()) -> str:
    """Return the features of each part, with its share of ``total``; small parts are only counted.

    Of a part that is no more than chance, that is said instead.

    >>> import nnspca
    >>> A = [[3.0, 1.0, 0.0, 0.0], [1.0, 3.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.01]]
    >>> parts = nnspca.decompose(nnspca.Covariance.from_matrix(A, names=list("abcd")), n_components=3, k=2)
    >>> clauses(parts.parts)
    'Part 1: a and b rise together. Part 2: c alone. One more part adds less than 1 %.'
    """
    skipped = is_small([part.variance for part in parts])
    sentences = [
        f"Part {c}: {clause(part) if all(is_more[c - 1 : c]) else 'no more than chance'}"
        + (f" ({rounded.percent(part.variance / total)})." if total else ".")
        for c, part in enumerate(parts, start=1)
        if not skipped[c - 1]
    ]
    rest = int(skipped.sum())
    more = f"{wording.counted(rest, 'more part').capitalize()} {'adds' if rest == 1 else 'add'} less than 1 %"
    return " ".join(sentences) + (f" {more}{'' if rest == 1 else ' each'}." if rest else "")


def join(text: str, *more: str) -> str:
    """Return sentences as one text, without those that are empty."""
    return " ".join(filter(None, (text, *more)))


def is_small(variances: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return which parts add less than 1 % to the variance of the earlier parts.

    >>> is_small([5.0, 2.0, 0.01, 3.0]).tolist()
    [False, False, True, False]
    """
    variances = np.asarray(variances, dtype=float)
    before = np.concatenate([[0.0], np.cumsum(variances)[:-1]])
    return variances < SMALL * before


def describe(support: np.ndarray, features: Features | None) -> str | None:
    """Return the number and the position of features; None if they are known by name only."""
    if features is None or not len(support):
        return None
    if features.image_shape is not None:
        comma = "," if len(support) > 1 else ""
        return f"{wording.counted(len(support), 'pixel')}{comma} {pixels(support, features.image_shape)}"
    if features.axis is not None:
        title = features.axis_title.partition(" (")[0]
        where = intervals_of_axis(support, features.axis, features.axis_title)
        return f"{wording.counted(len(support), 'feature')} at {title} {where}"
    return None


def pixels(support: np.ndarray, shape: tuple[int, int]) -> str:
    """Return in which ninths, or else in which half, of an image most of these pixels lie.

    >>> pixels(np.array([0, 1, 9, 10]), (9, 9))
    'all at the upper left'
    >>> pixels(np.array([0, 1, 2, 3, 80]), (9, 9)), pixels(np.array([80]), (9, 9))
    ('four of them at the upper left and the upper centre', 'at the lower right')
    """
    rows, columns = np.divmod(support, shape[1])
    row, column = (((6 * place + 3) // (2 * size)).tolist() for place, size in zip((rows, columns), shape, strict=True))
    cells = Counter(zip(row, column, strict=True))  # of each pixel's centre
    chosen: list[tuple[int, int]] = []
    covered = 0
    for cell, count in sorted(cells.items(), key=lambda item: (-item[1], item[0])):
        if covered >= COVERED * len(support):
            break
        chosen.append(cell)
        covered += count
    if min(shape) >= 3 and len(chosen) <= REGIONS:
        where = wording.listed([f"the {_ninth(*cell)}" for cell in sorted(chosen)])
        return f"{_of_them(covered, len(support))}at {where}"
    sides = ((rows, shape[0] - 1), (columns, shape[1] - 1))
    counts = [int(inside.sum()) for place, last in sides for inside in (2 * place < last, 2 * place > last)]
    covered, half = max(zip(counts, HALVES, strict=True), key=lambda c: c[0])
    if covered >= COVERED * len(support):
        return f"{_of_them(covered, len(support))}in the {half}"
    return "spread over the image"


def _ninth(row: int, column: int) -> str:
    return "centre" if row == column == 1 else f"{ROWS[row]} {COLUMNS[column]}"


def _of_them(count: int, total: int) -> str:
    return "" if total == 1 else "all " if count == total else f"{wording.in_letters(count)} of them "


def intervals_of_axis(support: np.ndarray, axis: np.ndarray, title: str) -> str:
    """Return the stretches of an axis in which features lie; neighbouring features form one stretch.

    >>> intervals_of_axis(np.array([1, 2, 4]), np.array([7.0, 7.5, 8.0, 8.5, 9.0]), "wavelength (µm)")
    '7.5 to 8 and 9 µm'
    """
    unit = title.removesuffix(")").partition(" (")[2]
    places = np.empty(len(axis), dtype=int)
    places[np.argsort(axis, kind="stable")] = np.arange(len(axis))
    order = support[np.argsort(places[support])]
    runs = np.split(order, 1 + np.flatnonzero(np.diff(places[order]) > 1))
    longest = sorted(sorted(runs, key=len, reverse=True)[:STRETCHES], key=lambda run: axis[run[0]])
    ends = [(f"{axis[run][0]:.4g}", f"{axis[run][-1]:.4g}") for run in longest]
    stretches = [low if low == high else f"{low} to {high}" for low, high in ends]
    rest = len(runs) - len(stretches)
    ending = (
        f" and at {wording.counted(rest, 'more stretch').removesuffix('s')}{'es' if rest > 1 else ''}" if rest else ""
    )
    listed = ", ".join(stretches) if rest else wording.listed(stretches)
    return f"{listed}{f' {unit}' if unit else ''}{ending}"
