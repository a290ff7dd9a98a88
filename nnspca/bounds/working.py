"""The pair-scaled dual on a working set, for more features than an n×n array can hold.

Let S be some features, and (L, M, t) prove a pair-scaled bound on them: ``A_SS − L ⪯ tI``,
``M_ij M_ji >= (L_ij⁺)²``. Outside S × S let L be A itself, but ``L_jj = A_jj − t`` for j outside S:
then A − L is ``A_SS − L`` beside tI, and ``A − L ⪯ tI``. The pairs that are left need entries of M:

- i in S, j outside: ``M_ij = θ_i`` for one number θ_i > 0 a row, and ``M_ji = (A_ij⁺)² / θ_i``;
- both outside: ``M_jj' = A_jj'⁺``.

So every row of S costs ``t + L_ii +`` the k−1 largest of its M_ij and of copies of θ_i, and a row
outside costs ``A_jj +`` the k−1 largest of its A_jj'⁺ outside S and of ``(A_ij⁺)²/θ_i`` in S. As
long as θ_i is no larger than the (k−1)-th largest M_ij, rows of S cost what they cost before: S
proves its bound on its own, and what remains is that no row outside exceeds it. Rows that
exceed it join S; once S is full, all θ_i are raised, which lowers the rows outside, until all are
level. A row is read only if ``A_ij² <= A_ii A_jj`` does not bound it well enough. Without the sign
constraint |A_ij| stands for A_ij⁺.

S starts as the support of the best x and the rows of largest sum: genes of large variance that vary
together. For large k far too many rows have a large sum; then it starts as the features of largest
mass (:mod:`nnspca.bounds.masses`), and the multipliers at its balanced rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from nnspca.bounds import balanced, masses
from nnspca.bounds.companions import Companions
from nnspca.bounds.outside import Outside, limits_at
from nnspca.bounds.pair_scaled import CHECK, RACE, best_of_two_starts, falling_entries, proof_of, run_interruptibly
from nnspca.bounds.plan import Plan, step_seconds
from nnspca.bounds.splitting import Splitting
from nnspca.certificates.proofs import PairProof, ScaleProof
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.result import Bound

READ = 4000  # features of largest variance among which S is chosen
FIRST, GROWTH = 200, 12  # size of S: so many features, and so many more for each row whose plain sum is too large
HEAVIEST = 0.7  # share of the working set that is chosen by mass: the heaviest rows outside join it
CROWDED = 700  # features of the working set where the support alone would fill half of a smaller one
BROAD = 8000  # features up to which that pays
ROUNDS = 3  # times that S may grow
JOIN = 300  # most features that join at a time
SHORT, LONG = 40, 60  # steps of the splitting before S is looked at again, and between bounds once it grows no more
LEVELLING = 10  # halvings of the room between the bound on S and the best bound known
GAIN = 1e-4  # least relative gain worth more steps
MOST = 1500  # features of the working set
BRIEF = 0.25  # share of the work of a relaxation


def tighten(
    problem: Problem,
    x: np.ndarray,
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

    Parameters
    ----------
    problem : Problem
    x : ndarray, shape (n,)
        The best feasible point known, of variance ``lower``.
    least : float
        The best bound known.
    features : int
        Most features of the working set.
    budget : float
        Most work in steps of the splitting, in counted seconds.
    goal : float
        Stop once a bound is this small.
    monitor : Monitor
    read : int, optional
        Most rows of A that are read at a time: where more would have to be, the bound is given up.
    companions : Companions, optional
        Of rows that may have been read before.
    """
    outside = Outside(problem, monitor, problem.n if read is None else read)
    inside, by_mass = _first_set(outside, x, lower, features, companions)
    if not len(inside) or monitor.stop():
        return
    chosen = _WorkingSet(problem, x, inside, by_mass, budget, monitor)
    while chosen.budget > 0 and not monitor.stop():
        # while S may still grow few steps will do: they only have to tell which rows outside are
        # too heavy
        chosen.advance(SHORT if chosen.rounds < ROUNDS else LONG)
        if chosen.best is None:
            return
        levelled = _levelled(outside, chosen.inside, *chosen.best, least, goal, chosen.steps)
        if levelled is None:
            return
        bound, heavy = levelled
        gained = bound is not None and bound.value < least * (1 - GAIN)
        if bound is not None and bound.value < least:
            least = bound.value
            yield bound
        if least <= goal:
            return
        room = features - len(chosen.inside)
        if len(heavy) and room > 0 and chosen.rounds < ROUNDS:
            # a heavy row outside can only be paid for by raising all limits, so it is cheaper as a
            # row of S
            chosen.join(heavy[: min(room, JOIN)])
        elif not gained and chosen.steps > 4 * LONG:
            return  # not before: after S has grown the bound may rise for a while, the newcomers' multipliers being 0
        else:
            chosen.rounds = ROUNDS  # S is as large as it gets, and every further step goes into its own bound


