"""The enumeration solver: Alg. 1 and 2 of Asteris et al. 2014, and the 2011 algorithm without sign constraint."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import run_cancellable
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.spannogram import enumeration as vertices


def enumeration(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, rank: int) -> Component:
    """Visit every vertex of the rank-d spannogram, solve each candidate support, keep the best.

    Exact for the rank-d approximation of A, at a cost of n^{d+1}: a reference to learn from and to
    test against. Refuses, with the count, where that is out of reach.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    d = min(rank, cov.n_features)
    values, vectors = run_cancellable(lambda: cov.eigenpairs(d), monitor)
    n_vertices = vertices.vertices(cov.n_features, d, nonnegative)
    optimum = vertices.maximise(
        vectors * np.sqrt(values),
        k,
        nonnegative=nonnegative,
        should_stop=monitor.stop,
        on_batch=lambda visited, supports: monitor.tell(visited / n_vertices, f"{supports:,} candidate supports"),
    )
    x = optimum.loadings if nonnegative else feasible.orient(optimum.loadings)
    variance = cov.variance(x)
    note = (
        f"rank-{d} optimum{' of the part visited' if optimum.stopped else ''}: {optimum.candidates:,} candidate "
        f"supports (the paper's bound: {optimum.bound:,}) at {optimum.vertices:,} directions"
    )
    return Component(
        x, variance, "enumeration", k, nonnegative, history=(variance,), stopped=optimum.stopped, note=note
    )
