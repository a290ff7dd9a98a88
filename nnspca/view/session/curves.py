"""The curves of a sweep: the work that publishes their points as they come, and its Run button."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from nnspca._path import certify_path, path
from nnspca.datasets import Dataset
from nnspca.result import Progress, SweepPoint
from nnspca.view.session import runs, store
from nnspca.view.session.runs import Job, Work
from nnspca.view.session.state import State

SOLVING = 0.3  # share of the progress that the bare curve takes


def _key(data: Dataset, now: State, ks: Sequence[int], methods: Sequence[str]) -> tuple[Hashable, ...]:
    """Return the key of one curve."""
    return ("sweep", *store.subject(data, now), tuple(ks), tuple(methods), now.seed)


def start(
    slot: str,
    data: Dataset,
    now: State,
    ks: Sequence[int],
    methods: Sequence[str],
    forget_proofs: Callable[[], None],
) -> Job:
    """Draw Run; return the job of these curves, or end the page here. Run again starts from nothing."""
    key = _key(data, now, ks, methods)

    def forget() -> None:
        store.results().drop(key)
        forget_proofs()

    return runs.run(slot, key, curve(data, now, ks, methods), now, afresh=forget)


def curve(
    data: Dataset,
    now: State,
    ks: Sequence[int],
    methods: Sequence[str],
    publish: Callable[[Job, SweepPoint], None] = Job.publish,
    report: Callable[[Job, Progress], None] = Job.report,
) -> Work:
    """Return the work of one curve: publishes its SweepPoints as they come, or those known already."""
    cov, key = store.covariance(data, now), _key(data, now, ks, methods)
    known = store.results()

    def work(job: Job) -> None:
        points = known.get(key)
        if points is not None:
            for point in points:
                publish(job, point)
            return
        told, stop = functools.partial(publish, job), job.should_stop
        bare = path(
            cov,
            ks,
            tuple(methods),
            nonnegative=now.nonnegative,
            seed=now.seed,
            on_point=told,
            should_stop=stop,
            on_progress=_part(job, report, 0.0, SOLVING),
        )
        done = certify_path(
            cov, bare, seed=now.seed, on_point=told, should_stop=stop, on_progress=_part(job, report, SOLVING, 1.0)
        )
        if not done.stopped:
            known.put(key, done.points)

    return work


def _part(job: Job, report: Callable[[Job, Progress], None], begin: float, end: float) -> Callable[[Progress], None]:
    """Return a listener for a stage that takes its part of the whole progress."""

    def listen(told: Progress) -> None:
        report(job, replace(told, fraction=begin + (end - begin) * told.fraction))

    return listen
