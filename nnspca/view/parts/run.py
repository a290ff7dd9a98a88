"""The parts page's runs: several components by each solver, and the proof of each part."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import nnspca
from nnspca.components.deflate import sought
from nnspca.datasets import Dataset
from nnspca.result import Components, Progress
from nnspca.solvers import nmf
from nnspca.view.parts.choices import JOINT, Choices
from nnspca.view.session import runs, store
from nnspca.view.session.runs import Job, Work
from nnspca.view.session.state import State


def _key(data: Dataset, now: State, choice: Choices) -> tuple[Hashable, ...]:
    """Return the key of one view of the page."""
    return ("parts", *store.subject(data, now), now.k, now.d, now.seed, choice)


def _work(data: Dataset, now: State, choice: Choices) -> Work:
    """Return the work of the page: publishes (solver, Components) for each solver, growing part by part."""
    cov, known = store.covariance(data, now), store.results()

    def work(job: Job) -> None:
        for number, solver in enumerate(choice.with_):
            about = ("part", *_key(data, now, choice)[1:-1], solver, arguments(solver, choice, now), choice.r)
            done = known.get(about)
            if done is None and not job.should_stop():
                if solver == "nmf" and of_samples(data, now):
                    done = nmf.of_samples(data.X, cov, choice.r, seed=now.seed, should_stop=job.should_stop)
                else:
                    done = _decomposed(cov, solver, choice, now, job, number)
                if not done.stopped:
                    known.put(about, done)
            if done is not None:
                job.publish((solver, done))

    return work


def start(data: Dataset, now: State, choice: Choices) -> Job:
    """Draw Run; return the page's job, or end the page here."""
    return runs.run("parts", _key(data, now, choice), _work(data, now, choice), now)


def of_samples(data: Dataset, now: State) -> bool:
    """Tell whether NMF can take the samples themselves apart: they are nonnegative, and as they are."""
    return data.kind != "covariance" and not now.standardise and bool(data.X.min() >= 0)


def _decomposed(cov: nnspca.Covariance, solver: str, choice: Choices, now: State, job: Job, number: int) -> Components:
    """Run one solver, its progress told as a share of all of them."""
    title = nnspca.METHODS[solver].title

    def listen(told: Progress) -> None:
        job.report(Progress((number + told.fraction) / len(choice.with_), f"{title}: {told.stage}"))

    return nnspca.decompose(
        cov,
        choice.r,
        now.k,
        solver,
        nonnegative=now.nonnegative and solver != "pca",
        seed=now.seed,
        should_stop=job.should_stop,
        on_progress=listen,
        **dict(arguments(solver, choice, now)),
    )


def arguments(solver: str, choice: Choices, now: State) -> tuple[tuple[str, Any], ...]:
    """Return what a solver is called with besides k and seed."""
    deflation = choice.apart_for(solver)
    chosen: dict[str, Any] = {"deflation": deflation}
    if deflation == "quasi-orthogonal":
        chosen["min_angle"] = choice.angle
    if any(option.name == "rank" for option in nnspca.METHODS[solver].options):
        chosen["rank"] = now.d
    if solver == "coordinate-descent" and deflation == JOINT:
        chosen |= {"alpha": choice.alpha, "match_k": choice.match, "restarts": 1}
        if not choice.match:
            chosen["beta"] = choice.beta
    return tuple(chosen.items())


def found(job: Job) -> dict[str, Components]:
    """Return what the job has handed over, by solver."""
    return dict(job.arrived)


def prove(results: Mapping[str, Components], data: Dataset, now: State, choice: Choices) -> Job:
    """Return the job that proves each part, started where it is not yet."""
    key = ("parts-proof", *_key(data, now, choice))
    return runs.job_for("parts-proof", key) or runs.start("parts-proof", key, _proof(results, data, now))


def _proof(results: Mapping[str, Components], data: Dataset, now: State) -> Work:
    """Return the work of proving each part of the first provable solver: publishes Certificates."""
    cov = store.covariance(data, now)
    parts = next(p for p in results.values() if provable(p))

    def work(job: Job) -> None:
        for r in range(len(parts.parts)):
            if job.should_stop():
                return
            job.report(Progress(r / len(parts.parts), f"part {r + 1} of {len(parts.parts)}"))
            left, own = sought(cov, parts, r)
            job.publish(
                nnspca.certify(
                    left,
                    own.k,
                    nonnegative=own.nonnegative,
                    component=own,
                    seed=now.seed,
                    should_stop=job.should_stop,
                )
            )

    return work


def provable(parts: Components) -> bool:
    """Tell whether every part was sought alone, so that a ceiling speaks about it."""
    return parts.deflation not in (JOINT, "together", "quasi-orthogonal") and nnspca.METHODS[parts.method].feasible
