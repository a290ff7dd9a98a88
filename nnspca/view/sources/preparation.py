"""Preprocessing, covariance and spectrum as sessions share them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import nnspca
from nnspca.bounds import carried
from nnspca.datasets import Dataset, preparing
from nnspca.result import Progress
from nnspca.view import cache, session
from nnspca.view.jobs import Job
from nnspca.view.running import Task
from nnspca.view.sources.hosted import Summed

QUICK_PRODUCTS = 3e9  # products of two numbers that a page makes itself, in half a second


def covariance_for(data: Dataset, standardise: bool, repair: bool) -> nnspca.Covariance:
    """Return the covariance of a data set, made where no session has asked for it.

    Raises nnspca.DataError: where it has none; this is held too, as finding it out takes as long.
    """
    cov = cache.get_or_create(*covariance_task(data, standardise, repair), "Preparing the covariance")
    if isinstance(cov, nnspca.DataError):
        raise nnspca.DataError(str(cov))
    return cov


def least_variance(data: Dataset, standardise: bool, repair: bool) -> float:
    """Return a lower bound on the variance of every feature."""
    cov, key = covariance_for(data, standardise, repair), covariance_task(data, standardise, repair)[0]
    return cache.shared().get(("least", key), lambda: carried.least_variance(cov))


def covariance_task(
    data: Dataset, standardise: bool, repair: bool
) -> tuple[Hashable, Callable[[], nnspca.Covariance | nnspca.DataError]]:
    """Return the key of a covariance and what makes it, or says why it cannot be made."""

    def form() -> nnspca.Covariance | nnspca.DataError:
        if isinstance(data, Summed):
            return data.scales[standardise]
        try:
            return nnspca.Covariance.from_dataset(data, standardize=standardise, repair=repair)
        except nnspca.DataError as problem:
            return nnspca.DataError(str(problem))

    return ("covariance", data.name, data.content_hash, hash(data.feature_titles), standardise, repair), form


def with_steps(raw: Dataset, steps: Sequence[str]) -> Dataset:
    """Return a data set after those of the steps that are possible with it, in their order."""
    done = [step for step in preparing.possible(raw) if step in steps] if steps else []
    if not done:
        return raw

    def make() -> Dataset:
        data = raw
        for step in done:
            data = preparing.STEPS[step].do(data)
        return data

    key = ("prepared", raw.name, raw.content_hash, hash(raw.feature_titles), *done)
    return cache.get_or_create(key, make, "Preparing the data")


def waits(data: Dataset, standardise: bool) -> bool:
    """Tell whether a covariance and its spectrum are still to be made and take longer than a page may be silent."""
    m, n = data.shape
    made = cache.shared().holds(("leading", covariance_task(data, standardise, is_repaired(data.name))[0]))
    return not made and not isinstance(data, Summed) and not data.is_sparse and m * n * min(m, n) > QUICK_PRODUCTS


def run(wanted: Sequence[tuple[Dataset, bool]]) -> Task:
    """Return the run that makes the covariance and the spectrum of data sets, each standardised or not."""
    views = [(data, standardise, is_repaired(data.name)) for data, standardise in wanted]
    shared = cache.shared()

    def work(job: Job) -> None:
        with job.uninterruptible():
            for i, view in enumerate(views):
                if not job.should_stop():
                    job.report(Progress(i / len(views), "Preparing the covariance"))
                    key, make = covariance_task(*view)
                    cov = shared.get(key, make)
                if not job.should_stop() and isinstance(cov, nnspca.Covariance):
                    job.report(Progress((i + 0.5) / len(views), "Computing the spectrum"))
                    shared.get(("leading", key), lambda cov=cov: cov.eigenpairs(1))  # type: ignore[misc]

    return Task("prepare", tuple(covariance_task(*view)[0] for view in views), work)


def is_repaired(name: str) -> bool:
    """Return whether a data set is a matrix for which this session took the nearest covariance."""
    own = session.current().desks.get(name)
    return own is not None and own.read is not None and own.read.repair
