"""Exchange: features move between parts of disjoint supports, singly or against each other, while that gains.

With feature j dropped from part b and feature i let in, the best mixture of what is left of x_b and of e_i has the
larger eigenvalue of a 2×2 matrix as its variance, so all moves are priced at once from blocks of A. A feature i that
another part a holds costs that part: it does without, takes the best feature nobody uses, or takes j in return.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nnspca import feasible
from nnspca.problem import Problem
from nnspca.progress import Monitor

CANDIDATES = 400  # unused features that a round looks at
GAIN = 1e-9  # relative gain below which a move is not worth its rounding
ROUNDS = 300
LEFT = 1e-12  # squared norm of what is left of a part, below which nothing is
NONE = -1


def exchanged(problem: Problem, X: np.ndarray, *, monitor: Monitor, climb: Callable) -> tuple[np.ndarray, float]:
    """Improve feasible parts by the best moves, again and again; after each round the parts climb on from there.

    Returns
    -------
    parts : ndarray, shape (r, n)
    value : float
        The sum of their variances, at least what it was.
    """
    value = float(np.sum(problem.cov.variance(X)))
    for _ in range(ROUNDS):
        if monitor.stop():
            break
        Y = _moved(problem, X, GAIN * value)
        if Y is None:
            break
        Y, gained = climb(problem, Y, monitor=monitor)
        if gained <= value * (1 + GAIN):
            break
        X, value = Y, gained
    return X, value


@dataclass(frozen=True)
class Prices:
    """What one part gains by dropping a feature (rows) and taking another (columns: the candidates).

    Attributes
    ----------
    dropped : ndarray of int
        Feature of each row; −1, in a row of its own, where a place is free and nothing need be dropped.
    alone : ndarray
        What dropping it and taking nothing gains: at most zero.
    gains : ndarray, shape (rows, candidates)
    """

    dropped: np.ndarray
    alone: np.ndarray
    gains: np.ndarray


@dataclass(frozen=True)
class Market:
    """One round: who holds which of the candidates, and what each part would pay for them.

    Attributes
    ----------
    X, G : ndarray, shape (r, n)
        The parts and their gradients Ax.
    candidates : ndarray of int
        Features in use, and unused ones worth a look, ascending.
    owners : ndarray of int
        The part that holds each candidate; −1 for none.
    prices : list of Prices
        One for each part.
    """

    X: np.ndarray
    G: np.ndarray
    candidates: np.ndarray
    owners: np.ndarray
    prices: list[Prices]

    @property
    def unused(self) -> np.ndarray:
        """Places among the candidates of those that no part holds."""
        return np.flatnonzero(self.owners == NONE)

    def totals(self, b: int) -> np.ndarray:
        """What all gain when part b drops a feature (rows) and takes a candidate, the best for its owner included."""
        price = self.prices[b]
        totals = np.where(self.owners == b, -np.inf, price.gains)
        mine = np.flatnonzero(price.dropped != NONE)
        given = np.searchsorted(self.candidates, price.dropped[mine])
        for a, other in enumerate(self.prices):
            theirs = np.flatnonzero(self.owners == a)
            if a == b or not len(theirs):
                continue
            rows = np.searchsorted(other.dropped[: len(theirs)], self.candidates[theirs])
            refilled = other.gains[np.ix_(rows, self.unused)].max(axis=1, initial=-np.inf)
            totals[:, theirs] += np.maximum(other.alone[rows], refilled)
            in_return = price.gains[np.ix_(mine, theirs)] + other.gains[np.ix_(rows, given)].T
            totals[np.ix_(mine, theirs)] = np.maximum(totals[np.ix_(mine, theirs)], in_return)
        return totals

    def replacement(self, Y: np.ndarray, a: int, taken: int, given: int) -> int:
        """What part a does best once ``taken`` is gone: an unused feature, the one ``given`` for it, or none."""
        price = self.prices[a]
        row = int(np.searchsorted(price.dropped[: np.count_nonzero(self.X[a])], taken))
        places = self.unused[~Y[:, self.candidates[self.unused]].any(axis=0)]
        if given != NONE:
            places = np.append(places, np.searchsorted(self.candidates, given))
        if not len(places) or price.gains[row, places].max() <= price.alone[row]:
            return NONE
        return int(self.candidates[places[int(price.gains[row, places].argmax())]])

    def replace(self, Y: np.ndarray, c: int, old: int, new: int) -> None:
        """Exchange one feature of part c in place; the newcomer starts at the mean weight and the sign of its pull."""
        if old != NONE:
            Y[c, old] = 0.0
        if new != NONE:
            weights = np.abs(Y[c][Y[c] != 0])
            Y[c, new] = np.copysign(weights.mean() if len(weights) else 1.0, self.G[c, new])
        Y[c] = feasible.unit(Y[c])


def _moved(problem: Problem, X: np.ndarray, least: float) -> np.ndarray | None:
    """The parts after the most gainful moves, at most one for each part; None where none gains ``least``."""
    market = _market(problem, X)
    moves = []
    for b in range(len(X)):
        totals = market.totals(b)
        best = np.unravel_index(int(totals.argmax()), totals.shape)
        moves.append((float(totals[best]), b, int(market.prices[b].dropped[best[0]]), int(best[1])))
    Y, touched = X.copy(), set()
    for total, b, given, place in sorted(moves, reverse=True):
        a, taken = int(market.owners[place]), int(market.candidates[place])
        if not total > least or b in touched or a in touched or (a == NONE and Y[:, taken].any()):
            continue
        touched |= {b, a} - {NONE}
        if a != NONE:
            market.replace(Y, a, taken, market.replacement(Y, a, taken, given))
        market.replace(Y, b, given, taken)
    if not touched:
        return None
    return feasible.unit(np.maximum(Y, 0.0)) if problem.nonnegative else Y


def _market(problem: Problem, X: np.ndarray) -> Market:
    cov = problem.cov
    G = cov.apply(X)
    values = np.sum(X * G, axis=1)
    pulls = np.maximum(G, 0.0) if problem.nonnegative else np.abs(G)
    used = X.any(axis=0)
    unused = np.flatnonzero(~used)
    if len(unused) > CANDIDATES:
        most = (_pair(values[:, None], pulls[:, unused], cov.diagonal[unused]) - values[:, None]).max(axis=0)
        unused = unused[np.argsort(-most, kind="stable")[:CANDIDATES]]
    candidates = np.union1d(unused, np.flatnonzero(used))
    owners = np.where(used, (X != 0).argmax(axis=0), NONE)[candidates]
    prices = [_prices(problem, x, g, float(v), candidates) for x, g, v in zip(X, G, values, strict=True)]
    return Market(X, G, candidates, owners, prices)


def _prices(problem: Problem, x: np.ndarray, gradient: np.ndarray, value: float, candidates: np.ndarray) -> Prices:
    """What a part x of variance ``value`` and gradient Ax would gain by each exchange."""
    cov = problem.cov
    inside = np.flatnonzero(x)
    weights, diagonal = x[inside], cov.diagonal[inside]
    kept = 1.0 - weights**2
    spare = kept > LEFT
    safe = np.where(spare, kept, 1.0)
    rest = np.where(spare, (value - 2 * weights * gradient[inside] + weights**2 * diagonal) / safe, 0.0)
    pulls = (gradient[candidates] - weights[:, None] * cov.block(inside, candidates)) / np.sqrt(safe)[:, None]
    pulls[~spare] = 0.0
    dropped = inside
    if len(inside) < problem.k:
        dropped, rest = np.append(inside, NONE), np.append(rest, value)
        pulls = np.vstack([pulls, gradient[candidates]])
    pulls = np.maximum(pulls, 0.0) if problem.nonnegative else np.abs(pulls)
    gains = _pair(rest[:, None], pulls, cov.diagonal[candidates]) - value
    return Prices(dropped, rest - value, gains)


def _pair(a: np.ndarray, g: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Larger eigenvalue of [[a, g], [g, b]]."""
    return (a + b) / 2 + np.hypot((a - b) / 2, g)
