"""The splitting method behind the pair-scaled dual: spectraplex, rows and pairs, coupled by multipliers.

Minimising the pair-scaled bound over (L, M) is the dual of a relaxation over matrices X (for xx')
and Y (Y_ij for x_i² times "j is in the support"):

    max ⟨A, X⟩  over  X ⪰ 0, tr X = 1;
                      X_ij² <= Y_ij Y_ji, X >= 0, Y >= 0;
                      Y_ij <= X_ii, Σ_{j≠i} Y_ij <= (k−1) X_ii.

The three groups of constraints are three projections: the spectraplex (one eigendecomposition), a
cone in three variables for each pair (a Lorentz cone after turning the pair by 45°: closed form),
and a polytope for each row (two nested monotone equations on sorted entries). The alternating
direction method of multipliers joins them through copies (W, Y, z) of (X off the diagonal, Y, X's
diagonal). Its multipliers lie in the polar of the pair cones after *every* step (Moreau), which
says precisely that L and M read off them satisfy the product inequality: so every iterate proves a
bound, and stopping early costs tightness only. It starts at X = xx' for the best x known, where the
primal is already solved and only the multipliers have to be found.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse.linalg

from nnspca.certificates.proofs import PairProof
from nnspca.covariance.problem import Problem
from nnspca.numerics.feasible import sum_of_largest
from nnspca.numerics.spectraplex import Spectraplex

RELAX = 1.6  # over-relaxation of the splitting
START = 8.0  # first weight of the copies, for a largest eigenvalue of 1: a larger one adapts the multipliers sooner
AGAIN = 1.0  # the same for multipliers that already prove a bound
CONSISTENT = 0.3  # the same for multipliers on which rows and spectraplex agree
ADAPT, ADAPTED = 20, 400  # steps between adaptations of the weight, and the last such step
NEWTON = 40  # most steps for the multipliers of the rows
EXACT, NEARLY = 1e-13, 2e-5  # tolerance of a row's sum for its multiplier, in double and in single precision
OUT = -1e6  # an entry that no projection keeps
TILE = 96  # side of the blocks in which pairs are projected
FEW = 64  # entries of a row up to which all are counted sooner than blocks of them
TINY = 1e-30
FAR = 1e12  # ratio of two scales beyond which numbers in single precision cannot be reused
LANCZOS = 650  # features above which the scale comes from Lanczos iterations
SINGLE = np.float32  # any multipliers prove a bound, so single precision suffices, in half the time


class Splitting:
    """The alternating direction method on one covariance, scaled to a largest eigenvalue of 1.

    Parameters
    ----------
    problem : Problem
        Its covariance held as a matrix.
    x : ndarray, shape (n,)
        Feasible point to start from.
    forced : ndarray of bool, shape (n,), optional
        Features known to be in every optimal support, fewer than k.
    """

    def __init__(self, problem: Problem, x: np.ndarray, forced: np.ndarray | None = None) -> None:
        A, nonnegative = problem.cov.entries, problem.nonnegative
        self.n, self.k, self.nonnegative = problem.n, problem.k, nonnegative
        self.forced = problem.included if forced is None else forced
        self.scale = _largest_eigenvalue(A) or 1.0  # of features that hold nothing any scale will do
        self.A: np.ndarray = (A / self.scale).astype(SINGLE)
        self.rho = START
        x = x.astype(SINGLE)
        self.W = np.maximum(np.outer(x, x), 0.0) if nonnegative else np.outer(x, x)  # X, with z on the diagonal
        self.Y = np.outer(x * x, (x != 0).astype(SINGLE))
        np.fill_diagonal(self.Y, 0.0)
        self.z = x * x
        self.UX, self.UY = np.zeros_like(self.A), np.zeros_like(self.A)  # scaled multipliers
        self.UD: np.ndarray = np.zeros(self.n, dtype=SINGLE)
        self.tau = np.zeros(self.n, dtype=SINGLE)  # of the rows
        self.spectraplex = Spectraplex()
        self.steps = 0

    def multipliers(self) -> tuple[np.ndarray, np.ndarray]:
        """L and M in the units of A."""
        size = self.rho * self.scale
        return self.UX.astype(float) * size, np.maximum(self.UY.astype(float) * -size, 0.0)

    def begin_at(self, proof: PairProof) -> None:
        """Start from the multipliers of a proof on the same features, at this k or one near it.

        L's diagonal is what levels the rows at zero for this k, and the two copies of it agree:
        nothing has to learn first how the bound falls into rows and what is left of A.
        """
        self.rho = AGAIN
        self.UX = (proof.L / self.scale).astype(SINGLE)
        self.UY = (proof.M / -self.scale).astype(SINGLE)
        self.UD = sum_of_largest(-self.UY, self.k - 1)
        np.fill_diagonal(self.UX, -self.UD)

    def begin_balanced(self, weights: np.ndarray, value: float, *, consistent: bool) -> None:
        """Start from the bound by balanced rows: L is A, and M shares each entry by the features' weights.

        A multiple of the identity moves from L to what is left of A, so that this is ``value``,
        which x attains. If ``consistent``, the two copies of the diagonal agree about L, and nothing
        moves at once; else the rows first have to learn of it, which spreads x's weight over all
        level rows.
        """
        shares = np.maximum(self.A, 0.0) if self.nonnegative else np.abs(self.A)
        np.fill_diagonal(shares, 0.0)
        self.rho = CONSISTENT if consistent else AGAIN
        self.UX = (self.A - SINGLE(value / self.scale) * np.eye(self.n, dtype=SINGLE)) / SINGLE(self.rho)
        self.UY = (-shares * (weights / (self.rho * weights[:, None]))).astype(SINGLE)
        if consistent:
            self.UD = -self.UX.diagonal()

    def follow(self, other: Splitting, features: np.ndarray, *, whole: bool = False) -> None:
        """Start from the multipliers another splitting has reached, on these features; at its point too if whole.

        If these features are negligible beside the others, its state is of no use for them.
        """
        if other.scale > FAR * self.scale:
            return
        block = np.ix_(features, features)
        factor = SINGLE(other.scale / self.scale)
        self.rho = other.rho
        self.UX, self.UY = other.UX[block] * factor, other.UY[block] * factor
        self.UD = other.UD[features] * factor
        if whole:
            self.W, self.Y, self.z = other.W[block].copy(), other.Y[block].copy(), other.z[features].copy()

    def advance(self) -> None:
        """One step: the spectraplex and the rows, then the pairs, then the multipliers."""
        X = self.spectraplex.nearest(self.W - self.UX + self.A / self.rho)
        rows, D = onto_rows(self.Y - self.UY, self.z - self.UD, self.k, self.forced, guess=self.tau)
        before_W, before_Y = self.W, self.Y
        mixed_X = RELAX * X + (1 - RELAX) * before_W + self.UX
        mixed_Y = RELAX * rows + (1 - RELAX) * before_Y + self.UY
        mixed_D = RELAX * D + (1 - RELAX) * self.z + self.UD
        W, Y = onto_pairs(mixed_X, mixed_Y, self.nonnegative)
        z = (mixed_X.diagonal() + mixed_D) / 2
        np.fill_diagonal(W, z)
        np.fill_diagonal(Y, 0.0)
        self.UX, self.UY, self.UD = mixed_X - W, mixed_Y - Y, mixed_D - z
        np.fill_diagonal(self.UY, 0.0)
        self.W, self.Y, self.z = W, Y, z
        self.steps += 1
        if self.steps % ADAPT == 0 and self.steps <= ADAPTED:
            apart = np.hypot(np.linalg.norm(X - W), np.linalg.norm(rows - Y))
            moved = self.rho * np.hypot(np.linalg.norm(W - before_W), np.linalg.norm(Y - before_Y))
            self._reweigh(apart, moved)

    def _reweigh(self, apart: float, moved: float) -> None:
        """Keep the copies' disagreement and their movement of a size."""
        if not 0 < apart < np.inf or not 0 < moved < np.inf or max(apart, moved) <= 2 * min(apart, moved):
            return
        factor = float(np.clip(np.sqrt(apart / moved), 0.5, 2.0))
        self.rho *= factor
        self.UX, self.UY, self.UD = self.UX / factor, self.UY / factor, self.UD / factor


