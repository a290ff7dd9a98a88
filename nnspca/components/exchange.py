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
from nnspca.covariance import Covariance
from nnspca.progress import Monitor

CANDIDATES = 400  # unused features that a round looks at
GAIN = 1e-9  # relative gain below which a move is not worth its rounding
ROUNDS = 300
LEFT = 1e-12  # squared norm of what is left of a part, below which nothing is
NONE = -1


def exchanged(
    cov: Covariance, k: int, X: np.ndarray, *, nonnegative: bool, monitor: Monitor, climb: Callable
) -> tuple[np.ndarray, float]:
    """Improve feasible parts by the best moves, again and again; after each round the parts climb on from there.

    Returns
    -------
    parts : ndarray, shape (r, n)
    value : float
        The sum of their variances, at least what it was.
    """
    value = float(np.sum(cov.variance(X)))
    for _ in range(ROUNDS):
        if monitor.stop():
            break
        Y = _moved(cov, k, X, nonnegative, GAIN * value)
        if Y is None:
            break
        Y, gained = climb(cov, k, Y, nonnegative=nonnegative, monitor=monitor)
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


def _moved(cov: Covariance, k: int, X: np.ndarray, nonnegative: bool, least: float) -> np.ndarray | None:
    """The parts after the most gainful moves, at most one for each part; None where none gains ``least``."""
    G = cov.apply(X)
    values = np.sum(X * G, axis=1)
    owner = np.where(X.any(axis=0), (X != 0).argmax(axis=0), NONE)
    candidates = _candidates(cov, X, G, values, owner, nonnegative)
    owners = owner[candidates]
    prices = [_prices(cov, k, x, g, v, candidates, nonnegative) for x, g, v in zip(X, G, values, strict=True)]
    for price, c in zip(prices, range(len(X)), strict=True):
        price.gains[:, owners == c] = -np.inf
    unused = np.flatnonzero(owners == NONE)
    moves = []
    for b, price in enumerate(prices):
        totals = price.gains.copy()
        for a, other in enumerate(prices):
            theirs = np.flatnonzero(owners == a)
            if a == b or not len(theirs):
                continue
            row = {int(i): place for place, i in enumerate(other.dropped)}
            rows = np.array([row[int(i)] for i in candidates[theirs]])
            refill = other.gains[np.ix_(rows, unused)].max(axis=1, initial=-np.inf)
            totals[:, theirs] += np.maximum(other.alone[rows], refill)
            mine = np.flatnonzero(price.dropped != NONE)
            places = np.searchsorted(candidates, price.dropped[mine])
            in_return = price.gains[np.ix_(mine, theirs)] + other.gains[np.ix_(rows, places)].T
            totals[np.ix_(mine, theirs)] = np.maximum(totals[np.ix_(mine, theirs)], in_return)
        best = np.unravel_index(int(totals.argmax()), totals.shape)
        moves.append((float(totals[best]), b, int(best[0]), int(best[1])))
    Y, touched = X.copy(), set()
    for total, b, j, i in sorted(moves, reverse=True):
        a = int(owners[i])
        if not total > least or b in touched or a in touched:
            continue
        touched |= {b, a} - {NONE}
        _make(cov, Y, prices, candidates, unused, b, a, j, i)
    return Y if touched else None


def _make(cov, Y, prices, candidates, unused, b, a, j, i) -> None:
    """Carry out one move in place, with even weights for newcomers: the climb finds the right ones."""
    given, taken = int(prices[b].dropped[j]), int(candidates[i])
    if a != NONE:
        other = prices[a]
        row = int(np.flatnonzero(other.dropped == taken)[0])
        options = [(float(other.alone[row]), NONE)]
        free = unused[~Y[:, candidates[unused]].any(axis=0)]
        if len(free):
            place = free[int(other.gains[row, free].argmax())]
            options.append((float(other.gains[row, place]), int(candidates[place])))
        if given != NONE:
            options.append((float(other.gains[row, np.searchsorted(candidates, given)]), given))
        _replace(Y, a, taken, max(options)[1])
    elif Y[:, taken].any():
        return
    _replace(Y, b, given, taken)


def _replace(Y: np.ndarray, c: int, old: int, new: int) -> None:
    if old != NONE:
        Y[c, old] = 0.0
    if new != NONE:
        Y[c, new] = np.abs(Y[c]).mean() * Y.shape[1] / max(1, np.count_nonzero(Y[c])) or 1.0
    Y[c] = feasible.unit(Y[c])


def _candidates(cov, X, G, values, owner, nonnegative) -> np.ndarray:
    """Features in use, and the unused ones that some part pulls most, ascending."""
    unused = np.flatnonzero(owner == NONE)
    if len(unused) > CANDIDATES:
        pull = np.maximum(G, 0.0) if nonnegative else np.abs(G)
        best = _pair(values[:, None], pull[:, unused], cov.diagonal[unused]) - values[:, None]
        unused = unused[np.argsort(-best.max(axis=0), kind="stable")[:CANDIDATES]]
    return np.union1d(unused, np.flatnonzero(owner != NONE))


def _prices(cov, k, x, gradient, value, candidates, nonnegative) -> Prices:
    inside = np.flatnonzero(x)
    weights, diagonal = x[inside], cov.diagonal[inside]
    kept = 1.0 - weights**2
    spare = kept > LEFT
    safe = np.where(spare, kept, 1.0)
    rest = np.where(spare, (value - 2 * weights * gradient[inside] + weights**2 * diagonal) / safe, 0.0)
    pulls = (gradient[candidates] - weights[:, None] * cov.block(inside, candidates)) / np.sqrt(safe)[:, None]
    pulls[~spare] = 0.0
    dropped = inside
    if len(inside) < k:
        dropped, rest = np.append(inside, NONE), np.append(rest, value)
        pulls = np.vstack([pulls, gradient[candidates]])
    pulls = np.maximum(pulls, 0.0) if nonnegative else np.abs(pulls)
    gains = _pair(rest[:, None], pulls, cov.diagonal[candidates]) - value
    return Prices(dropped, rest - value, gains)


def _pair(a, g, b):
    """Larger eigenvalue of [[a, g], [g, b]]."""
    return (a + b) / 2 + np.hypot((a - b) / 2, g)
