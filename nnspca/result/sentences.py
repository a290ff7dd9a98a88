"""Where features lie, in words: in which part of an image, or on which stretches of an axis; and sentences joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from nnspca.result import rounded, wording
from nnspca.result.features import Features

MINOR_SHARE = 0.01  # a part that adds less than this share of the variance before it is counted, not described
COVERED = 0.8  # share of the pixels that lie in the named regions
REGIONS = 3  # most regions that are named
STRETCHES = 3  # most stretches of an axis that are named
ROWS, COLUMNS = ("upper", "middle", "lower"), ("left", "centre", "right")
HALVES = ("upper half", "lower half", "left half", "right half")


def average(features: Features | None, one: str = "One feature has ", end: str = ".") -> str:
    """Return the share of the variance that one feature has on average, beside which others are to be read."""
    return "" if features is None else f"{one}{rounded.percent(1 / features.count)} on average{end}"


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
    return variances < MINOR_SHARE * before


def describe(support: np.ndarray, features: Features | None) -> str | None:
    """Return the number and the position of features; None if they are known by name only."""
    if features is None or not len(support):
        return None
    if features.image_shape is not None:
        comma = "," if len(support) > 1 else ""
        return f"{wording.counted(len(support), 'pixel')}{comma} {where_in_image(support, features.image_shape)}"
    if features.axis is not None:
        title = features.axis_title.partition(" (")[0]
        where = intervals_of_axis(support, features.axis, features.axis_title)
        return f"{wording.counted(len(support), 'feature')} at {title} {where}"
    return None


def where_in_image(support: np.ndarray, shape: tuple[int, int]) -> str:
    """Return in which ninths, or else in which half, of an image most of these pixels lie.

    >>> where_in_image(np.array([0, 1, 9, 10]), (9, 9))
    'all at the upper left'
    >>> where_in_image(np.array([0, 1, 2, 3, 80]), (9, 9)), where_in_image(np.array([80]), (9, 9))
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
