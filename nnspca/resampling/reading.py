"""Read what a caller gives for resampling: samples, in memory or in chunks, and the search that is repeated on them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nnspca.components._decompose import decompose
from nnspca.control.arguments import check_whole, shown
from nnspca.covariance import Covariance
from nnspca.covariance.forms import DENSE_EIGEN
from nnspca.covariance.input import Given, numbers, opened
from nnspca.covariance.samples import WHOLE, read, stated
from nnspca.covariance.sources import Source, chunked
from nnspca.errors import DataError
from nnspca.machines import HERE, Executor, check_executor
from nnspca.resampling.samples import ChunkedSamples, Samples
from nnspca.result import Components, ShouldStop
from nnspca.tasks._solve import check_method, check_seed

# Arguments of `decompose` that have no meaning within a resample (callbacks, executors and the like).
UNREAD = set(inspect.signature(decompose).parameters) - {"deflation", "min_angle", "starts", "options"}


def read_samples(data: object, standardize: bool | None, what: str) -> Samples:
    """Read the samples that a caller gives; ``what`` names the call; DataError if it cannot be done on them."""
    scaled = stated(standardize)
    if isinstance(data, Covariance):
        raise DataError(
            f"{what} needs the samples themselves: give the data X, samples as rows, not {shown(data)}, which no "
            "longer has them"
        )
    if (source := chunked(data)) is not None:
        return _of_source(source, scaled, what)
    given = opened(data)
    if given.is_matrix:
        raise DataError(
            f"{what} needs the samples themselves: {shown(getattr(data, 'name', 'this data set'))} is only a "
            "covariance matrix"
        )
    X = numbers(given.values)
    if X.ndim != 2 or min(X.shape) < 1:
        raise DataError(f"data must be a table of shape (samples, features); got shape {X.shape}")
    return Samples(X, scaled, replace(given, values=None))


def _of_source(source: Source, standardize: bool, what: str) -> Samples:
    """Rows that are read in chunks: in memory where they are few."""
    (m, n), names = source.shape, source.names
    if m is None or n is None:
        m = 0
        for chunk in source.chunks():
            m, n = m + chunk.shape[0], chunk.shape[1]
    assert n is not None
    if m * n <= WHOLE:
        return Samples(numbers(read(source, False)), standardize, Given(None, names))
    if n > 2 * DENSE_EIGEN:
        raise DataError(
            f"{what} of data that are not in memory takes up to {2 * DENSE_EIGEN:,} features; {source.what} has {n:,}. "
            f"Choose those that vary most: nnspca.most_variable(X, {DENSE_EIGEN}); or load the data into memory"
        )
    return ChunkedSamples(source, standardize, Given(None, names), m, n)


def workers_for(samples: Samples, executor: Executor, n_jobs: int | None) -> Executor:
    """Return where resamples are solved: those of data that are not in memory in the calling thread only."""
    check_executor(executor)
    if not isinstance(samples, ChunkedSamples):
        return executor
    if executor is not None or n_jobs is not None:
        given = f"executor={shown(executor)}" if executor is not None else f"n_jobs={shown(n_jobs)}"
        raise ValueError(
            f"{given} is not allowed for data that are not in memory: leave it out. Resamples are made one after the "
            "other, each in a pass over the data; the blocks of a dask array are summed by its workers"
        )
    return HERE


@dataclass(frozen=True)
class Search:
    """The number of components, solver, sign constraint, seed and other options of the search."""

    r: int
    method: str
    nonnegative: bool
    seed: int
    options: Mapping[str, Any]

    @classmethod
    def read(
        cls, samples: Samples, r: int, method: str, nonnegative: bool, seed: int, options: Mapping[str, Any]
    ) -> Search:
        """Check a caller's options; DataError if there are too few samples."""
        check_method(method, nonnegative)
        if unread := sorted(set(options) & UNREAD):
            given = f"{unread[0]}={shown(options[unread[0]])}"
            raise ValueError(f"{given} is not allowed here; give deflation, min_angle, starts or options of the method")
        m, n = samples.shape
        search = cls(check_whole("n_components", r, 1, n), method, bool(nonnegative), check_seed(seed), options)
        if m == 1:
            raise DataError("one sample has no variance; give at least 2 samples")
        return search

    def of(self, cov: Covariance, k: int | Sequence[int], should_stop: ShouldStop | None) -> Components:
        """Return the components of one covariance."""
        return decompose(
            cov,
            self.r,
            k,
            self.method,
            nonnegative=self.nonnegative,
            seed=self.seed,
            should_stop=should_stop,
            **self.options,
        )
