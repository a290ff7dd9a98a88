"""Plan: the budget and stopping rule of a certificate, and the context that each bound receives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from nnspca.bounds.bound import Proven
from nnspca.control.progress import Allowance
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

SECOND = 145 * 361**2.5  # steps × n^2.5 of the pair-scaled dual in about a second: the unit of cost
STEP = 0.75  # of what the unit counts for a step: it is faster on many features than when the unit was set
OVERHEAD = 3e5  # cost of a step that does not depend on n, in the unit n^2.5
FEW = 1000  # features up to which a certificate may do the work of few
WORTHWHILE = 700  # fewest steps of a splitting for which a tree is worthwhile
QUICK = 0.5  # share of the work by which all quick bounds are made; no call ends before


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much work a certificate may cost: counted, not timed, so that the same call gives the same bounds.

    Attributes
    ----------
    ranks : tuple of int
        d of the shifted rank-d bound.
    cells : int
        Limit of each search on the sphere.
    paper_entries : int
        Most directions times features for the paper's own bound, which holds with some probability
        only.
    pair_features : int
        Most features for the pair-scaled dual, whose steps cost n³.
    whole_features : int
        Most features for it where elimination cannot set enough of them aside.
    kept_share : float
        Share of so few features that elimination may keep: the dual on all does as well as on more.
    working_features : int
        Most features of a working set for it, where all are too many.
    pair_steps : int
        Most steps of it.
    pair_seconds, whole_seconds, branch_seconds : float
        Most cost of it, of it where elimination failed, and of branch and bound, in the
        unit ``SECOND``.
    eliminated_features : int
        Most features that elimination by masses keeps.
    eliminated_loss : float
        Share of the upper bound that may be lost for fewer of them.
    eliminated_seconds : float
        Most cost of the relaxations on them, in the unit ``SECOND``.
    read : float
        Most products that one bound may take to read rows of A, where A is not held: of two hundred
        samples of a hundred thousand features a whole pass would take minutes.
    passes : int
        Power steps over all rows that level them, where A is not held: a step reads the whole of A.
    always_levels : bool
        Whether they are made where a working set would do, too.
    closed : float
        Relative gap at which nothing more is tried.
    narrow : float
        Relative gap of the pair-scaled dual below which no other relaxation would come close.
    optimal : float
        Relative gap below which a component is called optimal: nothing is parted into cases any
        more.
    last : float
        No attempt is made whose place (``Attempt.at``) comes after this.
    seconds, seconds_of_many : float
        Most work of all attempts together, counted in processor seconds, up to ``FEW`` features and beyond:
        those under way when it ends yield what they have.
    small : float
        Relative gap at which the rest of that work is limited to ``seconds_of_small``.
    seconds_of_small : float
    """

    ranks: tuple[int, ...]
    cells: int
    paper_entries: int
    pair_features: int
    whole_features: int
    working_features: int
    pair_steps: int
    pair_seconds: float
    whole_seconds: float
    eliminated_features: int
    eliminated_loss: float
    eliminated_seconds: float
    read: float
    passes: int
    always_levels: bool
    branch_seconds: float
    closed: float
    kept_share: float = 0.5
    narrow: float = 5e-3
    optimal: float = 5e-5
    last: float = 1.0
    seconds: float = np.inf
    seconds_of_many: float = np.inf
    small: float = 0.0
    seconds_of_small: float = np.inf

    def allowance(self, n: int) -> Allowance:
        """Return the work that a certificate of n features may do."""
        return Allowance(self.seconds if n <= FEW else self.seconds_of_many)


PLANS = {
    "live": Plan(
        ranks=(1, 2, 3, 4, 5),
        cells=12_000,
        paper_entries=10**6,
        pair_features=450,
        whole_features=700,
        working_features=500,
        pair_steps=400,
        pair_seconds=1.2,
        whole_seconds=2.4,
        eliminated_features=640,
        eliminated_loss=3e-3,
        eliminated_seconds=2.8,
        read=4e10,
        passes=1,
        always_levels=False,
        branch_seconds=1,
        closed=5e-5,
        narrow=2e-2,
        seconds=3.0,
        seconds_of_many=6.0,
        small=1e-3,
        seconds_of_small=0.5,
    ),
    "thorough": Plan(
        ranks=(1, 2, 3, 4, 5, 6, 7),
        cells=200_000,
        paper_entries=10**9,
        pair_features=1500,
        whole_features=1500,
        working_features=1500,
        pair_steps=4000,
        pair_seconds=60,
        whole_seconds=60,
        eliminated_features=1000,
        eliminated_loss=3e-4,
        eliminated_seconds=60,
        read=6e11,
        passes=3,
        always_levels=True,
        branch_seconds=90,
        closed=1e-6,
    ),
}


def _ignored(support: np.ndarray) -> None:
    """Ignore a support."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundContext(Proven):
    """The context of an attempt: what is known so far, any of which it may start from.

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
        Features that every support contains. The problem of an attempt is without them: a bound
        that can count their places adds them.
    """

    x: np.ndarray
    earlier: Mapping[str, Bound] = field(default_factory=dict)
    seed: int = 0
    consider: Callable[[np.ndarray], None] = _ignored
    include: tuple[int, ...] = ()


def pair_steps(problem: Problem, plan: Plan) -> int:
    """The number of steps of the pair-scaled dual on all features, if they are few."""
    return whole_steps(problem, plan) if problem.n <= plan.pair_features else 0


def whole_steps(problem: Problem, plan: Plan) -> int:
    """The same for more features, none of which can be eliminated."""
    if not problem.cov.holds_entries or problem.n > plan.whole_features:
        return 0
    seconds = plan.pair_seconds if problem.n <= plan.pair_features else plan.whole_seconds
    return min(plan.pair_steps, int(seconds * SECOND / problem.n**2.5))


def cost(n: int) -> float:
    """Return the cost of a step of a splitting of n features, in the unit n^2.5."""
    return n**2.5 + OVERHEAD


def step_seconds(n: int) -> float:
    """Return about how many seconds a step of a splitting of n features takes, with its share of a bound."""
    return STEP * cost(n) / SECOND


def rows_read(problem: Problem, plan: Plan) -> int:
    """The most rows of A that one bound may read in full."""
    return min(max(problem.cov._strip, int(plan.read / problem.cov._row_cost)), problem.cov._rows_at_hand)


def parts_cases(problem: Problem, plan: Plan) -> bool:
    """Whether branch and bound on all features is worth beginning."""
    return pair_steps(problem, plan) > 0 and plan.branch_seconds * SECOND >= WORTHWHILE * cost(problem.n)
