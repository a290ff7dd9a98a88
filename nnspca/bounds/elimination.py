"""Elimination by small masses: what is proven on a few features speaks for all of them.

Let x be optimal, J its support, OPT its variance, T any set of features, R = J∖T with |R| = q, and ε = ‖x_R‖². On J, x
is an eigenvector of A, so ``x_R'Ax = OPT ε``, that is ``x_R'A x_T = OPT ε − x_R'A x_R``, and

    OPT = x_T'A x_T + 2 x_R'A x_T + x_R'A x_R = x_T'A x_T + 2 OPT ε − x_R'A x_R <= U (1 − ε) + 2 OPT ε

for any ceiling U on T alone with k − q features, as A is positive semidefinite. ε is at most ε_q, the sum of the q
largest masses outside T (:mod:`nnspca.bounds.masses`), hence

    OPT <= max over q of  U_{k−q} (1 − ε_q) / (1 − 2 ε_q)        (ε_q < ½).

A ceiling with more features holds with fewer, so a few cardinalities c serve all q: each *case* is one of them, with
the least ceiling on T known for it. Where an outside feature can hold less than one of the k features is worth, the
largest value is that of q = 0 and nothing is lost: n features have become |T|.

Which T, and which cases to begin with, is decided here; :mod:`nnspca.bounds.cases` brings them down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from nnspca.bounds import boxes, branch, masses
from nnspca.bounds.cases import RACED, Elimination
from nnspca.bounds.plan import SECOND, Known, Plan, cost, pair_steps, rows_read, whole_steps
from nnspca.calls.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.result import Bound

PATIENT = 1 / 8  # share of the budget by which a search on T must have come below what is known
LATE = 1 / 4  # share of the budget after which a T on which nothing was gained was too small
GAIN = 1e-4  # relative: less is not worth another bound
WIDER = 1.25  # from one size of T that is tried to the next
SMALLEST = 64
MANY = 150  # k from which a live search plans its cases, as a hundred numbers of features outside matter
WIDEST = 1000  # features of T at most in a planned search
FINER = 1.12  # from one size of T that is tried to the next
SLACK, AIM = 0.012, 1.024  # by how much a ceiling on T is likely to miss, and may miss with what lies outside
FEWEST = 4  # cases that T is chosen for
LONGER = 2.0  # times the work that others may count: a step on so many features takes less than its count
LIGHT = 0.7  # share of what a feature takes from the others, below which its variance alone tells enough
ROOM = 8.0  # times the fourth power of what lies outside: by how much a share kept on T may be too small a guess
LOSS = 5e-3  # of the ceiling, that one outside feature may add before T is given up as too small


def tighten(
    problem: Problem,
    x: np.ndarray,
    least: float,
    *,
    features: int,
    loss: float,
    budget: float,
    trees: float,
    goal: float,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda support: None,
    patience: float = 1.0,
    sparing: bool = False,
    read: int | None = None,
) -> Iterator[Bound]:
    """Yield falling bounds below ``least``; nothing where too many features can hold too much.

    Parameters
    ----------
    problem : Problem
    x : ndarray, shape (n,)
        The best feasible point known.
    least : float
        The best bound known.
    features : int
        Most features of T.
    loss : float
        Share of the ceiling that may be lost for a smaller T, whose relaxations come further.
    budget, trees : float
        Most work in relaxations, and in branch and bound after them, in the unit of
        :func:`nnspca.bounds.plan.cost`.
    goal : float
        Stop once a bound is this small.
    monitor : Monitor
    consider : callable, optional
        Called with a support of at most k features where a better x may lie.
    patience : float
        Share of the budget after which a search that has not come below ``least`` is given up.
    sparing : bool
        Whether the cases are planned, for many k − q and a short time.
    read : int, optional
        Most rows of A that are read to choose T.
    """
    elimination = begin(problem, x, least, features, loss, monitor, consider, sparing=sparing, read=read)
    if elimination is None:
        return
    meter, beaten, widened = branch.Meter(budget + trees), False, sparing

    def larger(than: Elimination) -> Elimination | None:
        """Begin again on twice as many features, or as many as are allowed."""
        twice = 2 * len(than.inside)
        return begin(problem, x, least, features, loss, monitor, consider, smallest=twice, read=read)

    while True:
        made = float(elimination.ceilings()[0].max())
        if made < least * (1 - GAIN):
            least, beaten = made, True
            yield elimination.bound()
        spent = trees + budget - meter.left
        if not beaten and spent > patience * budget:
            return
        if made <= goal or meter.left <= 0 or monitor.stop():
            return
        growing = not widened and len(elimination.inside) < features
        if growing and not beaten and spent > LATE * budget:
            widened = True
            elimination = larger(elimination) or elimination
            continue
        if elimination.work(meter, goal, trees > 0):
            continue
        if not (growing and elimination.cramped):
            return
        widened, wider = True, larger(elimination)
        if wider is None:
            return
        elimination = wider


def begin(
    problem: Problem,
    x: np.ndarray,
    least: float,
    features: int,
    loss: float,
    monitor: Monitor,
    consider: Callable[[np.ndarray], None] = lambda support: None,
    low: float | None = None,
    smallest: int = SMALLEST,
    sparing: bool = False,
    read: int | None = None,
) -> Elimination | None:
    """Choose T: as few features as lose next to nothing, if the bounds on T are as tight as they can be.

    With ``low`` given, the masses are those of all components of at least that variance, best on their own support.
    T has ``smallest`` features at least. If ``sparing``, it is as small as lets a few cases do.
    """
    low = masses.attained(problem.cov, x) if low is None else low
    support = np.flatnonzero(x)
    features = min(features, problem.n)
    if low <= 0 or len(support) >= features:
        return None
    kept = _shorter(problem, x, low)
    most_kept = len(kept) - 1
    outside = np.arange(1, most_kept + 1)
    light = max(0.0, float(((loss + LIGHT * (1.0 - kept[1:])) / outside).min(initial=1.0)))

    def chosen(beside: boxes.Boxes | None = None) -> _Kept | None:
        """Choose T by the masses that rows tell, or those of features beside each other where they are known."""
        falling = masses.Falling(problem, low, monitor, light=light, most=read, beside=beside)
        return _smallest(falling, support, kept, features, smallest, loss, least / low, sparing)

    made, proof = chosen(), None
    if made is None or len(made.inside) > RACED:
        beside = boxes.within(problem, low, masses.by_variance(problem.cov, low), monitor)
        again = None if beside is None else chosen(beside)
        if beside and again and (made is None or again.work < made.work):
            made, proof = again, beside.proof
    if made is None:
        return None
    inside, lost = made.inside, made.lost
    return Elimination(problem, x, low, inside, lost, light, proof, monitor, consider, planned=made.planned)


@dataclass(frozen=True, eq=False)
class _Kept:
    """A choice of T: its features, ε_q of those outside for q = 0, 1, …, and the cases that are planned on it."""

    inside: np.ndarray
    lost: np.ndarray
    planned: tuple[int, ...]

    @property
    def work(self) -> float:
        """A step of each of its cases."""
        return max(len(self.planned), 1) * cost(len(self.inside))


def _smallest(
    falling: masses.Falling,
    support: np.ndarray,
    kept: np.ndarray,
    features: int,
    smallest: int,
    loss: float,
    least: float,
    sparing: bool,
) -> _Kept | None:
    """The smallest T, of ``features`` at most, on which next to nothing is lost; ``least`` is what is proven by now."""
    held, order, k = falling.masses, support, len(kept) - 1
    worth = 1.0 - kept[1] if k else 1.0  # of one feature
    planned: tuple[int, ...] = ()
    size, small, enough, lost, gains = 0, 0, False, np.zeros(1), np.zeros(1)
    wanted = max(smallest, len(support))
    while not enough and size < features:
        size = min(wanted, features)
        if falling.largest(size + k, heavy=worth + LOSS, allowed=features) is None:
            return None
        order = np.argsort(-held, kind="stable")
        order = order[~np.isin(order, support)]
        lost = together(held[order[size - len(support) :][:k]])
        # by how much a number of outside features is above none, as a share of what they take away
        here = kept[: len(lost)]
        gains = _raised(here, lost) - 1
        # the same if a share that is kept were a little larger than guessed: near half of all, that changes everything
        alone = bool((_raised(here * (1 + ROOM * lost**4), lost)[1:] - 1 <= loss).all())
        planned = _planned(kept, lost) if sparing else ()
        enough = 0 < len(planned) <= FEWEST if sparing else alone
        small = size if alone and not small else small
        wanted = int((FINER if sparing else WIDER) * size) + 1
    if sparing and not enough and 0 < small <= RACED:  # many cases of so few features cost less than of so many
        size, planned = small, ()
    elif sparing and not planned:
        return None  # so few features would be lost among what the others can hold
    if 1 + gains.max() >= least * (1 - GAIN):
        return None
    inside = np.sort(np.concatenate([support, order[: size - len(support)]]))
    return _Kept(inside, together(held[order[size - len(support) :][:k]]), planned)


def _raised(kept: np.ndarray | float, lost: np.ndarray) -> np.ndarray:
    """What a share kept on T allows all features: no limit where half of all could lie outside."""
    return np.where(lost < 0.5, kept * (1 - lost) / np.where(lost < 0.5, 1 - 2 * lost, 1.0), np.inf)


def _planned(kept: np.ndarray, lost: np.ndarray) -> tuple[int, ...]:
    """The first q of as few cases as bring every q below the aim, if ceilings on T miss by the slack; none if none do.

    ``kept`` tells the share of the variance that k − q features keep, ``lost`` the masses of q features outside.
    """
    firsts = [0]
    while True:
        q = firsts[-1]
        above = np.flatnonzero(_raised(kept[q] * (1 + SLACK), lost[q:]) > AIM)
        if not len(above) or q + above[0] >= len(kept) - 1:  # k features outside leave none in T
            return tuple(firsts)
        if not above[0]:
            return ()
        firsts.append(q + int(above[0]))


def together(falling: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, … masses, rounded up."""
    return np.concatenate([[0.0], rounding.raised(np.cumsum(falling), len(falling) + 8)])


