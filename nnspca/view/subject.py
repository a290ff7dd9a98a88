"""What a page is about: data as they are prepared, the sidebar's choices, and all that any run has found of them."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from nnspca import DEFLATIONS, Covariance
from nnspca.certificates.proofs import CarriedProof
from nnspca.control.arguments import Deflation
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Components, Judgement, PartsCertificate, PartsPoint, SweepPoint
from nnspca.solvers.registry import METHODS
from nnspca.studies.racing import Race
from nnspca.view import cache, ledger, machines
from nnspca.view.figures.band import Band
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.link.state import State
from nnspca.view.running import Key, Task
from nnspca.view.sources import preparation
from nnspca.view.stored import Problem

_T = TypeVar("_T")


JOINT: Deflation = "joint"
TOGETHER: Deflation = "together"
DISJOINT: Deflation = "disjoint"


def band_of(known: Iterable[Known], unit: float) -> Band:
    """Return what the band's figure draws; variances are divided by ``unit``."""
    rows = [row for row in known if row.found]
    return Band(
        tuple(row.at for row in rows),
        tuple(row.lower / unit for row in rows),
        tuple(row.upper / unit for row in rows),
        frozenset(row.at for row in rows if row.proven),
    )


def is_disjoint(parts: Components) -> bool:
    """Tell whether a joint bound speaks about these parts: no feature in two, and at most k in each."""
    return DEFLATIONS[parts.deflation].disjoint and bool(METHODS[parts.method].feasible)


