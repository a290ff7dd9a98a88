"""The splitting behind the pair-scaled and the joint dual: Fantope, rows, columns and pairs, coupled by multipliers.

The relaxation over matrices X and Y, and why the multipliers after every step prove a bound, stand in
docs/mathematics/pair-scaled.md and parts.md. The alternating direction method joins the constraints through copies
(W, Y, z) of (X off the diagonal, Y, X's diagonal):

    X ≈ W, diagonal z;        rows R ≈ Y, D ≈ z;        of several parts, columns C ≈ Y, E ≈ z.

Of several parts X counts twice, as Y has two copies and W one: then the pairs' step is a projection onto a circular
cone again. It starts at the best parts known, where the primal is already solved and only the multipliers have to be
found.
"""

from __future__ import annotations

import functools

import numpy as np

from nnspca.bounds import eigenvalues
from nnspca.certificates.proofs import PairProof
from nnspca.covariance.problem import Problem
from nnspca.numerics.fantope import Fantope
from nnspca.numerics.feasible import allowed, sum_of_largest
from nnspca.numerics.halves import tiles

# Over-relaxation. At 1.35: −.0021 on 49 × 7,129, k = 50. First weight of the copies, of one part and of several. Half,
# double: 0 there, as the multipliers begin elsewhere; cases and parts begin at it.
RELAX, START = 1.7, (8.0, 0.5)
# First weight for the multipliers of balanced rows, and of a tree's root, which have to adapt. At 0.3: −.0036, double:
# +.0004 on 49 × 7,129, k = 50.
AGAIN = 1.0
# The same where rows and Fantope agree. Half: 0, at 1: −.0013 on LFW standardised, k = 80. Rows agree by the cube roots
# of their weights; all of them: −.0110 on arrhythmia, k = 200; by square roots: −.0003 on LFW, k = 300.
CONSISTENT = 0.6
NEAR = 0.1  # the same for a neighbour's multipliers: 0.3 and 1 first lose more of their bound (LFW, k = 80: .3 and 1 %)
ADAPT = 20  # steps between adaptations of the weight. Half, double: 0 on CBCL, k = 180.

# of arithmetic and memory, not tuned
NEWTON = 40  # most steps for the multipliers of the rows
EXACT, NEARLY = 1e-13, 2e-5  # tolerance of a row's sum for its multiplier, in double and in single precision
OUT = -1e6  # an entry that no projection keeps
TINY = 1e-30
FAR = 1e12  # ratio of two scales beyond which numbers in single precision cannot be reused
SINGLE = np.float32  # any multipliers prove a bound, so for one part single precision suffices, in half the time


