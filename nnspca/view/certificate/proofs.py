"""Proofs that outlive a page: the tightest certificate known of each problem, tightened, watched and checked."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Bound, Certificate, Progress, SweepPoint
from nnspca.view import words
from nnspca.view.session import store
from nnspca.view.session.runs import Job, Work
from nnspca.view.session.state import State

PROVEN_OPTIMAL = 1e-4  # relative gap below which a component counts as proven optimal

K = TypeVar("K", bound=Hashable)
Points = Mapping[tuple[int, str], SweepPoint]


def proven_optimal(lower: float, upper: float) -> bool:
    """Tell whether a variance is so near a proven ceiling that it counts as the best possible.

    >>> proven_optimal(0.99995, 1.0), proven_optimal(0.9998, 1.0)
    (True, False)
    """
    return upper - lower < PROVEN_OPTIMAL * upper


@dataclass(frozen=True, eq=False)
class Fall:
    """How far a longer proof has brought one ceiling down, and in how many seconds."""

    before: Certificate
    after: Certificate
    seconds: float


def joined(first: Certificate, second: Certificate) -> Certificate:
    """Return one certificate with the better component of two and, of each bound, the lower value.

    Bounds do not depend on the component beside them, so the whole is as valid as its parts.
    """
    better = max(first, second, key=lambda c: c.lower)
    bounds: dict[str, Bound] = {}
    for bound in (*first.bounds, *second.bounds):
        held = bounds.setdefault(bound.name, bound)
        if bound.deterministic and bound.value < held.value:
            bounds[bound.name] = bound
    return dataclasses.replace(
        second,
        lower=better.lower,
        component=better.component,
        upper=min(b.value for b in bounds.values() if b.deterministic),
        bounds=tuple(bounds.values()),
        leading=min(first.leading, second.leading),
        seconds=first.seconds + second.seconds,
    )


def _key(problem: tuple[Hashable, ...], k: int) -> tuple[Hashable, ...]:
    """Return the key of the tightest proof: it speaks about the problem, whichever page asked for it."""
    return ("tightest", *problem, k)


def tightest_of(certificates: Mapping[int, Certificate], data: Dataset, now: State) -> dict[int, Certificate]:
    """Return the certificate of each k as tight as it has ever been made; never a looser one."""
    problem = store.subject(data, now)
    known = store.results().get_all([_key(problem, k) for k in certificates])
    return {
        k: certificate if other is None else joined(certificate, other)
        for (k, certificate), other in zip(certificates.items(), known, strict=True)
    }


def tightest(certificate: Certificate, data: Dataset, now: State) -> Certificate:
    """Return one certificate as tight as it has ever been made."""
    return tightest_of({certificate.k: certificate}, data, now)[certificate.k]


def tightest_points(points: Mapping[K, SweepPoint], data: Dataset, now: State) -> dict[K, SweepPoint]:
    """Return the points of a curve, each with the tightest certificate of its k."""
    known = tightest_of(certificates(points), data, now)
    return {key: dataclasses.replace(p, certificate=known.get(p.k)) for key, p in points.items()}


def outdated(points: Mapping[K, SweepPoint], data: Dataset, now: State) -> bool:
    """Tell whether a tighter certificate has become known since the points were drawn."""
    drawn = certificates(points)
    return any(known.upper < drawn[k].upper for k, known in tightest_of(drawn, data, now).items())


def certificates(points: Mapping[K, SweepPoint]) -> dict[int, Certificate]:
    """Return the certificate of each certified k."""
    return {p.k: p.certificate for p in points.values() if p.certificate is not None}


def open_ks(points: Mapping[K, SweepPoint]) -> list[int]:
    """Return the certified k whose gap is not closed yet, the widest first."""
    held = certificates(points)
    left = [k for k, c in held.items() if not proven_optimal(c.lower, c.upper)]
    return sorted(left, key=lambda k: held[k].ratio)


def forget(data: Dataset, now: State, ks: Sequence[int]) -> None:
    """Throw away the tightest proofs of these cardinalities."""
    for k in ks:
        store.results().drop(_key(store.subject(data, now), k))


def latest_trace(job: Job | None, trace: tuple) -> tuple:
    """Return how the ceiling came down in the longer proof, or in the first one while there is no longer."""
    return job.trace if job is not None and len(job.trace) > 1 else trace


def falling(certificate: Certificate, job: Job | None) -> Certificate:
    """Return the certificate with its ceiling where a proof under way has brought it by now."""
    if job is None or job.done or job.about != certificate.k:
        return certificate
    seen = [upper for _, _, upper in job.trace if upper is not None]
    return dataclasses.replace(certificate, upper=max(min([certificate.upper, *seen]), certificate.lower))


def falling_points(points: Mapping[K, SweepPoint], job: Job | None) -> dict[K, SweepPoint]:
    """Return the points of a curve with the ceiling that is coming down where it is by now."""
    return {
        key: p if p.certificate is None else dataclasses.replace(p, certificate=falling(p.certificate, job))
        for key, p in points.items()
    }


def tighten_key(data: Dataset, now: State, *about: Hashable) -> tuple[Hashable, ...]:
    """Return the key of one long proof."""
    return ("tighten", *store.subject(data, now), *about)


def tighten(certificate: Certificate, data: Dataset, now: State) -> Work:
    """Return the work of proving a lower ceiling for one k, as long as it takes; it publishes the Fall."""
    cov = store.covariance(data, now)

    def work(job: Job) -> None:
        job.publish(_tightened(certificate, cov, data, now, job))

    return work


def tighten_all(
    points: Mapping[K, SweepPoint], order: Sequence[int], data: Dataset, now: State, patience: float
) -> Work:
    """Return the work of proving lower ceilings at the ks of ``order``, one after the other; it publishes each Fall.

    ``patience`` is how many seconds one k may take before the next has its turn.
    """
    cov, held = store.covariance(data, now), certificates(points)

    def work(job: Job) -> None:
        for place, k in enumerate(order):
            if not job.should_stop():
                turn = Turn(place, len(order), patience)
                job.publish(_tightened(held[k], cov, data, now, job, turn))

    return work


@dataclass(frozen=True)
class Turn:
    """One proof's place in a row of several, and how many seconds it may take."""

    place: int = 0
    places: int = 1
    patience: float = math.inf


