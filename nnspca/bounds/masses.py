"""Masses: upper bounds on the weight x_i² of each feature in any optimal component (docs/mathematics/elimination.md).

By variance, which needs no row of A; by rows, read by falling variance and no further than they can be among the
largest; and beside each other, where the masses of its companions limit that of each feature.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.bounds.companions import Companions
from nnspca.bounds.plan import ENTRY, SLOW
from nnspca.certificates.boxes import WIDEST
from nnspca.certificates.proofs import BoxProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.numerics.feasible import allowed, largest_values, sum_of_largest

# Of joint masses. At 16: −.0139 on LFW, k = 300, as an elimination takes the work of the relaxation.
STAGES = 6
# By which a price changes at most from one stage to the next. Half: −.0001, double: 0 on LFW, k = 40.
SLOWER = 4.0

# of arithmetic and memory, not tuned
STRIP = 64  # rows of a stage at a time: their intermediate results fit the cache
LEAST_PRICE, MOST_PRICE = 1e-12, 1e12  # of a price, in units of the optimum


def attained(cov: Covariance, x: np.ndarray) -> float:
    """Return a lower bound, valid on any machine, on the variance of x scaled to norm 1."""
    size, terms = max(cov.trace, cov.held.form.rounding_scale), int(np.count_nonzero(x))
    rounding_loss = rounding.variances(cov.held.form.terms + terms, size) + cov.held.room()
    return (cov.variance(x) - rounding_loss) / rounding.raised(float(x @ x), terms + 8)


def by_variance(cov: Covariance, lower_bound: float) -> np.ndarray:
    """Return upper bounds on the masses by variance alone, rounded up; ``lower_bound`` is attained."""
    own = cov.diagonal * (1 + rounding.inner_products(cov.held.form.terms + 4)) + cov.held.room()
    return np.minimum(rounding.raised(own / lower_bound, 8), 1.0)


def by_rows(problem: Problem, lower_bound: float, rows: np.ndarray, companions: Companions | None = None) -> np.ndarray:
    """Return upper bounds on the masses by the rows of A, rounded up."""
    # the rows of two machines differ by the drift in norm at most
    b = rounding.raised((companions or Companions(problem)).norms(rows) / lower_bound, 4)
    b += reading_error(problem, lower_bound, rows)
    room = left_by_others(problem.cov, lower_bound, rows)
    ratio = b / np.where(room > 0, room, 1.0)
    return np.where(room > 0, rounding.raised(ratio * ratio / (1 + ratio * ratio), 16), 1.0)


def reading_error(problem: Problem, lower_bound: float, rows: np.ndarray) -> np.ndarray:
    """Return the largest error of the sum of A_ij x_j over i's companions as read, ‖x‖ <= 1, in units of LB."""
    cov, reading = problem.cov, rounding.inner_products(problem.cov.held.form.terms + 4)
    s = np.sqrt(cov.diagonal[rows] / lower_bound)
    company = np.sqrt(float(sum_of_largest(cov.diagonal, problem.k - 1)) / lower_bound)
    return reading * s * company + cov.held.room() / lower_bound + rounding.VANISHING


