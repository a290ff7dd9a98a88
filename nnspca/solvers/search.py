"""Iterated local search: every round is a tabu walk over swaps that starts at a perturbed support."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.solvers.polish import GAIN, larger_eigenvalue, polish

# on digits and genes half and twice of each of these end as well
STEPS = 100  # swaps of one walk
DROPPED, TAKEN = 10, 20  # members, and other features, considered for a swap
TENURE = 8  # steps, and a random number of up to as many more, for which a removed feature is tabu
POWERS = 4  # of A on the support, which span a step's loadings


def search(
    problem: Problem, x: np.ndarray, *, rounds: int, rng: np.random.Generator, monitor: Monitor
) -> tuple[np.ndarray, list[float]]:
    """Search for better supports around the best one known, for a number of rounds.

    A round begins at the best support (after the first: without a random part of its members, the
    kick of an iterated local search) and walks by swaps, each the most gainful of those allowed,
    downhill where none gains. What left or came in is tabu for a few steps, so that the walk does
    not turn back. A swap is priced as in
    :func:`nnspca.solvers.polish.polish`; the rows of A on the support are kept, and each swap reads one more.
    Whatever beats the best is polished and becomes the best. Returned are the loadings, ``x`` itself
    where nothing better was met, and the best variance after each round.
    """
    best = problem.cov.variance(x)
    history: list[float] = []
    if problem.k == 1:  # the largest variance of one feature: nothing to search for
        return x, history
    for number in range(rounds):
        if monitor.stop():
            break
        walk = _Walk(problem, x, rng)
        if number:
            walk.kick()
        candidate = walk.best_of(STEPS, best, monitor)
        if candidate is not None:
            polished, gains = polish(problem, candidate, monitor=monitor)
            reached = problem.cov.variance(candidate)
            if gains[-1] >= reached:
                candidate, reached = polished, gains[-1]
            if reached > best * (1 + GAIN):
                x, best = candidate, reached
                monitor.report_point(x, best)
        history.append(best)
        monitor.tell((number + 1) / rounds, f"search, round {number + 1} of {rounds}", best)
    return x, history


class _Walk:
    """The state of a tabu walk: the support, its loadings, its rows of A, and the end of each feature's tabu."""

    def __init__(self, problem: Problem, x: np.ndarray, rng: np.random.Generator) -> None:
        self.problem, self.rng = problem, rng
        self.support = np.flatnonzero(x)
        self.loadings = x[self.support]
        self.rows = np.array(problem.cov.block(self.support))  # its own: rows are replaced
        self.allowed = np.zeros(problem.n, dtype=np.int64)  # the step from which a feature may move again
        self.variance = 0.0
        self.tenure = max(1, min(TENURE, (problem.n - problem.k) // 3))  # of few features, few can be tabu

    def kick(self) -> None:
        """Remove a random number of random members and make them tabu; start anywhere if none are left."""
        members = len(self.support)
        gone = self.rng.permutation(members)[: int(self.rng.integers(1, members + 1))]
        self.allowed[self.support[gone]] = self._tenure(len(gone))
        if len(gone) < members:
            self._keep(np.setdiff1d(np.arange(members), gone))
        else:
            self.support, self.loadings = self.rng.integers(0, self.problem.n, 1), np.ones(1)
            self.rows = np.array(self.problem.cov.block(self.support))

    def best_of(self, steps: int, best: float, monitor: Monitor) -> np.ndarray | None:
        """Walk a number of steps; return the best point above a variance, None if there is none."""
        best_point = None
        for step in range(steps):
            if monitor.stop():
                break
            self._krylov_step()
            if self.variance > best * (1 + GAIN):
                best = self.variance
                best_point = np.zeros(self.problem.n)
                best_point[self.support] = self.loadings
            if not self._move(step):
                break
        return best_point

    def _krylov_step(self) -> None:
        """Update the loadings by one Krylov step on the support; drop those that would become negative."""
        B = self.rows[:, self.support]
        powers = [self.loadings]
        for _ in range(min(POWERS, len(B)) - 1):
            powers.append(feasible.unit(B @ powers[-1]))
        basis = np.linalg.qr(np.stack(powers, axis=1))[0]
        z = basis @ np.linalg.eigh(basis.T @ (B @ basis))[1][:, -1]
        if self.problem.nonnegative:
            z = np.maximum(z if z.sum() > 0 else -z, 0.0)
        # a mixture cut at zero may be worse than what there was
        self.loadings = max(feasible.unit(z), self.loadings, key=lambda w: float(w @ B @ w))
        live = np.flatnonzero(self.loadings)
        if len(live) < len(B):
            self._keep(live)
        image = self.loadings @ self.rows[:, self.support]
        self.variance = float(image @ self.loadings)

    def _move(self, step: int) -> bool:
        """Swap two features, or add one if there is room; False if no move is allowed."""
        problem, support, weights, value = self.problem, self.support, self.loadings, self.variance
        diagonal, nonnegative = problem.cov.diagonal, problem.nonnegative
        gradient = weights @ self.rows
        pull = np.maximum(gradient, 0.0) if nonnegative else np.abs(gradient)
        promise = larger_eigenvalue(value, pull, diagonal)
        promise[support] = promise[self.allowed > step] = -np.inf
        others = feasible.largest(promise, TAKEN)
        others = others[promise[others] > -np.inf]
        if not len(others):
            return False
        if len(support) < problem.k:
            j = others[promise[others].argmax()]
            self.support, self.loadings = np.append(support, j), np.append(weights, 0.0)
            self.rows = np.vstack([self.rows, np.empty_like(self.rows[:1])])
            self._take(len(support), j, value, gradient[j], step)
            return True
        members = np.flatnonzero((self.allowed[support] <= step) & (weights**2 < 1 - 1e-12))
        if not len(members):
            return False
        chosen, z = support[members], weights[members]
        remaining_norms = 1.0 - z**2
        rest = (value - 2 * z * gradient[chosen] + z**2 * diagonal[chosen]) / remaining_norms
        cheap = feasible.largest(rest, DROPPED)
        members, remaining_norms, rest = members[cheap], remaining_norms[cheap], rest[cheap]
        pulls = gradient[others] - weights[members, None] * self.rows[np.ix_(members, others)]
        pulls /= np.sqrt(remaining_norms)[:, None]
        pulls = np.maximum(pulls, 0.0) if nonnegative else pulls
        prices = larger_eigenvalue(rest[:, None], np.abs(pulls), diagonal[others])
        r, c = np.unravel_index(int(prices.argmax()), prices.shape)
        self.allowed[support[members[r]]] = step + 1 + self._tenure()
        weights[members[r]] = 0.0
        self.loadings = feasible.unit(weights)
        self._take(members[r], others[c], rest[r], pulls[r, c], step)
        return True

    def _take(self, place: int, j: int, rest: float, pull: float, step: int) -> None:
        """Add feature j at a free place, with the weight that mixes best with the rest."""
        if self.problem.nonnegative:
            pull = max(pull, 0.0)
        angle = np.arctan2(2 * pull, rest - self.problem.cov.diagonal[j]) / 2
        self.loadings = self.loadings * np.cos(angle)
        self.loadings[place] = np.sin(angle)
        self.support[place] = j
        self.rows[place] = self.problem.cov.block(np.array([j]))[0]
        self.allowed[j] = step + 1 + min(self._tenure() // 2, self.problem.k // 2)

    def _keep(self, places: np.ndarray) -> None:
        """Keep only some members."""
        self.support, self.rows = self.support[places], self.rows[places]
        self.loadings = feasible.unit(self.loadings[places])

    def _tenure(self, count: int | None = None):
        """Return for how many steps one feature, or each of several, is tabu."""
        return self.tenure + self.rng.integers(0, self.tenure, count)
