"""Proofs that persist across pages: the tightest certificate of each problem, stored or kept, and tightened."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import streamlit as st

import nnspca
from nnspca.bounds.plan import PLANS
from nnspca.result import Certificate, Component, Components, PartsCertificate, Progress, rounded
from nnspca.view import cache, ledger, running
from nnspca.view.jobs import Job, part_of_report
from nnspca.view.ledger import Known
from nnspca.view.running import Button, Key, Task
from nnspca.view.subject import Subject

FOLDER = Path(__file__).with_name("stored")  # certificates of the views that data sets open with, and of README's table
RESTARTS, LEADERS = 100, 25  # of the search for a better component, before the longer proof
NOTED = 1e-6  # relative fall of an upper bound that a live run tells of
SAME = 1e-6  # relative difference of two variances of the same component: stored loadings are rounded
WAITED = 30.0  # seconds that a download waits at most for as good a proof as is stored
SHOWN = 3  # upper bounds that a sentence lists
CLOSED = rounded.OPTIMAL / 4  # gap at which a longer proof ends: optimal however the numbers are rounded
GAIN = 1e-9  # relative: a component that has no more variance than this beyond another is none better

Proven = TypeVar("Proven", Certificate, PartsCertificate)
STOPPED = "Stopped. Every upper bound proven so far is kept."
TIGHTEN = Button("Tighten the proof", "There is no upper bound yet.", ":material/compress:", "Go on tightening")


@dataclass(frozen=True, eq=False)
class Live:
    """What a live run has found and proven so far: seconds are of one clock, which began with its work."""

    known: float  # variance of the best known before
    found: float = 0.0  # its own variance; 0 before it has one
    seconds: float = 0.0  # at which it was found
    falls: tuple[tuple[float, float], ...] = ()  # its upper bounds as they fell: seconds, and value
    ended: bool = False

    @property
    def upper(self) -> float:
        """Its lowest upper bound so far."""
        return self.falls[-1][1] if self.falls else math.inf


def live(job: Job | None) -> Live | None:
    """Return the last that a run has told of itself, where a person asked for it: else only the best known is said."""
    return job.live if job is not None and job.asked else None


class Clock:
    """Tells how a live run goes, as it goes."""

    def __init__(self, job: Job, known: float):
        self._job, self._begun, job.live = job, time.monotonic(), Live(known)

    def found(self, variance: float) -> None:
        """Tell of what was found."""
        self._tell(found=variance, seconds=time.monotonic() - self._begun)

    def fell(self, upper: float) -> bool:
        """Tell of an upper bound where it is lower than those before; return whether it is."""
        live: Live = self._job.live
        lower = upper < live.upper * (1 - NOTED)
        if lower:
            self._tell(falls=(*live.falls, (time.monotonic() - self._begun, upper)))
        return lower

    def prove(self, subject: Subject, begin: float, says: str, r: int = 1, **more: Any) -> None:
        """Prove an upper bound in what is left of the progress; each that is lower is told, and noted at once."""
        proving = part_of_report(self._job.report, begin, 1.0, lambda _: says)

        def listen(progress: Progress) -> None:
            if progress.upper is not None and self.fell(progress.upper):
                subject.record_upper(subject.k, progress.upper, r)
            proving(progress)

        self.fell(prove(subject, self._job, r=r, on_progress=listen, **more).upper)

    def end(self) -> None:
        """Tell that nothing more comes."""
        self._tell(ended=True)

    def _tell(self, **more: Any) -> None:
        self._job.live = dataclasses.replace(self._job.live, **more)


def live_words(told: Live, whole: float, digits: int = 1, what: str = "component") -> str:
    """Say how a live run goes, with the bound as it falls; once it has ended, what it came to beside the best known.

    Percentages have so many ``digits``, as the headline beside it.

    >>> falls = ((0.7, 0.6), (3.0, 0.5001))
    >>> live_words(Live(0.5, 0.5, 0.6, falls, ended=True), 1.0)
    'Live: the same component after 600 ms, at least 99.980 % of the optimum after 3.0 s.'
    >>> live_words(Live(0.5, 0.4, 0.6, falls), 1.0)
    'Live: 40.0 % of the total variance found after 600 ms; upper bound 60.0 % after 700 ms, 50.1 % after 3.0 s …'
    """
    if not told.found:
        return "Live: solving …"
    after = f"after {rounded.seconds(told.seconds)}"
    if not told.ended:
        shown = {rounded.percent(min(upper / whole, 1.0), digits, up=True): at for at, upper in reversed(told.falls)}
        falls = [f"{most} after {rounded.seconds(at)}" for most, at in reversed(shown.items())][-SHOWN:]
        bound = f"upper bound {', '.join(falls)}" if falls else "computing an upper bound"
        share = rounded.percent(told.found / whole, digits)
        return f"Live: {share} of the total variance found {after}; {bound} …"
    missing = 1 - told.found / told.known if told.known > 0 else -1.0
    some = "" if what.endswith("s") else "a "
    which = f"the same {what}" if abs(missing) <= SAME else f"{some}{'better ' * (told.known > 0)}{what}"
    if missing > SAME:
        which = f"{some}{what} with {rounded.percent(missing, up=True)} less variance than the best found"
    if not told.falls:
        return f"Live: {which} {after}."
    proven = rounded.proven_share(told.found, told.upper)
    return f"Live: {which} {after}, {proven} after {rounded.seconds(told.falls[-1][0])}."


@dataclass(frozen=True, eq=False)
class ProofGain:
    """What a longer proof came to, and in how many seconds, beside what was known before it from any run."""

    before: Known
    after: Certificate | PartsCertificate
    seconds: float
    begun: float = math.inf  # the upper bound that the run itself began with

    @property
    def missing(self) -> float:
        """Seconds in which a stopped run would reach the bound known before, falling as fast as it did; or infinite."""
        fell, above = self.begun - self.after.upper, self.after.upper - self.before.upper
        return self.seconds * above / fell if self.after.stopped and 0 < fell < math.inf else math.inf


def file_of(name: str, standardise: bool, k: int) -> Path:
    """Return where the certificate of a data set's component with loadings >= 0 is, if there is one."""
    return FOLDER / f"{name}{'-standardised' * standardise}-k{k}.npz"


