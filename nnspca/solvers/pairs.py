"""Pairs of features of large variance: starts for small supports, and the optimum for k = 2."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import raise_if_stopped
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.solvers.polish import larger_eigenvalue

FEATURES = 2000  # above, all pairs would take longer than all other starts
FEW = 50  # nonzeros above which a pair is of little use as a start
ROWS = 256  # features whose pairs are looked at at once


def pairs(problem: Problem, count: int, monitor: Monitor) -> np.ndarray:
    """Return the pairs of features of largest variance, each feature with its best partner only.

    There are at least two features, and k >= 2. The pairs, ``count`` or fewer, are feasible unit rows
    in descending order of their variance: the first is the optimum for k = 2.

    >>> from nnspca import Covariance
    >>> cov = Covariance.from_matrix([[3.0, 1.0, -2.0], [1.0, 3.0, 0.0], [-2.0, 0.0, 3.0]])
    >>> pairs(Problem(cov, 2, True), 1, Monitor()).round(3)
    array([[0.707, 0.707, 0.   ]])
    >>> pairs(Problem(cov, 2, False), 1, Monitor()).round(3)
    array([[ 0.707,  0.   , -0.707]])
    """
    cov, n, own = problem.cov, problem.n, problem.cov.diagonal
    values, partners = np.empty(n), np.empty(n, dtype=np.intp)
    shared = np.empty(n)
    for start in range(0, n, ROWS):
        raise_if_stopped(monitor)
        few = np.arange(start, min(start + ROWS, n))
        rows = cov.block(few)
        if problem.nonnegative:
            rows = np.maximum(rows, 0.0)
        eigenvalues = larger_eigenvalue(own[few][:, None], rows, own)
        eigenvalues[np.arange(len(few)), few] = -np.inf
        partners[few] = eigenvalues.argmax(axis=1)
        at = np.arange(len(few)), partners[few]
        values[few], shared[few] = eigenvalues[at], rows[at]
    mutual = (partners[partners] == np.arange(n)) & (partners < np.arange(n))  # the same pair, met from its other end
    order = np.argsort(np.where(mutual, np.inf, -values), kind="stable")
    chosen = order[: min(count, n - int(mutual.sum()))]
    matrices = np.empty((len(chosen), 2, 2))
    matrices[:, 0, 0], matrices[:, 1, 1] = own[chosen], own[partners[chosen]]
    matrices[:, 0, 1] = matrices[:, 1, 0] = shared[chosen]
    leading = np.linalg.eigh(matrices)[1][:, :, -1]
    starts = np.zeros((len(chosen), n))
    starts[np.arange(len(chosen)), chosen] = leading[:, 0]
    starts[np.arange(len(chosen)), partners[chosen]] = leading[:, 1]
    return np.abs(starts) if problem.nonnegative else np.array([feasible.orient(x) + 0.0 for x in starts])
