"""Bounds on r parts from the spectrum and from single features: Ky Fan's sum, and the rk largest variances.

The parts are orthonormal, so they explain no more than the r leading eigenvectors do (Fan 1949);
and each is a unit vector on its own at most k features, so together they explain no more than the
variances of those. The eigenvalues are proven as in :mod:`nnspca.bounds.parts.dual`: from
``A ⪯ tI + VV'`` follows ``Σ_c x_c'Ax_c <= rt + ‖V‖²``.
"""

from __future__ import annotations

import numpy as np

from nnspca.bounds import eigenvalues
from nnspca.bounds.variances import largest_variances
from nnspca.certificates.proofs import EachProof, EigenvalueProof, VariancesProof
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.result import Bound


def fan(cov: Covariance, r: int) -> Bound | None:
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
        largest_variances(cov, count) + cov.error_elsewhere * r + doubt,
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
