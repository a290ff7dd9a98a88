"""BOUNDS: the one list of upper bounds, with the words a reader sees."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BoundInfo:
    """How to name a bound and why it is true, in one sentence.

    Attributes
    ----------
    name : str
        Key in :data:`BOUNDS`, and ``Bound.name``.
    title : str
        For legends.
    summary : str
        Why no feasible variance exceeds it, in plain words.
    deterministic : bool
        False for a bound that holds only with some probability.
    """

    name: str
    title: str
    summary: str
    deterministic: bool = True


BOUNDS: dict[str, BoundInfo] = {
    info.name: info
    for info in (
        BoundInfo("eigenvalue", "First eigenvalue", "No direction at all, sparse or not, has more variance."),
        BoundInfo("diagonal", "Largest variances", "k features hold at most the k largest variances together."),
        BoundInfo("rows", "Row sums", "A feature and its k − 1 closest companions can share only so much."),
        BoundInfo(
            "balanced-rows",
            "Balanced row sums",
            "With a weight for each feature that levels the rows, a feature and its k − 1 companions share less.",
        ),
        BoundInfo(
            "rank",
            "Rank d plus the rest",
            "The strongest d directions are searched exactly; the others add at most the next eigenvalue.",
        ),
        BoundInfo(
            "shifted-rank",
            "Shifted rank d",
            "Every direction is granted the next eigenvalue; only the surplus of the strongest d is searched.",
        ),
        BoundInfo(
            "threshold",
            "Cut at a level",
            "Co-variances below a level add little to any k features; the few above it have a small eigenvalue.",
        ),
        BoundInfo(
            "cut-rank",
            "Cut, then rank d",
            "Co-variances below a level add little; in what lies above, the strongest d directions are searched.",
        ),
        BoundInfo(
            "capped",
            "Capped dual",
            "The threshold's cut, shaped entry by entry: the best way to take off no more than a level anywhere.",
        ),
        BoundInfo(
            "pair-scaled",
            "Pair-scaled dual",
            "Each pair of features shares its co-variance between its two rows; no k of a row's shares exceed a limit.",
        ),
        BoundInfo(
            "branch",
            "Branch and bound",
            "Every choice of k features falls into one of a few cases, some in and some out; each has its ceiling.",
        ),
        BoundInfo(
            "larger-k",
            "Taken over from a larger k",
            "Who may use more features can do no worse: a ceiling at a larger k holds at a smaller one.",
        ),
        BoundInfo(
            "paper",
            "The paper's bound",
            "Random directions almost surely come close to the rank-d optimum; the others add at most the next "
            "eigenvalue.",
            deterministic=False,
        ),
    )
}
