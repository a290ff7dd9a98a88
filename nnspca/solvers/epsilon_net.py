"""The ε-net solver (Asteris et al. 2014, Alg. 3): rank-one problems at random directions of the rank-d range."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Component
from nnspca.solvers.climb import leading_rows
from nnspca.spannogram import net


def epsilon_net(
    problem: Problem, *, rng: np.random.Generator, monitor: Monitor, rank: int, epsilon: float, max_samples: int
) -> Component:
    """Sample c on the sphere of R^d, solve the rank-one problem for Vc, keep the best by ``‖V'x‖²``.

    The number of samples is the theorem's, ε^{-d} ln n, or ``max_samples`` if that is less; the
    note says how many were used and with what probability the factor 1 − ε holds.
    """
    cov, V = problem.cov, leading_rows(problem, rank, monitor)
    n, d = V.shape
    n_samples = net.samples_of_theorem(epsilon, d, n)
    samples = min(n_samples, max_samples)
    history: list[float] = []
    loadings, seen, stopped, done = np.zeros(n), -1.0, False, 0
    for done, value, x in net.search(V, problem.k, samples, rng, nonnegative=problem.nonnegative):
        if value > seen:
            seen, loadings = value, x
            monitor.report_point(x, cov.variance(x))
            history.append(max([cov.variance(x), *history[-1:]]))
        monitor.tell(done / samples, f"{done:,} of {samples:,} directions", history[-1])
        if monitor.stop() and done < samples:
            stopped = True
            break
    failure = net.failure_probability(epsilon, d, done)
    sure = "1" if failure == 0 else f"1 − {failure:.1g}"  # never rounded up to certainty
    note = (
        f"{done:,} directions of rank {d} (the theorem asks for {n_samples:,}); within a factor {1 - epsilon:g} of the "
        f"rank-{d} optimum with probability at least {sure}"
    )
    return problem.component(loadings, "epsilon-net", history, stopped=stopped, note=note)
