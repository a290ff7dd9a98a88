"""The cases of an elimination: upper bounds for at most c features of T, each tightened where that helps most.

:mod:`nnspca.bounds.elimination.policy` chooses the next action; here it is carried out. The multipliers of one
splitting bound every case (:mod:`nnspca.bounds.series`), each for less than the cost of a step; where they leave the
largest gap, the case gets a splitting of its own, which follows the nearest one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from nnspca.bounds import balanced, branch
from nnspca.bounds.elimination.case import Case
from nnspca.bounds.elimination.policy import Action, Kind, State, next_action
from nnspca.bounds.pair_scaled import CHECK, proof_of, run_interruptibly
from nnspca.bounds.plan import step_seconds
from nnspca.bounds.series import Series
from nnspca.bounds.splitting import Splitting
from nnspca.bounds.working import part_of
from nnspca.certificates.proofs import BoxProof, EliminationProof, PairProof, ScaleProof, SeriesProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible, rounding
from nnspca.result import Bound

STEPS = 2 * CHECK  # steps of a case's splitting at a time
PATIENCE = 4  # number of consecutive slow turns after which the splitting of a case is suspended
SLOW = 0.01  # share of the remaining gap that a turn closes at most if it is slow
LARGE_MASS = 0.25  # mass outside above which a larger T pays more than further steps
TRANSFER_STEPS = 0.5  # cost, in steps, of what the multipliers of another case prove
STORED = 1.2e7  # maximum number of numbers in the proofs of all splittings
TREES = 3  # maximum number of cases with a tree, each with a third of the numbers that a tree may have
QUIET = Monitor()


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
    monitor: Monitor = QUIET
    consider: Callable[[np.ndarray], None] = lambda support: None
    turn: int = STEPS  # steps of a case's splitting between two of its bounds
    hurried: bool = False  # whether there is time for a few turns only
    cases: dict[int, Case] = field(default_factory=dict)  # by q_min, the least number of features outside
    sources: dict[int, Series] = field(init=False, default_factory=dict)  # the best multipliers of each splitting
    version: int = field(init=False, default=0)  # how often these have changed

    def __post_init__(self) -> None:
        cov = self.problem.cov
        self.part = part_of(cov, self.inside)
        self.error = cov.error_elsewhere
        self._open(0, branch.Meter(np.inf))

    def _open(self, q_min: int, meter: branch.Meter) -> None:
        """Open a case with what known multipliers prove of it; with balanced rows if there are none."""
        k = min(self.problem.k - q_min, len(self.inside))
        problem = Problem(self.part, k, self.problem.nonnegative)
        self.cases[q_min] = Case(problem, np.inf, None)
        if self.sources:
            self._transfer(q_min, meter)
        else:
            bound = balanced.balanced_rows(problem, monitor=self.monitor)
            self.cases[q_min].improve(bound.value + self.error, bound.ingredients)

    def _transfer(self, q_min: int, meter: branch.Meter) -> None:
        """Bound a case by the multipliers of the case that serve it best: they hold for any number of features."""
        case = self.cases[q_min]
        c = case.problem.k
        case.version = self.version
        meter.pay(len(self.inside), TRANSFER_STEPS)
        self.monitor.pay(step_seconds(len(self.inside)) * TRANSFER_STEPS)
        source = min(self.sources, key=lambda q: self.sources[q].estimate(c))
        if self.sources[source].estimate(c) + self.error < case.value:
            value, proof = self.sources[source].proven(c)
            case.improve(value + self.error, proof, source)

    def _has_room(self, case: Case) -> bool:
        """Whether one more splitting fits the storage limit."""
        others = sum(other.splitting is not None for other in self.cases.values() if other is not case)
        return 2 * (others + 1) * len(self.inside) ** 2 <= STORED

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

    @property
    def needs_larger_subset(self) -> bool:
        """Whether the largest bound comes from so much mass outside that T is too small."""
        worst = int(self.upper_bounds()[0].argmax())
        return float(self.excluded_mass[worst]) > LARGE_MASS

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
            self.row_skip_threshold * (1 - 1e-6) - 4 * self.problem.cov.room() / self.lower_bound, 0.0
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
        return rounding.eliminated(on_part, float(self.excluded_mass[q]), 2 * self.problem.cov.room())

    def work(self, meter: branch.Meter, goal: float, trees: bool) -> bool:
        """Try to lower the largest bound; False if no action is left or the tree has no further bound."""
        action = next_action(self._state(), trees)
        return action is not None and self._take(action, meter, goal)

    def _state(self) -> State:
        """The state that the policy decides on."""
        values, origin = self.upper_bounds()
        sources = {q_min: case.source for q_min, case in self.cases.items() if case.source is not None}
        return State(
            frozenset(self.cases),
            frozenset(q for q, case in self.cases.items() if case.is_stalled or not self._may_advance(case)),
            frozenset(q for q, case in self.cases.items() if case.version < self.version),
            sources,
            values,
            origin,
            self.lower_bound,
        )

    def _may_advance(self, case: Case) -> bool:
        """Whether the case has a splitting, or one more fits."""
        return case.splitting is not None or self._has_room(case)

    def _take(self, action: Action, meter: branch.Meter, goal: float) -> bool:
        """Take an action; False if it was a tree that has no further bound."""
        q_min = action.q_min
        match action.kind:
            case Kind.OPEN:
                self._open(q_min, meter)
            case Kind.TRANSFER:
                self._transfer(q_min, meter)
            case Kind.ADVANCE:
                self._advance(self.cases[q_min], q_min, meter, goal)
            case Kind.BRANCH:
                return self._branch(self.cases[q_min], q_min, meter, goal)
        return True

    def _advance(self, case: Case, q_min: int, meter: branch.Meter, goal: float) -> None:
        """Take some steps of a case's splitting."""
        if case.splitting is None:
            case.splitting = self._splitting(case, q_min)
        for _ in range(self.turn):
            run_interruptibly(case.splitting.advance, len(self.inside), self.monitor)
            meter.pay(len(self.inside))
            if self.monitor.stop():
                break
        value, proof = proof_of(case.problem, *case.splitting.multipliers(), monitor=self.monitor)
        gain = case.splitting_bound - (value + self.error)
        if gain > 0:
            case.splitting_bound = value + self.error
            case.improve(value + self.error, proof, q_min)
            self._keep(q_min, proof)
        remaining_gap = case.splitting_bound - self._goal_of(q_min, goal)
        case.idle = 0 if gain > SLOW * remaining_gap > 0 else case.idle + 1
        case.is_stalled = case.idle >= PATIENCE or remaining_gap <= 0

    def _keep(self, q_min: int, proof: PairProof) -> None:
        """Keep the multipliers of a case for the other cases."""
        whole = Problem(self.part, min(self.problem.k, len(self.inside)), self.problem.nonnegative)
        self.sources[q_min] = Series(whole, proof)
        self.version += 1
        self.cases[q_min].version = self.version

    def _goal_of(self, q_min: int, goal: float) -> float:
        """The bound on T at which a case meets the goal for its own number of features outside."""
        return goal * (1 - float(self.excluded_mass[q_min]))

    def _splitting(self, case: Case, q_min: int) -> Splitting:
        """A splitting at the best point known with that few features, from the multipliers of the nearest case."""
        x = self._truncated_x(case.problem.k)
        running = [(abs(q - q_min), q) for q, other in self.cases.items() if other.splitting is not None]
        if not running:
            rows = case.proof  # from the opening of the case, if still by balanced rows
            if not isinstance(rows, ScaleProof):
                rows = balanced.balanced_rows(case.problem, monitor=self.monitor).ingredients
            assert isinstance(rows, ScaleProof)
            splitting = Splitting(case.problem, x)
            splitting.begin_balanced(rows.weights, float(x @ self.part.entries @ x), consistent=False)
            return splitting
        splitting = Splitting(case.problem, x)
        nearest = self.cases[min(running)[1]].splitting
        assert nearest is not None
        splitting.follow(nearest, np.arange(len(self.inside)))
        return splitting

    def _truncated_x(self, cardinality: int) -> np.ndarray:
        """The best point known on T, cut to its largest loadings."""
        x = self.x[self.inside]
        return feasible.best(x if x.any() else self.part.diagonal, cardinality, self.problem.nonnegative)

    def _branch(self, case: Case, q_min: int, meter: branch.Meter, goal: float) -> bool:
        """Grow the tree of a case until its next bound; False if there is none."""
        if case.tree is None:
            if sum(other.tree is not None for other in self.cases.values()) >= TREES:
                return False
            case.tree = branch.tighten(
                case.problem,
                self._truncated_x(case.problem.k),
                goal=self._goal_of(q_min, goal) - self.error,
                meter=meter,
                monitor=self.monitor,
                consider=lambda support: self.consider(self.inside[support]),
                entries=branch.ENTRIES / TREES,
                start=of_pairs(case.proof),
                hurried=self.hurried,
            )
        bound = next(case.tree, None)
        if bound is None:
            return False
        case.improve(bound.value + self.error, bound.ingredients, q_min)
        return True


def of_pairs(proof: object) -> PairProof | None:
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
