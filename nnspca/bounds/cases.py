"""Cases of an elimination: for some numbers of features outside T, a bound on T, and the step that lowers the largest.

A bound on T with more features holds with fewer, so a few cardinalities serve all q: each :class:`Case` is one of them,
and work goes to the case behind the largest value. The multipliers of one splitting bound every case
(:class:`nnspca.bounds.pair_scaled.Series`), each for less than the cost of a step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from nnspca.bounds import balanced, branch, selection
from nnspca.bounds.core import part_of
from nnspca.bounds.pair_scaled import CHECK, TURN, Series, proof_of, run_in_thread
from nnspca.bounds.plan import LOOK_BACK, is_stalling, step_seconds
from nnspca.bounds.splitting import Splitting
from nnspca.certificates.proofs import BoxProof, EliminationProof, PairProof, ScaleProof, SeriesProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible, rounding
from nnspca.result import Bound

# Ratio of the gaps at the first and last q of a case above which a case between them hardly helps. At 0.5: −.0001 on
# LFW and 77 × 7,129 together; at 1: −.0016 on 168 × 2,905, k = 200.
BETWEEN = 0.9
# Steps that what the multipliers of another case prove is counted as. Half: +.0009, double: −.0014 on 49 × 7,129,
# k = 50.
TRANSFER = 0.5
# Ratio of the gap known to that on T alone beyond which a larger T pays more than further steps where nothing is proven
# of all features. Half, double: 0 on 49 × 7,129, k = 50.
FAR = 4.0
# Maximum number of cases with a tree, each with a third of the numbers that a tree may have. At 1: 0 on LFW, k = 40,
# and 49 × 7,129, k = 50; not doubled apart.
TREES = 3


@dataclass
class Case:
    """At most ``problem.k`` features of T, with the least upper bound known, its proof and its relaxation."""

    problem: Problem
    value: float = np.inf
    proof: object = None
    splitting: Splitting | None = None
    tree: Iterator[Bound] | None = None
    past: list[float] = field(default_factory=lambda: [np.inf])  # least bound of its splitting after each turn
    is_stalled: bool = False  # whether its splitting has stalled
    source: int | None = None  # the case whose multipliers prove its bound, by its least number of features outside
    version: int = 0  # of the multipliers of all cases when it last took the best of them
    unhelped: int = 0  # how many of these in a row did not lower its value
    wider: tuple[Splitting, np.ndarray] | None = None  # that of more features, and the places of these among them

    def improve(self, value: float, proof: object, source: int | None = None) -> None:
        """Keep the lower of two upper bounds."""
        if value < self.value:
            self.value, self.proof, self.source = value, proof, source


@dataclass
class Elimination:
    """The cases on one set T, and the bound that follows for each number of features outside."""

    problem: Problem
    x: np.ndarray
    lower_bound: float  # proven to be attained by x
    inside: np.ndarray
    excluded_mass: np.ndarray  # ε_q for q = 0, 1, …, as many as can lie outside
    row_skip_threshold: float = 0.0  # features whose variance alone bounds their mass by this: rows not read
    boxes: BoxProof | None = None  # joint bounds on the masses of features of large variance
    monitor: Monitor = field(default_factory=Monitor)
    consider: Callable[[np.ndarray], None] = lambda support: None
    turn: int = TURN  # steps of a splitting between two bounds
    cases: dict[int, Case] = field(default_factory=dict)  # by the least number q of features outside
    sources: dict[int, Series] = field(init=False, default_factory=dict)  # the best multipliers of each splitting
    version: int = field(init=False, default=0)  # how often these have changed

    def __post_init__(self) -> None:
        self.part = self.cases[0].problem.cov if self.cases else part_of(self.problem.cov, self.inside)
        self.error = self.problem.cov.held.error_elsewhere
        if not self.cases:
            self._open(0)

    def without(self, features: np.ndarray, x: np.ndarray, monitor: Monitor) -> Elimination:
        """Return the elimination on T without some features, for a point x that has no loading on them."""
        places = np.flatnonzero(~np.isin(self.inside, features))
        part = self.part.restrict(places)
        cases = {q_min: self._restricted(case, part, places, monitor) for q_min, case in self.cases.items()}
        return replace(self, x=x, inside=self.inside[places], monitor=monitor, turn=CHECK, cases=cases)

    def _restricted(self, case: Case, part: Covariance, places: np.ndarray, monitor: Monitor) -> Case:
        """A case on fewer features: its multipliers stay valid, and no bound rises."""
        problem = Problem(part, min(case.problem.k, len(places)), self.problem.nonnegative)
        fewer = Case(problem, case.value, is_stalled=not part.diagonal.max() > 0)
        if fewer.is_stalled:
            return fewer
        fewer.wider = None if case.splitting is None else (case.splitting, places)
        if (proof := _of_pairs(case.proof)) is not None:
            block = np.ix_(places, places)
            fewer.improve(proof_of(problem, proof.L[block], proof.M[block])[0] + self.error, None)
        else:
            fewer.improve(balanced.balanced_rows(problem, monitor=monitor).value + self.error, None)
        return fewer

    def _posed(self, k: int) -> Problem:
        return Problem(self.part, min(k, len(self.inside)), self.problem.nonnegative)

    def _open(self, q_min: int) -> None:
        """Open a case with what known multipliers prove of it; with balanced rows if there are none."""
        case = self.cases[q_min] = Case(self._posed(self.problem.k - q_min))
        if self.sources:
            self._transfer(q_min)
        else:
            bound = balanced.balanced_rows(case.problem, monitor=self.monitor)
            case.improve(bound.value + self.error, bound.ingredients)

    def _transfer(self, q_min: int) -> None:
        """Bound a case by the multipliers of the case that serve it best: they hold for any number of features."""
        case = self.cases[q_min]
        c = case.problem.k
        case.version = self.version
        work = TRANSFER * step_seconds(len(self.inside))
        self.monitor.search.pay(work)
        self.monitor.pay(work)
        source, before = min(self.sources, key=lambda q: self.sources[q].estimate(c)), case.value
        if self.sources[source].estimate(c) + self.error < case.value:
            value, proof = self.sources[source].proven(c)
            case.improve(value + self.error, proof, source)
        case.unhelped = 0 if case.value < before else case.unhelped + 1

    def upper_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """For each q, the upper bound on all features, and the first q of the case behind it."""
        values, origin = np.zeros(len(self.excluded_mass)), np.zeros(len(self.excluded_mass), dtype=int)
        best, at = np.inf, 0
        for q in range(len(self.excluded_mass)):
            if q in self.cases and self.cases[q].value <= best:
                best, at = self.cases[q].value, q
            on_part = best if q < self.problem.k else 0.0  # no feature of T at all
            values[q], origin[q] = self._value(q, on_part), at
        return values, origin

    def needs_larger_subset(self, least: float) -> bool:
        """Whether so much mass is outside that T is too small.

        No step helps soon, or nothing is proven below ``least``, a bound known, though the gap on T is far smaller.
        """
        values, _ = self.upper_bounds()
        worst, known = int(values.argmax()), least - self.lower_bound
        rests = self.cases[0].is_stalled and float(self.excluded_mass[worst]) > selection.LARGE_MASS
        return rests or values[worst] - self.lower_bound >= known > FAR * (values[0] - self.lower_bound)

    def bound(self) -> Bound:
        """The largest of the bounds over q, with its proof."""
        values, _ = self.upper_bounds()
        proofs = _joined(self._needed(float(values.max())))
        support = np.flatnonzero(self.x)
        outside = self.problem.n - len(self.inside)
        most = int(np.flatnonzero(values >= self.lower_bound).max(initial=0))
        mass = math.ceil(1000 * self.excluded_mass[most]) / 10
        # Rows that were read here have to be read on any machine. On another one a mass A_ii / LB can
        # be smaller by relative rounding and by four allowances (in units of LB) at most: the
        # allowance included here, the drift of A_ii (less than one), and both again for LB, since no
        # mass exceeds 1.
        row_skip_threshold = max(
            self.row_skip_threshold * (1 - 1e-6) - 4 * self.problem.cov.held.room() / self.lower_bound, 0.0
        )
        return Bound(
            "elimination",
            float(values.max()),
            detail=(
                f"{len(self.inside):,} features stay in the problem. An optimal component uses "
                + (
                    f"at most {most:,} of the {outside:,} others, with at most {mass:.1f} % of its squared norm."
                    if most
                    else f"none of the {outside:,} others."
                )
            ),
            ingredients=EliminationProof(
                self.inside,
                support,
                self.x[support],
                tuple(cardinality for cardinality, _ in proofs),
                tuple(proof for _, proof in proofs),
                row_skip_threshold,
                self.boxes,
            ),
        )

    def _needed(self, most: float) -> list[Case]:
        """The fewest cases that prove the bound for every number of features outside: a shorter file to check."""
        chosen: list[int] = []
        for q in range(min(self.problem.k, len(self.excluded_mass))):
            if not chosen or self._value(q, self.cases[chosen[-1]].value) > most:
                chosen.append(min((q_min for q_min in self.cases if q_min <= q), key=lambda f: self.cases[f].value))
        return [self.cases[q_min] for q_min in chosen]

    def _value(self, q: int, on_part: float) -> float:
        """The upper bound on all features that follows from one on T with q features outside."""
        # A may be indefinite by its error e: A + eI is not, and adds e to both bounds, (U + e)/(1 − ε) − e. The error
        # is less than one allowance; two are allowed for
        return rounding.eliminated(on_part, float(self.excluded_mass[q]), 2 * self.problem.cov.held.room())

    def work(self, goal: float, trees: bool) -> bool:
        """Try to lower the largest bound; False if nothing is left to try or the tree has no further bound.

        If the largest value is that of the first q of a case, the case is bounded by the best multipliers known; then
        the splitting that found them is continued, then one of the case's own, then branch and bound. Otherwise the
        case is split in two, which costs less than a step.
        """
        values, origin = self.upper_bounds()
        worst = int(values.argmax())
        if not np.isfinite(values[worst]):
            return False  # the mass outside could be all: no case gives a bound
        # the last case that serves it, though one before it may have a lower bound
        q_min = max((q for q in self.cases if origin[worst] < q <= worst), default=int(origin[worst]))
        gap, gap_at_worst = values[q_min] - self.lower_bound, values[worst] - self.lower_bound
        if self.cases[q_min].version < self.version:
            self._transfer(q_min)
        elif worst == q_min:
            return self._step(q_min, goal) or (trees and self._branch(q_min, goal))
        elif all(case.source is None for case in self.cases.values()):
            if not self._step(0, goal):  # its multipliers serve all others
                self._open((q_min + worst + 1) // 2)
        elif gap <= BETWEEN * gap_at_worst or not self._step(q_min, goal):
            self._open((q_min + worst + 1) // 2)
        return True

    def _step(self, q_min: int, goal: float) -> bool:
        """Advance the splitting that a case is bounded by, or its own; False if both rest, or cannot be stored.

        Its own comes first where the other has not helped for some turns.
        """
        case = self.cases[q_min]
        both = (q_min if case.source is None else case.source, q_min)
        running = sum(other.splitting is not None for other in self.cases.values())
        has_room = 2 * (running + 1) * len(self.inside) ** 2 <= branch.TREE_ENTRIES  # for one more splitting
        for q in both if case.unhelped < LOOK_BACK else both[::-1]:
            if not self.cases[q].is_stalled and (self.cases[q].splitting is not None or has_room):
                self._advance(q, goal)
                return True
        return False

    def _advance(self, q_min: int, goal: float) -> None:
        """Take some steps of a case's splitting."""
        case = self.cases[q_min]
        if case.splitting is None:
            case.splitting = self._splitting(case, q_min)
        for _ in range(self.turn):
            run_in_thread(case.splitting.advance, len(self.inside), self.monitor)
            self.monitor.search.pay(step_seconds(len(self.inside)))
            if self.monitor.stop():
                break
        value, proof = proof_of(case.problem, *case.splitting.multipliers(), monitor=self.monitor)
        if value + self.error < case.past[-1]:
            case.improve(value + self.error, proof, q_min)
            self._keep(q_min, proof)
        case.past.append(min(value + self.error, case.past[-1]))
        goal *= 1 - float(self.excluded_mass[q_min])  # of a bound on T with so many features outside
        case.is_stalled = case.past[-1] <= goal or is_stalling(case.past, goal)

    def _keep(self, q_min: int, proof: PairProof) -> None:
        """Keep the multipliers of a case for the other cases."""
        self.sources[q_min] = Series(self._posed(self.problem.k), proof)
        self.version += 1
        self.cases[q_min].version = self.version

    def _splitting(self, case: Case, q_min: int) -> Splitting:
        """A splitting at the best point known with that few features, at a wider one's state or the nearest case's."""
        x = self._truncated_x(case.problem.k)
        splitting = Splitting(case.problem, x)
        if case.wider is not None:
            splitting.follow(*case.wider, whole=True)
            return splitting
        running = [(abs(q - q_min), q) for q, other in self.cases.items() if other.splitting is not None]
        if running:
            nearest = self.cases[min(running)[1]].splitting
            assert nearest is not None
            splitting.follow(nearest, np.arange(len(self.inside)))
            return splitting
        rows = case.proof  # from the opening of the case, if still by balanced rows
        if not isinstance(rows, ScaleProof):
            rows = balanced.balanced_rows(case.problem, monitor=self.monitor).ingredients
        assert isinstance(rows, ScaleProof)
        splitting.begin_balanced(rows.weights, float(x @ self.part.held.entries @ x))
        return splitting

    def _truncated_x(self, cardinality: int) -> np.ndarray:
        """The best point known on T, cut to its largest loadings."""
        x = self.x[self.inside]
        return feasible.argmax(x if x.any() else self.part.diagonal, cardinality, self.problem.nonnegative)

    def _branch(self, q_min: int, goal: float) -> bool:
        """Grow the tree of a case until its next bound; False if there is none."""
        case = self.cases[q_min]
        if case.tree is None:
            if sum(other.tree is not None for other in self.cases.values()) >= TREES:
                return False
            case.tree = branch.branch_and_bound(
                case.problem,
                self._truncated_x(case.problem.k),
                goal=goal * (1 - float(self.excluded_mass[q_min])) - self.error,
                monitor=self.monitor,
                consider=lambda support: self.consider(self.inside[support]),
                entries=branch.TREE_ENTRIES / TREES,
                start=_of_pairs(case.proof),
            )
        bound = next(case.tree, None)
        if bound is None:
            return False
        case.improve(bound.value + self.error, bound.ingredients, q_min)
        return True


def _of_pairs(proof: object) -> PairProof | None:
    """The proof as L and M of its own, None if it has none."""
    alone = proof.pairs(0) if isinstance(proof, SeriesProof) else proof
    return alone if isinstance(alone, PairProof) else None


def _joined(cases: list[Case]) -> list[tuple[int, object]]:
    """The proofs of some cases, each with its number of features: those of the same multipliers as one series."""
    joined: list[tuple[int, object]] = []
    for case in cases:
        proof = case.proof
        series = {id(p.L): place for place, (_, p) in enumerate(joined) if isinstance(p, SeriesProof)}
        if not isinstance(proof, SeriesProof) or id(proof.L) not in series:
            joined.append((case.problem.k, proof))
            continue
        place = series[id(proof.L)]
        first, before = joined[place]
        assert isinstance(before, SeriesProof)
        if proof.cardinalities[0] < before.cardinalities[-1]:  # equal where T has fewer features than places are free
            cardinalities, tails = before.cardinalities + proof.cardinalities, before.tails + proof.tails
            joined[place] = first, SeriesProof(proof.L, proof.M, cardinalities, tails)
    return joined
