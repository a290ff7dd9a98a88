"""Plan: the budget and stopping rule of a certificate, and the context that each bound receives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from nnspca.bounds import levelled
from nnspca.bounds.bound import Proven
from nnspca.bounds.companions import Companions
from nnspca.control.progress import Allowance
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

SECOND = 145 * 361**2.5  # steps × n^2.5 of the pair-scaled dual in about a second: the unit of cost
STEP = 0.75  # time of a step relative to the calibration of SECOND: steps on many features have become faster since
OVERHEAD = 3e5  # cost of a step that does not depend on n, in the unit n^2.5
FEW = 1000  # largest n with the budget `seconds`; above it the budget is `seconds_of_many`
ROWS = 500  # rows of A that an elimination is expected to read
READINGS = 4  # readings of these rows that the work of a certificate suffices for
LONGEST = 60.0  # seconds that they may take together
WHOLE, WHOLE_AT_MOST = 1.3, 13.0  # work allowed where levelling all rows takes 1, and the most that is allowed for it
WORTHWHILE = 700  # least number of steps of a splitting for which a tree is worthwhile
QUICK = 15  # `Attempt.at` by which all quick bounds have been computed; a small gap ends no call before it


@dataclass(frozen=True, kw_only=True)
class PairPlan:
    """Of the pair-scaled dual.

    Attributes
    ----------
    features : int
        Maximum number of features for the dual on all of them, without elimination first: its steps cost n³.
    whole_features : int
        The same where elimination removes too few.
    working_features : int
        Maximum size of a working set when there are more features than that; a large k raises it.
    steps : int
        Maximum number of steps.
    seconds, whole_seconds : float
        Maximum cost, and that on all features where elimination failed, in the unit ``SECOND``.
    """

    features: int
    whole_features: int
    working_features: int
    steps: int
    seconds: float
    whole_seconds: float


@dataclass(frozen=True, kw_only=True)
class EliminationPlan:
    """Of elimination.

    Attributes
    ----------
    features : int
        Maximum number of features that it keeps.
    share : float
        The same as a share of n, if n is at most ``PairPlan.whole_features``: with more, the dual on all
        features does as well.
    loss : float
        Relative loss of the upper bound that is accepted for a smaller set of kept features.
    seconds : float
        Maximum cost of the relaxations on the kept features, in the unit ``SECOND``.
    """

    features: int
    share: float = 0.5
    loss: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class RowsPlan:
    """Of rows of A that are not stored but computed from the samples.

    Attributes
    ----------
    products : float
        Maximum number of products that one bound may spend on them. With 200 samples of 100,000
        features, reading all rows would take minutes.
    passes : int
        Maximum number of readings of all rows, when the rows of large variance do not suffice.
    """

    products: float
    passes: int


@dataclass(frozen=True, kw_only=True)
class WorkPlan:
    """Of all attempts together, counted in processor seconds; an attempt beyond it returns its best bound so far.

    Attributes
    ----------
    seconds, seconds_of_many : float
        Up to ``FEW`` features, and beyond.
    small : float
        Relative gap at which the rest of the work is limited to ``seconds_of_small``.
    seconds_of_small : float
    """

    seconds: float = np.inf
    seconds_of_many: float = np.inf
    small: float = 0.0
    seconds_of_small: float = np.inf


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much work a certificate may cost: counted, not timed, so that the same call gives the same bounds.

    Attributes
    ----------
    pairs : PairPlan
    elimination : EliminationPlan
    rows : RowsPlan
    work : WorkPlan
    branch_seconds : float
        Maximum cost of branch and bound, in the unit ``SECOND``.
    thorough : bool
        Whether all rows are balanced when another relaxation has given a bound, and an elimination uses
        branch and bound and plans no cases in advance.
    closed : float
        Relative gap at which nothing more is tried.
    narrow : float
        Relative gap of the relaxations below which power steps over all rows are skipped, as they are
        then hardly ever smaller.
    optimal : float
        Relative gap below which a component is called optimal: branch and bound is not started.
    last : int
        Attempts with ``Attempt.at`` above this are skipped.
    """

    pairs: PairPlan
    elimination: EliminationPlan
    rows: RowsPlan
    work: WorkPlan = WorkPlan()
    branch_seconds: float
    thorough: bool
    closed: float
    narrow: float = 5e-3
    optimal: float = 5e-5
    last: int = 100

    def allowance(self, problem: Problem) -> Allowance:
        """Return the work that a certificate of a problem may do.

        Where rows of A are made of so many numbers that an elimination could not read its own, or that all could not
        be levelled, it is what that takes.
        """
        seconds = self.work.seconds if problem.n <= FEW else self.work.seconds_of_many
        if problem.cov.holds_entries or seconds == np.inf:
            return Allowance(seconds)
        rows = np.argsort(-problem.cov.diagonal, kind="stable")[:ROWS]
        levelling = WHOLE * levelled.seconds(problem, np.arange(problem.n))
        if levelling <= WHOLE_AT_MOST:
            seconds = max(seconds, levelling)
        return Allowance(max(seconds, min(READINGS * problem.cov.reading_seconds(rows), LONGEST)))


