"""Sigg & Buhmann (2008), Fig. 2: variance and processor time of sparse components of faces along k."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.result import Component
from nnspca.solvers.em import soft_threshold
from nnspca.studies.study import Given, Rows, StudyResult, Table
from nnspca.tasks._solve import solve

K = "Cardinality"
RIDGE = 10.0  # not printed; with one this large, similar neighbours do not exclude each other
CONVERGED = 1e-6  # Algorithm 2 stops when w changes by less than this; not printed either
STEPS = 1000  # most steps of Algorithm 2
EM, EM_STEPS = "emPCA", "emPCA: steps"  # Algorithm 2 as printed


@dataclass(frozen=True)
class MethodCurve:
    """One curve of Fig. 2: a method with its options."""

    title: str
    method: Any
    options: dict[str, Any] = field(default_factory=dict)


EM_OPT = MethodCurve("emPCA, renormalised", "em")
SPCA = MethodCurve("SPCA", "elastic-net", {"renormalise": False, "ridge": RIDGE})
SPCA_OPT = MethodCurve("SPCA, renormalised", "elastic-net", {"ridge": RIDGE})
PATH = MethodCurve("PathSPCA", "greedy")
CUT = MethodCurve("thresholding, renormalised", "thresholding")


def grid(n: int, last: int, points: int) -> list[int]:
    """Return about ``points`` cardinalities from 1 to ``last``, or to n where that is less.

    >>> grid(50, 100, 5)
    [1, 13, 26, 38, 50]
    """
    return sorted({int(k) for k in np.linspace(1, min(n, last), points).round()})


def standardised(given: Given) -> Covariance:
    """Return the correlation matrix of the data set."""
    return Covariance.from_dataset(given.data[0], True)


def algorithm_2(cov: Covariance, k: int, monitor: Monitor) -> tuple[np.ndarray, int]:
    """Return w at the end of Algorithm 2, without renormalisation or comparison with earlier steps, and the steps.

    >>> cov = Covariance.from_matrix(np.diag([4.0, 2.0, 1.0]))
    >>> w, steps = algorithm_2(cov, 1, Monitor(None, None))
    >>> np.abs(w), steps
    (array([1., 0., 0.]), 1)
    """
    w, steps = cov.eigenpairs(1)[1].T, 0
    while steps < STEPS and not monitor.stop():
        w, last = soft_threshold(cov.apply(w), k, False), w
        steps += 1
        if abs(float(w[0] @ last[0])) > 1 - CONVERGED:
            break
    return w[0], steps


def run_method(
    given: Given, cov: Covariance, k: int, entrant: MethodCurve, *, nonnegative: bool = False
) -> tuple[Component, float]:
    """Return what a method finds, and its CPU seconds."""
    started = time.thread_time()  # CPU time of this thread alone
    part = solve(cov, k, entrant.method, nonnegative=nonnegative, **given.settings(), **entrant.options)
    return part, time.thread_time() - started


def variances(given: Given, entrants: tuple[MethodCurve, ...]) -> Rows:
    """Solve for every k by Algorithm 2 as printed, and by every method."""
    cov = standardised(given)
    ks = grid(cov.n_features, 150, 31 if given.full else 5)
    for place, k in enumerate(ks):
        w, steps = algorithm_2(cov, k, given.monitor)
        row = {EM: float(cov.variance(w)), EM_STEPS: steps}
        row |= {entrant.title: run_method(given, cov, k, entrant)[0].variance for entrant in entrants}
        given.monitor.tell((place + 1) / len(ks), f"cardinality {k}")
        yield "variance", {K: k, **row}


def show_variances(run: StudyResult) -> Iterator[Table]:
    """Variance against cardinality."""
    frame = run.rows["variance"]
    yield run.drawn("faces.variance", lines=list(frame.columns.drop([K, EM_STEPS])))
    if run.own:
        note = f"It stops where the cosine of two steps is above 1 − ε: ours is {CONVERGED:f}, the paper prints none."
        yield run.printed([frame[EM_STEPS].mean()], note=note)


def times(given: Given) -> Rows:
    """Time every method at every k: the minimum of a few runs."""
    cov = standardised(given)
    cov.eigenpairs(1)  # computed before timing, since all methods need it
    ks = grid(cov.n_features, *((400, 21) if given.full else (200, 4)))
    for place, k in enumerate(ks):
        row = {
            entrant.title: max(min(run_method(given, cov, k, entrant)[1] for _ in range(3 if given.full else 1)), 1e-4)
            for entrant in (EM_OPT, SPCA_OPT, PATH)
        }
        given.monitor.tell((place + 1) / len(ks), f"cardinality {k}")
        yield "seconds", {K: k, **row}


def show_times(run: StudyResult) -> Iterator[Table]:
    """Seconds against cardinality."""
    yield run.drawn("faces.seconds")


FIGURES = {
    "sigg2008-fig2-left": (partial(variances, entrants=(EM_OPT, SPCA, SPCA_OPT, PATH)), show_variances),
    "sigg2008-fig2-middle": (partial(variances, entrants=(EM_OPT, SPCA_OPT, PATH, CUT)), show_variances),
    "sigg2008-fig2-right": (times, show_times),
}
