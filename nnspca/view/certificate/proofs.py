"""Proofs that outlive a page: the tightest certificate known of each problem, tightened, watched and checked."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Bound, Certificate, Component, PartsCertificate, Progress, SweepPoint
from nnspca.view import words
from nnspca.view.session import machines, store
from nnspca.view.session.job import Job, Work
from nnspca.view.session.state import State

PROVEN_OPTIMAL = 1e-4  # relative gap below which a component counts as proven optimal
ROUNDS = 40  # of search for a better component, before the longer proof that none is
GAIN = 1e-9  # relative: a component that keeps no more than this beyond another is none better

Proven = TypeVar("Proven", Certificate, PartsCertificate)
Points = Mapping[tuple[int, str], SweepPoint]


def proven_optimal(lower: float, upper: float) -> bool:
    """Tell whether a variance is so near a proven ceiling that it counts as the best possible.

    >>> proven_optimal(0.99995, 1.0), proven_optimal(0.9998, 1.0)
    (True, False)
    """
    return upper - lower < PROVEN_OPTIMAL * upper


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a curve by now.

    Attributes
    ----------
    points : mapping of (k, method) to SweepPoint
    certificates : dict of int to Certificate
        That of each certified k.
    open : tuple of int
        The certified k that are not proven optimal yet, the widest gap first.
    key : tuple
        Of the longer proof along the curve.
    """

    points: Points
    certificates: dict[int, Certificate]
    open: tuple[int, ...]
    key: tuple[Hashable, ...]


def _known(points: Points, certificates: dict[int, Certificate], key: tuple[Hashable, ...]) -> Known:
    """Return the points, each with the certificate of its k."""
    gaps = [k for k, c in certificates.items() if not proven_optimal(c.lower, c.upper)]
    return Known(
        {at: dataclasses.replace(p, certificate=certificates.get(p.k)) for at, p in points.items()},
        certificates,
        tuple(sorted(gaps, key=lambda k: certificates[k].ratio)),
        key,
    )


@dataclass(frozen=True, eq=False)
class Fall(Generic[Proven]):
    """How far a longer proof has brought one ceiling down, and in how many seconds."""

    before: Proven
    after: Proven
    seconds: float


def lowest(first: Proven, second: Proven) -> tuple[float, tuple[Bound, ...]]:
    """Return the ceiling of two certificates together, and of each bound the lower: they hold whatever was found."""
    bounds: dict[str, Bound] = {}
    for bound in (*first.bounds, *second.bounds):
        held = bounds.setdefault(bound.name, bound)
        if bound.deterministic and bound.value < held.value:
            bounds[bound.name] = bound
    return min(b.value for b in bounds.values() if b.deterministic), tuple(bounds.values())


def joined(first: Certificate, second: Certificate) -> Certificate:
    """Return one certificate with the better component of two and, of each bound, the lower value."""
    better = max(first, second, key=lambda c: c.lower)
    upper, bounds = lowest(first, second)
    return dataclasses.replace(
        second,
        lower=better.lower,
        component=better.component,
        upper=upper,
        bounds=bounds,
        leading=min(first.leading, second.leading),
        seconds=first.seconds + second.seconds,
    )


def attained(certificate: Certificate, component: Component) -> Certificate:
    """Return the certificate with a component of its problem in place of its own, if that keeps more."""
    if component.variance <= certificate.lower:
        return certificate
    return dataclasses.replace(certificate, lower=component.variance, component=component)


def better_of(component: Component, certificate: Certificate | None) -> Component:
    """Return what ``best`` found, or the certificate's own component where searching on has met a better one."""
    if certificate is None or component.method != "best" or certificate.lower <= component.variance * (1 + GAIN):
        return component
    return certificate.component


def _key(problem: tuple[Hashable, ...], k: int) -> tuple[Hashable, ...]:
    """Return the key of the tightest proof: it speaks about the problem, whichever page asked for it."""
    return ("tightest", *problem, k)


def _tightest_of(certificates: Mapping[int, Certificate], problem: tuple[Hashable, ...]) -> dict[int, Certificate]:
    """Return the certificate of each k as tight as it has ever been made; never a looser one."""
    others = store.finished([_key(problem, k) for k in certificates])
    return {
        k: certificate if other is None else joined(certificate, other)
        for (k, certificate), other in zip(certificates.items(), others, strict=True)
    }


def tightest(certificate: Certificate, data: Dataset, now: State) -> Certificate:
    """Return one certificate as tight as it has ever been made."""
    return _tightest_of({certificate.k: certificate}, store.subject_key(data, now))[certificate.k]


def known_by_now(arrived: Sequence[SweepPoint], data: Dataset, now: State, ks: Sequence[int]) -> Known:
    """Return the last word on each point of a curve, with the tightest certificate of its k."""
    points = {(p.k, p.method): p for p in arrived}
    first = {p.k: p.certificate for p in points.values() if p.certificate is not None}
    problem = store.subject_key(data, now)
    return _known(points, _tightest_of(first, problem), ("tighten", *problem, *ks))


