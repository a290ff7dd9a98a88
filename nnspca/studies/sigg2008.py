"""Sigg & Buhmann (2008): sparse and nonnegative PCA of faces and genes, with CPU time, and genes without labels."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from nnspca.components._decompose import decompose
from nnspca.components._deflate import deflate
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.result import Component, Components
from nnspca.solvers.em import soft_threshold
from nnspca.studies.asteris2014 import drawn_at
from nnspca.studies.study import Picture, Rows, StudyResult, Table, Task
from nnspca.studies.zass2006 import nspca
from nnspca.tasks._solve import solve

SCALING = "Every feature is centred and divided by its standard deviation, as in the paper."
K = "Cardinality"
ALONG = "cardinality, nonzero loadings"


@dataclass(frozen=True)
class Entrant:
    """One curve of Fig. 2: a method with its options."""

    title: str
    method: Any
    options: dict[str, Any] = field(default_factory=dict)


RIDGE = 10.0  # not printed; with one this large, similar neighbours do not exclude each other
CONVERGED = 1e-6  # Algorithm 2 stops when w changes by less than this; not printed either
STEPS = 1000  # most steps of Algorithm 2
EM, EM_STEPS = "emPCA", "emPCA: steps"  # Algorithm 2 as printed
EM_OPT = Entrant("emPCA, renormalised", "em")
SPCA = Entrant("SPCA", "elastic-net", {"renormalise": False, "ridge": RIDGE})
SPCA_OPT = Entrant("SPCA, renormalised", "elastic-net", {"ridge": RIDGE})
PATH = Entrant("PathSPCA", "greedy")
CUT = Entrant("thresholding, renormalised", "thresholding")


def grid(n: int, last: int, points: int) -> list[int]:
    """Return about ``points`` cardinalities from 1 to ``last``, or to n where that is less.

    >>> grid(50, 100, 5)
    [1, 13, 26, 38, 50]
    """
    return sorted({int(k) for k in np.linspace(1, min(n, last), points).round()})


def standardised(task: Task) -> Covariance:
    """Return the correlation matrix of the data set."""
    return Covariance.from_dataset(task.data[0], True)


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


# Fig. 2


def ran(task: Task, cov: Covariance, k: int, entrant: Entrant, *, nonnegative: bool = False) -> tuple[Component, float]:
    """Return what a method finds, and its CPU seconds."""
    started = time.thread_time()  # CPU time of this thread alone
    part = solve(cov, k, entrant.method, nonnegative=nonnegative, **task.settings(), **entrant.options)
    return part, time.thread_time() - started


def variances(task: Task, entrants: tuple[Entrant, ...]) -> Rows:
    """Solve for every k by Algorithm 2 as printed, and by every method."""
    cov = standardised(task)
    ks = grid(cov.n_features, 150, 31 if task.full else 5)
    for place, k in enumerate(ks):
        w, steps = algorithm_2(cov, k, task.monitor)
        row = {EM: float(cov.variance(w)), EM_STEPS: steps}
        row |= {entrant.title: ran(task, cov, k, entrant)[0].variance for entrant in entrants}
        task.monitor.tell((place + 1) / len(ks), f"cardinality {k}")
        yield "variance", {K: k, **row}


def show_variances(run: StudyResult) -> Iterator[Table]:
    """Variance against cardinality."""
    frame = run.rows["variance"]
    look = Picture(K, list(frame.columns.drop([K, EM_STEPS])), "variance", ALONG)
    note = f"{SCALING} Variance in units of one feature's. Loadings may take any sign."
    yield Table("variance", "Variance against cardinality", frame, look, note)
    if run.own:
        note = f"It stops where the cosine of two steps is above 1 − ε: ours is {CONVERGED:f}, the paper prints none."
        yield run.printed([frame[EM_STEPS].mean()], note=note)


def times(task: Task) -> Rows:
    """Time every method at every k: the minimum of a few runs."""
    cov = standardised(task)
    cov.eigenpairs(1)  # computed before timing, since all methods need it
    ks = grid(cov.n_features, *((400, 21) if task.full else (200, 4)))
    for place, k in enumerate(ks):
        row = {
            entrant.title: max(min(ran(task, cov, k, entrant)[1] for _ in range(3 if task.full else 1)), 1e-4)
            for entrant in (EM_OPT, SPCA_OPT, PATH)
        }
        task.monitor.tell((place + 1) / len(ks), f"cardinality {k}")
        yield "seconds", {K: k, **row}


def show_times(run: StudyResult) -> Iterator[Table]:
    """Seconds against cardinality."""
    frame = run.rows["seconds"]
    look = Picture(K, list(frame.columns[1:]), "processor seconds", ALONG, log_y=True)
    note = f"{SCALING} Seconds of this machine's processor for one k, renormalisation included."
    yield Table("seconds", "Running time against cardinality", frame, look, note)


# Fig. 3 left

ALPHAS = {"NSPCA, α = 10⁵": 1e5, "NSPCA, α = 10⁶": 1e6, "NSPCA, α = 10⁷": 1e7}  # as printed, for A = XX'
EM_NN, NSPCA = "emPCA (nn)", "NSPCA, α = 10⁷"
SECONDS = ": seconds"
STARTS = 10  # random starts of each method, as printed
TIMED = 100  # largest cardinality in the means of the printed times
UNIT = 84_000.0  # λ₁ times the number of images, on the paper's data


def without_first(cov: Covariance) -> Covariance:
    """Project the first principal component out, so that the sign constraint matters."""
    return deflate(cov, cov.eigenpairs(1)[1], "projection")


def in_units(alpha: float, cov: Covariance, own: bool) -> float:
    """Return a printed α relative to λ₁ of A = X'X/m; on other data, the value relative to the paper's λ₁."""
    return alpha / (float(cov.eigenpairs(1)[0][0]) * (cov.n_samples or 1) if own else UNIT)


def single(task: Task) -> Rows:
    """Variance of one nonnegative component against its cardinality, by emPCA and by NSPCA at three penalties."""
    cov = without_first(standardised(task))
    ks = grid(cov.n_features, 200, 21 if task.full else 4)
    alphas = {title: in_units(alpha, cov, task.own) for title, alpha in ALPHAS.items()}
    exactly = {"restarts": STARTS, "renormalise": False, "cut": False}  # a price β that leaves k loadings, or none
    entrants = [Entrant(title, "coordinate-descent", {"alpha": a, **exactly}) for title, a in alphas.items()]
    entrants.insert(0, Entrant(EM_NN, "em", {"restarts": STARTS}))
    for place, k in enumerate(ks):
        row: dict[str, Any] = {K: k}
        for number, entrant in enumerate(entrants, start=1):
            part, row[entrant.title + SECONDS] = ran(task, cov, k, entrant, nonnegative=True)
            row[entrant.title] = drawn_at(part)
            task.monitor.tell((place + number / len(entrants)) / len(ks), f"cardinality {k}")
        yield "variance", row


def show_single(run: StudyResult) -> Iterator[Table]:
    """Variance against cardinality, and on the paper's data its mean seconds beside ours."""
    frame, lines = run.rows["variance"], [EM_NN, *ALPHAS]
    note = f"{SCALING} The best of {STARTS} random starts. NSPCA is drawn where a β gives exactly that cardinality."
    look = Picture(K, lines, "variance", ALONG)
    yield Table("variance", "Variance against cardinality", frame[[K, *lines]], look, note)
    if run.own:
        note = (
            "The paper's 24 ± 14.7 s and 0.4 ± 0.15 s are of Matlab code on a machine of 2008: only their ratio can be "
            "compared. NSPCA is at α = 10⁷, which reaches these cardinalities; its whole bisection counts."
        )
        few = frame[frame[K] <= TIMED]
        yield run.printed([few[NSPCA + SECONDS].mean() / few[EM_NN + SECONDS].mean()], note=note)


