"""Greedy forward selection: supports that grow by one feature at a time (PathSPCA and GSPCA)."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.solvers.climb import TIE, climb, optimise_on_support
from nnspca.solvers.polish import larger_eigenvalue


def greedy(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, criterion: str) -> Component:
    """Grow a support from the feature of largest variance, keeping the best weights on it at every step.

    ``path`` adds the feature of largest ``|a_i'x|`` (``a_i'x`` with the sign constraint), x being
    the best point on the support so far: the feature along which the variance climbs fastest
    (d'Aspremont, Bach & El Ghaoui 2008). ``full`` tries every feature and adds the one that gives
    the most variance (Moghaddam, Weiss & Avidan 2006). Features included come first, all at once.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    x = _start(problem, monitor)
    history = [cov.variance(x)]
    monitor.report_point(x, history[0])
    free = (x == 0) & ~problem.included
    while np.count_nonzero(~free) < k and not monitor.stop():
        if criterion == "full":
            x = _fullest(cov, x, free, nonnegative, monitor)
        else:
            pull = cov.apply(x)
            pull = np.where(free, pull if nonnegative else np.abs(pull), -np.inf)
            feature = int(np.argmax(pull))
            if not pull[feature] > 0:
                break  # no feature left would raise the variance
            x = _joined(cov, x, feature, nonnegative, monitor)
        free = free & (x == 0)
        if np.count_nonzero(~free) == len(free):
            break
        history.append(max(history[-1], cov.variance(x)))
        monitor.report_point(x, cov.variance(x))
        if len(history) > 1 and np.count_nonzero(x) < len(history) and history[-1] <= history[-2]:
            break
        monitor.tell(len(history) / k, f"{np.count_nonzero(x)} features", history[-1])
    if problem.include:  # features included that had no weight on the way may have one now
        x = optimise_on_support(cov, climb(problem, x[None], monitor=monitor)[0][0], nonnegative=nonnegative)
    return problem.component(x, "greedy", history, stopped=monitor.stop())


def _start(problem: Problem, monitor: Monitor) -> np.ndarray:
    """The features included with the best weights; where they hold nothing, the feature of largest variance."""
    if problem.include:
        start = feasible.unit(problem.included.astype(float))
        x = optimise_on_support(problem.cov, start, nonnegative=problem.nonnegative, monitor=monitor)
        if problem.cov.variance(x) > 0:
            return x
    return problem.widest()


def _joined(cov: Covariance, x: np.ndarray, feature: int, nonnegative: bool, monitor: Monitor) -> np.ndarray:
    """The best point on the support of x and one more feature, from a start that contains both."""
    pull = float(cov.block(np.array([feature]))[0] @ x)
    start = x.copy()
    start[feature] = np.sign(pull) * 0.1 if pull else 0.1
    return optimise_on_support(cov, feasible.unit(start), nonnegative=nonnegative, monitor=monitor)


def _fullest(cov: Covariance, x: np.ndarray, free: np.ndarray, nonnegative: bool, monitor: Monitor) -> np.ndarray:
    """The best point with one more feature; x itself if none is better."""
    best, value = x, cov.variance(x)
    others = np.flatnonzero(free)
    promise = np.full(len(others), np.inf) if nonnegative else _promise(cov, x, others)
    for place in np.argsort(-promise, kind="stable"):
        if monitor.stop() or promise[place] <= value * (1 - TIE):
            break
        tried = _joined(cov, x, int(others[place]), nonnegative, monitor)
        if (gained := cov.variance(tried)) > value:
            best, value = tried, gained
    return best


def _promise(cov: Covariance, x: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Upper bounds on the variance of x, the leading eigenvector on its support S, with each other feature added.

    With feature j that is at most the larger eigenvalue of [[x'Ax, ‖a_jS‖], [‖a_jS‖, a_jj]]: where
    the most promising are tried first, most need not be tried at all.
    """
    reach = np.linalg.norm(cov.block(np.flatnonzero(x), others), axis=0)
    return larger_eigenvalue(cov.variance(x), reach, cov.diagonal[others])
