"""Which bound of several parts comes when: :func:`tighten` is the order in which every joint certificate is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from nnspca.bounds import branch, core, pair_scaled, plain
from nnspca.bounds.certificate import OPTIMAL, Bounds
from nnspca.bounds.plan import Plan
from nnspca.certificates.proofs import PairProof, TreeProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound


@dataclass(kw_only=True)
class KnownParts(Bounds):
    """What is known of parts while their certificate is made."""

    X: np.ndarray  # the best parts (r, n), zeros for those that are missing; their variances add up to ``lower``
    best: float  # the largest variance of one of them
    single: Callable[[], Bound]  # proves a bound on any one part alone, in a second or two
    monitor: Monitor = field(default_factory=Monitor)
    start: PairProof | None = None  # what proved a bound at a neighbouring k or r
    consider: Callable[[np.ndarray], None] = lambda rows: None  # called with rows near which better parts may lie


def tighten(problem: Problem, known: KnownParts, plan: Plan) -> Iterator[Bound]:
    """Yield ever lower upper bounds on r parts, each with its proof, until the gap is closed or the work is done.

    ``problem`` is that of each part alone. The caller records each bound in ``known`` before asking for the next.
    """
    r, monitor, goal = len(known.X), known.monitor, known.lower * (1 + plan.closed)
    yield plain.variances(problem, r)
    if bound := plain.largest_eigenvalues(problem.cov, r):
        yield bound
    if on_all := problem.cov.holds_entries and problem.n <= plan.whole:
        steps = plan.steps(problem.n, r)
        relaxed = pair_scaled.tighten(problem, known.X, steps=steps, goal=goal, monitor=monitor, warm_start=known.start)
    else:
        relaxed = core.tighten(
            problem,
            known.X,
            core.by_row_sums(problem, monitor),
            np.ones(problem.n),
            known.upper,
            budget=plan.relaxation,
            goal=goal,
            monitor=monitor,
            read=problem.n,
        )
    for bound in relaxed:
        yield replace(bound, name="joint-dual")
    if r * known.best < known.upper:  # no bound on one part is below what one part has
        yield plain.each(known.single(), r)
    if on_all and known.above(OPTIMAL) and plan.branches(problem.n, 2):
        consider = (
            known.consider if r > 1 else lambda support: known.consider(np.eye(problem.n)[support].sum(axis=0)[None])
        )
        goal, meter = known.lower * (1 + OPTIMAL / 2), branch.Meter(plan.trees)
        for bound in branch.tighten(problem, known.X, goal=goal, meter=meter, monitor=monitor, consider=consider):
            yield replace(bound, name="joint-branch" if isinstance(bound.ingredients, TreeProof) else "joint-dual")
