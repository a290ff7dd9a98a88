"""The compare page's run: what each data set promises, then its curves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from nnspca.result import Progress, SweepPoint
from nnspca.studies import comparison
from nnspca.studies.comparison import Profile
from nnspca.view.compare.choices import Choices
from nnspca.view.session import curves, runs, store
from nnspca.view.session.runs import Job, Work
from nnspca.view.session.state import State


@dataclass(frozen=True)
class Found:
    """What is known by now of one data set."""

    about: Profile
    points: tuple[SweepPoint, ...]


def start(choice: Choices, now: State) -> Job:
    """Draw Run; return the page's job, or end the page here."""
    return runs.run("compare", _key(choice, now), work(choice, now), now)


def _key(choice: Choices, now: State) -> tuple[Hashable, ...]:
    """Return the key of one view of the page."""
    return ("compare", tuple(store.subject(data, now) for data in choice.vs), choice.by, choice.shares, now.seed)


def work(choice: Choices, now: State) -> Work:
    """Return the work of the page: publishes (data set, Profile) and (data set, SweepPoint) as they come."""
    covariances = [store.covariance(data, now) for data in choice.vs]
    sweeps = [_curve(choice, now, at) for at in range(len(choice.vs))]
    known = store.results()

    def work_through(job: Job) -> None:
        for data, cov, curve in zip(choice.vs, covariances, sweeps, strict=True):
            subject = store.subject(data, now)
            about = known.get(("profile", *subject)) or comparison.profile(data, cov, should_stop=job.should_stop)
            if about is None:
                return
            known.put(("profile", *subject), about)
            job.publish((data.name, about))
            curve(job)
            if job.should_stop():
                return

    return work_through


def _curve(choice: Choices, now: State, at: int) -> Work:
    """Return the work of one data set's curves, its progress told as a share of all of them."""
    data = choice.vs[at]

    def publish(job: Job, point: SweepPoint) -> None:
        job.publish((data.name, point))

    def report(job: Job, told: Progress) -> None:
        share = (at + told.fraction) / len(choice.vs)
        job.report(replace(told, fraction=share, stage=f"{data.title}: {told.stage}"))

    ks = comparison.cardinalities(data.n_features, choice.shares)
    return curves.curve(data, now, ks, choice.by, publish, report)


def found(job: Job) -> dict[str, Found]:
    """Return what the job has handed over, by data set; a certified point replaces the bare one."""
    profiles: dict[str, Profile] = {}
    points: dict[str, dict[tuple[int, str], SweepPoint]] = {}
    for name, thing in list(job.arrived):
        if isinstance(thing, Profile):
            profiles[name] = thing
        else:
            points.setdefault(name, {})[thing.k, thing.method] = thing
    return {name: Found(about, tuple(points.get(name, {}).values())) for name, about in profiles.items()}
