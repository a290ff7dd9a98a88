"""Ledger: for each problem the best component and the lowest upper bound that any run has found.

A problem is the covariance (by the hash of the data, standardised or not), the sign constraint and
k; for several parts their number too. Every run writes what it finds, every page reads from here, so
that one problem has one number. Three facts carry entries over:

- a component with at most k nonzeros is feasible at every larger k;
- an upper bound at k holds at every smaller k, and in proportion at larger ones
  (:mod:`nnspca.bounds.carried`);
- of r disjoint parts, ``U(r) <= U(r + 1)``, ``U(r) <= U(r − 1) + U(1)``: variances are nonnegative,
  and each part alone is feasible for one.

Entries hold no proofs: certificates, which take megabytes, are kept as other results are.
"""

from __future__ import annotations

import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import streamlit as st

from nnspca.bounds import carried
from nnspca.result import Component
from nnspca.view.cache import nbytes
from nnspca.view.figures.band import Band
from nnspca.view.link.state import opening
from nnspca.view.say import optimal, share

MOST_BYTES = 128 * 2**20  # of which the stored results take some 60
STORED = "stored proof"

Problem = tuple[str, bool, bool]  # content hash of the data, standardised, nonnegative


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of one problem."""

    at: int  # k; for several parts their number
    components: tuple[Component, ...] = ()  # the best known: one, or the parts; empty where nothing is known
    lower: float = 0.0  # their variance; 0 where nothing is known
    upper: float = math.inf  # the lowest upper bound, carried ones included; infinite where none is known
    found: bool = False  # whether a run has sought a component for this problem itself
    proven: bool = False  # whether a run has given an upper bound for this problem, and not only for others
    stored: bool = False  # whether that proof comes with the package: of a thorough run for this problem itself
    source: str = ""  # where the upper bound comes from, in words, unless a run of this session's server proved it here

    bounded: bool = field(init=False)  # whether there is a component and an upper bound

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounded", bool(self.components) and math.isfinite(self.upper))

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
        return self.bounded and optimal(self.ratio)


def band_of(known: Iterable[Known], unit: float) -> Band:
    """Return what the band's figure draws; variances are divided by ``unit``."""
    rows = [row for row in known if row.found]
    return Band(
        tuple(row.at for row in rows),
        tuple(row.lower / unit for row in rows),
        tuple(row.upper / unit for row in rows),
        frozenset(row.at for row in rows if row.proven),
    )


@dataclass
class _Entry:
    """Own finds of one problem, before anything is carried over."""

    components: tuple[Component, ...] = ()
    lower: float = 0.0
    upper: float = math.inf
    stored: bool = False

    def take(self, components: tuple[Component, ...], lower: float, upper: float, *, stored: bool) -> None:
        if components and (not self.components or lower > self.lower):
            self.components, self.lower = components, lower
        if upper < self.upper:
            self.upper, self.stored = upper, stored


_Account = dict[tuple[int, int], _Entry]  # of one covariance and sign constraint: by k and number of parts


