"""Means and variances of features in one pass, for data of too many features to be multiplied."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from nnspca.covariance.passes import Pass


class Moments(Pass):
    """The mean of each feature over the rows seen so far, and its sum of squares about that.

    Each block adds its own mean and its own squares about it (Chan, Golub and LeVeque 1983), so that
    no digits are lost of a feature far from zero. Two that saw different rows add up: `merge`.

    >>> seen = Moments(2)
    >>> seen.add(np.array([[0.0, 1.0], [2.0, 1.0]]))
    >>> seen.add(np.array([[4.0, 4.0]]))
    >>> seen.mean, seen.variance.round(3)
    (array([2., 2.]), array([2.667, 2.   ]))
    """

    marked = False

    def __init__(self, n: int, **place: Any) -> None:
        super().__init__(n, **place)
        self.mean, self._squares = np.zeros(n), np.zeros(n)

    @property
    def variance(self) -> np.ndarray:
        """Variance (1/m) of each feature, shape (n,)."""
        return self._squares / max(1, self.count)

    def _take(self, block: Any) -> None:
        m = block.shape[0]
        if scipy.sparse.issparse(block):  # what is stored, and the zeros apart
            places = block.indices
            mean = np.bincount(places, weights=block.data, minlength=self.n) / m
            away = block.data - mean[places]
            squares = np.bincount(places, weights=away * away, minlength=self.n)
            squares += (m - np.bincount(places, minlength=self.n)) * mean * mean
        else:
            first = block.mean(axis=0)
            away = block - first
            mean, squares = first + away.mean(axis=0), np.einsum("ij,ij->j", away, away)
        self._merge(m, mean, squares)

    def _join(self, other: Moments) -> None:
        self._merge(other.count, other.mean, other._squares)

    def _merge(self, m: int, mean: np.ndarray, squares: np.ndarray) -> None:
        both = self.count + m
        with np.errstate(over="ignore", invalid="ignore"):
            apart = mean - self.mean
            self.mean = self.mean + apart * (m / both)
            self._squares = self._squares + squares + apart * apart * (self.count * m / both)
