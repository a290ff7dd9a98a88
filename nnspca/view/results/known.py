"""The one ledger that all visits share, by data set and state: pages read their numbers here, and runs write them."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import streamlit as st

from nnspca.bounds import carried
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, PartsCertificate, SweepPoint
from nnspca.solvers.registry import METHODS
from nnspca.view import cache
from nnspca.view.figures.band import Band
from nnspca.view.link.state import State
from nnspca.view.results import stored
from nnspca.view.results.ledger import Known, Ledger, Problem
from nnspca.view.session import Session
from nnspca.view.sources import store


@st.cache_resource(show_spinner=False)
def ledger() -> Ledger:
    """Return the ledger of all visits, the stored results in it."""
    book = Ledger()
    for record in stored.records().values():
        for k, (component, upper) in record.components.items():
            book.record(record.problem, k, component, upper, stored=True)
        for r, (parts, upper) in record.parts.items():
            book.record_parts(record.problem, record.opening, r, parts, upper, stored=True)
    return book


def problem(data: Dataset, now: State) -> Problem:
    """Return the problem that a page is about, k aside."""
    return data.content_hash, now.standardise, now.nonnegative


def record(data: Dataset, now: State, *results: Component | Certificate | SweepPoint | PartsCertificate) -> None:
    """Note what a run has found: components of solvers that keep k and signs, and certificates."""
    book, about = ledger(), problem(data, now)
    for thing in results:
        if isinstance(thing, SweepPoint):
            record(data, now, thing.component, *filter(None, [thing.certificate]))
        elif isinstance(thing, Certificate):
            book.record(about, thing.k, thing.component, thing.upper)
        elif isinstance(thing, PartsCertificate):
            book.record_parts(about, thing.k, thing.n_components, thing.parts, thing.upper)
        elif (thing.nonnegative or not now.nonnegative) and thing.cardinality <= thing.k:
            method = METHODS.get(thing.method)
            if method is None or method.feasible:
                book.record(about, thing.k, thing)


def along(data: Dataset, now: State, ks: Iterable[int]) -> dict[int, Known]:
    """Return what is known at each k."""
    return ledger().along(problem(data, now), ks, _least(data, now))


def at(data: Dataset, now: State, k: int | None = None) -> Known:
    """Return what is known at k, the sidebar's where none is named."""
    k = now.k if k is None else k
    return along(data, now, (k,))[k]


def parts_along(data: Dataset, now: State, counts: Iterable[int]) -> dict[int, Known]:
    """Return what is known of each number of disjoint parts of at most k nonzeros.

    Disjoint parts never explain more than the total variance: a carried bound above it is left out.
    """
    rows = ledger().parts_along(problem(data, now), now.k, counts, _least(data, now))
    total = store.covariance(data, now).trace
    return {r: replace(row, upper=math.inf) if row.upper > total and not row.proven else row for r, row in rows.items()}


def _least(data: Dataset, now: State) -> float:
    return carried.least_variance(store.covariance(data, now))


def band_of(known: Iterable[Known], unit: float) -> Band:
    """Return what the band's figure draws; variances are divided by ``unit``."""
    rows = [row for row in known if row.found]
    return Band(
        tuple(row.at for row in rows),
        tuple(row.lower / unit for row in rows),
        tuple(row.upper / unit for row in rows),
        frozenset(row.at for row in rows if row.proven),
    )


def record_upper(data: Dataset, now: State, k: int, upper: float) -> None:
    """Note a proven upper bound at k."""
    ledger().record(problem(data, now), k, None, upper)


def forgetting(visit: Session) -> Callable[[], None]:
    """Return what lets go of a visit's files and of all that was computed of them, in whichever thread."""
    shared, results, book, brought = cache.shared(), cache.results(), ledger(), visit.brought

    def forget() -> None:
        made = shared.forget(set(brought))
        results.forget(set(brought))
        book.forget({*brought.values(), *(thing.content_hash for thing in made if isinstance(thing, Dataset))})
        visit.uploads.clear()
        visit.jobs.clear()
        st.cache_data.clear()  # pictures
        del made
        gc.collect()  # what runs and sessions hold is in cycles

    return forget
