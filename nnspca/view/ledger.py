"""Ledger: for each problem the best component and the lowest upper bound that any run has found.

A problem is the covariance (by the hash of the data, standardised or not), the sign constraint and
k; for several parts their number too. Every run writes what it finds, every page reads from here, so
that one problem has one number. Three facts carry entries over:

- a component with at most k nonzeros is feasible at every larger k;
- an upper bound at k holds at every smaller k, and in proportion at larger ones
  (:mod:`nnspca.bounds.carried`), of several parts too;
- of r disjoint parts, ``U(r) <= U(r + 1)``, ``U(r) <= U(r − 1) + U(1)``: variances are nonnegative,
  and each part alone is feasible for one.

Entries hold no proofs: certificates, which take megabytes, are kept as other results are.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from nnspca.bounds import carried
from nnspca.result import Component
from nnspca.result.rounded import OPTIMAL, optimal, share
from nnspca.view.cache import nbytes
from nnspca.view.link.state import opening

MOST_BYTES = 64 * 2**20
MOST_FOLLOWED = 256  # choices of k for which what follows is kept until the next find
NEAR = OPTIMAL / 2  # by how much a carried bound has to be lower, relatively, to be shown where a proof is stored

Problem = tuple[str, bool, bool]  # content hash of the data, standardised, nonnegative
_changes = itertools.count(1)  # of all accounts: no two have had the same version
FILE = Path(__file__).with_name("stored.npz")
STEPS = 4095  # of the largest loading
Key = tuple[str, bool, bool]  # name of the data set, standardised, nonnegative


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of one problem."""

    at: int  # k; for several parts their number
    components: Sequence[Component] = ()  # the best known: one, or the parts; empty where nothing is known
    lower: float = 0.0  # their variance; 0 where nothing is known
    upper: float = math.inf  # the lowest upper bound, carried ones included; infinite where none is known
    found: bool = False  # whether a run has sought a component for this problem itself
    proven: bool = False  # whether a run has given an upper bound for this problem, and not only for others
    stored: bool = False  # whether that proof comes with the package: of a thorough run for this problem itself
    carried: int | None = None  # the k that the upper bound is carried over from; 0: from other numbers of parts

    @property
    def source(self) -> str:
        """Where the upper bound comes from, in words, unless a run of this session's server proved it here."""
        if self.stored or self.carried is None:
            return "stored proof" if self.stored else ""
        return f"carried from {f'k = {self.carried:,}' if self.carried else 'other numbers of parts'}"

    @property
    def bounded(self) -> bool:
        """Whether there is a component and an upper bound."""
        return bool(self.components) and math.isfinite(self.upper)

    @property
    def component(self) -> Component:
        """The best component known."""
        return self.components[0]

    @property
    def ratio(self) -> float:
        """Proven share of the optimum, 0 to 1; 0 where no bound is known."""
        return share(self.lower, self.upper)

    @property
    def optimal(self) -> bool:
        """Whether the component is proven optimal, to 1 part in 10,000."""
        return self.bounded and optimal(self.lower, self.upper)


@dataclass
class _Entry:
    """Own finds of one problem, before anything is carried over."""

    components: Sequence[Component] = ()
    lower: float = 0.0
    upper: float = math.inf
    stored: bool = False

    def take(self, components: Sequence[Component], lower: float, upper: float, *, stored: bool) -> bool:
        """Keep what is better than what is here; return whether anything is."""
        better, tighter = bool(components) and (not self.components or lower > self.lower), upper < self.upper
        if better:
            self.components, self.lower = components, lower
        if tighter:
            self.upper, self.stored = upper, stored
        return better or tighter


class _Account:
    """Finds of one covariance and sign constraint, and what follows from them at each k until the next find."""

    def __init__(self) -> None:
        self.entries: dict[tuple[int, int], _Entry] = {}  # by k and number of parts
        self.stored = False  # whether some of it comes with the package
        self.weight = 0  # bytes of its components
        self.changed()

    def changed(self) -> None:
        self.version = next(_changes)
        self.followed: dict[tuple[tuple[int, ...], float], dict[int, Known]] = {}

    def take(self, k: int, r: int, parts: Sequence[Component], lower: float, upper: float, *, stored: bool) -> None:
        entry = self.entries.setdefault((k, r), _Entry())
        before = entry.components
        if entry.take(parts, lower, upper, stored=stored):
            self.changed()
        if entry.components is not before and not stored:  # all weighed at each find would cost more than the finds
            self.weight += nbytes(entry.components) - nbytes(before) * (not isinstance(before, StoredParts))
        self.stored |= stored


