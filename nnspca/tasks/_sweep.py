"""Curves over k: coarse k first, then those between, begun from their neighbours; all components before the bounds."""

from __future__ import annotations

import time
from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nnspca.bounds import carried
from nnspca.bounds.plan import PLANS
from nnspca.control.arguments import Effort, Method, Seed, check_choice, check_one_or_several, check_several
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, SomeFeatures, places_of
from nnspca.machines import Executor, TaskArguments, Workers, asked, check_executor
from nnspca.result import (
    Certificate,
    Component,
    OnProgress,
    PartsCertificate,
    PartsPoint,
    ShouldStop,
    Sweep,
    SweepPoint,
)
from nnspca.solvers.climb import climb, polish
from nnspca.solvers.registry import METHODS
from nnspca.tasks._certify import certify as certify_one
from nnspca.tasks._excluding import excluding
from nnspca.tasks._rounds import is_neighbour
from nnspca.tasks._solve import check_cardinality, check_includes, check_method, check_seed, monitor_of, solve

OnPoint = Callable[[SweepPoint], None]
PointKey = tuple[int, str]  # of a point: its k, or number of parts, and method


@excluding
def sweep(
    cov: Covariance,
    k: int | Iterable[int],
    methods: Sequence[Method] = ("best", "em"),
    *,
    nonnegative: bool = True,
    certify: Effort | None = "live",
    seed: Seed = 0,
    include: SomeFeatures = None,
    exclude: SomeFeatures = None,
    executor: Executor = None,
    on_point: OnPoint | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Sweep:
    """Solve for every k with every method, and certify each k.

    The smallest and the largest k come first, then those between: ``best`` begins with the components at the nearest
    k before, and never falls as k grows. Then each k is certified, from the best component of all methods; a bound at
    one k holds at every smaller k as it is, and at larger k in proportion.

    Parameters
    ----------
    cov : Covariance
    k : int or iterable of int
        Duplicates are solved once.
    methods : sequence of str
        Keys of ``nnspca.METHODS``.
    certify : {"live", "thorough"} or None
        Effort of the certificates; None for none.
    include, exclude
        Features that each k reserves a place for, and that none may use, as for :func:`nnspca.solve`.
    executor : concurrent.futures.Executor or dask.distributed.Client, optional
        Where the work is done, two threads when None; the answer is the same. Processes and the workers of a Dask
        cluster are sent the covariance once, and can be stopped in the middle of a task; with an executor of another
        kind only what is not begun is stopped. If a process is lost, the call raises BrokenExecutor.
    on_point : callable, optional
        Called with each :class:`SweepPoint` when solved, and again with its certificate.
    nonnegative, seed, should_stop, on_progress
        As for :func:`nnspca.solve`. A stopped sweep has the points solved by then.

    Returns
    -------
    Sweep

    Raises
    ------
    TypeError
        ``cov`` is data or a matrix instead of a Covariance, or a callback is not callable.
    ValueError
        A value not allowed; the message says which are.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    >>> curve = nnspca.sweep(cov, k=[2, 4], methods=("best",))
    >>> [(row["k"], round(row["variance"], 3)) for row in curve.to_records()]
    [(2, 1.954), (4, 2.937)]
    """
    monitor = monitor_of(cov, should_stop, on_progress, on_point=on_point)
    ks = check_one_or_several("k", k)
    listed = [methods] if isinstance(methods, str) else methods
    chosen = check_several("methods", listed, "names:", ", ".join(map(repr, METHODS)))
    names = list(dict.fromkeys(check_method(name, nonnegative).name for name in chosen))
    check_choice("certify", certify, PLANS, none=True)
    check_executor(executor)
    seed = check_seed(seed)
    solving = len(names) / (len(names) + 1) if certify is not None else 1.0
    common: dict[str, Any] = {"seed": seed, "executor": executor, "on_point": on_point, "should_stop": should_stop}
    telling, ins = monitor.part(0.0, solving).relay, places_of("include", include, cov.n_features, cov.feature_names)
    for name in names:
        check_includes(METHODS[name], ins)
    options: dict[str, Any] = {name: {"include": ins} for name in names if ins}
    curve = path(cov, ks, names, nonnegative=nonnegative, options=options, on_progress=telling, **common)
    if certify is None:
        return curve
    telling = monitor.part(solving, 1.0).relay
    proven = certify_path(cov, curve, include=ins, effort=certify, on_progress=telling, **common)
    return replace(proven, seconds=curve.seconds + proven.seconds)


def path(
    cov: Covariance,
    ks: Iterable[int],
    methods: Sequence[str] = ("best",),
    *,
    nonnegative: bool = True,
    seed: Seed = 0,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    anchors: int | None = None,
    known: Callable[[int, str], Component | None] = lambda k, method: None,
    executor: Executor = None,
    on_point: OnPoint | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Sweep:
    """Solve for every k, in levels from coarse to fine; :func:`certify_path` adds the upper bounds.

    ``options`` are what each method is called with. ``best`` searches about ``anchors`` k in full, all when None;
    between them it only improves what its neighbours have. ``known`` is asked for the component of each k and
    method just before it would be solved: one from an earlier, stopped run of the same path takes its place.
    ``on_point`` is called with each point when solved, and again where a smaller k turns out to keep more.

    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[3.0, -1.0, 1.0], [-1.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    >>> [round(p.component.variance, 3) for p in path(cov, [1, 2, 3]).points]
    [3.0, 3.618, 3.618]
    """
    levels = coarse_first(check_cardinality(cov, k) for k in ks)
    for name in methods:
        check_method(name, nonnegative)
    if not levels or not methods:
        raise ValueError(f"a curve needs at least one k and one method; got k={[*ks]}, methods={list(methods)}")
    nonnegative, seed = bool(nonnegative), check_seed(seed)
    monitor, started = Monitor(should_stop, on_progress), time.perf_counter()
    every = [k for level in levels for k in level]
    full = {k for i, level in enumerate(levels) for k in level if sum(map(len, levels[:i])) < (anchors or len(every))}
    # best takes longest and is read most: it goes first, and nothing waits for others
    after = {(k, "best"): [(other, "best") for other in near] for k, near in neighbours(levels).items()}
    others: dict[PointKey, list[PointKey]] = {(k, name): [] for k in every for name in methods if name != "best"}
    after = (after if "best" in methods else {}) | others
    curve = Curve(on_point, monitor, len(after))

    def begin(at: PointKey) -> TaskArguments:
        """The task of a point, or None if its component is known by now."""
        k, name = at
        if (before := known(k, name)) is not None:
            curve.put(at, SweepPoint(k, name, before))
            return None
        near = [curve.points[one].component.loadings for one in after[at]]
        start = np.array(near) if near else None
        if start is not None and k not in full:
            return _improved, (k, start), {"nonnegative": nonnegative}
        settings = {"nonnegative": nonnegative, "seed": seed, "start": start}
        return solve, (k, name), {**settings, **(options or {}).get(name, {})}

    with Workers(executor, cov, monitor) as workers:
        for (k, name), component in workers.when_ready(
            asked, after, workers.ahead, lambda at: all(before in curve.points for before in after[at]), begin
        ):
            curve.put((k, name), SweepPoint(k, name, component))
    for k, best in _champions([p for p in curve.points.values() if p.method == "best"]).items():
        if best is not None and best is not curve.points[k, "best"].component:
            curve.put((k, "best"), SweepPoint(k, "best", best))
    points = tuple(sorted(curve.points.values(), key=lambda p: (p.k, list(methods).index(p.method))))
    stopped = len(points) < len(after) or any(p.component.stopped for p in points)
    return Sweep(points, float(cov.eigenpairs(1)[0][0]), nonnegative, stopped, time.perf_counter() - started)


def certify_path(
    cov: Covariance,
    sweep: Sweep,
    *,
    ks: Iterable[int] | None = None,
    include: tuple[int, ...] = (),
    effort: Effort = "live",
    seed: Seed = 0,
    executor: Executor = None,
    within: float | None = None,
    on_point: OnPoint | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Sweep:
    """Certify the k of a path from coarse to fine, each with a warm start from a nearer one if there is one.

    In the end each upper bound holds at the smaller k as well, and at the larger ones in proportion; not with
    ``include``, for which that is not proven. With ``within``, a k gets no proof of its own if the upper bound carried
    from the two nearest k of the levels before exceeds its variance by at most this share: its certificate then is
    that bound. ``on_point`` is called with each point of a k once certified.

    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[3.0, -1.0, 1.0], [-1.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    >>> [round(c.ratio, 3) for c in certify_path(cov, path(cov, [1, 2])).certificates.values()]
    [1.0, 1.0]
    """
    monitor, started = Monitor(should_stop, on_progress), time.perf_counter()
    curve = Curve(on_point, Monitor(), 1, {(p.k, p.method): p for p in sweep.points})
    champions, proven = _champions(sweep.points), curve.certificates
    levels = coarse_first(champions if ks is None else set(ks) & set(champions))
    around = neighbours(levels)
    starts, total = {k: nearest(k, near) for k, near in around.items()}, sum(map(len, levels))
    least = carried.least_variance(cov) if within is not None else 0.0
    settings = {"nonnegative": sweep.nonnegative, "effort": effort, "seed": seed, "include": include}
    sources: dict[int, Certificate] = {}  # for each k that needs no proof of its own, the one its bound is from

    def ready(k: int) -> bool:
        return all(other in proven for other in (starts[k] if within is None else around[k]))

    def own(k: int) -> Certificate:
        """The certificate of a k, or the one that its bound is carried from."""
        return sources.get(k, proven[k])

    def carry(k: int) -> bool:
        """Give a k the bound carried from its neighbours, if that is close enough."""
        champion = champions[k]
        if within is None or champion is None:
            return False
        found = carried.carried_certificate(k, champion, map(own, around[k]), least)
        if found is None or found[0].upper > found[0].lower * (1 + within):
            return False
        certificate, sources[k] = found
        curve.certify(k, certificate)
        return True

    def begin(k: int) -> TaskArguments:
        """The task of one k, or None if a bound is carried to it."""
        if carry(k):
            return None
        found = {"component": champions[k], "warm_start": next(map(own, starts[k]), None)}
        return certify_one, (k,), {**settings, **found}

    with Workers(executor, cov, monitor) as workers:
        for k, certificate in workers.when_ready(asked, around, workers.width, ready, begin):
            curve.certify(k, certificate)
            monitor.tell(len(proven) / total, f"k = {k:,}: bound proven")
    for k, certificate in carried.improved_by_carried({} if include else proven, cov):
        curve.certify(k, certificate)
    stopped = sweep.stopped or monitor.stop()
    return replace(sweep, points=tuple(curve.points.values()), stopped=stopped, seconds=time.perf_counter() - started)


@dataclass
class Curve:
    """A curve in progress: the points that are shown, by k (or number of parts) and method, and the certificates."""

    on_point: Callable[[Any], None] | None
    monitor: Monitor
    total: int  # points, and certificates that are counted with them
    points: dict[PointKey, Any] = field(default_factory=dict)
    certificates: dict[int, Any] = field(default_factory=dict)

    def put(self, at: PointKey, point: SweepPoint | PartsPoint) -> None:
        """Store a point, and report it."""
        self.points[at] = point
        if self.on_point is not None:
            self.on_point(point)
        done = len(self.points) + len(self.certificates)
        self.monitor.tell(done / self.total, f"k = {point.k:,}: {at[1]}, {done} of {self.total}")

    def certify(self, k: int, certificate: Certificate | PartsCertificate) -> None:
        """Store the certificate of a k, and report every point of it."""
        self.certificates[k] = certificate
        for at in [at for at in self.points if at[0] == k]:
            self.put(at, replace(self.points[at], certificate=certificate))


def _improved(
    cov: Covariance, k: int, start: np.ndarray, *, nonnegative: bool, should_stop: ShouldStop | None
) -> Component:
    """One point by ``best``, only improved from rows of loadings."""
    started, monitor, problem = time.perf_counter(), Monitor(should_stop), Problem(cov, k, nonnegative)
    rivals, variances = climb(problem, start, monitor=monitor)  # a hundredth of a full search
    x, history = polish(problem, rivals[int(variances.argmax())], monitor=monitor)
    part = problem.component(x, "best", history, stopped=monitor.stop(), note="improved from its neighbours")
    return replace(part, features=cov.features, seconds=time.perf_counter() - started)


def _champions(points: Iterable[SweepPoint]) -> dict[int, Component | None]:
    """The best feasible component known at each k, from this or a smaller k; None where no method has one.

    Of a smaller k it is feasible here too; where a search was stopped, there may be a better one.
    """
    best: Component | None = None
    champions: dict[int, Component | None] = {}
    parts = [(p.k, p.component) for p in points if METHODS[p.method].feasible]
    for k in sorted({p.k for p in points}):
        rivals = [part for at, part in parts if at == k]
        if best is not None:
            stopped = best.stopped or any(part.stopped for part in rivals)
            rivals.append(replace(best, k=k, stopped=stopped, note=f"carried over from k = {best.k}"))
        champions[k] = best = max(rivals, key=lambda c: c.variance, default=None)
    return champions


def coarse_first(ks: Iterable[int]) -> list[tuple[int, ...]]:
    """Return the values of k in levels: both ends, then the middle of each gap, and again.

    >>> coarse_first(range(1, 10))
    [(1, 9), (5,), (3, 7), (2, 4, 6, 8)]
    """
    every = sorted(set(ks))
    levels = [tuple(dict.fromkeys((every[0], every[-1])))] if every else []
    gaps = [(0, len(every) - 1)]
    while gaps := [(low, high) for low, high in gaps if high - low > 1]:
        middles = [(low + high) // 2 for low, high in gaps]
        levels.append(tuple(every[m] for m in middles))
        gaps = [half for (low, high), m in zip(gaps, middles, strict=True) for half in ((low, m), (m, high))]
    return levels


def neighbours(levels: Sequence[Sequence[int]]) -> dict[int, tuple[int, ...]]:
    """Return for each k, coarse first, the nearest smaller and the nearest larger one of earlier levels.

    >>> neighbours([(1, 9), (5,), (3, 7)])
    {1: (), 9: (), 5: (1, 9), 3: (1, 5), 7: (5, 9)}
    """
    around: dict[int, tuple[int, ...]] = {}
    earlier: list[int] = []
    for level in levels:
        for k in level:
            place = bisect(earlier, k)
            around[k] = tuple(earlier[max(place - 1, 0) : place + 1])
        earlier = sorted({*earlier, *level})
    return around


def nearest(k: int, others: Iterable[int]) -> tuple[int, ...]:
    """Return the one of others from which a certificate at k is best begun; none if all are too far.

    >>> nearest(40, (20, 36)), nearest(30, (20,))
    ((36,), ())
    """
    near = sorted(others, key=lambda other: (max(other, k) / min(other, k), other))[:1]
    return tuple(other for other in near if is_neighbour(k, other))
