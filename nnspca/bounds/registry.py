"""BOUNDS: the registry of upper bounds, with their attempts, arguments, types of proof and titles."""

from __future__ import annotations

from nnspca.bounds import (
    balanced,
    branch,
    elimination,
    pair_scaled,
    paper,
    spectral,
    working,
)
from nnspca.bounds.bound import Attempt, BoundInfo
from nnspca.bounds.plan import BoundContext, Plan
from nnspca.certificates.proofs import (
    BranchProof,
    EliminationProof,
    LargerProof,
    PairProof,
    RankProof,
    ScaleProof,
    SeriesProof,
    SmallerProof,
    WorkingProof,
)

__all__ = ["BOUNDS", "Attempt", "BoundInfo"]

BOUNDS: dict[str, BoundInfo[Plan, BoundContext]] = {
    info.name: info
    for info in (
        BoundInfo(
            "eigenvalue",
            "First eigenvalue",
            "No direction at all, sparse or not, has more variance.",
            (RankProof,),
            argument=(
                "λ₁ is the largest variance of any direction at all. A component is a direction, so it "
                "cannot have more. The number is rounded up to include the computer's rounding errors."
            ),
            attempts=(Attempt(5, spectral.leading_by_plan), Attempt(25, spectral.leading_where_needed_by_plan)),
            every_direction=True,
        ),
        BoundInfo(
            "balanced-rows",
            "Balanced row sums",
            "Each pair splits its covariance in the ratio of two scales that nearly equalise the row sums.",
            (ScaleProof,),
            argument=(
                "For any positive scales d, 2·xᵢ·xⱼ is at most xᵢ²·(dⱼ/dᵢ) + xⱼ²·(dᵢ/dⱼ), because "
                "squares are not negative. So each pair may split its covariance between its two "
                "features in that proportion. The squares of the loadings sum to 1, so the variance "
                "is at most the largest row: a feature's own variance and its k − 1 largest shares. "
                "Any scales prove a bound; those that level the rows prove a low one."
            ),
            attempts=(Attempt(20, balanced.by_plan), Attempt(68, balanced.throughout_by_plan)),
        ),
        BoundInfo(
            "rank",
            "Rank d plus the rest",
            "The strongest d directions are searched exactly; the others add at most the next eigenvalue.",
            (RankProof,),
            argument=(
                "The covariance is split into its d strongest directions and the rest. Among the d "
                "directions the best k features are found by cutting a sphere into cells: a cell is "
                "set aside only when a bound on it is proven. The rest adds at most eigenvalue d + "
                "1 to any component, and the best of a sum is never more than the sum of the bests."
            ),
            attempts=(Attempt(10, spectral.rank_by_plan),),
        ),
        BoundInfo(
            "shifted-rank",
            "Shifted rank d",
            "Eigenvalue d + 1 is subtracted, the rest of the strongest d directions searched, and it is added back.",
            (RankProof,),
            argument=(
                "Eigenvalue d + 1 is subtracted from every direction. Only the d strongest then have a "
                "positive rest, and there the best k features are found by cutting a sphere into "
                "cells, each set aside only when a bound on it is proven. A component has length 1, "
                "so adding the eigenvalue once to the best rest gives an upper bound."
            ),
            attempts=(
                Attempt(15, spectral.shifted_by_plan),
                Attempt(80, spectral.best_shifted_by_plan, above="narrow", counts_for_gap=True),
            ),
        ),
        BoundInfo(
            "pair-scaled",
            "Pair-scaled dual",
            "Each pair of features splits its covariance between its two rows; the largest k shares of a row count.",
            (PairProof, SeriesProof, WorkingProof),
            argument=(
                "The covariance is split into a part L and a remainder, which adds at most its "
                "largest eigenvalue. In L each pair splits its covariance between its two features: "
                "2·Lᵢⱼ·xᵢ·xⱼ is at most Mᵢⱼ·xᵢ² + Mⱼᵢ·xⱼ² whenever Mᵢⱼ·Mⱼᵢ ≥ Lᵢⱼ². The squares of the "
                "loadings sum to 1, so L adds at most its largest row: a feature's own entry and its "
                "k − 1 largest shares. Any such L and M prove a bound, so the optimiser that looks "
                "for the lowest need not be trusted."
            ),
            attempts=(
                Attempt(52, pair_scaled.by_plan, counts_for_gap=True),
                Attempt(65, pair_scaled.on_all_by_plan, counts_for_gap=True),
                Attempt(70, working.by_plan, counts_for_gap=True),
            ),
        ),
        BoundInfo(
            "elimination",
            "Elimination",
            "Features that can have next to no loading in the best component are set aside; the others are bounded.",
            (EliminationProof,),
            argument=(
                "In the best component a feature's loading is proportional to its covariance with the component, so a "
                "feature that covaries little with any k others has a small loading. Such features are set aside. A "
                "component that uses q of them has only k − q places for the others: its variance is at most the "
                "bound on the others with k − q places, plus the little that the q can add. The largest of these sums "
                "over q is an upper bound for all features."
            ),
            attempts=(Attempt(60, elimination.by_plan, counts_for_gap=True),),
        ),
        BoundInfo(
            "branch",
            "Branch and bound",
            "All choices of k features are split into cases, by features that are in or out; each case has its bound.",
            (BranchProof,),
            argument=(
                "Take one feature: a component uses it or does not. Each case has its own pair-scaled "
                "bound, lower than the bound on both: one case has a feature fewer, the other a free "
                "place fewer. The case with the higher bound is split again, and so on. The cases "
                "cover all components, so the highest of their bounds is an upper bound."
            ),
            attempts=(Attempt(72, branch.by_plan, above="optimal", counts_for_gap=True),),
        ),
        BoundInfo(
            "larger-k",
            "Carried from a larger k",
            "More features allow at least as much variance: a bound at a larger k holds at a smaller one.",
            (LargerProof,),
            argument=(
                "A component of at most k features is also one of at most any larger number. So a bound "
                "that is proven for a larger k holds here too."
            ),
        ),
        BoundInfo(
            "smaller-k",
            "Carried from a smaller k",
            "A bound at a smaller k limits any few of a component's features, and by averaging all of them.",
            (SmallerProof,),
            argument=(
                "Choose some of a component's features at random and rescale their loadings to length 1: the "
                "bound that is proven for so few features applies. A pair of features is chosen less often "
                "than one feature, by a known factor. Averaging over all choices therefore bounds the whole "
                "component: beyond the least variance of a feature, the bound grows at most in proportion to k − 1."
            ),
        ),
        BoundInfo(
            "paper",
            "The paper's bound",
            "Random directions come close to the rank-d optimum with high probability; the rest adds at most the next "
            "eigenvalue.",
            (),
            argument=(
                "Random directions are tried in the space of the d strongest. With a probability near 1, one "
                "of them is so near the best that its value, divided by 1 − ε, is a bound there; the other "
                "directions add at most eigenvalue d + 1. A probability is not a proof, so this bound is "
                "never counted."
            ),
            attempts=(Attempt(50, paper.by_plan),),
        ),
    )
}
