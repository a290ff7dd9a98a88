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
    OPEN_WARM = "open a case and start it from the multipliers of an earlier case"
    WARM_START = "start an open case from the multipliers of an earlier case"
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
        Those whose splitting has stalled.
    warm : frozenset of int
        Those that can start from the multipliers of an earlier case.
    values, origin : ndarray
        For each q, the upper bound on all features, and the first q of the case behind it.
    lower_bound : float
        Variance that is attained.
    cases_planned : bool
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
    cases_planned: bool
    planned: bool


def next_action(state: State, trees: bool) -> Action | None:
    """Return what may lower the largest bound, None if nothing is left; ``trees`` allows branch and bound."""
    if state.planned:
        return Action(Kind.OPEN_PLANNED)
    worst = int(state.values.argmax())
    if not np.isfinite(state.values[worst]):
        return None  # the mass outside could be half of all: no case gives a bound
    q_min = int(state.origin[worst])
    between = [q for q in state.cases if q_min < q <= worst]
    middle = (q_min + worst + 1) // 2
    if state.cases_planned and not between and worst - q_min >= SPAN:
        return Action(Kind.OPEN_WARM, middle)  # its balanced rows and warm start cost less than a few steps
    if worst > q_min and _low_enough(state, q_min, worst):  # the case serves too many q
        if not between:
            return Action(Kind.OPEN, middle)
        q_min = max((q for q in between if q not in state.resting), default=q_min)
    return _action_on(state, q_min, worst, trees)


def _low_enough(state: State, q_min: int, worst: int) -> bool:
    """Whether steps of the case at ``q_min`` would hardly lower the bound at ``worst``."""
    lowest, values = state.lower_bound, state.values
    spread = values[q_min] - lowest <= SPREAD * (values[worst] - lowest)
    return bool(values[q_min] <= values[0] or spread or q_min in state.resting)


def _action_on(state: State, q_min: int, worst: int, trees: bool) -> Action | None:
    """Return what is done with the case at ``q_min``, which bounds the largest value."""
    if q_min in state.warm:
        return Action(Kind.WARM_START, q_min)
    if q_min not in state.resting:
        return Action(Kind.ADVANCE, q_min)
    if worst not in state.cases:  # those before it have stalled
        return Action(Kind.OPEN, worst)
    return Action(Kind.BRANCH, q_min) if trees else None