# Fig. 3 middle and right

MANY = 1e8  # α as printed, for A = XX'
COMPONENTS, FEW, CARDINALITY, JOINT_CARDINALITY = 10, 3, 20, 200
ANGLE = 85.0  # degrees


def least_angle(parts: Components) -> float:
    """Return the least angle between two components in degrees; 90 where there is one alone."""
    return float(parts.angles[~np.eye(len(parts), dtype=bool)].min(initial=90.0))


def described(title: str, parts: Components) -> Rows:
    """Yield what several components explain and use."""
    values = parts.cumulative_variance.tolist()
    yield "variance", [{"method": title, "Components": r, "variance": v} for r, v in enumerate(values, start=1)]
    loadings = int(parts.cardinalities.sum())
    yield "used", {"Method": title, "Nonzero loadings": loadings, "Least angle (°)": least_angle(parts)}


def count_of(task: Task, cov: Covariance) -> int:
    """Return how many components are sought."""
    return min(COMPONENTS if task.full else FEW, cov.n_features)


def tuned(
    task: Task,
    cov: Covariance,
    ends: tuple[float, float],
    prices: Callable[[float], tuple[float, float]],
    meets: Callable[[Components], bool],
    start: float,
) -> Components:
    """Return NSPCA's components at the least penalty at which they meet a condition, by bisection on a log scale."""
    (low, high), best, steps = ends, None, 14 if task.full else 6

    def at(price: float) -> Components:
        restarts = 3 if task.full else 1
        return nspca(task, cov, *prices(price), count=count_of(task, cov), restarts=restarts, steps=(60, 400))

    for step in range(steps):
        if task.monitor.stop():
            break
        middle = float(np.sqrt(low * high))
        found = at(middle)
        if meets(found):
            high, best = middle, found
        else:
            low = middle
        task.monitor.tell(start + (1 - start) * (step + 1) / steps, f"NSPCA, price {middle:.3g} λ₁")
    return best or at(high)


