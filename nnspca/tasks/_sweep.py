"""Many k and methods on one covariance: progress, stop, any executor, warm starts along k."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

import numpy as np

from nnspca.bounds import carried
from nnspca.bounds.plan import PLANS
from nnspca.control.arguments import check_callables, check_choice, check_one_or_several, check_several
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.machines import Executor, Workers, check_executor
from nnspca.result import Certificate, Component, OnProgress, ShouldStop, Sweep, SweepPoint
from nnspca.solvers.registry import METHODS
from nnspca.tasks._certify import certify as certify_one
from nnspca.tasks._solve import check_cardinality, check_covariance, check_method, check_seed, solve

WORKERS = 2  # chains of certificates, each of which starts from the one before it in its chain


def sweep(
    cov: Covariance,
    k: int | Iterable[int],
    methods: Sequence[str] = ("best", "em"),
    *,
    nonnegative: bool = True,
    certify: str | None = "live",
    seed: int = 0,
    executor: Executor = None,
    on_point: Callable[[SweepPoint], None] | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
) -> Sweep:
    """Solve for every k with every method, and certify each k.

    k runs upward: the best component at one k starts ``best`` at the next, and is what the next
    certificate falls back on, so the certified lower bound never decreases along k. Each
    certificate starts from the multipliers of an earlier one, and a bound at one k holds at every
    smaller k as it is, and at larger k in proportion.

    Parameters
    ----------
    cov : Covariance
    k : int or iterable of int
        Duplicates are solved once.
    methods : sequence of str
        Keys of ``nnspca.METHODS``.
    nonnegative : bool
    certify : {"live", "thorough"} or None
        Effort of the certificates; None for none.
    seed : int
        Same seed, same sweep, whatever the executor.
    executor : concurrent.futures.Executor or dask.distributed.Client, optional
        Two threads when None. Processes and the workers of a Dask cluster are sent the covariance
        once and can be stopped in the middle of a task; with any other executor only what is
        not begun is stopped. Each k starts from the one before: a task for each method and two
        certificates are at work at once, not more.
    on_point : callable, optional
        Called with each :class:`SweepPoint` when solved, and again with its certificate.
    should_stop, on_progress : callable, optional

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
    check_covariance(cov)
    check_callables(on_point=on_point, should_stop=should_stop, on_progress=on_progress)
    sizes = check_one_or_several("k", k)
    listed = [methods] if isinstance(methods, str) else methods
    chosen = check_several("methods", listed, "names:", ", ".join(map(repr, METHODS)))
    wanted = sorted({check_cardinality(cov, each) for each in sizes})
    names = list(dict.fromkeys(check_method(name, nonnegative).name for name in chosen))
    seed, nonnegative = check_seed(seed), bool(nonnegative)
    if not wanted or not names:
        raise ValueError(f"a sweep needs at least one k and one method; got k={wanted}, methods={names}")
    check_choice("certify", certify, PLANS, none=True)
    check_executor(executor)
    run = _Run(cov, wanted, names, nonnegative, certify, seed, on_point, Monitor(should_stop, on_progress))
    with Workers(executor, cov, run.monitor) as workers:
        return run.swept(workers)


