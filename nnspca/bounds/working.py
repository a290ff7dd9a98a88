"""The pair-scaled and the joint dual on a working set S, for more features than an n×n array can hold.

A proof on S holds for all features as long as no row outside costs too much (docs/mathematics/pair-scaled.md, "Where
features are too many"): row i of S leaves room for a share θ_i of any feature outside. Rows outside that are too dear
join S; once S is full, the level of its rows is raised, which raises the θ and lowers the rows outside, until all are
level. A row is read only if ``A_ij² <= A_ii A_jj`` does not bound it well enough. Of several parts the r dearest rows
count, and prices outside are zero.

S starts as the support of the best point and the rows of largest sum: genes of large variance that vary together. For
one component of large k far too many rows have a large sum; then it starts as the features of largest mass
(:mod:`nnspca.bounds.masses`), and the multipliers at its balanced rows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from nnspca.bounds import balanced, masses
from nnspca.bounds.companions import Companions
from nnspca.bounds.pair_scaled import (
    CHECK,
    TURN,
    falling_entries,
    proof_of,
    run_interruptibly,
    summed,
)
from nnspca.bounds.plan import GAIN, is_slow, step_seconds
from nnspca.bounds.splitting import Splitting
from nnspca.certificates.boxes import WIDEST
from nnspca.certificates.proofs import PairProof, ScaleProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible, rounding
from nnspca.numerics.feasible import sum_of_largest
from nnspca.result import Bound

GROWTH = 12  # rows of S for each row whose plain sum is too large: where that is too many, S is chosen by mass
SHARE = 0.7  # share of the working set that is chosen at first: the heaviest rows outside join it
SLACK = 1e-6  # what a row of S is raised by at least, of several parts, relative to the tail: so that its θ is positive
BISECTIONS = 60


def tighten(
    problem: Problem,
    X: np.ndarray,
    lower: float,
    least: float,
    *,
    features: int,
    budget: float,
    goal: float,
    monitor: Monitor,
    read: int | None = None,
    companions: Companions | None = None,
) -> Iterator[Bound]:
    """Yield decreasing bounds below ``least``; nothing where too many rows would have to be in the working set.

    X are the best parts known, shape (n,) or (r, n), of total variance ``lower``; ``budget`` is work in steps of the
    splitting, in counted seconds. Where more than ``read`` rows would have to be read at a time, the bound is given up.
    """
    outside, X = Outside(problem, monitor, sys.maxsize if read is None else read), np.atleast_2d(X)
    inside, by_mass = _first_set(outside, X, lower, features, companions)
    if len(inside) < len(X) + (len(X) > 1) or monitor.stop():
        return
    chosen, past = _WorkingSet(problem, X, inside, by_mass, budget, monitor), [np.inf]
    while chosen.budget > 0 and not monitor.stop():
        chosen.advance(2 * TURN)
        if chosen.best is None:
            return
        found = levelled(outside, chosen.inside, *chosen.best, len(X), least, goal, chosen.steps)
        if found is None:
            return
        bound, heavy = found
        if bound is not None and bound.value < least:
            least = bound.value
            yield bound
        past.append(least)
        joining = heavy[: features - len(chosen.inside)]
        if least <= goal:
            return
        if len(joining):
            # a heavy row outside can only be paid for by raising all limits, so it is cheaper as a row of S
            chosen.join(joining)
            past = [np.inf]  # the bound may rise for a while, the newcomers' multipliers being 0
        elif is_slow(past, goal):
            return


@dataclass
class _WorkingSet:
    """The working set S: its splitting, its best own bound, and the remaining budget."""

    problem: Problem
    X: np.ndarray
    inside: np.ndarray
    by_mass: bool
    budget: float
    monitor: Monitor
    best: tuple[float, PairProof] | None = None

    def __post_init__(self) -> None:
        self._begin(self.inside)

    @property
    def steps(self) -> int:
        """Steps of the splitting so far."""
        return self.splitting.steps

    def _begin(self, inside: np.ndarray) -> None:
        """A splitting on S at the best parts; of a set chosen by mass, at its balanced rows."""
        self.inside, self.best = inside, None
        self.part, start = (
            replace(self.problem, cov=part_of(self.problem.cov, inside)),
            feasible.unit(self.X[:, inside]),
        )
        self.splitting = Splitting(self.part, start)
        if self.by_mass:
            rows = balanced.balanced_rows(self.part, monitor=self.monitor).ingredients
            assert isinstance(rows, ScaleProof)
            self.splitting.begin_balanced(
                rows.weights, float(start[0] @ self.part.cov.entries @ start[0]), consistent=True
            )

    def advance(self, steps: int) -> None:
        """Take steps of the splitting, and compute its bound now and then."""
        r = len(self.X)
        for _ in range(steps):
            run_interruptibly(self.splitting.advance, len(self.inside), self.monitor, r)
            self.budget -= step_seconds(len(self.inside), r)
            if self.steps % CHECK == 0:
                # θ live on what rows cost less
                multipliers = self.splitting.multipliers()
                proven = proof_of(self.part, *multipliers, r=r, level=False, monitor=self.monitor)
                if self.best is None or proven[0] < self.best[0]:  # the iterates' bounds go up and down
                    self.best = proven
            if self.monitor.stop() or self.budget <= 0:
                break

    def join(self, heavy: np.ndarray) -> None:
        """Add rows to S, and continue its splitting; a set chosen by mass starts again."""
        before, smaller = self.inside, self.splitting
        self._begin(np.union1d(before, heavy))
        if not self.by_mass:
            self.splitting.grow_from(smaller, np.searchsorted(self.inside, before))


def _first_set(
    outside: Outside, X: np.ndarray, lower: float, features: int, companions: Companions | None
) -> tuple[np.ndarray, bool]:
    """The support of X and the rows of largest plain sum, or else the features that can hold most.

    A row whose plain sum exceeds ``lower`` has to join S at last, and others with it. If there are
    far too many such rows, as for large k, S is the features of largest mass; it is empty if it
    cannot have twice as many features as x. Returned with whether it was chosen by mass.
    """
    support, nothing = np.flatnonzero(X.any(axis=0)), np.zeros(0, dtype=int)
    if len(support) >= features:
        return nothing, False
    order = np.argsort(-outside.deviations, kind="stable")[: min(WIDEST, outside.max_rows_read)]
    sums = outside.sums(order, np.zeros(0, dtype=int), np.zeros(0))
    first = int(SHARE * features)
    if len(X) > 1 or GROWTH * np.count_nonzero(sums > lower) <= features:
        return np.union1d(support, order[np.argsort(-sums, kind="stable")[: max(first - len(support), 0)]]), False
    lower_bound = masses.attained(outside.cov, X[0])
    if lower_bound <= 0 or 2 * len(support) > first:
        return nothing, True
    ranking = masses.MassRanking(
        outside.problem, lower_bound, outside.monitor, most=outside.max_rows_read, companions=companions
    )
    mass_bounds = ranking.largest(first, allowed=outside.cov.n_features)
    if mass_bounds is None:
        return nothing, True
    return np.union1d(support, np.argsort(-mass_bounds, kind="stable")[:first]), True


def part_of(cov: Covariance, inside: np.ndarray) -> Covariance:
    """The covariance of S as a matrix; forming it from a factor is an error of its own."""
    A = cov.block(inside, inside)
    forming = rounding.inner_products(cov.form.roundings) * float(cov.diagonal[inside].sum())
    # an error of its own beside that of cov, which is added to the bound as a whole; what drifts,
    # drifts here too
    return cov.derived(HeldMatrix((A + A.T) / 2), "restrict", inside, growth=0.0, rounding=forming + cov.drift)


def levelled(
    outside: Outside,
    inside: np.ndarray,
    value: float,
    proof: PairProof,
    r: int,
    least: float,
    goal: float,
    steps: int,
    room: float = 0.0,
) -> tuple[Bound | None, np.ndarray] | None:
    """The bound that S proves with all rows level, None where it is not below ``least``; and the rows above S's own.

    The rows to join S come heaviest first: those above S's own level, raised by the share ``room`` of what is between
    it and ``least``. Nothing at all where too many rows would have to be read.
    """
    cov, k, tail, nothing = outside.cov, outside.k, proof.tail, np.array([], dtype=int)
    v = np.zeros(len(inside)) if proof.v is None else proof.v
    shares = np.maximum(proof.M - v, 0.0)
    np.fill_diagonal(shares, 0.0)
    own, falling = proof.L.diagonal() - v, falling_entries(shares, k)
    costs = tail + own + falling.sum(axis=1)
    slack = SLACK * tail if r > 1 else 0.0
    if r > 1 and not tail > 0:  # nothing to raise a row by
        return None, nothing

    def limits_of(level: float) -> np.ndarray:
        """The largest θ of each row of S with which it costs at most the level, or what it costs by itself."""
        return limits_at(tail + own, falling, np.maximum(level, costs) + slack)

    level = value if r == 1 else float(np.sort(costs)[-r])
    high = level + (least - value) / r  # at most this level is worth having
    level += max(room * (high - level), (goal * (1 - 1e-6) - value) / r)
    rows, limits = np.setdiff1d(np.arange(cov.n_features), inside, assume_unique=True), limits_of(level)
    read = rows[~outside.negligible(rows, inside, limits, level)]
    if len(read) > outside.max_rows_read:
        return None
    sums = outside.sums(read, inside, limits, v)
    above = sums > level
    heavy = read[above][np.argsort(-sums[above], kind="stable")]

    def meet(level: float) -> bool:
        return bool((outside.sums(heavy, inside, limits_of(level), v) <= level).all())

    if len(heavy):
        # each row outside costs less the larger the limits are, so there is a least level that all
        # rows meet
        if not meet(high):
            return None, heavy
        low = level
        while high - low > GAIN * high:
            middle = (low + high) / 2
            low, high = (low, middle) if meet(middle) else (middle, high)
        level, limits = high, limits_of(high)
    if not (limits > 0).all():  # a row of S that costs nothing has no share for the others
        return None, heavy
    shares_at = np.maximum(falling, limits[:, None]).sum(axis=1)
    size = np.abs(own) + v + k * (proof.M.max(axis=1) + v.max(initial=0.0) + limits)
    # rows outside cost at most the level; each that was above it falls as the level rises
    beyond = np.full(r, level - tail + rounding.sums(2, abs(level) + abs(tail)))
    rows_at = rounding.row_costs(own, shares_at, k, size)
    total = summed(proof, np.concatenate([rows_at, beyond]), r, k) + r * cov.room()
    if outside.monitor.stop() or not np.isfinite(total):
        return None, heavy
    detail = (
        f"Every pair of {len(inside):,} features splits its covariance between its two rows, with room in each for "
        f"the {len(rows):,} others{', and a price on each feature accounts for its use in one part only' * (r > 1)}. "
        f"This bounds the variance of {r} part{'s' * (r > 1)} ({steps:,} steps of splitting)."
    )
    ingredients = replace(proof, features=inside, limits=limits, weights=outside.weights)
    return Bound("pair-scaled", float(total), detail=detail, ingredients=ingredients), heavy


@dataclass
class Outside:
    """The rows outside the working set, read in blocks."""

    problem: Problem
    monitor: Monitor
    max_rows_read: int = sys.maxsize  # maximum number of rows worth reading at a time
    weights: np.ndarray | None = None  # d > 0, (n,): a pair outside shares its entry in the ratio of its weights

    def __post_init__(self) -> None:
        self.cov, self.k = self.problem.cov, self.problem.k
        self.deviations = np.sqrt(np.maximum(self.cov.diagonal, 0.0) + self.cov.drift)
        terms = self.cov.form.terms + 4
        self.reading_error = rounding.inner_products(terms)  # of an entry computed from a factor, in units of s_i s_j

    def negligible(self, rows: np.ndarray, inside: np.ndarray, limits: np.ndarray, level: float) -> np.ndarray:
        """Which rows cost at most ``level`` whatever their covariances: those need not be read."""
        s = self.deviations * (1 + self.reading_error)
        d = np.ones(len(s)) if self.weights is None else self.weights
        near = float(sum_of_largest(s[rows] * d[rows], self.k - 1))
        with np.errstate(over="ignore"):
            across = float(sum_of_largest(s[inside] ** 2 / limits, self.k - 1))
        return rounding.raised(s[rows] ** 2 * (1 + across) + s[rows] * near / d[rows], 8 * (self.k + 8)) <= level

    def sums(
        self, rows: np.ndarray, inside: np.ndarray, limits: np.ndarray, prices: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """What each row costs, rounded up; infinite for those not reached when stopped.

        ``prices`` are subtracted from the shares of S; the joint dual adds them to its value elsewhere.
        """
        out = np.full(len(rows), np.inf)
        for start in range(0, len(rows), self.cov.strip):
            if self.monitor.stop():
                break
            chosen = rows[start : start + self.cov.strip]
            self.monitor.pay(self.cov.reading_seconds(chosen))
            block = self.cov.block(chosen)
            shares = np.maximum(block, 0.0) if self.problem.nonnegative else np.abs(block)
            shares += self.reading_error * self.deviations[chosen, None] * self.deviations + self.cov.drift
            with np.errstate(over="ignore"):
                across = np.maximum(rounding.raised(shares[:, inside] ** 2 / limits, 8) - prices, 0.0)
            if self.weights is not None:
                shares = rounding.raised(shares * (self.weights / self.weights[chosen, None]), 8)
            shares[:, inside] = across
            shares[np.arange(len(chosen)), chosen] = 0.0
            own = self.cov.diagonal[chosen] * (1 + self.reading_error) + self.cov.drift
            out[start : start + self.cov.strip] = rounding.raised(
                own + sum_of_largest(shares, self.k - 1), 4 * (self.k + 8)
            )
        return out


def limits_at(base: np.ndarray, falling: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """For each row, the largest θ with ``base + Σ max(falling, θ)`` at most its level; ``falling``: (rows, k − 1)."""
    low, high = 1e-12 * levels, 2 * levels
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        fits = base + np.maximum(falling, middle[:, None]).sum(axis=1) <= levels
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return low
