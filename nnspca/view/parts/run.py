"""What the Parts page is asked and what it has computed: parts by each solver, and what is proven of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st

import nnspca
from nnspca.result import Components, PartsCertificate, Progress
from nnspca.solvers import nmf
from nnspca.view import cache, chance, session
from nnspca.view.certificate import proofs
from nnspca.view.certificate.proofs import Clock
from nnspca.view.chance import Chance
from nnspca.view.jobs import Job, stretch
from nnspca.view.ledger import Known
from nnspca.view.link import state, widgets
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator, choose
from nnspca.view.subject import DISJOINT, JOINT, TOGETHER, Subject, is_disjoint
from nnspca.view.tasks import Key, Task

KEYS = state.keys_of("parts")
LABELS = dict(  # of what the folds show, by its name in the link
    zip(
        (*state.PARTS_PROOF, *state.PARTS_USE),
        ("Certificate", "Each part alone", "Indispensable features", "Stability", "Samples", "Downloads and code"),
        strict=True,
    )
)
IN_TURN = "one after the other"  # the page's name for the first solver's parts found one after the other
BEST = "best"  # the default solver
SMALL = 1500  # features whose covariance is held as a matrix


@dataclass(frozen=True)
class Choices:
    """What the page decomposes, each field by its key in the link."""

    r: int  # how many parts
    apart: str  # how parts are kept apart
    with_: tuple[str, ...]  # the solvers: the page shows the parts of the first, and compares the others with it
    alpha: float = KEYS["alpha"].default  # price of overlap
    angle: float = KEYS["angle"].default  # least angle between parts, in degrees

    def apart_for(self, solver: str) -> str:
        """Return how this solver keeps parts apart: PCA and NMF find all components at once."""
        if solver in ("pca", "nmf"):
            return JOINT
        if self.apart == JOINT and not nnspca.METHODS[solver].multi:
            return DISJOINT
        return self.apart

    @cached_property
    def lead(self) -> str:
        """The solver whose parts the page is about: the first."""
        return self.with_[0]

    @cached_property
    def disjoint(self) -> bool:
        """Whether the page asks for disjoint parts of at most k features: the problem that the ledger keeps."""
        return self.apart_for(self.lead) in (TOGETHER, DISJOINT) and bool(nnspca.METHODS[self.lead].feasible)

    @cached_property
    def best(self) -> bool:
        """Whether the page asks for the best parts known, from any run."""
        return self.lead == BEST and self.apart == TOGETHER

    @cached_property
    def compares(self) -> bool:
        """Whether the lead's parts are found jointly, and compared with its parts found one after the other."""
        return self.apart_for(self.lead) == TOGETHER and self.r > 1

    @cached_property
    def ways(self) -> tuple[str, ...]:
        """Names of what the run finds, in order."""
        return (self.lead, IN_TURN, *self.with_[1:]) if self.compares else self.with_


def title_of(way: str, choice: Choices) -> str:
    """Return what a way of finding parts is called on the page."""
    if way == IN_TURN:
        return IN_TURN.capitalize()
    return "Together" if way == choice.lead and choice.compares else nnspca.METHODS[way].title


