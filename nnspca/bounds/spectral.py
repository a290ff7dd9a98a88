"""Bounds from the spectrum: λ₁, and what a component can have along the first eigenvector."""

from __future__ import annotations

import numpy as np

from nnspca.bounds import eigenvalues
from nnspca.certificates.proofs import EigenvalueProof
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped, run_cancellable
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible, rounding
from nnspca.result import Bound

QUIET = Monitor()


def leading(problem: Problem, monitor: Monitor = QUIET, *, proven: bool = True) -> Bound:
    """λ₁: the variance of the unconstrained component, an upper bound; the trace if not ``proven``, or stopped."""
    cov = problem.cov
    try:
        tail = run_cancellable(lambda: eigenvalues.largest(cov), monitor) if proven else None
    except Stopped:
        tail = None
    if tail is None:
        tail = rounding.raised(cov.trace, 4 * cov.n_features) + cov.room(cov.n_features)
    return Bound(
        "eigenvalue",
        tail,
        detail="No direction at all has more variance than the first eigenvalue.",
        ingredients=EigenvalueProof(np.zeros((cov.n_features, 0)), tail),
    )


def along_leading(problem: Problem, monitor: Monitor = QUIET) -> Bound | None:
    """λ₂, and what a component can have along the first eigenvector beyond it; None where no residual is proven."""
    cov, k = problem.cov, problem.k
    if cov.n_features < 2 or not eigenvalues.affordable(cov, 1):
        return None
    values, vectors = run_cancellable(lambda: cov.eigenpairs(2), monitor)
    V = vectors[:, :1] * np.sqrt(max(float(values[0] - values[1]), 0.0))
    tail = run_cancellable(lambda: eigenvalues.residual(cov, V), monitor)
    if tail is None:
        return None
    monitor.pay(eigenvalues.residual_seconds(cov, 1))
    v = V[:, 0]
    sides = np.array([np.maximum(v, 0.0), np.maximum(-v, 0.0)] if problem.nonnegative else [v])
    most = float(feasible.sum_of_largest(sides * sides, k).max())
    return Bound(
        "leading-direction",
        rounding.added(tail, rounding.raised(most, k + 8)),
        detail=(
            "Along the first eigenvector a component has no more than its k largest entries of one sign allow; every "
            "other direction adds at most the second eigenvalue."
        ),
        ingredients=EigenvalueProof(V, tail),
    )