def left_by_others(cov: Covariance, lower_bound: float, rows: np.ndarray) -> np.ndarray:
    """Return 1 − A_ii in units of ``lower_bound``, rounded down: what i's companions have to contribute."""
    own = cov.diagonal[rows] * (1 + rounding.inner_products(cov.held.form.terms + 4)) + cov.held.room()
    return 1.0 - own / lower_bound - rounding.sums(8, 1.0)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Bounds on the masses of some features beside each other, with their proof."""

    masses: np.ndarray
    proof: BoxProof


class MassRanking:
    """Upper bounds on the masses of all features, of which the largest are computed from rows on demand.

    Rows are read by falling variance, but none of features that can hold at most ``row_skip_threshold`` by their
    variance alone, and no more than ``most`` where it is given. Nor are rows of features whose
    joint bounds are known. Rows that ``companions`` has read are not read again.
    """

    def __init__(
        self,
        problem: Problem,
        lower_bound: float,
        monitor: Monitor,
        *,
        row_skip_threshold: float = 0.0,
        most: int | None = None,
        joint: Boxes | None = None,
        companions: Companions | None = None,
    ) -> None:
        self.problem, self.lower_bound, self.monitor = problem, lower_bound, monitor
        self.row_skip_threshold = row_skip_threshold
        self.most = problem.n if most is None else most
        self.masses = by_variance(problem.cov, lower_bound)
        self._settled = np.zeros(problem.n, dtype=bool)
        if joint is not None:
            self.masses[joint.proof.features] = joint.masses
            self._settled[joint.proof.features] = True
        self._order = np.argsort(-self.masses, kind="stable")
        self._companions = companions or Companions(problem, monitor)
        self._row_masses = np.zeros(0)
        self._rows_read = 0

    def largest(self, wanted: int, *, heavy: float = 1.0, allowed: int) -> np.ndarray | None:
        """Return the masses, with rows read until the ``wanted`` largest of all are certain.

        None where more than ``allowed`` features turn out to hold more than ``heavy``, too many
        rows would have to be read, or the call was stopped.
        """
        masses, order, step = self.masses, self._order, self.problem.cov.held.strip
        while self._rows_read < self.problem.n and masses[order[self._rows_read]] > self._least(wanted):
            rows = order[self._rows_read : self._rows_read + step]
            if self.most <= 0 or self.monitor.stop():
                return None
            self._rows_read += len(rows)
            self.most -= self._companions.unread(rows)
            # masses below the threshold stay as they are: the judge need not read their rows either
            rows = rows[masses[rows] > self.row_skip_threshold]
            read = rows[~self._settled[rows]]
            masses[read] = np.minimum(masses[read], by_rows(self.problem, self.lower_bound, read, self._companions))
            self._row_masses = np.concatenate([self._row_masses, masses[rows]])
            if np.count_nonzero(self._row_masses > heavy) > allowed:
                return None
        return masses

    def _least(self, wanted: int) -> float:
        """The mass below which features do not matter."""
        if len(self._row_masses) < wanted:
            return self.row_skip_threshold
        place = len(self._row_masses) - wanted
        return max(self.row_skip_threshold, float(np.partition(self._row_masses, place)[place]))


def beside_each_other(
    problem: Problem, lower_bound: float, mass_bounds: np.ndarray, monitor: Monitor, *, stages: int = STAGES
) -> Boxes | None:
    """Return masses below ``mass_bounds`` of the features of largest variance; None if too few features matter.

    They hold of any x of variance ``lower_bound`` at least that is best on its own support. A proof may begin with
    masses by variance. Each stage takes prices derived from the one before; stopped, those made so far count.
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
        if left > (1 - SLOW) * before:
            break
    return Boxes(known, BoxProof(features, np.array(prices))) if prices else None


def _read(
    problem: Problem, lower_bound: float, features: np.ndarray, monitor: Monitor
) -> tuple[np.ndarray, np.ndarray] | None:
    """A⁺ among the features, and the norm of the k−1 largest entries of each row; None if stopped."""
    cov, count = problem.cov, problem.k - 1
    A, norms = np.zeros((len(features), len(features))), np.zeros(len(features))
    for start in range(0, len(features), cov.held.strip):
        if monitor.stop():
            return None
        rows = slice(start, start + cov.held.strip)
        monitor.pay(cov.held.reading_seconds(features[rows]) * len(features) / problem.n)
        block = cov.block(features[rows], features) / lower_bound
        A[rows] = allowed(block, problem.nonnegative)
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
        variances = (
            cov.diagonal * (1 + rounding.inner_products(cov.held.form.terms + 4)) + cov.held.room()
        ) / lower_bound
        outside = float(np.delete(variances, features).max(initial=0.0))
        self.outside_share = rounding.raised(np.sqrt(variances[features]) * outside, 8)  # of a companion outside
        self.room, self.error = (
            left_by_others(cov, lower_bound, features),
            reading_error(problem, lower_bound, features),
        )
        room = np.maximum(self.room, LEAST_PRICE)
        self.first = np.clip(norms * np.sqrt(1 + (norms / room) ** 2), LEAST_PRICE, MOST_PRICE)  # without boxes

    def masses(self, known: np.ndarray, price: np.ndarray, monitor: Monitor) -> tuple[np.ndarray, np.ndarray]:
        """Return upper bounds on the masses, rounded up, and the prices of the next stage."""
        boxes, bounded, following = rounding.raised(np.sqrt(known), 2), np.ones(len(known)), price.copy()
        for start in range(0, len(known), STRIP):
            if monitor.stop():
                break
            rows = slice(start, start + STRIP)
            monitor.pay(ENTRY * self.A[rows].size)
            bounded[rows], following[rows] = self._of_rows(rows, boxes, price[rows])
        return bounded, following

    def _of_rows(self, rows: slice, boxes: np.ndarray, price: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        A, room, count = self.A[rows], self.room[rows], self.count
        at = np.minimum(A / price[:, None], boxes)  # the maximisers
        gains = at * (A - price[:, None] / 2 * at)
        if self.outside_share.any():
            np.maximum(gains, self.outside_share[rows, None], out=gains)
        largest = largest_values(gains, count)
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
        return masses, np.clip(price * np.clip(change, 1 / SLOWER, SLOWER), LEAST_PRICE, MOST_PRICE)
