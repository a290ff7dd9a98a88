"""Plan: the budget and stopping rule of a certificate, and the context that each bound receives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

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
WORTHWHILE = 700  # least number of steps of a splitting for which a tree is worthwhile
QUICK = 0.5  # `Attempt.at` by which all quick bounds have been computed; a small gap ends no call before it


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
        Largest product of directions and features for the paper's own bound, which is probabilistic.
    pair_features : int
        Maximum number of features for the pair-scaled dual on all of them, without elimination first: its steps cost
        n³.
    whole_features : int
        Maximum number of features for the pair-scaled dual on all features when elimination removes
        too few.
    kept_share : float
        If n is at most ``whole_features``: largest share of the features that elimination may keep.
        With a larger share the dual on all features does as well.
    working_features : int
        Maximum size of a working set for the dual when there are more features than that; a large k
        raises it.
    pair_steps : int
        Maximum number of its steps.
    pair_seconds, whole_seconds, branch_seconds : float
        Maximum cost of the pair-scaled dual, of the same where elimination failed, and of branch
        and bound, in the unit ``SECOND``.
    kept_features : int
        Maximum number of features that elimination keeps.
    elimination_loss : float
        Relative loss of the upper bound that is accepted for a smaller set of kept features.
    elimination_seconds : float
        Maximum cost of the relaxations on the kept features, in the unit ``SECOND``.
    read_products : float
        Maximum number of products that one bound may spend on reading rows of A when A is not
        stored. With 200 samples of 100,000 features, reading all rows would take minutes.
    passes : int
        Maximum number of readings of all rows, when A is not stored and the rows of large variance
        do not suffice.
    thorough : bool
        Whether these steps are also made when another relaxation has given a bound, and an
        elimination uses branch and bound and plans no cases in advance.
    closed : float
        Relative gap at which nothing more is tried.
    narrow : float
        Relative gap of the relaxations below which further rank-d bounds and power steps over all
        rows are skipped, as they are then hardly ever smaller.
    optimal : float
        Relative gap below which a component is called optimal: branch and bound is not started.
    last : float
        Attempts with ``Attempt.at`` above this are skipped.
    seconds, seconds_of_many : float
        Maximum work of all attempts together, counted in processor seconds, up to ``FEW`` features and
        beyond: an attempt that is running when it is used up returns its best bound so far.
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
    kept_features: int
    elimination_loss: float
    elimination_seconds: float
    read_products: float
    passes: int
    thorough: bool
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

    def allowance(self, problem: Problem) -> Allowance:
        """Return the work that a certificate of a problem may do.

        Where rows of A are made of so many numbers that an elimination could not read its own, it is
        some readings of these.
        """
        seconds = self.seconds if problem.n <= FEW else self.seconds_of_many
        if problem.cov.holds_entries or seconds == np.inf:
            return Allowance(seconds)
        rows = np.argsort(-problem.cov.diagonal, kind="stable")[:ROWS]
        return Allowance(max(seconds, min(READINGS * problem.cov._reading_seconds(rows), LONGEST)))


PLANS = {
    "live": Plan(
        ranks=(1, 2, 3, 4, 5),
        cells=12_000,
        paper_entries=10**6,
        pair_features=300,
        whole_features=700,
        working_features=500,
        pair_steps=400,
        pair_seconds=1.2,
        whole_seconds=2.4,
        kept_features=1000,
        elimination_loss=3e-3,
        elimination_seconds=5.6,
        read_products=4e10,
        passes=1,
        thorough=False,
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
        kept_features=1000,
        elimination_loss=3e-4,
        elimination_seconds=60,
        read_products=6e11,
        passes=3,
        thorough=True,
        branch_seconds=90,
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
    return whole_steps(problem, plan) if problem.n <= plan.pair_features else 0


def whole_steps(problem: Problem, plan: Plan) -> int:
    """The number of its steps on all features, up to ``whole_features``: used where elimination fails."""
    if not problem.cov.holds_entries or problem.n > plan.whole_features:
        return 0
    seconds = plan.pair_seconds if problem.n <= plan.pair_features else plan.whole_seconds
    return min(plan.pair_steps, int(seconds * SECOND / problem.n**2.5))


def cost(n: int) -> float:
    """Return the cost of a step of a splitting of n features, in the unit n^2.5."""
    return n**2.5 + OVERHEAD


def step_seconds(n: int) -> float:
    """Return about how many seconds a step of a splitting of n features takes, including its share of a bound."""
    return STEP * cost(n) / SECOND


def rows_read(problem: Problem, plan: Plan) -> int:
    """The maximum number of rows of A that one bound may read in full."""
    return min(max(problem.cov._strip, int(plan.read_products / problem.cov._row_cost)), problem.cov._rows_at_hand)


def worth_branching(problem: Problem, plan: Plan) -> bool:
    """Whether branch and bound on all features is worth beginning."""
    return pair_steps(problem, plan) > 0 and plan.branch_seconds * SECOND >= WORTHWHILE * cost(problem.n)