class Ledger:
    """Results of all sessions, the least recently used problems dropped beyond ``most_bytes``; thread-safe.

    What is ``stored`` of a problem is read when the problem is first asked for.
    """

    def __init__(self, stored: Mapping[Problem, Stored] | None = None, most_bytes: int = MOST_BYTES):
        self._stored, self._most_bytes = stored or {}, most_bytes
        self._accounts: OrderedDict[Problem, _Account] = OrderedDict()
        self._lock = threading.Lock()

    def record(
        self,
        problem: Problem,
        k: int,
        found: Component | Sequence[Component] | None,
        upper: float = math.inf,
        *,
        n_components: int = 1,
        stored: bool = False,
    ) -> None:
        """Note a component or disjoint parts, an upper bound on the sum of the variances of so many, or both.

        Each must be feasible at k: a unit vector with at most k nonzeros that keeps the sign constraint. ``upper`` must
        be proven, rounding included.
        """
        parts = () if found is None else (found,) if isinstance(found, Component) else tuple(found)
        lower = math.fsum(part.variance for part in parts)
        with self._lock:
            self._account(problem).take(k, n_components, parts, lower, upper, stored=stored)
            self._make_room()

    def forget(self, hashes: Set[str]) -> None:
        """Forget the problems of data with these hashes."""
        with self._lock:
            for problem in [problem for problem in self._accounts if problem[0] in hashes]:
                del self._accounts[problem]

    def version(self, problem: Problem) -> int:
        """Return a number that is another one after each find about a problem."""
        with self._lock:
            return self._account(problem).version

    def along(self, problem: Problem, ks: Iterable[int], least: float) -> Mapping[int, Known]:
        """Return what is known at each k; ``least`` is the least variance of a feature."""
        with self._lock:
            account, about = self._account(problem), (tuple(ks), least)
            if about not in account.followed:
                own = {k: entry for (k, r), entry in account.entries.items() if r == 1}
                if len(account.followed) >= MOST_FOLLOWED:  # each visitor may ask for k of their own
                    account.followed.clear()
                account.followed[about] = _carried(own, about[0], least)
            return account.followed[about]

    def at(self, problem: Problem, k: int, least: float) -> Known:
        """Return what is known at k."""
        return self.along(problem, (k,), least)[k]

    def parts_along(self, problem: Problem, k: int, counts: Iterable[int], least: float) -> dict[int, Known]:
        """Return what is known of each number of disjoint parts of at most k nonzeros."""
        one = self.at(problem, k, least)
        with self._lock:
            entries = self._account(problem).entries
            own = {r: {at: e for (at, q), e in entries.items() if q == r} for r in {r for _, r in entries if r > 1}}
            return {r: replace(one, at=1) if r == 1 else _parts_known(own, one, r, k, least) for r in counts}

    def _account(self, problem: Problem) -> _Account:
        if problem not in self._accounts:
            self._accounts[problem] = account = _Account()
            if problem in self._stored:
                for k, r, parts, lower, upper in self._stored[problem].read():
                    account.take(k, r, parts, lower, upper, stored=True)
        self._accounts.move_to_end(problem)
        return self._accounts[problem]

    def _make_room(self) -> None:
        """Drop the problems that were used least recently; what comes with the package stays."""
        found_here = [of for of, account in self._accounts.items() if not account.stored]
        for problem in found_here[:-1]:
            if sum(account.weight for account in self._accounts.values()) <= self._most_bytes:
                return
            del self._accounts[problem]


def _carried(own: Mapping[int, _Entry], ks: Sequence[int], least: float) -> dict[int, Known]:
    """Return what is known at each k, components and bounds carried over from the others."""
    at = np.array([k for k, entry in own.items() if math.isfinite(entry.upper)], dtype=float)
    bounds = np.array([own[int(k)].upper for k in at])
    waiting = deque(sorted((k, entry) for k, entry in own.items() if entry.components))
    known, best = {}, _Entry()
    for k in sorted(ks):
        while waiting and waiting[0][0] <= k:
            _, entry = waiting.popleft()
            best = entry if entry.lower > best.lower or not best.components else best
        here, follow = own.get(k, _Entry()), carried.following(k, at, bounds, least)
        upper = float(follow.min(initial=math.inf))
        proven = math.isfinite(here.upper) and here.upper <= upper * (1 + NEAR * here.stored)
        upper, giver = here.upper if proven else upper, None
        if not proven and at.size and math.isfinite(upper):
            givers = at[follow <= upper]
            giver = int(givers[np.abs(givers - k).argmin()])
        stored = proven and here.stored
        parts, found = best.components, bool(here.components)
        parts = replace(parts, k=k) if isinstance(parts, StoredParts) else tuple(replace(part, k=k) for part in parts)
        known[k] = Known(k, parts, best.lower, upper, found, proven, stored, giver)
    return known


