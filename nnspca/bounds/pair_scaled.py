"""The pair-scaled dual: a convex relaxation that is tight in practice, with a short certificate.

The bound, its balancing and levelling, features known to be in, and one pair of multipliers for every number of
features stand in docs/mathematics/pair-scaled.md, branch.md and elimination.md. :mod:`nnspca.bounds.splitting` finds L
and M; every iterate on its way proves a bound: stopping early costs tightness only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
import scipy.sparse.linalg

from nnspca.bounds import eigenvalues
from nnspca.bounds.eigenvalues import LANCZOS, ROUGH
from nnspca.bounds.plan import is_stalling, step_seconds
from nnspca.bounds.splitting import Splitting
from nnspca.certificates.proofs import PairProof, SeriesProof
from nnspca.control.progress import Monitor
from nnspca.control.stopping import run_cancellable
from nnspca.covariance.problem import Problem
from nnspca.numerics import halves, rounding
from nnspca.numerics.fantope import largest_eigenpairs
from nnspca.numerics.feasible import allowed, sum_of_largest
from nnspca.result import Bound

CHECK = 10  # steps between bounds of a case, or of a core. Half: +.0007 on 49 × 7,129, k = 50, in a tenth more time.
TURN = 2 * CHECK  # steps between bounds of more: one costs as much as three
BALANCE = 8  # power steps of the balancing. At 0: −.0662 on 49 × 7,129, k = 100, and +.0012, k = 50.

# of arithmetic and threads, not tuned
LARGE = 400  # features from which a step, or a bound, may take so long that it runs in a thread
FINE = 1e-6  # relative error of an eigenvalue that is to be proven


_T = TypeVar("_T")


def run_in_thread(act: Callable[[], _T], n: int, monitor: Monitor, r: int = 1) -> _T:
    """Return the result of a step or a bound on n features; a long one runs in a thread, so that it can be stopped."""
    monitor.pay(step_seconds(n, r))
    return run_cancellable(act, monitor) if n >= LARGE else act()


def dual_bounds(
    problem: Problem,
    X: np.ndarray,
    *,
    steps: int,
    goal: float,
    monitor: Monitor,
    warm_start: PairProof | None = None,
    weights: np.ndarray | None = None,
) -> Iterator[Bound]:
    """Yield ever smaller bounds, each proven, until the steps are spent, the goal is met, or it is slow.

    X are the best parts known, shape (n,) or (r, n). The multipliers start at ``warm_start``, which proved a bound at a
    neighbouring k or r, or those of one part at ``weights`` of balanced rows.
    """
    splitting, least, past = Splitting(problem, X), np.inf, [np.inf]
    if warm_start is not None:
        splitting.begin_at(warm_start)
    elif weights is not None:
        x = np.atleast_2d(X)[0]
        splitting.begin_balanced(weights, float(x @ problem.cov.held.entries @ x), consistent=True)
    for step in range(steps + 1):
        if step:
            run_in_thread(splitting.advance, problem.n, monitor, splitting.r)
        # multipliers of a neighbour prove a bound at once: at a larger k it may already meet the goal
        if (step % TURN and step != steps and not monitor.stop()) or (not step and warm_start is None):
            continue
        value, proof = proof_of(problem, *splitting.multipliers(), r=splitting.r, monitor=monitor)
        if value < least:
            least = value
            yield bound_of(value, proof, splitting.r, step)
        if step:  # a neighbour's multipliers lose before they gain: what they prove at once says nothing of the pace
            past.append(min(value, past[-1]))
        if least <= goal or is_stalling(past, goal) or monitor.stop():
            return


def proof_of(
    problem: Problem,
    L: np.ndarray,
    M: np.ndarray,
    v: np.ndarray | None = None,
    *,
    r: int = 1,
    same: np.ndarray | None = None,
    apart: np.ndarray | None = None,
    level: bool = True,
    balance: int = BALANCE,
    monitor: Monitor | None = None,
) -> tuple[float, PairProof]:
    """The bound of any L, M and v: products enforced, rows balanced and levelled, eigenvalues proven.

    ``same`` and ``apart`` are those of :class:`Splitting`. ``level=False`` leaves the slack of the cheaper rows unused,
    for a caller that spends it elsewhere.
    """
    same = problem.included if same is None else same
    return run_in_thread(
        lambda: _proven(problem, L, M, v, r, same, apart, level, balance), len(L), monitor or Monitor(), r
    )


def _proven(
    problem: Problem,
    L: np.ndarray,
    M: np.ndarray,
    v: np.ndarray | None,
    r: int,
    same: np.ndarray,
    apart: np.ndarray | None,
    level: bool,
    balance: int,
) -> tuple[float, PairProof]:
    cov, k = problem.cov, problem.k
    L = (L + L.T) / 2
    M = least_products(L if apart is None else np.where(apart, 0.0, L), M, problem.nonnegative)
    M = _balanced(L, M, k, same, balance) if v is None else M
    L, M = halves.rounded(L, M)
    if v is not None:
        v = np.where(same.any(axis=-1), v, np.maximum(v, 0.0))
    shares = _largest(M, k, same) if v is None else _beside_prices(M, v, k, same, apart)
    own = 0.0 if v is None else v
    if level:
        costs = L.diagonal() - own + shares
        L[np.diag_indices(len(L))] += np.maximum(np.sort(costs)[-r] - costs, 0.0)
    V = None
    if r == 1:
        tail = eigenvalues.of_matrix(cov.held.entries - L, rounding.subtraction(L) + cov.held.room())
    else:
        sizes = float(np.abs(L).sum(axis=1).max()) + float(np.abs(cov.held.entries).sum(axis=1).max())
        tail, V = tail_and_directions(cov.held.entries - L, r, rounding.sums(4, sizes) + cov.held.room())
    proof = PairProof(L, M, tail, v, V)
    size = None if v is None else np.abs(L.diagonal()) + k * (M.max(axis=1) + np.abs(v).max())
    return value_of_parts(proof, rounding.row_costs(L.diagonal() - own, shares, k, size), r, k, same), proof


def tail_and_directions(B: np.ndarray, r: int, error: float) -> tuple[float, np.ndarray]:
    """A proven t and V with ``B ⪯ tI + VV'`` for which ``rt + ‖V‖²`` is near the sum of the r largest eigenvalues."""
    n, (values, vectors) = len(B), largest_eigenpairs(B, r)
    values, vectors = values[-r:], vectors[:, -r:]
    V = vectors[:, 1:] * np.sqrt(values[1:] - values[0])
    forming = rounding.sums(V.shape[1] + 4, float(np.sum(V * V)) + float(np.abs(B).max()))
    return eigenvalues.of_matrix(B - V @ V.T, error + n * forming, estimate=float(values[0])), V


