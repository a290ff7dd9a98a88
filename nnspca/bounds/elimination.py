"""Elimination by small masses: a bound proven on a few features T extends to all (docs/mathematics/elimination.md).

With q features outside T, which hold ε_q at most (:mod:`nnspca.bounds.masses`), the optimum is at most
``U_{k−q} / (1 − ε_q)``. Which T, and how much work it is worth, is decided here; the bounds on it are made by
:class:`nnspca.bounds.cases.Elimination`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from nnspca.bounds import masses, selection
from nnspca.bounds.cases import Elimination
from nnspca.bounds.companions import Companions
from nnspca.bounds.plan import BOUND_GAIN, SMALLEST
from nnspca.bounds.selection import Limits, Selection
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

# Features of T up to which branch and bound pays in the seconds of a live certificate. Half, double: 0 on LFW, k = 40;
# without trees, Leukemia at k = 5 falls by .0050.
BRANCHED = 200
# Share of the work in relaxations after which a T twice as large may pay more. Half, double: 0 there. With any larger
# T, −.0040 on Leukemia, k = 200: 1,000 features for 771.
LATE = 1 / 8


@dataclass(frozen=True)
class Budget:
    """The work of an elimination, in counted seconds: in relaxations, and in branch and bound after them."""

    relaxations: float
    trees: float = 0.0
    patience: float = 1.0  # share of the work in relaxations after which a search below nothing known is given up
    gain: float = BOUND_GAIN  # least relative gain worth another bound


def eliminate(
    problem: Problem,
    x: np.ndarray,
    least: float,
    limits: Limits,
    budget: Budget,
    *,
    goal: float,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda support: None,
) -> Iterator[Bound]:
    """Yield decreasing bounds below ``least`` until the goal is met; none if too many features have too large a mass.

    ``x`` is the best feasible point known; ``consider`` is called with a support of at most k features where a better
    one may lie.
    """
    monitor = monitor.within(budget.trees + budget.relaxations)
    companions, work = Companions(problem, monitor), monitor.search
    elimination = choose(problem, x, least * (1 - budget.gain), limits, monitor, consider, companions=companions)
    if elimination is None:
        return
    beaten, widened = False, False
    while True:
        value = float(elimination.upper_bounds()[0].max())
        if value < least * (1 - budget.gain):
            least, beaten = value, True
            yield elimination.bound()
        if not beaten and work.spent > budget.patience * budget.relaxations:
            return
        if value <= goal or work.left <= 0 or monitor.stop():
            return
        may_double = 2 * len(elimination.inside) <= limits.features
        known = least if may_double and not beaten and work.spent > LATE * budget.relaxations else np.inf
        larger_pays = not widened and elimination.needs_larger_subset(known)
        if larger_pays and len(elimination.inside) < limits.features:
            wider = replace(limits, smallest=2 * len(elimination.inside))
            larger = choose(problem, x, least * (1 - budget.gain), wider, monitor, consider, companions=companions)
            widened, elimination = True, larger or elimination
        elif elimination.work(goal, budget.trees > 0):
            pass
        elif len(elimination.inside) > BRANCHED or not elimination.work(goal, True):
            return


def choose(
    problem: Problem,
    x: np.ndarray,
    least: float,
    limits: Limits,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda support: None,
    *,
    lower_bound: float | None = None,
    companions: Companions | None = None,
) -> Elimination | None:
    """Choose T: as few features as possible at almost no loss, if the bounds on T are as tight as they can be.

    With ``lower_bound`` given, the masses are those of all components of at least that variance, best on
    their own support.
    """
    companions = companions or Companions(problem, monitor)
    lower_bound = masses.attained(problem.cov, x) if lower_bound is None else lower_bound
    support = np.flatnonzero(x)
    limits = replace(limits, features=min(limits.features, problem.n))
    if lower_bound <= 0 or len(support) >= limits.features:
        return None
    shares = selection.kept_shares(problem, x, lower_bound)
    outside = np.arange(1, len(shares))
    lost = limits.loss + (1.0 - selection.LOOSER) * (1.0 - shares[1:])
    row_skip_threshold = max(0.0, float((lost / outside).min(initial=1.0)))

    def choose_subset(smallest: int, joint: masses.Boxes | None = None) -> Selection | None:
        """Choose T by the masses from rows, or by joint masses where they are known."""
        ranking = masses.MassRanking(
            problem,
            lower_bound,
            monitor,
            row_skip_threshold=row_skip_threshold,
            most=limits.max_rows_read,
            joint=joint,
            companions=companions,
        )
        return selection.sufficient(ranking, support, shares, replace(limits, smallest=smallest), least / lower_bound)

    choice, proof = choose_subset(limits.smallest), None
    if choice is None or len(choice.inside) > SMALLEST:
        joint = masses.beside_each_other(problem, lower_bound, masses.by_variance(problem.cov, lower_bound), monitor)
        alternative = None if joint is None else choose_subset(limits.smallest, joint)
        if joint and alternative and (choice is None or alternative.cost < choice.cost):
            choice, proof = alternative, joint.proof
    if choice is None:
        return None
    return Elimination(
        problem,
        x,
        lower_bound,
        choice.inside,
        choice.excluded_mass,
        row_skip_threshold,
        proof,
        monitor,
        consider,
    )
