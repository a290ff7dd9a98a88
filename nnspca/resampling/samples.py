"""Samples for resampling, in memory, with the covariance of any subset and the variance explained on another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.control.progress import OnProgress, ShouldStop
from nnspca.covariance import Covariance
from nnspca.covariance.factor import deviations, varies
from nnspca.covariance.given import Given
from nnspca.covariance.span import orthonormal


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
