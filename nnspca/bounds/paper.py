"""The paper's own upper bound: the scaled value of the ε-net plus λ_{d+1}. It holds with some probability only."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from nnspca.bounds.plan import BoundContext, Plan
from nnspca.control.progress import Monitor
from nnspca.control.stopping import run_cancellable
from nnspca.covariance.problem import Problem
from nnspca.result import Bound
from nnspca.spannogram import net

RANK, EPSILON = 3, 0.1  # the settings of Asteris et al. 2014, section 7
PRICE = 1e-8  # seconds per feature and direction
FEWEST_SAMPLES = 1000  # directions: it then fails less often than once in 10^20 runs


def sampled(
    problem: Problem,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    max_samples: int = 20_000,
    d: int = RANK,
    epsilon: float = EPSILON,
) -> Bound:
    """``min(λ₁, value_d/(1−ε) + λ_{d+1})`` with the theorem's number of samples (B1 of Asteris et al. 2014)."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    d = min(d, cov.n_features)
    values, vectors = run_cancellable(lambda: cov.eigenpairs(min(d + 1, cov.n_features)), monitor)
    next_eigenvalue = float(values[d]) if d < len(values) else 0.0
    samples = min(net.samples_of_theorem(epsilon, d, cov.n_features), max_samples)
    V = vectors[:, :d] * np.sqrt(values[:d])
    value, done = 0.0, 0
    monitor.pay(PRICE * samples * cov.n_features)
    for batch in net.search(V, k, samples, rng, nonnegative=nonnegative):
        done, value, _ = batch
        if monitor.stop():
            break
    failure = net.failure_probability(epsilon, d, done)
    detail = f"ε-net of {done:,} random directions, d = {d}, ε = {epsilon:g}; not proven."
    return Bound(
        "paper",
        min(float(values[0]), value / (1 - epsilon) + next_eigenvalue),
        deterministic=False,
        detail=detail,
        probability=min(1 - failure, math.nextafter(1.0, 0.0)),  # what is not proven never rounds up to certainty
    )


def by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """The paper's bound with the number of directions that ``plan.paper_entries`` allows, or ``FEWEST_SAMPLES``."""
    samples = max(FEWEST_SAMPLES, plan.paper_entries // problem.n)
    rng = np.random.default_rng(context.seed)
    yield sampled(problem, rng=rng, monitor=context.monitor, max_samples=samples)
