"""Companions: the norm of the k−1 largest off-diagonal entries of rows of A, each row read once.

``A = S'S/m − μμ'`` of sparse data: beside the stored entries of the product S'S a row holds nothing but −μ_i μ_j. Once
the k−1 largest ``A_ij`` among the stored reach the largest of those, none of the others is among them; the few rows for
which that does not hold are read in full. Dense data are read in single precision, by blocks of samples: the rounding
is at most γ s_i s_j an entry, hence γ s_i ‖s_J‖ in the norm of any k−1 of them.
"""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.factor import DenseFactor, SparseFactor
from nnspca.covariance.held import SELECTED
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding, singles
from nnspca.numerics.feasible import allowed, largest_entries, sum_of_largest
from nnspca.numerics.rounding import raised

STORED_ROW = 1e-4  # seconds that a row takes whose stored entries alone are selected from, beside its products


def seconds(problem: Problem, rows: np.ndarray) -> float:
    """Return about how many seconds it takes to read these rows: dense data in single precision, in half the time."""
    cov = problem.cov
    if isinstance(cov.held.factor, SparseFactor):
        return cov.held.reading_seconds(rows) + (STORED_ROW - SELECTED * problem.n) * len(rows)
    return cov.held.reading_seconds(rows) / (1 + isinstance(cov.held.factor, DenseFactor))


class Companions:
    """Upper bounds on the norm of the k−1 largest A_ij⁺, j ≠ i, of rows of A; of |A_ij| without the sign constraint."""

    def __init__(self, problem: Problem, monitor: Monitor | None = None) -> None:
        self.monitor = monitor or Monitor()
        self.problem, self.count = problem, problem.k - 1
        self._norms = np.full(problem.n, np.nan)
        self._size = float(problem.cov.diagonal.max()) or 1.0
        self._products: singles.SingleProducts | None = None

    def unread(self, rows: np.ndarray) -> int:
        """Return how many of these rows are still to be read."""
        return int(np.count_nonzero(np.isnan(self._norms[rows])))

    def norms(self, rows: np.ndarray) -> np.ndarray:
        """Return the norms of the companions of these rows as they are read, rounded up, shape (len(rows),)."""
        unread = rows[np.isnan(self._norms[rows])]
        if len(unread):
            self.monitor.pay(seconds(self.problem, unread))
            shares, error = self._shares(unread)
            squares = (shares * shares).sum(axis=-1)
            roots = rounding.raised(np.sqrt(rounding.raised(squares, 4 * (self.problem.k + 8))), 2)
            self._norms[unread] = (roots + error) * self._size
        return self._norms[rows]

    def _shares(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray | float]:
        """The k−1 largest shares of each row in units of the largest variance, so that no square overflows."""
        factor = self.problem.cov.held.factor
        if isinstance(factor, SparseFactor):
            return self._stored(rows, factor) / self._size, 0.0
        if isinstance(factor, DenseFactor):
            return self._single(rows, factor)
        return self._whole(rows) / self._size, 0.0

    def _single(self, rows: np.ndarray, factor: DenseFactor) -> tuple[np.ndarray, np.ndarray]:
        """The companions' norms in single precision, and a bound on the error of their norm."""
        if self._products is None:
            self._products = singles.SingleProducts(factor.Y / np.sqrt(self._size))
        shares = self._largest(self._products.at(rows, slice(None)), rows).astype(float)
        own = self.problem.cov.diagonal / self._size
        company = np.sqrt(float(sum_of_largest(own, self.count)))
        error = rounding.single_products(len(factor.Y), singles.SINGLE_ROWS) * np.sqrt(own[rows]) * company
        return shares, error + rounding.single_underflow(len(factor.Y) * self.problem.k)

    def _whole(self, rows: np.ndarray) -> np.ndarray:
        """The norms from all entries of the rows."""
        return self._largest(np.array(self.problem.cov.block(rows)), rows)

    def _largest(self, block: np.ndarray, rows: np.ndarray) -> np.ndarray:
        shares = allowed(block, self.problem.nonnegative, out=block)
        shares[np.arange(len(rows)), rows] = 0.0
        return largest_entries(shares, self.count)

    def _stored(self, rows: np.ndarray, factor: SparseFactor) -> np.ndarray:
        """The norms from the stored entries of the product; where they do not suffice, from all entries of a row."""
        largest, complete = np.zeros((len(rows), self.count)), np.zeros(len(rows), dtype=bool)
        product, mean = factor.stored_products(rows), factor.mean
        most, least = float(mean.max(initial=0.0)), float(mean.min(initial=0.0))
        for place, i in enumerate(rows):
            stored = slice(product.indptr[place], product.indptr[place + 1])
            columns = product.indices[stored]
            shares = allowed(product.data[stored] - mean[i] * mean[columns], self.problem.nonnegative)
            shares[columns == i] = 0.0
            if len(shares) < self.count:
                continue
            largest[place] = largest_entries(shares, self.count)
            unstored = max(-mean[i] * most, -mean[i] * least)
            if not self.problem.nonnegative:
                unstored = abs(mean[i]) * max(most, -least)
            complete[place] = largest[place].min(initial=np.inf) >= raised(unstored, 4)
        incomplete = np.flatnonzero(~complete)
        if len(incomplete):
            largest[incomplete] = self._whole(rows[incomplete])
        return largest
