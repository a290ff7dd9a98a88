"""Chooses the features T that an elimination keeps (as few as cost almost no tightness) and its first cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.bounds import masses
from nnspca.bounds.plan import cost
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding

WIDER = 1.25  # from one size of T that is tried to the next
FINER = 1.12  # from one size of T that is tried to the next
SLACK, AIM = 0.012, 1.024  # likely relative excess of a bound on T, and the excess allowed with the mass outside
SMALLEST = 64  # fewest features of T
FEWEST = 4  # most cases that T is chosen for
ROOM = 8.0  # times the fourth power of the mass outside: the possible error of an estimated share
RACE_FEATURES = 500  # features from which a planned search tries one start instead of two
LOSS = 5e-3  # share of the bound that one outside feature may add before T counts as too small


@dataclass(frozen=True)
class Limits:
    """Limits on T and on the cost of choosing it.

    Attributes
    ----------
    features : int
        Most features of T.
    loss : float
        Share of the bound that may be lost for a smaller T, whose relaxations converge faster.
    smallest : int
        Fewest features of T.
    sparing : bool
        Whether T is chosen so that a few planned cases suffice: for large k and little time.
    read : int or None
        Most rows of A that are read to choose T.
    """

    features: int
    loss: float
    smallest: int = SMALLEST
    sparing: bool = False
    read: int | None = None


@dataclass(frozen=True, eq=False)
class Selection:
    """A choice of T: its features, ε_q of those outside for q = 0, 1, …, and the cases that are planned on it."""

    inside: np.ndarray
    excluded_mass: np.ndarray
    planned: tuple[int, ...]

    @property
    def work(self) -> float:
        """A step of each of its cases."""
        return max(len(self.planned), 1) * cost(len(self.inside))


def choose(
    ranking: masses.MassRanking, support: np.ndarray, shares: np.ndarray, limits: Limits, least: float
) -> Selection | None:
    """The smallest T on which next to nothing is lost, if the bounds on T are as tight as they can be; None without.

    Parameters
    ----------
    ranking : Falling
        Tells what features can hold.
    support : ndarray of int
        Of the best point: always kept.
    shares : ndarray, shape (k + 1,)
        About the share of the variance that k − q features keep.
    limits : Limits
    least : float
        What is proven, as a share of the variance: no T is chosen that would not prove less.
    """
    features, sparing = limits.features, limits.sparing
    mass, order, k = ranking.masses, support, len(shares) - 1
    single_share = 1.0 - shares[1] if k else 1.0  # of one feature
    planned: tuple[int, ...] = ()
    size, small, enough, excluded_mass, gains = 0, 0, False, np.zeros(1), np.zeros(1)
    wanted = max(limits.smallest, len(support))
    while not enough and size < features:
        size = min(wanted, features)
        if ranking.largest(size + k, heavy=single_share + LOSS, allowed=features) is None:
            return None
        order = np.argsort(-mass, kind="stable")
        order = order[~np.isin(order, support)]
        excluded_mass = cumulative_masses(mass[order[size - len(support) :][:k]])
        # relative excess of the bound with q features outside over that with none
        here = shares[: len(excluded_mass)]
        gains = _raised(here, excluded_mass) - 1
        # the same if a share were a little larger than estimated: near a mass of one half the bound
        # is very sensitive to it
        alone = bool((_raised(here * (1 + ROOM * excluded_mass**4), excluded_mass)[1:] - 1 <= limits.loss).all())
        planned = _planned(shares, excluded_mass) if sparing else ()
        enough = 0 < len(planned) <= FEWEST if sparing else alone
        small = size if alone and not small else small
        wanted = int((FINER if sparing else WIDER) * size) + 1
    if sparing and not enough and 0 < small <= RACE_FEATURES:  # many cases of so few features cost less than of so many
        size, planned = small, ()
    elif sparing and not planned:
        return None  # so few features would be lost among what the others can hold
    if 1 + gains.max() >= least:
        return None
    inside = np.sort(np.concatenate([support, order[: size - len(support)]]))
    return Selection(inside, cumulative_masses(mass[order[size - len(support) :][:k]]), planned)


def _raised(shares: np.ndarray | float, excluded_mass: np.ndarray) -> np.ndarray:
    """What a share kept on T allows all features: no limit where half of all could lie outside."""
    return np.where(
        excluded_mass < 0.5,
        shares * (1 - excluded_mass) / np.where(excluded_mass < 0.5, 1 - 2 * excluded_mass, 1.0),
        np.inf,
    )


def _planned(shares: np.ndarray, excluded_mass: np.ndarray) -> tuple[int, ...]:
    """The first q of as few cases as bring every q below the aim, if bounds on T miss by the slack; none if none do.

    ``shares`` are the shares of the variance that k − q features keep, ``excluded_mass`` the masses of
    q features outside.
    """
    firsts = [0]
    while True:
        q = firsts[-1]
        above = np.flatnonzero(_raised(shares[q] * (1 + SLACK), excluded_mass[q:]) > AIM)
        if not len(above) or q + above[0] >= len(shares) - 1:  # k features outside leave none in T
            return tuple(firsts)
        if not above[0]:
            return ()
        firsts.append(q + int(above[0]))


def cumulative_masses(falling: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, … masses, rounded up."""
    return np.concatenate([[0.0], rounding.raised(np.cumsum(falling), len(falling) + 8)])


def shares(problem: Problem, x: np.ndarray, lower_bound: float) -> np.ndarray:
    """Return about the share of the variance that k − q features keep, for q = 0 … k: x cut to its largest loadings."""
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
