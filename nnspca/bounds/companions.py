"""Companions: the largest off-diagonal entries of rows of A; rows of sparse data are never made dense.

``A = S'S/m − μμ'`` of sparse data: beside the stored entries of the product S'S a row holds nothing
but −μ_i μ_j. Once the k−1 largest ``A_ij d_j`` among the stored reach the largest of those, none of
the others is among them; the few rows for which that does not hold are read in full.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse

from nnspca.control.progress import Monitor
from nnspca.covariance.factor import SparseFactor
from nnspca.covariance.problem import Problem
from nnspca.numerics.feasible import largest_entries
from nnspca.numerics.rounding import raised

QUIET = Monitor()


class Companions:
    """The k−1 largest shares A_ij⁺ d_j (|A_ij| d_j without the sign constraint), j ≠ i, of any rows of A.

    Parameters
    ----------
    problem : Problem
    weights : ndarray, shape (n,), optional
        d; 1 when None. They may be set anew.
    cache_entries : int
        Most stored entries of products that are cached for repeated requests.
    monitor : Monitor
        Pays for the rows that are read.
    """

    def __init__(
        self,
        problem: Problem,
        weights: np.ndarray | None = None,
        *,
        cache_entries: int = 0,
        monitor: Monitor = QUIET,
    ) -> None:
        self.monitor = monitor
        self.problem, self.weights, self.count = problem, weights, problem.k - 1
        self._cache: dict[bytes, scipy.sparse.csr_array] = {}
        self._room = cache_entries
        factor = problem.cov.factor
        self.factor = factor if isinstance(factor, SparseFactor) else None

    def largest(self, rows: np.ndarray) -> np.ndarray:
        """Return the k−1 largest shares of each row as they are read, ascending, shape (len(rows), k−1)."""
        if self.factor is None:
            return self._dense(rows)
        shares, complete = self._stored(rows, self.factor)
        incomplete = np.flatnonzero(~complete)
        if len(incomplete):
            shares[incomplete] = self._dense(rows[incomplete])
        return shares

    def _stored(self, rows: np.ndarray, factor: SparseFactor) -> tuple[np.ndarray, np.ndarray]:
        """The largest among the stored entries of the product, and whether no other entry of the row is larger."""
        largest, complete = np.zeros((len(rows), self.count)), np.zeros(len(rows), dtype=bool)
        product, mean = self._product(rows, factor), factor.mean
        pull = mean if self.weights is None else mean * self.weights
        most, least = float(pull.max(initial=0.0)), float(pull.min(initial=0.0))
        for place, i in enumerate(rows):
            stored = slice(product.indptr[place], product.indptr[place + 1])
            columns = product.indices[stored]
            shares = product.data[stored] - mean[i] * mean[columns]
            if not self.problem.nonnegative:
                np.abs(shares, out=shares)
            shares[columns == i] = 0.0
            if self.weights is not None:
                shares *= self.weights[columns]
            if len(shares) < self.count:
                continue
            largest[place] = np.maximum(largest_entries(shares, self.count), 0.0)
            unstored = max(-mean[i] * most, -mean[i] * least)
            if not self.problem.nonnegative:
                unstored = abs(mean[i]) * max(most, -least)
            complete[place] = largest[place].min(initial=np.inf) >= raised(unstored, 4)
        return largest, complete

    def _product(self, rows: np.ndarray, factor: SparseFactor) -> scipy.sparse.csr_array:
        """S'S / m at the rows, from the cache if it is there."""
        key = rows.tobytes()
        if key in self._cache:
            return self._cache[key]
        self.monitor.pay(self.problem.cov._reading_seconds(rows))
        product = factor.stored_products(rows)
        if product.nnz <= self._room:
            self._cache[key] = product
            self._room -= product.nnz
        return product

    def _dense(self, rows: np.ndarray) -> np.ndarray:
        """The same from all entries of the rows."""
        self.monitor.pay(self.problem.cov._reading_seconds(rows))
        block = self.problem.cov.block(rows)
        shares = np.maximum(block, 0.0) if self.problem.nonnegative else np.abs(block)
        shares[np.arange(len(rows)), rows] = 0.0
        if self.weights is not None:
            shares *= self.weights
        return largest_entries(shares, self.count)
