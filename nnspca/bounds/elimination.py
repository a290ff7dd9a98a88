"""Elimination by small masses: what is proven on a few features speaks for all of them.

Let x be optimal, J its support, OPT its variance, T any set of features, R = J∖T with |R| = q, and
ε = ‖x_R‖². On J, x is an eigenvector of A, so ``x_R'Ax = OPT ε``, that is
``x_R'A x_T = OPT ε − x_R'A x_R``, and

    OPT = x_T'A x_T + 2 x_R'A x_T + x_R'A x_R = x_T'A x_T + 2 OPT ε − x_R'A x_R <= U (1 − ε) + 2 OPT
    ε

for any ceiling U on T alone with k − q features, as A is positive semidefinite. ε is at most ε_q,
the sum of the q largest masses outside T (:mod:`nnspca.bounds.masses`), hence

    OPT <= max over q of  U_{k−q} (1 − ε_q) / (1 − 2 ε_q)        (ε_q < ½).

A ceiling with more features holds with fewer, so a few cardinalities c serve all q: each *case* is
one of them, with the least ceiling on T known for it. Where an outside feature can hold less than
one of the k features is worth, the largest value is that of q = 0 and nothing is lost: n features
have become |T|.

Which T, and which cases to begin with, :mod:`nnspca.bounds.selection` tells; :mod:`nnspca.bounds.cases`
brings them down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from nnspca.bounds import boxes, branch, masses, selection
from nnspca.bounds.cases import Elimination
from nnspca.bounds.plan import SECOND, Known, Plan, pair_steps, rows_read, whole_steps
from nnspca.bounds.selection import Limits
from nnspca.calls.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

PATIENT = 1 / 8  # share of the budget by which a search on T must have come below what is known
LATE = 1 / 4  # share of the budget after which a T on which nothing was gained was too small
GAIN = 1e-4  # relative: less is not worth another bound
MANY = 150  # k from which a live search plans its cases, as a hundred numbers of features outside matter
WIDEST = 1000  # features of T at most in a planned search
LONGER = 2.0  # times the work that others may count: a step on so many features takes less than its count
CROWDED = 150  # features of T from which it is worth a second to know what they hold beside each other
FULL = 0.4  # share of the weight that features outside may hold, beyond which T is taken no smaller for it
LIGHT = 0.7  # share of what a feature takes from the others, below which its variance alone tells enough


@dataclass(frozen=True)
class Budget:
    """What an elimination may spend, in the unit of :func:`nnspca.bounds.plan.cost`.

    Attributes
    ----------
    relaxations, trees : float
        Most work in relaxations, and in branch and bound after them.
    patience : float
        Share of the work in relaxations after which a search that has come below nothing known is
        given up.
    """

    relaxations: float
    trees: float = 0.0
    patience: float = 1.0


def tighten(
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
    """Yield falling bounds below ``least``; nothing where too many features can hold too much.

    Parameters
    ----------
    problem : Problem
    x : ndarray, shape (n,)
        The best feasible point known.
    least : float
        The best bound known.
    limits : Limits
        Of T.
    budget : Budget
    goal : float
        Stop once a bound is this small.
    monitor : Monitor
    consider : callable, optional
        Called with a support of at most k features where a better x may lie.
    """
    elimination = begin(problem, x, least, limits, monitor, consider)
    if elimination is None:
        return
    most = budget.trees + budget.relaxations
    meter, beaten, widened = branch.Meter(most), False, limits.sparing

    def larger(than: Elimination) -> Elimination | None:
        """Begin again on twice as many features, or as many as are allowed."""
        return begin(problem, x, least, replace(limits, smallest=2 * len(than.inside)), monitor, consider)

    while True:
        made = float(elimination.ceilings()[0].max())
        if made < least * (1 - GAIN):
            least, beaten = made, True
            yield elimination.bound()
        spent = most - meter.left
        if not beaten and spent > budget.patience * budget.relaxations:
            return
        if made <= goal or meter.left <= 0 or monitor.stop():
            return
        growing = not widened and len(elimination.inside) < limits.features
        if growing and not beaten and spent > LATE * budget.relaxations:
            widened = True
            elimination = larger(elimination) or elimination
            continue
        if elimination.work(meter, goal, budget.trees > 0):
            continue
        if not (growing and elimination.cramped):
            return
        widened, wider = True, larger(elimination)
        if wider is None:
            return
        elimination = wider


def begin(
    problem: Problem,
    x: np.ndarray,
    least: float,
    limits: Limits,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda support: None,
    *,
    low: float | None = None,
) -> Elimination | None:
    """Choose T: as few features as lose next to nothing, if the bounds on T are as tight as they can be.

    With ``low`` given, the masses are those of all components of at least that variance, best on
    their own support.
    """
    low = masses.attained(problem.cov, x) if low is None else low
    support = np.flatnonzero(x)
    limits = replace(limits, features=min(limits.features, problem.n))
    if low <= 0 or len(support) >= limits.features:
        return None
    shares = selection.shares(problem, x, low)
    outside = np.arange(1, len(shares))
    light = max(0.0, float(((limits.loss + LIGHT * (1.0 - shares[1:])) / outside).min(initial=1.0)))

    def chosen(smallest: int, beside: masses.Boxes | None = None) -> selection.Selection | None:
        """Choose T by the masses that rows tell, or those of features beside each other where they are known."""
        falling = masses.Falling(problem, low, monitor, light=light, most=limits.read, beside=beside)
        return selection.choose(falling, support, shares, replace(limits, smallest=smallest), least / low * (1 - GAIN))

    made, proof = chosen(limits.smallest), None
    if made is None or len(made.inside) > CROWDED:
        beside = boxes.within(problem, low, masses.by_variance(problem.cov, low), monitor)
        again = None if beside is None else chosen(limits.smallest, beside)
        if made and again and float(again.lost[-1]) > FULL:  # rather as many features, and less outside
            again = chosen(len(made.inside), beside)
        if beside and again and (made is None or again.work <= made.work):
            made, proof = again, beside.proof
    if made is None:
        return None
    inside, lost = made.inside, made.lost
    return Elimination(problem, x, low, inside, lost, light, proof, monitor, consider, planned=made.planned)


def by_plan(problem: Problem, plan: Plan, known: Known) -> Iterator[Bound]:
    """Where the features are too many for the splitting of all."""
    if pair_steps(problem, plan):
        return
    sparing, patient = _sparing(problem, plan), whole_steps(problem, plan) or plan.always_levels
    limits = Limits(_most_kept(problem, plan), plan.eliminated_loss, sparing=sparing, read=rows_read(problem, plan))
    budget = Budget(
        plan.eliminated_seconds * SECOND * (LONGER if sparing else 1.0),
        min(plan.branch_seconds, plan.eliminated_seconds) * SECOND if plan.always_levels else 0.0,
        PATIENT if patient else 1.0,  # where others can still be tried
    )
    yield from tighten(
        problem,
        known.x,
        known.upper,
        limits,
        budget,
        goal=known.lower * (1 + plan.closed),
        monitor=known.monitor,
        consider=known.consider,
    )


def _sparing(problem: Problem, plan: Plan) -> bool:
    """Whether there are so many k − q, in so short a time, that cases are planned."""
    return problem.k >= MANY and not plan.always_levels and not whole_steps(problem, plan)


def _most_kept(problem: Problem, plan: Plan) -> int:
    """How many features T may have at most: fewer where the splitting could run on all of them instead."""
    if whole_steps(problem, plan):
        return min(plan.eliminated_features, int(plan.kept_share * problem.n))
    return max(plan.eliminated_features, WIDEST) if _sparing(problem, plan) else plan.eliminated_features
