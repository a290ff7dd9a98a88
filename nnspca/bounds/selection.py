"""Which features T an elimination keeps: as few as cost almost no tightness, by their masses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.bounds import masses
from nnspca.bounds.plan import MOST_KEPT, SMALLEST
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding

# Factor between successive trial sizes of T. At 1.125 and 1.5: −.0001 on LFW, k = 40, and +.001 on 49 × 7,129, k = 50.
WIDER = 1.25
# Share of the variance that fewer features lose by which their bound does not fall. Half: −.0047 on Leukemia
# standardised, k = 50, double: −.0264 on 49 × 7,129, k = 50.
LOOSER = 0.25
# Mass outside above which a larger T pays more than further steps. Half: 0 on LFW, k = 40; with T
# never enlarged, −.0028 on Leukemia standardised, k = 50.
LARGE_MASS = 0.5


@dataclass(frozen=True)
class Limits:
    """Limits on T and on the cost of choosing it."""

    features: int  # of T at most
    loss: float  # share of the bound that may be lost for a smaller T, whose relaxations converge faster
    smallest: int = SMALLEST  # least number of features of T
    max_rows_read: int | None = None
    must_suffice: bool = False  # where there is a bound on all features instead: T has to lose at most ``loss``


@dataclass(frozen=True, eq=False)
class Selection:
    """A choice of T: its features, and ε_q of those outside for q = 0, 1, …"""

    inside: np.ndarray
    excluded_mass: np.ndarray

    @property
    def cost(self) -> tuple[int, float]:
        """Fewer features are better, or as many with less mass outside."""
        return len(self.inside), float(self.excluded_mass.sum())


def sufficient(
    ranking: masses.MassRanking, support: np.ndarray, shares: np.ndarray, limits: Limits, least: float
) -> Selection | None:
    """Return the smallest T tried, the support in it, whose bound loses at most ``limits.loss``, else the largest.

    The bound on T is assumed to be tight for k features; for fewer it falls by a share 1 − ``LOOSER`` of what the
    variance loses, of which ``shares`` are left. None if no T promises a bound below ``least``, relative to the
    variance, or if too much mass is outside.
    """
    mass, order, k = ranking.masses, support, len(shares) - 1
    single_share = 1.0 - shares[1] if k else 1.0  # of one feature
    size, is_sufficient, excluded_mass = 0, False, np.zeros(1)
    size_if_tight = 0  # the least size tried that suffices if the bounds for fewer features are tight, too
    next_size = max(limits.smallest, len(support))

    def outside(size: int) -> np.ndarray:
        """ε_q of the features outside the first ``size``."""
        return cumulative_masses(mass[order[size - len(support) :][:k]])

    while not is_sufficient and size < limits.features:
        size = min(next_size, limits.features)
        if ranking.largest(size + k, heavy=single_share + limits.loss, allowed=limits.features) is None:
            return None
        order = np.argsort(-mass, kind="stable")
        order = order[~np.isin(order, support)]
        excluded_mass = outside(size)
        # relative excess of the bound with q features outside over that with none
        here = shares[: len(excluded_mass)]
        loose = here + LOOSER * (1 - here)
        is_sufficient = bool((_extended_to_all(loose, excluded_mass)[1:] - 1 <= limits.loss).all())
        if not size_if_tight and (_extended_to_all(here, excluded_mass)[1:] - 1 <= limits.loss).all():
            size_if_tight = size
        next_size = int(WIDER * size) + 1
    if not is_sufficient and (limits.must_suffice or excluded_mass[-1] > LARGE_MASS):
        if not 0 < size_if_tight <= MOST_KEPT // 2:
            return None
        size = size_if_tight
    excluded_mass = outside(size)
    if _extended_to_all(shares[: len(excluded_mass)], excluded_mass).max() >= least:
        return None
    return Selection(np.sort(np.concatenate([support, order[: size - len(support)]])), excluded_mass)


def _extended_to_all(shares: np.ndarray, excluded_mass: np.ndarray) -> np.ndarray:
    """The bound on all features that follows from one on T; infinite if all of the mass could lie outside."""
    left = 1 - excluded_mass
    return np.where(left > 0, shares / np.where(left > 0, left, 1.0), np.inf)


def cumulative_masses(descending_masses: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, … masses, rounded up."""
    return np.concatenate([[0.0], rounding.raised(np.cumsum(descending_masses), len(descending_masses) + 8)])


def kept_shares(problem: Problem, x: np.ndarray, lower_bound: float) -> np.ndarray:
    """About the share of the variance that k − q features attain, for q = 0 … k: x cut to its largest loadings."""
    support = np.flatnonzero(x)
    order = support[np.argsort(-np.abs(x[support]), kind="stable")]
    A = problem.cov.block(order, order)
    sizes = np.unique(np.concatenate([[1], len(order) - np.geomspace(1, len(order), 16).astype(int) + 1]))
    attained = []
    for size in sizes:
        z = x[order[:size]]
        for _ in range(3):
            z = A[:size, :size] @ z
            z = z / np.linalg.norm(z)
        attained.append(float(z @ A[:size, :size] @ z) / lower_bound)
    cardinalities = np.arange(problem.k, -1, -1)
    return np.interp(cardinalities, np.concatenate([[0], sizes]), [0.0, *attained])