PLANS = {
    "live": Plan(
        pairs=PairPlan(
            features=300, whole_features=700, working_features=500, steps=400, seconds=1.2, whole_seconds=2.4
        ),
        elimination=EliminationPlan(features=1000, loss=3e-3, seconds=5.6),
        rows=RowsPlan(products=4e10, passes=1),
        work=WorkPlan(seconds=3.0, seconds_of_many=6.0, small=1e-3, seconds_of_small=0.5),
        branch_seconds=1,
        thorough=False,
        closed=5e-5,
    ),
    "thorough": Plan(
        pairs=PairPlan(
            features=1500, whole_features=1500, working_features=1500, steps=4000, seconds=60, whole_seconds=60
        ),
        elimination=EliminationPlan(features=1000, loss=3e-4, seconds=60),
        rows=RowsPlan(products=6e11, passes=3),
        branch_seconds=90,
        thorough=True,
        closed=1e-6,
    ),
}


def _ignored(support: np.ndarray) -> None:
    """Ignore a support."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundContext(Proven):
    """The context of an attempt: all results so far; an attempt may start from any of them.

    Attributes
    ----------
    x : ndarray, shape (n,)
        The best feasible point.
    earlier : mapping
        The bounds of a certificate of the same covariance at a neighbouring k, by name.
    seed : int
        Seed of all random choices.
    consider : callable
        Called with a support of at most k features that may have a better point.
    include : tuple of int
        Features that every support contains. The problem passed to an attempt omits this constraint;
        a bound that can use it adds it.
    companions : Companions or None
        Of the rows that the attempts of this call have read.
    """

    x: np.ndarray
    earlier: Mapping[str, Bound] = field(default_factory=dict)
    seed: int = 0
    consider: Callable[[np.ndarray], None] = _ignored
    include: tuple[int, ...] = ()
    companions: Companions | None = None


def pair_steps(problem: Problem, plan: Plan) -> int:
    """The number of steps of the pair-scaled dual on all features, if they are few."""
    return whole_steps(problem, plan) if problem.n <= plan.pairs.features else 0


def whole_steps(problem: Problem, plan: Plan) -> int:
    """The number of its steps on all features, up to ``whole_features``: used where elimination fails."""
    if not problem.cov.holds_entries or problem.n > plan.pairs.whole_features:
        return 0
    seconds = plan.pairs.seconds if problem.n <= plan.pairs.features else plan.pairs.whole_seconds
    return min(plan.pairs.steps, int(seconds * SECOND / problem.n**2.5))


def cost(n: int) -> float:
    """Return the cost of a step of a splitting of n features, in the unit n^2.5."""
    return n**2.5 + OVERHEAD


def step_seconds(n: int) -> float:
    """Return about how many seconds a step of a splitting of n features takes, including its share of a bound."""
    return STEP * cost(n) / SECOND


def rows_read(problem: Problem, plan: Plan) -> int:
    """The maximum number of rows of A that one bound may read in full."""
    return max(problem.cov.strip, int(plan.rows.products / problem.cov.row_cost))


def worth_branching(problem: Problem, plan: Plan) -> bool:
    """Whether branch and bound on all features is worth beginning."""
    return pair_steps(problem, plan) > 0 and plan.branch_seconds * SECOND >= WORTHWHILE * cost(problem.n)
