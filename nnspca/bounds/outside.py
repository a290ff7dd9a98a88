"""The rows outside a working set: the cost of each, and the largest θ that each row inside can afford for them."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.numerics.feasible import sum_of_largest

BISECTIONS = 60


@dataclass
class Outside:
    """The rows outside the working set, read in blocks."""

    problem: Problem
    monitor: Monitor
    max_rows_read: int = sys.maxsize  # maximum number of rows worth reading at a time

    def __post_init__(self) -> None:
        self.cov, self.k = self.problem.cov, self.problem.k
        self.deviations = np.sqrt(np.maximum(self.cov.diagonal, 0.0) + self.cov.drift)
        terms = self.cov.form.terms + 4
        self.reading_error = rounding.inner_products(terms)  # of an entry computed from a factor, in units of s_i s_j

    def negligible(self, rows: np.ndarray, inside: np.ndarray, limits: np.ndarray, level: float) -> np.ndarray:
        """Which rows cost at most ``level`` whatever their covariances: those need not be read."""
        s = self.deviations * (1 + self.reading_error)
        near = float(sum_of_largest(s[rows], self.k - 1))
        with np.errstate(over="ignore"):
            across = float(sum_of_largest(s[inside] ** 2 / limits, self.k - 1))
        return rounding.raised(s[rows] ** 2 * (1 + across) + s[rows] * near, 8 * (self.k + 8)) <= level

    def sums(
        self, rows: np.ndarray, inside: np.ndarray, limits: np.ndarray, prices: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """What each row costs, rounded up; infinite for those not reached when stopped.

        ``prices`` are subtracted from the shares of S; the joint dual adds them to its value elsewhere
        (:mod:`nnspca.bounds.parts.working`).
        """
        out = np.full(len(rows), np.inf)
        for start in range(0, len(rows), self.cov.strip):
            if self.monitor.stop():
                break
            chosen = rows[start : start + self.cov.strip]
            self.monitor.pay(self.cov.reading_seconds(chosen))
            block = self.cov.block(chosen)
            shares = np.maximum(block, 0.0) if self.problem.nonnegative else np.abs(block)
            shares += self.reading_error * self.deviations[chosen, None] * self.deviations + self.cov.drift
            if len(inside):
                with np.errstate(over="ignore"):
                    shares[:, inside] = np.maximum(rounding.raised(shares[:, inside] ** 2 / limits, 8) - prices, 0.0)
            shares[np.arange(len(chosen)), chosen] = 0.0
            own = self.cov.diagonal[chosen] * (1 + self.reading_error) + self.cov.drift
            out[start : start + self.cov.strip] = rounding.raised(
                own + sum_of_largest(shares, self.k - 1), 4 * (self.k + 8)
            )
        return out


def limits_at(base: np.ndarray, falling: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """For each row, the largest θ with ``base + Σ max(falling, θ)`` at most its level; ``falling``: (rows, k − 1)."""
    low, high = 1e-12 * levels, 2 * levels
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        fits = base + np.maximum(falling, middle[:, None]).sum(axis=1) <= levels
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return low
