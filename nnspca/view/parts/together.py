"""What is proven of parts together: the first proof, a longer one, and the band along the number of parts."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Components, PartsCertificate, PartsPoint, Progress
from nnspca.view.certificate.proofs import Fall, lowest
from nnspca.view.parts.choices import DISJOINT, IN_TURN, TOGETHER, Choices
from nnspca.view.session import machines, store
from nnspca.view.session.job import Job, Work
from nnspca.view.session.state import State


def applies(parts: Components | None) -> bool:
    """Tell whether a joint certificate speaks about these parts: no feature in two, and at most k in each."""
    return parts is not None and parts.deflation in (TOGETHER, DISJOINT) and bool(nnspca.METHODS[parts.method].feasible)


def joined(first: PartsCertificate, second: PartsCertificate) -> PartsCertificate:
    """Return the first certificate's parts with the lower of each bound of two."""
    upper, bounds = lowest(first, second)
    return dataclasses.replace(first, upper=upper, bounds=bounds)


def _key(data: Dataset, now: State, r: int) -> tuple[Hashable, ...]:
    """Return the key of the tightest ceiling: it speaks about the problem, whichever parts are held against it."""
    return ("tightest-parts", *store.subject_key(data, now), now.k, r)


def tightest(certificate: PartsCertificate, data: Dataset, now: State) -> PartsCertificate:
    """Return a certificate with its ceiling as low as it has ever been made."""
    other = store.results().get(_key(data, now, certificate.n_components))
    return certificate if other is None else joined(certificate, other)


def _keep(certificate: PartsCertificate, data: Dataset, now: State) -> PartsCertificate:
    """Note a certificate where it is the tightest."""
    best = tightest(certificate, data, now)
    store.results().put(_key(data, now, certificate.n_components), best)
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
    """Prove a ceiling for r parts in some seconds, from the parts found, unless one is known already."""
    known = store.results().get(_key(data, now, r))
    if known is not None and not known.stopped:
        own = tuple(dataclasses.replace(part, k=now.k, variance=cov.variance(part.loadings)) for part in parts.parts)
        return dataclasses.replace(known, parts=own, lower=float(sum(part.variance for part in own)))
    made = machines.call(
        nnspca.certify_parts,
        cov,
        r,
        now.k,
        parts,
        nonnegative=now.nonnegative,
        seed=now.seed,
        should_stop=job.should_stop,
        on_progress=lambda told: listen(Progress(told.fraction, "Proving a ceiling for all parts together")),
    )
    return _keep(made, data, now)


def tighten_key(certificate: PartsCertificate, data: Dataset, now: State) -> tuple[Hashable, ...]:
    """Return the key of the longer proof."""
    return ("tighten-parts", *_key(data, now, certificate.n_components), round(certificate.lower, 12))


def tighten(certificate: PartsCertificate, data: Dataset, now: State) -> Work:
    """Return the work of proving a lower ceiling for all parts, as long as it gains; it publishes the Fall."""
    cov = store.covariance(data, now)

    def work(job: Job) -> None:
        job.about, begun = certificate.k, time.monotonic()

        def listen(told: Progress) -> None:
            name = told.stage.removeprefix("bound ").strip("“”")
            title = nnspca.PARTS_BOUNDS[name].title if name in nnspca.PARTS_BOUNDS else name
            job.report(dataclasses.replace(told, stage=f"Tightening: {title}"))

        made = machines.call(
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
        after = _keep(joined(certificate, made), data, now)
        job.publish(Fall(certificate, after, time.monotonic() - begun))

    return work


def curve_key(data: Dataset, now: State, choice: Choices) -> tuple[Hashable, ...]:
    """Return the key of the band along the number of parts."""
    return ("parts-curve", *store.subject_key(data, now), now.k, now.seed, counts(choice))


def counts(choice: Choices) -> tuple[int, ...]:
    """Return the numbers of parts that the band is still to be found at; the page's own comes with its verdict."""
    return tuple(range(1, choice.r + (not choice.compares)))


def curve(data: Dataset, now: State, choice: Choices) -> Work:
    """Return the work of the band along the number of parts: publishes PartsPoints as they come."""
    cov, key, known = store.covariance(data, now), curve_key(data, now, choice), store.results()

    def work(job: Job) -> None:
        job.step_back()  # the verdict and a longer proof of it go before the band
        points = known.get(key)
        if points is not None:
            for point in points:
                job.publish(point)
            return

        def listen(told: Progress) -> None:
            at = min(int(told.fraction * len(counts(choice))), len(counts(choice)) - 1)
            many = counts(choice)[at]
            job.report(Progress(told.fraction, f"The band at {many} {'part' if many == 1 else 'parts'}"))

        done = nnspca.sweep_parts(
            cov,
            counts(choice),
            now.k,
            nonnegative=now.nonnegative,
            seed=now.seed,
            executor=machines.executor(),
            on_point=job.publish,
            should_stop=job.should_stop,
            on_progress=listen,
        )
        if not done.stopped:
            known.put(key, done.points)

    return work


@dataclass(frozen=True, eq=False)
class Curves:
    """Shares of all variance by number of parts.

    Attributes
    ----------
    ways : mapping
        For each way of finding parts, by title: number of parts to the share kept.
    proven : mapping
        Number of parts to the best share known and the ceiling.
    """

    ways: Mapping[str, Mapping[int, float]]
    proven: Mapping[int, tuple[float, float]]


def curves(
    results: Mapping[str, Components], certificate: PartsCertificate | None, job: Job | None, choice: Choices
) -> Curves:
    """Return what is known by now of the variance kept against the number of parts."""
    lead = results.get(choice.lead)
    greedy = results.get(IN_TURN) if choice.compares else lead
    total = next(iter(results.values())).total
    points: dict[int, PartsPoint] = {p.n_components: p for p in (job.arrived if job is not None else ())}
    both = {r: float(p.together.variances.sum()) / total for r, p in points.items()}
    proven = {r: (p.certificate.lower / total, p.certificate.upper / total) for r, p in points.items() if p.certificate}
    if choice.compares and lead is not None:
        both[choice.r] = float(lead.variances.sum()) / total
    if certificate is not None:
        r = certificate.n_components
        floor, ceiling = certificate.lower / total, certificate.upper / total
        before = proven.get(r, (floor, ceiling))
        proven[r] = max(before[0], floor), min(before[1], ceiling)
    ways = {"together": both}
    if greedy is not None:
        kept = greedy.variances.cumsum() / total
        ways["one after the other"] = {i + 1: float(share) for i, share in enumerate(kept)}
    return Curves(ways, proven)
