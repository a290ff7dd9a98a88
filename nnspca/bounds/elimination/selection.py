"""Chooses the features T that an elimination keeps (as few as cost almost no tightness) and its first cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.bounds import masses
from nnspca.bounds.plan import cost
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding

WIDER = 1.25  # factor between successive trial sizes of T
FINER = 1.12  # the same if cases are planned
SLACK = 0.012  # assumed relative excess of a bound on T
AIM = 1.024  # largest accepted ratio of the bound to the variance, mass outside included
SMALLEST = 64  # least number of features of T
FEWEST = 4  # maximum number of cases that T is chosen for
ROOM = 8.0  # an estimated share may be too small by the factor 1 + ROOM·ε⁴, where ε is the mass outside
RACE_FEATURES = 500  # features from which a planned search tries one start instead of two
LOSS = 5e-3  # share of the bound that one outside feature may add before T counts as too small


@dataclass(frozen=True)
class Limits:
    """Limits on T and on the cost of choosing it.

    Attributes
    ----------
    features : int
        Maximum number of features of T.
    loss : float
        Share of the bound that may be lost for a smaller T, whose relaxations converge faster.
    smallest : int
        Least number of features of T.
    plan_cases : bool
        Whether T is chosen so that a few planned cases suffice: for large k and little time.
    max_rows_read : int or None
        Maximum number of rows of A that are read to choose T.
    """

    features: int
    loss: float
    smallest: int = SMALLEST
    plan_cases: bool = False
    max_rows_read: int | None = None


@dataclass(frozen=True, eq=False)
class Selection:
    """A choice of T: its features, ε_q of those outside for q = 0, 1, …, and the cases that are planned on it."""

    inside: np.ndarray
    excluded_mass: np.ndarray
    planned: tuple[int, ...]

    @property
    def work(self) -> float:
        """Cost of one step of each case."""
        return max(len(self.planned), 1) * cost(len(self.inside))


def choose(
    ranking: masses.MassRanking, support: np.ndarray, shares: np.ndarray, limits: Limits, least: float
) -> Selection | None:
    """Return the smallest T tried whose bound loses at most ``limits.loss``, else the largest T allowed.

    Bounds on T are assumed to be tight. With ``limits.plan_cases`` it is the smallest T that at most
    ``FEWEST`` cases serve, or a small one with cases opened as needed. None if T would prove no smaller
    bound than is known, or if too much mass is outside.

    Parameters
    ----------
    ranking : MassRanking
        Upper bounds on the masses of the features.
    support : ndarray of int
        The support of the best point: always kept.
    shares : ndarray, shape (k + 1,)
        Estimated share of the variance that k − q features attain, for q = 0 … k.
    limits : Limits
    least : float
        The best upper bound so far divided by the variance; None is returned if no T promises a smaller
        one.
    """
    features, plan_cases = limits.features, limits.plan_cases
    mass, order, k = ranking.masses, support, len(shares) - 1
    single_share = 1.0 - shares[1] if k else 1.0  # of one feature
    planned: tuple[int, ...] = ()
    size, size_within_loss, is_sufficient, excluded_mass, gains = 0, 0, False, np.zeros(1), np.zeros(1)
    next_size = max(limits.smallest, len(support))
    while not is_sufficient and size < features:
        size = min(next_size, features)
        if ranking.largest(size + k, heavy=single_share + LOSS, allowed=features) is None:
            return None
        order = np.argsort(-mass, kind="stable")
        order = order[~np.isin(order, support)]
        excluded_mass = cumulative_masses(mass[order[size - len(support) :][:k]])
        # relative excess of the bound with q features outside over that with none
        here = shares[: len(excluded_mass)]
        gains = _extended_to_all(here, excluded_mass) - 1
        # the same if a share were a little larger than estimated: near a mass of one half the bound
        # is very sensitive to it
        within_loss = bool(
            (_extended_to_all(here * (1 + ROOM * excluded_mass**4), excluded_mass)[1:] - 1 <= limits.loss).all()
        )
        planned = _planned(shares, excluded_mass) if plan_cases else ()
        is_sufficient = 0 < len(planned) <= FEWEST if plan_cases else within_loss
        size_within_loss = size if within_loss and not size_within_loss else size_within_loss
        next_size = int((FINER if plan_cases else WIDER) * size) + 1
    if plan_cases and not is_sufficient and 0 < size_within_loss <= RACE_FEATURES:
        # many cases on this small T cost less than on a large one
        size, planned = size_within_loss, ()
    elif plan_cases and not planned:
        return None  # too much mass can lie outside even the largest T allowed
    if 1 + gains.max() >= least:
        return None
    inside = np.sort(np.concatenate([support, order[: size - len(support)]]))
    return Selection(inside, cumulative_masses(mass[order[size - len(support) :][:k]]), planned)


def _extended_to_all(shares: np.ndarray | float, excluded_mass: np.ndarray) -> np.ndarray:
    """The bound on all features that follows from one on T; infinite if half of the mass could lie outside."""
    return np.where(
        excluded_mass < 0.5,
        shares * (1 - excluded_mass) / np.where(excluded_mass < 0.5, 1 - 2 * excluded_mass, 1.0),
        np.inf,
    )


def _planned(shares: np.ndarray, excluded_mass: np.ndarray) -> tuple[int, ...]:
    """Return the first q of each of the fewest cases that keep the bound for every q within ``AIM``.

    Bounds on T are taken to be loose by ``SLACK``; empty if it is impossible. ``shares`` are the shares of
    the variance that k − q features attain, ``excluded_mass`` the masses of q features outside.
    """
    firsts = [0]
    while True:
        q = firsts[-1]
        above = np.flatnonzero(_extended_to_all(shares[q] * (1 + SLACK), excluded_mass[q:]) > AIM)
        if not len(above) or q + above[0] >= len(shares) - 1:  # k features outside leave none in T
            return tuple(firsts)
        if not above[0]:
            return ()
        firsts.append(q + int(above[0]))


def cumulative_masses(descending_masses: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, … masses, rounded up."""
    return np.concatenate([[0.0], rounding.raised(np.cumsum(descending_masses), len(descending_masses) + 8)])


def shares(problem: Problem, x: np.ndarray, lower_bound: float) -> np.ndarray:
    """Estimate the share of the variance that k − q features attain, for q = 0 … k: x cut to its largest loadings."""
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
