"""Upper bounds with one feature excluded, for one feature after another, from one relaxation of the whole problem.

The whole is relaxed once, on the features T if the others can be eliminated. Without feature i, each case of T starts
from the multipliers of the whole: L and M without row i prove a bound at once, and the splitting continues from there
(docs/mathematics/necessity.md).

The only question is whether a bound lies below a level. So the masses outside T are those of components that reach the
level: if one without i did, so would the best without i; its masses would be no larger than these, and the bound would
hold for it. A bound below the level excludes it.
"""

from __future__ import annotations

import numpy as np

from nnspca.bounds import elimination
from nnspca.bounds.cases import Elimination
from nnspca.bounds.elimination import BRANCHED
from nnspca.bounds.plain import largest_variances
from nnspca.bounds.plan import ON_ALL, PLANS, is_stalling
from nnspca.bounds.selection import Limits
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped
from nnspca.covariance.problem import Problem


def whole_relaxation(problem: Problem, x: np.ndarray, level: float, monitor: Monitor) -> Elimination | None:
    """Relax the whole on a small set T; None if T would need too many features. No bound above ``level`` matters."""
    relaxation = None
    if level > 0 and problem.n > BRANCHED:
        relaxation = elimination.choose(
            problem, x, np.inf, Limits(ON_ALL, PLANS["live"].loss, BRANCHED), monitor, lower_bound=level
        )
    if relaxation is None and problem.n <= ON_ALL and not monitor.stop():
        relaxation = Elimination(problem, x, level, np.arange(problem.n), np.zeros(1), monitor=monitor)
    return relaxation


def tighten_relaxation(relaxed: Elimination, goal: float, *, trees: bool = False) -> float:
    """Lower the bound until it is below the goal, or unlikely to get there soon; return it."""
    past: list[float] = []
    work = relaxed.monitor.search
    most = max(work.left, 1.0)
    while True:
        value = float(relaxed.upper_bounds()[0].max())
        past.append(value)
        relaxed.monitor.tell(1 - work.left / most, "proving a bound")
        slow = not trees and is_stalling(past, goal)
        spent = work.left <= 0 or relaxed.monitor.stop()
        try:
            if value < goal or slow or spent or not relaxed.work(goal, trees):
                return value
        except Stopped:  # the bounds made before hold
            return value


def upper_bound(
    whole: Elimination | None,
    problem: Problem,
    feature: int,
    x: np.ndarray,
    level: float,
    monitor: Monitor,
    *,
    trees: bool = False,
) -> float:
    """Return an upper bound without a feature, to decide whether a level can be reached without it.

    ``whole`` comes from :func:`whole_relaxation` and :func:`tighten_relaxation`, for a point with the feature; ``x`` is
    a feasible point without it. A bound below the level proves that none without it reaches the level. ``trees`` allows
    branch and bound.
    """
    others = problem.restrict(np.delete(np.arange(problem.n), feature))
    quick = largest_variances(others.cov, others.k)
    if quick < level or whole is None:
        return quick
    part = whole.without(np.array([feature]), x, monitor)
    # T has no variance: there is nothing to branch on
    return min(quick, tighten_relaxation(part, level, trees=trees and bool(part.part.diagonal.max() > 0)))
