"""The capped dual: a cut whose entries may be shaped one by one, as long as none rises above its level.

For x >= 0 with at most k nonzeros ``(1'x)² <= k``, so any symmetric L with entries at most ρ >= 0
has ``x'Lx <= ρk``, and

    OPT <= λ_max(A − L) + ρk.

The threshold bound takes ``L = min(A, ρ)``; here L is the best there is. Minimising over L is the
dual of the doubly nonnegative relaxation ``max ⟨A, X⟩ : X ⪰ 0, tr X = 1, X >= 0, ⟨11', X⟩ <= k``,
and the alternating direction method between the spectraplex and the second set gives an L at every
step. It is the pair-scaled dual with one weight for all pairs, and what it proves is written as
one: ``M_ij = ρ``. Without the sign constraint ``|L_ij| <= ρ``, and X's entries are
soft-thresholded: the dual of DSPCA's relaxation (d'Aspremont et al. 2007).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnspca.bounds import eigenvalues
from nnspca.bounds.plan import BoundContext, Plan
from nnspca.calls.progress import Monitor
from nnspca.certificates.proofs import PairProof
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.numerics.spectraplex import onto_spectraplex
from nnspca.result import Bound

STEPS = 60
CHECK = 15  # steps between two bounds
START = 8.0  # first weight of the copies, in a scale whose largest eigenvalue is 1


def capped_dual(problem: Problem, x: np.ndarray, *, monitor: Monitor) -> Bound:
    """The least bound over a fixed number of steps that start at the best x.

    Parameters
    ----------
    problem : Problem
        Its covariance held as a matrix.
    x : ndarray, shape (n,)
    monitor : Monitor
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    scale = float(cov.eigenpairs(1)[0][0])
    A = cov.entries / scale
    Y, U = np.outer(x, x), np.zeros_like(A)
    weight, rank = START, None
    least, best = np.inf, _proven(problem, np.zeros_like(A))
    for step in range(1, STEPS + 1):
        X, rank = onto_spectraplex(Y - U + A / weight, rank)
        before = Y
        Y = _onto_sums(X + U, k, nonnegative)
        U = U + X - Y
        if step % 20 == 0:
            apart, moved = np.linalg.norm(X - Y), weight * np.linalg.norm(Y - before)
            factor = 2.0 if apart > 5 * moved else 0.5 if moved > 5 * apart else 1.0
            weight, U = weight * factor, U / factor
        if step % CHECK == 0 or monitor.stop():
            bound = _proven(problem, U * weight * scale)
            if bound[0] < least:
                least, best = bound[0], bound
        if monitor.stop():
            break
    value, proof = best
    level = float(proof.M.max(initial=0.0))
    return Bound(
        "capped",
        value,
        detail=f"Up to {level:.4g} comes off each co-variance, at a cost of {k} times that; what is left holds this.",
        ingredients=proof,
    )


def by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """From the best point known, if A is held and the features are few."""
    if problem.cov.holds_entries and problem.n <= plan.capped_features:
        yield capped_dual(problem, context.x, monitor=context.monitor)


def _proven(problem: Problem, L: np.ndarray) -> tuple[float, PairProof]:
    """The bound of any L: its largest entry is the level."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    L = (L + L.T) / 2
    level = float((L if nonnegative else np.abs(L)).max(initial=0.0))
    level = rounding.raised(max(level, 0.0), 16)
    M = np.full_like(L, level)
    np.fill_diagonal(M, 0.0)
    tail = eigenvalues.of_matrix(cov.entries - L, rounding.subtraction(L) + cov._room())
    own = L.diagonal()
    value = rounding.total(tail, rounding.row_costs(own, (k - 1) * level, k, np.abs(own) + k * level))
    return value, PairProof(L, M, tail)


def _onto_sums(B: np.ndarray, k: int, nonnegative: bool) -> np.ndarray:
    """Nearest matrix with entries that add up, in magnitude, to at most k (and are nonnegative if asked)."""
    size = np.maximum(B, 0.0) if nonnegative else np.abs(B)
    if size.sum() > k:
        falling = np.sort(size, axis=None)[::-1]
        excess = (np.cumsum(falling) - k) / np.arange(1, falling.size + 1)
        size = np.maximum(size - excess[np.flatnonzero(falling > excess)[-1]], 0.0)
    return size if nonnegative else np.sign(B) * size
