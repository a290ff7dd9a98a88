"""Curves along k: the live run of the portfolio with its upper bounds, and the bare curves of other solvers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, SweepPoint
from nnspca.tasks import coarse_first
from nnspca.view import tasks
from nnspca.view.jobs import machines
from nnspca.view.jobs.job import Job, Work, stretch
from nnspca.view.link.state import State
from nnspca.view.results import known as results
from nnspca.view.results.curves import SOLVING, Curve
from nnspca.view.sources import store
from nnspca.view.tasks import Key, Subject, Task

SMALL = 2000  # features up to which every search is the full one, and every k may get an upper bound
STEPS = 26  # about how many k a path has
CERTIFIED, FEW = 11, 4  # how many of them get an upper bound live in any case, from coarse to fine
WITHIN = 1e-3  # relative gap at which a bound carried from another k suffices
ANCHORS = 9  # of many features, how many k the portfolio searches in full; the others follow from their neighbours
QUICK = {"best": {"restarts": 4, "leaders": 2}}  # where features are many
FIRST = "best alone"  # what the portfolio finds at one k, without its neighbours' help


@dataclass(frozen=True, eq=False)
class Live:
    """What a live run has found so far, by k."""

    parts: dict[int, Component]
    certificates: dict[int, Certificate]


def cardinalities(n: int, usual: int) -> tuple[int, ...]:
    """Return the k of a path on n features: all of few, else some 25 in equal ratios, and the ``usual`` one.

    >>> cardinalities(13, 4)
    (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
    >>> len(cardinalities(625, 40)), len(cardinalities(12582, 40))
    (25, 26)
    """
    if n <= STEPS:
        return tuple(range(1, n + 1))
    spread = {round(n ** (i / (STEPS - 1))) for i in range(STEPS)}
    return tuple(sorted(spread | {2, usual}))


def certified(ks: tuple[int, ...]) -> tuple[int, ...]:
    """Return the k whose upper bounds are proven live in any case: the coarse ones, and 2.

    From a bound for two features, which costs next to nothing, bounds follow at every larger k; from
    one for one feature, none.

    >>> certified(cardinalities(625, 40))
    (1, 2, 4, 8, 17, 37, 62, 133, 289, 625)
    """
    return _coarse(ks, CERTIFIED if ks[-1] <= SMALL else FEW)


def _coarse(ks: tuple[int, ...], most: int) -> tuple[int, ...]:
    """About ``most`` of these k, from coarse to fine; all of few."""
    if ks[-1] <= STEPS:  # each takes next to no time
        return ks
    chosen = {2} & set(ks)
    for level in coarse_first(ks):
        if len(chosen | set(level)) > most + 1:
            break
        chosen |= set(level)
    return tuple(sorted(chosen))


def _without_stored_proof(data: Dataset, now: State, ks: tuple[int, ...]) -> set[int]:
    """The k without a stored proof of their own: of all k, or of the coarse ones of many features."""
    rows = results.along(data, now, ks if data.n_features <= SMALL else _coarse(ks, CERTIFIED))
    return {k for k, row in rows.items() if not (row.proven and row.stored)}


def start(data: Dataset, now: State, ks: tuple[int, ...], page: Job) -> Job:
    """Return the session's live run along these k, started where there is none.

    It publishes each SweepPoint when solved and again when certified; what is known is used. ``page`` is
    the run for the k that is shown: it goes first, and its component is not sought twice.
    """
    return tasks.ask(Task("path", _key(data, now, ks), lambda: _live(data, now, ks, page), after=page))


def _key(data: Dataset, now: State, ks: tuple[int, ...]) -> Key:
    return Subject(data, now).along("path", now.seed, ks)


def _live(data: Dataset, now: State, ks: tuple[int, ...], page: Job) -> Work:
    cov, curve = store.covariance(data, now), Curve(_key(data, now, ks), data, now)
    first_proven = certified(ks)
    proven = {*first_proven, *_without_stored_proof(data, now, ks)}

    def work(job: Job) -> None:
        sought = page.arrived[0] if page.arrived and page.arrived[0].method == "best" else None
        first = (
            curve.component(now.k, FIRST)
            or sought
            or machines.call(
                nnspca.solve, cov, now.k, nonnegative=now.nonnegative, seed=now.seed, should_stop=job.should_stop
            )
        )
        curve.keep(SweepPoint(now.k, FIRST, first))
        results.record(data, now, first)
        job.publish(SweepPoint(now.k, "best", first))
        bare = curve.solve(
            job,
            job.publish,
            ks,
            anchors=ANCHORS if data.n_features > SMALL else None,
            options=QUICK if data.n_features > SMALL else None,
            on_progress=stretch(job.report, 0.0, SOLVING, lambda at: f"Drawing the curve: {at.partition(':')[0]}"),
        )
        job.deprioritise()  # what is asked for at one k goes before the band
        curve.prove(
            job,
            job.publish,
            replace(bare, stopped=False),
            ks=proven,
            first=first_proven,
            within=WITHIN,
            on_progress=stretch(job.report, SOLVING, 1.0, lambda at: f"Proving upper bounds: {at.partition(':')[0]}"),
        )

    return work


def start_others(data: Dataset, now: State, ks: tuple[int, ...], methods: tuple[str, ...], page: Job) -> Job | None:
    """Return the run of the other solvers' curves, started where there is none; None where there are no others."""
    if not methods:
        return None
    key = Subject(data, now).along("sweep", now.seed, ks, methods)
    curve = Curve(key, data, now)

    def work(job: Job) -> None:
        curve.solve(job, job.publish, ks, methods=methods, on_progress=job.report)

    return tasks.ask(Task("curves", key, lambda: work, after=page))


def forget(data: Dataset, now: State, ks: tuple[int, ...], methods: tuple[str, ...]) -> None:
    """Throw the live runs along these k away: the next ones start from nothing."""
    curve = Curve(_key(data, now, ks), data, now)
    curve.forget(ks, ("best",))
    curve.forget((now.k,), (FIRST,))
    Curve(Subject(data, now).along("sweep", now.seed, ks, methods), data, now).forget(ks, methods)
    tasks.drop("path")
    tasks.drop("curves")


def live(job: Job) -> Live:
    """Return the last word of the live run on each k."""
    points: tuple[SweepPoint, ...] = job.arrived
    return Live({p.k: p.component for p in points}, {p.k: p.certificate for p in points if p.certificate is not None})


def by_solver(job: Job | None) -> dict[str, dict[int, Component]]:
    """Return what the other solvers have found so far, by solver and k."""
    components: dict[str, dict[int, Component]] = {}
    for point in job.arrived if job is not None else ():
        components.setdefault(point.method, {})[point.k] = point.component
    return components
