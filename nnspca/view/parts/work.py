"""What the Parts page has computed: parts by each solver, and what is proven of all of them together."""

from __future__ import annotations

import math
from typing import Any

import nnspca
from nnspca.result import Components
from nnspca.solvers import nmf
from nnspca.view import cache
from nnspca.view.certificate.proofs import Clock
from nnspca.view.jobs import Job, part_of_report
from nnspca.view.parts.choices import IN_TURN, Choices, arguments, title_of
from nnspca.view.running import Key, Task
from nnspca.view.subject import Subject, is_disjoint


def part_key(subject: Subject, choice: Choices, way: str) -> Key:
    """Return the key of the parts that a way finds."""
    return subject.key("part", subject.now.d, way, arguments(way, choice, subject.now), choice.r)


def task(subject: Subject, choice: Choices) -> Task:
    """Return the task of the parts the page is about: its run publishes them by way, and how it goes.

    It proves an upper bound for all together where none is known, or a person asked for the run.
    """

    def work(job: Job) -> None:
        known = subject.known_parts((choice.r,))[choice.r]
        clock = Clock(job, known.lower if choice.disjoint else 0.0)
        lead = find_or_reuse(job, subject, choice, choice.lead, 0.0, 0.4)
        if lead is not None:
            clock.found(math.fsum(lead.variances))
            wanted = job.asked or math.isinf(known.upper)
            if wanted and is_disjoint(lead) and not job.should_stop():
                clock.prove(subject, 0.4, "Computing the upper bound for all parts together", choice.r, parts=lead)
        clock.end()

    return Task("parts", subject.key("parts", subject.now.d, choice), work)


def others(subject: Subject, choice: Choices) -> Task | None:
    """Return the task of what the parts are compared with, which publishes parts by way; None where all is known."""
    ways = [way for way in choice.ways[1:] if cache.results().get(part_key(subject, choice, way)) is None]

    def work(job: Job) -> None:
        for number, way in enumerate(ways):
            find_or_reuse(job, subject, choice, way, number / len(ways), (number + 1) / len(ways))

    return Task("parts-others", subject.key("parts-others", subject.now.d, choice), work) if ways else None


def find_or_reuse(job: Job, subject: Subject, choice: Choices, way: str, begin: float, end: float) -> Components | None:
    """Return the parts that a way finds, or has found, noted and published; None where the run is to stop before."""
    if job.should_stop():
        return None
    listen = part_of_report(job.report, begin, end, lambda at: f"{title_of(way, choice)}: {at}")
    solver = choice.lead if way == IN_TURN else way

    def find() -> Components:
        if way == "nmf" and nmf_takes_samples(subject):
            take_apart, X = nmf.nmf_of_samples, subject.data.X
            return take_apart(X, subject.cov, choice.r, seed=subject.seed, should_stop=job.should_stop)
        more = dict[str, Any](arguments(way, choice, subject.now))
        more["nonnegative"] = subject.nonnegative and solver != "pca"
        return subject.call(job, nnspca.decompose, choice.r, subject.k, solver, on_progress=listen, **more)

    parts = cache.results().find(part_key(subject, choice, way), find, anew=job.asked)
    subject.record(parts)
    job.publish((way, parts))
    return parts


def nmf_takes_samples(subject: Subject) -> bool:
    """Tell whether NMF can factor the samples themselves: they are nonnegative and not preprocessed."""
    return subject.data.kind != "covariance" and not subject.standardise and bool(subject.data.X.min() >= 0)
