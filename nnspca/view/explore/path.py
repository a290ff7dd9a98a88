"""The path that k is played along: which k, how it is computed once for all sessions, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Progress, SweepPoint
from nnspca.tasks import certify_path, path
from nnspca.tasks.levels import coarse_first
from nnspca.view.session import machines, runs, store
from nnspca.view.session.curves import Points
from nnspca.view.session.job import Job, Work
from nnspca.view.session.state import State

SMALL = 2000  # features up to which k runs finely, and every search is the full one
STEPS = 26  # about how many k a path has
CERTIFIED, FEW = 11, 4  # and how many of them get a ceiling, from coarse to fine
ANCHORS = 9  # of these k, ``best`` searches in full; the others follow from their neighbours
QUICK = {"best": {"restarts": 4, "leaders": 2}}  # where features are many
FIRST = "best alone"  # what ``best`` finds at one k, without its neighbours' help
SOLVING = 0.3  # share of the progress that the bare curve takes


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a path by now, by k."""

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
    """Return the k whose ceilings are proven: the coarse ones, as many as a visit has time for, and 2.

    From one for two features, which costs next to nothing, ceilings follow at every larger k; from
    one for one, none.

    >>> certified(cardinalities(625))
    (1, 2, 5, 11, 20, 42, 77, 162, 296, 625)
    """
    most = CERTIFIED if ks[-1] <= SMALL else FEW
    chosen = {2} & set(ks)
    for level in coarse_first(ks):
        if len(chosen | set(level)) > most + 1:
            break
        chosen |= set(level)
    return tuple(sorted(chosen))


def start(data: Dataset, now: State, page: Job) -> Job:
    """Return the session's job of this path, started where there is none.

    ``page`` seeks and proves what the person looks at: that goes before, and is not sought twice.
    """
    key = _key(data, now)
    return runs.job_for("path", key) or runs.start("path", key, _work(data, now, page), after=page)


def _key(data: Dataset, now: State) -> tuple[Hashable, ...]:
    return ("path", *store.subject_key(data, now), now.seed)


def _work(data: Dataset, now: State, page: Job) -> Work:
    """Return the work: publishes each SweepPoint when solved and again when certified; what is known is used."""
    cov, known = store.covariance(data, now), Points(_key(data, now))
    ks = cardinalities(data.n_features)

    def staged(job: Job, doing: str, begin: float, end: float) -> Callable[[Progress], None]:
        def listen(told: Progress) -> None:
            job.report(Progress(begin + (end - begin) * told.fraction, f"{doing}: {told.stage.partition(':')[0]}"))

        return listen

    def work(job: Job) -> None:
        def tell(point: SweepPoint) -> None:
            known.keep(point)
            job.publish(point)

        sought = page.arrived[0] if page.arrived and page.arrived[0].method == "best" else None
        first = (
            known.component(now.k, FIRST)
            or sought
            or machines.call(
                nnspca.solve, cov, now.k, nonnegative=now.nonnegative, seed=now.seed, should_stop=job.should_stop
            )
        )
        known.keep(SweepPoint(now.k, FIRST, first))
        job.publish(SweepPoint(now.k, "best", first))
        bare = path(
            cov,
            ks,
            nonnegative=now.nonnegative,
            seed=now.seed,
            anchors=ANCHORS,
            options=QUICK if data.n_features > SMALL else None,
            known=known.component,
            executor=machines.executor(),
            on_point=tell,
            should_stop=job.should_stop,
            on_progress=staged(job, "Drawing the curve", 0.0, SOLVING),
        )
        job.step_back()  # whoever waits for a number goes before the band
        certify_path(
            cov,
            replace(bare, stopped=False),
            ks=certified(ks),
            known=known.certificate,
            executor=machines.executor(),
            first=True,
            seed=now.seed,
            on_point=tell,
            should_stop=job.should_stop,
            on_progress=staged(job, "Proving the band", SOLVING, 1.0),
        )

    return work


def known_by(job: Job) -> Known:
    """Return the last word of the job on each k."""
    points: tuple[SweepPoint, ...] = job.arrived
    return Known({p.k: p.component for p in points}, {p.k: p.certificate for p in points if p.certificate is not None})
