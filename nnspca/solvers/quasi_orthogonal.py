"""A further component that keeps at least a given angle to those before it (Sigg & Buhmann 2008, eq. 20)."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.numerics.penalised_nnls import penalised_least_squares
from nnspca.result import Component

FIRST = 0.1  # first weight of the penalty, relative to the largest eigenvalue; half and twice of it end as well
RAISE = 2.0  # factor of the next weight; a factor of 4 loses up to 0.1 % of the variance on digits


def quasi_orthogonal(
    problem: Problem,
    previous: np.ndarray,
    *,
    min_angle: float,
    rng: np.random.Generator,
    monitor: Monitor,
    restarts: int = 10,
    max_iter: int = 200,
    tol: float = 1e-8,
) -> Component | None:
    """EM whose M-step penalises the inner products of w with the columns of ``previous``.

    The M-step minimises ``½ h ‖w‖² − f'w + ½ α ‖V'w‖²`` with f = Aw and h = w'Aw, over w >= 0: a
    nonnegative least squares problem with as many dual unknowns as V has columns. Without the sign
    constraint it is a linear system. The k largest entries are kept, unshrunk. α is raised until
    every angle is at least ``min_angle`` degrees; as it grows w leaves the supports of V. None where
    no such component was found.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    limit = float(np.cos(np.radians(min_angle)))
    alpha = FIRST * float(cov.eigenpairs(1)[0][0])
    starts = feasible.unit(np.abs(rng.standard_normal((restarts, cov.n_features))))
    if not nonnegative:
        starts = np.vstack([cov.eigenpairs(1)[1].T, feasible.unit(rng.standard_normal((restarts - 1, cov.n_features)))])
    starts = feasible.best(cov.apply(starts), k, nonnegative)
    free = np.logical_not(previous.any(axis=1))
    best, note = np.zeros(cov.n_features), ""
    stopped = False
    for start in starts:
        apart = _apart(problem, start, free)
        if cov.variance(apart) > cov.variance(best):
            best, note = apart, "no feature of an earlier component is used: the angles are 90°"
        w, weight = start, alpha
        for _ in range(60):
            w = _converged(problem, w, previous, weight, max_iter, tol, monitor)
            if _closest(w, previous) <= limit or monitor.stop():
                break
            weight *= RAISE
        if _closest(w, previous) <= limit and cov.variance(w) > cov.variance(best):
            best, note = w, f"every angle to the components before is at least {min_angle:g}°"
        if monitor.stop():
            stopped = True
            break
    if not best.any():
        return None
    return problem.component(best, "em", (cov.variance(best),), stopped=stopped, note=note)


def _converged(
    problem: Problem, w: np.ndarray, V: np.ndarray, alpha: float, max_iter: int, tol: float, monitor: Monitor
) -> np.ndarray:
    """EM steps until w turns by less than ``tol``."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    for _ in range(max_iter):
        f = cov.apply(w)
        if nonnegative and not (f > 0).any():
            break  # w has no variance: h, the price of a step, is zero
        h = max(float(w @ f), np.finfo(float).tiny)
        if nonnegative:
            step = penalised_least_squares(f / h, np.sqrt(alpha / h) * V.T)
        else:  # (hI + αVV')⁻¹ f, by a system of as many unknowns as V has columns
            step = f - V @ np.linalg.solve(np.eye(V.shape[1]) * (h / alpha) + V.T @ V, V.T @ f)
        if not step.any():
            break
        turned = feasible.best(step, k, nonnegative)
        rested = abs(float(turned @ w)) >= 1 - tol
        w = turned
        if rested or monitor.stop():
            break
    return w


def _closest(w: np.ndarray, V: np.ndarray) -> float:
    """Largest cosine to an earlier component."""
    return float(np.abs(V.T @ w).max(initial=0.0))


def _apart(problem: Problem, w: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Power steps on features that no earlier component uses; zero where there are none, or none that varies."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    w = np.where(free, w, 0.0)
    if not w.any():
        w = np.where(free, np.sqrt(np.maximum(cov.diagonal, 0.0)), 0.0)
    for _ in range(50 if w.any() else 0):
        image = np.where(free, cov.apply(w), -np.inf if nonnegative else 0.0)
        if not image[free].any():
            break
        w = feasible.best(np.where(free, image, 0.0) if not nonnegative else np.maximum(image, 0.0), k, nonnegative)
    w = np.where(free, w, 0.0)
    return feasible.unit(w) if w.any() else w
