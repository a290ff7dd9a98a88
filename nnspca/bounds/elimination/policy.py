"""The policy of an elimination: which action may lower its largest bound next.

Work is spent on the largest value: if its q is the first of a case, the relaxation of the case is
continued, and then branch and bound; otherwise the case is split in two.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

SPAN = 8  # most values of q that a case serves before a new case is tried, whose balanced rows are cheap
SPREAD = 0.25  # ratio of the gaps at the first and last q of a case below which its steps hardly help


class Kind(Enum):
    """What is done with a case."""

    OPEN_PLANNED = "open all planned cases, after the first turns of the first one"
    OPEN = "open a case with the bound by balanced rows"
    OPEN_WARM = "open a case and start it from the multipliers of the case before"
    WARM_START = "start an open case from the multipliers of the case before"
    ADVANCE = "take some steps of a case's splitting"
    BRANCH = "grow the tree of a case"


@dataclass(frozen=True)
class Action:
    """An action on the case whose least number of features outside is ``first``."""

    kind: Kind
    first: int = 0


@dataclass(frozen=True, eq=False)
class State:
    """What the policy reads of an elimination.

    Attributes
    ----------
    cases : frozenset of int
        The open cases, each by the least number q of features outside.
    resting : frozenset of int
        Those whose splitting has stalled.
    warm : frozenset of int
        Those that can start from the multipliers of a case before.
    values, origin : ndarray
        For each q, the upper bound on all features, and the first q of the case behind it.
    lower_bound : float
        Variance that is attained.
    sparing : bool
        Whether the cases were planned.
    planned : bool
        Whether planned cases are still to be opened.
    """

    cases: frozenset[int]
    resting: frozenset[int]
    warm: frozenset[int]
    values: np.ndarray
    origin: np.ndarray
    lower_bound: float
    sparing: bool
    planned: bool


def next_action(state: State, trees: bool) -> Action | None:
    """Return what may lower the largest bound, None if nothing is left; ``trees`` allows branch and bound."""
    if state.planned:
        return Action(Kind.OPEN_PLANNED)
    worst = int(state.values.argmax())
    if not np.isfinite(state.values[worst]):
        return None  # the mass outside could be half of all: no case gives a bound
    first = int(state.origin[worst])
    between = [q for q in state.cases if first < q <= worst]
    middle = (first + worst + 1) // 2
    if state.sparing and not between and worst - first >= SPAN:
        return Action(Kind.OPEN_WARM, middle)  # its balanced rows and warm start cost less than a few steps
    if worst > first and _low_enough(state, first, worst):  # the case serves too many q
        if not between:
            return Action(Kind.OPEN, middle)
        first = max((q for q in between if q not in state.resting), default=first)
    return _action_on(state, first, worst, trees)


def _low_enough(state: State, first: int, worst: int) -> bool:
    """Whether steps of the case at ``first`` would hardly lower the bound at ``worst``."""
    lowest, values = state.lower_bound, state.values
    spread = values[first] - lowest <= SPREAD * (values[worst] - lowest)
    return bool(values[first] <= values[0] or spread or first in state.resting)


def _action_on(state: State, first: int, worst: int, trees: bool) -> Action | None:
    """Return what is done with the case at ``first``, which bounds the largest value."""
    if first in state.warm:
        return Action(Kind.WARM_START, first)
    if first not in state.resting:
        return Action(Kind.ADVANCE, first)
    if worst not in state.cases:  # those before it have stalled
        return Action(Kind.OPEN, worst)
    return Action(Kind.BRANCH, first) if trees else None
