"""The samples page's run: one component, then a second one; and where the samples lie along them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component
from nnspca.view.samples.choices import Choices
from nnspca.view.session import machines, runs, store
from nnspca.view.session.job import Job, Work
from nnspca.view.session.state import State


@dataclass(frozen=True, eq=False)
class Lie:
    """Where the samples lie.

    Attributes
    ----------
    scores : ndarray, shape (m,)
        Along the component.
    second : ndarray, shape (m,), or None
        Along the second one, once there is one.
    order : ndarray of int, shape (m,)
        The samples, highest score first; ties in their own order, as single precision has them.
    apart : tuple of float or None
        Area under the curve of each class against all others; empty where the samples have no
        class.
    """

    scores: np.ndarray
    second: np.ndarray | None
    order: np.ndarray
    apart: tuple[float | None, ...]


def start(data: Dataset, now: State, choice: Choices) -> Job:
    """Draw Run; return the page's job, or end the page here."""
    key = ("samples", *store.solve_key(data, now, choice.method, choice.options), choice.deflation)
    return runs.run("samples", key, lambda: _work(data, now, choice), now)


def _work(data: Dataset, now: State, choice: Choices) -> Work:
    """Return the work of the page: publishes a Component, then the second one where there are samples."""
    cov, known = store.covariance(data, now), store.results()
    key = store.solve_key(data, now, choice.method, choice.options)  # what the first screen found is here at once

    def solve(of: nnspca.Covariance, job: Job) -> Component:
        options = dict(choice.options)
        if "rank" in options:
            options["rank"] = min(options["rank"], of.n_features)
        return machines.call(
            nnspca.solve,
            of,
            min(now.k, of.n_features),
            choice.method,
            nonnegative=now.nonnegative,
            seed=now.seed,
            should_stop=job.should_stop,
            on_progress=job.report,
            **options,
        )

    def work(job: Job) -> None:
        first = known.get(key)
        if first is None:
            first = solve(cov, job)
            if not first.stopped:
                known.put(key, first)
        job.publish(first)
        used = first.loadings != 0
        if data.kind == "covariance" or job.should_stop() or (choice.deflation == "disjoint" and used.all()):
            return
        after = ("second", *key, choice.deflation)
        second = known.get(after)
        if second is None:
            left = nnspca.deflate(cov, first.loadings[:, None], choice.deflation)
            if left.trace <= 1e-12 * cov.trace:  # nothing varies any more
                return
            second = solve(left, job)
            loadings = np.zeros(cov.n_features)
            loadings[~used if choice.deflation == "disjoint" else slice(None)] = second.loadings
            second = replace(second, loadings=loadings, variance=cov.variance(loadings))
            if not second.stopped:
                known.put(after, second)
        job.publish(second)

    return work


def arrived(job: Job) -> tuple[Component | None, Component | None]:
    """Return what the job has handed over so far."""
    first, second, *_ = (*job.arrived, None, None)
    return first, second


def lie(data: Dataset, now: State, first: Component, second: Component | None) -> Lie | None:
    """Return where the samples lie; None where the data have no samples."""
    if data.kind == "covariance":
        return None
    U = np.column_stack([part.loadings for part in (first, second) if part is not None])
    along = nnspca.scores(data.X, U, mean="own", standardize=now.standardise)
    order = np.argsort(-along[:, 0].astype(np.float32), kind="stable")
    apart: tuple[float | None, ...] = ()
    if data.labels is not None:
        most = max(len(data.label_names), int(data.labels.max(initial=-1)) + 1)
        apart = nnspca.separation(along[:, 0], data.labels, most)
    return Lie(along[:, 0], None if second is None else along[:, 1], order, apart)


def why(data: Dataset, now: State, first: Component, feature: int) -> nnspca.Contribution:
    """Return what one feature does in the component."""
    return nnspca.contribution(store.covariance(data, now), first, feature)
