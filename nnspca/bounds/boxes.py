"""Boxes: bounds on the mass of each feature, given bounds on the masses of its companions.

The masses by rows (:mod:`nnspca.bounds.masses`) let the companions of a feature take whatever
loadings favour it most. But companion j holds at most m_j: ``0 <= x_j <= r_j = √m_j`` (|x_j|
without the sign constraint, and |A_ij| for A_ij⁺). So, for any price λ > 0 of weight,

    Σ_{j∈J∖i} A_ij x_j = λ Σ x_j²/2 + Σ (A_ij x_j − λ x_j²/2) <= λ (1 − x_i²)/2 + Φ,

Φ being the sum of the k−1 largest of ``φ_j = max over 0 <= x <= r_j of A_ij⁺ x − λ x²/2``. With
``(Ax)_i = OPT x_i``, all in units of OPT (or of any attained variance, which only raises what
follows), c = 1 − A_ii and b = λ/2 + Φ:

    c x_i + λ x_i²/2 <= b,    so that    x_i <= 2b / (c + √(c² + 2 λ b))      (c > 0).

Any price gives a proof, and at the best one Σ x_j² = 1 − x_i² holds for the maximisers. If these
meet no box, the result is the mass by rows. Smaller masses are smaller boxes for all others, so the
bounds are improved in *stages*, each at prices derived from the stage before.

Only a set C of features of largest variance takes part. Of a companion outside, ``A_ij <= s_i s_j`` and
``r_j <= s_j``, s² the variances, so that ``φ_j <= s_i max s_j²``.
"""

from __future__ import annotations

import numpy as np

from nnspca.bounds.masses import Boxes, left_by_others, reading_error
from nnspca.certificates.boxes import WIDEST
from nnspca.certificates.proofs import BoxProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.numerics.feasible import front_values, sum_of_largest

STAGES = 6
GAIN = 0.02  # share of the mass of all but the k largest: a stage that removes less is the last
READ = 256  # rows of A at a time
PRICE = 1.2e-8  # seconds an entry takes in a stage
STRIP = 64  # rows of a stage at a time: their intermediate results fit the cache
LEAST, MOST = 1e-12, 1e12  # of a price, in units of the optimum
SLOWER = 4.0  # by which a price changes at most from one stage to the next


def bounded_masses(
    problem: Problem, lower_bound: float, mass_bounds: np.ndarray, monitor: Monitor, *, stages: int = STAGES
) -> Boxes | None:
    """Return masses below ``mass_bounds`` of the features of largest variance; None if too few features matter.

    Parameters
    ----------
    problem : Problem
    lower_bound : float
        Attained: what follows holds of any x of at least this variance that is best on its own
        support.
    mass_bounds : ndarray, shape (n,)
        Masses known: by variance (:func:`nnspca.bounds.masses.by_variance`), which is what a proof
        may begin with.
    monitor : Monitor
        Stopped, the stages made so far count.
    stages : int
    """
    cov, k = problem.cov, problem.k
    features = np.sort(np.argsort(-cov.diagonal, kind="stable")[:WIDEST])
    if not 2 <= k < len(features):
        return None
    read = _read(problem, lower_bound, features, monitor)
    if read is None:
        return None
    stage, left = _Stage(problem, lower_bound, features, *read), np.inf
    known, price = mass_bounds[features], stage.first
    prices: list[np.ndarray] = []
    for _ in range(stages):
        masses, following = stage.masses(known, price, monitor)
        if monitor.stop():
            break
        prices.append(price)
        known, price = np.minimum(known, masses), following
        before, left = left, float(np.sort(known)[:-k].sum())  # those that could not all be in one component
        if left > (1 - GAIN) * before:
            break
    return Boxes(known, BoxProof(features, np.array(prices))) if prices else None


def _read(
    problem: Problem, lower_bound: float, features: np.ndarray, monitor: Monitor
) -> tuple[np.ndarray, np.ndarray] | None:
    """A⁺ among the features, and the norm of the k−1 largest entries of each row; None if stopped."""
    cov, count = problem.cov, problem.k - 1
    A, norms = np.zeros((len(features), len(features))), np.zeros(len(features))
    for start in range(0, len(features), READ):
        if monitor.stop():
            return None
        rows = slice(start, start + READ)
        monitor.pay(cov.reading_seconds(features[rows]) * len(features) / problem.n)
        block = cov.block(features[rows], features) / lower_bound
        A[rows] = np.maximum(block, 0.0) if problem.nonnegative else np.abs(block)
        A[rows, rows][np.diag_indices(len(block))] = 0.0
        norms[rows] = np.sqrt(sum_of_largest(A[rows] ** 2, count))
    return A, norms


class _Stage:
    """One stage: new masses from those before it, a strip of rows at a time."""

    def __init__(
        self, problem: Problem, lower_bound: float, features: np.ndarray, A: np.ndarray, norms: np.ndarray
    ) -> None:
        cov = problem.cov
        self.count, self.A = problem.k - 1, A
        variances = (cov.diagonal * (1 + rounding.inner_products(cov.form.terms + 4)) + cov.room()) / lower_bound
        outside = float(np.delete(variances, features).max(initial=0.0))
        self.outside_share = rounding.raised(np.sqrt(variances[features]) * outside, 8)  # of a companion outside
        self.room, self.error = (
            left_by_others(cov, lower_bound, features),
            reading_error(problem, lower_bound, features),
        )
        room = np.maximum(self.room, LEAST)
        self.first = np.clip(norms * np.sqrt(1 + (norms / room) ** 2), LEAST, MOST)  # the best prices without boxes

    def masses(self, known: np.ndarray, price: np.ndarray, monitor: Monitor) -> tuple[np.ndarray, np.ndarray]:
        """Return upper bounds on the masses, rounded up, and the prices of the next stage."""
        boxes, bounded, following = rounding.raised(np.sqrt(known), 2), np.ones(len(known)), price.copy()
        for start in range(0, len(known), STRIP):
            if monitor.stop():
                break
            rows = slice(start, start + STRIP)
            monitor.pay(PRICE * self.A[rows].size)
            bounded[rows], following[rows] = self._of_rows(rows, boxes, price[rows])
        return bounded, following

    def _of_rows(self, rows: slice, boxes: np.ndarray, price: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        A, room, count = self.A[rows], self.room[rows], self.count
        at = np.minimum(A / price[:, None], boxes)  # the maximisers
        gains = at * (A - price[:, None] / 2 * at)
        if self.outside_share.any():
            np.maximum(gains, self.outside_share[rows, None], out=gains)
        largest = front_values(gains, count)
        gained = rounding.raised(largest.sum(axis=1), 4 * (count + 8))
        b = rounding.raised(price / 2 + gained + self.error[rows], 4)
        root = np.sqrt(np.maximum(room, 0.0) ** 2 + 2 * price * b)
        x = 2 * b / (np.maximum(room, 0.0) + root)
        masses = np.where(room > 0, np.minimum(rounding.raised(x * x, 24), 1.0), 1.0)
        # the weight at the maximisers, as far as the price moves it and not the boxes
        weight = np.where(gains >= largest.min(axis=1, keepdims=True), at * at, 0.0)
        full = np.where(at >= boxes, weight, 0.0).sum(axis=1)
        free_mass = 1.0 - np.minimum(x * x, 1.0) - full
        moved = np.sqrt((weight.sum(axis=1) - full) / np.where(free_mass > 0, free_mass, 1.0))
        change = np.where(free_mass > 0, moved, 1 / SLOWER)
        return masses, np.clip(price * np.clip(change, 1 / SLOWER, SLOWER), LEAST, MOST)
