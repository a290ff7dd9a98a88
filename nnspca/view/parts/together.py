"""What is proven of disjoint parts together: the first proof, a longer one, and the band along the number of parts."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Hashable, Sequence

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, PartsCertificate, PartsPoint, Progress
from nnspca.view import cache
from nnspca.view.certificate.proofs import Fall, lowest
from nnspca.view.jobs import machines
from nnspca.view.jobs.job import Job, Work, stretch
from nnspca.view.link.state import State
from nnspca.view.parts.choices import DISJOINT, TOGETHER
from nnspca.view.results import known
from nnspca.view.sources import store


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
    return dataclasses.replace(first, upper=upper, bounds=bounds)


def _key(data: Dataset, now: State, r: int) -> tuple[Hashable, ...]:
    """Return the key of the lowest upper bound: it speaks about the problem, whichever parts are held against it."""
    return ("tightest-parts", *store.subject_key(data, now), now.k, r)


def tightest(certificate: PartsCertificate, data: Dataset, now: State) -> PartsCertificate:
    """Return a certificate with its upper bound as low as a run has ever brought it."""
    other = cache.results().get(_key(data, now, certificate.n_components))
    return certificate if other is None else joined(certificate, other)


def forget(data: Dataset, now: State, r: int) -> None:
    """Forget the proof of r parts, so that the next run starts from nothing."""
    cache.results().drop(_key(data, now, r))


def _keep(certificate: PartsCertificate, data: Dataset, now: State) -> PartsCertificate:
    """Keep a certificate where it is the tightest, and enter it into the ledger."""
    best = tightest(certificate, data, now)
    cache.results().put(_key(data, now, certificate.n_components), best)
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
    proven = cache.results().get(_key(data, now, r))
    if proven is not None and not proven.stopped:
        own = tuple(dataclasses.replace(part, k=now.k, variance=cov.variance(part.loadings)) for part in parts.parts)
        return dataclasses.replace(proven, parts=own, lower=float(sum(part.variance for part in own)))
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


def tighten_key(certificate: PartsCertificate, data: Dataset, now: State) -> tuple[Hashable, ...]:
    """Return the key of the longer proof."""
    return ("tighten-parts", *_key(data, now, certificate.n_components), round(certificate.lower, 12))


def tighten(certificate: PartsCertificate, data: Dataset, now: State) -> Work:
    """Return the work of proving a lower bound on all parts, as long as it gains; it publishes the Fall."""
    cov = store.covariance(data, now)

    def work(job: Job) -> None:
        job.about, start = certificate.k, time.monotonic()

        def listen(progress: Progress) -> None:
            name = progress.stage.removeprefix("bound ").strip("“”")
            title = nnspca.PARTS_BOUNDS[name].title if name in nnspca.PARTS_BOUNDS else name
            job.report(dataclasses.replace(progress, stage=f"Tightening: {title}"))

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


def curve_key(data: Dataset, now: State, r: int) -> tuple[Hashable, ...]:
    """Return the key of the run along the number of parts."""
    return ("parts-curve", *store.subject_key(data, now), now.k, now.seed, r)


def curve(data: Dataset, now: State, counts: Sequence[int]) -> Work:
    """Return the work along the numbers of parts that are not proven yet: publishes and records PartsPoints."""
    cov = store.covariance(data, now)

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
