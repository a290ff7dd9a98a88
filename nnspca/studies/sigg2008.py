"""Sigg & Buhmann (2008), Fig. 2: sparse PCA without sign constraint on faces and genes, with its CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.solvers.em import soft_threshold
from nnspca.studies.picture import Curves, Line
from nnspca.studies.study import Study, Task
from nnspca.studies.table import Cell, Column, StudyTable, plotted
from nnspca.tasks._solve import solve

SCALING = "Every feature is centred and divided by its standard deviation, as in the paper."


@dataclass(frozen=True)
class Entrant:
    """One curve of the figure: a method with its options, or Algorithm 2 as printed if no method is named."""

    name: str
    title: str
    method: str = ""
    options: dict[str, Any] = field(default_factory=dict)


Measure = Callable[[int, Entrant], float]
RIDGE = 10.0  # not printed; with one this large, similar neighbours do not exclude each other
CONVERGED = 1e-6  # Algorithm 2 stops when w changes by less than this; not printed either
STEPS = 1000  # most steps of Algorithm 2
EM = Entrant("em", "emPCA")
EM_OPT = Entrant("em-opt", "emPCA, renormalised", "em")
SPCA = Entrant("spca", "SPCA", "elastic-net", {"renormalise": False, "ridge": RIDGE})
SPCA_OPT = Entrant("spca-opt", "SPCA, renormalised", "elastic-net", {"ridge": RIDGE})
PATH = Entrant("path", "PathSPCA", "greedy")
CUT = Entrant("cut", "thresholding, renormalised", "thresholding")
FACES = (EM, EM_OPT, SPCA, SPCA_OPT, PATH)
GENES = (EM_OPT, SPCA_OPT, PATH, CUT)
TIMED = (EM_OPT, SPCA_OPT, PATH)


def grid(n: int, last: int, points: int) -> list[int]:
    """Return about ``points`` cardinalities from 1 to ``last``, or to n where that is less.

    >>> grid(50, 100, 5)
    [1, 13, 26, 38, 50]
    """
    return sorted({int(k) for k in np.linspace(1, min(n, last), points).round()})


def standardised(task: Task) -> Covariance:
    """Return the correlation matrix of the data set."""
    return Covariance.from_dataset(task.data[0], True)


def algorithm_2(cov: Covariance, k: int, monitor: Monitor) -> np.ndarray:
    """Return w at the end of Algorithm 2, without renormalisation or comparison with earlier steps.

    >>> cov = Covariance.from_matrix(np.diag([4.0, 2.0, 1.0]))
    >>> np.abs(algorithm_2(cov, 1, Monitor(None, None)))
    array([1., 0., 0.])
    """
    w = cov.eigenpairs(1)[1].T
    for _ in range(STEPS):
        if monitor.stop():
            break
        w, last = soft_threshold(cov.apply(w), k, False), w
        if abs(float(w[0] @ last[0])) > 1 - CONVERGED:
            break
    return w[0]


def _measured(
    task: Task, entrants: tuple[Entrant, ...], ks: list[int], table: StudyTable, measure: Measure
) -> tuple[StudyTable, ...]:
    """Fill a table with a number for every method at every k."""
    rows: list[tuple[Cell, ...]] = []
    for place, k in enumerate(ks):
        numbers: list[float] = []
        for entrant in entrants:
            if task.monitor.stop():
                return (replace(table, rows=tuple(rows)),)
            numbers.append(measure(k, entrant))
        rows.append((k, *numbers))
        task.monitor.tell((place + 1) / len(ks), f"cardinality {k}")
        task.show((replace(table, rows=tuple(rows)),))
    return (replace(table, rows=tuple(rows)),)


def _curves(task: Task, entrants: tuple[Entrant, ...]) -> tuple[StudyTable, ...]:
    """Solve for every k by every method."""
    cov = standardised(task)
    axes, lines = ("cardinality, nonzero loadings", "variance"), [Line(e.name, e.title) for e in entrants]
    note = f"{SCALING} Variance in units of one feature's. Loadings may take any sign."
    k = Column("k", "Cardinality")
    table = plotted("variance", "Variance against cardinality", k, lines, (), axes, digits=3, note=note)
    ks = grid(cov.n_features, 150, 31 if task.full else 5)
    return _measured(task, entrants, ks, table, lambda k, entrant: _run_entrant(task, cov, k, entrant)[0])


def _run_entrant(task: Task, cov: Covariance, k: int, entrant: Entrant) -> tuple[float, float]:
    """Return the variance that a method reaches, and its CPU seconds."""
    started = time.thread_time()  # CPU time of this thread alone
    if entrant.method:
        variance = solve(cov, k, entrant.method, nonnegative=False, **task.settings(), **entrant.options).variance
    else:
        variance = float(cov.variance(algorithm_2(cov, k, task.monitor)))
    return variance, time.thread_time() - started


def _times(task: Task) -> tuple[StudyTable, ...]:
    """Time every method at every k: the minimum of a few runs."""
    cov = standardised(task)
    cov.eigenpairs(1)  # computed before timing, since all methods need it
    repeats = 3 if task.full else 1

    def seconds(k: int, entrant: Entrant) -> float:
        return max(min(_run_entrant(task, cov, k, entrant)[1] for _ in range(repeats)), 1e-4)

    columns = (Column("k", "Cardinality"), *[Column(e.name, f"{e.title}: seconds", 4) for e in TIMED])
    lines = tuple(Line(e.name, e.title) for e in TIMED)
    picture = Curves("k", lines, "cardinality, nonzero loadings", "processor seconds", log_y=True)
    note = f"{SCALING} Seconds of this machine's processor for one k, renormalisation included."
    table = StudyTable("seconds", "Running time against cardinality", columns, (), picture, note)
    return _measured(task, TIMED, grid(cov.n_features, *((400, 21) if task.full else (200, 4))), table, seconds)


DIFFERENCES = (
    "emPCA is Algorithm 2 as printed. The renormalised version is this library's em, which also tries the supports of "
    "intermediate steps and of thresholding: at most 0.2 % more on the paper's data. SPCA alternates with "
    "scikit-learn's elastic net, as its authors do. The paper does not print its ridge: here it is ten times a "
    "feature's variance; with almost no ridge SPCA is up to a fifth below PathSPCA. PathSPCA is our implementation "
    "of its description; as all variances are one, its first feature is arbitrary, and on genes it is below "
    "emPCA. The curves of the figure print no numbers; the ranges of its axes agree with ours."
)

STUDIES = (
    Study(
        "sigg2008-fig2-left",
        "sigg2008",
        "Fig. 2 left",
        "Sparse PCA on faces",
        "The variance of one component against its number of pixels, for three methods without a sign "
        "constraint. emPCA and SPCA are shown twice: as they are, and with optimal loadings for the chosen pixels "
        "(renormalised). Only the latter come close to PathSPCA, which renormalises at every step.",
        f"The raw images of the official training archive, standardised. {DIFFERENCES}",
        partial(_curves, entrants=FACES),
        ("cbcl-faces-raw",),
        ("lfw-faces",),
        1.0,
    ),
    Study(
        "sigg2008-fig2-middle",
        "sigg2008",
        "Fig. 2 middle",
        "Sparse PCA on genes",
        "The variance of one component against its number of genes, of which there are 175 times as many as "
        "patients. Thresholding of the first principal component is shown for reference: it chooses features one by "
        "one, ignoring how they vary together.",
        f"The Leukemia data of Armstrong et al., standardised. {DIFFERENCES}",
        partial(_curves, entrants=GENES),
        ("leukemia",),
        ("lfw-faces",),
        2.0,
    ),
    Study(
        "sigg2008-fig2-right",
        "sigg2008",
        "Fig. 2 right",
        "Seconds against cardinality",
        "The running time of the methods for many features. That of emPCA hardly depends on the cardinality; PathSPCA "
        "adds one feature after another, so its time grows with each; SPCA solves a regression that grows too.",
        "The paper timed Matlab code on a processor of 2008; only how time grows with cardinality can be compared, "
        "not the seconds. SPCA is stopped after a fixed number of rounds here, which bounds its time.",
        _times,
        ("leukemia",),
        ("lfw-faces",),
        2.0,
    ),
)
