"""PartsPlan: the budget and stopping rule of a joint certificate, and the context that each bound receives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from nnspca.bounds.bound import Proven
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

PARTS_SECOND = 1.2e8  # work (see step_cost) that takes about a second; not the unit of one part
PARTS_OVERHEAD = 1.2e5  # cost of a step that does not depend on n, in the unit n^2.5
PARTS_WORTHWHILE = 500  # least number of steps of a splitting for which branch and bound is worthwhile


@dataclass(frozen=True, kw_only=True)
class PartsPlan:
    """How much work a joint certificate may cost: counted, not timed, so that the same call gives the same bounds.

    Attributes
    ----------
    features : int
        Maximum number of features for the joint dual, whose steps cost n³.
    working_features : int
        Maximum size of a working set for the dual when there are more features than that.
    steps : int
        Maximum number of its steps.
    seconds, branch_seconds : float
        Maximum cost of those steps and of branch and bound, in the unit ``PARTS_SECOND``.
    closed : float
        Relative gap at which nothing more is tried.
    optimal : float
        Relative gap below which parts are called optimal: branch and bound is not started.
    """

    features: int
    working_features: int
    steps: int
    seconds: float
    branch_seconds: float
    closed: float
    optimal: float = 1e-4


PARTS_PLANS = {
    "live": PartsPlan(features=700, working_features=700, steps=1500, seconds=4, branch_seconds=1, closed=1e-4),
    "thorough": PartsPlan(features=1500, working_features=1200, steps=6000, seconds=90, branch_seconds=90, closed=1e-6),
}


def _ignored(rows: np.ndarray) -> None:
    """Ignore a proposal for parts."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PartsContext(Proven):
    """The context of an attempt: all results so far; an attempt may start from any of them.

    Attributes
    ----------
    X : ndarray, shape (r, n)
        The best parts, zeros for those that are missing.
    best : float
        The largest variance of one of them.
    single : callable
        Proves a bound on any one part alone, in a second or two.
    earlier : mapping
        The bounds of a certificate of the same covariance at a neighbouring k or r, by name.
    consider : callable
        To be called with rows (r, n) near which better parts may lie.
    """

    X: np.ndarray
    best: float
    single: Callable[[], Bound]
    earlier: Mapping[str, Bound] = field(default_factory=dict)
    consider: Callable[[np.ndarray], None] = _ignored


def step_cost(n: int) -> float:
    """Return what a step of a splitting of n features costs, in the unit n^2.5."""
    return n**2.5 + PARTS_OVERHEAD


def on_all(problem: Problem, plan: PartsPlan) -> bool:
    """Whether the joint dual is made on all features."""
    return problem.cov.holds_entries and problem.n <= plan.features


def steps_on(n: int, plan: PartsPlan) -> int:
    """How many steps of it on n features the plan allows."""
    return min(plan.steps, int(plan.seconds * PARTS_SECOND / step_cost(n)))


def worth_cases(problem: Problem, plan: PartsPlan) -> bool:
    """Whether branch and bound is worth beginning."""
    enough = plan.branch_seconds * PARTS_SECOND >= PARTS_WORTHWHILE * step_cost(problem.n)
    return on_all(problem, plan) and enough
