"""Elimination by small masses: a bound proven on a few features extends to all of them.

Let x be optimal, J its support, OPT its variance, T any set of features, R = J∖T with |R| = q, and
ε = ‖x_R‖². On J, x is an eigenvector of A, so ``x_T'Ax = OPT (1 − ε)``. A is positive semidefinite, so
``(x_T'Ax)² <= x_T'Ax_T · OPT`` (Cauchy and Schwarz), and for any upper bound U on T alone with k − q features

    OPT (1 − ε)² <= x_T'A x_T <= U (1 − ε).

ε is at most ε_q, the sum of the q largest masses outside T (:mod:`nnspca.bounds.masses`), hence

    OPT <= max over q of  U_{k−q} / (1 − ε_q)        (ε_q < 1).

A bound with more features holds with fewer, so a few cardinalities c serve all q: each *case* is one
of them, with the least bound on T known for it. If the mass of each outside feature is below the share
of one of the k features, the largest value is that of q = 0 and nothing is lost: n features are
reduced to |T|.

In this package `selection` chooses T and the first cases, `policy` the next action on them, and `cases` carries it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from nnspca.bounds import boxes, branch, masses
from nnspca.bounds.companions import Companions
from nnspca.bounds.elimination import selection
from nnspca.bounds.elimination.cases import Elimination
from nnspca.bounds.elimination.selection import Limits
from nnspca.bounds.plan import Plan
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

KEPT, SHARE = 1000, 0.5  # most features of T, and the share of all where these may be relaxed as a whole
PATIENT = 1 / 8  # share of the budget after which a search on T ends unless it improved on the known bound
LATE = 0.6  # share of the budget after which T is enlarged if there was no gain
GAIN = 1e-4  # least relative gain worth another bound
CROWDED = 100  # features of T from which joint bounds on masses are worth a second
FULL = 0.4  # largest mass outside for which joint bounds may make T smaller
SMALL = 200  # features of T up to which branch and bound pays in the seconds of a live certificate
LIGHT = 0.7  # share of a feature's effect on the others below which its variance alone suffices


@dataclass(frozen=True)
class Budget:
    """The work of an elimination, in counted seconds.

    Attributes
    ----------
    relaxations, trees : float
        Maximum work in relaxations, and in branch and bound after them.
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
    companions: Companions | None = None,
    hurried: bool = False,
) -> Iterator[Bound]:
    """Yield decreasing bounds below ``least``; none if too many features have too large a mass.

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
    companions : Companions, optional
        Of rows that may have been read before.
    hurried : bool
        Whether there is time for a few turns of splittings only.
    """
    companions = companions or Companions(problem, monitor)
    elimination = begin(problem, x, least, limits, monitor, consider, companions=companions, hurried=hurried)
    if elimination is None:
        return
    most = budget.trees + budget.relaxations
    meter, beaten, widened = branch.Meter(most), False, False

    def larger(than: Elimination) -> Elimination | None:
        """Begin again on twice as many features, or as many as are allowed."""
        wider = replace(limits, smallest=2 * len(than.inside))
        return begin(problem, x, least, wider, monitor, consider, companions=companions, hurried=hurried)

    while True:
        value = float(elimination.upper_bounds()[0].max())
        if value < least * (1 - GAIN):
            least, beaten = value, True
            yield elimination.bound()
        spent = most - meter.left
        if not beaten and spent > budget.patience * budget.relaxations:
            return
        if value <= goal or meter.left <= 0 or monitor.stop():
            return
        growing = not widened and len(elimination.inside) < limits.features
        if growing and not beaten and spent > LATE * budget.relaxations:
            widened = True
            elimination = larger(elimination) or elimination
            continue
        if elimination.work(meter, goal, budget.trees > 0):
            continue
        if growing and elimination.needs_larger_subset:
            widened, wider = True, larger(elimination)
            if wider is None:
                return
            elimination = wider
        elif len(elimination.inside) > SMALL or not elimination.work(meter, goal, True):
            return


def begin(
    problem: Problem,
    x: np.ndarray,
    least: float,
    limits: Limits,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda support: None,
    *,
    lower_bound: float | None = None,
    companions: Companions | None = None,
    hurried: bool = False,
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
    shares = selection.shares(problem, x, lower_bound)
    outside = np.arange(1, len(shares))
    row_skip_threshold = max(0.0, float(((limits.loss + LIGHT * (1.0 - shares[1:])) / outside).min(initial=1.0)))

    def choose_subset(smallest: int, joint: masses.Boxes | None = None) -> selection.Selection | None:
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
        return selection.choose(
            ranking, support, shares, replace(limits, smallest=smallest), least / lower_bound * (1 - GAIN)
        )

    choice, proof = choose_subset(limits.smallest), None
    if choice is None or len(choice.inside) > CROWDED:
        joint = boxes.bounded_masses(problem, lower_bound, masses.by_variance(problem.cov, lower_bound), monitor)
        alternative = None if joint is None else choose_subset(limits.smallest, joint)
        if (
            choice and alternative and float(alternative.excluded_mass[-1]) > FULL
        ):  # rather as many features, and less outside
            alternative = choose_subset(len(choice.inside), joint)
        if joint and alternative and (choice is None or alternative.is_better(choice)):
            choice, proof = alternative, joint.proof
    if choice is None:
        return None
    inside, excluded_mass = choice.inside, choice.excluded_mass
    return Elimination(
        problem,
        x,
        lower_bound,
        inside,
        excluded_mass,
        row_skip_threshold,
        proof,
        monitor,
        consider,
        hurried=hurried,
    )


def on(
    problem: Problem,
    x: np.ndarray,
    least: float,
    plan: Plan,
    goal: float,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None],
    companions: Companions,
    whole: int,
) -> Iterator[Bound]:
    """Yield decreasing bounds below ``least`` as the plan allows; the splitting of up to ``whole`` features may follow.

    The other arguments are those of :func:`tighten`.
    """
    others = problem.cov.holds_entries and problem.n <= max(whole, plan.features)  # that can still be tried
    limits = Limits(
        min(KEPT, int(SHARE * problem.n)) if others else KEPT,
        plan.loss,
        max_rows_read=plan.rows(problem),
        must_suffice=others,
    )
    patience = PATIENT if others or not plan.hurried else 1.0
    budget = Budget(plan.relaxation, 0.0 if plan.hurried else min(plan.trees, plan.relaxation), patience)
    yield from tighten(
        problem,
        x,
        least,
        limits,
        budget,
        goal=goal,
        monitor=monitor,
        consider=consider,
        companions=companions,
        hurried=plan.hurried,
    )