def _parts_known(own: Mapping[int, Mapping[int, _Entry]], one: Known, r: int, k: int, least: float) -> Known:
    """Return what is known of r parts from own finds, by number of parts and k, with bounds carried from the others."""
    here, uppers, givers = own.get(r, {}).get(k, _Entry()), {1: one.upper}, {}
    for many, entries in own.items():
        proofs = {at: entry.upper for at, entry in entries.items() if math.isfinite(entry.upper)}
        if proofs:
            ks = np.array(list(proofs), dtype=float)
            follow = carried.following(k, ks, np.array(list(proofs.values())), least)
            uppers[many], givers[many] = float(follow.min()), int(ks[follow.argmin()])
    summed = ((u if at >= r else _sum_up(u, (r - at) * one.upper), at != r) for at, u in uppers.items())
    upper, is_other = min(summed)
    proven = math.isfinite(here.upper) and here.upper <= upper
    stored = proven and here.stored
    giver = None if proven or math.isinf(upper) else 0 if is_other else givers[r]
    return Known(r, here.components, here.lower, upper, bool(here.components), proven, stored, giver)


def _sum_up(first: float, second: float) -> float:
    """Return a number no less than the sum, rounding of a product before it included."""
    return math.nextafter(math.nextafter(first + second, math.inf) + abs(second) * 2**-52, math.inf)


@dataclass(frozen=True)
class Made:
    """How a stored upper bound was made, as far as that was kept."""

    day: str = ""  # year-month-day
    bound: str = ""  # its name in the registry of bounds
    effort: str = ""
    seconds: float = 0.0


def stored() -> Mapping[Problem, Stored]:
    """Return what is stored, by problem; of components, only how many there are is read here."""
    return _read(FILE)


@functools.cache
def _read(file: Path) -> dict[Problem, Stored]:
    with np.load(file, allow_pickle=False) as arrays:
        written = json.loads(arrays["about"].item())
    found = {}
    for about in written:
        name, problem = about["name"], (about["content_hash"], about["standardise"], about["nonnegative"])
        opened = (name, *problem[1:]) == default_view(name)
        found[problem] = Stored(name, problem, about["opening"], opened, about, file)
    return found


def cardinalities(problem: Problem) -> tuple[int, ...]:
    """Return the k at which proofs of a problem are stored, ascending; none where it is not stored."""
    held = stored().get(problem)
    rows = () if held is None else zip(held.about["ks"], held.about["upper"], strict=True)
    return tuple(k for k, upper in rows if math.isfinite(upper))


def unpack(support: np.ndarray, levels: np.ndarray, n: int) -> np.ndarray:
    """Return the unit vector of a support and loadings in ``STEPS``.

    >>> unpack(np.array([1, 2]), np.array([3, 4]), 3).round(4).tolist()
    [0.0, 0.6, 0.8]
    """
    loadings = np.zeros(n)
    loadings[support] = levels.astype(float) / STEPS
    return loadings / np.linalg.norm(loadings)


def from_changes(moved: np.ndarray, counts: Iterable[int], changes: np.ndarray, n: int) -> Iterator[tuple[Any, Any]]:
    """Yield supports and levels, each told by its difference from those before: first from none.

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
        return Component(unpack(support, levels, self.n), variance, "best", self.k, self.nonnegative)


@dataclass(frozen=True, eq=False)
class Stored:
    """What the file has of one problem."""

    name: str  # of the data set
    problem: Problem
    opening: int  # the k that the data set opens with
    opened: bool  # whether it opens at this scale and with this sign constraint
    about: Mapping[str, Any]  # all numbers: see tests/ledger.py, which writes them
    file: Path

    def made(self, k: int) -> Made:
        """Return how the upper bound at a stored k was made."""
        return Made(*self.about["made"][self.about["ks"].index(k)])

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


def default_view(name: str) -> Key:
    """Return the scale and the sign constraint with which a data set opens, after its name."""
    return name, opening(name).standardise, True


@st.cache_resource(show_spinner=False)
def shared() -> Ledger:
    """Return the ledger of all visits, the stored results in it."""
    return Ledger(stored())