def _tightened(
    certificate: Certificate,
    cov: nnspca.Covariance,
    data: Dataset,
    now: State,
    job: Job,
    turn: Turn = Turn(),
) -> Fall:
    """Prove a lower ceiling until it stands, the turn is over or Stop is pressed; keep whatever is proven."""
    k, begun = certificate.k, time.monotonic()
    job.about, job.trace = k, ()

    def spent() -> float:
        return min((time.monotonic() - begun) / turn.patience, 1.0)

    def listen(progress: Progress) -> None:
        done = (turn.place + max(progress.fraction, spent())) / turn.places
        name = words.title(progress.stage.removeprefix("bound ").strip("“”"))
        row = f" ({turn.place + 1} of {turn.places})" if turn.places > 1 else ""
        job.report(dataclasses.replace(progress, fraction=done, stage=f"Tightening k = {k}{row}: {name}"))

    listen(Progress(0.0, "starting", certificate.lower, certificate.upper))
    made = nnspca.certify(
        cov,
        k,
        nonnegative=now.nonnegative,
        effort="thorough",
        component=certificate.component,
        seed=now.seed,
        should_stop=lambda: job.should_stop() or spent() >= 1.0,
        on_progress=listen,
    )
    after = joined(tightest(certificate, data, now), made)
    store.results().put(_key(store.subject(data, now), k), after)
    return Fall(certificate, after, time.monotonic() - begun)


def check(certificate: Certificate, data: Dataset, now: State) -> Work:
    """Return the work of re-deriving a certificate by the library's second route."""
    cov = store.covariance(data, now)

    def work(job: Job) -> bool:
        proven = sum(b.deterministic for b in certificate.bounds)
        job.report(Progress(0.0, f"Deriving {proven} ceilings and one variance again"))
        try:
            nnspca.verify(certificate, cov)
        except nnspca.CertificateError as error:
            raise ValueError(f"The second route does not confirm this certificate: {error}") from error
        return True

    return work
