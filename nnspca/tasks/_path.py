"""A curve in the order in which it is shown: coarse k first, then those between; all components before the bounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nnspca.bounds import carried
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.machines import Executor, TaskArguments, Workers
from nnspca.result import Certificate, Component, OnProgress, ShouldStop, Sweep, SweepPoint
from nnspca.solvers.best import quick_start
from nnspca.solvers.climb import climb
from nnspca.solvers.polish import polish
from nnspca.solvers.registry import METHODS
from nnspca.tasks._certify import first_upper_bound
from nnspca.tasks._solve import check_cardinality, check_method, solve
from nnspca.tasks._sweep import certified, champion
from nnspca.tasks.levels import Point, coarse_first, neighbours, predecessors, warm_starts

OnPoint = Callable[[SweepPoint], None]
Solved = Callable[[int, str], Component | None]
Certified = Callable[[int], Certificate | None]
EARLY = 0.1  # approximate time of a rough component relative to a full search


def path(
    cov: Covariance,
    ks: Iterable[int],
    methods: Sequence[str] = ("best",),
    *,
    nonnegative: bool = True,
    seed: int = 0,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    anchors: int | None = None,
    first: MutableMapping[int, Component] | None = None,
    known: Solved = lambda k, method: None,
    executor: Executor = None,
    on_point: OnPoint | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Sweep:
    """Solve for every k, in levels from coarse to fine; :func:`certify_path` adds the upper bounds.

    ``best`` starts from the components at the two neighbours of the levels before, so the answer
    does not depend on which thread was faster; at the end it never falls as k grows.

    Parameters
    ----------
    options : mapping of str to mapping, optional
        For each method, what it is called with.
    anchors : int, optional
        About how many k ``best`` searches in full; between them it only improves what its
        neighbours have.
    first : dict of int to Component, optional
        Where given, ``best`` shows a rough component at every k, marked as stopped, before any k is
        searched; it searches last, and from those as well. They are taken from here, and put here
        when made.
    known : callable, optional
        Asked for the component of each k and method just before it would be solved: one from an
        earlier, stopped run of the same path takes its place.
    on_point : callable, optional
        Called with each :class:`SweepPoint` when solved, before that with its rough component, and
        again where a smaller k turns out to keep more.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[3.0, -1.0, 1.0], [-1.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    >>> [round(p.component.variance, 3) for p in path(cov, [1, 2, 3]).points]
    [3.0, 3.618, 3.618]
    """
    levels = coarse_first(check_cardinality(cov, k) for k in ks)
    for name in methods:
        check_method(name, nonnegative)
    if not levels or not methods:
        raise ValueError(f"a path needs at least one k and one method; got k in {levels} and methods={methods!r}")
    monitor, started = Monitor(should_stop, on_progress), time.perf_counter()
    every = sum(map(len, levels))
    full = {k for i, level in enumerate(levels) for k in level if sum(map(len, levels[:i])) < (anchors or every)}
    after = predecessors(levels, methods)
    order = list(after) if first is None else sorted(after, key=lambda at: at[1] == "best")
    early = [k for k, name in order if first is not None and name == "best" and known(k, name) is None]
    run = _Run(monitor, on_point, after, len(order) + EARLY * len(early))

    def begin(at: Point) -> TaskArguments:
        """The task of a point, or None if its component is known by now."""
        k, name = at
        if (before := known(k, name)) is not None:
            run.keep(SweepPoint(k, name, before))
            return None
        return (_Task(k, nonnegative, name, seed, run.start(at), k in full, dict((options or {}).get(name, {}))),)

    with Workers(executor, cov, monitor) as workers:
        for k, component in _rough_components(workers, early, nonnegative, first if first is not None else {}):
            run.sketch(SweepPoint(k, "best", component))
        for (k, name), component in workers.when_ready(_solved, order, workers.ahead, run.ready, begin):
            run.keep(_higher(SweepPoint(k, name, component), run.rough.get((k, name))))
    run.finish()
    place = {name: i for i, name in enumerate(methods)}
    points = tuple(sorted(run.points.values(), key=lambda p: (p.k, place[p.method])))
    stopped = len(points) < len(order) or any(p.component.stopped for p in points)
    leading = float(cov.eigenpairs(1)[0][0])
    return Sweep(points, leading, nonnegative, stopped, time.perf_counter() - started)


@dataclass
class _Run:
    """A path in progress: the points solved, and the rough ones shown before."""

    monitor: Monitor
    on_point: OnPoint | None
    after: Mapping[Point, tuple[Point, ...]]  # the predecessors of each point
    total: float  # of the work, in points searched in full
    points: dict[Point, SweepPoint] = field(default_factory=dict)
    rough: dict[Point, SweepPoint] = field(default_factory=dict)

    def keep(self, point: SweepPoint) -> None:
        """Store a solved point."""
        self.points[point.k, point.method] = point
        self._tell(point)

    def sketch(self, point: SweepPoint) -> None:
        """Store a rough point."""
        self.rough[point.k, point.method] = point
        self._tell(point)

    def _tell(self, point: SweepPoint) -> None:
        if self.on_point is not None:
            self.on_point(point)
        done = len(self.points) + EARLY * len(self.rough)
        self.monitor.tell(min(done / self.total, 1.0), f"k = {point.k:,}: {point.method}")

    def ready(self, at: Point) -> bool:
        """Whether all predecessors of a point are solved."""
        return all(before in self.points for before in self.after[at])

    def start(self, at: Point) -> np.ndarray | None:
        """The starts of a point: the loadings of its neighbours and its rough component; None if there are none."""
        near = [*(self.points[one] for one in self.after[at]), *(self.rough[one] for one in (at,) if one in self.rough)]
        return np.array([point.component.loadings for point in near]) if near else None

    def finish(self) -> None:
        """Keep rough points where no other exists, and give no point less than one of a smaller k."""
        for at, point in self.rough.items():
            self.points.setdefault(at, point)
        for point in _carried_over(self.points):
            self.keep(point)


def certify_path(
    cov: Covariance,
    sweep: Sweep,
    *,
    ks: Iterable[int] | None = None,
    known: Certified = lambda k: None,
    seed: int = 0,
    executor: Executor = None,
    first: Iterable[int] = (),
    within: float | None = None,
    on_point: OnPoint | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Sweep:
    """Certify the k of a path from coarse to fine, each with a warm start from a nearer one if there is one.

    In the end each upper bound holds at the smaller k as well, and at the larger ones in proportion.

    Parameters
    ----------
    sweep : Sweep
        Of the same covariance, without certificates.
    ks : iterable of int, optional
        Those to certify; all of the sweep's when None.
    known : callable, optional
        Asked for the certificate of each k to certify, first of all and again just before it would
        be made: one that is there already is used.
    first : iterable of int, optional
        The k that get a first upper bound before any gets its own, where the matrix is held and they
        cost next to nothing: those certificates are marked as stopped.
    within : float, optional
        Where given, a k gets no proof of its own if the upper bound carried from the two nearest k of the
        levels before exceeds its variance by at most this share: its certificate then is that bound.
    on_point : callable, optional
        Called with each point of a k once certified, and before that with its first upper bound.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[3.0, -1.0, 1.0], [-1.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    >>> [round(c.ratio, 3) for c in certify_path(cov, path(cov, [1, 2])).certificates.values()]
    [1.0, 1.0]
    """
    monitor, started = Monitor(should_stop, on_progress), time.perf_counter()
    run, wanted = _UpperBounds({(p.k, p.method): p for p in sweep.points}, on_point), set(first)
    champions = _champions(sweep)
    levels = coarse_first(champions if ks is None else set(ks) & set(champions))
    total = sum(map(len, levels))
    for k in sorted(k for level in levels for k in level):
        if (before := known(k)) is not None:
            run.keep(k, before)
    waiting = warm_starts(levels, run.certificates)
    around = neighbours(levels) if within is not None else {}
    least = carried.least_variance(cov) if within is not None else 0.0
    sources: dict[int, Certificate] = {}  # for each k that needs no proof of its own, the one its bound is from

    def ready(k: int) -> bool:
        return all(other in run.certificates for other in (waiting[k], *around.get(k, ())) if other is not None)

    def own(k: int) -> Certificate:
        """The certificate of a k, or the one that its bound is carried from."""
        return sources.get(k, run.certificates[k])

    def carry(k: int) -> bool:
        """Give a k the bound carried from its neighbours, if that is close enough."""
        found = carried.certificate(k, champions[k], map(own, around.get(k, ())), least)
        if within is None or found is None or found[0].upper > found[0].lower * (1 + within):
            return False
        certificate, sources[k] = found
        run.keep(k, certificate)
        return True

    def begin(k: int) -> TaskArguments:
        """The task of one k, or None if its certificate is known by now."""
        if (before := known(k)) is not None:
            run.keep(k, before)
            return None
        if carry(k):
            return None
        other = waiting[k]
        return k, sweep.nonnegative, "live", champions[k], seed, None if other is None else own(other)

    with Workers(executor, cov, monitor) as workers:
        if cov.holds_entries:
            early = ((champions[k], k, sweep.nonnegative, seed) for k in waiting if k in wanted)
            for _, certificate in workers.each(_first, early):
                run.show(certificate.k, certificate)
        for k, certificate in workers.when_ready(certified, waiting, workers.width, ready, begin):
            run.keep(k, certificate)
            monitor.tell(len(run.certificates) / total, f"k = {k:,}: bound proven")
    for k, certificate in carried.levelled(run.certificates, cov):
        run.keep(k, certificate)
    stopped = sweep.stopped or monitor.stop()
    return replace(sweep, points=tuple(run.points.values()), stopped=stopped, seconds=time.perf_counter() - started)


@dataclass
class _UpperBounds:
    """The certificates of a path in progress, and the points that show them."""

    points: dict[Point, SweepPoint]
    on_point: OnPoint | None
    certificates: dict[int, Certificate] = field(default_factory=dict)

    def keep(self, k: int, certificate: Certificate) -> None:
        """Store the certificate of a k."""
        self.certificates[k] = certificate
        self.show(k, certificate)

    def show(self, k: int, certificate: Certificate) -> None:
        """Report every point of a k with its certificate or first bound."""
        for key in [key for key in self.points if key[0] == k]:
            self.points[key] = replace(self.points[key], certificate=certificate)
            if self.on_point is not None:
                self.on_point(self.points[key])


@dataclass(frozen=True, eq=False)
class _Task:
    """One (k, method) to be solved."""

    k: int
    nonnegative: bool
    method: str
    seed: int
    start: np.ndarray | None  # loadings to begin with, shape (r, n)
    full: bool  # whether it is searched in full, or only from its start where there is one
    options: dict[str, Any]


def _solved(cov: Covariance, task: _Task, poll: ShouldStop | None) -> Component:
    """One (k, method), as a task that can be sent to a worker."""
    k, nonnegative, start = task.k, task.nonnegative, task.start
    if start is not None and not task.full:
        return _improved(Problem(cov, k, nonnegative), start, Monitor(poll))
    options = task.options
    return solve(cov, k, task.method, nonnegative=nonnegative, seed=task.seed, should_stop=poll, start=start, **options)


def _first(
    cov: Covariance, champion: Component, k: int, nonnegative: bool, seed: int, poll: ShouldStop | None
) -> Certificate:
    """One first bound, as a task that can be sent to a worker."""
    return first_upper_bound(cov, k, champion, nonnegative=nonnegative, seed=seed, should_stop=poll)


def _rough(cov: Covariance, k: int, nonnegative: bool, poll: ShouldStop | None) -> Component:
    """The first component that ``best`` shows at one k, as a task that can be sent to a worker."""
    started = time.perf_counter()
    component = quick_start(Problem(cov, k, nonnegative), monitor=Monitor(poll))
    return replace(component, seconds=time.perf_counter() - started)


def _rough_components(
    workers: Workers, ks: Sequence[int], nonnegative: bool, components: MutableMapping[int, Component]
) -> Iterator[tuple[int, Component]]:
    """Yield each k with its rough component: the given ones at once, the others as they are computed."""
    before = {k: components[k] for k in ks if k in components}  # as it is now: others may add to it
    yield from before.items()
    left = [k for k in ks if k not in before]
    for i, component in workers.each(_rough, ((k, nonnegative) for k in left)):
        if not workers.monitor.stop():  # it was not cut short
            components[left[i]] = component
        yield left[i], component


def _higher(point: SweepPoint, before: SweepPoint | None) -> SweepPoint:
    """The result of a search, or its rough component if the search was stopped below it."""
    less = before is not None and point.component.stopped and point.component.variance < before.component.variance
    return before if before is not None and less else point


def _improved(problem: Problem, start: np.ndarray, monitor: Monitor) -> Component:
    """Climb from the neighbours' components and polish the better one: a hundredth of a full search."""
    started = time.perf_counter()
    rivals, variances = climb(problem, start, monitor=monitor)
    x, history = polish(problem, rivals[int(variances.argmax())], monitor=monitor)
    part = problem.component(x, "best", history, stopped=monitor.stop(), note="improved from its neighbours")
    return replace(part, features=problem.cov.features, seconds=time.perf_counter() - started)


def _carried_over(points: Mapping[tuple[int, str], SweepPoint]) -> list[SweepPoint]:
    """The points at which ``best`` has less than at a smaller k, whose component is feasible there too."""
    before: Component | None = None
    changed: list[SweepPoint] = []
    for k, name in sorted(points):
        if name == "best":
            here = points[k, name].component
            if before is not None and before.variance > here.variance:
                stopped = before.stopped or here.stopped  # where it has not been sought to the end, it may be beaten
                here = replace(before, k=k, stopped=stopped, note=f"carried over from k = {before.k}")
                changed.append(SweepPoint(k, name, here))
            before = here
    return changed


def _champions(sweep: Sweep) -> dict[int, Component]:
    """The best feasible component known at each k, from this or a smaller k."""
    best: Component | None = None
    champions: dict[int, Component] = {}
    for k in sorted({p.k for p in sweep.points}):
        best = champion(k, [p.component for p in sweep.points if p.k == k and METHODS[p.method].feasible], best)
        if best is not None:
            champions[k] = best
    return champions
