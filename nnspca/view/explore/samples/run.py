"""A second component for the samples, and the samples' positions along both."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Component
from nnspca.view import cache
from nnspca.view.jobs import machines, runs
from nnspca.view.jobs.job import Job
from nnspca.view.link.state import State
from nnspca.view.sources import store


@dataclass(frozen=True, eq=False)
class SamplePositions:
    """Scores and order of the samples."""

    scores: np.ndarray  # shape (m,): along the component
    second: np.ndarray | None  # shape (m,): along the second one, once there is one
    # shape (m,): the samples, highest score first; ties in their own order, as single precision has them
    order: np.ndarray
    # area under the curve of each class against all others; empty where the samples have no class
    apart: tuple[float | None, ...]


def start(first: Component, data: Dataset, now: State, deflation: str) -> Job:
    """Return the session's run of the second component, which publishes it where there is one; start it if need be."""
    support = hash(first.loadings.tobytes())
    key = ("second", *store.subject_key(data, now), now.k, now.seed, first.method, support, deflation)
    cov, known = store.covariance(data, now), cache.results()

    def work(job: Job) -> None:
        used = first.loadings != 0
        if data.kind == "covariance" or (deflation == "disjoint" and used.all()):
            return
        second = known.get(key)
        if second is None:
            left = nnspca.deflate(cov, first.loadings[:, None], deflation)
            if left.trace <= 1e-12 * cov.trace:  # nothing varies any more
                return
            second = machines.call(
                nnspca.solve,
                left,
                min(now.k, left.n_features),
                nonnegative=now.nonnegative,
                seed=now.seed,
                should_stop=job.should_stop,
                on_progress=job.report,
            )
            loadings = np.zeros(cov.n_features)
            loadings[~used if deflation == "disjoint" else slice(None)] = second.loadings
            second = replace(second, loadings=loadings, variance=cov.variance(loadings))
            if not second.stopped:
                known.put(key, second)
        job.publish(second)

    return runs.job_for("samples", key) or runs.start("samples", key, work)


def positions(data: Dataset, now: State, first: Component, second: Component | None) -> SamplePositions | None:
    """Return the samples' positions; None where the data have no samples."""
    if data.kind == "covariance":
        return None
    U = np.column_stack([part.loadings for part in (first, second) if part is not None])
    along = nnspca.scores(data.X, U, mean="own", standardize=now.standardise)
    order = np.argsort(-along[:, 0].astype(np.float32), kind="stable")
    apart: tuple[float | None, ...] = ()
    if data.labels is not None:
        most = max(len(data.label_names), int(data.labels.max(initial=-1)) + 1)
        apart = nnspca.separation(along[:, 0], data.labels, most)
    return SamplePositions(along[:, 0], None if second is None else along[:, 1], order, apart)


def why(data: Dataset, now: State, first: Component, feature: int) -> nnspca.Contribution:
    """Return what one feature does in the component."""
    return nnspca.contribution(store.covariance(data, now), first, feature)
