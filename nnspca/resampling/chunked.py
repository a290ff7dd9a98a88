"""Samples that are not in memory: each resample is a weighted pass over them, which sums products of features."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field, replace

import numpy as np

from nnspca.control.progress import OnProgress, ShouldStop
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance, spread
from nnspca.covariance.span import orthonormal
from nnspca.covariance.streamed import added, of_sums
from nnspca.covariance.sums import Sums
from nnspca.errors import DataError
from nnspca.resampling.samples import Samples

PASSES = 2  # whose sums are held: those of the samples that are fitted, and of those held out


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
        with one_blas_thread():
            streamed = of_sums(sums, self.standardize, None if sums.weighted else self.X.expected, last=False)
            return Covariance._of_read(streamed, self.standardize, self.X.names)

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
            if source.blocks is not None:
                sums = spread.over_blocks(source, Sums, weights)
            else:
                sums = added(None, source, weights)
            sums.flush()
            self._held[key] = sums
        self._held.move_to_end(key)
        return self._held[key]