class Splitting:
    """The alternating direction method on one covariance, scaled to a largest eigenvalue of 1.

    Parameters
    ----------
    problem : Problem
        Of each part; its covariance is held as a matrix.
    X : ndarray, shape (n,) or (r, n)
        Parts to start from: unit rows of disjoint supports.
    same : ndarray of bool, shape (n,) or (n, n), optional
        Features in every optimal support, fewer than k; or pairs of features that share a part.
    apart : ndarray of bool, shape (n, n), optional
        Pairs of features that share no part.
    """

    def __init__(
        self, problem: Problem, X: np.ndarray, same: np.ndarray | None = None, apart: np.ndarray | None = None
    ) -> None:
        A, X = problem.cov.held.entries, np.atleast_2d(X)
        self.n, self.k, self.r, self.nonnegative = problem.n, problem.k, len(X), problem.nonnegative
        self.several = self.r > 1
        self.same, self.apart = problem.included if same is None else same, apart
        self.scale = eigenvalues.about(A, 1e-6) or 1.0  # of features that hold nothing any scale will do
        dtype = float if self.several else SINGLE
        self.A, X = (A / self.scale).astype(dtype), X.astype(dtype)
        self.rho, self.copies = START[self.several], 1 + self.several
        self.W, self.Y = X.T @ X, (X * X).T @ (X != 0).astype(dtype)
        if apart is not None:
            self.W[apart], self.Y[apart] = 0.0, 0.0
        np.fill_diagonal(self.Y, 0.0)
        self.z: np.ndarray = np.sum(X * X, axis=0)
        self.fantope, self.tau = Fantope(self.r), np.zeros(self.n, dtype=dtype)
        self.UX, self.UY, self.UD = np.zeros_like(self.A), np.zeros_like(self.A), np.zeros_like(self.z)  # multipliers
        self.scaled = ["UX", "UY", "UD"]  # by ρ
        if self.several:
            self.UC, self.UE, self.prices = np.zeros_like(self.A), np.zeros_like(self.z), np.zeros_like(self.z)
            self.scaled += ["UC", "UE", "prices"]
        self.steps = 0

    def multipliers(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """L, M and, of several parts, v, in the units of A."""
        size = self.rho * self.scale
        shares = self.UY + self.UC if self.several else self.UY
        L, M = self.UX.astype(float) * (self.copies * size), np.maximum(shares.astype(float) * -size, 0.0)
        return L, M, size * self.prices if self.several else None

    def begin_at(self, proof: PairProof, weight: float = NEAR) -> None:
        """Start from the multipliers of a proof on the same features, at this k or one near it.

        L's diagonal is what levels the rows at zero for this k, and the two copies of it agree:
        nothing has to learn first how the bound falls into rows and what is left of A.
        """
        self.rho = weight
        size = self.rho * self.scale
        self.UX = (proof.L / (self.copies * size)).astype(self.A.dtype)
        self.UY = (proof.M / -size).astype(self.A.dtype)
        if not self.several:
            self.UD = sum_of_largest(-self.UY, self.k - 1)
            np.fill_diagonal(self.UX, -self.UD)
        elif proof.v is not None:
            self.prices = proof.v / size
            self.UC = np.tile(-self.prices, (self.n, 1))
            np.fill_diagonal(self.UC, 0.0)
            self.UY -= self.UC

    def begin_balanced(self, weights: np.ndarray, value: float, *, consistent: bool = False) -> None:
        """Start one part from the bound by balanced rows: L is A, and M shares each entry by the features' weights.

        A multiple of the identity moves from L to what is left of A, so that this is ``value``, which x attains. The
        rows first have to learn of it, which spreads x's weight over all level rows; if ``consistent``, those of large
        weight know it: rows of weights near zero would be held too far from x to return in time.
        """
        shares = allowed(self.A, self.nonnegative)
        np.fill_diagonal(shares, 0.0)
        self.rho = CONSISTENT if consistent else AGAIN
        self.UX = (self.A - SINGLE(value / self.scale) * np.eye(self.n, dtype=SINGLE)) / SINGLE(self.rho)
        self.UY = (-shares * (weights / (self.rho * weights[:, None]))).astype(SINGLE)
        if consistent:
            self.UD = -self.UX.diagonal() * np.cbrt(weights / weights.max()).astype(SINGLE)

    def follow(self, other: Splitting, features: np.ndarray, *, whole: bool = False) -> None:
        """Start from the multipliers another splitting has reached, on these features; at its point too if whole.

        If these features are negligible beside the others, its state is of no use for them.
        """
        if other.scale > FAR * self.scale:
            return
        self.rho = other.rho
        self._take(other, np.arange(self.n), features, whole)

    def grow_from(self, smaller: Splitting, places: np.ndarray) -> None:
        """Continue a splitting on some of the features, which are at ``places`` here."""
        self.rho, self.steps = smaller.rho, smaller.steps
        self._take(smaller, places, np.arange(smaller.n), True)

    def _take(self, other: Splitting, here: np.ndarray, there: np.ndarray, whole: bool) -> None:
        """Take over another's state; scaled multipliers are in units of the largest eigenvalue."""
        factor = self.A.dtype.type(other.scale / self.scale)
        for name in [*self.scaled, *(("W", "Y", "z") if whole else ())]:
            mine, values = getattr(self, name), getattr(other, name)
            own, its = (here, there) if values.ndim == 1 else (np.ix_(here, here), np.ix_(there, there))
            mine[own] = values[its] * factor if name in self.scaled else values[its]

    def advance(self) -> None:
        """One step: the Fantope, rows and columns, then the pairs, then the multipliers."""
        W, Y, z, copies = self.W, self.Y, self.z, self.copies
        X = self.fantope.nearest(W - self.UX + self.A / (copies * self.rho))
        R, D = onto_rows(Y - self.UY, z - self.UD, self.k, self.same, self.apart, guess=self.tau)
        mixed_X, mixed_R, mixed_D = self._mixed(X, W, self.UX), self._mixed(R, Y, self.UY), self._mixed(D, z, self.UD)
        if self.several:
            C, E = self._onto_columns(Y - self.UC, z - self.UE)
            mixed_C, mixed_E = self._mixed(C, Y, self.UC), self._mixed(E, z, self.UE)
            self.W, self.Y = onto_pairs(mixed_X, (mixed_R + mixed_C) / 2, self.nonnegative)
            self.z = (2 * mixed_X.diagonal() + mixed_D + mixed_E) / 4
        else:
            self.W, self.Y = onto_pairs(mixed_X, mixed_R, self.nonnegative)
            self.z = (mixed_X.diagonal() + mixed_D) / 2
        if self.apart is not None:
            self.W[self.apart], self.Y[self.apart] = 0.0, 0.0
        np.fill_diagonal(self.W, self.z)
        np.fill_diagonal(self.Y, 0.0)
        self.UX, self.UY, self.UD = mixed_X - self.W, mixed_R - self.Y, mixed_D - self.z
        np.fill_diagonal(self.UY, 0.0)
        if self.several:
            self.UC, self.UE = mixed_C - self.Y, mixed_E - self.z
        self.steps += 1
        if self.steps % ADAPT == 0:
            far = [copies * (X - self.W), R - self.Y, *([C - self.Y] if self.several else [])]
            near = [copies * (self.W - W), copies * (self.Y - Y)]
            self._reweigh(_length(far), self.rho * _length(near))

    def _mixed(self, fresh: np.ndarray, old: np.ndarray, multiplier: np.ndarray) -> np.ndarray:
        return RELAX * fresh + (1 - RELAX) * old + multiplier

    def _onto_columns(self, C: np.ndarray, E: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nearest (C, E) whose columns add up to at most 1, to 1 for features in use; the multipliers are kept."""
        np.fill_diagonal(C, 0.0)
        prices = (C.sum(axis=0) + E - 1.0) / self.n
        self.prices = np.where(self.same.any(axis=-1), prices, np.maximum(prices, 0.0))
        C = C - self.prices
        np.fill_diagonal(C, 0.0)
        return C, E - self.prices

    def _reweigh(self, apart: float, moved: float) -> None:
        """Keep the copies' disagreement and their movement of a size."""
        if not 0 < apart < np.inf or not 0 < moved < np.inf or max(apart, moved) <= 2 * min(apart, moved):
            return
        factor = float(np.clip(np.sqrt(apart / moved), 0.5, 2.0))
        if self.several:  # moved less often and further, which suits the trees of pairs
            factor = 2.0 if apart > 5 * moved else 0.5 if moved > 5 * apart else 1.0
        self.rho *= factor
        for name in self.scaled:
            setattr(self, name, getattr(self, name) / factor)


def _length(arrays: list[np.ndarray]) -> float:
    return functools.reduce(np.hypot, map(np.linalg.norm, arrays))  # type: ignore[return-value]


def onto_pairs(X: np.ndarray, Y: np.ndarray, nonnegative: bool) -> tuple[np.ndarray, np.ndarray]:
    """Nearest (w, a, b) with w² <= ab, a >= 0, b >= 0 (and w >= 0) to (X_ij, Y_ij, Y_ji), for every pair.

    X_ij stands for X_ji too, so w counts twice: with 2w, p = a + b, q = a − b, all longer by the same √2, the set is
    the Lorentz cone ‖(2w, q)‖ <= p. Where w may not be negative and would be, it is zero, and the cone clips a and b.
    """
    W, A = np.empty_like(X), np.empty_like(Y)
    for above, below in tiles(len(X)):
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

    With w of the forced and d itself, c places left, and τ the multiplier of the sum, ``y = clip(v − τ, 0, D)`` and s
    = τ + D solves ``w (s − τ − d̄) − τc = Σ (v − s)⁺``, monotone in s; the sum's excess then falls with τ, which is
    found by Newton's steps, kept in a bracket. On sorted rows each equation is a search in cumulative sums.

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
        self.rows, self.balance = np.arange(n), balance

    def at(self, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Excess of each row's sum at its τ, the excess's slope, and D."""
        rows, sums, weight, places = self.rows, self.sums, self.weight, self.places
        right = self.pull + tau * (weight + places)
        above = np.count_nonzero(self.balance > right[:, None], axis=1)
        capped = above.astype(sums.dtype)
        D = (right + sums[rows, above]) / (weight + capped) - tau
        slope = (weight + places) / (weight + capped) - 1
        positive = np.count_nonzero(self.falling > tau[:, None], axis=1)
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
