"""Core and rim: the pair-scaled and the joint dual on a core of features, balanced rows on all others.

For more features than an n×n array can hold, of which too few can be set aside. A proof on the core holds for all
features as long as no row outside costs too much (docs/mathematics/pair-scaled.md, "Where features are too many"): row
i of the core leaves room for a share θ_i of any feature outside, and pairs outside share in the ratio of the weights of
balanced rows. The core is the support and the features of largest weight, or of largest plain row sum. Rows outside
that are too dear join it once; what is still too dear raises the level of its rows, which raises the θ and lowers the
rows outside, until all are level. Of several parts the r dearest rows count, and prices outside are zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from nnspca.bounds.pair_scaled import CHECK, falling_entries, proof_of, run_in_thread, value_of_parts
from nnspca.bounds.plan import BOUND_GAIN, SAMPLED, STEP, is_stalling, step_seconds
from nnspca.bounds.splitting import Splitting
from nnspca.certificates.boxes import WIDEST
from nnspca.certificates.proofs import PairProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.covariance import derived
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible, rounding
from nnspca.numerics.feasible import allowed, sum_of_largest
from nnspca.result import Bound

# Steps that the work should suffice for, which decides the size of the core; of flat spectra. CORE_STEPS half: −.0015
# on 168 × 2,905 standardised, k = 50; double: −.0167 on Leukemia, 2 parts, k = 20. FLAT_STEPS half: −.1193, double:
# −.0670 on 49 × 7,129, k = 200.
CORE_STEPS, FLAT_STEPS = 360, 12
MOST_IN_CORE = 2000  # features of the core. Half: −.0783 on 49 × 7,129, k = 200.
# Share of the core that is chosen at first, and of flat spectra: the dearest rows outside join it. FIRST half: −.0002
# on 168 × 2,905 standardised, k = 5; at 1: −.0005, k = 50. SOON half: −.1030, at 0.9: −.0962 on 49 × 7,129, k = 200.
FIRST, SOON = 0.75, 0.6
# How far beyond that size rows that are too dear may take a core of a spectrum that is not flat. At 1: −.0054 on
# 168 × 2,905 standardised, k = 50, for 20 rows of 2,454.
BEYOND = 9 / 8
# Share of the distance to the known bound by which the core's level is raised at once. Half, double: −.0011 on
# 168 × 2,905 standardised, k = 50.
ROOM = 0.1
# Share of the rows asked that may cost too much by themselves. Half, double: 0 on 168 × 2,905 standardised, k = 5, 50;
# it saves the core's work where there is no hope.
HOPELESS = 0.1

# of arithmetic, not tuned
SLACK = 1e-6  # what a row is raised by at least, of several parts, relative to the tail: so that its θ is positive
BISECTIONS = 60


def bounds(
    problem: Problem,
    X: np.ndarray,
    order: np.ndarray,
    weights: np.ndarray,
    least: float,
    *,
    budget: float,
    goal: float,
    monitor: Monitor,
    read: int,
    flat: bool = False,
) -> Iterator[Bound]:
    """Yield decreasing bounds below ``least``, on a core of the first features of an ``order``.

    X are the best parts known, shape (n,) or (r, n); one begins at the ``weights`` of balanced rows. ``budget`` is the
    work of the splitting in counted seconds; where more than ``read`` rows outside would have to be read, nothing is
    tried. Of a ``flat`` spectrum the core is large, and x's weight is spread over all of its level rows at first.
    """
    X = np.atleast_2d(X)
    support = np.flatnonzero(X.any(axis=0))
    fits = {steps: int((max(budget, 0.0) / (steps * STEP)) ** 0.4) for steps in (CORE_STEPS, FLAT_STEPS)}
    size = min(problem.n - 1, MOST_IN_CORE, fits[FLAT_STEPS if flat else CORE_STEPS])
    if len(X) > 1:  # their core is larger rather than none
        size = max(size, min(problem.n - 1, MOST_IN_CORE, 2 * len(support), fits[FLAT_STEPS]))
    most = size if flat else min(problem.n - 1, int(BEYOND * size))
    if 2 * max(len(support), len(X)) > size or problem.n - size > read:
        return
    outside = Outside(problem, monitor, read, weights)
    rest = order[size:][:: max(1, (problem.n - size) // SAMPLED)]
    dear = outside.sums(rest, order[:size], np.full(size, np.inf)) > goal  # though the core costs them nothing
    if np.count_nonzero(dear) > HOPELESS * len(rest):
        return

    def begun(inside: np.ndarray) -> tuple[Problem, Splitting]:
        """The problem on the core, and a splitting at its balanced rows, or at several parts."""
        part, start = replace(problem, cov=part_of(problem.cov, inside)), feasible.unit(X[:, inside])
        splitting = Splitting(part, start)
        if len(X) == 1:
            value = float(start[0] @ part.cov.held.entries @ start[0])
            splitting.begin_balanced(weights[inside], value, consistent=not flat)
        return part, splitting

    inside, past = np.union1d(support, order[: int((SOON if flat else FIRST) * size)]), [np.inf]
    room = 0.0 if flat or len(X) > 1 else ROOM
    part, splitting = begun(inside)
    reading = problem.cov.held.reading_seconds(order[size:])
    while budget > 0 and not monitor.stop():
        step = step_seconds(len(inside), len(X))
        grows = flat and splitting.steps == 0  # rows that join it are found soon enough
        for _ in range(CHECK if grows else max(CHECK, int(reading / step))):
            run_in_thread(splitting.advance, len(inside), monitor, len(X))
            budget -= step
            if monitor.stop():
                return
        value, proof = proof_of(part, *splitting.multipliers(), r=len(X), level=False, monitor=monitor)
        found = extended(outside, inside, value, proof, len(X), least, goal, splitting.steps, room)
        if found is None:
            return
        bound, dearest, heavy = found
        if bound is not None and bound.value < least:
            least = bound.value
            yield bound
        past.append(least)
        joining = (dearest if flat else dearest[:heavy])[: most - len(inside)]
        if least <= goal or (not len(joining) and is_stalling(past, goal)):
            return
        if len(joining):
            before, smaller = inside, splitting
            inside, past = np.union1d(inside, joining), [np.inf]
            part, splitting = begun(inside)
            if flat or len(X) > 1:
                splitting.grow_from(smaller, np.searchsorted(inside, before))


def by_row_sums(problem: Problem, monitor: Monitor) -> np.ndarray:
    """The features by their plain row sums, those of large variance first: those that vary together."""
    order, even = np.argsort(-problem.cov.diagonal, kind="stable"), np.ones(problem.n)
    first, nothing = order[:WIDEST], np.zeros(0, dtype=int)
    sums = Outside(problem, monitor, problem.n, even).sums(first, nothing, np.zeros(0))
    return np.concatenate([first[np.argsort(-sums, kind="stable")], order[WIDEST:]])


def part_of(cov: Covariance, inside: np.ndarray) -> Covariance:
    """The covariance of S as a matrix; forming it from a factor is an error of its own."""
    A = cov.block(inside, inside)
    forming = rounding.inner_products(cov.held.form.roundings) * float(cov.diagonal[inside].sum())
    # an error of its own beside that of cov, which is added to the bound as a whole; what drifts,
    # drifts here too
    return derived(cov, HeldMatrix((A + A.T) / 2), "restrict", inside, growth=0.0, rounding=forming + cov.held.drift)


def extended(
    outside: Outside,
    inside: np.ndarray,
    value: float,
    proof: PairProof,
    r: int,
    least: float,
    goal: float,
    steps: int,
    room: float,
) -> tuple[Bound | None, np.ndarray, int] | None:
    """The bound that S proves with all rows level, None where it is not below ``least``; and the rows to join S.

    These are all that were read, the dearest first, with how many of them cost more than S's own level, raised by the
    share ``room`` of what is between it and ``least``. Nothing at all where too many rows would have to be read.
    """
    cov, k, tail, nothing = outside.cov, outside.k, proof.tail, np.array([], dtype=int)
    v = np.zeros(len(inside)) if proof.v is None else proof.v
    shares = np.maximum(proof.M - v, 0.0)
    np.fill_diagonal(shares, 0.0)
    own, falling = proof.L.diagonal() - v, falling_entries(shares, k)
    costs = tail + own + falling.sum(axis=1)
    slack = SLACK * tail if r > 1 else 0.0
    if r > 1 and not tail > 0:  # nothing to raise a row by
        return None, nothing, 0

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
    dearest = read[np.argsort(-sums, kind="stable")]
    heavy = int(np.count_nonzero(sums > level))

    def meet(level: float) -> bool:
        return bool((outside.sums(dearest[:heavy], inside, limits_of(level), v) <= level).all())

    if heavy:
        # each row outside costs less the larger the limits are, so there is a least level that all
        # rows meet
        if not meet(high):
            return None, dearest, heavy
        low = level
        while high - low > BOUND_GAIN * high:
            middle = (low + high) / 2
            low, high = (low, middle) if meet(middle) else (middle, high)
        level, limits = high, limits_of(high)
    if not (limits > 0).all():  # a row of S that costs nothing has no share for the others
        return None, dearest, heavy
    shares_at = np.maximum(falling, limits[:, None]).sum(axis=1)
    size = np.abs(own) + v + k * (proof.M.max(axis=1) + v.max(initial=0.0) + limits)
    # rows outside cost at most the level; each that was above it falls as the level rises
    beyond = np.full(r, level - tail + rounding.sums(2, abs(level) + abs(tail)))
    rows_at = rounding.row_costs(own, shares_at, k, size)
    total = value_of_parts(proof, np.concatenate([rows_at, beyond]), r, k) + r * cov.held.room()
    if outside.monitor.stop() or not np.isfinite(total):
        return None, dearest, heavy
    detail = (
        f"Every pair of {len(inside):,} features splits its covariance between its two rows, with room in each for "
        f"the {len(rows):,} others{', and a price on each feature accounts for its use in one part only' * (r > 1)}. "
        f"This bounds the variance of {r} part{'s' * (r > 1)} ({steps:,} steps of splitting)."
    )
    ingredients = replace(proof, features=inside, limits=limits, weights=outside.weights)
    return Bound("pair-scaled", float(total), detail=detail, ingredients=ingredients), dearest, heavy


@dataclass
class Outside:
    """The rows outside the core, read in blocks."""

    problem: Problem
    monitor: Monitor
    max_rows_read: int  # maximum number of rows worth reading at a time
    weights: np.ndarray  # d > 0, (n,): a pair outside shares its entry in the ratio of its weights

    def __post_init__(self) -> None:
        self.cov, self.k = self.problem.cov, self.problem.k
        self.deviations = np.sqrt(np.maximum(self.cov.diagonal, 0.0) + self.cov.held.drift)
        terms = self.cov.held.form.terms + 4
        self.reading_error = rounding.inner_products(terms)  # of an entry computed from a factor, in units of s_i s_j

    def negligible(self, rows: np.ndarray, inside: np.ndarray, limits: np.ndarray, level: float) -> np.ndarray:
        """Which rows cost at most ``level`` whatever their covariances: those need not be read."""
        s, d = self.deviations * (1 + self.reading_error), self.weights
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
        for start in range(0, len(rows), self.cov.held.strip):
            if self.monitor.stop():
                break
            chosen = rows[start : start + self.cov.held.strip]
            self.monitor.pay(self.cov.held.reading_seconds(chosen))
            block = self.cov.block(chosen)
            shares = feasible.allowed(block, self.problem.nonnegative)
            shares += self.reading_error * self.deviations[chosen, None] * self.deviations + self.cov.held.drift
            with np.errstate(over="ignore"):
                across = np.maximum(rounding.raised(shares[:, inside] ** 2 / limits, 8) - prices, 0.0)
            shares = rounding.raised(shares * (self.weights / self.weights[chosen, None]), 8)
            shares[:, inside] = across
            shares[np.arange(len(chosen)), chosen] = 0.0
            own = self.cov.diagonal[chosen] * (1 + self.reading_error) + self.cov.held.drift
            out[start : start + self.cov.held.strip] = rounding.raised(
                own + sum_of_largest(shares, self.k - 1), 4 * (self.k + 8)
            )
        return out


def multipliers_on_all(problem: Problem, proof: PairProof) -> tuple[np.ndarray, np.ndarray]:
    """L and M on all features, (n, n), of a proof on a core with rows outside; L's diagonal is higher by the tail."""
    S, weights, limits = proof.features, proof.weights, proof.limits
    assert S is not None and weights is not None and limits is not None
    every = np.arange(problem.n)
    L, outside = problem.cov.block(every, every), np.delete(every, S)
    shares = allowed(L, problem.nonnegative)
    M = shares * weights / weights[:, None]
    M[np.ix_(S, outside)] = limits[:, None]
    M[np.ix_(outside, S)] = shares[np.ix_(outside, S)] ** 2 / limits
    L[np.ix_(S, S)], M[np.ix_(S, S)] = proof.L, proof.M
    L[S, S] += proof.tail
    np.fill_diagonal(M, 0.0)
    return L, M


def limits_at(base: np.ndarray, falling: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """For each row, the largest θ with ``base + Σ max(falling, θ)`` at most its level; ``falling``: (rows, k − 1)."""
    low, high = 1e-12 * levels, 2 * levels
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        fits = base + np.maximum(falling, middle[:, None]).sum(axis=1) <= levels
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return low
