"""Masses: upper bounds on the weight x_i² of each feature in any optimal component.

Let x be optimal, J its support and OPT its variance. On J, x is an eigenvector:
``(Ax)_i = OPT x_i``. With ``b_i = ‖the k−1 largest A_ij⁺, j ≠ i‖`` (|A_ij| without the sign
constraint) and x of norm 1,

    OPT x_i = A_ii x_i + Σ_{j∈J∖i} A_ij x_j <= A_ii x_i + b_i √(1 − x_i²),

so that ``x_i² <= b_i² / (b_i² + (OPT − A_ii)²)`` where A_ii < OPT, which any attained variance LB
in OPT's place only raises. And ``OPT x_i = e_i'Ax <= √(A_ii OPT)`` (Cauchy and Schwarz in A):
``x_i² <= A_ii / LB``. The second needs no row of A, so rows are read by falling variance, and no
further than they can be among the largest masses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.bounds.companions import Companions
from nnspca.certificates.proofs import BoxProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.numerics.feasible import sum_of_largest


def attained(cov: Covariance, x: np.ndarray) -> float:
    """Return a lower bound, valid on any machine, on the variance of x scaled to norm 1."""
    size, terms = max(cov.trace, cov.form.rounding_scale), int(np.count_nonzero(x))
    rounding_loss = rounding.variances(cov.form.terms + terms, size) + cov.room()
    return (cov.variance(x) - rounding_loss) / rounding.raised(float(x @ x), terms + 8)


def by_variance(cov: Covariance, lower_bound: float) -> np.ndarray:
    """Return upper bounds on the masses by variance alone, rounded up; ``lower_bound`` is attained."""
    own = cov.diagonal * (1 + rounding.inner_products(cov.form.terms + 4)) + cov.room()
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
    cov, reading = problem.cov, rounding.inner_products(problem.cov.form.terms + 4)
    s = np.sqrt(cov.diagonal[rows] / lower_bound)
    company = np.sqrt(float(sum_of_largest(cov.diagonal, problem.k - 1)) / lower_bound)
    return reading * s * company + cov.room() / lower_bound + rounding.VANISHING


def left_by_others(cov: Covariance, lower_bound: float, rows: np.ndarray) -> np.ndarray:
    """Return 1 − A_ii in units of ``lower_bound``, rounded down: what i's companions have to contribute."""
    own = cov.diagonal[rows] * (1 + rounding.inner_products(cov.form.terms + 4)) + cov.room()
    return 1.0 - own / lower_bound - rounding.sums(8, 1.0)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Joint bounds on the masses of some features (:mod:`nnspca.bounds.boxes`), with their proof."""

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
        row_skip_threshold: float,
        most: int | None = None,
        joint: Boxes | None = None,
        companions: Companions | None = None,
    ) -> None:
        self.problem, self.lower_bound, self.monitor, self.row_skip_threshold = (
            problem,
            lower_bound,
            monitor,
            row_skip_threshold,
        )
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
        masses, order, step = self.masses, self._order, self.problem.cov.strip
        while self._rows_read < self.problem.n and masses[order[self._rows_read]] > self._least(wanted):
            if self._rows_read >= self.most or self.monitor.stop():
                return None
            rows = order[self._rows_read : self._rows_read + step]
            self._rows_read += len(rows)
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
        return max(
            self.row_skip_threshold,
            float(np.partition(self._row_masses, len(self._row_masses) - wanted)[len(self._row_masses) - wanted]),
        )


def largest(
    problem: Problem,
    lower_bound: float,
    wanted: int,
    monitor: Monitor,
    *,
    row_skip_threshold: float = 0.0,
    heavy: float = 1.0,
    allowed: int,
    most: int | None = None,
    companions: Companions | None = None,
) -> np.ndarray | None:
    """Return masses of all features, the ``wanted`` largest by their rows: see :class:`MassRanking`."""
    ranking = MassRanking(
        problem, lower_bound, monitor, row_skip_threshold=row_skip_threshold, most=most, companions=companions
    )
    return ranking.largest(wanted, heavy=heavy, allowed=allowed)


def every(problem: Problem, lower_bound: float, monitor: Monitor, *, row_skip_threshold: float) -> np.ndarray:
    """Return masses of all features, by rows for those above ``row_skip_threshold`` by variance.

    They hold of every x that is best on its own support and of variance ``lower_bound`` at least. If
    stopped, rows that were not read keep their bounds by variance.
    """
    masses = by_variance(problem.cov, lower_bound)
    heavy = np.flatnonzero(masses > row_skip_threshold)
    companions = Companions(problem, monitor)
    for start in range(0, len(heavy), problem.cov.strip):
        if monitor.stop():
            break
        rows = heavy[start : start + problem.cov.strip]
        masses[rows] = np.minimum(masses[rows], by_rows(problem, lower_bound, rows, companions))
        monitor.tell(start / len(heavy), "how much each feature can hold")
    return masses
