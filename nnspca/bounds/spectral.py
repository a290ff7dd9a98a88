"""Bounds from the spectrum: λ₁, the rank-d optimum plus λ_{d+1}, and its shifted form.

With orthonormal eigenvectors, ``x'Ax <= λ_{d+1} + Σ_{i<=d} (λ_i − λ_{d+1}) (u_i'x)²`` for unit x:
every direction contributes λ_{d+1}, and only the first d contribute their surplus. So the tail is
counted once, not twice as in the paper's ``OPT_d + λ_{d+1}``, and this bound is never larger. The
inner maximum is bounded by the search of :mod:`nnspca.spannogram.sphere`; the step from A to the
floating-point V is proven by :func:`nnspca.bounds.eigenvalues.residual`, so the eigenvectors need not
be exact.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnspca.bounds import eigenvalues
from nnspca.bounds.plan import BoundContext, Plan
from nnspca.certificates.proofs import RankProof
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped, run_cancellable
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.result import Bound
from nnspca.spannogram import sphere

QUIET = Monitor()
QUICK = 2.0  # seconds that λ₁ may take whether it is needed or not
PRICE = 2e-8  # seconds per feature and cell
FIRST = 3  # d of the paper's experiments (Asteris et al. 2014, section 7)


def leading(problem: Problem, monitor: Monitor = QUIET, *, proven: bool = True) -> Bound:
    """λ₁: the variance of the unconstrained component, hence an upper bound (B0); the trace, if stopped or wanted."""
    cov = problem.cov
    try:
        tail = run_cancellable(lambda: eigenvalues.largest(cov), monitor) if proven else None
    except Stopped:
        tail = None
    if tail is None:
        tail = rounding.raised(cov.trace, 4 * cov.n_features) + cov.room(cov.n_features)
    proof = RankProof(np.zeros((cov.n_features, 0)), tail, 0.0, np.zeros(0, dtype=bool))
    return Bound(
        "eigenvalue",
        tail,
        detail="No direction at all has more variance than the first eigenvalue.",
        ingredients=proof,
    )


def rank(problem: Problem, d: int, *, shifted: bool, monitor: Monitor, cells: int = 30_000) -> Bound | None:
    """An upper bound on the rank-d optimum, plus the most that other directions can add (B1; B2 if ``shifted``).

    Returns None where no residual can be proven (the covariance is too large to factorise).
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    if not eigenvalues.affordable(cov, d):
        return None
    values, vectors = run_cancellable(lambda: cov.eigenpairs(min(d + 1, cov.n_features)), monitor)
    next_eigenvalue = float(values[d]) if d < len(values) else 0.0
    surplus = np.maximum(values[:d] - (next_eigenvalue if shifted else 0.0), 0.0)
    V = vectors[:, :d] * np.sqrt(surplus)
    tail = run_cancellable(lambda: eigenvalues.residual(cov, V), monitor)
    if tail is None:
        return None
    monitor.pay(eigenvalues.residual_seconds(cov, d))
    inner = sphere.maximise(V, k, nonnegative=nonnegative, tol=1e-6, max_cells=cells, should_stop=monitor.stop)
    monitor.pay(PRICE * len(inner.tree) * cov.n_features)
    top = rounding.covered(inner.upper)
    leading_ones = "the leading eigenvector" if d == 1 else f"the {d} leading eigenvectors"
    rest = "was subtracted first and is added back" if shifted else "is the most that the other directions add"
    detail = (
        f"The best variance of k features along {leading_ones} is bounded by a search over the sphere; "
        f"eigenvalue {d + 1} {rest}."
    )
    return Bound(
        "shifted-rank" if shifted else "rank",
        rounding.added(tail, top),
        detail=detail,
        ingredients=RankProof(V, tail, top, inner.tree),
    )


def leading_by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """λ₁ if it is quick, else the trace."""
    yield leading(problem, context.monitor, proven=eigenvalues.largest_seconds(problem.cov) <= QUICK)


def leading_where_needed_by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """λ₁, however long it takes, if it is below all that rows prove."""
    if QUICK < eigenvalues.largest_seconds(problem.cov) < np.inf and eigenvalues.estimated(problem.cov) < context.upper:
        yield leading(problem, context.monitor)


def rank_by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """B1 at the paper's own rank, if it is fast; B2 is never larger."""
    if eigenvalues.residual_seconds(problem.cov, FIRST) > plan.work.seconds_of_small:
        return
    bound = rank(problem, _first(problem, plan), shifted=False, cells=plan.rank.cells, monitor=context.monitor)
    if bound is not None:
        yield bound


def shifted_by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """B2 at the same rank, on the same condition."""
    if eigenvalues.residual_seconds(problem.cov, FIRST) > plan.work.seconds_of_small:
        return
    bound = rank(problem, _first(problem, plan), shifted=True, cells=plan.rank.cells, monitor=context.monitor)
    if bound is not None:
        yield bound


def best_shifted_by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """The least B2 over the plan's ranks, until one reaches the plan's tolerance."""
    least: Bound | None = None
    upper, ranks = context.upper, _ranks(problem, plan)
    if not eigenvalues.affordable(problem.cov, ranks[0]):
        return
    leading_values, _ = run_cancellable(lambda: problem.cov.eigenpairs(min(ranks[-1] + 1, problem.n)), context.monitor)
    for d in ranks:
        if d < len(leading_values) and leading_values[d] > upper:
            continue  # λ_{d+1} alone exceeds the best proven bound
        bound = rank(problem, d, shifted=True, cells=plan.rank.cells, monitor=context.monitor)
        if bound is not None and (least is None or bound.value < least.value):
            least = bound
        if context.monitor.stop() or least is None or least.value <= context.lower * (1 + plan.closed):
            break
    if least is not None:
        yield least


def _ranks(problem: Problem, plan: Plan) -> list[int]:
    """The plan's ranks that do not exceed n."""
    return [d for d in plan.rank.degrees if d <= problem.n]


def _first(problem: Problem, plan: Plan) -> int:
    """The rank to begin with."""
    return min(FIRST, _ranks(problem, plan)[-1])
