"""Which bound of several parts comes when: :func:`tighten` is the order in which every joint certificate is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from nnspca.bounds import plain
from nnspca.bounds.certificate import Bounds
from nnspca.bounds.parts import branch, dual, working
from nnspca.bounds.parts.plan import PartsPlan, joint_step_seconds
from nnspca.certificates.proofs import PairProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

OPTIMAL = 1e-4  # relative gap below which parts are called optimal: no cases are begun
WORTHWHILE = 500  # least number of steps of a splitting for which branch and bound is worthwhile


@dataclass(kw_only=True)
class KnownParts(Bounds):
    """What is known of parts while their certificate is made.

    Attributes
    ----------
    X : ndarray, shape (r, n)
        The best parts, zeros for those that are missing; their variances add up to ``lower``.
    best : float
        The largest variance of one of them.
    single : callable
        Proves a bound on any one part alone, in a second or two.
    start : PairProof or None
        What proved a bound at a neighbouring k or r.
    consider : callable
        Called with rows (r, n) near which better parts may lie.
    """

    X: np.ndarray
    best: float
    single: Callable[[], Bound]
    monitor: Monitor = field(default_factory=Monitor)
    start: PairProof | None = None
    consider: Callable[[np.ndarray], None] = lambda rows: None


def tighten(problem: Problem, known: KnownParts, plan: PartsPlan) -> Iterator[Bound]:
    """Yield ever lower upper bounds on r parts, each with its proof, until the gap is closed or the work is done.

    ``problem`` is that of each part alone. The caller records each bound in ``known`` before asking for the next.
    """
    r, monitor, goal = len(known.X), known.monitor, known.lower * (1 + plan.closed)
    yield plain.variances(problem, r)
    if bound := plain.largest_eigenvalues(problem.cov, r):
        yield bound
    if on_all := problem.cov.holds_entries and problem.n <= plan.features:
        steps = plan.steps_on(problem.n)
        yield from dual.tighten(problem, known.X, steps=steps, goal=goal, monitor=monitor, warm_start=known.start)
    else:
        features = min(plan.working_features, problem.n)
        steps = plan.steps_on(int(working.FIRST * features))
        yield from working.tighten(problem, known.X, features=features, steps=steps, goal=goal, monitor=monitor)
    if r * known.best < known.upper:  # no bound on one part is below what one part has
        yield plain.each(known.single(), r)
    if on_all and known.above(OPTIMAL) and plan.trees >= WORTHWHILE * joint_step_seconds(problem.n):
        goal = known.lower * (1 + OPTIMAL / 2)
        yield from branch.tighten(
            problem, known.X, goal=goal, budget=plan.trees, monitor=monitor, consider=known.consider
        )