def value_of_parts(proof: PairProof, rows: np.ndarray, r: int, k: int, same: np.ndarray | None = None) -> float:
    """The bound on r parts from the costs of rows, rounded up."""
    if proof.v is None and proof.V is None:
        return rounding.total(proof.tail, rows)
    v = np.zeros(len(proof.M)) if proof.v is None else proof.v
    top = 0.0 if proof.V is None else float(np.sum(proof.V * proof.V))
    used = np.zeros(len(v), dtype=bool) if same is None else np.broadcast_to(same.any(axis=-1), v.shape)
    dearest, others = np.sort(rows)[-r:], np.sort(v[~used])[::-1]
    prices = float(v[used].sum() + others[: max(0, r * k - int(used.sum()))].sum())
    terms = r * abs(proof.tail) + top + float(np.sort(np.abs(rows))[-r:].sum()) + float(np.abs(v).sum())
    value = r * proof.tail + top + dearest.sum() + prices
    return float(value + rounding.sums(4 * (len(v) * (r + 1) + 8), terms))


def bound_of(value: float, proof: PairProof, r: int, step: int) -> Bound:
    """The bound with its description."""
    if r == 1:
        detail = (
            "Every pair of features splits its covariance between its two rows. A row's sum is its own entry and its "
            "k − 1 largest shares. The bound is the largest sum, plus what the remainder adds"
        )
    else:
        detail = (
            "Every pair of features splits its covariance between its two rows, and a price on each feature accounts "
            f"for its use in one part only. This bounds the variance of {r} parts"
        )
    return Bound("pair-scaled", value, detail=f"{detail} ({step:,} steps of splitting).", ingredients=proof)


def _largest(M: np.ndarray, k: int, forced: np.ndarray) -> np.ndarray:
    """For each row, the sum of its forced entries and of its largest others, k−1 in all (the diagonal is zero)."""
    taken = int(forced.sum())
    if taken:
        others = np.where(forced, 0.0, M)
        # a forced row has one companion less among the forced, so one place more
        return M[:, forced].sum(axis=1) + np.where(
            forced, sum_of_largest(others, k - taken), sum_of_largest(others, k - 1 - taken)
        )
    return sum_of_largest(M, k - 1)


def _beside_prices(M: np.ndarray, v: np.ndarray, k: int, same: np.ndarray, apart: np.ndarray | None) -> np.ndarray:
    """What each row's k − 1 dearest companions cost beside their prices, those decided upon among them."""
    shares = M - v
    np.fill_diagonal(shares, 0.0)
    open_shares = np.maximum(shares, 0.0)
    if apart is not None:
        open_shares[apart] = 0.0
    if not same.any():
        return sum_of_largest(open_shares, k - 1)
    sure = np.where(same, shares, 0.0).sum(axis=1)
    open_shares[same] = 0.0
    falling = -np.sort(-open_shares, axis=1)
    sums = np.cumsum(np.hstack([np.zeros((len(M), 1)), falling]), axis=1)
    places = k - 1 - same.sum(axis=1)
    return sure + sums[np.arange(len(M)), np.minimum(places, len(M))]