class Ledger:
    """Results of all sessions, the least recently used problems dropped beyond ``most_bytes``; thread-safe."""

    def __init__(self, most_bytes: int = MOST_BYTES):
        self._most_bytes = most_bytes
        self._accounts: OrderedDict[Problem, _Account] = OrderedDict()
        self._lock = threading.Lock()

    def record(
        self, problem: Problem, k: int, component: Component | None, upper: float = math.inf, *, stored: bool = False
    ) -> None:
        """Note a component, an upper bound at k, or both.

        ``component`` must be feasible at k: a unit vector with at most k nonzeros that keeps the
        sign constraint. ``upper`` must be proven, rounding included.
        """
        self.record_parts(problem, k, 1, () if component is None else (component,), upper, stored=stored)

    def record_parts(
        self,
        problem: Problem,
        k: int,
        n_components: int,
        parts: Sequence[Component],
        upper: float = math.inf,
        *,
        stored: bool = False,
    ) -> None:
        """Note disjoint parts of at most k nonzeros each, an upper bound on the sum of their variances, or both."""
        lower = math.fsum(part.variance for part in parts)
        with self._lock:
            account = self._accounts.setdefault(problem, {})
            self._accounts.move_to_end(problem)
            account.setdefault((k, n_components), _Entry()).take(tuple(parts), lower, upper, stored=stored)
            self._make_room()

    def forget(self, hashes: Set[str]) -> None:
        """Forget the problems of data with these hashes."""
        with self._lock:
            for problem in [problem for problem in self._accounts if problem[0] in hashes]:
                del self._accounts[problem]

    def along(self, problem: Problem, ks: Iterable[int], least: float) -> dict[int, Known]:
        """Return what is known at each k; ``least`` is the least variance of a feature."""
        with self._lock:
            account = self._accounts.get(problem)
            if account is None:
                return {k: Known(k) for k in ks}
            self._accounts.move_to_end(problem)
            return _carried({k: entry for (k, r), entry in account.items() if r == 1}, list(ks), least)

    def at(self, problem: Problem, k: int, least: float) -> Known:
        """Return what is known at k."""
        return self.along(problem, (k,), least)[k]

    def parts_along(self, problem: Problem, k: int, counts: Iterable[int], least: float) -> dict[int, Known]:
        """Return what is known of each number of disjoint parts of at most k nonzeros."""
        counts = list(counts)
        one = self.at(problem, k, least)
        with self._lock:
            account = self._accounts.get(problem, {})
            own = {r: entry for (at, r), entry in account.items() if at == k and r > 1}
            return {r: replace(one, at=1) if r == 1 else _parts_known(own, one, r) for r in counts}

    def _make_room(self) -> None:
        """Drop the problems that were used least recently; what comes with the package stays."""
        found_here = [of for of, account in self._accounts.items() if not any(e.stored for e in account.values())]
        for problem in found_here[:-1]:
            if nbytes(tuple(self._accounts.values())) <= self._most_bytes:
                return
            del self._accounts[problem]


def _carried(own: Mapping[int, _Entry], ks: list[int], least: float) -> dict[int, Known]:
    """Return what is known at each k, components and bounds carried over from the others."""
    bounds = {k: entry.upper for k, entry in own.items() if math.isfinite(entry.upper)}
    uppers = dict(zip(ks, carried.along(ks, bounds, least), strict=True))
    entries = sorted((k, entry) for k, entry in own.items() if entry.components)
    known = {}
    for k in ks:
        best = max((entry for at, entry in entries if at <= k), key=lambda entry: entry.lower, default=_Entry())
        here = own.get(k, _Entry())
        proven = math.isfinite(here.upper) and here.upper <= uppers[k]
        upper, stored = min(uppers[k], here.upper), proven and here.stored
        source = STORED if stored else "" if proven else _source(k, upper, bounds, least)
        components = tuple(replace(part, k=k) for part in best.components)
        known[k] = Known(k, components, best.lower, upper, bool(here.components), proven, stored, source)
    return known


def _source(k: int, upper: float, bounds: Mapping[int, float], least: float) -> str:
    """Say from which k an upper bound is carried, the nearest of several; nothing where there is no bound."""
    nearest = sorted(bounds.items(), key=lambda own: abs(own[0] - k))
    found = (at for at, own in nearest if carried.along([k], {at: own}, least)[0] <= upper)
    return next((f"carried from k = {at:,}" for at in found if math.isfinite(upper)), "")


def _parts_known(own: Mapping[int, _Entry], one: Known, r: int) -> Known:
    """Return what is known of r parts: own finds, and bounds carried over from other numbers of parts."""
    here = own.get(r, _Entry())
    rivals = [entry.upper for at, entry in own.items() if at >= r]
    for at, entry in [(1, None), *own.items()]:
        base = one.upper if entry is None else entry.upper
        if at < r and math.isfinite(base) and math.isfinite(one.upper):
            rivals.append(_sum_up(base, (r - at) * one.upper))
    upper = min(rivals, default=math.inf)
    proven = math.isfinite(here.upper) and here.upper <= upper
    stored = proven and here.stored
    source = STORED if stored else "carried from other numbers of parts" if math.isfinite(upper) and not proven else ""
    return Known(r, here.components, here.lower, upper, bool(here.components), proven, stored, source)


def _sum_up(first: float, second: float) -> float:
    """Return a number no less than the sum, rounding of a product before it included."""
    return math.nextafter(math.nextafter(first + second, math.inf) + abs(second) * 2**-52, math.inf)