@dataclass
class _WorkingSet:
    """The working set S: its splitting, its best own bound, and the remaining budget."""

    problem: Problem
    x: np.ndarray
    inside: np.ndarray
    by_mass: bool
    budget: float
    monitor: Monitor
    best: tuple[float, PairProof] | None = None
    rounds: int = 0  # times that S has grown

    def __post_init__(self) -> None:
        begin = _better_start if self.by_mass else _splitting
        self.splitting = begin(self.problem, self.inside, self.x, self.monitor)

    @property
    def steps(self) -> int:
        """Steps of the splitting so far."""
        return self.splitting.steps

    def advance(self, steps: int) -> None:
        """Take steps of the splitting, and compute its bound now and then."""
        part = replace(self.problem, cov=part_of(self.problem.cov, self.inside))
        for _ in range(steps):
            run_interruptibly(self.splitting.advance, len(self.inside), self.monitor)
            self.budget -= step_seconds(len(self.inside))
            if self.steps % CHECK == 0:
                # θ live on what rows cost less
                proven = proof_of(part, *self.splitting.multipliers(), level=False, monitor=self.monitor)
                if self.best is None or proven[0] < self.best[0]:  # the iterates' bounds go up and down
                    self.best = proven
            if self.monitor.stop() or self.budget <= 0:
                break

    def join(self, heavy: np.ndarray) -> None:
        """Add rows to S, and continue its splitting; a set chosen by mass starts again."""
        joined = np.union1d(self.inside, heavy)
        if self.by_mass:
            self.splitting = _better_start(self.problem, joined, self.x, self.monitor)
            self.budget -= 2 * RACE * step_seconds(len(joined))
        else:
            larger = _splitting(self.problem, joined, self.x, self.monitor)
            self.splitting = _grown(larger, self.splitting, np.searchsorted(joined, self.inside))
        self.inside, self.best = joined, None  # a proof on the smaller S says nothing about the rows that joined
        self.rounds += 1


def _first_set(
    outside: Outside, x: np.ndarray, lower: float, features: int, companions: Companions | None
) -> tuple[np.ndarray, bool]:
    """The support of x and the rows of largest plain sum, or else the features that can hold most.

    A row whose plain sum exceeds ``lower`` has to join S at last, and others with it. If there are
    far too many such rows, as for large k, S is the features of largest mass; it is empty if it
    cannot have twice as many features as x. Returned with whether it was chosen by mass.
    """
    support, nothing = np.flatnonzero(x), np.zeros(0, dtype=int)
    if len(support) >= features:
        return nothing, False
    order = np.argsort(-outside.deviations, kind="stable")[: min(READ, outside.max_rows_read)]
    sums = outside.sums(order, np.zeros(0, dtype=int), np.zeros(0))
    wanted = FIRST + GROWTH * int(np.count_nonzero(sums > lower))
    if wanted <= 1.5 * features:
        order = order[np.argsort(-sums, kind="stable")]
        return np.union1d(support, order[: min(wanted, features)]), False
    lower_bound, wanted = masses.attained(outside.cov, x), int(HEAVIEST * features)
    if lower_bound <= 0 or 2 * len(support) > wanted:
        return nothing, True
    ranking = masses.MassRanking(
        outside.problem, lower_bound, outside.monitor, most=outside.max_rows_read, companions=companions
    )
    mass_bounds = ranking.largest(wanted, allowed=outside.cov.n_features)
    return nothing if mass_bounds is None else np.union1d(
        support, np.argsort(-mass_bounds, kind="stable")[:wanted]
    ), True


def on(
    problem: Problem,
    x: np.ndarray,
    lower: float,
    least: float,
    plan: Plan,
    goal: float,
    monitor: Monitor,
    companions: Companions,
) -> Iterator[Bound]:
    """Yield decreasing bounds below ``least`` as the plan allows; the arguments are those of :func:`tighten`."""
    # too few would be chosen beside the support; of very many rows outside, some are always too
    # heavy for more to help
    features = min(MOST, plan.features + 200) if plan.hurried else MOST
    crowded = 2 * problem.k > HEAVIEST * features and problem.n <= BROAD
    yield from tighten(
        problem,
        x,
        lower,
        least,
        features=max(features, CROWDED) if crowded else features,
        budget=plan.relaxation * (BRIEF * (1 + crowded) if plan.hurried else 1.0),
        goal=goal,
        monitor=monitor,
        read=plan.rows(problem) // 4,  # the heavy ones are read again and again
        companions=companions,
    )


