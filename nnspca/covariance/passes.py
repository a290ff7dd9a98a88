"""Passes over data that are neither held nor small enough for A: what each row adds, and a mark of all rows.

Row x counts as ``y = x − r``, r near the mean of each feature whose mean is more than 2 deviations from
zero, and 0 for all others, so that sparse rows stay sparse. With ``c = Σ y / m``,

    m A = Σ y y' − m c c',    ‖y_i‖² <= 5 m A_ii :

the difference costs a factor of five at most (:func:`nnspca.numerics.rounding.of_sums`, sparse). Each
pass adds up, beside what it is made for, a mark of the rows: data that changed since are recognised.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from scipy.linalg.blas import dgemm, dsyrk

from nnspca.covariance.factor import less
from nnspca.covariance.rows import NEAR, Pass, Ranged, Sampled, ranges

STRIP = 256  # rows of a sparse product at a time
DENSE = 1 / 60  # share of a dense product's multiplications from which a sparse product takes more time


class Squares(Ranged):
    """Sums and sums of squares of y, the range of each feature, and some of the rows."""

    def __init__(self, reference: np.ndarray | None, n: int, **place: Any) -> None:
        super().__init__(n, **place)
        self.reference = np.zeros(n) if reference is None else reference
        self.sums, self.squares = np.zeros(n), np.zeros(n)
        self.sample = Sampled()

    def _take(self, block: Any) -> None:
        self._widen(*ranges(block))
        self.sample.add(block, self.start + self.count)
        away = less(block, self.reference)
        if scipy.sparse.issparse(away):
            self.sums += np.bincount(away.indices, weights=away.data, minlength=self.n)
            self.squares += np.bincount(away.indices, weights=away.data * away.data, minlength=self.n)
        else:
            self.sums += away.sum(axis=0)
            self.squares += np.einsum("ij,ij->j", away, away)

    def _join(self, other: Squares) -> None:
        self.sums += other.sums
        self.squares += other.squares
        super()._join(other)
        self.sample.merge(other.sample)

    @property
    def offset(self) -> np.ndarray:
        """c, what the mean of each feature is beyond its reference, shape (n,)."""
        return self.sums / self.count

    @property
    def far(self) -> np.ndarray:
        """Whether too much of a feature's squares is that of c."""
        with np.errstate(over="ignore"):
            return self.varies & ~(self.count * self.offset**2 <= NEAR * self.squares)

    @property
    def variance(self) -> np.ndarray:
        """Variance (1/m) of each feature, 0 exactly where it never varies, shape (n,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            variance = self.squares / self.count - self.offset**2
        return np.where(self.varies, np.maximum(variance, 0.0), 0.0)


class Products(Pass):
    """``Σ y_i y`` for some features i, shape (features, n); against the same features only if ``square``."""

    def __init__(self, features: np.ndarray, reference: np.ndarray, square: bool, n: int, **place: Any) -> None:
        super().__init__(n, **place)
        self.features, self.reference, self.square = features, reference, square
        shape = (len(features), len(features) if square else n)
        self.products = np.zeros(shape, order="F" if square else "C")

    def _take(self, block: Any) -> None:
        if self.square:
            block, reference = block[:, self.features], self.reference[self.features]
            selected = away = less(block, reference)
        else:
            away = less(block, self.reference)
            selected = away[:, self.features]
        if scipy.sparse.issparse(away):
            if away.nnz * selected.nnz < DENSE * away.shape[0] ** 2 * self.products.size:
                return self._take_sparse(selected, away)
            height = max(1, min(2**22 // away.shape[1], away.shape[0]))
            for begin in range(0, away.shape[0], height):
                self.poll()
                few = slice(begin, begin + height)
                self._take_dense(selected[few].toarray(), away[few].toarray())
            return None
        return self._take_dense(selected, away)

    def _take_dense(self, selected: np.ndarray, away: np.ndarray) -> None:
        if self.square:
            self.products = dsyrk(1.0, away.T, beta=1.0, c=self.products, overwrite_c=True)
        else:  # transposed, so that nothing is copied
            products = dgemm(1.0, away.T, selected.T, beta=1.0, c=self.products.T, overwrite_c=True, trans_b=True)
            self.products = products.T

    def _take_sparse(self, selected: scipy.sparse.csr_array, away: scipy.sparse.csr_array) -> None:
        rows = scipy.sparse.csr_array(selected.T)
        for begin in range(0, len(self.features), STRIP):
            self.poll()
            few = slice(begin, begin + STRIP)
            products = rows[few] @ away
            products = np.triu(products.toarray(), begin) if self.square else products.toarray()
            self.products[few] += products

    def _join(self, other: Products) -> None:
        self.products += other.products

    def result(self) -> np.ndarray:
        """Return the sums, both triangles of a square."""
        if not self.square:
            return self.products
        return np.triu(self.products) + np.triu(self.products, 1).T


class Images(Pass):
    """``Σ y (y − c)'x`` for some x, rows (r, n)."""

    def __init__(self, x: np.ndarray, reference: np.ndarray, offset: np.ndarray, n: int, **place: Any) -> None:
        super().__init__(n, **place)
        self.x, self.reference, self.offset = x, reference, offset
        self.images = np.zeros(x.shape)

    def _take(self, block: Any) -> None:
        away = less(block, self.reference)
        z = away @ self.x.T - self.x @ self.offset
        self.images += (away.T @ z).T - np.outer(z.sum(axis=0), self.offset)

    def _join(self, other: Images) -> None:
        self.images += other.images


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
