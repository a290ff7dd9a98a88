"""Plan: how much work a certificate may cost, in seconds that are counted, not timed, and what each step is counted at.

The unit is what one core of 2024 does in a second: the same call does the same work, and proves the same, on any
machine. Three things are counted: steps of a splitting, each an eigenvalue problem (:func:`step_seconds`); products
behind rows of A; and entries that are selected from (``Held.reading_seconds``).

Beside each tuned constant, here and in the other modules, stands by how much the live ratio of a case of
``tests.benchmarks.live`` changes at half or twice its value: 0 is less than .00005; 49 × 7,129 are the logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.covariance.problem import Problem

# A search is slow if its last bounds gained less than this share of what is left to gain. LOOK_BACK half: −.0050 on
# 168 × 2,905 standardised, k = 50, double: 0 in more time; SLOW half: 0, not doubled apart.
LOOK_BACK, SLOW = 4, 0.01
# Least relative gain worth another bound. Half: 0 on LFW, k = 80; double: +.0029 on 49 × 7,129, k = 200.
BOUND_GAIN = 1e-4
# Seconds that a step counts at least where they are limited: of few features branching gains more than further steps.
# Without: −.00007 on pit props, any sign, k = 10.
COUNTED = 1e-2
# Most features of an elimination's T; half as many are few: a small T, rows to read. Half: −.0184 on 49 × 7,129,
# k = 50, +.0096, k = 200.
MOST_KEPT = 1000
# Features of a set that is chosen, at least. Half: 0, double: −.0018 on LFW, k = 40, in three times the time.
SMALLEST = 64
SAMPLED = 192  # rows that are asked first where many would have to be read. At 256: 0 on 168 × 2,905 standardised.
# Features up to which the relaxation is solved on all of them where none are eliminated. Half: −.0024 on LFW, k = 300.
ON_ALL = 700
# Half of the work that rows may take that are read again, or shrunk, in a thorough certificate. Not read again: −.033
# on 1,000 × 20,000 sparse. Half: 0 on 49 × 7,129, k = 200.
LONGEST = 60.0
# Least number of steps of a splitting for which a tree is worthwhile. Half: 0, double: −.0014 on LRS, k = 20.
WORTHWHILE = 600

# of prices, measured
STEP, OVERHEAD = 2.1e-9, 6e-4  # seconds of a step of a splitting: per n^2.5, and beside; of several parts twice as many
ENTRY = 1.5e-8  # seconds an entry that is held takes in a step of levelling, or of masses


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The numbers of an effort."""

    seconds: float  # all work, see ``certificate.allowance``; infinite where only single bounds have limits
    relaxation: float  # work of one relaxation
    trees: float  # work of branch and bound
    features: int  # up to which the relaxation is solved on all of them, without elimination
    loss: float  # relative loss of the upper bound that is accepted for a smaller set of kept features
    closed: float  # relative gap at which nothing more is tried
    # Least relative gain worth another bound by elimination. BOUND_GAIN: −.0006 on LFW standardised, k = 40, thorough.
    gain: float = BOUND_GAIN

    @property
    def hurried(self) -> bool:
        """Whether all work together is limited."""
        return self.seconds < np.inf

    @property
    def whole(self) -> int:
        """Up to how many features the relaxation is solved on all of them where none are eliminated."""
        return max(ON_ALL, self.features)

    def steps(self, n: int, r: int = 1) -> int:
        """Return how many steps of a splitting of n features one relaxation may take."""
        return int(self.relaxation / max(step_seconds(n, r), COUNTED))

    def branches(self, n: int, r: int = 1) -> bool:
        """Whether branch and bound on n features is worthwhile."""
        return self.trees >= WORTHWHILE * step_seconds(n, r)

    def rows(self, problem: Problem, seconds: float | None = None) -> int:
        """Return how many rows of A one bound may read, where reading all takes so many seconds; in full if None."""
        cov, n = problem.cov, problem.n
        return max(cov.held.strip, int(self.relaxation * n / (seconds or cov.held.reading_seconds(np.arange(n)))))


PLANS = {
    "live": Plan(seconds=3.0, relaxation=4.2, trees=0.75, features=300, loss=3e-3, closed=5e-5),
    "thorough": Plan(seconds=np.inf, relaxation=45.0, trees=70.0, features=3000, loss=3e-4, closed=1e-6, gain=1e-6),
}


def step_seconds(n: int, r: int = 1) -> float:
    """Return how many seconds a step of a splitting of n features and r parts counts, with its share of a bound."""
    return (1 + (r > 1)) * (STEP * n**2.5 + OVERHEAD)


def is_stalling(bounds: list[float], goal: float) -> bool:
    """Whether a search whose bounds so far are these, none above one before it, is unlikely to reach the goal soon."""
    before = bounds[-1 - LOOK_BACK] if len(bounds) > LOOK_BACK else np.inf
    return before - bounds[-1] < SLOW * (bounds[-1] - goal)
