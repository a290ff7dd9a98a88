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

import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from nnspca.bounds import carried
from nnspca.result import Component
from nnspca.view.cache import nbytes
from nnspca.view.say import share
from nnspca.view.words import optimal

MOST_BYTES = 64 * 2**20

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

    @property
    def component(self) -> Component:
        """The best component known."""
        return self.components[0]

    @property
    def bounded(self) -> bool:
        """Whether there is a component and an upper bound."""
        return bool(self.components) and math.isfinite(self.upper)

    @property
    def ratio(self) -> float:
        """Proven share of the optimum, 0 to 1; 0 where no bound is known."""
        return share(self.lower, self.upper)

    @property
    def optimal(self) -> bool:
        """Whether the component is proven optimal, to 1 part in 10,000."""
        return self.bounded and optimal(self.ratio)


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
        upper = min(uppers[k], here.upper)
        components = tuple(replace(part, k=k) for part in best.components)
        known[k] = Known(k, components, best.lower, upper, bool(here.components), proven, proven and here.stored)
    return known


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
    return Known(r, here.components, here.lower, upper, bool(here.components), proven, proven and here.stored)


def _sum_up(first: float, second: float) -> float:
    """Return a number no less than the sum, rounding of a product before it included."""
    return math.nextafter(math.nextafter(first + second, math.inf) + abs(second) * 2**-52, math.inf)
