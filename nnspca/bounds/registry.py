"""BOUNDS: the one list of upper bounds; how each is made and when, why it holds, what proves it, what it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from nnspca.bounds import balanced, branch, capped, entries, pair_scaled, paper, spectral, threshold, working
from nnspca.bounds.plan import Known, Plan
from nnspca.certificates.proofs import (
    BranchProof,
    EntryProof,
    LargerProof,
    PairProof,
    RankProof,
    ScaleProof,
    WorkingProof,
)
from nnspca.problem import Problem
from nnspca.result import Bound

Make = Callable[[Problem, Plan, Known], Iterator[Bound]]


@dataclass(frozen=True)
class Attempt:
    """One turn of a bound in a certificate.

    Attributes
    ----------
    at : float
        Share of the work done before it: attempts are made in this order, and the first is a bound on every direction.
    make : callable
        ``make(problem, plan, known)`` yields falling bounds, each of them valid; none where it has no say.
    above : {"", "narrow", "optimal"}
        Made only where the relaxations leave more than this gap of the plan's, by the time of the first attempt that
        asks for it; always if empty.
    relaxes : bool
        Whether what it proves counts for that gap.
    """

    at: float
    make: Make
    above: Literal["", "narrow", "optimal"] = ""
    relaxes: bool = False


@dataclass(frozen=True)
class BoundInfo:
    """One bound: its words, the proofs it hands over, and when and how a certificate makes it.

    Attributes
    ----------
    name : str
        Key in :data:`BOUNDS`, and ``Bound.name``.
    title : str
        For legends.
    summary : str
        Why no feasible variance exceeds it: one sentence, in plain words.
    proofs : tuple of type
        What its ``Bound.ingredients`` may be, each a key of :data:`nnspca.certificates.judge.DERIVATIONS`. Empty for
        a bound that holds only with some probability.
    attempts : tuple of Attempt
        Empty where another entry's attempts make it too, or :func:`nnspca.sweep` does.
    every_direction : bool
        Whether it holds without any constraint, and so for the largest eigenvalue.
    """

    name: str
    title: str
    summary: str
    proofs: tuple[type, ...]
    attempts: tuple[Attempt, ...] = ()
    every_direction: bool = False

    @property
    def deterministic(self) -> bool:
        """False for a bound that holds only with some probability."""
        return bool(self.proofs)


BOUNDS: dict[str, BoundInfo] = {
    info.name: info
    for info in (
        BoundInfo(
            "eigenvalue",
            "First eigenvalue",
            "No direction at all, sparse or not, has more variance.",
            (RankProof,),
            (Attempt(0.05, spectral.leading_by_plan),),
            every_direction=True,
        ),
        BoundInfo(
            "diagonal",
            "Largest variances",
            "k features hold at most the k largest variances together.",
            (EntryProof,),
            (Attempt(0.1, entries.diagonal_by_plan),),
        ),
        BoundInfo(
            "rows",
            "Row sums",
            "A feature and its k − 1 closest companions can share only so much.",
            (EntryProof,),
            (Attempt(0.15, entries.rows_by_plan),),
        ),
        BoundInfo(
            "balanced-rows",
            "Balanced row sums",
            "With a weight for each feature that levels the rows, a feature and its k − 1 companions share less.",
            (ScaleProof,),
            (Attempt(0.2, balanced.by_plan), Attempt(0.75, balanced.throughout_by_plan)),
        ),
        BoundInfo(
            "rank",
            "Rank d plus the rest",
            "The strongest d directions are searched exactly; the others add at most the next eigenvalue.",
            (RankProof,),
            (Attempt(0.25, spectral.rank_by_plan),),
        ),
        BoundInfo(
            "shifted-rank",
            "Shifted rank d",
            "Every direction is granted the next eigenvalue; only the surplus of the strongest d is searched.",
            (RankProof,),
            (
                Attempt(0.3, spectral.shifted_by_plan),
                Attempt(0.8, spectral.best_shifted_by_plan, above="narrow", relaxes=True),
            ),
        ),
        BoundInfo(
            "threshold",
            "Cut at a level",
            "Co-variances below a level add little to any k features; the few above it have a small eigenvalue.",
            (RankProof,),
            (Attempt(0.85, threshold.by_plan, above="narrow", relaxes=True),),
        ),
        BoundInfo(
            "cut-rank",
            "Cut, then rank d",
            "Co-variances below a level add little; in what lies above, the strongest d directions are searched.",
            (RankProof,),
        ),
        BoundInfo(
            "capped",
            "Capped dual",
            "The threshold's cut, shaped entry by entry: the best way to take off no more than a level anywhere.",
            (PairProof,),
            (Attempt(0.51, capped.by_plan),),
        ),
        BoundInfo(
            "pair-scaled",
            "Pair-scaled dual",
            "Each pair of features shares its co-variance between its two rows; no k of a row's shares exceed a limit.",
            (PairProof, WorkingProof),
            (
                Attempt(0.52, pair_scaled.by_plan, relaxes=True),
                Attempt(0.7, working.by_plan, relaxes=True),
            ),
        ),
        BoundInfo(
            "branch",
            "Branch and bound",
            "Every choice of k features falls into one of a few cases, some in and some out; each has its ceiling.",
            (BranchProof,),
            (Attempt(0.9, branch.by_plan, above="optimal"),),
        ),
        BoundInfo(
            "larger-k",
            "Taken over from a larger k",
            "Who may use more features can do no worse: a ceiling at a larger k holds at a smaller one.",
            (LargerProof,),
        ),
        BoundInfo(
            "paper",
            "The paper's bound",
            "Random directions almost surely come close to the rank-d optimum; the others add at most the next "
            "eigenvalue.",
            (),
            (Attempt(0.5, paper.by_plan),),
        ),
    )
}


def attempts() -> list[tuple[BoundInfo, Attempt]]:
    """Every attempt of every bound, in the order in which a certificate makes them."""
    return sorted(
        ((info, attempt) for info in BOUNDS.values() for attempt in info.attempts), key=lambda pair: pair[1].at
    )
