"""The cases of an elimination: upper bounds for at most c features of T, each tightened where that helps most.

:mod:`nnspca.bounds.elimination.policy` chooses the next action; here it is carried out. A case starts from the
multipliers of the one before it: the bound they prove for fewer features costs about one step of a
splitting, which then continues from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from nnspca.bounds import balanced, branch
from nnspca.bounds.elimination.case import Case
from nnspca.bounds.elimination.policy import Action, Kind, State, next_action
from nnspca.bounds.elimination.selection import RACE_FEATURES
from nnspca.bounds.pair_scaled import CHECK, best_of_two_starts, proof_of, run_interruptibly
from nnspca.bounds.splitting import Splitting
from nnspca.bounds.working import part_of
from nnspca.certificates.proofs import BoxProof, EliminationProof, PairProof, ScaleProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible, rounding
from nnspca.result import Bound

STEPS = 2 * CHECK  # steps of a case's splitting at a time
PATIENCE = 4  # turns with a gain below SLOW of the remaining gap after which a case's splitting rests
SLOW = 0.01
MANY_CASES = 5  # number of planned cases from which the middle one is advanced as well
MIDDLE = 15  # steps of the middle planned case; all later cases start from it
FIRST_TURNS = 2  # turns of the first case's splitting before the planned cases start from it
LARGE_MASS = 0.25  # mass outside beyond which a larger T pays more than further steps
TRANSFER_STEPS = 1  # cost, in steps, of the bound that a case's multipliers prove for fewer features
STORED = 1.2e7  # most numbers in all proofs of the cases
TREES = 3  # most cases with a tree, each with a third of the numbers that a tree may have
QUIET = Monitor()


@dataclass
class Elimination:
    """The cases on one set T, and the bound that follows for each number of features outside."""

    problem: Problem
    x: np.ndarray
    lower_bound: float  # proven to be attained by x
    inside: np.ndarray
    excluded_mass: np.ndarray  # ε_q for q = 0, 1, …, as many as can lie outside
    row_skip_threshold: float = 0.0  # rows of features whose mass by variance is at most this were not read
    boxes: BoxProof | None = None  # joint bounds on the masses of features of large variance
    monitor: Monitor = QUIET
    consider: Callable[[np.ndarray], None] = lambda support: None
    turn: int = STEPS  # steps of a case's splitting between two of its bounds
    planned: tuple[int, ...] = ()  # cases to be opened after the first turns of the first one
    cases: dict[int, Case] = field(default_factory=dict)  # by the least number of features outside
    sparing: bool = field(init=False, default=False)  # whether its cases were planned

    def __post_init__(self) -> None:
        self.sparing = bool(self.planned)
        cov = self.problem.cov
        self.part = part_of(cov, self.inside)
        self.error = cov._error_elsewhere
        if self.planned:
            self._open(0)
            return
        first = 0
        while first < min(self.problem.k, len(self.excluded_mass)):
            self._open(first)
            first = 2 * first + 1

    def _open(self, first: int) -> None:
        """Open a case with the bound by balanced rows."""
        k = min(self.problem.k - first, len(self.inside))
        problem = Problem(self.part, k, self.problem.nonnegative)
        bound = balanced.balanced_rows(problem, monitor=self.monitor)
        self.cases[first] = Case(problem, bound.value + self.error, bound.ingredients)

    def _open_planned(self, meter: branch.Meter, goal: float) -> None:
        """Open the planned cases, each from the multipliers of the case before; of many, advance the middle one."""
        whole = self.cases[0]
        for _ in range(FIRST_TURNS):
            if not whole.rests and not self.monitor.stop():
                self._advance(whole, 0, meter, goal)
        middle = self.planned[(len(self.planned) - 1) // 2] if len(self.planned) >= MANY_CASES else None
        for first in self.planned[1:]:
            self._open(first)
            self._warm_start(first, meter)
            if first == middle and not self.monitor.stop():
                self._advance(self.cases[first], first, meter, goal, MIDDLE)
        self.planned = ()

    def _warm_start(self, first: int, meter: branch.Meter) -> None:
        """Start a case from the bound that the multipliers of the case before prove for fewer features."""
        case = self.cases[first]
        pair_proofs = self._pair_proofs_before(first)
        if pair_proofs and self._has_room(case):
            _, proof = min(pair_proofs, key=lambda pair: pair[0])
            case.warm_started = True
            value, proven = proof_of(case.problem, proof.L, proof.M, monitor=self.monitor)
            case.improve(value + self.error, proven)
            meter.pay(len(self.inside), TRANSFER_STEPS)

    def _has_room(self, case: Case) -> bool:
        """Whether one more proof by pairs fits the storage limit; otherwise the case keeps balanced rows."""
        others = sum(other.is_paired for other in self.cases.values() if other is not case)
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
        used = self._needed(float(values.max()))
        support = np.flatnonzero(self.x)
        outside = self.problem.n - len(self.inside)
        most = int(np.flatnonzero(values >= self.lower_bound).max(initial=0))
        mass = math.ceil(1000 * self.excluded_mass[most]) / 10
        # Rows that were read here have to be read on any machine. Besides relative rounding, their
        # masses A_ii / LB may be smaller there: by the allowance in them here, by the drift of A_ii,
        # which is less than the allowance, and, as none exceeds 1, by both for LB.
        row_skip_threshold = max(
            self.row_skip_threshold * (1 - 1e-6) - 4 * self.problem.cov._room() / self.lower_bound, 0.0
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
                tuple(case.problem.k for case in used),
                tuple(case.proof for case in used),
                row_skip_threshold,
                self.boxes,
            ),
        )

    def _needed(self, most: float) -> list[Case]:
        """The fewest cases that prove the bound for every number of features outside: a shorter file to check."""
        chosen: list[int] = []
        for q in range(min(self.problem.k, len(self.excluded_mass))):
            if not chosen or self._value(q, self.cases[chosen[-1]].value) > most:
                chosen.append(min((first for first in self.cases if first <= q), key=lambda f: self.cases[f].value))
        return [self.cases[first] for first in chosen]

    def _value(self, q: int, on_part: float) -> float:
        """The upper bound on all features that follows from one on T with q features outside."""
        # x_R'Ax_R >= −ε times the error of A, which is part of one allowance; two are taken
        return rounding.eliminated(on_part, float(self.excluded_mass[q]), 2 * self.problem.cov._room())

    def work(self, meter: branch.Meter, goal: float, trees: bool) -> bool:
        """Try to lower the largest bound; False if no means is left."""
        action = next_action(self._state(), trees)
        return action is not None and self._take(action, meter, goal)

    def _state(self) -> State:
        """What the policy reads."""
        values, origin = self.upper_bounds()
        return State(
            frozenset(self.cases),
            frozenset(first for first, case in self.cases.items() if case.rests),
            frozenset(first for first in self.cases if self._can_start_warm(first)),
            values,
            origin,
            self.lower_bound,
            self.sparing,
            bool(self.planned),
        )

    def _can_start_warm(self, first: int) -> bool:
        """Whether a case without a splitting can start from multipliers of a case before."""
        case = self.cases[first]
        fresh = case.splitting is None and not case.warm_started
        return fresh and bool(self._pair_proofs_before(first)) and self._has_room(case)

    def _pair_proofs_before(self, first: int) -> list[tuple[float, PairProof]]:
        """The bounds, with their proofs by pairs, of the cases before."""
        return [
            (other.value, other.proof)
            for q, other in self.cases.items()
            if q < first and isinstance(other.proof, PairProof)
        ]

    def _take(self, action: Action, meter: branch.Meter, goal: float) -> bool:
        """Take an action; False if it was a tree that has no further bound."""
        first = action.first
        match action.kind:
            case Kind.OPEN_PLANNED:
                self._open_planned(meter, goal)
            case Kind.OPEN:
                self._open(first)
            case Kind.OPEN_WARM:
                self._open(first)
                self._warm_start(first, meter)
            case Kind.WARM_START:
                self._warm_start(first, meter)
            case Kind.ADVANCE:
                self._advance(self.cases[first], first, meter, goal)
            case Kind.BRANCH:
                return self._branch(self.cases[first], first, meter, goal)
        return True

    def _advance(self, case: Case, first: int, meter: branch.Meter, goal: float, steps: int = 0) -> None:
        """Take some steps of a case's splitting."""
        if case.splitting is None:
            if not self._has_room(case):
                case.rests = True
                return
            case.splitting = self._splitting(case, first, meter)
        for _ in range(steps or self.turn):
            run_interruptibly(case.splitting.advance, len(self.inside), self.monitor)
            meter.pay(len(self.inside))
            if self.monitor.stop():
                break
        value, proof = proof_of(case.problem, *case.splitting.multipliers(), monitor=self.monitor)
        case.improve(value + self.error, proof)
        gained, case.reached = case.reached - (value + self.error), min(case.reached, value + self.error)
        missing = case.reached - self._goal_of(first, goal)
        case.idle = 0 if gained > SLOW * missing > 0 else case.idle + 1
        case.rests = case.idle >= PATIENCE or missing <= 0

    def _goal_of(self, first: int, goal: float) -> float:
        """The bound on T at which a case meets the goal for its own number of features outside."""
        excluded_mass = float(self.excluded_mass[first])
        return goal * (1 - 2 * excluded_mass) / (1 - excluded_mass)

    def _splitting(self, case: Case, first: int, meter: branch.Meter) -> Splitting:
        """A splitting at the best point known with that few features, from the multipliers of the nearest case."""
        x = self._shortened(case.problem.k)
        if case.warm_started and isinstance(case.proof, PairProof):
            splitting = Splitting(case.problem, x)
            splitting.begin_at(case.proof)
            return splitting
        running = [(abs(q - first), q) for q, other in self.cases.items() if other.splitting is not None]
        if not running:
            rows = case.proof  # as the case was opened
            if not isinstance(rows, ScaleProof):
                rows = balanced.balanced_rows(case.problem, monitor=self.monitor).ingredients
            assert isinstance(rows, ScaleProof)
            if self.sparing and len(self.inside) > RACE_FEATURES:
                splitting = Splitting(case.problem, x)
                splitting.begin_balanced(rows.weights, float(x @ self.part.entries @ x), consistent=True)
                return splitting
            splitting, value, proof, steps = best_of_two_starts(case.problem, x, rows.weights, self.monitor)
            case.improve(value + self.error, proof)
            meter.pay(len(self.inside), steps)
            return splitting
        splitting = Splitting(case.problem, x)
        nearest = self.cases[min(running)[1]].splitting
        assert nearest is not None
        splitting.follow(nearest, np.arange(len(self.inside)))
        return splitting

    def _shortened(self, cardinality: int) -> np.ndarray:
        """The best point known on T, cut to its largest loadings."""
        x = self.x[self.inside]
        return feasible.best(x if x.any() else self.part.diagonal, cardinality, self.problem.nonnegative)

    def _branch(self, case: Case, first: int, meter: branch.Meter, goal: float) -> bool:
        """Grow the tree of a case until its next bound; False if there is none."""
        if case.tree is None:
            if sum(other.tree is not None for other in self.cases.values()) >= TREES:
                return False
            case.tree = branch.tighten(
                case.problem,
                self._shortened(case.problem.k),
                goal=self._goal_of(first, goal) - self.error,
                meter=meter,
                monitor=self.monitor,
                consider=lambda support: self.consider(self.inside[support]),
                entries=branch.ENTRIES / TREES,
                start=case.proof if isinstance(case.proof, PairProof) else None,
            )
        bound = next(case.tree, None)
        if bound is None:
            return False
        case.improve(bound.value + self.error, bound.ingredients)
        return True
