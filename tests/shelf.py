"""What the stored ledger holds, unpacked and packed: for those who write or check it."""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from nnspca.result import Component
from nnspca.view import stored
from nnspca.view.stored import Origin, Problem, StoredKey


@dataclass(frozen=True, eq=False)
class Record:
    """What is stored of one data set, at one scale and with one sign constraint."""

    name: str
    content_hash: str
    standardise: bool
    nonnegative: bool
    n: int  # number of features
    opening: int  # the k that the data set opens with
    components: dict[int, tuple[Component, float]]  # by k: the component and the upper bound
    parts: dict[tuple[int, int], tuple[tuple[Component, ...], float]]  # by k and number of parts
    made: dict[int, Origin] = field(default_factory=dict)  # by k

    @property
    def problem(self) -> Problem:
        """The covariance and sign constraint that the record is about."""
        return self.content_hash, self.standardise, self.nonnegative


@functools.cache
def records() -> dict[StoredKey, Record]:
    """Return what is stored, by data set, scale and sign constraint, all of it unpacked, for those who write or check.

    That takes seconds and more than a hundred megabytes: the app reads ``stored.problems``.
    """
    found = {}
    for held in stored.problems().values():
        record = Record(held.name, *held.problem, held.about["n"], held.opening, {}, {}, {})
        for k, parts, upper in held.singles():
            record.components[k], record.made[k] = (parts[0], upper), held.made(k)
        for at, parts, upper in held.groups():
            record.parts[at] = tuple(parts), upper
        found[held.name, held.problem[1], held.problem[2]] = record
    return found


def pack(loadings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the support and the loadings of a vector, in ``stored.LEVELS``."""
    levels = np.rint(loadings / np.abs(loadings).max() * stored.LEVELS).astype("<i2")
    support = np.flatnonzero(levels)
    return support.astype("<u2"), levels[support]


def chained(pairs: Iterable[tuple[np.ndarray, np.ndarray]], n: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield how each support and its levels differ from those before: the features in one of the supports alone, and
    the changes of levels. Components of neighbouring k differ by little, so this takes half the room.
    """
    before = np.zeros(n, "<i2")
    for support, levels in pairs:
        now = np.zeros(n, "<i2")
        now[support] = levels
        yield np.flatnonzero((now != 0) != (before != 0)).astype("<u2"), levels - before[support]
        before = now