def _shorter(problem: Problem, x: np.ndarray, low: float) -> np.ndarray:
    """About the share of the variance that k − q features keep, for q = 0 … k: x cut to its largest loadings."""
    support = np.flatnonzero(x)
    order = support[np.argsort(-np.abs(x[support]), kind="stable")]
    A = problem.cov.block(order, order)
    sizes = np.unique(np.concatenate([[1], len(order) - np.geomspace(1, len(order), 16).astype(int) + 1]))
    shares = []
    for size in sizes:
        z = x[order[:size]]
        for _ in range(3):
            z = A[:size, :size] @ z
            z = z / np.linalg.norm(z)
        shares.append(float(z @ A[:size, :size] @ z) / low)
    cardinalities = np.arange(problem.k, -1, -1)
    return np.interp(cardinalities, np.concatenate([[0], sizes]), [0.0, *shares])


def by_plan(problem: Problem, plan: Plan, known: Known) -> Iterator[Bound]:
    """Where the features are too many for the splitting of all."""
    if pair_steps(problem, plan):
        return
    sparing = _sparing(problem, plan)
    yield from tighten(
        problem,
        known.x,
        known.upper,
        features=_most_kept(problem, plan),
        loss=plan.eliminated_loss,
        budget=plan.eliminated_seconds * SECOND * (LONGER if sparing else 1.0),
        trees=min(plan.branch_seconds, plan.eliminated_seconds) * SECOND if plan.always_levels else 0.0,
        goal=known.lower * (1 + plan.closed),
        monitor=known.monitor,
        consider=known.consider,
        patience=PATIENT
        if whole_steps(problem, plan) or plan.always_levels
        else 1.0,  # where others can still be tried
        sparing=sparing,
        read=rows_read(problem, plan),
    )


def _sparing(problem: Problem, plan: Plan) -> bool:
    """Whether there are so many k − q, in so short a time, that cases are planned."""
    return problem.k >= MANY and not plan.always_levels and not whole_steps(problem, plan)


def _most_kept(problem: Problem, plan: Plan) -> int:
    """How many features T may have at most: fewer where the splitting could run on all of them instead."""
    if whole_steps(problem, plan):
        return min(plan.eliminated_features, int(plan.kept_share * problem.n))
    return max(plan.eliminated_features, WIDEST) if _sparing(problem, plan) else plan.eliminated_features
