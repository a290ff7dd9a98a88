"""The live run for the k that is shown: one component, then an upper bound; search on where that is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import nnspca
from nnspca.control.progress import OnFound, Progress
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component
from nnspca.tasks import first_upper_bound
from nnspca.view import cache, tasks
from nnspca.view.certificate import proofs
from nnspca.view.explore import path
from nnspca.view.explore.choices import Choices
from nnspca.view.jobs import machines
from nnspca.view.jobs.job import Job, stretch
from nnspca.view.link.solver import Solver
from nnspca.view.link.state import State
from nnspca.view.results import known
from nnspca.view.sources import store
from nnspca.view.tasks import Subject, Task

SOLVED = 0.2  # share of the progress at which the component is found


def start(data: Dataset, now: State, choice: Choices) -> Job:
    """Draw the button that solves live; return the run for the k that is shown."""
    subject, solver = Subject(data, now), choice.solver
    key = subject.key("solve", solver.method, solver.options)

    def forget() -> None:
        """Throw away what live runs have found: the next ones start from nothing. The ledger stays."""
        cache.results().drop(key)
        cache.results().drop(subject.key("certify"))
        proofs.forget(data, now, choice.ks)
        path.forget(data, now, choice.ks, choice.others)

    return tasks.ask(Task("explore", key, lambda: ExploreJob(data, now, solver).work, forget), tasks.solve())


def latest(job: Job) -> tuple[Component | None, Certificate | None]:
    """Return the last component and the last certificate of a run; a first, quick one is marked as stopped."""
    last = {type(thing): thing for thing in job.arrived}
    return last.get(Component), last.get(Certificate)


class ExploreJob:
    """Work for one k: solve, prove an upper bound, and search on where that is asked.

    It publishes a Component, then Certificates, one with a quick upper bound and one with all that a
    live proof has, then Components that are better, as they are met. All of it goes into the ledger;
    nothing is read from there.
    """

    def __init__(self, data: Dataset, now: State, choice: Solver):
        self._data, self._now, self._choice, self._options = data, now, choice, dict(choice.options)
        self._cov, self._known = store.covariance(data, now), cache.results()
        self._key = Subject(data, now).key("solve", choice.method, choice.options)
        self._prove_key = Subject(data, now).key("certify")  # of the problem, whichever solver ran

    def work(self, job: Job) -> None:
        """Do it, once no other session seeks the same: that one's answer is taken."""
        with self._known.sought(self._key, job.should_stop):
            component = self._known.get(self._key)
            # A search that was asked for comes last, as it takes long; what is known was searched for already.
            searches = component is None and bool(self._options.get("search"))
            if component is None:
                options = self._options | ({"search": 0} if searches else {})
                component = self._solved(job, "Solving", SOLVED, options)
                if not component.stopped and not searches:
                    self._known.put(self._key, component)
            self._hand_over(job, component)
            proof = self._known.get(self._prove_key)
            if proof is None and not job.should_stop():
                proof = self._proven(job, component)
            if proof is not None:
                self._hand_over(job, proof)
            if searches and not job.should_stop():
                self._search_on(job, component)

    def _hand_over(self, job: Job, thing: Component | Certificate) -> None:
        known.record(self._data, self._now, thing)
        job.publish(thing)

    def _solved(
        self, job: Job, doing: str, share: float, options: dict[str, Any], on_found: OnFound | None = None
    ) -> Component:
        """Return what the solver finds; its progress goes up to ``share``."""
        return machines.call(
            nnspca.solve,
            self._cov,
            self._now.k,
            self._choice.method,
            nonnegative=self._now.nonnegative,
            seed=self._now.seed,
            should_stop=job.should_stop,
            on_progress=stretch(job.report, 0.0, share, _while(doing)),
            on_found=on_found,
            **options,
        )

    def _proven(self, job: Job, component: Component) -> Certificate:
        """Return the certificate; a quick upper bound is shown until it is there."""
        cov, now = self._cov, self._now
        job.report(Progress(SOLVED, "Proving an upper bound"))
        if self._choice.method == "best" and cov.holds_entries:  # elsewhere it costs more, or may speak of no component
            first = machines.call(
                first_upper_bound, cov, now.k, component, nonnegative=now.nonnegative, should_stop=job.should_stop
            )
            self._hand_over(job, first)
        certificate = machines.call(
            nnspca.certify,
            cov,
            now.k,
            nonnegative=now.nonnegative,
            component=component if self._choice.method == "best" else None,
            seed=now.seed,
            should_stop=job.should_stop,
            on_progress=stretch(job.report, SOLVED, 1.0, _while("Proving an upper bound")),
        )
        if not certificate.stopped:
            self._known.put(self._prove_key, certificate)
            proofs.keep(certificate, self._data, now)
        return certificate

    def _search_on(self, job: Job, initial: Component) -> None:
        """Search for better components as long as was asked, or until Stop; each is handed over when it is met."""
        best = initial.variance

        def better(x: np.ndarray, _: float) -> None:
            nonlocal best
            if (variance := self._cov.variance(x)) > best * (1 + proofs.GAIN):
                best = variance
                note = "found while searching further"
                self._hand_over(job, dataclasses.replace(initial, loadings=x.copy(), variance=variance, note=note))

        result = self._solved(job, "Searching on", 1.0, self._options, better)
        if result.variance >= best:
            self._hand_over(job, result)
        if not result.stopped:
            self._known.put(self._key, result)


def _while(doing: str) -> Callable[[str], str]:
    """Return how a stage of one of the two runs is said."""
    return lambda stage: f"{doing}: {stage}" if stage else doing