def outdated(known: Known, data: Dataset, now: State) -> bool:
    """Tell whether a tighter certificate has become known since."""
    tight = _tightest_of(known.certificates, store.subject_key(data, now))
    return any(tight[k].upper < certificate.upper for k, certificate in known.certificates.items())


def forget(data: Dataset, now: State, ks: Sequence[int]) -> None:
    """Throw away the tightest proofs of these cardinalities."""
    for k in ks:
        store.results().drop(_key(store.subject_key(data, now), k))


def latest_trace(job: Job | None, trace: tuple) -> tuple:
    """Return how the ceiling came down in the longer proof, or in the first one while there is no longer."""
    return job.trace if job is not None and len(job.trace) > 1 else trace


def falling(certificate: Proven, job: Job | None) -> Proven:
    """Return the certificate with its ceiling where a proof under way has brought it by now."""
    if job is None or job.done or job.about != certificate.k:
        return certificate
    seen: list[float] = [upper for _, _, upper in job.trace if upper is not None]
    return dataclasses.replace(certificate, upper=max(min([certificate.upper, *seen]), certificate.lower))


def falling_curve(known: Known, job: Job | None) -> Known:
    """Return the curve with the ceiling that is coming down where it is by now."""
    if job is None or job.about not in known.certificates:
        return known
    moved = {job.about: falling(known.certificates[job.about], job)}
    return _known(known.points, known.certificates | moved, known.key)


def tighten_key(data: Dataset, now: State, k: int) -> tuple[Hashable, ...]:
    """Return the key of the longer proof for one k."""
    return ("tighten", *store.subject_key(data, now), k)


def tighten(certificate: Certificate, data: Dataset, now: State) -> Work:
    """Return the work of proving a lower ceiling for one k, as long as it takes; it publishes the Fall."""
    cov = store.covariance(data, now)

    def work(job: Job) -> None:
        job.publish(_tightened(certificate, cov, data, now, job))

    return work


def tighten_all(known: Known, data: Dataset, now: State, patience: float) -> Work:
    """Return the work of proving lower ceilings along a curve, widest gap first; it publishes each Fall.

    ``patience`` is how many seconds one k may take before the next has its turn.
    """
    cov = store.covariance(data, now)

    def work(job: Job) -> None:
        for place, k in enumerate(known.open):
            if not job.should_stop():
                turn = Turn(place, len(known.open), patience)
                job.publish(_tightened(known.certificates[k], cov, data, now, job, turn))

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
) -> Fall[Certificate]:
    """Close the gap from both sides: search on for a better component, then prove a lower ceiling.

    Until it stands, the turn is over or Stop is pressed; whatever is found and proven is kept.
    """
    k, begun = certificate.k, time.monotonic()
    job.about, job.trace = k, ()

    def spent() -> float:
        return min((time.monotonic() - begun) / turn.patience, 1.0)

    def listen(progress: Progress) -> None:
        done = (turn.place + max(progress.fraction, spent())) / turn.places
        name = words.title(progress.stage.removeprefix("bound ").strip("“”"))
        row = f" ({turn.place + 1} of {turn.places})" if turn.places > 1 else ""
        job.report(dataclasses.replace(progress, fraction=done, stage=f"Tightening k = {k}{row}: {name}"))

    def over() -> bool:
        return job.should_stop() or spent() >= 1.0

    listen(Progress(0.0, "searching on", certificate.lower, certificate.upper))
    found = machines.call(
        nnspca.solve,
        cov,
        k,
        nonnegative=now.nonnegative,
        seed=now.seed,
        search=ROUNDS,
        start=np.asarray(certificate.component.loadings),
        should_stop=over,
        on_progress=lambda told: listen(dataclasses.replace(told, fraction=0.0, variance=None)),
    )
    better = found if found.variance > certificate.lower * (1 + GAIN) else certificate.component
    made = machines.call(
        nnspca.certify,
        cov,
        k,
        nonnegative=now.nonnegative,
        effort="thorough",
        component=better,
        seed=now.seed,
        warm_start=certificate,  # what is proven already comes down from there
        should_stop=over,
        on_progress=listen,
    )
    after = joined(tightest(certificate, data, now), made)
    store.results().put(_key(store.subject_key(data, now), k), after)
    return Fall(certificate, after, time.monotonic() - begun)


def check(certificate: Certificate | PartsCertificate, data: Dataset, now: State, doing: str) -> Work:
    """Return the work of re-deriving a certificate by the library's second route."""
    cov = store.covariance(data, now)

    def work(job: Job) -> bool:
        job.report(Progress(0.0, doing))
        try:
            nnspca.verify(certificate, cov)
        except nnspca.CertificateError as error:
            raise ValueError(f"The second route does not confirm this certificate: {error}") from error
        return True

    return work
