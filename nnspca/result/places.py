"""Where features lie, in words: the regions of an image that pixels are in, the stretches of an axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from nnspca.result import wording
from nnspca.result.features import Features

MOST = 0.8  # share of the pixels that the regions named hold together
REGIONS = 3  # and how many of them are named
STRETCHES = 3  # of an axis that are named
ROWS, COLUMNS = ("upper", "middle", "lower"), ("left", "centre", "right")
HALVES = ("upper half", "lower half", "left half", "right half")


def told(support: np.ndarray, seen: Features | None) -> str | None:
    """Return how many features these are and where they lie; None where features are told by name."""
    if seen is None or not len(support):
        return None
    if seen.image_shape is not None:
        return f"{wording.counted(len(support), 'pixel')}, {pixels(support, seen.image_shape)}"
    if seen.axis is not None:
        name = seen.axis_title.partition(" (")[0]
        return f"{wording.counted(len(support), 'feature')} at {name} {along(support, seen.axis, seen.axis_title)}"
    return None


def pixels(support: np.ndarray, shape: tuple[int, int]) -> str:
    """Return in which ninths, or else in which half, of an image most of these pixels lie.

    >>> pixels(np.array([0, 1, 9, 10]), (9, 9))
    'all at the upper left'
    >>> pixels(np.array([0, 1, 2, 3, 80]), (9, 9))
    'four of them at the upper left and the upper centre'
    """
    rows, columns = np.divmod(support, shape[1])
    row, column = (((6 * at + 3) // (2 * size)).tolist() for at, size in zip((rows, columns), shape, strict=True))
    cells = Counter(zip(row, column, strict=True))  # of each pixel's centre
    chosen: list[tuple[int, int]] = []
    held = 0
    for cell, count in sorted(cells.items(), key=lambda item: (-item[1], item[0])):
        if held >= MOST * len(support):
            break
        chosen.append(cell)
        held += count
    if min(shape) >= 3 and len(chosen) <= REGIONS:
        where = wording.listed([f"the {_ninth(*cell)}" for cell in sorted(chosen)])
        return f"{_of_them(held, len(support))} at {where}"
    counts = [(2 * rows < shape[0] - 1), (2 * rows > shape[0] - 1), (2 * columns < shape[1] - 1)]
    counts.append(2 * columns > shape[1] - 1)
    held, half = max(
        ((int(inside.sum()), name) for inside, name in zip(counts, HALVES, strict=True)), key=lambda c: c[0]
    )
    if held >= MOST * len(support):
        return f"{_of_them(held, len(support))} in the {half}"
    return "spread over the image"


def _ninth(row: int, column: int) -> str:
    return "centre" if row == column == 1 else f"{ROWS[row]} {COLUMNS[column]}"


def _of_them(held: int, all_: int) -> str:
    return "all" if held == all_ else f"{wording.spelled(held)} of them"


def along(support: np.ndarray, axis: np.ndarray, title: str) -> str:
    """Return in which stretches of an axis features lie: neighbours along it make one.

    >>> along(np.array([1, 2, 4]), np.array([7.0, 7.5, 8.0, 8.5, 9.0]), "wavelength (µm)")
    '7.5 to 8 and 9 µm'
    """
    unit = title.removesuffix(")").partition(" (")[2]
    places = np.empty(len(axis), dtype=int)
    places[np.argsort(axis, kind="stable")] = np.arange(len(axis))
    order = support[np.argsort(places[support])]
    runs = np.split(order, 1 + np.flatnonzero(np.diff(places[order]) > 1))
    longest = sorted(sorted(runs, key=len, reverse=True)[:STRETCHES], key=lambda run: axis[run[0]])
    said = [_stretch(axis[run]) for run in longest]
    left = len(runs) - len(said)
    more = (
        f" and at {wording.counted(left, 'more stretch').removesuffix('s')}{'es' if left > 1 else ''}" if left else ""
    )
    listed = ", ".join(said) if left else wording.listed(said)
    return f"{listed}{f' {unit}' if unit else ''}{more}"


def _stretch(values: Sequence[float] | np.ndarray) -> str:
    low, high = f"{values[0]:.4g}", f"{values[-1]:.4g}"
    return low if low == high else f"{low} to {high}"
