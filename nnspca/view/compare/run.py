"""The compare page's run, cheapest data first: what they promise, their bare curves, and what is proven of them."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from nnspca.datasets import Dataset
from nnspca.result import Progress, Sweep, SweepPoint
from nnspca.studies import comparison
from nnspca.studies.comparison import Profile
from nnspca.view.compare.choices import Choices
from nnspca.view.session import curves, runs, store
from nnspca.view.session.job import Job, Work
from nnspca.view.session.state import State

WIDE = 2000  # features above which even the bare curve waits until the others are proven
AT_ONCE = 2  # data sets whose proofs are made side by side: at the end of each curve one thread has nothing to do


@dataclass(frozen=True)
class Found:
    """What is known by now of one data set.

    Attributes
    ----------
    about : Profile
    points : tuple of SweepPoint
    asked : int
        How many values of k there are to prove.
    """

    about: Profile
    points: tuple[SweepPoint, ...]
    asked: int = 0

    @property
    def proven(self) -> int:
        """How many values of k are proven."""
        return len({p.k for p in self.points if p.certificate is not None})

    @property
    def finished(self) -> bool:
        """Whether every value of k is proven: only then is a data set ranked."""
        return 0 < self.asked == self.proven


def start(sets: tuple[Dataset, ...], choice: Choices, now: State) -> Job:
    """Draw Run; return the page's job, or end the page here."""
    return runs.run("compare", _key(sets, choice, now), lambda: work(sets, choice, now))


def _key(sets: tuple[Dataset, ...], choice: Choices, now: State) -> tuple[Hashable, ...]:
    """Return the key of one view of the page."""
    return ("compare", tuple(store.subject_key(data, now) for data in sets), choice.by, choice.shares, now.seed)


def first(sets: tuple[Dataset, ...], choice: Choices) -> int:
    """Return how many things make a picture: what the smallest data set promises, its curves, and two proven points."""
    ks = len(comparison.cardinalities(min(data.n_features for data in sets), choice.shares))
    return 1 + ks * (len(choice.by) + ("best" in choice.by)) + min(ks, 2)


def cheapest_first(data: tuple[Dataset, ...]) -> list[Dataset]:
    """Return the data sets in the order in which they are worked through."""
    return sorted(data, key=lambda one: one.n_features)


def work(sets: tuple[Dataset, ...], choice: Choices, now: State) -> Work:
    """Return the work of the page: publishes (data set, Profile) and (data set, SweepPoint) as they come."""
    shared = _Shared(len(sets))
    ways = {data.name: _Way(data, choice, now, shared) for data in sets}
    ordered = cheapest_first(sets)
    rounds = [[d for d in ordered if d.n_features <= WIDE], [d for d in ordered if d.n_features > WIDE]]

    def work_through(job: Job) -> None:
        for together in rounds:
            with ThreadPoolExecutor(AT_ONCE) as threads:  # the proofs of one while the curve of the next is solved
                tasks = [
                    threads.submit(way.prove, job, bare)
                    for way in (ways[data.name] for data in together)
                    if (bare := way.begin(job)) is not None
                ]
            for task in tasks:
                task.result()

    return work_through


class _Shared:
    """What the data sets proven side by side have in common: one line of arrivals, one progress."""

    def __init__(self, count: int):
        self._lock = threading.Lock()
        self._fractions: dict[str, float] = {}
        self._count = count

    def publish(self, job: Job, name: str, thing: Profile | SweepPoint) -> None:
        """Hand something over, one thread at a time."""
        with self._lock:
            job.publish((name, thing))

    def report(self, job: Job, data: Dataset, told: Progress) -> None:
        """Tell a data set's progress as a share of all of them."""
        with self._lock:
            self._fractions[data.name] = max(told.fraction, self._fractions.get(data.name, 0.0))
            share = sum(self._fractions.values()) / self._count
            job.report(replace(told, fraction=share, stage=f"{data.title}: {told.stage}"))


class _Way:
    """One data set's way through the page's work."""

    def __init__(self, data: Dataset, choice: Choices, now: State, shared: _Shared):
        self._data, self._now, self._shared = data, now, shared
        self._cov = store.covariance(data, now)
        self._kept = store.results()
        self._solve, self._prove = curves.stages(
            data,
            now,
            comparison.cardinalities(data.n_features, choice.shares),
            choice.by,
            lambda job, point: shared.publish(job, data.name, point),
            lambda job, told: shared.report(job, data, told),
        )

    def begin(self, job: Job) -> Sweep | None:
        """Publish what the data promise and their bare curve; None when stopped."""
        key = ("profile", *store.subject_key(self._data, self._now))
        about = self._kept.get(key) or comparison.profile(self._data, self._cov, should_stop=job.should_stop)
        if about is None:
            return None
        self._kept.put(key, about)
        self._shared.publish(job, self._data.name, about)
        return None if job.should_stop() else self._solve(job)

    def prove(self, job: Job, bare: Sweep) -> None:
        """Publish the curve's points with what is proven of them."""
        if not job.should_stop():
            self._prove(job, bare)


def found(job: Job, sets: tuple[Dataset, ...], choice: Choices) -> dict[str, Found]:
    """Return what the job has handed over, by data set as chosen; a certified point replaces the bare one."""
    profiles: dict[str, Profile] = {}
    points: dict[str, dict[tuple[int, str], SweepPoint]] = {}
    for name, thing in list(job.arrived):
        if isinstance(thing, Profile):
            profiles[name] = thing
        else:
            points.setdefault(name, {})[thing.k, thing.method] = thing
    return {
        data.name: Found(
            profiles[data.name],
            tuple(points.get(data.name, {}).values()),
            len(comparison.cardinalities(data.n_features, choice.shares)),
        )
        for data in sets
        if data.name in profiles
    }
