"""The race page's run: the race as it stands, again and again, and as it ended."""

from __future__ import annotations

from collections.abc import Hashable

from nnspca.datasets import Dataset
from nnspca.result import Progress
from nnspca.studies import race
from nnspca.studies.standing import RUNNING, Race
from nnspca.view.compare.race.choices import Choices
from nnspca.view.session import machines, runs, store
from nnspca.view.session.job import Job, Work
from nnspca.view.session.state import State


def start(data: Dataset, now: State, choice: Choices) -> Job:
    """Draw Run; return the page's job, or end the page here. Run again starts a new race."""
    key = _key(data, now, choice)
    return runs.run("race", key, lambda: _work(data, now, choice), afresh=lambda: store.results().drop(key))


def _key(data: Dataset, now: State, choice: Choices) -> tuple[Hashable, ...]:
    """Return the key of one race."""
    return ("race", *store.subject_key(data, now), now.k, now.d, now.seed, choice.racers, choice.limit)


def _work(data: Dataset, now: State, choice: Choices) -> Work:
    """Return the work of the page: keeps the standing in ``about``, and publishes the race once it has ended."""
    cov, key, known = store.covariance(data, now), _key(data, now, choice), store.results()

    def work(job: Job) -> None:
        def look(standing: Race) -> None:
            if any(lane.marks or lane.state != RUNNING for lane in standing.lanes):  # until then nothing can be drawn
                job.about = standing
            job.report(Progress(standing.fraction, _stage(standing)))

        ended = known.get(key) or machines.call_here(
            race,
            cov,
            now.k,
            choice.racers,
            nonnegative=now.nonnegative,
            seed=now.seed,
            options=choice.options(now),
            seconds=choice.limit,
            should_stop=job.should_stop,
            on_look=look,
        )
        if not ended.stopped:
            known.put(key, ended)
        job.publish(ended)

    return work


def _stage(standing: Race) -> str:
    """Say who still runs."""
    running = [lane.method for lane in standing.lanes if lane.state == RUNNING]
    proving = ["the proof of the ceiling"] if standing.proof_state == RUNNING else []
    return "Running: " + ", ".join([*running, *proving])


def standing(job: Job) -> Race | None:
    """Return the race as it is known now."""
    return job.arrived[0] if job.arrived else job.about
