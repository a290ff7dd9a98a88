"""The explore page's run: one component, then the proof of its place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Progress
from nnspca.view.certificate import proofs
from nnspca.view.session import machines, runs, store
from nnspca.view.session.runs import Job, Work
from nnspca.view.session.solver import Choices
from nnspca.view.session.state import State


def _solve_key(data: Dataset, now: State, choice: Choices) -> tuple[Hashable, ...]:
    """Return the key of one component."""
    return ("solve", *store.subject(data, now), now.k, choice.method, choice.options, now.seed)


def _prove_key(data: Dataset, now: State) -> tuple[Hashable, ...]:
    """Return the key of a certificate: it speaks about the problem, whichever solver ran."""
    return ("certify", *store.subject(data, now), now.k, now.seed)


def start(data: Dataset, now: State, choice: Choices) -> Job:
    """Draw Run; return the page's job, or end the page here."""
    view = data, now, choice
    return runs.run("explore", _solve_key(*view), _work(*view), now, afresh=lambda: _forget(*view))


def _work(data: Dataset, now: State, choice: Choices) -> Work:
    """Return the work of the page: solve, hand over the component, then prove its place.

    It publishes a Component, then a (Certificate, trace) pair.
    """
    cov, key, prove_key = store.covariance(data, now), _solve_key(data, now, choice), _prove_key(data, now)
    known = store.results()

    def work(job: Job) -> None:
        component = known.get(key)
        if component is None:
            component = machines.call(
                nnspca.solve,
                cov,
                now.k,
                choice.method,
                nonnegative=now.nonnegative,
                seed=now.seed,
                should_stop=job.should_stop,
                on_progress=_staged(job, "Solving"),
                **dict(choice.options),
            )
            if not component.stopped:
                known.put(key, component)
        job.publish(component)
        proof = known.get(prove_key)
        if proof is None and not job.should_stop():
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

    return work


def _forget(data: Dataset, now: State, choice: Choices) -> None:
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
    """Return what an explore run has handed over so far: component, certificate, trace."""
    component = job.arrived[0] if job.arrived else None
    certificate, trace = job.arrived[1] if len(job.arrived) > 1 else (None, ())
    return component, certificate, trace
