"""The joint dual on a working set, for more features than an n×n array can hold.

Let S be some features, and (L, M, v, V, t) prove a bound of r parts on them
(:mod:`nnspca.bounds.parts.dual`). As in
:mod:`nnspca.bounds.working`, outside S × S let L be A itself, but ``L_jj = A_jj − t`` for j outside S: then A − L is
``A_SS − L`` beside tI, and ``A − L ⪯ tI + VV'`` still holds. Prices outside are zero, and the pairs
that are left take

- i in S, j outside: ``M_ij = θ_i`` for one number θ_i > 0 a row, and ``M_ji = (A_ij⁺)² / θ_i``;
- both outside: ``M_jj' = A_jj'⁺``.

So a row of S costs ``L_ii − v_i +`` the k−1 largest of its (M_ij − v_j)⁺ and of copies of θ_i, and
a row outside ``A_jj − t +`` the k−1 largest of its A_jj'⁺ outside S and of
``((A_ij⁺)²/θ_i − v_i)⁺`` in S. The r dearest rows count: as long as no row outside costs more than
the r-th dearest of S, and no θ_i raises a row above it, S proves its bound for all features. Where
it does not, rows of S below a level are raised to it, whose θ_i grow and whose outside shrinks, and
the level is the least that all rows outside meet; the rows that were too dear join S while there is
room.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from nnspca.bounds.outside import Outside, limits_at
from nnspca.bounds.pair_scaled import CHECK, falling_entries
from nnspca.bounds.parts.dual import proof_of, summed
from nnspca.bounds.parts.splitting import Splitting
from nnspca.bounds.working import READ, part_of
from nnspca.certificates.proofs import PairProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.result import Bound

STEPS_BETWEEN_BOUNDS = 40  # of the splitting: a bound reads the rows outside
FIRST = 0.6  # share of the working set that is chosen at first; rows that turn out too dear outside join it
RISE = 1e-3  # the first rise of a level that is too low, relative to the tail
LEVELLING = 6  # halvings of the last rise
SLACK = 1e-6  # what a row of S is raised by at least, relative to the tail, so that its limit is positive


def tighten(
    problem: Problem,
    X: np.ndarray,
    *,
    features: int,
    steps: int,
    goal: float,
    monitor: Monitor,
) -> Iterator[Bound]:
    """Yield decreasing bounds; nothing where the parts alone would fill the working set, or are as many as it has.

    Parameters
    ----------
    problem : Problem
        Of each part alone.
    X : ndarray, shape (r, n)
        The best parts known.
    features : int
        Size of the working set.
    steps : int
        Most steps of the splitting.
    goal : float
        Stop once a bound is this small.
    monitor : Monitor
    """
    outside = Outside(problem, monitor)
    used = np.flatnonzero(X.any(axis=0))
    if max(len(used), len(X)) >= features:
        return
    order = np.argsort(-outside.deviations, kind="stable")[:READ]
    sums = outside.sums(order, np.zeros(0, dtype=int), np.zeros(0))
    inside = np.union1d(used, order[np.argsort(-sums, kind="stable")][: int(FIRST * features) - len(used)])
    if len(inside) <= len(X):
        return
    part, splitting = _start_splitting(problem, X, inside)
    best: tuple[float, PairProof] | None = None
    least = np.inf
    for step in range(1, steps + 1):
        if monitor.stop():
            return
        splitting.advance()
        if step % CHECK == 0 or step == steps:
            proven = proof_of(part, len(X), *splitting.multipliers(), level=False)  # θ live on what rows cost less
            best = proven if best is None or proven[0] < best[0] else best
        if best is None or (step % STEPS_BETWEEN_BOUNDS and step != steps):
            continue
        bound, heavy = _on_all(outside, inside, best[1], len(X), step)
        if bound is not None and bound.value < least:
            least = bound.value
            yield bound
        if least <= goal:
            return
        if len(heavy) and len(inside) < features and step < steps:
            joined = np.union1d(inside, heavy[: features - len(inside)])
            before = splitting
            part, splitting = _start_splitting(problem, X, joined)
            splitting.grow_from(before, np.searchsorted(joined, inside))
            inside, best = joined, None


def _start_splitting(problem: Problem, X: np.ndarray, inside: np.ndarray) -> tuple[Problem, Splitting]:
    """The problem of some of the features, and its splitting at the parts known."""
    part = replace(problem, cov=part_of(problem.cov, inside))
    return part, Splitting(part.cov.entries, part.k, X[:, inside], part.nonnegative)


def _on_all(
    outside: Outside, inside: np.ndarray, proof: PairProof, r: int, steps: int
) -> tuple[Bound | None, np.ndarray]:
    """What S proves of all features, None where no level is met; and the rows too dear for S's own, dearest first."""
    cov, k = outside.cov, outside.k
    if not proof.tail > 0:  # nothing to raise a row by
        return None, np.array([], dtype=int)
    v = np.zeros(len(proof.M)) if proof.v is None else proof.v
    shares = np.maximum(proof.M - v, 0.0)
    np.fill_diagonal(shares, 0.0)
    falling = falling_entries(shares, k)
    base = proof.tail + proof.L.diagonal() - v
    costs = base + falling.sum(axis=1)

    def limits(level: float) -> np.ndarray:
        return limits_at(base, falling, np.maximum(level, costs) + SLACK * proof.tail)

    def above(rows: np.ndarray, level: float) -> np.ndarray:
        read = rows[~outside.negligible(rows, inside, limits(level), level)]
        sums = outside.sums(read, inside, limits(level), v)
        return read[np.argsort(-sums, kind="stable")[: np.count_nonzero(sums > level)]]

    level = float(np.sort(costs)[-r])
    heavy = above(np.setdiff1d(np.arange(cov.n_features), inside, assume_unique=True), level)
    low, rise = level, RISE * proof.tail
    while len(heavy) and len(above(heavy, low + rise)):
        low, rise = low + rise, 2 * rise
        if rise > proof.tail or outside.monitor.stop():
            return None, heavy
    for _ in range(LEVELLING if len(heavy) else 0):
        rise /= 2
        low += rise if len(above(heavy, low + rise)) else 0.0
    level = low + rise if len(heavy) else low
    if not (limits(level) > 0).all():  # a row of S that costs nothing has no share for the others
        return None, heavy
    # rows outside cost at most the level; each that was above it falls as the level rises
    rows = np.maximum(falling, limits(level)[:, None]).sum(axis=1)
    reach = np.abs(proof.L.diagonal()) + k * (proof.M.max(axis=1) + v.max() + limits(level))
    g = proof.L.diagonal() - v + rows + rounding.sums(4 * (k + 8), reach)
    g = np.concatenate([g, np.full(r, level - proof.tail + rounding.sums(2, proof.tail))])
    value = summed(proof, g, r, k) + r * cov.room()
    bound = Bound(
        "joint-dual",
        float(value),
        detail=(
            f"Every pair of {len(inside):,} features splits its covariance between its two rows, with room in each for "
            f"the {cov.n_features - len(inside):,} others, and a price on each feature accounts for its use in one "
            f"part only. This bounds the variance of {r} parts ({steps:,} steps of splitting)."
        ),
        ingredients=replace(proof, features=inside, limits=limits(level)),
    )
    return bound, heavy
