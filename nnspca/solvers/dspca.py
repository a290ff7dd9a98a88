"""DSPCA: a semidefinite relaxation whose penalty is sought for k (d'Aspremont et al.)."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.numerics.fantope import Fantope
from nnspca.result import Component
from nnspca.solvers.climb import Best, optimise_on_support

BISECTIONS = 10  # of ρ; on genes half as many end as well in half the time
PENALTY_STEPS = 250  # most steps at one ρ; on genes half as many lose 1 % of the variance
EXACT = 1e-5  # loadings below this share of the largest count as zero; half and twice of it end as well


def dspca(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, renormalise: bool) -> Component:
    """Solve ``max tr(AX) − ρ 1'|X|1`` over X ⪰ 0, tr X = 1 (and X >= 0), and take X's leading eigenvector.

    The alternating direction method parts the eigenvalues from the entries: a projection onto the spectraplex, and soft
    thresholding. ρ is bisected, between 0 and the largest variance, towards k loadings above rounding.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    every = np.arange(cov.n_features)
    A = np.array(cov.block(every, every))
    scale = float(cov.eigenpairs(1)[0][0])
    A = A / scale
    found = Best(problem, monitor)
    low, high = 0.0, float(A.diagonal().max())
    state = np.eye(len(A)) / len(A), np.zeros_like(A)
    for number in range(BISECTIONS):
        rho = (low + high) / 2
        x, state = _relaxed(A, rho, nonnegative, state, monitor)
        if np.count_nonzero(x) > k:
            low = rho
        else:
            high = rho
        x = feasible.argmax(x, k, nonnegative)
        if renormalise:
            x = optimise_on_support(cov, x, nonnegative=nonnegative, monitor=monitor)
        found.offer(x)
        monitor.tell((number + 1) / BISECTIONS, f"ρ = {rho * scale:.3g}", found.variance)
        if monitor.stop():
            break
    return problem.component(found.loadings, "dspca", found.history, stopped=monitor.stop())


def _relaxed(
    A: np.ndarray, rho: float, nonnegative: bool, state: tuple[np.ndarray, np.ndarray], monitor: Monitor
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The relaxation at one ρ, from where another left off: X's leading eigenvector, and the state."""
    (Z, U), spectraplex = state, Fantope()
    for step in range(PENALTY_STEPS):
        X = spectraplex.nearest(Z - U + A)
        V = X + U
        before, Z = Z, np.maximum(V - rho, 0.0) if nonnegative else np.sign(V) * np.maximum(np.abs(V) - rho, 0.0)
        U = V - Z
        if step % 10 == 9 and (monitor.stop() or max(np.abs(X - Z).max(), np.abs(Z - before).max()) < 1e-6):
            break
    x = np.linalg.eigh((Z + Z.T) / 2)[1][:, -1] if Z.any() else np.eye(len(A))[int(A.diagonal().argmax())]
    x = x if x[np.abs(x).argmax()] > 0 else -x
    return np.where(np.abs(x) > EXACT * np.abs(x).max(), x, 0.0), (Z, U)
