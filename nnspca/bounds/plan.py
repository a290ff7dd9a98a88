"""Plan: how much work a certificate may cost, in seconds that are counted, not timed, and what each step is counted at.

The unit is what one core of 2024 does in a second: the same call does the same work, and proves the same, on any
machine. Three things are counted: steps of a splitting, each an eigenvalue problem (:func:`step_seconds`); products
behind rows of A; and entries that are selected from (``Covariance.reading_seconds`` and ``levelled.seconds``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.bounds import levelled
from nnspca.control.progress import Allowance
from nnspca.covariance.problem import Problem

STEP, OVERHEAD = (2.1e-9, 4.2e-9), (6e-4, 1e-3)  # seconds of a step, of one part and of several: per n^2.5, and beside
COUNTED = 1e-2  # seconds a step counts at least where they are limited: no more steps than there is use for
PRODUCTS = 1e10  # products a second of one bound's work that may go into whole rows of A
FEW = 1000  # features beyond which a live certificate has twice the work
ROWS, READINGS, LONGEST = 500, 4, 60.0  # an elimination reads so many rows so often, within so many seconds
WHOLE, WHOLE_AT_MOST = 1.3, 13.0  # work allowed where levelling all rows takes 1, and the most that is allowed for it


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The numbers of an effort."""

    seconds: float  # all work, up to ``FEW`` features; see ``allowance``. Infinite where only single bounds have limits
    relaxation: float  # work of one relaxation
    trees: float  # work of branch and bound
    features: int  # up to which the relaxation is solved on all of them, without elimination
    loss: float  # relative loss of the upper bound that is accepted for a smaller set of kept features
    closed: float  # relative gap at which nothing more is tried

    @property
    def hurried(self) -> bool:
        """Whether all work together is limited."""
        return self.seconds < np.inf

    def allowance(self, problem: Problem) -> Allowance:
        """Return the work that a certificate of a problem may do.

        Where rows of A are made of so many numbers that an elimination could not read its own, or that all could not
        be levelled, it is what that takes.
        """
        seconds = self.seconds if problem.n <= FEW else 2 * self.seconds
        if problem.cov.holds_entries or not self.hurried:
            return Allowance(seconds)
        rows = np.argsort(-problem.cov.diagonal, kind="stable")[:ROWS]
        levelling = WHOLE * levelled.seconds(problem, np.arange(problem.n))
        if levelling <= WHOLE_AT_MOST:
            seconds = max(seconds, levelling)
        return Allowance(max(seconds, min(READINGS * problem.cov.reading_seconds(rows), LONGEST)))

    def steps(self, n: int) -> int:
        """Return how many steps of a splitting of n features one relaxation may take."""
        return int(self.relaxation / max(step_seconds(n), COUNTED))

    def rows(self, problem: Problem) -> int:
        """Return how many rows of A one bound may read in full."""
        return max(problem.cov.strip, int(self.relaxation * PRODUCTS / problem.cov.row_cost))


PLANS = {
    "live": Plan(seconds=3.0, relaxation=4.2, trees=0.75, features=300, loss=3e-3, closed=5e-5),
    "thorough": Plan(seconds=np.inf, relaxation=45.0, trees=70.0, features=1500, loss=3e-4, closed=1e-6),
}


@dataclass(frozen=True, kw_only=True)
class PartsPlan:
    """The numbers of an effort for several parts; the others are those of :class:`Plan`."""

    features: int  # most features for the joint dual
    working_features: int  # most of a working set where there are more
    steps: int  # most steps of its splitting
    relaxation: float
    trees: float
    closed: float

    def steps_on(self, n: int) -> int:
        """Return how many steps of a joint splitting of n features are allowed."""
        return min(self.steps, int(self.relaxation / step_seconds(n, 2)))


PARTS_PLANS = {
    "live": PartsPlan(features=700, working_features=700, steps=1500, relaxation=4, trees=1, closed=1e-4),
    "thorough": PartsPlan(features=1500, working_features=1200, steps=6000, relaxation=90, trees=90, closed=1e-6),
}


def step_seconds(n: int, r: int = 1) -> float:
    """Return how many seconds a step of a splitting of n features and r parts counts, with its share of a bound."""
    return STEP[r > 1] * n**2.5 + OVERHEAD[r > 1]