def stored_certificate(subject: Subject, k: int) -> Certificate | None:
    """Return the certificate that is stored for a subject at k; None where there is none for its very data."""
    return _held(subject, k)[0]


def stored_file(proof: Certificate | PartsCertificate, subject: Subject) -> bytes | None:
    """Return the file that a certificate was read from; None where it comes from a run."""
    held, file = _held(subject, proof.k)
    return file.read_bytes() if file is not None and held is proof else None


def _held(subject: Subject, k: int) -> tuple[Certificate, Path] | tuple[None, None]:
    held = ledger.stored().get(subject.problem)
    file = None if held is None else file_of(held.name, subject.standardise, k)
    if file is None or not subject.nonnegative or not file.exists():
        return None, None
    proof = _read(file)
    return (proof, file) if proof.fingerprint == subject.cov.fingerprint else (None, None)


@lru_cache(16)  # of all views; a few megabytes each
def _read(file: Path) -> Certificate:
    return nnspca.load_certificate(file)  # type: ignore[return-value]  # all are of one component


def _key(subject: Subject, k: int, r: int = 0) -> Key:
    """Return the key of the tightest proof, of one component or of r parts, whichever page asked for it."""
    return subject.key_of("tightest", k, r)


def certificate_at(subject: Subject, k: int) -> Certificate | None:
    """Return the tightest certificate at k, stored or of any live run; where they are equal, the stored one."""
    made: Certificate | None = cache.results().get(_key(subject, k))
    held = stored_certificate(subject, k)
    return min((proof for proof in (held, made) if proof is not None), key=lambda proof: proof.upper, default=None)


def certificate_of_parts(subject: Subject, r: int) -> PartsCertificate | None:
    """Return the tightest certificate that any live run has made of r parts."""
    certificate: PartsCertificate | None = cache.results().get(_key(subject, subject.k, r))
    return certificate


def keep_best(certificate: Proven, subject: Subject) -> Proven:
    """Keep a certificate, unless the one that is kept is tighter; return the one that stays."""
    r = certificate.n_components if isinstance(certificate, PartsCertificate) else 0
    key = _key(subject, certificate.k, r)
    before: Proven | None = cache.results().get(key)
    subject.record(certificate)
    if before is not None and before.ratio >= certificate.ratio:
        return before
    cache.results().put(key, certificate)
    return certificate


def prove(
    subject: Subject, job: Job, parts: Components | Sequence[Component] | None = None, r: int = 1, **more: Any
) -> Certificate | PartsCertificate:
    """Make a certificate at k, or of r parts, in some seconds; the tighter one is kept."""
    if parts is None:
        proof: Any = subject.call(job, nnspca.certify, subject.k, **more)
    else:
        proof = subject.call(job, nnspca.certify_parts, r, subject.k, parts, **more)
    return keep_best(proof, subject)


def made(subject: Subject, parts: Components | None = None, r: int = 1) -> Certificate | PartsCertificate:
    """Return the tightest certificate at k, or of r parts; one is made now where there is none.

    Where a proof is stored at k it is as tight, if that takes no more than ``WAITED`` seconds.
    """
    if parts is not None:
        return certificate_of_parts(subject, r) or prove(subject, Job("certificate"), parts, r)
    more = _as_stored(subject, WAITED) if subject.known_at().stored else {}
    return certificate_at(subject, subject.k) or prove(subject, Job("certificate"), **more)


def proof_task(subject: Subject) -> Task:
    """Return the task of proving here what is stored at the k that is shown: it ends once it has proven as much."""

    def work(job: Job) -> None:
        prove(subject, job, warm_start=certificate_at(subject, subject.k), **_as_stored(subject, math.inf))

    return Task("prove", subject.key_of("prove", subject.k), work)


