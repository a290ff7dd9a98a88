"""The spannogram solver: the exact optimum of the rank-d problem, found adaptively and proven."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Component
from nnspca.solvers import polish as swaps
from nnspca.solvers.climb import leading_rows
from nnspca.spannogram import sphere


def spannogram(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, rank: int, polish: bool) -> Component:
    """Maximise ``x'A_d x`` exactly (to a relative 1e-9, proven), A_d the best rank-d approximation of A.

    That is the x_d of Asteris et al. 2014 (Alg. 1), and of Asteris et al. 2011 without the sign
    constraint; where A has rank d it is the optimum itself. With ``polish`` the point is then
    improved on A by power steps and swaps.
    """
    cov, V = problem.cov, leading_rows(problem, rank, monitor)
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