def _balanced(L: np.ndarray, M: np.ndarray, k: int, forced: np.ndarray, steps: int) -> np.ndarray:
    """Rescale M by the best d of a few power steps in single precision: any d is valid."""
    if not steps:
        return M
    size = max(float(np.abs(L.diagonal()).max()), float(M.max()), 1e-300)  # single precision overflows above about 1e38
    diagonal, single = (L.diagonal() / size).astype(np.float32), (M / size).astype(np.float32)
    d = np.ones(len(M), dtype=np.float32)
    best, least, shift = d, np.inf, 0.0
    for _ in range(steps):
        image = diagonal * d + _largest(single * d, k, forced)
        rows = image / d
        if rows.max() < least:
            best, least = d, float(rows.max())
        if not shift:
            shift = max(0.0, -float(rows.min())) + 1e-2 * float(np.abs(rows).max())
        d = image + np.float32(shift) * d
        if not d.max() > 0:
            break
        d = np.maximum(d / d.max(), np.float32(1e-8))
    d = best.astype(float)
    return M * d / d[:, None]


def falling_entries(M: np.ndarray, k: int) -> np.ndarray:
    """The k−1 largest entries of each row, largest first, zeros where there are fewer."""
    falling = -np.sort(-M, axis=1)[:, : k - 1]
    return np.pad(falling, ((0, 0), (0, max(0, k - 1 - falling.shape[1]))))


def least_products(L: np.ndarray, M: np.ndarray, nonnegative: bool) -> np.ndarray:
    """Scale each pair of M so that its product equals L_ij²: enough for the proof, and tightest."""
    needed = allowed(L, nonnegative)
    np.fill_diagonal(needed, 0.0)
    tiny = 1e-9 * float(needed.max(initial=0.0))
    scaled = np.empty_like(M)
    for above, below in halves.tiles(len(M)):
        asked, a, b = needed[above], np.maximum(M[above], tiny), np.maximum(M[below].T, tiny)
        root = np.sqrt(a * b)
        root[root == 0] = 1.0
        scaled[above], scaled[below] = a * asked / root, (b * asked / root).T
    return scaled


class Series:
    """The multipliers of a proof, with what they prove of each number of features up to ``problem.k``.

    Only a diagonal depends on the number: one sort of the rows of M serves all; each eigenvalue is estimated by some
    products in single precision that start at the eigenvector of the one before, and proven by one factorisation.
    """

    def __init__(self, problem: Problem, proof: PairProof) -> None:
        self.M, self.L = proof.M, proof.L.copy()
        np.fill_diagonal(self.L, 0.0)
        self._sums = np.cumsum(falling_entries(proof.M, problem.k), axis=1)
        self._left = problem.cov.held.entries - self.L
        self._size = float(np.abs(self._left).max()) or 1.0  # single precision overflows above about 1e38
        self._single = (self._left / self._size).astype(np.float32)
        self._own = self._left.diagonal().copy()
        self._error = rounding.subtraction(self.L) + problem.cov.held.room()
        self._start = np.ones(len(proof.M), dtype=np.float32)
        self._estimates: dict[int, float] = {}

    def _shares(self, c: int) -> np.ndarray:
        """S(c)."""
        return self._sums[:, c - 2] if c > 1 else np.zeros(len(self._own))

    def estimate(self, c: int) -> float:
        """About what c features are bounded by: no bound."""
        if c not in self._estimates:
            self._estimates[c] = self._eigenvalue(self._own + self._shares(c), ROUGH)
        return self._estimates[c]

    def _eigenvalue(self, diagonal: np.ndarray, tolerance: float) -> float:
        """About the largest eigenvalue with this diagonal."""
        if len(diagonal) > LANCZOS:
            np.fill_diagonal(self._single, diagonal / self._size)
            try:
                values, vectors = scipy.sparse.linalg.eigsh(
                    self._single, k=1, which="LA", v0=self._start, tol=tolerance
                )
            except scipy.sparse.linalg.ArpackError:  # it has not converged
                pass
            else:
                self._start = vectors[:, 0]
                return float(values[0]) * self._size
        np.fill_diagonal(self._left, diagonal)
        return float(np.linalg.eigvalsh(self._left)[-1])

    def proven(self, c: int) -> tuple[float, SeriesProof]:
        """Return an upper bound for c features, with its proof."""
        shares = self._shares(c)
        estimate = self._eigenvalue(self._own + shares, FINE)
        np.fill_diagonal(self._left, self._own + shares)
        # the diagonal is rounded, and another machine may add the shares in another order
        adding = rounding.sums(4 * (c + 8), float((np.abs(self._own) + shares).max()))
        tail = eigenvalues.of_matrix(self._left, self._error + adding, estimate + FINE * abs(estimate))
        value = rounding.total(tail, rounding.row_costs(-shares, shares, c))
        return value, SeriesProof(self.L, self.M, (c,), (tail,))
