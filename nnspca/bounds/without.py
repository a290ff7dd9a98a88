"""Upper bounds with one feature excluded, for one feature after another, from one relaxation of the whole problem.

The optimum without feature i is a problem of its own, but it differs from the whole problem by one
row. So the whole is relaxed once, on the features T if the others can be eliminated
(:mod:`nnspca.bounds.elimination`). Without i, each case of T starts from the multipliers of the whole:
L and M without row i prove a bound at once, and the splitting continues from there.

The only question is whether a bound lies below a level. So the masses outside T are those of
components that reach the level: if one without i did, so would the best without i; its masses would
be no larger than these, and the bound would hold for it. A bound below the level excludes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.bounds import balanced, branch, elimination, variances
from nnspca.bounds.elimination.case import Case
from nnspca.bounds.elimination.cases import Elimination, of_pairs
from nnspca.bounds.elimination.selection import Limits
from nnspca.bounds.pair_scaled import proof_of
from nnspca.bounds.splitting import Splitting
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped
from nnspca.covariance.problem import Problem

FEWEST, FEATURES = 200, 640  # features of T, at least and at most
LOSS = 1e-3  # share of a bound that may be lost for a smaller T
TURN = 6  # steps of a splitting without a feature between two bounds
LOOK_BACK = 12  # turns after which the progress of a bound is judged
SLOW = 1 / 3  # share of the remaining gap that those turns must have gained


@dataclass(kw_only=True)
class Without(Elimination):
    """The cases of T without one feature, derived from those of the whole problem."""

    whole: Elimination

    def __post_init__(self) -> None:
        self.places = np.flatnonzero(np.isin(self.whole.inside, self.inside))
        self.part = self.whole.part.restrict(self.places)
        self.error = self.whole.error
        for q_min, case in self.whole.cases.items():
            self.cases[q_min] = self._case_without(case)

    def _case_without(self, case: Case) -> Case:
        """A case of the whole without the feature: the multipliers stay valid, and no bound rises."""
        problem = Problem(self.part, min(case.problem.k, len(self.places)), self.problem.nonnegative)
        reduced = Case(problem, case.value, None, is_stalled=not self.part.diagonal.max() > 0)
        if reduced.is_stalled:
            return reduced
        proof = of_pairs(case.proof)
        if proof is not None:
            block = np.ix_(self.places, self.places)
            reduced.improve(proof_of(problem, proof.L[block], proof.M[block])[0] + self.error, None)
        else:
            reduced.improve(balanced.balanced_rows(problem, monitor=self.monitor).value + self.error, None)
        return reduced

    def _splitting(self, case: Case, q_min: int) -> Splitting:
        """A splitting that starts at the state of the whole's."""
        whole = self.whole.cases.get(q_min)
        if whole is None or whole.splitting is None:
            return super()._splitting(case, q_min)
        splitting = Splitting(case.problem, self._truncated_x(case.problem.k))
        splitting.follow(whole.splitting, self.places, whole=True)
        return splitting


def begin(problem: Problem, x: np.ndarray, level: float, monitor: Monitor) -> Elimination | None:
    """Relax the whole problem on a small set T; None if too many features would have to be in T.

    Parameters
    ----------
    problem : Problem
    x : ndarray, shape (n,)
        The best feasible point known.
    level : float
        Upper bounds above it are of no interest.
    monitor : Monitor
    """
    relaxation = None
    if level > 0 and problem.n > FEWEST:
        relaxation = elimination.begin(problem, x, np.inf, Limits(FEATURES, LOSS, FEWEST), monitor, lower_bound=level)
    if relaxation is None and problem.n <= FEATURES and not monitor.stop():
        relaxation = Elimination(problem, x, level, np.arange(problem.n), np.zeros(1), monitor=monitor)
    return relaxation


def relax(relaxed: Elimination, goal: float, meter: branch.Meter, *, trees: bool = False) -> float:
    """Lower the bound until it is below the goal, or unlikely to get there soon; return it."""
    past: list[float] = []
    most = max(meter.left, 1.0)
    while True:
        value = float(relaxed.upper_bounds()[0].max())
        past.append(value)
        relaxed.monitor.tell(1 - meter.left / most, "proving a bound")
        slow = not trees and len(past) > LOOK_BACK and past[-1 - LOOK_BACK] - value < SLOW * (value - goal)
        spent = meter.left <= 0 or relaxed.monitor.stop()
        try:
            if value < goal or slow or spent or not relaxed.work(meter, goal, trees):
                return value
        except Stopped:  # the bounds made before hold
            return value


def upper_bound(
    whole: Elimination | None,
    problem: Problem,
    feature: int,
    x: np.ndarray,
    level: float,
    meter: branch.Meter,
    monitor: Monitor,
    *,
    trees: bool = False,
) -> float:
    """Return an upper bound without a feature, to decide whether a level can be reached without it.

    If it lies below the level, no feasible point without the feature reaches the level; if not,
    none has a variance above it.

    Parameters
    ----------
    whole : Elimination or None
        The relaxation of the whole, as :func:`begin` chose and :func:`relax` brought it on.
    problem : Problem
        On two features at least.
    feature : int
        In the support of the point that T was chosen for.
    x : ndarray, shape (n,)
        A feasible point without it, to start from.
    level : float
    meter : Meter
    monitor : Monitor
    trees : bool
        Whether cases may be split further by branch and bound.
    """
    others = problem.restrict(np.delete(np.arange(problem.n), feature))
    quick = variances.largest_variances(others.cov, others.k)
    if quick < level or whole is None:
        return quick
    inside = whole.inside[whole.inside != feature]
    part = Without(
        problem,
        x,
        whole.lower_bound,
        inside,
        whole.excluded_mass,
        whole.row_skip_threshold,
        monitor=monitor,
        turn=TURN,
        whole=whole,
    )
    # T has no variance: there is nothing to branch on
    return min(quick, relax(part, level, meter, trees=trees and bool(part.part.diagonal.max() > 0)))
