"""The parts page's runs: several components by each solver, what is proven of them together, and of each alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import nnspca
from nnspca.components import deflated_problem
from nnspca.datasets import Dataset
from nnspca.result import Component, Components, PartsCertificate, Progress
from nnspca.solvers import nmf
from nnspca.view import cache
from nnspca.view.jobs import machines, runs
from nnspca.view.jobs.job import Job, stretch
from nnspca.view.link.state import State
from nnspca.view.parts import together
from nnspca.view.parts.choices import BEST, DISJOINT, IN_TURN, JOINT, TOGETHER, Choices, title_of
from nnspca.view.results.ledger import Known
from nnspca.view.sources import store

PROOF = "certificate"  # under this name the lead's joint certificate is published


def _key(data: Dataset, now: State, choice: Choices) -> tuple[Hashable, ...]:
    return ("parts", *store.subject_key(data, now), now.k, now.d, now.seed, choice)


def _part_key(data: Dataset, now: State, choice: Choices, way: str) -> tuple[Hashable, ...]:
    return ("part", *_key(data, now, choice)[1:-1], way, arguments(way, choice, now), choice.r)


def start(data: Dataset, now: State, choice: Choices) -> Job:
    """Draw Solve live; return the page's job: it publishes (name, Components) of each way, and the joint certificate.

    What is quickest comes first: parts found one after the other, then jointly, then what is proven
    of them. It reads nothing that comes with the package.
    """
    cov, known = store.covariance(data, now), cache.results()
    order = [*([IN_TURN] if choice.compares else ()), *choice.with_]
    order.insert(1 + choice.compares, PROOF)

    def work(job: Job) -> None:
        results: dict[str, Components] = {}
        for number, way in enumerate(order):
            listen = stretch(job.report, number / len(order), (number + 1) / len(order))
            if way == PROOF:
                if together.applies(results.get(choice.lead)):
                    lead = results[choice.lead]
                    job.publish((PROOF, together.first_proof(cov, data, now, choice.r, lead, job, listen)))
                continue
            about = _part_key(data, now, choice, way)
            done = known.get(about)
            if done is None and not job.should_stop():
                if way == "nmf" and of_samples(data, now):
                    done = nmf.of_samples(data.X, cov, choice.r, seed=now.seed, should_stop=job.should_stop)
                else:
                    done = _decomposed(cov, way, choice, now, job, listen)
                if not done.stopped:
                    known.put(about, done)
            if done is not None:
                results[way] = done
                together.record(data, now, done)
                job.publish((way, done))

    def afresh() -> None:
        for way in choice.ways:
            cache.results().drop(_part_key(data, now, choice, way))
        together.forget(data, now, choice.r)

    return runs.run("parts", _key(data, now, choice), lambda: work, afresh=afresh)


def of_samples(data: Dataset, now: State) -> bool:
    """Tell whether NMF can take the samples themselves apart: they are nonnegative, and as they are."""
    return data.kind != "covariance" and not now.standardise and bool(data.X.min() >= 0)


def _decomposed(
    cov: nnspca.Covariance, way: str, choice: Choices, now: State, job: Job, listen: Callable[[Progress], None]
) -> Components:
    solver, title = choice.lead if way == IN_TURN else way, title_of(way, choice)
    return machines.call(
        nnspca.decompose,
        cov,
        choice.r,
        now.k,
        solver,
        nonnegative=now.nonnegative and solver != "pca",
        seed=now.seed,
        should_stop=job.should_stop,
        on_progress=stretch(listen, 0.0, 1.0, lambda at: f"{title}: {at}"),
        **dict(arguments(way, choice, now)),
    )


def arguments(way: str, choice: Choices, now: State) -> tuple[tuple[str, Any], ...]:
    """Return what the solver of a way is called with besides k and seed."""
    solver = choice.lead if way == IN_TURN else way
    deflation = DISJOINT if way == IN_TURN else choice.apart_for(solver)
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


def parts_by_way(job: Job, choice: Choices, known: Known, total: float) -> dict[str, Components]:
    """Return the parts by way, in the page's order: the best known ones first where the page is about those."""
    came = dict(job.arrived)
    if choice.best and known.components:
        came[choice.lead] = best_known(known, total, came.get(choice.lead))
    return {way: came[way] for way in choice.ways if way in came}


def best_known(known: Known, total: float, live: Components | None) -> Components:
    """Return the best parts of the ledger as a decomposition: the live run's own where those are they."""
    if live is not None and math.fsum(live.variances) >= known.lower:
        return live
    cumulative = np.cumsum([part.variance for part in known.components])
    return Components(known.components, cumulative, total, BEST, TOGETHER, known.components[0].nonnegative)


def certificate(job: Job, data: Dataset, now: State, known: Known) -> PartsCertificate | None:
    """Return what live runs have proven of the best parts known; None before."""
    first = dict(job.arrived).get(PROOF)
    if first is None:
        return None
    tight = together.tightest(first, data, now)
    return replace(tight, parts=known.components, lower=known.lower) if known.lower > tight.lower else tight


def prove(results: Mapping[str, Components], data: Dataset, now: State, choice: Choices) -> Job:
    """Return the job that proves each part alone, started where it is not yet: it publishes Certificates."""
    parts = next(p for p in results.values() if provable(p))
    key = ("parts-proof", *_key(data, now, choice), float(parts.variances.sum()))
    cov = store.covariance(data, now)

    def work(job: Job) -> None:
        for r in range(len(parts.parts)):
            if job.should_stop():
                return
            job.report(Progress(r / len(parts.parts), f"part {r + 1} of {len(parts.parts)}"))
            left, own = alone(cov, parts, r)
            job.publish(
                machines.call(
                    nnspca.certify,
                    left,
                    own.k,
                    nonnegative=own.nonnegative,
                    component=own,
                    seed=now.seed,
                    should_stop=job.should_stop,
                )
            )

    return runs.job_for("parts-proof", key) or runs.start("parts-proof", key, work)


def alone(cov: nnspca.Covariance, parts: Components, r: int) -> tuple[nnspca.Covariance, Component]:
    """Return what part r can be held against on its own, and the part as it stands there.

    Where parts are found together, it is the features that the other parts leave free.
    """
    if parts.deflation != TOGETHER:
        return deflated_problem(cov, parts, r)
    others, part = np.delete(parts.loadings, r, axis=1), parts.parts[r]
    left = nnspca.deflate(cov, others, DISJOINT)
    x = part.loadings[~others.any(axis=1)]
    return left, replace(part, loadings=x, variance=left.variance(x), k=min(part.k, left.n_features))


def provable(parts: Components) -> bool:
    """Tell whether every part was sought alone, so that an upper bound speaks about it."""
    return parts.deflation not in (JOINT, "quasi-orthogonal") and nnspca.METHODS[parts.method].feasible
