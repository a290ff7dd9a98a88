"""Elimination by small masses: what is proven on a few features speaks for all of them.

Let x be optimal, J its support, OPT its variance, T any set of features, R = J∖T with |R| = q, and ε = ‖x_R‖². On J, x
is an eigenvector of A, so ``x_R'Ax = OPT ε``, that is ``x_R'A x_T = OPT ε − x_R'A x_R``, and

    OPT = x_T'A x_T + 2 x_R'A x_T + x_R'A x_R = x_T'A x_T + 2 OPT ε − x_R'A x_R <= U (1 − ε) + 2 OPT ε

for any ceiling U on T alone with k − q features, as A is positive semidefinite. ε is at most ε_q, the sum of the q
largest masses outside T (:mod:`nnspca.bounds.masses`), hence

    OPT <= max over q of  U_{k−q} (1 − ε_q) / (1 − 2 ε_q)        (ε_q < ½).

A ceiling with more features holds with fewer, so a few cardinalities c serve all q: each *case* is one of them, with
the least ceiling on T known for it. Where an outside feature can hold less than one of the k features is worth, the
largest value is that of q = 0 and nothing is lost: n features have become |T|.

Work goes where the largest value is: if it is the first q of its case, the case's relaxation goes on, and branch and
bound after it; if it is a later one, the case is parted in two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from nnspca import feasible, rounding
from nnspca.bounds import balanced, branch, masses
from nnspca.bounds.pair_scaled import CHECK, proof_of, raced
from nnspca.bounds.plan import SECOND, Known, Plan, pair_steps, whole_steps
from nnspca.bounds.splitting import Splitting
from nnspca.bounds.working import part_of
from nnspca.certificates.proofs import EliminationProof, PairProof, ScaleProof
from nnspca.problem import Problem
from nnspca.progress import Monitor
from nnspca.result import Bound

STEPS = 2 * CHECK  # of a case's splitting at a time
PATIENCE = 4  # such turns without a gain of SLOW of what is missing, before a case's splitting rests
PATIENT = 1 / 8  # share of the budget by which a search on T must have come below what is known
SLOW = 0.01
GAIN = 1e-4  # relative: less is not worth another bound
WIDER = 1.25  # from one size of T that is tried to the next
SMALLEST = 64
MANY = 150  # k from which a live search plans its cases, as a hundred numbers of features outside matter
WIDEST = 1000  # features of T at most in a planned search
FINER = 1.12  # from one size of T that is tried to the next
SLACK, AIM = 0.012, 1.024  # by how much a ceiling on T is likely to miss, and may miss with what lies outside
FEWEST = 4  # cases that T is chosen for
FOREMOST = 2  # turns of the first case's splitting before the others take over what it has found
RACED = 500  # features from which one beginning is tried, not two
SPAN = 8  # numbers of features outside that a case may serve before another's balanced rows are tried: they cost little
LONGER = 1.6  # times the work that others may count: a step on so many features takes less than its count
SPARE = 0.25  # share of what an outside feature takes from the others that must be more than what it may hold
LIGHT = 0.7  # share of what a feature takes from the others, below which its variance alone tells enough
LOSS = 5e-3  # of the ceiling, that one outside feature may add before T is given up as too small
STORED = 1.2e7  # most numbers that the cases' proofs may hold together
TREES = 3  # most cases that are parted further, each into a third of the numbers a tree may hold
QUIET = Monitor()


@dataclass
class Case:
    """At most ``cardinality`` features of T: the least ceiling known, what proves it, and how to go on from there."""

    problem: Problem
    value: float
    proof: object
    splitting: Splitting | None = None
    tree: Iterator[Bound] | None = None
    reached: float = np.inf  # what its splitting has proven by now, lower than the value or not
    idle: int = 0
    rests: bool = False  # its splitting gains no more

    def found(self, value: float, proof: object) -> None:
        """Keep the lower of two ceilings."""
        if value < self.value:
            self.value, self.proof = value, proof


@dataclass
class Elimination:
    """The cases on one T, and what each number of outside features is proven to allow."""

    problem: Problem
    x: np.ndarray
    low: float  # what x is proven to attain
    inside: np.ndarray
    lost: np.ndarray  # ε_q for q = 0, 1, …, as many as can lie outside
    light: float = 0.0  # no row was read of features that can hold at most this by their variance
    monitor: Monitor = QUIET
    consider: Callable[[np.ndarray], None] = lambda support: None
    turn: int = STEPS  # of a case's splitting between two of its ceilings
    planned: tuple[int, ...] = ()  # cases to be opened once the first one's splitting has found something
    cases: dict[int, Case] = field(default_factory=dict)  # by how many of the k features are outside, at least

    def __post_init__(self) -> None:
        self.sparing = bool(self.planned)
        cov = self.problem.cov
        self.part = part_of(cov, self.inside)
        self.error = cov.error_elsewhere
        if self.planned:
            self._open(0)
            return
        first = 0
        while first < min(self.problem.k, len(self.lost)):
            self._open(first)
            first = 2 * first + 1

    def _open(self, first: int) -> None:
        """Begin a case with what balanced rows prove, and with the multipliers of the case before it."""
        k = min(self.problem.k - first, len(self.inside))
        problem = Problem(self.part, k, self.problem.nonnegative)
        bound = balanced.balanced_rows(problem, monitor=self.monitor)
        self.cases[first] = Case(problem, bound.value + self.error, bound.ingredients)

    def _take_over(self, meter: branch.Meter) -> None:
        """Open the planned cases by what the multipliers of the first prove for fewer features."""
        for first in self.planned[1:]:
            self._open(first)
            self._taken(first, meter)
        self.planned = ()

    def _taken(self, first: int, meter: branch.Meter) -> None:
        """Let a case begin with what the multipliers of the one before it prove for fewer features."""
        case = self.cases[first]
        held = [q for q, other in self.cases.items() if isinstance(other.proof, PairProof)]
        before = max((q for q in held if q < first), default=first)
        proof = self.cases[before].proof
        if isinstance(proof, PairProof) and 2 * (len(held) + 1) * len(self.inside) ** 2 <= STORED:
            value, made = proof_of(case.problem, proof.L, proof.M)
            case.found(value + self.error, made)
            meter.pay(len(self.inside), 2)

    def ceilings(self) -> tuple[np.ndarray, np.ndarray]:
        """For each q, the ceiling on all features, and the first q of the case it comes from."""
        values, origin = np.zeros(len(self.lost)), np.zeros(len(self.lost), dtype=int)
        best, at = np.inf, 0
        for q, lost in enumerate(self.lost):
            if q in self.cases and self.cases[q].value <= best:
                best, at = self.cases[q].value, q
            on_part = best if q < self.problem.k else 0.0  # no feature of T at all
            values[q], origin[q] = rounding.eliminated(on_part, float(lost), 2 * self.problem.cov.room()), at
        return values, origin

    def bound(self) -> Bound:
        """The largest of the ceilings, and all that proves it."""
        values, origin = self.ceilings()
        used = [self.cases[q] for q in sorted(set(origin[: self.problem.k].tolist()))]
        support = np.flatnonzero(self.x)
        most = len(self.lost) - 1
        outside = self.problem.n - len(self.inside)
        possible = np.flatnonzero(values >= self.low)
        return Bound(
            "elimination",
            float(values.max()),
            detail=(
                f"{len(self.inside):,} features are looked at one by one. Each of the {outside:,} others can hold so "
                f"little of an optimal component that at most {possible.max(initial=0):,} of them are in it"
                + (f", with {self.lost[most]:.1%} of its weight if all {most:,} were." if most else ".")
            ),
            ingredients=EliminationProof(
                self.inside,
                support,
                self.x[support],
                tuple(case.problem.k for case in used),
                tuple(case.proof for case in used),
                max(self.light * (1 - 1e-6) - 4 * self.problem.cov.room() / self.low, 0.0),  # read by any machine
            ),
        )

    def work(self, meter: branch.Meter, goal: float, trees: bool) -> bool:
        """Bring the largest ceiling down, or try to; False once there is no way left."""
        if self.planned:
            whole = self.cases[0]
            for _ in range(FOREMOST):
                if not whole.rests and not self.monitor.stop():
                    self._advance(whole, 0, meter, goal)
            self._take_over(meter)
            return True
        values, origin = self.ceilings()
        worst = int(values.argmax())
        if not np.isfinite(values[worst]):
            return False  # so many features outside could hold half of all: no case tells
        first = int(origin[worst])
        between = [q for q in self.cases if first < q <= worst]
        if self.sparing and not between and worst - first >= SPAN:
            self._open((first + worst + 1) // 2)  # its balanced rows cost less than any step
            return True
        if worst > first and values[first] <= values[0]:  # the case is low enough, and serves too many q
            if not between:
                self._open((first + worst + 1) // 2)
                return True
            first = max((q for q in between if not self.cases[q].rests), default=first)
        case = self.cases[first]
        if not case.rests:
            self._advance(case, first, meter, goal)
        elif not between and worst > first:
            self._open((first + worst + 1) // 2)
        else:
            return trees and self._branch(case, first, meter, goal)
        return True

    def _advance(self, case: Case, first: int, meter: branch.Meter, goal: float) -> None:
        """Some steps of a case's splitting."""
        if case.splitting is None:
            begun = 1 + sum(other.splitting is not None for other in self.cases.values())
            if 2 * begun * len(self.inside) ** 2 > STORED:  # balanced rows must do where the file would be too large
                case.rests = True
                return
            case.splitting = self._splitting(case, first, meter)
        for _ in range(self.turn):
            case.splitting.advance()
            meter.pay(len(self.inside))
            if self.monitor.stop():
                break
        value, proof = proof_of(case.problem, *case.splitting.multipliers())
        case.found(value + self.error, proof)
        gained, case.reached = case.reached - (value + self.error), min(case.reached, value + self.error)
        missing = case.reached - self._goal_of(first, goal)
        case.idle = 0 if gained > SLOW * missing > 0 else case.idle + 1
        case.rests = case.idle >= PATIENCE or missing <= 0

    def _goal_of(self, first: int, goal: float) -> float:
        """The ceiling on T with which a case meets the goal at its own number of features outside."""
        lost = float(self.lost[first])
        return goal * (1 - 2 * lost) / (1 - lost)

    def _splitting(self, case: Case, first: int, meter: branch.Meter) -> Splitting:
        """A splitting at the best point known with that few features, from the multipliers of the nearest case."""
        x = self._shortened(case.problem.k)
        begun = [(abs(q - first), q) for q, other in self.cases.items() if other.splitting is not None]
        if not begun:
            rows = case.proof  # as the case was opened
            if not isinstance(rows, ScaleProof):
                rows = balanced.balanced_rows(case.problem, monitor=self.monitor).ingredients
            assert isinstance(rows, ScaleProof)
            if self.sparing and len(self.inside) > RACED:
                made = Splitting(self.part.entries, case.problem.k, x, self.problem.nonnegative)
                made.begin_balanced(rows.weights, float(x @ self.part.entries @ x), settled=True)
                return made
            made, value, proof, steps = raced(case.problem, x, rows.weights, self.monitor)
            case.found(value + self.error, proof)
            meter.pay(len(self.inside), steps)
            return made
        made = Splitting(self.part.entries, case.problem.k, x, self.problem.nonnegative)
        nearest = self.cases[min(begun)[1]].splitting
        assert nearest is not None
        made.follow(nearest, np.arange(len(self.inside)))
        return made

    def _shortened(self, cardinality: int) -> np.ndarray:
        """The best point known on T, cut to its largest loadings."""
        x = self.x[self.inside]
        return feasible.best(x if x.any() else self.part.diagonal, cardinality, self.problem.nonnegative)

    def _branch(self, case: Case, first: int, meter: branch.Meter, goal: float) -> bool:
        """One more bound of a case's tree; False once it yields none."""
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
        made = next(case.tree, None)
        if made is None:
            return False
        case.found(made.value + self.error, made.ingredients)
        return True