def _largest_eigenvalue(A: np.ndarray) -> float:
    """About the largest eigenvalue: a scale, no more."""
    if len(A) <= LANCZOS:
        return float(np.linalg.eigvalsh(A)[-1])
    start = np.sqrt(np.maximum(A.diagonal(), 0.0)) + 1e-3 * np.sqrt(max(float(A.diagonal().max()), 0.0))
    try:
        return float(scipy.sparse.linalg.eigsh(A, k=1, which="LA", v0=start, tol=1e-6)[0][0])
    except scipy.sparse.linalg.ArpackError:  # it has not converged, or there is nothing to converge to
        return float(np.linalg.eigvalsh(A)[-1])


def onto_pairs(X: np.ndarray, Y: np.ndarray, nonnegative: bool) -> tuple[np.ndarray, np.ndarray]:
    """Nearest (w, a, b) with w² <= ab, a >= 0, b >= 0 (and w >= 0) to (X_ij, Y_ij, Y_ji), for every pair.

    X_ij stands for X_ji too, so w counts twice: with 2w, p = a + b, q = a − b, all longer by the
    same √2, the set is the Lorentz cone ‖(2w, q)‖ <= p. Where w may not be negative and would be,
    it is zero, and the cone clips a and b.
    """
    n = len(X)
    W, A = np.empty_like(X), np.empty_like(Y)
    # tile by tile, so that both entries of a pair stay in the cache and each pair is visited once
    for i in range(0, n, TILE):
        for j in range(i, n, TILE):
            above, below = (slice(i, i + TILE), slice(j, j + TILE)), (slice(j, j + TILE), slice(i, i + TILE))
            a, b = Y[above], Y[below].T
            w = (X[above] + X[below].T) / 2  # one half alone would let the other drift away from it
            w = np.maximum(w, 0.0) if nonnegative else w
            p, q = a + b, a - b
            size = np.sqrt(4 * w * w + q * q)
            height = np.maximum((p + size) / 2, 0.0)
            share = np.minimum(height / np.maximum(size, TINY), 1.0)
            height = np.maximum(height, p)  # larger inside the cone only, where nothing moves
            w, q = share * w, share * q
            W[above], A[above] = w, (height + q) / 2
            W[below], A[below] = w.T, (height - q).T / 2
    return W, A


