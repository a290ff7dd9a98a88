"""Which bound of one component comes when: :func:`tighten` is the order in which every certificate is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from nnspca.bounds import balanced, branch, core, eigenvalues, elimination, pair_scaled, plain, shrunk
from nnspca.bounds.companions import Companions
from nnspca.bounds.plan import KEPT, LONGEST, PLANS, READINGS, WORTHWHILE, Plan, step_seconds
from nnspca.bounds.selection import Limits
from nnspca.certificates.proofs import PairProof, ScaleProof
from nnspca.control.progress import Allowance, Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

SMALL = 1e-3  # relative gap below which rows that are not held are not levelled: they are hardly ever lower
REST = 1 / 6  # share of the work that an eigenvalue may take
OPTIMAL = PLANS["live"].closed  # relative gap below which a component is called optimal: no cases are begun
SHARE = 0.6  # of the work left that a core's splitting may take in a live certificate
PATIENT = 1 / 8  # share of the work after which an elimination ends unless it improved on the known bound
FLAT = 6e-2  # relative gap of the rows beyond which the spectrum is called flat, and a large core is tried
EARLY = 1 / 4  # the share there; at half, 49 × 7,129 logarithms at k = 50 fall from 99.57 to 97.03 %
NOISY = 15.0  # work that the rows of shrunk eigenvalues may take in a live certificate, beside all other


@dataclass(kw_only=True)
class Bounds:
    """A variance that is attained, and the least bound of each name, in order of their last update."""

    lower: float
    bounds: dict[str, Bound] = field(default_factory=dict)

    @property
    def upper(self) -> float:
        """The least proven bound; infinite where there is none."""
        return min((bound.value for bound in self.bounds.values()), default=np.inf)

    def above(self, gap: float) -> bool:
        """Whether the relative gap is larger than this."""
        return self.upper > self.lower * (1 + gap)

    def record(self, bound: Bound, seconds: float) -> None:
        """Replace the bound of the same name unless that was lower; their times add up."""
        before = self.bounds.pop(bound.name, None)
        if before is not None:
            seconds += before.seconds
            bound = bound if bound.value <= before.value else before  # a NaN is neither
        self.bounds[bound.name] = replace(bound, value=float(bound.value), seconds=seconds)


@dataclass(kw_only=True)
class Known(Bounds):
    """What is known of a component while its certificate is made."""

    x: np.ndarray  # the best feasible point, of variance ``lower``
    monitor: Monitor = field(default_factory=Monitor)
    start: PairProof | None = None  # what proved a bound at a neighbouring k
    consider: Callable[[np.ndarray], None] = lambda support: None  # called with a support that may have a better point
    along: bool = False  # whether the bound along the first eigenvector was tried
    rows: Bound | None = None  # the one by balanced rows
    relaxed: float = np.inf  # the least bound of a relaxation


def tighten(problem: Problem, known: Known, plan: Plan) -> Iterator[Bound]:
    """Yield ever lower upper bounds, each with its proof, until the gap is closed or the work is done.

    The caller records each bound in ``known`` before asking for the next, and may stop at any time: every bound
    holds by itself. Features that every support contains are counted by the relaxation and by cases; the other bounds
    hold without.
    """
    free, monitor, companions = replace(problem, include=()), known.monitor, Companions(problem, known.monitor)
    yield from quick(free, known, plan, companions)
    if known.rows is not None and known.above(FLAT):
        limited = replace(monitor, allowance=Allowance(NOISY if plan.hurried else 2 * LONGEST))
        yield from shrunk.tighten(free, known.x, known.rows, limited)
    if not known.above(plan.closed):
        return
    goal = known.lower * (1 + plan.closed)
    whole: PairProof | None = None
    if few := problem.cov.holds_entries and problem.n <= plan.features:
        for bound in _relaxed(problem, known, plan, goal):
            whole = bound.ingredients if isinstance(bound.ingredients, PairProof) else None
            yield bound
    else:
        others = problem.cov.holds_entries and problem.n <= plan.whole  # the relaxation on all features may follow
        kept = min(KEPT, problem.n // 2) if others else KEPT
        limits = Limits(kept, plan.loss, max_rows_read=plan.rows(problem), must_suffice=others)
        patience = PATIENT if others or not plan.hurried else EARLY if known.above(FLAT) else 1.0
        work = elimination.Budget(plan.relaxation, 0.0 if plan.hurried else plan.relaxation, patience)
        eliminated = np.inf
        for bound in elimination.tighten(
            free,
            known.x,
            known.upper,
            limits,
            work,
            goal=goal,
            monitor=monitor,
            consider=known.consider,
            companions=companions,
        ):
            eliminated = bound.value
            yield _relaxation(bound, known)
        if others and eliminated == np.inf:
            yield from _relaxed(problem, known, plan, goal)
        elif not others:
            if flat := known.above(FLAT):
                yield from _on_core(free, known, plan, goal, flat)
            yield from _rows_again(free, known, plan)
            if not flat and eliminated > known.lower * (1 + FLAT):
                yield from _on_core(free, known, plan, goal, flat)
    if few and known.above(OPTIMAL) and plan.trees >= WORTHWHILE * step_seconds(problem.n):
        goal = known.lower * (1 + OPTIMAL / 2)
        meter = branch.Meter(plan.trees)
        yield from branch.tighten(
            problem, known.x, goal=goal, meter=meter, monitor=monitor, consider=known.consider, start=whole
        )


def quick(problem: Problem, known: Known, plan: Plan, companions: Companions | None = None) -> Iterator[Bound]:
    """Yield λ₁, the bound along the first eigenvector and that of balanced rows, unless they were made before."""
    cov, monitor, proving = problem.cov, known.monitor, eigenvalues.largest_seconds(problem.cov)
    if begins := "eigenvalue" not in known.bounds:
        yield plain.leading(problem, monitor, proven=proving <= plan.seconds * REST)
    if not known.along and eigenvalues.residual_seconds(cov, 1) <= plan.seconds * REST:
        known.along = True
        if bound := plain.along_leading(problem, monitor):
            yield bound
    if known.rows is None and known.above(plan.closed) and (known.above(SMALL) or cov.holds_entries):
        known.rows = balanced.balanced_rows(
            problem, readings=1, lower=known.lower, monitor=monitor, companions=companions
        )
        yield known.rows
    if begins and plan.seconds * REST < proving < np.inf and eigenvalues.estimated(cov) < known.upper:
        yield plain.leading(problem, monitor)


def _relaxation(bound: Bound, known: Known) -> Bound:
    known.relaxed = min(known.relaxed, bound.value)
    return bound


def _relaxed(problem: Problem, known: Known, plan: Plan, goal: float) -> Iterator[Bound]:
    """The relaxation on all features, from the multipliers of a neighbouring k or from balanced rows."""
    rows = None if known.rows is None else known.rows.ingredients
    parted = problem.n <= plan.features and plan.trees >= WORTHWHILE * step_seconds(problem.n)
    for bound in pair_scaled.tighten(
        problem,
        known.x,
        steps=plan.steps(problem.n),
        goal=goal,
        monitor=known.monitor,
        warm_start=known.start,
        weights=rows.weights if isinstance(rows, ScaleProof) else None,
        enough=known.lower * (1 + OPTIMAL) if parted else np.inf,
    ):
        yield _relaxation(bound, known)


def _on_core(problem: Problem, known: Known, plan: Plan, goal: float, flat: bool) -> Iterator[Bound]:
    """The relaxation on a core of features, with the weights of balanced rows outside."""
    budget, monitor = plan.relaxation, known.monitor
    if known.rows is None or not isinstance(known.rows.ingredients, ScaleProof) or monitor.stop():
        return
    if plan.hurried and monitor.allowance is not None:
        budget = min(budget, SHARE * monitor.allowance.left)
    weights = known.rows.ingredients.weights
    for bound in core.tighten(
        problem,
        known.x,
        np.argsort(-weights, kind="stable"),
        weights,
        known.upper,
        budget=budget,
        goal=goal,
        monitor=monitor,
        read=plan.rows(problem),
        flat=flat,
    ):
        yield _relaxation(bound, known)


def _rows_again(problem: Problem, known: Known, plan: Plan) -> Iterator[Bound]:
    """The rows levelled by one more reading where no relaxation gave a bound; all rows if there is time."""
    if known.rows is None or problem.cov.holds_entries or not known.above(SMALL if plan.hurried else 0.0):
        return
    every = not plan.hurried and known.relaxed > known.lower * (1 + SMALL) and plan.rows(problem) >= problem.n
    if every or known.relaxed == np.inf:
        limited = replace(known.monitor, allowance=known.monitor.allowance if plan.hurried else Allowance(2 * LONGEST))
        known.rows = balanced.balanced_rows(
            problem,
            readings=READINGS if every else 1,
            lower=0.0 if every else known.lower,
            monitor=limited,
            warm_start=known.rows,
        )
        yield known.rows
