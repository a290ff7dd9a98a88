"""The enumeration solver: Alg. 1 and 2 of Asteris et al. 2014, and the 2011 algorithm without sign constraint."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Component
from nnspca.solvers.climb import leading_rows
from nnspca.spannogram import enumeration as vertices


def enumeration(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, rank: int) -> Component:
    """Visit every vertex of the rank-d spannogram, solve each candidate support, keep the best.

    Exact for the rank-d approximation of A, at a cost of n^{d+1}: a reference to learn from and to
    test against. Refuses, with the count, where that is out of reach.
    """
    V = leading_rows(problem, rank, monitor)
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
