"""The ε-net solver (Asteris et al. 2014, Alg. 3): rank-one problems at random directions of the rank-d range."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import run_cancellable
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.spannogram import net


def epsilon_net(
    problem: Problem, *, rng: np.random.Generator, monitor: Monitor, rank: int, epsilon: float, max_samples: int
) -> Component:
    """Sample c on the sphere of R^d, solve the rank-one problem for Vc, keep the best by ``‖V'x‖²``.

    The number of samples is the theorem's, ε^{-d} ln n, or ``max_samples`` if that is less; the
    note says how many were used and with what probability the factor 1 − ε holds.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    d = min(rank, cov.n_features)
    values, vectors = run_cancellable(lambda: cov.eigenpairs(d), monitor)
    V = vectors * np.sqrt(values)
    n_samples = net.samples_of_theorem(epsilon, d, cov.n_features)
    samples = min(n_samples, max_samples)
    history: list[float] = []
    loadings, seen, stopped, done = np.zeros(cov.n_features), -1.0, False, 0
    for done, value, x in net.search(V, k, samples, rng, nonnegative=nonnegative):
        if value > seen:
            seen, loadings = value, x
            monitor.report_point(x, cov.variance(x))
            history.append(max([cov.variance(x), *history[-1:]]))
        monitor.tell(done / samples, f"{done:,} of {samples:,} directions", history[-1])
        if monitor.stop() and done < samples:
            stopped = True
            break
    failure = net.failure_probability(epsilon, d, done)
    note = (
        f"{done:,} directions of rank {d} (the theorem asks for {n_samples:,}); within a factor {1 - epsilon:g} of the "
        f"rank-{d} optimum with probability at least {_probability(failure)}"
    )
    if not nonnegative:
        loadings = feasible.orient(loadings)
    return Component(
        loadings,
        cov.variance(loadings),
        "epsilon-net",
        k,
        nonnegative,
        history=tuple(history),
        stopped=stopped,
        note=note,
    )


def _probability(failure: float) -> str:
    """Format 1 − failure without rounding it up to certainty."""
    return "1" if failure == 0 else f"1 − {failure:.1g}"
