"""Plain bounds, on one component and on r parts: from eigenvalues, and from the largest variances.

Why they hold stands in docs/mathematics/rows.md and parts.md.
"""

from __future__ import annotations

import numpy as np

from nnspca.bounds import eigenvalues
from nnspca.certificates.proofs import EachProof, EigenvalueProof, VariancesProof
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped, run_cancellable
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible, rounding
from nnspca.result import Bound


def largest_eigenvalue(problem: Problem, monitor: Monitor | None = None, *, proven: bool = True) -> Bound:
    """λ₁: the variance of the unconstrained component, an upper bound; the trace if not ``proven``, or stopped."""
    cov, nothing = problem.cov, np.zeros((problem.n, 0))
    try:
        tail = run_cancellable(lambda: eigenvalues.residual(cov, nothing), monitor or Monitor()) if proven else None
    except Stopped:
        tail = None
    if tail is None:
        tail = rounding.raised(cov.trace, 4 * cov.n_features) + cov.held.room(cov.n_features)
    return Bound(
        "eigenvalue",
        tail,
        detail="No direction at all has more variance than the first eigenvalue.",
        ingredients=EigenvalueProof(nothing, tail),
    )


def along_leading(problem: Problem, monitor: Monitor | None = None) -> Bound | None:
    """λ₂, and what a component can have along the first eigenvector beyond it; None where no residual is proven."""
    cov, k, monitor = problem.cov, problem.k, monitor or Monitor()
    if cov.n_features < 2 or eigenvalues.seconds(cov, 1) == np.inf:
        return None
    values, vectors = run_cancellable(lambda: cov.eigenpairs(2), monitor)
    V = vectors[:, :1] * np.sqrt(max(float(values[0] - values[1]), 0.0))
    tail = run_cancellable(lambda: eigenvalues.residual(cov, V), monitor)
    if tail is None:
        return None
    monitor.pay(eigenvalues.seconds(cov, 1))
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


def largest_variances(cov: Covariance, k: int) -> float:
    """The sum of the k largest variances, rounded up: no component of k features has more."""
    value = float(np.sort(cov.diagonal)[::-1][:k].sum())
    return rounding.raised(value, k + 8 + 8 * cov.held.form.terms) + cov.held.room(k)


def largest_eigenvalues(cov: Covariance, r: int) -> Bound | None:
    """The sum of the r largest eigenvalues; None where A is too large to prove them."""
    values, vectors = cov.eigenpairs(r)
    V = vectors[:, : r - 1] * np.sqrt(values[: r - 1] - values[r - 1])
    tail = eigenvalues.residual(cov, V)
    if tail is None:
        return None
    top = float(np.sum(V * V))
    value = r * tail + top + rounding.sums(4 * (V.size + 8), r * abs(tail) + top)
    return Bound(
        "eigenvalues",
        float(value),
        detail=f"{r} orthogonal directions, sparse or not, have at most the variance of the {r} leading eigenvectors.",
        ingredients=EigenvalueProof(V, tail),
    )


def variances(problem: Problem, r: int) -> Bound:
    """The rk largest variances of single features, summed."""
    count = min(r * problem.k, problem.n)
    cov = problem.cov
    # a matrix is proven semidefinite up to so much, which each feature may hold
    doubt = 0.0 if cov.n_samples else rounding.sums(4 * problem.n * count, cov.trace)
    return Bound(
        "variances",
        largest_variances(cov, count) + cov.held.error_elsewhere * r + doubt,
        detail=f"The parts use at most {count:,} features: their sum is at most the {count:,} largest variances.",
        ingredients=VariancesProof(),
    )


def each(single: Bound, r: int) -> Bound:
    """r times what any one part can have."""
    return Bound(
        "each",
        float(rounding.raised(r * single.value, 4)),
        detail=f"No part has more than the bound on a single component ({single.name}): {r} have at most {r} times it.",
        seconds=single.seconds,
        ingredients=EachProof(single.ingredients),
    )