def onto_rows(
    V: np.ndarray,
    d: np.ndarray,
    k: int,
    forced: np.ndarray | None = None,
    barred: np.ndarray | None = None,
    guess: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Nearest (y, D) with 0 <= y_j <= D and Σ_{j≠i} y_j <= (k−1) D to each row of V (off the diagonal) and d.

    A forced column, or entry, has y_j = D, so it counts with d, and takes one of the k−1 places; a
    barred one has y_j = 0. The rows' multipliers τ, which give y and D, are those of
    :class:`_RowSums`. ``guess`` holds multipliers near which to look, and takes those that are
    found.
    """
    n = len(V)
    if n == 1:
        return np.zeros((1, 1)), np.maximum(d, 0.0)
    forced_entries = None
    if forced is not None and forced.any():
        forced_entries = np.broadcast_to(forced, (n, n)) & ~np.eye(n, dtype=bool)
    # entries that do not count get a value so low that no clip reaches it: rows keep one length
    v = V.copy()
    np.fill_diagonal(v, OUT)
    for without_say in (barred, forced_entries):
        if without_say is not None:
            v[without_say] = OUT
    weight, places, pull = np.ones(n, dtype=V.dtype), np.full(n, k - 1, dtype=V.dtype), d
    if forced_entries is not None:
        taken = forced_entries.sum(axis=1)
        weight, places, pull = 1.0 + taken, k - 1 - taken, d + np.where(forced_entries, V, 0.0).sum(axis=1)
    tau, D = _RowSums(v, weight, places, pull).multipliers(guess)
    if guess is not None:
        guess[:] = tau
    y = np.clip(v - tau[:, None], 0, D[:, None])
    return (y if forced_entries is None else np.where(forced_entries, D[:, None], y)), D


class _RowSums:
    """How the sum of each row exceeds its limit as the row's multiplier τ >= 0 grows.

    With w of the forced and d itself, c places left, and τ the multiplier of the sum,
    ``y = clip(v − τ, 0, D)`` and s = τ + D solves ``w (s − τ − d̄) − τc = Σ (v − s)⁺``, monotone in
    s; the sum's excess then falls with τ, which is found by Newton's steps, kept in a bracket. On
    sorted rows each equation is a search in cumulative sums.

    Parameters
    ----------
    v : ndarray, shape (n, n)
        Entries that do not count are at ``OUT``. Changed while it is sorted, and changed back.
    weight, places, pull : ndarray, shape (n,)
        w, c and w d̄ of each row.
    """

    def __init__(self, v: np.ndarray, weight: np.ndarray, places: np.ndarray, pull: np.ndarray) -> None:
        n = len(v)
        self.weight, self.places, self.pull = weight, places, pull
        falling = np.sort(np.negative(v, out=v), axis=1)[:, :-1]
        np.negative(v, out=v)
        # an entry not above zero is in no sum, as τ and D are not below it
        longest = max(1, int(np.count_nonzero(falling < 0, axis=1).max()))
        self.falling: np.ndarray = np.negative(falling[:, :longest])
        self.sums = np.zeros((n, longest + 1), dtype=v.dtype)
        np.cumsum(self.falling, axis=1, out=self.sums[:, 1:])
        # entry m is at its cap D where (w + m) v_m − Σ_{j<=m} v_j exceeds w d̄ + τ(w + c); as this
        # falls along a row, a count tells how many are, and one sort serves every τ
        balance = (weight[:, None] + np.arange(1, longest + 1, dtype=v.dtype)) * self.falling
        balance -= self.sums[:, 1:]
        self.rows, self.sorted_balance = np.arange(n), _Descending(balance)
        self.sorted_rows = _Descending(self.falling) if longest > FEW else None

    def at(self, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Excess of each row's sum at its τ, the excess's slope, and D."""
        rows, sums, weight, places = self.rows, self.sums, self.weight, self.places
        right = self.pull + tau * (weight + places)
        above = self.sorted_balance.above(right)
        capped = above.astype(sums.dtype)
        D = (right + sums[rows, above]) / (weight + capped) - tau
        slope = (weight + places) / (weight + capped) - 1
        positive = self.sorted_rows.above(tau) if self.sorted_rows else (self.falling > tau[:, None]).sum(axis=1)
        above = np.minimum(above, positive)
        capped = np.minimum(capped, positive.astype(sums.dtype))
        between = capped - positive.astype(sums.dtype)
        total = sums[rows, positive] - sums[rows, above] + between * tau + capped * D
        alive = D > 0  # a D below zero says that τ is too large: as an excess it lowers the bracket's end
        excess = np.where(alive, total - places * D, D)
        return excess, np.where(alive, between + (capped - places) * slope, slope), np.maximum(D, 0)

    def multipliers(self, guess: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The τ of each row, 0 where its sum is within its limit by itself, and D; looked for near a guess."""
        dtype = self.falling.dtype
        exact = EXACT if self.falling.dtype == float else NEARLY
        low, high = np.zeros(len(self.rows), dtype=dtype), np.maximum(self.falling[:, 0], 0)
        tau = low
        excess, slope, D = self.at(tau)
        active = excess > 0
        if not active.any():
            return tau, D
        if guess is not None:
            low, tau = np.where(active, tau, low), np.where(active & (guess < high), guess, tau)
            excess, slope, D = self.at(tau)
        for _ in range(NEWTON):
            # the excess is piecewise linear: a step of Newton's ends at its root from anywhere on
            # the root's piece
            off = active & (np.abs(excess) > exact)
            if not off.any():
                break
            low, high = np.where(excess > 0, tau, low), np.where(excess > 0, high, tau)
            step = tau - excess / np.where(slope < 0, slope, -1)
            inside = (step > low) & (step < high) & (slope < 0)
            tau = np.where(off, np.where(inside, step, (low + high) / 2), tau)
            excess, slope, D = self.at(tau)
        return tau, D


class _Descending:
    """Rows sorted downward, in which to count: blocks of them by their heads first, then one block."""

    def __init__(self, falling: np.ndarray) -> None:
        n, m = falling.shape
        self.length = m
        self.side = max(1, round(m**0.5))
        count = -(-m // self.side)
        self.blocks = np.full((n, count * self.side), OUT, dtype=falling.dtype)
        self.blocks[:, :m] = falling
        self.blocks = self.blocks.reshape(n, count, self.side)
        self.heads, self.rows = np.ascontiguousarray(self.blocks[:, :, 0]), np.arange(n)

    def above(self, level: np.ndarray) -> np.ndarray:
        """For each row, how many entries exceed its level."""
        whole = np.maximum((self.heads > level[:, None]).sum(axis=1) - 1, 0)
        count = whole * self.side + (self.blocks[self.rows, whole] > level[:, None]).sum(axis=1)
        return np.minimum(count, self.length)  # what fills the last block may exceed a level far below zero
