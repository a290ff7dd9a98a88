"""The splitting behind the pair-scaled dual: the spectraplex and the rows against the pairs, joined by multipliers.

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

from nnspca.certificates.proofs import PairProof
from nnspca.spectraplex import Spectraplex

RELAX = 1.6  # over-relaxation of the splitting
START = 8.0  # first weight of the copies, in a scale whose largest eigenvalue is 1: more turns the multipliers sooner
AGAIN = 1.0  # the same at multipliers that prove a bound already
ADAPT, ADAPTED = 20, 400  # steps after which the weight is looked at again, and the last such step
NEWTON = 40  # most steps for the multipliers of the rows
EXACT = 1e-13
NARROW = 700  # rows up to this long are counted whole, longer ones by bisection
OUT = -1e6  # an entry that no projection keeps
TILE = 96  # side of the blocks in which pairs are projected
TINY = 1e-300


class Splitting:
    """The alternating direction method on one covariance, scaled to a largest eigenvalue of 1.

    Parameters
    ----------
    A : ndarray, shape (n, n)
    k : int
    x : ndarray, shape (n,)
        Feasible point to start from.
    nonnegative : bool
    forced : ndarray of bool, shape (n,), optional
        Features known to be in every optimal support, fewer than k.
    """

    def __init__(
        self, A: np.ndarray, k: int, x: np.ndarray, nonnegative: bool, forced: np.ndarray | None = None
    ) -> None:
        self.n, self.k, self.nonnegative = len(A), k, nonnegative
        self.forced = np.zeros(self.n, dtype=bool) if forced is None else forced
        self.scale = float(np.linalg.eigvalsh(A)[-1])
        self.A = A / self.scale
        self.rho = START
        self.W = np.maximum(np.outer(x, x), 0.0) if nonnegative else np.outer(x, x)  # X, with z on the diagonal
        self.Y = np.outer(x * x, (x != 0).astype(float))
        np.fill_diagonal(self.Y, 0.0)
        self.z = x * x
        self.UX, self.UY = np.zeros_like(self.A), np.zeros_like(self.A)  # scaled multipliers
        self.UD = np.zeros(self.n)
        self.tau = np.zeros(self.n)  # of the rows
        self.spectraplex = Spectraplex()
        self.steps = 0

    def multipliers(self) -> tuple[np.ndarray, np.ndarray]:
        """L and M in the units of A."""
        size = self.rho * self.scale
        return self.UX * size, np.maximum(-self.UY * size, 0.0)

    def begin_at(self, proof: PairProof) -> None:
        """Start from the multipliers of a proof on the same features."""
        self.rho = AGAIN
        self.UX = np.array(proof.L) / self.scale
        self.UY = -np.array(proof.M) / self.scale

    def begin_balanced(self, weights: np.ndarray, value: float, *, settled: bool) -> None:
        """Start from the bound by balanced rows: L is A, and M shares each entry by the features' weights.

        A multiple of the identity moves from L to what is left of A, so that this is ``value``, which x attains. If
        ``settled``, the two copies of the diagonal agree about L, and nothing moves at once; else the rows first have
        to learn of it, which spreads x's weight over all level rows.
        """
        shares = np.maximum(self.A, 0.0) if self.nonnegative else np.abs(self.A)
        np.fill_diagonal(shares, 0.0)
        self.rho = AGAIN
        self.UX = self.A - value / self.scale * np.eye(self.n)
        self.UY = -shares * weights / weights[:, None]
        if settled:
            self.UD = -self.UX.diagonal()

    def follow(self, other: Splitting, kept: np.ndarray, *, whole: bool = False) -> None:
        """Start from the multipliers another splitting has reached, on the features kept; at its point too if whole."""
        block = np.ix_(kept, kept)
        factor = other.scale / self.scale
        self.rho = other.rho
        self.UX, self.UY = other.UX[block] * factor, other.UY[block] * factor
        self.UD = other.UD[kept] * factor
        if whole:
            self.W, self.Y, self.z = other.W[block].copy(), other.Y[block].copy(), other.z[kept].copy()

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


def onto_pairs(X: np.ndarray, Y: np.ndarray, nonnegative: bool) -> tuple[np.ndarray, np.ndarray]:
    """Nearest (w, a, b) with w² <= ab, a >= 0, b >= 0 (and w >= 0) to (X_ij, Y_ij, Y_ji), for every pair.

    X_ij stands for X_ji too, so w counts twice: with 2w, p = a + b, q = a − b, all longer by the same
    √2, the set is the Lorentz cone ‖(2w, q)‖ <= p. Where w may not be negative and would be, it is
    zero, and the cone clips a and b.
    """
    n = len(X)
    W, A = np.empty_like(X), np.empty_like(Y)
    # tile by tile: what a pair needs stays near the processor, and each pair is seen once
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
    barred one has y_j = 0. With w of the forced and d itself, c places left, and τ >= 0 the
    multiplier of the sum, ``y = clip(v − τ, 0, D)`` and s = τ + D solves
    ``w (s − τ − d̄) − τc = Σ (v − s)⁺``, monotone in s; the sum's excess then falls with τ, which
    is found by Newton's steps, kept in a bracket. On sorted rows each equation is a search in
    cumulative sums. ``guess`` holds multipliers τ near which to look, and takes those that are found.
    """
    n = len(V)
    if n == 1:
        return np.zeros((1, 1)), np.maximum(d, 0.0)
    # an entry so low that no clip reaches it stands for one that has no say, and rows keep one length
    v = V.copy()
    np.fill_diagonal(v, OUT)
    weight, places, pull, held = np.ones(n), np.full(n, k - 1), d, None
    if barred is not None:
        v[barred] = OUT
    if forced is not None and forced.any():
        held = np.broadcast_to(forced, (n, n)) & ~np.eye(n, dtype=bool)
        taken = held.sum(axis=1)
        weight, places, pull = 1.0 + taken, k - 1 - taken, d + np.where(held, V, 0.0).sum(axis=1)
        v[held] = OUT
    falling = np.ascontiguousarray(-np.sort(-v, axis=1)[:, :-1])
    sums = np.zeros((n, n))
    np.cumsum(falling, axis=1, out=sums[:, 1:])
    # entry m is at its cap D where (w + m) v_m − Σ_{j<=m} v_j exceeds w d̄ + τ(w + c); as this falls along a row, a
    # count tells how many are, and one sort serves every τ
    balance = (weight[:, None] + np.arange(1, n)) * falling - sums[:, 1:]
    rows = np.arange(n)

    def at(tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Excess of the sum, its slope, and D."""
        right = pull + tau * (weight + places)
        capped = _count_above(balance, right)
        s = (right + sums[rows, capped]) / (weight + capped)
        D = s - tau
        slope = (weight + places) / (weight + capped) - 1.0
        positive = _count_above(falling, tau)
        capped = np.minimum(capped, positive)
        total = sums[rows, positive] - sums[rows, capped] - (positive - capped) * tau + capped * D
        alive = D > 0  # a D below zero says that τ is too large: as an excess it lowers the bracket's end
        excess = np.where(alive, total - places * D, D)
        return excess, np.where(alive, capped - positive + (capped - places) * slope, slope), np.maximum(D, 0.0)

    low, high = np.zeros(n), np.maximum(falling[:, 0], 0.0)
    tau = low
    excess, slope, D = at(tau)
    active = excess > 0  # elsewhere τ = 0: the sum is within its limit by itself
    if guess is not None and active.any():
        low, tau = np.where(active, tau, low), np.where(active & (guess < high), guess, tau)
        excess, slope, D = at(tau)
    for _ in range(NEWTON if active.any() else 0):
        # the excess is piecewise linear: a step of Newton's ends at its root from anywhere on the root's piece
        low, high = np.where(excess > 0, tau, low), np.where(excess > 0, high, tau)
        step = tau - excess / np.where(slope < 0, slope, -1.0)
        inside = (step > low) & (step < high) & (slope < 0)
        step = np.where(inside, step, (low + high) / 2)
        tau = np.where(active & (np.abs(excess) > EXACT), step, tau)
        excess, slope, D = at(tau)
        if (np.abs(excess[active]) <= EXACT).all():
            break
    if guess is not None:
        guess[:] = tau
    y = np.clip(v - tau[:, None], 0.0, D[:, None])
    if held is not None:
        y = np.where(held, D[:, None], y)
    return y, D


def _count_above(falling: np.ndarray, level: np.ndarray) -> np.ndarray:
    """For each row, sorted downward, how many entries exceed its level."""
    n, m = falling.shape
    if m <= NARROW:
        return np.count_nonzero(falling > level[:, None], axis=1)
    rows = np.arange(n)
    low, high = np.zeros(n, dtype=np.int64), np.full(n, m)
    for _ in range(int(m).bit_length()):
        middle = (low + high) // 2
        above = falling[rows, np.minimum(middle, m - 1)] > level
        open_rows = low < high
        low = np.where(open_rows & above, middle + 1, low)
        high = np.where(open_rows & ~above, middle, high)
    return low