@dataclass(frozen=True, eq=False)
class Subject:
    """What a page is about: data as they are prepared, the sidebar's choices, and what is known of them.

    A page makes one; its figures and tasks read it. What it computes it computes once.
    """

    data: Dataset
    now: State  # what the sidebar says
    # of that, as the library takes it
    k: int = field(init=False)
    seed: int = field(init=False)
    nonnegative: bool = field(init=False)
    standardise: bool = field(init=False)
    repaired: bool = field(init=False)  # whether the nearest covariance stands for the data, which are none

    def __post_init__(self) -> None:
        for name in ("k", "seed", "nonnegative", "standardise"):
            object.__setattr__(self, name, getattr(self.now, name))
        object.__setattr__(self, "repaired", preparation.is_repaired(self.data.name))

    @cached_property
    def cov(self) -> Covariance:
        """The covariance, which sessions share."""
        return preparation.covariance_for(self.data, self.standardise, self.repaired)

    @cached_property
    def total(self) -> float:
        """The variance of all features together, the unit in which pages say variances; 1 where nothing varies."""
        return self.cov.trace or 1.0

    @cached_property
    def least(self) -> float:
        """A lower bound on the variance of every feature, by which upper bounds are carried along k."""
        return preparation.least_variance(self.data, self.standardise, self.repaired)

    @property
    def problem(self) -> Problem:
        """The problem, k aside."""
        return self.data.content_hash, self.standardise, self.nonnegative

    def key(self, what: str, *about: Hashable) -> Key:
        """Return the key of a result for this k and seed, by which every page that asks for the same finds it."""
        return self.key_of(what, self.k, self.seed, *about)

    def key_of(self, what: str, *about: Hashable) -> Key:
        """Return the key of a result that does not depend on k and seed, or on others."""
        return what, self.data.name, *self.problem, bool(self.data.feature_titles), *about

    def task(self, kind: str, key: Key, function: Callable[..., object], *arguments: object, **settings: Any) -> Task:
        """Return the task of finding the result of a call; its listeners, settings ``on_…``, get the run first."""

        def work(job: Job) -> object:
            own = {name: functools.partial(told, job) for name, told in settings.items() if name.startswith("on_")}
            return self.find(job, key, function, *arguments, **settings | own)

        return Task(kind, key, work)

    def find(self, job: Job, key: Key, function: Callable[..., _T], *arguments: object, **settings: Any) -> _T:
        """Return the result of a call, recorded: it is kept for all visits, and taken from whichever has made it."""
        make = functools.partial(self.call, job, function, *arguments, **settings)
        result = cache.results().find(key, make, anew=job.asked)
        self.record(result)
        return result

    def call(
        self, job: Job, function: Callable[..., _T], *arguments: object, cov: Covariance | None = None, **settings: Any
    ) -> _T:
        """Call the library about the covariance, or the samples, with a run's progress and Stop.

        A function is given what it takes of the sidebar's choices; ``settings`` are its own, or take the place of
        these. What it finds, and each point on the way, is recorded, unless it is of another ``cov``.
        """
        takes = inspect.signature(function).parameters
        chosen = {"nonnegative": self.nonnegative, "standardize": self.standardise, "seed": self.seed}
        own = {"on_progress": job.report, **chosen}
        given = {name: value for name, value in own.items() if name in takes} | settings

        def listen(point: object) -> None:
            if cov is None:
                self.record(point)
            settings["on_point"](point)

        if "on_point" in settings:
            given["on_point"] = listen
        about: object = self.data if "data" in takes else cov or self.cov
        if "data" in takes or "on_point" in takes:  # many tasks
            result = function(about, *arguments, should_stop=job.should_stop, executor=machines.executor(), **given)
        else:
            result = machines.call(function, about, *arguments, should_stop=job.should_stop, **given)
        if cov is None:
            self.record(result)
        return result

    def record(self, *results: object) -> None:
        """Note what a run has found: components of solvers that keep k and signs, disjoint parts, and certificates.

        The first few of the parts are a find for their number too.
        """
        book = ledger.shared()
        for thing in results:
            if isinstance(thing, SweepPoint):
                self.record(thing.component, thing.certificate)
            elif isinstance(thing, PartsPoint):
                self.record(thing.together, thing.certificate)
            elif isinstance(thing, Race):
                self.record(*(lane.component for lane in thing.lanes))
                self.record_upper(self.k, math.inf if thing.upper is None else thing.upper)
            elif isinstance(thing, Judgement):
                self.record(*(proof for proof in thing.certificates if proof.nonnegative == self.nonnegative))
            elif isinstance(thing, Components):
                for r in range(1, len(thing.parts) + 1) if is_disjoint(thing) else ():
                    book.record(self.problem, self.k, thing.parts[:r], n_components=r)
            elif isinstance(thing, Certificate):  # the ledger carries bounds over by itself, and says from where
                own = (b.value for b in thing.bounds if b.deterministic and not isinstance(b.ingredients, CarriedProof))
                book.record(self.problem, thing.k, thing.component, min(own, default=math.inf))
            elif isinstance(thing, PartsCertificate):
                book.record(self.problem, thing.k, thing.parts, thing.upper, n_components=thing.n_components)
            elif isinstance(thing, Component) and thing.cardinality <= thing.k:
                method = METHODS.get(thing.method)
                if (thing.nonnegative or not self.nonnegative) and (method is None or method.feasible):
                    book.record(self.problem, thing.k, thing)

    def record_upper(self, k: int, upper: float, r: int = 1) -> None:
        """Note a proven upper bound at k, on r disjoint parts."""
        ledger.shared().record(self.problem, k, None, upper, n_components=r)

    def known_along(self, ks: Iterable[int]) -> Mapping[int, Known]:
        """Return what is known at each k."""
        return ledger.shared().along(self.problem, ks, self.least)

    def only(self, part: Component) -> Components:
        """Return a component as a decomposition into one part."""
        sums = np.array([part.variance])
        return Components((part,), sums, self.total, part.method, DISJOINT, nonnegative=part.nonnegative)

    def known_at(self, k: int | None = None) -> Known:
        """Return what is known at k, the sidebar's where none is named."""
        k = self.k if k is None else k
        return self.known_along((k,))[k]

    def known_parts(self, counts: Iterable[int]) -> dict[int, Known]:
        """Return what is known of each number of disjoint parts of at most k nonzeros.

        Disjoint parts never explain more than the total variance: a carried bound above it is left out.
        """
        rows = ledger.shared().parts_along(self.problem, self.k, counts, self.least)
        total = self.cov.trace
        return {
            r: replace(row, upper=math.inf) if row.upper > total and not row.proven else row for r, row in rows.items()
        }
