"""Jobs that sweep over k: a curve's work, which publishes points as they come, and the points known already."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Progress, Sweep, SweepPoint
from nnspca.tasks import certify_path, path
from nnspca.view.session import machines, runs, store
from nnspca.view.session.job import Job, Work
from nnspca.view.session.state import State

SOLVING = 0.3  # share of the progress that the bare curve takes
COMING = 20.0  # seconds within which somebody on the way has come
_ahead: dict[Hashable, Job] = {}  # curves begun for those on the way
_solving: Counter[Hashable] = Counter()  # pages that solve each curve
_both = threading.Lock()


@dataclass(frozen=True)
class Points:
    """The points of one path that any session has finished: whoever asks for the same path goes on from them."""

    path: tuple[Hashable, ...]

    def component(self, k: int, method: str) -> Component | None:
        """Return what a method found at k."""
        found: Component | None = store.results().get((*self.path, k, method))
        return found

    def certificate(self, k: int) -> Certificate | None:
        """Return what is proven at k."""
        proven: Certificate | None = store.results().get((*self.path, k))
        return proven

    def keep(self, point: SweepPoint) -> None:
        """Note a finished point; the first word on it stays, for later ones follow from it at the path's end."""
        found, proven = point.component, point.certificate
        if not found.stopped and self.component(point.k, point.method) is None:
            store.results().put((*self.path, point.k, point.method), found)
        if proven is not None and not proven.stopped and self.certificate(point.k) is None:
            store.results().put((*self.path, point.k), proven)

    def rough(self) -> dict[int, Component]:
        """Return what was found at each k before it was searched, which whoever finds more may put there."""
        made: dict[int, Component] | None = store.results().get((*self.path, "rough"))
        if made is None:
            made = {}
            store.results().put((*self.path, "rough"), made)
        return made

    def forget(self, ks: Sequence[int], methods: Sequence[str]) -> None:
        """Throw the points away."""
        store.results().drop((*self.path, "rough"))
        for k in ks:
            for rest in ((k,), *((k, method) for method in methods)):
                store.results().drop((*self.path, *rest))


def curve(
    data: Dataset,
    now: State,
    ks: Sequence[int],
    methods: Sequence[str],
    publish: Callable[[Job, SweepPoint], None] = Job.publish,
    report: Callable[[Job, Progress], None] = Job.report,
) -> Work:
    """Return the work of one curve: publishes its SweepPoints as they come, those known already at once."""
    solve, prove = stages(data, now, ks, methods, publish, report, first=True)

    def work(job: Job) -> None:
        prove(job, solve(job))

    return work


def stages(
    data: Dataset,
    now: State,
    ks: Sequence[int],
    methods: Sequence[str],
    publish: Callable[[Job, SweepPoint], None] = Job.publish,
    report: Callable[[Job, Progress], None] = Job.report,
    *,
    first: bool = False,
) -> tuple[Callable[[Job], Sweep], Callable[[Job, Sweep], Sweep]]:
    """Return the work of one curve in two: the bare curve, then the proof of its ceilings, ``first`` ones before."""
    cov, known = store.covariance(data, now), Points(store.curve_key(data, now, ks, methods))

    def tell(job: Job, point: SweepPoint) -> None:
        known.keep(point)
        publish(job, point)

    def solve(job: Job) -> Sweep:
        told = {"on_point": lambda point: tell(job, point), "on_progress": _part(job, report, 0.0, SOLVING)}
        with _taken_over(known.path):
            return _solved(cov, now, ks, methods, known, job, **told)

    def prove(job: Job, bare: Sweep) -> Sweep:
        return certify_path(
            cov,
            bare,
            known=known.certificate,
            executor=machines.executor(),
            first=first,
            seed=now.seed,
            on_point=lambda point: tell(job, point),
            should_stop=job.should_stop,
            on_progress=_part(job, report, SOLVING, 1.0),
        )

    return solve, prove


def _solved(
    cov: nnspca.Covariance, now: State, ks: Sequence[int], methods: Sequence[str], known: Points, job: Job, **told: Any
) -> Sweep:
    """Return the bare curve; what is known of it is not sought again."""
    return path(
        cov,
        ks,
        tuple(methods),
        nonnegative=now.nonnegative,
        seed=now.seed,
        first=known.rough(),
        known=known.component,
        executor=machines.executor(),
        should_stop=job.should_stop,
        **told,
    )


def begin_ahead(
    cov: nnspca.Covariance, data: Dataset, now: State, ks: Sequence[int], methods: Sequence[str]
) -> Job | None:
    """Solve the bare curve of somebody who is on the way, here: until it is done, or a page goes on with it.

    Return the run, None where the curve is being solved already.
    """
    known = Points(store.curve_key(data, now, ks, methods))
    job = Job(known.path, lambda: job.age < COMING, runs.shared_workers())
    with _both:
        if known.path in _ahead or _solving[known.path]:
            return None
        _ahead[known.path] = job

    def keep(point: SweepPoint) -> None:
        if not job.should_stop():  # what a stopped path carries over to its end is no first word
            known.keep(point)

    job.step_back()
    try:
        job.take_part(lambda job: _solved(cov, now, ks, methods, known, job, on_point=keep))
    finally:
        with _both:
            if _ahead.get(known.path) is job:
                del _ahead[known.path]
    return job


@contextmanager
def _taken_over(path: Hashable) -> Iterator[None]:
    """Let a page go on with a curve that was begun ahead of it: one of them seeks what is left, not both."""
    with _both:
        _solving[path] += 1
        ahead = _ahead.pop(path, None)
    if ahead is not None:
        ahead.stop()
    try:
        yield
    finally:
        with _both:
            _solving[path] -= 1
            if not _solving[path]:
                del _solving[path]


def _part(job: Job, report: Callable[[Job, Progress], None], begin: float, end: float) -> Callable[[Progress], None]:
    """Return a listener for a stage that takes its part of the whole progress."""

    def listen(told: Progress) -> None:
        report(job, replace(told, fraction=begin + (end - begin) * told.fraction))

    return listen
