"""What is resampled: samples, in memory or in chunks, and the search that is repeated on them.

Of samples that are not in memory each resample is a weighted pass over them, which sums products of features.
"""

from __future__ import annotations

import hashlib
import inspect
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.components._decompose import decompose
from nnspca.control.arguments import check_whole, shown
from nnspca.control.progress import OnProgress, ShouldStop
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.factor import deviations, varies
from nnspca.covariance.forms import DENSE_EIGEN
from nnspca.covariance.input import Given, numbers, opened
from nnspca.covariance.samples import WHOLE, added, of_sums, read, stated
from nnspca.covariance.sources import Source, chunked, over_blocks
from nnspca.covariance.span import orthonormal
from nnspca.covariance.sums import Sums
from nnspca.errors import DataError
from nnspca.machines import HERE, Executor, check_executor
from nnspca.result import Components
from nnspca.tasks._solve import check_method, check_seed

PASSES = 2  # whose sums are held: those of the samples that are fitted, and of those held out
# Arguments of `decompose` that have no meaning within a resample (callbacks, executors and the like).
UNREAD = set(inspect.signature(decompose).parameters) - {"deflation", "min_angle", "starts", "options"}


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples as rows, and whether features are standardised."""

    X: Any  # ndarray or scipy.sparse.csr_array, shape (m, n)
    standardize: bool
    described: Given | None = None  # names and other facts about the features, without the numbers

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        m, n = self.X.shape
        return m, n

    def reporting(self, on_progress: OnProgress) -> Samples:
        """Return the same samples; passes over those that are not in memory are reported."""
        return self

    def covariance(self, rows: np.ndarray, should_stop: ShouldStop | None = None) -> Covariance | None:
        """Return the covariance of some samples, with repetition; None if they are all the same."""
        chosen = self.X[rows]
        if not varies(chosen).any():
            return None
        described = Given(chosen) if self.described is None else replace(self.described, values=chosen)
        return Covariance.from_data(described, self.standardize)

    def _measured(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean of some samples, and the factors of the features: 0 for constant ones, if standardised."""
        known = self.X[rows]
        scale = np.ones(self.shape[1])
        if self.standardize:
            used = varies(known)
            scale = np.where(used, 1.0, 0.0)
            scale[used] = 1.0 / deviations(known[:, np.flatnonzero(used)])
        return np.asarray(known.mean(axis=0)).ravel(), scale

    def explained(
        self, columns: np.ndarray, fitted: np.ndarray, rows: np.ndarray, should_stop: ShouldStop | None = None
    ) -> float:
        """Return the share of the squared distance of ``rows`` from the mean that lies in the span of ``columns``.

        Mean, and standard deviations where features are divided by them, are those of the samples
        ``fitted``. NaN where no row is away from the mean.

        >>> samples = Samples(np.array([[1.0, 1.0], [-1.0, -1.0], [3.0, 4.0]]), False)
        >>> samples.explained(np.array([[1.0], [0.0]]), np.array([0, 1]), np.array([2]))
        0.36
        """
        others, basis = self.X[rows], orthonormal(columns)
        mean, scale = self._measured(fitted)
        if scipy.sparse.issparse(others):
            weighted = scale[:, None] * basis
            inside = float(np.sum((others @ weighted - (mean @ weighted)) ** 2))
            each = np.asarray(others.multiply(others).sum(axis=0)).ravel()
            total = float(np.sum(scale**2 * (each - 2 * mean * np.asarray(others.sum(axis=0)).ravel())))
            total += len(rows) * float(np.sum((scale * mean) ** 2))
        else:
            scale = scale / (float((scale * np.abs(others - mean)).max()) or 1.0)  # so that no square overflows
            away = (others - mean) * scale
            inside, total = float(np.sum((away @ basis) ** 2)), float(np.sum(away**2))
        return min(inside / total, 1.0) if total > 0 else np.nan


@dataclass(frozen=True, eq=False)
class ChunkedSamples(Samples):
    """Rows that are read anew, a chunk at a time, for each resample; ``X`` is their source."""

    m: int = 0
    n: int = 0
    on_progress: OnProgress | None = None  # called with the progress of each pass
    _held: OrderedDict[bytes, Sums] = field(default_factory=OrderedDict)

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        return self.m, self.n

    def reporting(self, on_progress: OnProgress) -> Samples:
        """Return the same samples; each pass over them is reported."""
        return replace(self, on_progress=on_progress)

    def covariance(self, rows: np.ndarray, should_stop: ShouldStop | None = None) -> Covariance | None:
        """Return the covariance of some samples, with repetition; None if they are all the same."""
        sums = self._summed(rows, should_stop)
        if not sums.varies.any():
            return None
        made = of_sums(sums, self.standardize, None if sums.weighted else self.X.expected, last=False)
        return Covariance.of_read(made, self.standardize, self.X.names)

    def explained(
        self, columns: np.ndarray, fitted: np.ndarray, rows: np.ndarray, should_stop: ShouldStop | None = None
    ) -> float:
        """Return the share of the squared distance of ``rows`` from the mean that lies in the span of ``columns``.

        Mean and standard deviations are those of the samples ``fitted``. With the covariance A and the
        mean of ``rows``, and d the distance between the means, the mean square of x'(row − mean) is
        x'Ax + (x'd)².
        """
        known, others = (self._summed(part, should_stop) for part in (fitted, rows))
        with one_blas_thread():
            A, mean = known.result()
            scale = np.ones(self.n)
            if self.standardize:
                scale = np.divide(1.0, np.sqrt(A.diagonal()), out=np.zeros(self.n), where=known.varies)
            A, center = others.result()
            basis = scale[:, None] * orthonormal(columns)
            away = center - mean
            total = float(scale**2 @ (A.diagonal() + away**2))
            if not np.isfinite(total):
                raise DataError("the variance of a feature is too large for double precision: rescale the data")
            inside = float(np.sum(basis * (A @ basis)) + np.sum((away @ basis) ** 2))
        return min(inside / total, 1.0) if total > 0 else np.nan

    def _summed(self, rows: np.ndarray, should_stop: ShouldStop | None) -> Sums:
        """The sums of some samples: one pass, unless they are held from one of the last passes."""
        key = hashlib.blake2b(rows.tobytes()).digest()
        if key not in self._held:
            while len(self._held) >= PASSES:
                self._held.popitem(last=False)
            counts = np.bincount(rows, minlength=self.m).astype(np.float64)
            weights = None if (counts == counts[0]).all() else counts
            source = self.X.heeding(should_stop, self.on_progress)
            sums = over_blocks(source, Sums, weights) if source.blocks is not None else added(None, source, weights)
            sums.flush()
            self._held[key] = sums
        self._held.move_to_end(key)
        return self._held[key]


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