def part_of(cov: Covariance, inside: np.ndarray) -> Covariance:
    """The covariance of S as a matrix; forming it from a factor is an error of its own."""
    A = cov.block(inside, inside)
    forming = rounding.inner_products(cov.form.roundings) * float(cov.diagonal[inside].sum())
    # an error of its own beside that of cov, which is added to the bound as a whole; what drifts,
    # drifts here too
    return cov.derived(HeldMatrix((A + A.T) / 2), "restrict", inside, growth=0.0, rounding=forming + cov.drift)


def _splitting(problem: Problem, inside: np.ndarray, x: np.ndarray, monitor: Monitor) -> Splitting:
    """A splitting on S, at the best x."""
    start = x[inside]
    return Splitting(replace(problem, cov=part_of(problem.cov, inside)), start / np.linalg.norm(start))


def _better_start(problem: Problem, inside: np.ndarray, x: np.ndarray, monitor: Monitor) -> Splitting:
    """The better of two splittings on S that start at its balanced rows."""
    part = replace(problem, cov=part_of(problem.cov, inside))
    rows = balanced.balanced_rows(part, monitor=monitor).ingredients
    assert isinstance(rows, ScaleProof)
    return best_of_two_starts(part, x[inside] / np.linalg.norm(x[inside]), rows.weights, monitor)[0]


def _grown(larger: Splitting, smaller: Splitting, places: np.ndarray) -> Splitting:
    """Continue a splitting on some features on a larger set of features.

    Scaled multipliers are in units of the largest eigenvalue, which is another on more features.
    """
    block, factor = np.ix_(places, places), smaller.scale / larger.scale
    larger.rho, larger.steps = smaller.rho, smaller.steps
    larger.W[block], larger.Y[block], larger.z[places] = smaller.W, smaller.Y, smaller.z
    larger.UX[block], larger.UY[block] = smaller.UX * factor, smaller.UY * factor
    larger.UD[places] = smaller.UD * factor
    return larger


def _levelled(
    outside: Outside, inside: np.ndarray, value: float, proof: PairProof, least: float, goal: float, steps: int
) -> tuple[Bound | None, np.ndarray] | None:
    """The bound that S proves with all rows level, None where it is not below ``least``; and the rows above S's own.

    The rows to join S come heaviest first. Nothing at all where too many rows would have to be
    read.
    """
    cov, k = outside.cov, outside.k
    rows = np.setdiff1d(np.arange(cov.n_features), inside, assume_unique=True)
    level: float = max(value, goal * (1 - 1e-6))
    limits = _limits(proof, k, level)
    read = rows[~outside.negligible(rows, inside, limits, level)]
    if len(read) > outside.max_rows_read:
        return None
    sums = outside.sums(read, inside, limits)
    above = sums > level
    heavy = read[above][np.argsort(-sums[above], kind="stable")]
    if above.any():
        # each row outside costs less the larger the limits are, so there is a least level that all
        # rows meet
        low, high = level, float(least)
        limits = _limits(proof, k, high)
        if not (outside.sums(heavy, inside, limits) <= high).all():
            return None, heavy
        for _ in range(LEVELLING):
            middle = (low + high) / 2
            if (outside.sums(heavy, inside, _limits(proof, k, middle)) <= middle).all():
                high = middle
            else:
                low = middle
        level = high
        limits = _limits(proof, k, level)
        sums[above] = level  # each falls as the level rises, so those below stay so
    shares = np.maximum(falling_entries(proof.M, k), limits[:, None]).sum(axis=1)
    own = proof.L.diagonal()
    total = rounding.total(proof.tail, rounding.row_costs(own, shares, k))
    if len(read) < len(rows):
        total = max(total, level)  # what the rows that were not read stay below
    total = max(total, float(sums.max(initial=-np.inf))) + cov.error_elsewhere
    if outside.monitor.stop() or not np.isfinite(total):
        return None, heavy
    bound = Bound(
        "pair-scaled",
        float(total),
        detail=(
            f"Every pair of {len(inside):,} features splits its covariance between its two rows, with room in each "
            f"for the {len(rows):,} others. The largest row is this bound ({steps:,} steps of splitting)."
        ),
        ingredients=replace(proof, features=inside, limits=limits),
    )
    return bound, heavy


def _limits(proof: PairProof, k: int, level: float) -> np.ndarray:
    """The largest θ of each row of S with which it costs at most ``level``."""
    return limits_at(proof.tail + proof.L.diagonal(), falling_entries(proof.M, k), np.full(len(proof.M), level))
