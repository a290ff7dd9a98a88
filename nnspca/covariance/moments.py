"""Means and variances of features in one pass, for data of too many features to be multiplied."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.covariance.places import Places
from nnspca.numerics.doubles import as_doubles

AT_A_TIME = 2**20  # numbers of a block


class Moments:
    """The mean of each feature over the rows seen so far, and its sum of squares about that.

    Each block adds its own mean and its own squares about it (Chan, Golub and LeVeque 1983), so that
    no digits are lost of a feature far from zero. Two that saw different rows add up: `merge`.

    Attributes
    ----------
    n, count : int
        Features, and rows seen.
    mean : ndarray, shape (n,)

    Examples
    --------
    >>> seen = Moments(2)
    >>> seen.add(np.array([[0.0, 1.0], [2.0, 1.0]]))
    >>> seen.add(np.array([[4.0, 4.0]]))
    >>> seen.mean, seen.variance.round(3)
    (array([2., 2.]), array([2.667, 2.   ]))
    """

    def __init__(self, n: int, names: tuple[str, ...] | None = None, *, start: int = 0, chunk: int | None = 0) -> None:
        self.n, self.count, self.start = n, 0, start
        self.mean, self._squares = np.zeros(n), np.zeros(n)
        self._places = Places(names, start, chunk)

    @property
    def variance(self) -> np.ndarray:
        """Variance (1/m) of each feature, shape (n,)."""
        return self._squares / max(1, self.count)

    def add(self, rows: Any, weights: None = None) -> None:
        """Take rows, an array or a sparse array; DataError where a value is not finite."""
        step = rows.shape[0] if scipy.sparse.issparse(rows) else max(1, AT_A_TIME // self.n)
        for start in range(0, rows.shape[0], max(1, step)):
            some = rows[start : start + step]
            with np.errstate(over="ignore", invalid="ignore"):
                sums = self._of_sparse(some) if scipy.sparse.issparse(some) else self._of_dense(some)
            if not np.isfinite(sums[0]).all():
                self._places.refuse(some, self.start + self.count)
            self._join(some.shape[0], *sums)
        self._places.next(self.start + self.count)

    def _of_dense(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        block = as_doubles(rows)
        mean = block.mean(axis=0)
        away = block - mean
        return mean + away.mean(axis=0), np.einsum("ij,ij->j", away, away)

    def _of_sparse(self, rows: scipy.sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """What is stored, and the zeros apart."""
        by = scipy.sparse.csr_array(rows)
        by.sum_duplicates()
        data, m = as_doubles(by.data), rows.shape[0]
        mean = np.bincount(by.indices, weights=data, minlength=self.n) / m
        away = data - mean[by.indices]
        squares = np.bincount(by.indices, weights=away * away, minlength=self.n)
        return mean, squares + (m - np.bincount(by.indices, minlength=self.n)) * mean * mean

    def _join(self, m: int, mean: np.ndarray, squares: np.ndarray) -> None:
        both = self.count + m
        with np.errstate(over="ignore", invalid="ignore"):
            apart = mean - self.mean
            self.mean = self.mean + apart * (m / both)
            self._squares = self._squares + squares + apart * apart * (self.count * m / both)
        self.count = both

    def flush(self) -> None:
        """Nothing waits."""

    def copy(self) -> Moments:
        """Return one that can be added to while this stays as it is."""
        new = copy(self)
        new._places = deepcopy(self._places)
        return new

    def merge(self, other: Moments) -> Moments:
        """Take what another saw, of other rows of the same data."""
        self._join(other.count, other.mean, other._squares)
        return self