def tighten(
    problem: Problem,
    x: np.ndarray,
    least: float,
    *,
    features: int,
    loss: float,
    budget: float,
    trees: float,
    goal: float,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda support: None,
    patience: float = 1.0,
    sparing: bool = False,
) -> Iterator[Bound]:
    """Yield falling bounds below ``least``; nothing where too many features can hold too much.

    Parameters
    ----------
    problem : Problem
    x : ndarray, shape (n,)
        The best feasible point known.
    least : float
        The best bound known.
    features : int
        Most features of T.
    loss : float
        Share of the ceiling that may be lost for a smaller T, whose relaxations come further.
    budget, trees : float
        Most work in relaxations, and in branch and bound after them, in the unit of
        :func:`nnspca.bounds.plan.cost`.
    goal : float
        Stop once a bound is this small.
    monitor : Monitor
    consider : callable, optional
        Called with a support of at most k features where a better x may lie.
    patience : float
        Share of the budget after which a search that has not come below ``least`` is given up.
    sparing : bool
        Whether the cases are planned, for many k − q and a short time.
    """
    elimination = begin(problem, x, least, features, loss, monitor, consider, sparing=sparing)
    if elimination is None:
        return
    meter, beaten = branch.Meter(budget + trees), False
    while True:
        made = float(elimination.ceilings()[0].max())
        if made < least * (1 - GAIN):
            least, beaten = made, True
            yield elimination.bound()
        if not beaten and meter.left < trees + (1 - patience) * budget:
            return
        if made <= goal or meter.left <= 0 or monitor.stop():
            return
        if not elimination.work(meter, goal, trees > 0):
            return


