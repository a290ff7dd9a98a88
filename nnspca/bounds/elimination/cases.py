"""The cases of an elimination: upper bounds for at most c features of T, each tightened where that helps most.

:mod:`nnspca.bounds.elimination.policy` chooses the next action; here it is carried out. A case starts from the
multipliers of an earlier one: computing the bound that these prove for fewer features costs about one
step of a splitting. The case's own splitting then continues from them.
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
PATIENCE = 4  # number of consecutive slow turns after which the splitting of a case is suspended
SLOW = 0.01  # share of the remaining gap that a turn closes at most if it is slow
MANY_CASES = 5  # number of planned cases from which the middle one is advanced as well
MIDDLE = 15  # steps of the middle planned case; all later cases start from it
FIRST_TURNS = 2  # turns of the first case's splitting before the planned cases start from it
LARGE_MASS = 0.25  # mass outside above which a larger T pays more than further steps
TRANSFER_STEPS = 1  # cost, in steps, of the bound that a case's multipliers prove for fewer features
STORED = 1.2e7  # maximum number of numbers in all proofs of the cases
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
    planned: tuple[int, ...] = ()  # cases to be opened after the first turns of the first one
    cases: dict[int, Case] = field(default_factory=dict)  # by q_min, the least number of features outside
    cases_planned: bool = field(init=False, default=False)  # whether its cases were planned

    def __post_init__(self) -> None:
        self.cases_planned = bool(self.planned)
        cov = self.problem.cov
        self.part = part_of(cov, self.inside)
        self.error = cov._error_elsewhere
        if self.planned:
            self._open(0)
            return
        q_min = 0
        while q_min < min(self.problem.k, len(self.excluded_mass)):
            self._open(q_min)
            q_min = 2 * q_min + 1

    def _open(self, q_min: int) -> None:
        """Open a case with the bound by balanced rows."""
        k = min(self.problem.k - q_min, len(self.inside))
        problem = Problem(self.part, k, self.problem.nonnegative)
        bound = balanced.balanced_rows(problem, monitor=self.monitor)
        self.cases[q_min] = Case(problem, bound.value + self.error, bound.ingredients)

    def _open_planned(self, meter: branch.Meter, goal: float) -> None:
        """Open the planned cases, each from those before it; if there are many, also advance the middle one."""
        case_zero = self.cases[0]
        for _ in range(FIRST_TURNS):
            if not case_zero.is_stalled and not self.monitor.stop():
                self._advance(case_zero, 0, meter, goal)
        middle = self.planned[(len(self.planned) - 1) // 2] if len(self.planned) >= MANY_CASES else None
        for q_min in self.planned[1:]:
            self._open(q_min)
            self._warm_start(q_min, meter)
            if q_min == middle and not self.monitor.stop():
                self._advance(self.cases[q_min], q_min, meter, goal, MIDDLE)
        self.planned = ()

    def _warm_start(self, q_min: int, meter: branch.Meter) -> None:
        """Start a case from the multipliers of the earlier case of least bound: they hold for fewer features, too."""
        case = self.cases[q_min]
        pair_proofs = self._pair_proofs_before(q_min)
        if pair_proofs and self._has_room(case):
            _, proof = min(pair_proofs, key=lambda pair: pair[0])
            case.warm_started = True
            value, proven = proof_of(case.problem, proof.L, proof.M, monitor=self.monitor)
            case.improve(value + self.error, proven)
            meter.pay(len(self.inside), TRANSFER_STEPS)

    def _has_room(self, case: Case) -> bool:
        """Whether one more pair-scaled proof fits the storage limit; otherwise the case keeps balanced rows."""
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
        # Rows that were read here have to be read on any machine. On another one a mass A_ii / LB can
        # be smaller by relative rounding and by four allowances (in units of LB) at most: the
        # allowance included here, the drift of A_ii (less than one), and both again for LB, since no
        # mass exceeds 1.
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
                chosen.append(min((q_min for q_min in self.cases if q_min <= q), key=lambda f: self.cases[f].value))
        return [self.cases[q_min] for q_min in chosen]

    def _value(self, q: int, on_part: float) -> float:
        """The upper bound on all features that follows from one on T with q features outside."""
        # A may be indefinite by its error: x_R'Ax_R >= −ε · error. That is less than one allowance; two are allowed for
        return rounding.eliminated(on_part, float(self.excluded_mass[q]), 2 * self.problem.cov._room())

    def work(self, meter: branch.Meter, goal: float, trees: bool) -> bool:
        """Try to lower the largest bound; False if no action is left or the tree has no further bound."""
        action = next_action(self._state(), trees)
        return action is not None and self._take(action, meter, goal)

    def _state(self) -> State:
        """The state that the policy decides on."""
        values, origin = self.upper_bounds()
        return State(
            frozenset(self.cases),
            frozenset(q_min for q_min, case in self.cases.items() if case.is_stalled),
            frozenset(q_min for q_min in self.cases if self._can_start_warm(q_min)),
            values,
            origin,
            self.lower_bound,
            self.cases_planned,
            bool(self.planned),
        )

    def _can_start_warm(self, q_min: int) -> bool:
        """Whether a case without a splitting can start from multipliers of an earlier case."""
        case = self.cases[q_min]
        fresh = case.splitting is None and not case.warm_started
        return fresh and bool(self._pair_proofs_before(q_min)) and self._has_room(case)

    def _pair_proofs_before(self, q_min: int) -> list[tuple[float, PairProof]]:
        """The bounds and pair-scaled proofs of earlier cases: those with fewer features outside."""
        return [
            (other.value, other.proof)
            for q, other in self.cases.items()
            if q < q_min and isinstance(other.proof, PairProof)
        ]

    def _take(self, action: Action, meter: branch.Meter, goal: float) -> bool:
        """Take an action; False if it was a tree that has no further bound."""
        q_min = action.q_min
        match action.kind:
            case Kind.OPEN_PLANNED:
                self._open_planned(meter, goal)
            case Kind.OPEN:
                self._open(q_min)
            case Kind.OPEN_WARM:
                self._open(q_min)
                self._warm_start(q_min, meter)
            case Kind.WARM_START:
                self._warm_start(q_min, meter)
            case Kind.ADVANCE:
                self._advance(self.cases[q_min], q_min, meter, goal)
            case Kind.BRANCH:
                return self._branch(self.cases[q_min], q_min, meter, goal)
        return True

    def _advance(self, case: Case, q_min: int, meter: branch.Meter, goal: float, steps: int = 0) -> None:
        """Take some steps of a case's splitting."""
        if case.splitting is None:
            if not self._has_room(case):
                case.is_stalled = True
                return
            case.splitting = self._splitting(case, q_min, meter)
        for _ in range(steps or self.turn):
            run_interruptibly(case.splitting.advance, len(self.inside), self.monitor)
            meter.pay(len(self.inside))
            if self.monitor.stop():
                break
        value, proof = proof_of(case.problem, *case.splitting.multipliers(), monitor=self.monitor)
        case.improve(value + self.error, proof)
        gain = case.splitting_bound - (value + self.error)
        case.splitting_bound = min(case.splitting_bound, value + self.error)
        remaining_gap = case.splitting_bound - self._goal_of(q_min, goal)
        case.idle = 0 if gain > SLOW * remaining_gap > 0 else case.idle + 1
        case.is_stalled = case.idle >= PATIENCE or remaining_gap <= 0

    def _goal_of(self, q_min: int, goal: float) -> float:
        """The bound on T at which a case meets the goal for its own number of features outside."""
        excluded_mass = float(self.excluded_mass[q_min])
        return goal * (1 - 2 * excluded_mass) / (1 - excluded_mass)

    def _splitting(self, case: Case, q_min: int, meter: branch.Meter) -> Splitting:
        """A splitting at the best point known with that few features, from the multipliers of the nearest case."""
        x = self._truncated_x(case.problem.k)
        if case.warm_started and isinstance(case.proof, PairProof):
            splitting = Splitting(case.problem, x)
            splitting.begin_at(case.proof)
            return splitting
        running = [(abs(q - q_min), q) for q, other in self.cases.items() if other.splitting is not None]
        if not running:
            rows = case.proof  # the proof from the opening of the case, if still in balanced rows
            if not isinstance(rows, ScaleProof):
                rows = balanced.balanced_rows(case.problem, monitor=self.monitor).ingredients
            assert isinstance(rows, ScaleProof)
            if self.cases_planned and len(self.inside) > RACE_FEATURES:
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
                start=case.proof if isinstance(case.proof, PairProof) else None,
            )
        bound = next(case.tree, None)
        if bound is None:
            return False
        case.improve(bound.value + self.error, bound.ingredients)
        return True