def disjoint(task: Task) -> Rows:
    """Orthogonal components of twenty pixels each."""
    cov = without_first(standardised(task))
    count, k = count_of(task, cov), min(CARDINALITY, cov.n_features)
    settings = task.settings(0.0, 0.1)
    yield from described("emPCA (nn), disjoint", decompose(cov, count, k, "em", deflation="disjoint", **settings))
    settings = task.settings(0.1, 0.2) | {"nonnegative": False}
    yield from described("emPCA, any sign", decompose(cov, count, k, "em", deflation="projection", **settings))
    alpha, most = in_units(MANY, cov, task.own), JOINT_CARDINALITY * count // COMPONENTS
    few = tuned(
        task, cov, (1e-6, 1.0), lambda beta: (alpha, beta), lambda parts: parts.cardinalities.sum() <= most, 0.2
    )
    yield from described("NSPCA, α = 10⁸", few)


def apart(task: Task) -> Rows:
    """Components at least 85 degrees apart."""
    cov = without_first(standardised(task))
    count, settings = count_of(task, cov), task.settings(0.0, 0.6) | {"min_angle": ANGLE}
    found = decompose(cov, count, cov.n_features, "em", deflation="quasi-orthogonal", **settings)
    yield from described("emPCA (nn), 85° apart", found)
    found = tuned(task, cov, (0.1, 1e3), lambda alpha: (alpha, 0.0), lambda parts: least_angle(parts) >= ANGLE, 0.6)
    yield from described("NSPCA, α raised to 85°", found)


def show_several(run: StudyResult, note: str) -> Iterator[Table]:
    """Cumulative variance, and what the components use."""
    frame = run.wide("variance", "Components", "variance")
    look = Picture("Components", list(frame.columns[1:]), "cumulative variance", "number of components")
    yield Table("variance", "Cumulative variance", frame, look, f"{SCALING} {note}")
    if "used" in run.rows:
        yield Table("used", "What the components use", run.rows["used"])


FIGURES = {
    "sigg2008-fig2-left": (partial(variances, entrants=(EM_OPT, SPCA, SPCA_OPT, PATH)), show_variances),
    "sigg2008-fig2-middle": (partial(variances, entrants=(EM_OPT, SPCA_OPT, PATH, CUT)), show_variances),
    "sigg2008-fig2-right": (times, show_times),
    "sigg2008-fig3-left": (single, show_single),
    "sigg2008-fig3-middle": (
        disjoint,
        partial(show_several, note=f"Each emPCA component has {CARDINALITY} pixels."),
    ),
    "sigg2008-fig3-right": (apart, partial(show_several, note="Components may use every pixel.")),
}
