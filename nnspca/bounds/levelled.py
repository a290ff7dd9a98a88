"""Levels all rows by few readings of A: the largest shares of each row are stored, with a bound on its others.

A power step of balanced rows needs the k−1 largest ``A_ij⁺ d_j`` of each row i. Read A once, at weights
e, and store the C > k largest ``A_ij⁺ e_j`` of each row, of which r_i is the least. At any other
weights d no share left out exceeds ``t_i = r_i max_j d_j/e_j``, so that the k−1 largest shares add up to no
more than the k−1 largest of ``max(A_ij⁺ d_j, t_i)`` over the stored ones. This upper bound is monotone and
homogeneous in d as well: power steps level it without reading A again, and the resulting value is a proven bound.
"""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible, rounding
from nnspca.numerics.feasible import sum_of_largest

STEPS = 10
STORED = 1e7  # maximum number of stored entries, unless k is larger
SPARE = 8  # least number of stored shares beyond the first k
AT_A_TIME = 512  # rows
GAIN = 5e-4  # least relative gain that one more reading has to promise
PRICE = 1e-8  # seconds a stored entry takes in a step
FLOOR = 1e-7  # least weight, relative to the largest


class StoredRows:
    """The largest shares of all rows at the weights e, and the cost of each row at e.

    Parameters
    ----------
    problem : Problem
    e : ndarray, shape (n,)
    monitor : Monitor
        If it stops the reading, ``complete`` is false, and the costs of the rows not read are bounded by
        standard deviations.
    """

    def __init__(self, problem: Problem, e: np.ndarray, monitor: Monitor) -> None:
        cov, n = problem.cov, problem.n
        self.problem, self.e, self.monitor, self.complete = problem, e, monitor, False
        self.size = float(cov.diagonal.max()) or 1.0  # single precision overflows above about 1e38
        self.s = np.sqrt(np.maximum(cov.diagonal, 0.0) + cov._drift)
        self.error = rounding.inner_products(2 * (cov._form.terms + problem.k + 8))
        width = min(n, max(problem.k + SPARE, min(2 * problem.k + 8 * SPARE, int(STORED / n))))
        self.columns = np.zeros((n, width), dtype=np.int32)
        self.entries, self.rest = np.zeros((n, width), dtype=np.float32), np.zeros(n)
        sums = np.full(n, np.inf)
        for start in range(0, n, cov._strip):
            if monitor.stop():
                break
            sums[start : start + cov._strip] = self._read(np.arange(start, min(start + cov._strip, n)))
        else:
            self.complete = True
        self.costs = np.minimum(self._costs(sums, e), self._cost_limit(e))

    def _read(self, rows: np.ndarray) -> np.ndarray:
        """Store the largest shares of these rows; return the sum of the k−1 largest of each."""
        cov = self.problem.cov
        self.monitor.pay(cov._reading_seconds(rows))
        block = cov.block(rows)
        shares = np.maximum(block, 0.0, out=block) if self.problem.nonnegative else np.abs(block, out=block)
        shares[np.arange(len(rows)), rows] = 0.0
        shares *= self.e
        columns = feasible.largest(shares, self.columns.shape[1])
        largest = np.take_along_axis(shares, columns, axis=1)
        self.columns[rows] = columns
        entries = (largest / self.e[columns] / self.size).astype(np.float32)
        self.entries[rows] = np.nextafter(entries, np.float32(np.inf))
        self.rest[rows] = largest.min(axis=1) if columns.shape[1] < self.problem.n else 0.0
        return sum_of_largest(largest, self.problem.k - 1)

    def bound(self, d: np.ndarray) -> float:
        """Return a proven upper bound on the largest row at the weights d."""
        return float(self._costs(self._all_sums(d), d).max())

    def reread_estimate(self, d: np.ndarray) -> float:
        """Estimate the least bound that reading A again at the weights d could prove: other shares count as zero."""
        return float((self.problem.cov.diagonal + self._all_sums(d, rest_factor=0.0) / d).max())

    def level(self) -> np.ndarray:
        """Return weights at which the rows are nearly level."""
        d, least = self.e / self.e.max(), np.inf
        d32, best = d.astype(np.float32), d
        own = self.problem.cov.diagonal
        for _ in range(STEPS):
            self.monitor.pay(PRICE * self.entries.size)
            image = own * d + self._all_sums(d32)
            most = float((image / d).max())
            if most < least:
                least, best = most, d
            if self.monitor.stop():
                break
            d = np.maximum(image / image.max(), FLOOR)
            d32 = d.astype(np.float32)
        return best

    def _all_sums(self, d: np.ndarray, rest_factor: float = 1.0) -> np.ndarray:
        """Upper bounds on the sum of the k−1 largest shares of each row, computed in blocks that fit the cache."""
        return np.concatenate(
            [self._sums(slice(at, at + AT_A_TIME), d, rest_factor) for at in range(0, len(d), AT_A_TIME)]
        )

    def _sums(self, rows: slice, d: np.ndarray, rest_factor: float) -> np.ndarray:
        """Upper bounds on the sum of the k−1 largest shares of each row; unstored ones times ``rest_factor``."""
        left_out = rest_factor * self.rest[rows] / self.size * float((d / self.e).max()) * (1 + 1e-6)
        shares = np.maximum(self.entries[rows] * d[self.columns[rows]], left_out[:, None].astype(d.dtype))
        return rounding.raised(sum_of_largest(shares, self.problem.k - 1), 4 * self.problem.k + 32) * self.size

    def _costs(self, sums: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Costs of the rows from these sums of shares, including reading error and drift."""
        cov = self.problem.cov
        return cov.diagonal + sums / d + self.error * self._cost_limit(d) + cov._drift_of_rows(d, self.problem.k) / d

    def _cost_limit(self, d: np.ndarray) -> np.ndarray:
        """Upper bounds on the costs of the rows, from standard deviations alone."""
        together = float(sum_of_largest(self.s * d, self.problem.k - 1))
        return (self.s**2 + self.s * together / d) * (1 + self.error)


def reading_seconds(problem: Problem) -> float:
    """Return about how many seconds it takes to read and level all rows once."""
    return problem.cov._reading_seconds(np.arange(problem.n)) + STEPS * PRICE * min(STORED, problem.n**2)


def level_rows(
    problem: Problem, least: float, best: np.ndarray, readings: int, monitor: Monitor
) -> tuple[float, np.ndarray]:
    """Return the least bound and its weights, from ``least`` and ``best``, by at most ``readings`` readings of A."""
    d, reading_cost = best, 0.0
    for _ in range(readings):
        if not monitor.affords(reading_cost):
            break
        rows, reading_cost = StoredRows(problem, d, monitor), reading_seconds(problem)
        if rows.costs.max() < least:
            least, best = float(rows.costs.max()), d
        if not rows.complete:
            break
        d = rows.level()
        value = rows.bound(d)
        if value < least:
            least, best = value, d
        if least - rows.reread_estimate(d) < GAIN * least:
            break
    return least, best
