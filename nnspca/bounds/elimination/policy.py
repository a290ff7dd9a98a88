"""The policy of an elimination: which action may lower its largest bound next.

Work is spent on the largest value. If its q is the first of a case, the case is bounded by the best multipliers known;
then the splitting that found them is continued, then one of the case's own, and then branch and bound. Otherwise the
case is split in two, which costs less than a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

NEAR = 0.9  # ratio of the gaps at the first and last q of a case above which a case between them hardly helps


class Kind(Enum):
    """What is done with a case."""

    OPEN = "open a case with what known multipliers prove of it, or with balanced rows"
    TRANSFER = "bound an open case by the newest multipliers of all cases"
    ADVANCE = "take some steps of a case's splitting"
    BRANCH = "grow the tree of a case"


@dataclass(frozen=True)
class Action:
    """An action on the case whose least number of features outside is ``q_min``."""

    kind: Kind
    q_min: int = 0


@dataclass(frozen=True, eq=False)
class State:
    """The state of an elimination that the policy decides on.

    Attributes
    ----------
    cases : frozenset of int
        The open cases, each by the least number q of features outside.
    resting : frozenset of int
        Those whose splitting has stalled, or cannot be stored.
    outdated : frozenset of int
        Those that have not yet been bounded by the newest multipliers.
    sources : mapping
        For a case that multipliers bound, the case whose splitting found them.
    values, origin : ndarray
        For each q, the upper bound on all features, and the first q of the case behind it.
    lower_bound : float
        Variance that is attained.
    """

    cases: frozenset[int]
    resting: frozenset[int]
    outdated: frozenset[int]
    sources: Mapping[int, int]
    values: np.ndarray
    origin: np.ndarray
    lower_bound: float

    def gap(self, q: int) -> float:
        """The gap between the upper bound at q and the variance that is attained."""
        return float(self.values[q]) - self.lower_bound


def next_action(state: State, trees: bool) -> Action | None:
    """Return what may lower the largest bound, None if nothing is left; ``trees`` allows branch and bound."""
    worst = int(state.values.argmax())
    if not np.isfinite(state.values[worst]):
        return None  # the mass outside could be all: no case gives a bound
    q_min = int(state.origin[worst])
    # the last case that serves it, though one before it may have a lower bound
    q_min = max((q for q in state.cases if q_min < q <= worst), default=q_min)
    if q_min in state.outdated:
        return Action(Kind.TRANSFER, q_min)
    if worst == q_min:
        return _steps(state, q_min, trees)
    steps = None
    if not state.sources:
        steps = _steps(state, 0, False)  # its multipliers serve all others
    elif state.gap(q_min) > NEAR * state.gap(worst):
        steps = _steps(state, q_min, False)
    return steps or Action(Kind.OPEN, (q_min + worst + 1) // 2)


def _steps(state: State, q_min: int, trees: bool) -> Action | None:
    """Return the splitting or the tree that may lower the bound of a case: the one it is bounded by, or its own."""
    for q in (state.sources.get(q_min, q_min), q_min):
        if q not in state.resting:
            return Action(Kind.ADVANCE, q)
    return Action(Kind.BRANCH, q_min) if trees else None