def ask(subject: Subject, others: DeltaGenerator) -> tuple[Choices, DeltaGenerator]:
    """Draw the controls, and the solvers in the place ``others``; return the choices, and a suggestion's place."""
    data, here = subject.data, session.current()
    usual = max(1, min(KEYS["r"].default, (data.n_features - 1) // subject.k))  # fewer than use every feature
    is_linked = bool(state.linked("r"))
    many, suggest, apart_from = st.columns([1, 1, 1.6], vertical_alignment="bottom")
    with many:
        r = choose(
            KEYS["r"],
            "Parts",
            usual=usual,
            high=min(int(KEYS["r"].high or 1), data.n_features),
            help="Number of components to look for.",
        )
    widgets.say_in_link(here, "r", r, None)  # the usual one, too: without it parts open with the suggested number
    if is_linked or r != usual:
        here.opened = subject.now.data
    with apart_from:
        apart = choose(
            KEYS["apart"],
            "How parts are kept apart",
            options=[m for m in nnspca.DEFLATIONS if m != "hotelling" or data.n_features <= SMALL],
            format_func={name: how.title for name, how in nnspca.DEFLATIONS.items()}.__getitem__,
            help="\n".join(f"- **{d.title}**: {d.summary} ({d.paper})" for d in nnspca.DEFLATIONS.values()),
        )
        more: dict[str, Any] = {}
        if apart == "quasi-orthogonal":
            more["angle"] = choose(
                KEYS["angle"],
                "Least angle between parts (degrees)",
                step=1.0,
                help="90: no shared features. Less: a little overlap is allowed.",
            )
    with others:
        solvers = _solvers(subject)
        if apart == JOINT and "coordinate-descent" in solvers:
            more["alpha"] = choose(
                KEYS["alpha"], "α, the price of overlap", help="Relative to λ₁. A higher price lowers overlap."
            )
    return Choices(r, apart, solvers, **more), suggest


def _solvers(subject: Subject) -> tuple[str, ...]:
    """Draw the choice of the solvers that can take these data; PCA is there whatever the signs."""
    n = subject.data.n_features
    able = {*state.methods_for(subject.nonnegative, n), "pca"}
    names = [name for name in nnspca.METHODS if name in able]
    solvers: tuple[str, ...] = choose(
        KEYS["with"],
        "Solvers",
        options=names,
        format_func=state.TITLES.__getitem__,
        allowed=f"choose up to {state.MOST} from {', '.join(names)}",
        help="The page shows the parts of the first; the others are compared with it here.",
    )
    return solvers


def _part_key(subject: Subject, choice: Choices, way: str) -> Key:
    return subject.key("part", subject.now.d, way, arguments(way, choice, subject.now), choice.r)


def task(subject: Subject, choice: Choices) -> Task:
    """Return the task of the parts the page is about: its run publishes them by way, and how it goes.

    It proves an upper bound for all together where none is known, or a person asked for the run.
    """

    def work(job: Job) -> None:
        known = subject.parts_along((choice.r,))[choice.r]
        clock = Clock(job, known.lower if choice.disjoint else 0.0)
        proving = stretch(job.report, 0.4, 1.0, lambda _: "Computing the upper bound for all parts together")

        def listen(progress: Progress) -> None:
            if progress.upper is not None and clock.fell(progress.upper):
                subject.record_upper(subject.k, progress.upper, choice.r)
            proving(progress)

        lead = _found(job, subject, choice, choice.lead, 0.0, 0.4)
        if lead is not None:
            clock.found(math.fsum(lead.variances))
            wanted = job.asked or math.isinf(known.upper)
            if wanted and is_disjoint(lead) and not job.should_stop():
                clock.fell(proofs.prove(subject, job, lead, choice.r, on_progress=listen).upper)
        clock.end()

    key, forgets = subject.key("parts", subject.now.d, choice), [_part_key(subject, choice, choice.lead)]
    return Task("parts", key, work, forgets)


def others(subject: Subject, choice: Choices) -> Task | None:
    """Return the task of what the parts are compared with, which publishes parts by way; None where all is known."""
    ways = [way for way in choice.ways[1:] if cache.results().get(_part_key(subject, choice, way)) is None]

    def work(job: Job) -> None:
        for number, way in enumerate(ways):
            _found(job, subject, choice, way, number / len(ways), (number + 1) / len(ways))

    return Task("parts-others", subject.key("parts-others", subject.now.d, choice), work) if ways else None


def _found(job: Job, subject: Subject, choice: Choices, way: str, begin: float, end: float) -> Components | None:
    """Return the parts that a way finds, or has found, noted and published; None where the run is to stop before."""
    if job.should_stop():
        return None
    listen = stretch(job.report, begin, end, lambda at: f"{title_of(way, choice)}: {at}")
    solver = choice.lead if way == IN_TURN else way

    def find() -> Components:
        if way == "nmf" and of_samples(subject):
            take_apart, X = nmf.nmf_of_samples, subject.data.X
            return take_apart(X, subject.cov, choice.r, seed=subject.seed, should_stop=job.should_stop)
        more = dict[str, Any](arguments(way, choice, subject.now))
        more["nonnegative"] = subject.nonnegative and solver != "pca"
        return subject.call(job, nnspca.decompose, choice.r, subject.k, solver, on_progress=listen, **more)

    parts = cache.results().find(_part_key(subject, choice, way), find)
    subject.record(parts)
    job.publish((way, parts))
    return parts


def of_samples(subject: Subject) -> bool:
    """Tell whether NMF can take the samples themselves apart: they are nonnegative, and as they are."""
    return subject.data.kind != "covariance" and not subject.standardise and bool(subject.data.X.min() >= 0)


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


@dataclass(frozen=True, eq=False)
class View(Subject):
    """What the page shows: one value that every part of it reads."""

    choice: Choices
    rows: Mapping[int, Known]  # what the ledger knows of each number of parts
    results: Mapping[str, Components]  # the parts by way
    done: bool  # whether no run of them goes on

    @property
    def best(self) -> Known:
        """What is known of so many parts as are asked for."""
        return self.rows[self.choice.r]

    @property
    def lead(self) -> Components | None:
        """The parts that the page is about."""
        return self.results.get(self.choice.lead)

    @cached_property
    def by_chance(self) -> list[Chance]:
        """What chance gives beside each of so many parts found one after the other; empty where it is not known."""
        return chance.parts_at(self, self.choice.r)

    @cached_property
    def proof(self) -> PartsCertificate | None:
        """The tightest certificate that runs have made of the best parts known; None before."""
        tight, known = proofs.certificate_of_parts(self, self.choice.r), self.best
        if tight is None or not self.choice.disjoint:
            return None
        better = known.lower > tight.lower
        return replace(tight, parts=tuple(known.components), lower=known.lower) if better else tight


def view(subject: Subject, choice: Choices, jobs: Sequence[Job | None], *, done: bool) -> View:
    """Return all that is known by now, from the ledger and from runs of any visit, and from this page's if stopped."""
    rows = subject.parts_along(range(1, int(KEYS["r"].high or 1) + 1))
    known, came = rows[choice.r], dict[str, Components]()
    for way in choice.ways:
        if (parts := cache.results().get(_part_key(subject, choice, way))) is not None:
            came[way] = parts
    for job in jobs:
        came |= dict(job.results) if job is not None else {}
    live = came.get(choice.lead)
    if choice.best and known.found and (live is None or math.fsum(live.variances) < known.lower):
        best = tuple(known.components)
        sums = np.cumsum([part.variance for part in best])
        came[choice.lead] = Components(best, sums, subject.total, BEST, TOGETHER, best[0].nonnegative)
    results = {way: came[way] for way in choice.ways if way in came}
    return View(subject.data, subject.now, choice, rows, results, done)
