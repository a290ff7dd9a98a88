"""Which bound comes when, of one component or of parts: :func:`upper_bounds` makes every certificate in this order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from nnspca.bounds import balanced, branch, core, eigenvalues, elimination, levelled, pair_scaled, plain, shrunk
from nnspca.bounds.companions import seconds as seconds_of_rows
from nnspca.bounds.plan import LONGEST, MOST_KEPT, ON_ALL, PLANS, Plan
from nnspca.bounds.selection import Limits
from nnspca.certificates.proofs import EigenvalueProof, PairProof, ScaleProof, TreeProof
from nnspca.control.progress import Allowance, Monitor
from nnspca.covariance.factor import SparseFactor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound, Component

# Relative gap below which rows that are not held are not levelled, as they are hardly ever lower. Half, double: 0 on
# 181 × 12,533, k = 5, but in twice the time at half.
SMALL = 1e-3
# Share of the work that an eigenvalue may take. Half, double: 0 on 181 × 12,533, k = 5, in 0.4 and 1.2 s, not 0.5.
REST = 1 / 6
SETTLED = PLANS["live"].closed  # relative gap below which no cases are begun
# Share of the work left that a core's splitting may take in a live certificate. At 0.5: −.0107 on 49 × 7,129, k = 200.
SHARE = 0.6
# Share of the work after which an elimination ends unless it improved on the known bound: a relaxation on all features
# follows. Half, double: 0 on LFW standardised, k = 80.
PATIENT = 1 / 8
# Work that the core of a flat spectrum may take at least in a live certificate. Half: −.0443 on Leukemia, k = 400.
LEAST = 4.2
# Relative gap of the rows beyond which the spectrum is called flat, and a large core is tried. Half: 0 on 168 × 2,905
# standardised, k = 50; the core gains .077 and .129 on 49 × 7,129, k = 100 and 200, where rows leave 13 and 22 %.
FLAT = 6e-2
EARLY = 1 / 4  # the patience there. Double: −.0254 on 49 × 7,129, k = 50.
# Work that the rows of shrunk eigenvalues may take in a live certificate, beside all other: with half, −.161 on texts
# standardised, k = 50; with twice as much, 0 in twice the time.
NOISY = 15.0
# Work of a core's splitting there, of a matrix. At 1.5: −.0009 on abstracts standardised, k = 50; not doubled.
CORE = 2.0
# Most work of a live certificate, where A takes long to read. Half, double: 0 on genotypes, 1,800 × 24,000.
MOST = 100.0


BETTER = 1e-9  # relative gain that makes a point a better one
Near = Callable[[np.ndarray, Monitor], tuple[Component, ...]]  # finds parts near a support, or near rows


@dataclass(kw_only=True)
class Draft:
    """A certificate while it is made: what is known of a component, or of several parts."""

    parts: tuple[Component, ...]  # the best ones
    r: int = 1  # how many there may be
    near: Near | None = None  # None where the parts given are certified, and no others
    bounds: dict[str, Bound] = field(default_factory=dict)  # the least of each name, in order of their last update
    monitor: Monitor = field(default_factory=Monitor)
    start: PairProof | None = None  # what proved a bound at a neighbouring k or r
    single: Callable[[], Bound] | None = None  # of parts: proves a bound on any one of them alone, in a second or two
    tried_leading: bool = False  # whether the bound along the first eigenvector was tried
    rows: Bound | None = None  # the one by balanced rows

    @property
    def winner(self) -> Bound:
        """The least bound proven."""
        return min(self.bounds.values(), key=lambda bound: bound.value)

    @property
    def upper(self) -> float:
        """Its value; infinite where there is none."""
        return self.winner.value if self.bounds else np.inf

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

    @property
    def lower(self) -> float:
        """The sum of the variances of the parts."""
        return variance_of(self.parts)

    @property
    def x(self) -> np.ndarray:
        """The best point where there is one part."""
        return np.asarray(self.parts[0].loadings)

    @property
    def X(self) -> np.ndarray:
        """The parts as rows, shape (r, n), zeros for those that are missing."""
        rows = np.zeros((self.r, len(self.x)))
        rows[: len(self.parts)] = [part.loadings for part in self.parts]
        return rows

    def consider(self, likely: np.ndarray) -> None:
        """Keep parts near a support, or near rows, that are better."""
        parts = () if self.near is None else self.near(likely, self.monitor)
        if variance_of(parts) > self.lower * (1 + BETTER):
            self.parts = parts

    @property
    def weights(self) -> np.ndarray | None:
        """Those of balanced rows; None where there are none."""
        proof = None if self.rows is None else self.rows.ingredients
        return proof.weights if isinstance(proof, ScaleProof) else None


def variance_of(parts: tuple[Component, ...]) -> float:
    """The sum of their variances."""
    return float(sum(part.variance for part in parts))


def allowance(problem: Problem, plan: Plan) -> Allowance:
    """Return the work that a certificate of a problem may do.

    One reading of all rows of A is always allowed, up to a limit, and a third more for what comes beside it.
    """
    seconds = plan.seconds if problem.n <= MOST_KEPT else 2 * plan.seconds
    if problem.cov.held.holds_entries or not plan.hurried:
        return Allowance(seconds)
    return Allowance(max(seconds, min(4 / 3 * levelled.seconds(problem, np.arange(problem.n)), MOST)))


def upper_bounds(problem: Problem, known: Draft, plan: Plan) -> Iterator[Bound]:
    """Yield ever lower upper bounds, each with its proof, until the gap is closed or the work is done.

    The caller records each bound in ``known`` before asking for the next, and may stop at any time: every bound
    holds by itself. Features that every support contains are counted by the relaxation and by cases; the other bounds
    hold without.
    """
    if known.single is not None:
        yield from _jointly(problem, known, plan, known.single)
        return
    free = replace(problem, include=())
    yield from first_bounds(free, known, plan)
    if begins_flat := known.above(FLAT if plan.hurried else FLAT / 2):
        yield from _shrunk(free, known, plan)
    if not known.above(plan.closed):
        return
    may_hold_all = problem.cov.held.holds_entries and problem.n <= plan.whole
    if may_hold_all and problem.n <= plan.features:
        if not plan.hurried:
            yield from _eliminated(free, known, plan, may_hold_all)
        yield from _relaxed(problem, known, plan)
        if known.above(SETTLED) and plan.branches(problem.n):
            yield from _cases(problem, known, plan)
        return
    eliminated = yield from _eliminated(free, known, plan, may_hold_all)
    if may_hold_all:
        if eliminated == np.inf:
            yield from _relaxed(problem, known, plan)
        return
    if problem.cov.held.holds_entries and not begins_flat and known.above(FLAT / 2):
        yield from _shrunk(free, known, plan)
    if flat := known.above(FLAT):
        yield from _on_core(free, known, plan, flat)
    yield from _rows_again(free, known, plan)
    if not flat and eliminated > known.lower * (1 + FLAT):
        yield from _on_core(free, known, plan, flat)


def first_bounds(problem: Problem, known: Draft, plan: Plan) -> Iterator[Bound]:
    """Yield λ₁, the bound along the first eigenvector and that of balanced rows, unless they were made before."""
    cov, monitor, most, proving = problem.cov, known.monitor, plan.seconds * REST, eigenvalues.seconds(problem.cov, 0)
    if begins := "eigenvalue" not in known.bounds:
        yield plain.largest_eigenvalue(problem, monitor, proven=proving <= most)
    if not known.tried_leading and eigenvalues.seconds(cov, 1) <= most:
        known.tried_leading = True
        if bound := plain.along_leading(problem, monitor):
            yield bound
    if known.rows is None and known.above(plan.closed) and (known.above(SMALL) or cov.held.holds_entries):
        known.rows = balanced.balanced_rows(problem, lower=known.lower, monitor=monitor)
        yield known.rows
    if begins and most < proving < np.inf and eigenvalues.estimated(cov) < known.upper:
        yield plain.largest_eigenvalue(problem, monitor)


def _shrunk(problem: Problem, known: Draft, plan: Plan) -> Iterator[Bound]:
    """The rows of data with shrunk eigenvalues, or a core of a matrix: there is work for it beside all other."""
    allowance = Allowance(NOISY if plan.hurried else 2 * LONGEST)
    monitor = replace(known.monitor, allowance=allowance)
    if problem.cov.held.holds_entries and problem.n > ON_ALL:
        yield from shrunk.of_matrix(problem, known.x, known.upper, CORE, monitor)
        if plan.hurried:
            known.monitor.pay(NOISY - allowance.left)
    elif known.rows is not None:
        yield from shrunk.of_factor(problem, known.x, known.rows, monitor)


def _relaxed(problem: Problem, known: Draft, plan: Plan) -> Iterator[Bound]:
    """The relaxation on all features, from the multipliers that prove most, of a neighbouring k or of balanced rows."""
    start, least = known.start, known.winner.ingredients
    if problem.n > ON_ALL and isinstance(least, PairProof) and least.features is None and not problem.include:
        start = least
    return pair_scaled.dual_bounds(
        problem,
        known.X,
        steps=plan.steps(problem.n, known.r),
        goal=known.lower * (1 + plan.closed),
        monitor=known.monitor,
        warm_start=start,
        weights=known.weights,
    )


def _cases(problem: Problem, known: Draft, plan: Plan) -> Iterator[Bound]:
    """All choices of features, split into cases, from the multipliers of the relaxation on all features.

    Cases of several parts begin afresh: from these multipliers, −.0046 on wine standardised, 4 parts, k = 3.
    """
    least = known.winner.ingredients
    alone = known.single is None
    return branch.branch_and_bound(
        problem,
        known.X,
        goal=known.lower * (1 + SETTLED / 2),
        monitor=known.monitor.within(plan.trees),
        consider=known.consider,
        start=least if alone and isinstance(least, PairProof) and least.features is None else None,
    )


def _eliminated(problem: Problem, known: Draft, plan: Plan, may_hold_all: bool) -> Generator[Bound, None, float]:
    """The relaxation on few features, and what the others can add; the least of these bounds is returned.

    Where the relaxation on all features may follow, fewer are kept, and it is given up sooner.
    """
    least, sparse = np.inf, isinstance(problem.cov.held.factor, SparseFactor)
    rows = plan.rows(problem, seconds_of_rows(problem, np.arange(problem.n)) if sparse else None)
    kept = min(MOST_KEPT, problem.n // 2) if may_hold_all else MOST_KEPT
    patience = PATIENT if may_hold_all else EARLY if plan.hurried and known.above(FLAT) else 1.0
    for bound in elimination.eliminate(
        problem,
        known.x,
        known.upper,
        Limits(kept, plan.loss, max_rows_read=rows, must_suffice=may_hold_all),
        elimination.Budget(plan.relaxation, 0.0 if plan.hurried else plan.relaxation, patience, plan.gain),
        goal=known.lower * (1 + plan.closed),
        monitor=known.monitor,
        consider=known.consider,
    ):
        least = bound.value
        yield bound
    return least


def _on_core(problem: Problem, known: Draft, plan: Plan, flat: bool = False) -> Iterator[Bound]:
    """The relaxation on a core of features, with the weights of balanced rows outside, even ones of several parts."""
    budget, monitor, weights = plan.relaxation, known.monitor, known.weights
    if known.single is not None:
        weights, order, read = np.ones(problem.n), core.by_row_sums(problem, monitor), problem.n
    elif weights is None or monitor.stop():
        return
    else:
        order, read = np.argsort(-weights, kind="stable"), plan.rows(problem)
    if plan.hurried and monitor.allowance is not None:
        left = monitor.allowance.left
        if flat:
            left = max(LEAST, left)
            monitor = replace(monitor, allowance=Allowance(left))
            left -= problem.cov.held.reading_seconds(order)
        budget = min(budget, SHARE * left)
    yield from core.bounds(
        problem,
        known.X,
        order,
        weights,
        known.upper,
        budget=budget,
        goal=known.lower * (1 + plan.closed),
        monitor=monitor,
        read=read,
        flat=flat,
    )
    if monitor is not known.monitor and monitor.allowance is not None:
        known.monitor.pay(monitor.allowance.spent)


def _rows_again(problem: Problem, known: Draft, plan: Plan) -> Iterator[Bound]:
    """The rows levelled by one more reading where no relaxation gave a bound; all rows if there is time."""
    if known.rows is None or problem.cov.held.holds_entries or not known.above(SMALL if plan.hurried else 0.0):
        return
    every = not plan.hurried and known.above(SMALL) and plan.rows(problem) >= problem.n
    if every or isinstance(known.winner.ingredients, EigenvalueProof | ScaleProof):
        limited = replace(known.monitor, allowance=known.monitor.allowance if plan.hurried else Allowance(2 * LONGEST))
        known.rows = balanced.balanced_rows(
            problem, lower=0.0 if every else known.lower, monitor=limited, warm_start=known.rows
        )
        yield known.rows


def _jointly(problem: Problem, known: Draft, plan: Plan, single: Callable[[], Bound]) -> Iterator[Bound]:
    """Bounds on r parts, ``problem`` being that of each alone."""
    r = known.r
    yield plain.variances(problem, r)
    if bound := plain.largest_eigenvalues(problem.cov, r):
        yield bound
    on_all = problem.cov.held.holds_entries and problem.n <= plan.whole
    relaxed = _relaxed(problem, known, plan) if on_all else _on_core(problem, known, plan)
    for bound in relaxed:
        yield replace(bound, name="joint-dual")
    best = max(part.variance for part in known.parts)  # no bound on one part is below that
    if "each" not in known.bounds and r * best < known.upper:
        yield plain.each(single(), r)
    if on_all and known.above(SETTLED) and plan.branches(problem.n, 2):
        for bound in _cases(problem, known, plan):
            yield replace(bound, name="joint-branch" if isinstance(bound.ingredients, TreeProof) else "joint-dual")
