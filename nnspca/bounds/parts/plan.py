"""PartsPlan: how much work a joint certificate may cost, in the counted seconds of :mod:`nnspca.bounds.plan`."""

from __future__ import annotations

from dataclasses import dataclass

STEP_OF_PARTS, OVERHEAD_OF_PARTS = 8.3e-9, 1e-3  # seconds of a step of a joint splitting: per n^2.5, and beside that


@dataclass(frozen=True, kw_only=True)
class PartsPlan:
    """The numbers of an effort.

    Attributes
    ----------
    features : int
        Maximum number of features for the joint dual, whose steps cost n³.
    working_features : int
        Maximum size of a working set for the dual when there are more features than that.
    steps : int
        Maximum number of its steps.
    relaxation, trees : float
        Work of those steps and of branch and bound.
    closed : float
        Relative gap at which nothing more is tried.
    """

    features: int
    working_features: int
    steps: int
    relaxation: float
    trees: float
    closed: float

    def steps_on(self, n: int) -> int:
        """Return how many steps of a joint splitting of n features are allowed."""
        return min(self.steps, int(self.relaxation / joint_step_seconds(n)))


PARTS_PLANS = {
    "live": PartsPlan(features=700, working_features=700, steps=1500, relaxation=4, trees=1, closed=1e-4),
    "thorough": PartsPlan(features=1500, working_features=1200, steps=6000, relaxation=90, trees=90, closed=1e-6),
}


def joint_step_seconds(n: int) -> float:
    """Return how many seconds a step of a joint splitting of n features counts, with its share of a bound."""
    return STEP_OF_PARTS * n**2.5 + OVERHEAD_OF_PARTS
