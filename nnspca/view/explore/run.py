"""The live run for the k that is shown: one component, then an upper bound."""

from __future__ import annotations

from collections.abc import Callable

import nnspca
from nnspca.control.progress import Progress
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
    """Work for one k: solve, and prove an upper bound.

    It publishes a Component, then Certificates, one with a quick upper bound and one with all that a
    live proof has. All of it goes into the ledger; nothing is read from there.
    """

    def __init__(self, data: Dataset, now: State, choice: Solver):
        self._data, self._now, self._choice = data, now, choice
        self._cov, self._known = store.covariance(data, now), cache.results()
        self._key = Subject(data, now).key("solve", choice.method, choice.options)
        self._prove_key = Subject(data, now).key("certify")  # of the problem, whichever solver ran

    def work(self, job: Job) -> None:
        """Do it, once no other session seeks the same: that one's answer is taken."""
        with self._known.sought(self._key, job.should_stop):
            component = self._known.get(self._key)
            if component is None:
                component = self._solved(job)
                if not component.stopped:
                    self._known.put(self._key, component)
            self._hand_over(job, component)
            proof = self._known.get(self._prove_key)
            if proof is None and not job.should_stop():
                proof = self._proven(job, component)
            if proof is not None:
                self._hand_over(job, proof)

    def _hand_over(self, job: Job, thing: Component | Certificate) -> None:
        known.record(self._data, self._now, thing)
        job.publish(thing)

    def _solved(self, job: Job) -> Component:
        """Return what the solver finds."""
        return machines.call(
            nnspca.solve,
            self._cov,
            self._now.k,
            self._choice.method,
            nonnegative=self._now.nonnegative,
            seed=self._now.seed,
            should_stop=job.should_stop,
            on_progress=stretch(job.report, 0.0, SOLVED, _while("Solving")),
            **dict(self._choice.options),
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


def _while(doing: str) -> Callable[[str], str]:
    """Return how a stage of one of the two runs is said."""
    return lambda stage: f"{doing}: {stage}" if stage else doing