FILE = Path(__file__).with_name("stored.npz")
METHOD = "best"
STEPS = 32767  # of the largest loading

Key = tuple[str, bool, bool]  # name of the data set, standardised, nonnegative


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
    parts: dict[int, tuple[tuple[Component, ...], float]]  # by number of parts, at the opening k

    @property
    def problem(self) -> Problem:
        """The covariance and sign constraint that the record is about."""
        return self.content_hash, self.standardise, self.nonnegative


@cache
def records(file: Path = FILE) -> dict[Key, Record]:
    """Return what is stored, by data set, scale and sign constraint."""
    with np.load(file, allow_pickle=False) as arrays:
        found = [_record(fields, arrays) for fields in json.loads(str(arrays["about"]))]
    return {(record.name, record.standardise, record.nonnegative): record for record in found}


def cardinalities(problem: Problem) -> tuple[int, ...]:
    """Return the k at which results of a problem are stored, ascending; none where it is not stored."""
    return next((tuple(sorted(record.components)) for record in records().values() if record.problem == problem), ())


def pack(loadings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the support and the 16-bit loadings of a vector."""
    levels = np.rint(loadings / np.abs(loadings).max() * STEPS).astype("<i2")
    support = np.flatnonzero(levels)
    return support.astype("<u2"), levels[support]


def unpack(support: np.ndarray, levels: np.ndarray, n: int) -> np.ndarray:
    """Return the unit vector that :func:`pack` has packed.

    >>> unpack(*pack(np.array([0.0, 0.6, 0.8])), 3).round(4).tolist()
    [0.0, 0.6, 0.8]
    """
    loadings = np.zeros(n)
    loadings[support] = levels.astype(float) / STEPS
    return loadings / np.linalg.norm(loadings)


def _record(fields: dict, arrays: np.lib.npyio.NpzFile) -> Record:
    nonnegative = fields["nonnegative"]

    def components(kind: str, ks: list[int]) -> list[Component]:
        support, levels = (arrays[f"{fields['arrays']}/{kind}{part}"] for part in ("support", "levels"))
        starts = np.concatenate([[0], np.cumsum(fields[f"{kind}nonzeros"])]).astype(int)
        return [
            Component(unpack(support[a:b], levels[a:b], fields["n"]), variance, METHOD, k, nonnegative)
            for variance, k, (a, b) in zip(fields[f"{kind}lower"], ks, pairwise(starts.tolist()), strict=True)
        ]

    ks, opening = fields["ks"], fields["opening"]
    each = components("parts_", [opening] * len(fields["parts_nonzeros"]))
    starts = np.concatenate([[0], np.cumsum(fields["parts_of"])])
    grouped = [tuple(each[a:b]) for a, b in pairwise(starts.tolist())]
    return Record(
        fields["name"],
        fields["content_hash"],
        fields["standardise"],
        nonnegative,
        fields["n"],
        opening,
        dict(zip(ks, zip(components("", ks), fields["upper"], strict=True), strict=True)),
        dict(zip(fields["counts"], zip(grouped, fields["parts_upper"], strict=True), strict=True)),
    )


def opened_as(name: str) -> Key:
    """Return the scale and the sign constraint with which a data set opens, after its name."""
    return name, opening(name).standardise, True


@cache
def _opened(find: Callable[[], dict[Key, Record]]) -> tuple[Record, ...]:
    """Return the records of the views that data sets open with, of those that ``find`` returns."""
    return tuple(record for key, record in find().items() if key == opened_as(key[0]))


def openings() -> dict[str, Known]:
    """Return what is known of the component that each stored data set opens with."""
    book = shared()
    known = {record.name: book.at(record.problem, record.opening, 0.0) for record in _opened(records)}
    return {name: best for name, best in known.items() if best.bounded}  # variances are at least 0


@st.cache_resource(show_spinner=False)
def shared() -> Ledger:
    """Return the ledger of all visits, the stored results in it."""
    book = Ledger()
    for record in records().values():
        for k, (component, upper) in record.components.items():
            book.record(record.problem, k, component, upper, stored=True)
        for r, (parts, upper) in record.parts.items():
            book.record_parts(record.problem, record.opening, r, parts, upper, stored=True)
    return book
