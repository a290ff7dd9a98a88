"""The explore page's run: one component, then the proof of its place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

import nnspca
from nnspca.calls.progress import OnFound
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Progress
from nnspca.tasks import first_ceiling
from nnspca.view.certificate import proofs
from nnspca.view.session import machines, runs, store
from nnspca.view.session.job import Job, Work
from nnspca.view.session.solver import Solver
from nnspca.view.session.state import State


def _solve_key(data: Dataset, now: State, choice: Solver) -> tuple[Hashable, ...]:
    """Return the key of one component."""
    return ("solve", *store.subject(data, now), now.k, choice.method, choice.options, now.seed)


def _prove_key(data: Dataset, now: State) -> tuple[Hashable, ...]:
    """Return the key of a certificate: it speaks about the problem, whichever solver ran."""
    return ("certify", *store.subject(data, now), now.k, now.seed)


def start(data: Dataset, now: State, choice: Solver) -> Job:
    """Draw Run; return the page's job, or end the page here."""
    view = data, now, choice
    return runs.run("explore", _solve_key(*view), lambda: _work(*view), now, afresh=lambda: _forget(*view))


def _work(data: Dataset, now: State, choice: Solver) -> Work:
    """Return the work of the page: solve, hand over the component, prove its place, and search on where that is asked.

    It publishes a Component, then (Certificate, trace) pairs, one with a first ceiling and one with
    all that a live proof has, then Components that are better, as they are met.
    """
    cov, key, prove_key = store.covariance(data, now), _solve_key(data, now, choice), _prove_key(data, now)
    known, options = store.results(), dict(choice.options)

    def solved(job: Job, doing: str, options: dict[str, Any], on_found: OnFound | None = None) -> Component:
        return machines.call(
            nnspca.solve,
            cov,
            now.k,
            choice.method,
            nonnegative=now.nonnegative,
            seed=now.seed,
            should_stop=job.should_stop,
            on_progress=_staged(job, doing),
            on_found=on_found,
            **options,
        )

    def glimpse(job: Job, component: Component) -> Certificate:
        """Return a first ceiling, to be shown until the proof is there."""
        return machines.call(
            first_ceiling, cov, now.k, component, nonnegative=now.nonnegative, should_stop=job.should_stop
        )

    def search_on(job: Job, begun: Component) -> None:
        """Look for better components as long as was asked, or until Stop; each is handed over when it is met."""
        best = begun.variance

        def better(x: np.ndarray, _: float) -> None:
            nonlocal best
            if (variance := cov.variance(x)) > best * (1 + proofs.GAIN):
                best = variance
                note = "met while searching on"
                job.publish(dataclasses.replace(begun, loadings=x.copy(), variance=variance, note=note))

        found = solved(job, "Searching on", options, better)
        if found.variance >= best:
            job.publish(found)
        if not found.stopped:
            known.put(key, found)

    def work(job: Job) -> None:
        with known.sought(key, job.should_stop):
            seek(job)

    def seek(job: Job) -> None:
        component = known.get(key)
        searches = component is None and bool(options.get("search"))
        if component is None:
            component = solved(job, "Solving", {**options, "search": 0} if searches else options)
            if not component.stopped and not searches:
                known.put(key, component)
        job.publish(component)
        proof = known.get(prove_key)
        if proof is None and not job.should_stop():
            if _has_first_ceiling(cov, choice):
                job.publish((glimpse(job, component), ()))
            job.trace = ()
            certificate = machines.call(
                nnspca.certify,
                cov,
                now.k,
                nonnegative=now.nonnegative,
                component=component if choice.method == "best" else None,
                seed=now.seed,
                should_stop=job.should_stop,
                on_progress=_staged(job, "Proving a ceiling"),
            )
            proof = (certificate, job.trace)
            if not certificate.stopped:
                known.put(prove_key, proof)
        if proof is not None:
            job.publish(proof)
        if searches and not job.should_stop():
            search_on(job, component)

    return work


def handed_first(data: Dataset, now: State, choice: Solver) -> int:
    """Return how many things the run hands over at once: a component, and a first ceiling where there is one."""
    return 1 + _has_first_ceiling(store.covariance(data, now), choice)


def _has_first_ceiling(cov: nnspca.Covariance, choice: Solver) -> bool:
    """Whether a first ceiling costs next to nothing; another solver's component need not be feasible."""
    return choice.method == "best" and cov.holds_entries


def _forget(data: Dataset, now: State, choice: Solver) -> None:
    """Throw away what is known of this component and its proofs, so that the next run starts from nothing."""
    store.results().drop(_solve_key(data, now, choice))
    store.results().drop(_prove_key(data, now))
    proofs.forget(data, now, (now.k,))


def _staged(job: Job, doing: str) -> Callable[[Progress], None]:
    """Return a listener that says which of the two stages the progress belongs to."""

    def listen(progress: Progress) -> None:
        job.report(dataclasses.replace(progress, stage=f"{doing}: {progress.stage}" if progress.stage else doing))

    return listen


def arrived(job: Job) -> tuple[Component | None, Certificate | None, tuple]:
    """Return what an explore run has handed over so far: the last component, certificate, trace."""
    parts = [thing for thing in job.arrived if isinstance(thing, Component)]
    certificate, trace = ([thing for thing in job.arrived if isinstance(thing, tuple)] or [(None, ())])[-1]
    part = parts[-1] if parts else None
    if part is not None and certificate is not None and part.method == "best":
        certificate = proofs.attained(certificate, part)
    return part, certificate, trace
