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
from nnspca.view.session.job import Job
from nnspca.view.session.solver import Solver
from nnspca.view.session.state import State


def _prove_key(data: Dataset, now: State) -> tuple[Hashable, ...]:
    """Return the key of a certificate: it speaks about the problem, whichever solver ran."""
    return ("certify", *store.subject_key(data, now), now.k, now.seed)


def start(data: Dataset, now: State, choice: Solver) -> Job:
    """Draw Run; return the page's job, or end the page here."""
    view, key = (data, now, choice), store.solve_key(data, now, choice.method, choice.options)
    return runs.run("explore", key, lambda: _Way(*view).work, afresh=lambda: _forget(*view))


class _Way:
    """The way through the page's work: solve, hand over the component, prove its place, search on where that is asked.

    It publishes a Component, then (Certificate, trace) pairs, one with a first ceiling and one with
    all that a live proof has, then Components that are better, as they are met.
    """

    def __init__(self, data: Dataset, now: State, choice: Solver):
        self._now, self._choice, self._options = now, choice, dict(choice.options)
        self._cov, self._known = store.covariance(data, now), store.results()
        self._key = store.solve_key(data, now, choice.method, choice.options)
        self._prove_key = _prove_key(data, now)

    def work(self, job: Job) -> None:
        """Do it, once no other session seeks the same: that one's answer is taken."""
        with self._known.sought(self._key, job.should_stop):
            component, searches = self._found(job)
            job.publish(component)
            proof = self._known.get(self._prove_key)
            if proof is None and not job.should_stop():
                proof = self._proven(job, component)
            if proof is not None:
                job.publish(proof)
            if searches and not job.should_stop():
                self._search_on(job, component)

    def _found(self, job: Job) -> tuple[Component, bool]:
        """Return the component, and whether it is to be searched on: what is known was searched for already.

        A search that was asked for comes last, for it takes long: whoever waits has a component and
        its proof by then.
        """
        component = self._known.get(self._key)
        if component is not None:
            return component, False
        searches = bool(self._options.get("search"))
        component = self._solved(job, "Solving", {**self._options, "search": 0} if searches else self._options)
        if not component.stopped and not searches:
            self._known.put(self._key, component)
        return component, searches

    def _solved(self, job: Job, doing: str, options: dict[str, Any], on_found: OnFound | None = None) -> Component:
        return machines.call(
            nnspca.solve,
            self._cov,
            self._now.k,
            self._choice.method,
            nonnegative=self._now.nonnegative,
            seed=self._now.seed,
            should_stop=job.should_stop,
            on_progress=_staged(job, doing),
            on_found=on_found,
            **options,
        )

    def _proven(self, job: Job, component: Component) -> tuple[Certificate, tuple]:
        """Return the certificate and its trace; a first ceiling is shown until they are there."""
        cov, now = self._cov, self._now
        if _has_first_ceiling(cov, self._choice):
            first = machines.call(
                first_ceiling, cov, now.k, component, nonnegative=now.nonnegative, should_stop=job.should_stop
            )
            job.publish((first, ()))
        job.trace = ()
        certificate = machines.call(
            nnspca.certify,
            cov,
            now.k,
            nonnegative=now.nonnegative,
            component=component if self._choice.method == "best" else None,
            seed=now.seed,
            should_stop=job.should_stop,
            on_progress=_staged(job, "Proving a ceiling"),
        )
        proof = (certificate, job.trace)
        if not certificate.stopped:
            self._known.put(self._prove_key, proof)
        return proof

    def _search_on(self, job: Job, begun: Component) -> None:
        """Look for better components as long as was asked, or until Stop; each is handed over when it is met."""
        best = begun.variance

        def better(x: np.ndarray, _: float) -> None:
            nonlocal best
            if (variance := self._cov.variance(x)) > best * (1 + proofs.GAIN):
                best = variance
                note = "met while searching on"
                job.publish(dataclasses.replace(begun, loadings=x.copy(), variance=variance, note=note))

        found = self._solved(job, "Searching on", self._options, better)
        if found.variance >= best:
            job.publish(found)
        if not found.stopped:
            self._known.put(self._key, found)


def handed_first(data: Dataset, now: State, choice: Solver) -> int:
    """Return how many things the run hands over at once: a component, and a first ceiling where there is one."""
    return 1 + _has_first_ceiling(store.covariance(data, now), choice)


def _has_first_ceiling(cov: nnspca.Covariance, choice: Solver) -> bool:
    """Whether a first ceiling costs next to nothing; another solver's component need not be feasible."""
    return choice.method == "best" and cov.holds_entries


def _forget(data: Dataset, now: State, choice: Solver) -> None:
    """Throw away what is known of this component and its proofs, so that the next run starts from nothing."""
    store.results().drop(store.solve_key(data, now, choice.method, choice.options))
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