@dataclass
class _Run:
    """One sweep in progress."""

    cov: Covariance
    ks: list[int]
    names: list[str]
    nonnegative: bool
    effort: str | None
    seed: int
    on_point: Callable[[SweepPoint], None] | None
    monitor: Monitor
    points: dict[tuple[int, str], SweepPoint] = field(default_factory=dict)
    ended: dict[int, Certificate | None] = field(default_factory=dict)  # certificates by k
    done: int = 0

    def swept(self, workers: Workers) -> Sweep:
        """Solve for one k after the other, and certify each meanwhile."""
        started = time.perf_counter()
        leading = float(self.cov.eigenpairs(1)[0][0])
        certificates: dict[Future[Certificate], int] = {}
        chain: list[tuple[int, Future[Certificate]]] = []
        best: Component | None = None
        for k in self.ks:
            if self.monitor.stop():
                break
            starts = {"best": best.loadings} if best is not None else {}
            solving = {
                workers.submit(_solve, k, self.nonnegative, name, self.seed, starts.get(name)): name
                for name in self.names
            }
            for solved, component in workers.completed(set(solving)):
                self._put(SweepPoint(k, solving[solved], component))
                self._tell(f"k = {k:,}: {solving[solved]}")
            known = [self.points[k, name] for name in self.names if (k, name) in self.points]
            best = champion(k, [p.component for p in known if METHODS[p.method].feasible], best)
            if self.effort is not None and not self.monitor.stop():
                # without a component to start from, the certificate searches for its own
                warm_start = self._warm_start(workers, certificates, chain)
                task = workers.submit(certified, k, self.nonnegative, self.effort, best, self.seed, warm_start)
                certificates[task] = k
                chain.append((k, task))
            for future, certificate in workers.completed({f for f in certificates if f.done()}):
                self._certified(certificates.pop(future), certificate)
        for future, certificate in workers.completed(set(certificates)):
            self._certified(certificates[future], certificate)
        proven = {k: p.certificate for (k, name), p in self.points.items() if name == self.names[0] and p.certificate}
        for k, certificate in carried.levelled(proven, self.cov):
            self._certify_points(k, certificate)
        points = sorted(self.points.values(), key=lambda p: (p.k, self.names.index(p.method)))
        complete = len(points) == len(self.ks) * len(self.names) and not any(p.component.stopped for p in points)
        stopped = self.monitor.stop() or not complete
        return Sweep(tuple(points), leading, self.nonnegative, stopped, time.perf_counter() - started)

    def _certified(self, k: int, certificate: Certificate) -> None:
        self.ended[k] = certificate
        self._certify_points(k, certificate)
        self._tell(f"k = {k}: certified")

    def _certify_points(self, k: int, certificate: Certificate) -> None:
        for name in self.names:
            if (k, name) in self.points:  # it may have been stopped before
                self._put(replace(self.points[k, name], certificate=certificate))

    def _warm_start(
        self,
        workers: Workers,
        certificates: dict[Future[Certificate], int],
        chain: list[tuple[int, Future[Certificate]]],
    ) -> Certificate | None:
        """Wait for the certificate two values of k before: two chains keep two workers busy."""
        if len(chain) < WORKERS:
            return None
        k, task = chain[-WORKERS]
        if task in certificates:
            del certificates[task]
            certificate = workers.result(task)
            if certificate is not None:
                self._certified(k, certificate)
        return self.ended.get(k)

    def _put(self, point: SweepPoint) -> None:
        self.points[point.k, point.method] = point
        if self.on_point is not None:
            self.on_point(point)

    def _tell(self, stage: str) -> None:
        self.done += 1
        self.monitor.tell(self.done / (len(self.ks) * (len(self.names) + (self.effort is not None))), stage)


def champion(k: int, rivals: Sequence[Component], previous: Component | None) -> Component | None:
    """The best of some components of a k, and of that of a smaller k, which is feasible here too."""
    carried_over = [] if previous is None else [replace(previous, k=k, note=f"carried over from k = {previous.k}")]
    return max([*rivals, *carried_over], key=lambda c: c.variance, default=None)


def _solve(
    cov: Covariance,
    k: int,
    nonnegative: bool,
    name: str,
    seed: int,
    start: np.ndarray | None,
    poll: ShouldStop | None,
) -> Component:
    """One (k, method), as a task that can be sent to a worker."""
    return solve(cov, k, name, nonnegative=nonnegative, seed=seed, should_stop=poll, start=start)


def certified(
    cov: Covariance,
    k: int,
    nonnegative: bool,
    effort: str,
    champion: Component | None,
    seed: int,
    warm_start: Certificate | None,
    poll: ShouldStop | None,
) -> Certificate:
    """One certificate, as a task that can be sent to a worker."""
    return certify_one(
        cov,
        k,
        nonnegative=nonnegative,
        effort=effort,
        component=champion,
        seed=seed,
        warm_start=warm_start,
        should_stop=poll,
    )