def _as_stored(subject: Subject, seconds: float) -> dict[str, Any]:
    """Return the arguments with which a run proves as much as is stored, unless that takes longer."""
    known = subject.known_at()
    return {"component": known.component, "gap": (1 - known.ratio) * (1 - GAIN), "time_limit": seconds}


def tighten_task(subject: Subject, parts: Components | None = None, r: int = 1) -> Task:
    """Return the task of lowering the upper bound of the k that is shown, or of r ``parts``."""
    if parts is None:
        return Task("tighten", subject.key_of("tighten", subject.k), lambda job: _tighten(job, subject))
    key = subject.key_of("tighten-parts", subject.k, r, round(float(parts.variances.sum()), 12))
    return Task("tighten-parts", key, lambda job: _tighten(job, subject, parts, r))


def _tighten(job: Job, subject: Subject, parts: Components | None = None, r: int = 1) -> ProofGain:
    """Close the gap until it stands or Stop is pressed; whatever is found and proven is kept.

    One component is closed in on from both sides: a longer search for a better one comes first.
    """
    start, k = time.monotonic(), subject.k

    def listen(progress: Progress) -> None:
        if progress.upper is not None:
            subject.record_upper(k, progress.upper, r)  # first: what is reported may be drawn at once
        job.report(dataclasses.replace(progress, stage=f"Tightening: {progress.stage}"))

    known = subject.known_parts((r,))[r]
    held = certificate_at(subject, k) if parts is None else certificate_of_parts(subject, r)
    before: Any = held or prove(subject, job, parts, r, on_progress=listen)
    how: dict[str, Any] = {"parts": before.parts} if parts is not None else {}
    if parts is None:
        listen(Progress(0.0, "a longer search", before.lower, before.upper))
        more: dict[str, Any] = {"restarts": RESTARTS, "leaders": LEADERS, "start": before.component.loadings}
        more["on_progress"] = lambda at: listen(dataclasses.replace(at, fraction=0.0, variance=None))
        searched = subject.call(job, nnspca.solve, k, **more)
        how["component"] = searched if searched.variance > before.lower * (1 + GAIN) else before.component
    how |= {"gap": CLOSED, "time_limit": math.inf, "on_progress": listen}  # for as long as it falls
    after = prove(subject, job, r=r, warm_start=before, **how)
    return ProofGain(known, after, time.monotonic() - start, before.upper)


def tighten_button(
    task: Task, known: Known, width: Literal["stretch", "content"] = "content", *, in_place: bool = False
) -> None:
    """Draw the button that tightens the proof of what is shown, unless it is proven optimal.

    It says what can be gained at most, and how long the first round takes.
    """
    if known.optimal:
        return
    most, plan = rounded.gap(known.lower, known.upper), PLANS["thorough"]
    about = (
        f"Searches further and lowers the upper bound; {most} can be gained at most. It may take "
        f"{rounded.seconds(plan.relaxation + plan.trees)}, and longer while the bound falls. Stop at any time: the "
        "results so far are kept."
    )
    more = {"about": about} if known.bounded else {"disabled": True}
    running.offer(task, dataclasses.replace(TIGHTEN, width=width, **more), in_place=in_place)


def under_way(job: Job | None, subject: Subject) -> None:
    """Show a longer proof under way, or what it has brought."""
    if job is None:
        return
    if job.result is None or job.place is not None:
        running.follow_to_end(job, STOPPED)
    if job.result is not None:
        st.success(gain_in_words(job.result, subject.total), icon=":material/trending_down:")


def gain_in_words(fall: ProofGain, total: float) -> str:
    """Say how far a longer proof has brought the upper bound down that was known, in shares of the total variance."""
    before, after, spent = fall.before, fall.after, rounded.seconds(fall.seconds)
    digits = rounded.decimals(max(before.lower, after.lower), min(before.upper, after.upper), total)
    old, new = (rounded.percent(upper / total, digits, up=True) for upper in (before.upper, after.upper))
    gained = after.lower / before.lower - 1 if before.lower > 0 else 0.0
    better = f" A better component was found: {rounded.percent(gained)} more variance." if gained > GAIN else ""
    if after.upper > before.upper * (1 - NOTED):
        source = f" ({before.source})" if before.source else ""
        if new == old:
            return f"The upper bound did not come down in {spent}: it is still {old}{source}.{better}"
        further = "" if math.isinf(fall.missing) else f" Go on for about {rounded.seconds(fall.missing)}?"
        return f"The bound known before is better: {old}{source}. This run reached {new} in {spent}.{further}{better}"
    return (
        f"In {spent} the upper bound came down from {old} to {new}. The component has "
        f"{rounded.proven_share(after.lower, after.upper)}; before, "
        f"{rounded.proven_share(before.lower, before.upper)}.{better}"
    )
