"""The solvers of the rank-d problem: exact and proven, by every vertex, and by sampling (Asteris et al. 2014, 2011)."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Component
from nnspca.solvers import climb as swaps
from nnspca.solvers.climb import leading_rows
from nnspca.spannogram import enumeration as vertices
from nnspca.spannogram import net, sphere

FLAT = "flat"  # noise: the same variance in every direction, σI


def spannogram(
    problem: Problem, *, rng: np.random.Generator, monitor: Monitor, rank: int, noise: str, polish: bool
) -> Component:
    """Maximise ``x'A_d x`` exactly (to a relative 1e-9, proven), A_d the best rank-d approximation of A.

    That is the x_d of Asteris et al. 2014 (Alg. 1), and of Asteris et al. 2011 without the sign constraint; where A has
    rank d it is the optimum itself. With flat ``noise`` it is the optimum where A − σI has rank d, as σ is λ_{d+1}
    then. With ``polish`` the point is then improved on A by power steps and swaps.
    """
    cov, V = problem.cov, leading_rows(problem, rank, monitor, flat=noise == FLAT)
    d = V.shape[1]
    optimum = sphere.maximise(
        V,
        problem.k,
        nonnegative=problem.nonnegative,
        should_stop=monitor.stop,
        on_round=lambda value, upper: monitor.tell(0.8 * min(1.0, value / upper), f"rank-{d} search", value),
        on_found=None if monitor.on_found is None else lambda x: monitor.report_point(x, cov.variance(x)),
    )
    x = optimum.loadings
    history = [cov.variance(x)]
    if polish:
        x, gains = swaps.polish(problem, x, monitor=monitor)
        history += [value for value in gains if value >= history[0]]
    gap = optimum.upper / optimum.value - 1 if optimum.value > 0 else 0.0
    note = f"rank-{d} optimum {'within a relative ' + format(gap, '.1e') if optimum.stopped else 'exact'}"
    note += f": {optimum.evaluations:,} rank-one problems solved"
    stopped = optimum.stopped and monitor.stop()
    return problem.component(x, "spannogram", np.maximum.accumulate(history), stopped=stopped, note=note)


def enumeration(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, rank: int, noise: str) -> Component:
    """Visit every vertex of the rank-d spannogram, solve each candidate support, keep the best.

    Exact for the rank-d approximation of A (of A without flat ``noise``), at a cost of n^{d+1}: a
    reference to learn from and to test against. Refuses, with the count, where that is out of reach.
    """
    V = leading_rows(problem, rank, monitor, flat=noise == FLAT)
    n_vertices = vertices.vertices(len(V), V.shape[1], problem.nonnegative)
    optimum = vertices.maximise(
        V,
        problem.k,
        nonnegative=problem.nonnegative,
        should_stop=monitor.stop,
        on_batch=lambda visited, supports: monitor.tell(visited / n_vertices, f"{supports:,} candidate supports"),
    )
    note = (
        f"rank-{V.shape[1]} optimum{' of the part visited' if optimum.stopped else ''}: {optimum.candidates:,} "
        f"candidate supports (the paper's bound: {optimum.bound:,}) at {optimum.vertices:,} directions"
    )
    history = (problem.cov.variance(optimum.loadings),)
    return problem.component(optimum.loadings, "enumeration", history, stopped=optimum.stopped, note=note)


def epsilon_net(
    problem: Problem,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    rank: int,
    noise: str,
    epsilon: float,
    max_samples: int,
) -> Component:
    """Sample c on the sphere of R^d, solve the rank-one problem for Vc, keep the best by ``‖V'x‖²``.

    The number of samples is ε^{-d} ln n, the theorem's O(ε^{-d} log n) with a constant of one, or ``max_samples`` if
    that is less; the note says how many were used and with what probability the factor 1 − ε holds.
    """
    cov, V = problem.cov, leading_rows(problem, rank, monitor, flat=noise == FLAT)
    n, d = V.shape
    samples = min(net.samples_of_theorem(epsilon, d, n), max_samples)
    history: list[float] = []
    loadings, seen, stopped, done = np.zeros(n), -1.0, False, 0
    for done, value, x in net.random_search(V, problem.k, samples, rng, nonnegative=problem.nonnegative):
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
        f"{done:,} directions of rank {d}; within a factor {1 - epsilon:g} of the rank-{d} optimum with probability at "
        f"least {sure}"
    )
    return problem.component(loadings, "epsilon-net", history, stopped=stopped, note=note)
