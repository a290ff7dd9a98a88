"""Samples that lie on the workers of Dask: a resample is a pass there, and no sample leaves its worker."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.control.arguments import shown
from nnspca.covariance import Covariance
from nnspca.covariance.input import Given, numbers
from nnspca.covariance.problem import orthonormal
from nnspca.covariance.samples import Constant
from nnspca.covariance.sources import Source, summed
from nnspca.covariance.sums import Moments
from nnspca.machines import Executor, arrays
from nnspca.machines.workers import client_behind
from nnspca.resampling.samples import Samples, pieces

Shares = tuple[np.ndarray, np.ndarray]  # squared distances of features, and what pairs add, by group or in powers


@dataclass(frozen=True, eq=False)
class Spread(Samples):
    """Samples as rows of a Dask array, each taken as often as it is drawn; ``X`` is their source."""

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        m, n = self.X.blocks.shape
        return m, n

    def where(self, executor: Executor) -> Executor:
        """Return None: threads here wait for the workers that have the samples; ValueError for other workers."""
        if executor is not None and client_behind(super().where(executor)) is None:
            raise ValueError(
                f"executor={shown(executor)} would do nothing: the samples are on the workers of Dask and resampled "
                "there; give their client, or no executor"
            )
        return None

    def covariance(self, rows: np.ndarray) -> Covariance | None:
        """Return the covariance of some samples, a pass over the blocks."""
        rows, described = np.sort(rows), self.described or Given(None)
        weights = None if self.weights is None else self.weights[rows]
        if weights is not None and not weights.any():
            return None
        how: dict[str, Any] = {"center": self.center, "sample_weight": weights}
        with suppress(Constant):
            return Covariance.from_data(replace(described, values=self._taken(rows)), self.standardize, **how)
        return None

    def measured(self, cov: Covariance | None, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what samples are measured by."""
        if cov is not None:
            return super().measured(cov, rows)
        mean = summed(self._taken(rows[:1]), Moments).mean
        return mean * self.center, np.full(len(mean), 0.0 if self.standardize else 1.0)

    def explained(
        self, columns: np.ndarray, mean: np.ndarray, factors: np.ndarray, rows: np.ndarray
    ) -> tuple[float, float, float]:
        """Return the shares of the squared distance, a pass over the blocks."""
        rows, basis = np.sort(rows), orthonormal(columns)
        weights = np.ones(len(rows)) if self.weights is None else self.weights[rows] / self.weights.max()
        codes = np.zeros(len(rows)) if self.groups is None else self.groups[rows]
        count = 0 if self.groups is None else self.count
        leaf = partial(_explained, basis, mean, factors, count, self.weights is not None)
        source = self._taken(rows)
        beside = np.column_stack([weights, codes])
        own, pairs = arrays.total(source.blocks, leaf, _added, source.monitor, beside=beside)
        if not (total := float(own.sum())) > 0:
            return np.nan, np.nan, np.nan
        apart, beyond = float((basis**2).sum(axis=1) @ own) / total, float(pairs.sum() if count else pairs[0]) / total
        error = np.sqrt(pairs @ pairs if count else pairs[1]) / total
        return min(apart + beyond, 1.0), apart, float(error)

    def _taken(self, rows: np.ndarray) -> Source:
        """The source of some samples, in order, some of them several times."""
        import dask.array

        X = self.X.blocks
        counts = np.bincount(rows, minlength=X.shape[0])
        counts = counts.astype(np.min_scalar_type(int(counts.max(initial=0))))
        heights = tuple(int(counts[a:b].sum()) for a, b in pairwise(np.cumsum([0, *X.chunks[0]])))
        beside = dask.array.from_array(counts[:, None], chunks=(X.chunks[0], 1))
        drawn = X.map_blocks(_repeated, beside, chunks=(heights, X.chunks[1]), dtype=X.dtype, meta=X._meta)
        return replace(self.X, spread=drawn, rows=len(rows), n=X.shape[1], features=None)


def _repeated(rows: Any, counts: np.ndarray) -> Any:
    return rows[np.repeat(np.arange(rows.shape[0]), counts[:, 0])]


def _explained(
    basis: np.ndarray,
    mean: np.ndarray,
    factors: np.ndarray,
    count: int,
    weighted: bool,
    rows: Any,
    start: int,
    beside: np.ndarray,
) -> Shares:
    """On a worker: what one block adds, a sample of weight 4 as one twice as far away."""
    rows, (weights, codes) = numbers(rows), beside.T
    if weighted:
        rows = np.sqrt(weights)[:, None] * ((rows.toarray() if scipy.sparse.issparse(rows) else rows) - mean)
        mean = np.zeros_like(mean)
    own, pairs = pieces(rows, basis, mean, factors)
    return own, np.bincount(codes.astype(int), pairs, count) if count else np.array([pairs.sum(), pairs @ pairs])


def _added(shares: Sequence[Shares]) -> Shares:
    return sum(own for own, _ in shares), sum(pairs for _, pairs in shares)  # type: ignore[return-value]
