"""Bounds from the entries of A: the k largest variances, and the largest sum of k entries in a row (B3).

For a feasible x with support J, ``x'Ax <= Σ_{i,j∈J} |A_ij| x_i x_j``, positive entries only where
x >= 0, and the largest eigenvalue of a symmetric nonnegative matrix is at most its largest row sum:
row i gives ``A_ii`` plus the k−1 largest (positive) entries beside it. The trace of A on J bounds
it as well.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnspca.bounds.companions import Companions
from nnspca.bounds.plan import BoundContext, Plan, rows_read
from nnspca.calls.progress import Monitor
from nnspca.certificates.proofs import EntryProof
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.result import Bound


def diagonal(problem: Problem) -> Bound:
    """The sum of the k largest variances of single features."""
    cov, k = problem.cov, problem.k
    value = float(np.sort(cov.diagonal)[::-1][:k].sum())
    value = rounding.raised(value, k + 8 + _terms(cov)) + cov._room(k)
    return Bound(
        "diagonal",
        value,
        detail="k features cannot hold more than the k largest variances together.",
        ingredients=EntryProof("diagonal"),
    )


def rows(problem: Problem, *, monitor: Monitor, allowed: int | None = None) -> Bound | None:
    """The largest sum over a row of its diagonal entry and its k−1 largest (positive) others.

    None where more than ``allowed`` rows would have to be read, for less than the largest variances
    prove.

    Rows are taken by falling variance s_i², until ``s_i (s_i + Σ of the k−1 largest s_j)``, which
    no row sum exceeds, rules out the rest: raw gene data need a few hundred of 12582 rows.
    """
    cov, k, companions = problem.cov, problem.k, Companions(problem)
    order = np.argsort(-cov.diagonal, kind="stable")
    # the representation error covers what an indefinite-by-rounding matrix adds to |A_ij| <= s_i
    # s_j
    deviations = np.sqrt(np.maximum(cov.diagonal[order], 0.0) + cov._room())
    company = float(deviations[: k - 1].sum())
    most, seen = 0.0, 0
    allowed = len(order) if allowed is None else allowed
    if len(order) > allowed:  # once so many are read, the next one's reach is below what they came to
        beyond = float(deviations[allowed]) * (float(deviations[allowed]) + company)
        if beyond >= float((deviations[: problem.k] ** 2).sum()):
            return None
    for start in range(0, len(order), cov._strip):
        reach = deviations[start] * (deviations[start] + company)
        if reach <= most:
            break
        if start >= allowed:
            return None
        if monitor.stop():
            most = max(most, reach)  # an upper bound on all rows not yet read
            break
        chosen = order[start : start + cov._strip]
        most = max(most, float((cov.diagonal[chosen] + companions.largest(chosen).sum(axis=-1)).max()))
        seen = start + len(chosen)
    margin = rounding.sums(k + 16 + _terms(cov), float(deviations[0]) * (float(deviations[0]) + company))
    return Bound(
        "rows",
        most + margin + cov._room(k),
        ingredients=EntryProof("rows"),
        detail=f"No feature has more co-variance with its k − 1 closest companions ({seen:,} rows read).",
    )


def diagonal_by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """The sum of variances, as an attempt of a certificate."""
    yield diagonal(problem)


def rows_by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """The row sums, as an attempt of a certificate."""
    bound = rows(problem, monitor=context.monitor, allowed=rows_read(problem, plan) // 4)  # other bounds are tighter
    if bound is not None:
        yield bound


def _terms(cov: Covariance) -> int:
    """Length of the sums behind an entry of A as it is read."""
    return 8 * cov._form.terms
