"""What comes with the package: the best components and upper bounds of its data sets, in one file."""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nnspca.result import Component
from nnspca.view.link.state import opening

FILE = Path(__file__).with_name("stored.npz")
LEVELS = 4095  # of the largest loading
Problem = tuple[str, bool, bool]  # content hash of the data, standardised, nonnegative
StoredKey = tuple[str, bool, bool]  # name of the data set, standardised, nonnegative


@dataclass(frozen=True)
class Origin:
    """How a stored upper bound was made, as far as that was kept."""

    day: str = ""  # year-month-day
    bound: str = ""  # its name in the registry of bounds
    effort: str = ""
    seconds: float = 0.0


def problems() -> Mapping[Problem, Stored]:
    """Return what is stored, by problem; of components, only how many there are is read here."""
    return _read(FILE)


@functools.cache
def _read(file: Path) -> dict[Problem, Stored]:
    with np.load(file, allow_pickle=False) as arrays:
        written = json.loads(arrays["about"].item())
    found = {}
    for about in written:
        name, problem = about["name"], (about["content_hash"], about["standardise"], about["nonnegative"])
        opened = (name, *problem[1:]) == opening_key(name)
        found[problem] = Stored(name, problem, about["opening"], opened, about, file)
    return found


def cardinalities(problem: Problem) -> tuple[int, ...]:
    """Return the k at which proofs of a problem are stored, ascending; none where it is not stored."""
    held = problems().get(problem)
    rows = () if held is None else zip(held.about["ks"], held.about["upper"], strict=True)
    return tuple(k for k, upper in rows if math.isfinite(upper))


def unit_vector(support: np.ndarray, levels: np.ndarray, n: int) -> np.ndarray:
    """Return the unit vector of a support and loadings in ``LEVELS``.

    >>> unit_vector(np.array([1, 2]), np.array([3, 4]), 3).round(4).tolist()
    [0.0, 0.6, 0.8]
    """
    loadings = np.zeros(n)
    loadings[support] = levels.astype(float) / LEVELS
    return loadings / np.linalg.norm(loadings)


def from_changes(moved: np.ndarray, counts: Iterable[int], changes: np.ndarray, n: int) -> Iterator[tuple[Any, Any]]:
    """Yield supports and levels, each from its difference to the ones before; the first, to none.

    ``moved`` has the features in one of two supports alone, ``counts`` of each, and ``changes`` those of levels.
    Components of neighbouring k differ by little, so this takes half the room.

    >>> pairs = from_changes(np.array([0, 2, 0]), [2, 1], np.array([7, 9, -1], "<i2"), 3)
    >>> [(support.tolist(), levels.tolist()) for support, levels in pairs]
    [([0, 2], [7, 9]), ([2], [8])]
    """
    inside, levels, start, end = np.zeros(n, bool), np.zeros(n, "<i2"), 0, 0
    for count in counts:
        inside[moved[start : start + count]] ^= True
        support = np.flatnonzero(inside)
        levels[~inside] = 0
        levels[support] += changes[end : end + len(support)]
        yield support.astype("<u2"), levels[support]
        start, end = start + count, end + len(support)


@dataclass(frozen=True, eq=False)
class StoredParts(Sequence[Component]):
    """Components as they are stored: each is unpacked when it is asked for."""

    n: int  # number of features
    k: int
    nonnegative: bool
    variances: Sequence[float]
    chain: Callable[[], Sequence[tuple[np.ndarray, np.ndarray]]]  # support and levels of all stored beside them
    start: int  # where these begin

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.variances)

    def __getitem__(self, at: Any) -> Any:
        """Return one of them."""
        variance, (support, levels) = self.variances[at], self.chain()[self.start + at]
        return Component(unit_vector(support, levels, self.n), variance, "best", self.k, self.nonnegative)


@dataclass(frozen=True, eq=False)
class Stored:
    """What the file has of one problem."""

    name: str  # of the data set
    problem: Problem
    opening: int  # the k that the data set opens with
    opened: bool  # whether it opens at this scale and with this sign constraint
    about: Mapping[str, Any]  # all numbers: see tests/ledger.py, which writes them
    file: Path

    def made(self, k: int) -> Origin:
        """Return how the upper bound at a stored k was made."""
        return Origin(*self.about["made"][self.about["ks"].index(k)])

    def read(self) -> Iterator[tuple[int, int, StoredParts, float, float]]:
        """Yield k, for how many parts, the component or the parts, their variance, and the upper bound."""
        for k, part, upper in self.singles():
            yield k, 1, part, part.variances[0], upper
        for (k, r), parts, upper in self.groups():
            yield k, r, parts, math.fsum(parts.variances), upper

    def singles(self) -> Iterator[tuple[int, StoredParts, float]]:
        """Yield each k with its component and upper bound, infinite where none is stored."""
        ks = self.about["ks"]
        return zip(ks, self._packed("", ks, [1] * len(ks)), self.about["upper"], strict=True)

    def groups(self) -> Iterator[tuple[tuple[int, int], StoredParts, float]]:
        """Yield each k and number of parts with the parts, of which there may be fewer, and their upper bound."""
        at, ks = zip(self.about["parts_ks"], self.about["counts"], strict=True), self.about["parts_ks"]
        return zip(at, self._packed("parts_", ks, self.about["parts_of"]), self.about["parts_upper"], strict=True)

    def _packed(self, kind: str, ks: Sequence[int], sizes: Sequence[int]) -> Iterator[StoredParts]:
        n, nonnegative, variances = self.about["n"], self.problem[2], self.about[f"{kind}lower"]
        chain, ends = functools.partial(_unpacked, self, kind), itertools.accumulate(sizes)
        for k, size, end in zip(ks, sizes, ends, strict=True):
            yield StoredParts(n, k, nonnegative, variances[end - size : end], chain, end - size)


@functools.cache
def _unpacked(held: Stored, kind: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the support and the levels of each component, read when the first of them is used."""
    place = held.about["arrays"]
    with np.load(held.file, allow_pickle=False) as arrays:
        moved, planes = (arrays[f"{place}/{kind}{part}"] for part in ("moved", "changes"))
    changes = np.ascontiguousarray(planes.T).view("<i2").ravel()
    return list(from_changes(moved, held.about[f"{kind}moved"], changes, held.about["n"]))


def opening_key(name: str) -> StoredKey:
    """Return the scale and the sign constraint with which a data set opens, after its name."""
    return name, opening(name).standardise, True
