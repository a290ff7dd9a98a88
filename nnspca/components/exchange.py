"""Exchange: moves features between disjoint parts, singly or in pairs, as long as the total variance grows.

If part b drops feature j and adds feature i, the best combination of e_i and the rest of x_b has the larger eigenvalue
of a 2×2 matrix as its variance. So the gains of all moves follow from blocks of A. If feature i belongs to another part
a, the loss of a counts too: a drops i without replacement, adds the best unused feature, or adds j in return.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.numerics.feasible import allowed
from nnspca.solvers.climb import larger_eigenvalue

# on digits and genes half and twice of each of these end as well
UNUSED = 200  # unused features considered in a round, for each part
OWNED = 200  # features of other parts considered in a round, for each part
DROPPED = 60  # own features considered in exchange for one of those
MOVE_GAIN = 1e-9  # least relative gain of a move, well above rounding
NEGLIGIBLE = 1e-12  # squared norm below which the rest of a part counts as zero
NONE = -1  # no feature, or no part


def exchange_features(
    problem: Problem, X: np.ndarray, *, monitor: Monitor, power_iteration: Callable
) -> tuple[np.ndarray, float]:
    """Improve feasible parts by the best moves, round after round, each followed by power iteration.

    Returned are the parts and the sum of their variances, no less than before.
    """
    value = float(np.sum(problem.cov.variance(X)))
    for _ in range(300):
        if monitor.stop():
            break
        Y = _moved(problem, X, MOVE_GAIN * value)
        if Y is None:
            break
        Y, gained = power_iteration(problem, Y, monitor=monitor)
        if gained <= value * (1 + MOVE_GAIN):
            break
        X, value = Y, gained
    return X, value


@dataclass(frozen=True)
class Part:
    """One part, and the gains of exchanging its features for unused ones."""

    inside: np.ndarray  # its features, ascending
    weights: np.ndarray  # their loadings
    gradient: np.ndarray  # their entries of Ax
    diagonal: np.ndarray  # their variances
    value: float  # its variance
    room: bool  # whether it may add a feature without dropping one
    unused: np.ndarray  # the unused features with the largest gains for this part
    gains: np.ndarray  # of dropping the feature of the row, none in one more row if there is room, for one of those

    @property
    def squared_norms(self) -> np.ndarray:
        """Squared norm of the rest without each feature; 1 if nothing is left."""
        remaining_norms = 1.0 - self.weights**2
        return np.where(remaining_norms > NEGLIGIBLE, remaining_norms, 1.0)

    @property
    def rest(self) -> np.ndarray:
        """Variance of the rest without each feature, as a unit vector."""
        without = self.value - 2 * self.weights * self.gradient + self.weights**2 * self.diagonal
        return np.where(self.weights**2 < 1.0 - NEGLIGIBLE, without / self.squared_norms, 0.0)

    @property
    def loss(self) -> np.ndarray:
        """Gain (usually negative) when each feature is replaced by the best unused one, or by none."""
        refilled = self.gains[: len(self.inside)].max(axis=1, initial=-np.inf)
        return np.maximum(self.rest - self.value, refilled)


@dataclass(frozen=True)
class Move:
    """Part ``b`` drops a feature and adds another, whose former owner is adapted; −1 stands for none."""

    total: float  # gain of the total variance
    b: int
    a: int  # the former owner
    dropped: int
    added: int


@dataclass(frozen=True)
class ExchangeRound:
    """One round: the owner of each feature, and the gain of each part from other features."""

    problem: Problem
    X: np.ndarray  # the parts, shape (r, n)
    G: np.ndarray  # their gradients Ax
    likes: np.ndarray  # gain of each part by adding a feature without dropping one, shape (r, n)
    owners: np.ndarray  # the part of each feature, −1 for none, shape (n,)
    parts: list[Part]

    @classmethod
    def of(cls, problem: Problem, X: np.ndarray) -> ExchangeRound:
        """Compute the gains of all parts from unused features."""
        G = problem.cov.apply(X)
        values = np.sum(X * G, axis=1)
        used = X.any(axis=0)
        pulls = allowed(G, problem.nonnegative)
        likes = larger_eigenvalue(values[:, None], pulls, problem.cov.diagonal) - values[:, None]
        unused = np.flatnonzero(~used)
        parts = [
            _part(problem, X[b], G[b], float(values[b]), unused[_foremost(likes[b, unused], UNUSED)])
            for b in range(len(X))
        ]
        return cls(problem, X, G, likes, np.where(used, (X != 0).argmax(axis=0), NONE), parts)

    def moves(self) -> list[Move]:
        """The best move of each part."""
        used = np.flatnonzero(self.owners != NONE)
        losses = np.zeros(self.problem.n)
        for part in self.parts:
            losses[part.inside] = part.loss
        moves = []
        for b, part in enumerate(self.parts):
            if part.gains.size:
                row, column = np.unravel_index(int(part.gains.argmax()), part.gains.shape)
                dropped = int(part.inside[row]) if row < len(part.inside) else NONE
                moves.append(Move(float(part.gains[row, column]), b, NONE, dropped, int(part.unused[column])))
            candidates = used[self.owners[used] != b]
            candidates = candidates[_foremost(self.likes[b, candidates] + losses[candidates], OWNED)]
            if len(candidates):
                moves.append(self._taking(b, candidates, losses[candidates]))
        return moves

    def _taking(self, b: int, others: np.ndarray, losses: np.ndarray) -> Move:
        """The best move of part b that adds a feature of another part."""
        part, owners = self.parts[b], self.owners[others]
        rows = np.sort(_foremost(part.rest, DROPPED))
        entries = self.problem.cov.block(part.inside[rows], others)
        gains = _gains(self.problem, part, rows, others, entries, self.G[b])
        totals = gains + losses
        # alternatively, the owner adds the feature that b drops
        remaining_norms, rest = np.ones(len(others)), np.zeros(len(others))
        for a in np.unique(owners):
            mine = owners == a
            places = np.searchsorted(self.parts[a].inside, others[mine])
            remaining_norms[mine], rest[mine] = self.parts[a].squared_norms[places], self.parts[a].rest[places]
        weights = self.X[owners, others]
        pulls = self.G[np.ix_(owners, part.inside[rows])].T - weights * entries
        pulls = np.where(weights**2 < 1.0 - NEGLIGIBLE, pulls / np.sqrt(remaining_norms), 0.0)
        pulls = allowed(pulls, self.problem.nonnegative)
        values = np.array([other.value for other in self.parts])[owners]
        in_return = larger_eigenvalue(rest, pulls, part.diagonal[rows, None]) - values
        totals[: len(rows)] = np.maximum(totals[: len(rows)], gains[: len(rows)] + in_return)
        row, column = np.unravel_index(int(totals.argmax()), totals.shape)
        dropped = int(part.inside[rows[row]]) if row < len(rows) else NONE
        return Move(float(totals[row, column]), b, int(owners[column]), dropped, int(others[column]))

    def replacement(self, Y: np.ndarray, move: Move) -> int:
        """The best replacement for the feature that the owner loses: an unused one, the one that b drops, or none."""
        part = self.parts[move.a]
        row = int(np.searchsorted(part.inside, move.added))
        free = ~Y[:, part.unused].any(axis=0)
        choices, gains = part.unused[free], part.gains[row, free]
        if move.dropped != NONE:
            dropped = np.array([move.dropped])
            entries = self.problem.cov.block(part.inside[[row]], dropped)
            gain = _gains(self.problem, part, np.array([row]), dropped, entries, self.G[move.a])[0]
            choices, gains = np.append(choices, dropped), np.append(gains, gain)
        if not len(choices) or gains.max() <= part.rest[row] - part.value:
            return NONE
        return int(choices[int(gains.argmax())])

    def replace(self, Y: np.ndarray, c: int, old: int, new: int) -> None:
        """Exchange one feature of part c in place; the new loading has mean magnitude and the sign of the gradient."""
        if old != NONE:
            Y[c, old] = 0.0
        if new != NONE:
            weights = np.abs(Y[c][Y[c] != 0])
            Y[c, new] = np.copysign(weights.mean() if len(weights) else 1.0, self.G[c, new])
        Y[c] = feasible.unit(Y[c])


def _moved(problem: Problem, X: np.ndarray, least: float) -> np.ndarray | None:
    """The parts after the best moves, at most one for each part; None if none gains ``least``."""
    market = ExchangeRound.of(problem, X)
    Y, touched = X.copy(), set()
    for move in sorted(market.moves(), key=lambda move: (-move.total, -move.b)):
        a, b = move.a, move.b
        if not move.total > least or b in touched or a in touched or (a == NONE and Y[:, move.added].any()):
            continue
        touched |= {b, a} - {NONE}
        if a != NONE:
            market.replace(Y, a, move.added, market.replacement(Y, move))
        market.replace(Y, b, move.dropped, move.added)
    if not touched:
        return None
    return feasible.unit(np.maximum(Y, 0.0)) if problem.nonnegative else Y


def _part(problem: Problem, x: np.ndarray, gradient: np.ndarray, value: float, unused: np.ndarray) -> Part:
    inside = np.flatnonzero(x)
    own = x[inside], gradient[inside], problem.cov.diagonal[inside]
    part = Part(inside, *own, value, len(inside) < problem.k, unused, gains=np.zeros((0, 0)))
    rows = np.arange(len(inside))
    return replace(part, gains=_gains(problem, part, rows, unused, problem.cov.block(inside, unused), gradient))


def _gains(
    problem: Problem, part: Part, rows: np.ndarray, columns: np.ndarray, entries: np.ndarray, gradient: np.ndarray
) -> np.ndarray:
    """Gains of a part by exchanging a feature at ``rows``, or none if there is room, for one of ``columns``."""
    weights, rest = part.weights[rows], part.rest[rows]
    pulls = (gradient[columns] - weights[:, None] * entries) / np.sqrt(part.squared_norms[rows])[:, None]
    pulls[weights**2 >= 1.0 - NEGLIGIBLE] = 0.0
    if part.room:
        rest, pulls = np.append(rest, part.value), np.vstack([pulls, gradient[columns]])
    pulls = allowed(pulls, problem.nonnegative)
    return larger_eigenvalue(rest[:, None], pulls, problem.cov.diagonal[columns]) - part.value


def _foremost(worth: np.ndarray, count: int) -> np.ndarray:
    """Places of the largest ``count``, ascending; of equal ones the first."""
    if len(worth) <= count:
        return np.arange(len(worth))
    least = np.partition(worth, len(worth) - count)[len(worth) - count]
    above = np.flatnonzero(worth > least)
    return np.sort(np.append(above, np.flatnonzero(worth == least)[: count - len(above)]))


def match(G: np.ndarray, k: int, nonnegative: bool) -> np.ndarray:
    """Unit rows y_c of disjoint supports, at most k features each, for which Σ_c g_c'y_c is large.

    For fixed norms of the rows, feature i adds ``g_ci² / ‖g_c‖`` to part c, so the supports are a
    matching. Norms and matching are computed in turn until they agree; the best matching is returned.

    >>> match(np.array([[3.0, 4.0, 1.0], [0.0, 5.0, 2.0]]), k=2, nonnegative=True).round(2)
    array([[1.  , 0.  , 0.  ],
           [0.  , 0.93, 0.37]])
    """
    pull = allowed(G, nonnegative)
    squares = pull / max(float(pull.max(initial=0.0)), 1e-300)
    squares *= squares
    widest = min(G.shape[1], len(G) * k)  # enough, as the other parts have at most (r − 1) k features
    reach = min(widest, 2 * k)
    while True:
        preferred = np.sort(feasible.largest(squares, reach), axis=1)
        worth = np.take_along_axis(squares, preferred, axis=1)
        order = np.argsort(-worth, axis=1, kind="stable")
        preferred = np.take_along_axis(preferred, order, axis=1)
        holdings, short = _balanced(np.take_along_axis(worth, order, axis=1), preferred, k)
        if not short or reach == widest:
            break
        reach = min(widest, 2 * reach)
    Y = np.zeros_like(G)
    np.put_along_axis(Y, preferred, np.where(holdings, np.take_along_axis(G, preferred, axis=1), 0.0), axis=1)
    return feasible.unit(Y)


def _balanced(worth: np.ndarray, preferred: np.ndarray, k: int) -> tuple[np.ndarray, bool]:
    """The features of each part, and whether the lists of candidates were too short for a part."""
    norms = np.sqrt(feasible.sum_of_largest(worth, k))
    best = holdings = np.zeros(worth.shape, dtype=bool)
    largest, short = -np.inf, False
    for _ in range(12):  # until norms and matching agree: six rounds and 24 end as well
        before, holdings = holdings, _matched(worth / np.where(norms > 0, norms, 1.0)[:, None], preferred, k)
        short |= bool(((holdings.sum(axis=1) < k) & (worth > 0).all(axis=1)).any())
        if (holdings == before).all():
            break
        norms = np.sqrt(np.sum(worth * holdings, axis=1))
        if norms.sum() <= largest:
            break
        best, largest = holdings, norms.sum()
    return best, short


def _matched(gain: np.ndarray, preferred: np.ndarray, k: int) -> np.ndarray:
    """The features of each part, gain by gain: one is assigned if it is free and the part has room.

    Lists are in order of preference. This is the stable matching (Gale & Shapley 1962), unique since
    ties go to the first part and feature.
    """
    r, reach = gain.shape
    worth = gain.ravel()
    order = np.argsort(-worth, kind="stable")
    order = order[worth[order] > 0]
    holding, room, assigned = np.zeros((r, reach), dtype=bool), [k] * r, set()
    places = r * k
    for place, c, i in zip(order.tolist(), (order // reach).tolist(), preferred.ravel()[order].tolist(), strict=True):
        if room[c] and i not in assigned:
            assigned.add(i)
            room[c] -= 1
            holding.flat[place] = True
            places -= 1
            if not places:
                break
    return holding


def paired(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return for each column of ``first`` (n, r) its counterpart in ``second`` (n, r), shape (r,).

    The pairing has the most shared nonzero rows; ties are resolved by the similarity of the columns.

    >>> U = np.eye(4)[:, :3]
    >>> paired(U, U[:, [2, 0, 1]])
    array([1, 2, 0])
    """
    from scipy.optimize import linear_sum_assignment  # slow to import

    shared = (first != 0).T.astype(float) @ (second != 0)
    norms = np.linalg.norm(first, axis=0)[:, None] * np.linalg.norm(second, axis=0)
    alike = np.abs(first.T @ second) / np.where(norms > 0, norms, 1.0)
    _, columns = linear_sum_assignment(-(shared + alike / (2 * len(alike))))  # the second term stays below one row
    return np.asarray(columns)
