"""The parts page's runs: several components by each solver, what is proven of them together, and of each alone."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, PartsCertificate, PartsPoint, Progress
from nnspca.solvers import nmf
from nnspca.view import cache, tasks
from nnspca.view.certificate.proofs import Fall, lowest
from nnspca.view.jobs import machines
from nnspca.view.jobs.job import Job, Work, stretch
from nnspca.view.link.state import State
from nnspca.view.parts.choices import BEST, DISJOINT, IN_TURN, JOINT, TOGETHER, Choices, title_of
from nnspca.view.results import known
from nnspca.view.results.ledger import Known
from nnspca.view.robust.need import alone, provable
from nnspca.view.sources import store
from nnspca.view.tasks import Key, Subject, Task

PROOF = "certificate"  # under this name the lead's joint certificate is published


def _part_key(data: Dataset, now: State, choice: Choices, way: str) -> Key:
    return Subject(data, now).key("part", now.d, way, arguments(way, choice, now), choice.r)


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
                if applies(results.get(choice.lead)):
                    lead = results[choice.lead]
                    job.publish((PROOF, first_proof(cov, data, now, choice.r, lead, job, listen)))
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
                record(data, now, done)
                job.publish((way, done))

    def afresh() -> None:
        for way in choice.ways:
            cache.results().drop(_part_key(data, now, choice, way))
        forget(data, now, choice.r)

    key = Subject(data, now).key("parts", now.d, choice)
    return tasks.ask(Task("parts", key, lambda: work, afresh), tasks.solve())


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
        chosen |= {"alpha": choice.alpha, "match_k": True, "restarts": 1}
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
    tight = tightest(first, data, now)
    return replace(tight, parts=known.components, lower=known.lower) if known.lower > tight.lower else tight


def prove(results: Mapping[str, Components], data: Dataset, now: State, choice: Choices) -> Job:
    """Return the job that proves each part alone, started where it is not yet: it publishes Certificates."""
    parts = next(p for p in results.values() if provable(p))
    key = Subject(data, now).key("parts-proof", now.d, choice, float(parts.variances.sum()))
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

    return tasks.ask(Task("parts-proof", key, lambda: work))


def applies(parts: Components | None) -> bool:
    """Tell whether a joint certificate speaks about these parts: no feature in two, and at most k in each."""
    return parts is not None and parts.deflation in (TOGETHER, DISJOINT) and bool(nnspca.METHODS[parts.method].feasible)


def record(data: Dataset, now: State, parts: Components) -> None:
    """Enter disjoint parts into the ledger; the first few of them are a find for their number too."""
    if applies(parts):
        for r in range(1, len(parts.parts) + 1):
            known.ledger().record_parts(known.problem(data, now), now.k, r, parts.parts[:r])


def joined(first: PartsCertificate, second: PartsCertificate) -> PartsCertificate:
    """Return the first certificate's parts with the lower of each bound of two."""
    upper, bounds = lowest(first, second)
    return replace(first, upper=upper, bounds=bounds)


def _tightest_key(data: Dataset, now: State, r: int) -> Key:
    """Return the key of the lowest upper bound: it speaks about the problem, whichever parts are held against it."""
    return Subject(data, now).along("tightest-parts", now.k, r)


def tightest(certificate: PartsCertificate, data: Dataset, now: State) -> PartsCertificate:
    """Return a certificate with its upper bound as low as a run has ever brought it."""
    other = cache.results().get(_tightest_key(data, now, certificate.n_components))
    return certificate if other is None else joined(certificate, other)


def forget(data: Dataset, now: State, r: int) -> None:
    """Forget the proof of r parts, so that the next run starts from nothing."""
    cache.results().drop(_tightest_key(data, now, r))


def _keep(certificate: PartsCertificate, data: Dataset, now: State) -> PartsCertificate:
    """Keep a certificate where it is the tightest, and enter it into the ledger."""
    best = tightest(certificate, data, now)
    cache.results().put(_tightest_key(data, now, certificate.n_components), best)
    known.record(data, now, best)
    return best


def first_proof(
    cov: nnspca.Covariance,
    data: Dataset,
    now: State,
    r: int,
    parts: Components,
    job: Job,
    listen: Callable[[Progress], None],
) -> PartsCertificate:
    """Prove an upper bound for r parts in some seconds, from the parts found, unless a run has proven one already."""
    proven = cache.results().get(_tightest_key(data, now, r))
    if proven is not None and not proven.stopped:
        own = tuple(replace(part, k=now.k, variance=cov.variance(part.loadings)) for part in parts.parts)
        return replace(proven, parts=own, lower=float(sum(part.variance for part in own)))
    certificate = machines.call(
        nnspca.certify_parts,
        cov,
        r,
        now.k,
        parts,
        nonnegative=now.nonnegative,
        seed=now.seed,
        should_stop=job.should_stop,
        on_progress=stretch(listen, 0.0, 1.0, lambda _: "Computing the upper bound for all parts together"),
    )
    return _keep(certificate, data, now)


def tightening(certificate: PartsCertificate, data: Dataset, now: State) -> Task:
    """Return the task of proving a lower bound on all parts, as long as it gains; it publishes the Fall."""
    about = now.k, certificate.n_components, round(certificate.lower, 12)
    key = Subject(data, now).along("tighten-parts", *about)
    return Task("tighten-parts", key, lambda: _tighten(certificate, store.covariance(data, now), data, now))


def _tighten(certificate: PartsCertificate, cov: nnspca.Covariance, data: Dataset, now: State) -> Work:

    def work(job: Job) -> None:
        job.about, start = certificate.k, time.monotonic()

        def listen(progress: Progress) -> None:
            name = progress.stage.removeprefix("bound ").strip("“”")
            title = nnspca.PARTS_BOUNDS[name].title if name in nnspca.PARTS_BOUNDS else name
            job.report(replace(progress, stage=f"Tightening: {title}"))

        tighter = machines.call(
            nnspca.certify_parts,
            cov,
            certificate.n_components,
            certificate.k,
            certificate.parts,
            nonnegative=certificate.nonnegative,
            effort="thorough",
            seed=now.seed,
            warm_start=certificate,
            should_stop=job.should_stop,
            on_progress=listen,
        )
        after = _keep(joined(certificate, tighter), data, now)
        job.publish(Fall(certificate, after, time.monotonic() - start))

    return work


def curve(data: Dataset, now: State, r: int, counts: Sequence[int]) -> Task:
    """Return the task along the numbers of parts up to r that are not proven: publishes and records PartsPoints."""
    key = Subject(data, now).key("parts-curve", r)
    return Task("parts-curve", key, lambda: _curve(store.covariance(data, now), data, now, counts))


def _curve(cov: nnspca.Covariance, data: Dataset, now: State, counts: Sequence[int]) -> Work:

    def work(job: Job) -> None:
        job.deprioritise()  # the page's own number of parts and a longer proof of it go first

        def arrived(point: PartsPoint) -> None:
            record(data, now, point.together)
            if point.certificate is not None:
                known.record(data, now, point.certificate)
            job.publish(point)

        def listen(progress: Progress) -> None:
            many = counts[min(int(progress.fraction * len(counts)), len(counts) - 1)]
            job.report(Progress(progress.fraction, f"The band at {many} {'part' if many == 1 else 'parts'}"))

        nnspca.sweep_parts(
            cov,
            tuple(counts),
            now.k,
            nonnegative=now.nonnegative,
            seed=now.seed,
            executor=machines.executor(),
            on_point=arrived,
            should_stop=job.should_stop,
            on_progress=listen,
        )

    return work
