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

import itertools
import math
import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from nnspca.bounds import carried
from nnspca.result import Component
from nnspca.result.rounded import OPTIMAL, optimal, share
from nnspca.view import stored
from nnspca.view.cache import nbytes
from nnspca.view.stored import Problem, Stored, StoredParts

MOST_BYTES = 64 * 2**20
MOST_FOLLOWED = 256  # choices of k for which what follows is kept until the next find
STORED = "stored proof"
CARRIED_LOWER = OPTIMAL / 2  # relative fall from which a carried bound is shown in place of a stored proof's

_changes = itertools.count(1)  # of all accounts: no two have had the same version


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
        proven = math.isfinite(here.upper) and here.upper <= upper * (1 + CARRIED_LOWER * here.stored)
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


@st.cache_resource(show_spinner=False)
def shared() -> Ledger:
    """Return the ledger of all visits, the stored results in it."""
    return Ledger(stored.problems())