def begin(
    problem: Problem,
    x: np.ndarray,
    least: float,
    features: int,
    loss: float,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda support: None,
    low: float | None = None,
    smallest: int = SMALLEST,
    sparing: bool = False,
) -> Elimination | None:
    """Choose T: as few features as lose next to nothing, if the bounds on T are as tight as they can be.

    With ``low`` given, the masses are those of all components of at least that variance, best on their own support.
    T has ``smallest`` features at least. If ``sparing``, it is as small as lets a few cases do.
    """
    low = masses.attained(problem.cov, x) if low is None else low
    support = np.flatnonzero(x)
    features = min(features, problem.n)
    if low <= 0 or len(support) >= features:
        return None
    kept = _shorter(problem, x, low)
    most_kept = len(kept) - 1
    worth = 1.0 - kept[1] if most_kept else 1.0  # of one feature
    outside = np.arange(1, most_kept + 1)
    light = max(0.0, float(((loss + LIGHT * (1.0 - kept[1:])) / outside).min(initial=1.0)))
    held = masses.largest(
        problem, low, features + problem.k, monitor, light=light, heavy=worth + LOSS, allowed=features
    )
    if held is None:
        return None
    order = np.argsort(-held, kind="stable")
    order = order[~np.isin(order, support)]
    planned: tuple[int, ...] = ()
    size, small, enough, lost, gains = 0, 0, False, np.zeros(1), [0.0]
    wanted = max(smallest, len(support))
    while not enough and size < features:
        size = min(wanted, features)
        lost = together(held[order[size - len(support) :][: problem.k]])
        # by how much a number of outside features is above none, as a share of what they take away
        gains = [v * (1 - e) / (1 - 2 * e) - 1 if e < 0.5 else np.inf for v, e in zip(kept, lost, strict=False)]
        alone = all(g <= max(loss, SPARE * (v - 1)) for g, v in zip(gains[1:], kept[1:], strict=False))
        planned = _planned(kept, lost) if sparing else ()
        enough = 0 < len(planned) <= FEWEST if sparing else alone
        small = size if alone and not small else small
        wanted = int((FINER if sparing else WIDER) * size) + 1
    if sparing and not enough and 0 < small <= RACED:  # many cases of so few features cost less than of so many
        size, planned = small, ()
    elif sparing and not planned:
        return None  # so few features would be lost among what the others can hold
    lost = together(held[order[size - len(support) :][: problem.k]])
    if (1 + max(gains)) * low >= least * (1 - GAIN):
        return None
    inside = np.sort(np.concatenate([support, order[: size - len(support)]]))
    return Elimination(problem, x, low, inside, lost, light, monitor, consider, planned=planned)


