"""The default: a portfolio of starts, climbed in one batch on the full A, the leaders polished by swaps."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import raise_if_stopped
from nnspca.covariance.problem import Problem, on_all
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.solvers.climb import (
    TIE,
    batches,
    climb,
    climb_by_width,
    distinct_supports,
    larger_eigenvalue,
    leading_rows,
    optimise_on_support,
    polish,
    products,
)
from nnspca.solvers.em import soft_threshold
from nnspca.solvers.reduced import entry_by_entry, of_some_samples
from nnspca.solvers.wide import best_of_rows
from nnspca.spannogram import sphere

RANKS = (1, 2, 3, 4)  # low-rank optima to start from
CELLS = 30  # of the search for each: of 408 problems none ended better after 200
WIDE = 5000  # features above which only candidates from a few steps are used to climb the starts
FEWEST, SIFTED = 2000, 20  # number of candidates: the larger of FEWEST and SIFTED times k; twice FEWEST takes 40 % more
AMONG_CANDIDATES = 8  # restarts of the portfolio on them, however many are asked for
CHOSEN, FORMED = 0.2, 0.4  # shares of the progress of a portfolio when candidates are chosen, and their entries formed
CHOOSING = "choosing candidate features"
FIRST_STEPS = 3  # on all the features before they are chosen; 2 and 6 end as well
EXPLORED = 8  # random directions are drawn in the span of so many eigenvectors; 4 and 16 end as well
PAIRED = 2000  # features above which all pairs would take longer than all other starts
PAIRED_K = 50  # nonzeros above which a pair is of little use as a start
ROWS = 256  # features whose pairs are tried at once


@dataclass(frozen=True, eq=False)
class StartSettings:
    """Settings of a portfolio: the options of ``best``, and the variance known at the start."""

    restarts: int
    leaders: int
    starts: np.ndarray | None
    known: float


def best(
    problem: Problem,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    restarts: int,
    leaders: int,
    starts: np.ndarray | None = None,
) -> Component:
    """Climb from rank-d optima, random directions, EM starts, single features and pairs; polish.

    A first component is shown at once: a few steps from the feature of largest variance. For k = 1 that feature is the
    optimum, and nothing else is done. Rows of ``starts`` are more points to begin with.
    """
    if problem.k == 1:
        return _alone(problem, monitor)
    widest = problem.cov.block(np.array([problem.cov.diagonal.argmax()]))
    points, variances = climb(problem, widest, monitor=monitor, max_iter=FIRST_STEPS)
    monitor.tell(0.0, "a first component", float(variances[0]))
    settings = StartSettings(restarts, leaders, starts, float(variances[0]))
    part = _portfolio(problem, rng, monitor, settings)
    if variances[0] > part.variance * (1 + TIE):
        part = replace(part, loadings=points[0], variance=float(variances[0]))
    return part


def _alone(problem: Problem, monitor: Monitor) -> Component:
    """The component of one feature."""
    x = problem.widest()
    variance = problem.cov.variance(x)
    monitor.report_point(x, variance)
    monitor.tell(1.0, "the feature of largest variance", variance)
    note = "the feature of largest variance: no other does better alone"
    return problem.component(x, "best", (variance,), stopped=monitor.stop(), note=note)


def _portfolio(problem: Problem, rng: np.random.Generator, monitor: Monitor, settings: StartSettings) -> Component:
    """Climb from many starts and polish the best; progress is reported from the known variance on."""
    if problem.n > max(WIDE, 2 * SIFTED * problem.k):
        return _of_the_many(problem, rng, monitor, settings, max(FEWEST, SIFTED * problem.k))
    history = [settings.known]
    candidates = _candidates(problem, rng, monitor, settings, history)
    points, variances = climb(problem, candidates, monitor=monitor.part(0.1, 0.4))
    raise_if_stopped(monitor)
    monitor.tell(0.4, f"{len(candidates)} starts climbed", max(float(variances.max()), history[-1]))
    if 2 * problem.k < problem.n:
        wide = candidates[np.argsort(-variances, kind="stable")[: 2 * settings.restarts]]
        wide, gained = climb_by_width(problem, wide, monitor)
        points, variances = np.vstack([points, wide]), np.concatenate([variances, gained])
    order = np.argsort(-variances, kind="stable")
    history.append(max(float(variances[order[0]]), history[-1]))
    chosen = points[distinct_supports(points, order, settings.leaders)]
    loadings = _polished(problem, chosen, float(variances[order[0]]), monitor, history)
    note = f"{len(candidates)} starts climbed, {len(chosen)} polished"
    return problem.component(loadings, "best", np.maximum.accumulate(history), stopped=monitor.stop(), note=note)


def _candidates(
    problem: Problem, rng: np.random.Generator, monitor: Monitor, settings: StartSettings, history: list[float]
) -> np.ndarray:
    """The starts of a portfolio as rows; the variances of the rank-d optima among them are added to the history."""
    cov, k, nonnegative, restarts = problem.cov, problem.k, problem.nonnegative, settings.restarts
    rows = [] if settings.starts is None else [np.atleast_2d(settings.starts)]
    V = leading_rows(problem, EXPLORED, monitor)
    for d in (r for r in RANKS if r <= problem.n):
        exact = sphere.maximise(
            V[:, :d], k, nonnegative=nonnegative, tol=1e-2, max_cells=CELLS, should_stop=monitor.stop
        ).loadings
        raise_if_stopped(monitor)
        if problem.include:
            exact = problem.best(exact)
        rows.append(exact[None])
        monitor.report_point(exact, cov.variance(exact))
        history.append(max(cov.variance(exact), history[-1]))
        monitor.tell(0.1 * d / len(RANKS), f"rank-{d} optimum", history[-1])
    directions = feasible.unit(rng.standard_normal((restarts, V.shape[1]))) @ V.T
    rows.append(feasible.rank_one(directions, k, nonnegative))
    alone = np.union1d(np.argsort(-cov.diagonal, kind="stable")[:restarts], _longest_rows(problem, restarts, monitor))
    rows.append(cov.block(alone))
    rows.append(_em_starts(problem, restarts, rng, monitor))
    if k <= PAIRED_K and 2 <= problem.n <= PAIRED:
        rows.append(best_pairs(problem, restarts, monitor))
    return np.vstack(rows)


def _longest_rows(problem: Problem, count: int, monitor: Monitor) -> np.ndarray:
    """The features whose rows of A, cut to their k largest entries, are longest: all may have the same variance."""
    cov, k = problem.cov, min(problem.k, problem.n)
    lengths = np.zeros(problem.n)
    for few in batches(np.arange(problem.n), cov, monitor):
        rows = feasible.allowed(cov.block(few), problem.nonnegative)
        lengths[few] = np.linalg.norm(feasible.largest_values(rows, k) if k < problem.n else rows, axis=1)
    return np.argsort(-lengths, kind="stable")[:count]


def _polished(
    problem: Problem, leaders: np.ndarray, value: float, monitor: Monitor, history: list[float]
) -> np.ndarray:
    """Polish the leading points, the best of them first; return the best result."""
    loadings = leaders[0]
    rough = True  # the best point so far is none of the polished ones, which win ties
    for rank, leader in enumerate(leaders):
        if monitor.stop():
            break
        x, gains = polish(problem, leader, monitor=monitor)
        if gains[-1] > value or (rough and gains[-1] >= value * (1 - TIE)):
            loadings, value, rough = x, gains[-1], False
        history += [max(value, gain, history[-1]) for gain in gains if gain > history[-1]]
        monitor.tell(
            0.5 + 0.5 * (rank + 1) / len(leaders), f"polished {rank + 1} of {len(leaders)}", max(value, history[-1])
        )
    return loadings


def _of_the_many(
    problem: Problem, rng: np.random.Generator, monitor: Monitor, settings: StartSettings, count: int
) -> Component:
    """The better of two: a portfolio on candidate features, polished on all, and what rows of A lead to."""
    own, restarts = rng.spawn(1)[0], settings.restarts
    settings = replace(settings, restarts=AMONG_CANDIDATES)  # more would compete for the candidates' places
    component = _of_candidates(problem, rng, monitor.part(0.0, 0.6), settings, count)
    if monitor.stop():
        return component
    x, variances = best_of_rows(problem, own, monitor.part(0.6, 1.0), restarts)
    if not variances[-1] > component.variance * (1 + TIE):
        x = component.loadings
    history = np.maximum.accumulate([*component.history, *variances])
    note = f"{component.note}, and starts from rows of the covariance"
    return problem.component(x, "best", history, stopped=monitor.stop(), note=note)


def _of_candidates(
    problem: Problem, rng: np.random.Generator, monitor: Monitor, settings: StartSettings, count: int
) -> Component:
    """The portfolio on candidate features, then polished on all: most of very many features never matter."""
    cov = problem.cov
    some = replace(problem, cov=of_some_samples(cov, rng))
    first = monitor.part(0.0, CHOSEN)
    if some.cov is not cov:  # variances of some samples are no results
        first = first.without_points()
    chosen, points = _candidate_features(
        some, count, rng=rng, monitor=first, restarts=settings.restarts, starts=settings.starts
    )
    starts = points[:, chosen]
    component = _portfolio(
        _on_few(problem, chosen, monitor.part(CHOSEN, FORMED)),
        rng,
        monitor.part(FORMED, 0.9).on_features(chosen, problem.n, cov.variance),
        replace(settings, starts=starts[starts.any(axis=1)]),
    )
    x = on_all(component.loadings, chosen, problem.n)
    x = climb(problem, x[None], monitor=monitor)[0][0]
    x, gains = polish(problem, x, monitor=monitor)
    history = np.maximum.accumulate([*component.history, *gains])
    note = f"{component.note}, among {len(chosen):,} features first"
    return problem.component(x, "best", history, stopped=monitor.stop(), note=note)


def _on_few(problem: Problem, features: np.ndarray, monitor: Monitor) -> Problem:
    """Return the problem on some features, to search on."""

    def step(share: float) -> None:
        raise_if_stopped(monitor)
        monitor.tell(share, "forming the covariance of the candidates")

    cov = entry_by_entry(problem.cov, features, step)
    include = tuple(np.searchsorted(features, problem.include).tolist())
    return replace(problem, cov=cov, k=min(problem.k, len(features)), include=include)


def _candidate_features(
    problem: Problem,
    count: int,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    restarts: int,
    starts: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The features, ascending, of largest variance or nearest to the support of some start; and the starts."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    directions = rng.standard_normal((restarts, problem.n))
    for done in (0.1, 0.2):
        directions = products(cov, feasible.unit(directions) if done > 0.1 else directions, monitor)
        _choosing(monitor, done)
    alone = np.union1d(np.argsort(-cov.diagonal, kind="stable")[:restarts], np.abs(directions).argmax(axis=1))
    # features of positive covariances are good starts without sign constraint too
    rows = [np.maximum(directions, 0.0), np.maximum(-directions, 0.0)]
    rows += [cov.block(few) for few in batches(alone, cov, monitor)]
    rows += [] if nonnegative else [directions]
    given = np.zeros((0, problem.n)) if starts is None else np.atleast_2d(starts)
    _choosing(monitor, 0.3)
    points, _ = climb(problem, np.vstack([*rows, given]), monitor=monitor, max_iter=FIRST_STEPS)
    _choosing(monitor, 0.8)
    gradients = products(cov, points, monitor)
    raise_if_stopped(monitor)
    nearness = _nearness(cov.diagonal[None], k)
    for few in batches(np.arange(len(points)), cov, monitor):
        pulls = feasible.allowed(gradients[few], nonnegative)
        nearness = np.maximum(nearness, _nearness(pulls, k))
    raise_if_stopped(monitor)
    nearness[given.any(axis=0)] = np.inf
    nearness[problem.included] = np.inf
    chosen = np.sort(np.argsort(-nearness, kind="stable")[:count])
    return chosen, np.vstack([given, points])


def _choosing(monitor: Monitor, share: float) -> None:
    raise_if_stopped(monitor)
    monitor.tell(share, CHOOSING)


def _nearness(pulls: np.ndarray, k: int) -> np.ndarray:
    """The largest pull of each feature relative to the smallest chosen in its row: 1 for the last in the support."""
    last = feasible.largest_entries(pulls, k)[:, :1]
    return (pulls / np.where(last > 0, last, 1.0)).max(axis=0)


def _em_starts(problem: Problem, restarts: int, rng: np.random.Generator, monitor: Monitor) -> np.ndarray:
    """A few EM steps from random points: good basins that truncation at once would leave."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    w = rng.standard_normal((restarts, cov.n_features))
    w = feasible.unit(np.abs(w) if nonnegative else w)
    for _ in range(15):
        w = soft_threshold(products(cov, w, monitor), k, nonnegative)
        raise_if_stopped(monitor)
    leader = w[int(cov.variance(w).argmax())]
    return np.vstack([w, optimise_on_support(cov, leader, nonnegative=nonnegative, monitor=monitor)[None]])


def best_pairs(problem: Problem, count: int, monitor: Monitor) -> np.ndarray:
    """Return the pairs of features of largest variance, each feature with its best partner only.

    There are at least two features, and k >= 2. The pairs, ``count`` or fewer, are feasible unit rows
    in descending order of their variance: the first is the optimum for k = 2.

    >>> from nnspca import Covariance
    >>> cov = Covariance.from_matrix([[3.0, 1.0, -2.0], [1.0, 3.0, 0.0], [-2.0, 0.0, 3.0]])
    >>> best_pairs(Problem(cov, 2, True), 1, Monitor()).round(3)
    array([[0.707, 0.707, 0.   ]])
    >>> best_pairs(Problem(cov, 2, False), 1, Monitor()).round(3)
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
