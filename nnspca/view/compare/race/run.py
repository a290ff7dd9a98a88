"""Run of a race: its standing as it changes, each component and upper bound written to the ledger, and its end."""

from __future__ import annotations

from collections.abc import Hashable

from nnspca.datasets import Dataset
from nnspca.result import Progress, wording
from nnspca.studies import race
from nnspca.studies.race_state import RUNNING, Race
from nnspca.view import cache
from nnspca.view.compare.race.choices import Choices
from nnspca.view.jobs import machines, runs
from nnspca.view.jobs.job import Job
from nnspca.view.link.state import State
from nnspca.view.results import known
from nnspca.view.sources import store


def start(data: Dataset, now: State, choice: Choices) -> Job:
    """Draw the button that solves live; return the page's job, or end the page here.

    Its work keeps the standing in ``about``, and publishes the race once it has ended.
    """
    key = ("race", *store.subject_key(data, now), now.k, now.d, now.seed, choice.racers, choice.limit)
    cov, results = store.covariance(data, now), cache.results()

    def work(job: Job) -> None:
        write = _writer(data, now)

        def look(standing: Race) -> None:
            write(standing)
            if any(lane.marks or lane.state != RUNNING for lane in standing.lanes):  # until then nothing can be drawn
                job.about = standing
            job.report(Progress(standing.fraction, _stage(standing)))

        ended = results.get(key) or machines.call(
            race,
            cov,
            now.k,
            choice.racers,
            nonnegative=now.nonnegative,
            seed=now.seed,
            options=choice.options(now),
            seconds=choice.limit,
            should_stop=job.should_stop,
            here=True,
            on_look=look,
        )
        write(ended)
        if not ended.stopped:
            results.put(key, ended)
        job.publish(ended)

    return runs.run("race", key, lambda: work, afresh=lambda: results.drop(key))


def _writer(data: Dataset, now: State):
    """Return what writes to the ledger each better component and each lower upper bound of a race."""
    best, lowest = 0.0, float("inf")

    def write(standing: Race) -> None:
        nonlocal best, lowest
        lane = max(standing.lanes, key=lambda lane: lane.variance)
        if lane.variance > best and (component := standing.component(lane.method)) is not None:
            best = lane.variance
            known.record(data, now, component)
        if standing.upper is not None and standing.upper < lowest:
            lowest = standing.upper
            known.record_upper(data, now, now.k, lowest)

    return write


def _stage(standing: Race) -> str:
    count = sum(lane.state == RUNNING for lane in standing.lanes)
    running = [wording.plural(count, "solver")] if count else []
    return "Running: " + " and ".join([*running, *(["the proof"] if standing.proof_state == RUNNING else [])])


def news(job: Job) -> Hashable:
    """Return what changes whenever the race has something new to draw."""
    return len(job.arrived), job.progress.fraction if job.about is not None else 0.0


def standing(job: Job) -> Race | None:
    """Return the race as it is known now."""
    return job.arrived[0] if job.arrived else job.about