def _planned(kept: np.ndarray, lost: np.ndarray) -> tuple[int, ...]:
    """The first q of as few cases as bring every q below the aim, if ceilings on T miss by the slack; none if none do.

    ``kept`` tells the share of the variance that k − q features keep, ``lost`` the masses of q features outside.
    """
    raised = (1 - lost) / np.where(lost < 0.5, 1 - 2 * lost, np.nan)
    firsts = [0]
    while True:
        q = firsts[-1]
        above = np.flatnonzero(~(kept[q] * (1 + SLACK) * raised[q:] <= AIM))
        if not len(above) or q + above[0] >= len(kept) - 1:  # k features outside leave none in T
            return tuple(firsts)
        if not above[0]:
            return ()
        firsts.append(q + int(above[0]))


def together(falling: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, … masses, rounded up."""
    return np.concatenate([[0.0], rounding.raised(np.cumsum(falling), len(falling) + 8)])


def _shorter(problem: Problem, x: np.ndarray, low: float) -> np.ndarray:
    """About the share of the variance that k − q features keep, for q = 0 … k: x cut to its largest loadings."""
    support = np.flatnonzero(x)
    order = support[np.argsort(-np.abs(x[support]), kind="stable")]
    A = problem.cov.block(order, order)
    sizes = np.unique(np.concatenate([[1], len(order) - np.geomspace(1, len(order), 16).astype(int) + 1]))
    shares = []
    for size in sizes:
        z = x[order[:size]]
        for _ in range(3):
            z = A[:size, :size] @ z
            z = z / np.linalg.norm(z)
        shares.append(float(z @ A[:size, :size] @ z) / low)
    cardinalities = np.arange(problem.k, -1, -1)
    return np.interp(cardinalities, np.concatenate([[0], sizes]), [0.0, *shares])


def by_plan(problem: Problem, plan: Plan, known: Known) -> Iterator[Bound]:
    """Where the features are too many for the splitting of all."""
    if pair_steps(problem, plan):
        return
    sparing = _sparing(problem, plan)
    yield from tighten(
        problem,
        known.x,
        min(bound.value for bound in known.bounds.values() if bound.deterministic),
        features=_most_kept(problem, plan),
        loss=plan.eliminated_loss,
        budget=plan.eliminated_seconds * SECOND * (LONGER if sparing else 1.0),
        trees=plan.branch_seconds * SECOND if plan.always_levels else 0.0,
        goal=known.lower * (1 + plan.closed),
        monitor=known.monitor,
        consider=known.consider,
        patience=PATIENT
        if whole_steps(problem, plan) or plan.always_levels
        else 1.0,  # where others can still be tried
        sparing=sparing,
    )


def _sparing(problem: Problem, plan: Plan) -> bool:
    """Whether there are so many k − q, in so short a time, that cases are planned."""
    return problem.k >= MANY and not plan.always_levels and not whole_steps(problem, plan)


def _most_kept(problem: Problem, plan: Plan) -> int:
    """How many features T may have at most: fewer where the splitting could run on all of them instead."""
    if whole_steps(problem, plan):
        return min(plan.eliminated_features, int(plan.kept_share * problem.n))
    return max(plan.eliminated_features, WIDEST) if _sparing(problem, plan) else plan.eliminated_features
