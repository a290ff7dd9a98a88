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
                "λ₁ is the variance of the best direction when every restriction is lifted. A "
                "component with few features is one of the directions it was compared with, so it "
                "cannot have more. The number is rounded up, so that the computer's own rounding "
                "cannot spoil it."
            ),
            attempts=(Attempt(0.05, spectral.leading_by_plan),),
            every_direction=True,
        ),
        BoundInfo(
            "balanced-rows",
            "Balanced row sums",
            "With a weight for each feature that levels the rows, a feature and its k − 1 companions share less.",
            (ScaleProof,),
            argument=(
                "For any positive weights d, 2·xᵢ·xⱼ is at most xᵢ²·(dⱼ/dᵢ) + xⱼ²·(dᵢ/dⱼ), because "
                "squares are not negative. So each pair may split its covariance between its two "
                "features in that proportion. The squares of the loadings sum to 1, so the variance "
                "is at most what the richest feature gathers from itself and k − 1 companions. Any "
                "weights prove a bound; those that level the rows prove a low one."
            ),
            attempts=(Attempt(0.2, balanced.by_plan), Attempt(0.68, balanced.throughout_by_plan)),
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
            attempts=(Attempt(0.1, spectral.rank_by_plan),),
        ),
        BoundInfo(
            "shifted-rank",
            "Shifted rank d",
            "Every direction is granted the next eigenvalue; only the surplus of the strongest d is searched.",
            (RankProof,),
            argument=(
                "Every direction is granted eigenvalue d + 1. The weaker directions have no more than "
                "that, so only the surplus of the d strongest is left to count, and there the best k "
                "features are found by cutting a sphere into cells, each set aside only when a "
                "bound on it is proven. A component has length 1, so it receives the grant once: "
                "grant plus best surplus is a bound."
            ),
            attempts=(
                Attempt(0.15, spectral.shifted_by_plan),
                Attempt(0.8, spectral.best_shifted_by_plan, above="narrow", counts_for_gap=True),
            ),
        ),
        BoundInfo(
            "pair-scaled",
            "Pair-scaled dual",
            "Each pair of features splits its covariance between its two rows; no k of a row's shares exceed a limit.",
            (PairProof, WorkingProof),
            argument=(
                "The covariance is split into a part L and a remainder, which adds at most its "
                "largest eigenvalue. In L each pair splits its covariance between its two features: "
                "2·Lᵢⱼ·xᵢ·xⱼ is at most Mᵢⱼ·xᵢ² + Mⱼᵢ·xⱼ² whenever Mᵢⱼ·Mⱼᵢ ≥ Lᵢⱼ². The squares of the "
                "loadings sum to 1, so L adds at most what the richest feature gathers from itself "
                "and its k − 1 largest shares. Any such L and M prove a bound; an optimiser looks "
                "for the lowest, and its word need not be trusted."
            ),
            attempts=(
                Attempt(0.52, pair_scaled.by_plan, counts_for_gap=True),
                Attempt(0.65, pair_scaled.on_all_by_plan, counts_for_gap=True),
                Attempt(0.7, working.by_plan, counts_for_gap=True),
            ),
        ),
        BoundInfo(
            "elimination",
            "Elimination",
            "Features that can hold next to nothing of the best component are set aside; the few others are bounded.",
            (EliminationProof,),
            argument=(
                "The best component has loadings proportional to the covariance of each of its features with it, so a "
                "feature that co-varies little with any k others can hold only a small share of it. Set all such "
                "features aside, and a bound on the few that are left holds for them all, raised by a little for each "
                "feature set aside that might still be in it. Every such feature also takes a place from the others, "
                "which lowers their bound by more than it was raised: so a bound on a thousand features may hold for a "
                "hundred thousand."
            ),
            attempts=(Attempt(0.6, elimination.by_plan, counts_for_gap=True),),
        ),
        BoundInfo(
            "branch",
            "Branch and bound",
            "Every choice of k features falls into one of a few cases, some in and some out; each has its bound.",
            (BranchProof,),
            argument=(
                "Take one feature: a component either does without it, or uses it. Each of the two "
                "cases has a bound of its own by the pair-scaled bound, lower than the bound on "
                "both together: without the feature there is less to gather, and with it one place "
                "fewer is free. The case with the higher bound is parted again, and so on. Together "
                "the cases leave no component out, so none exceeds the highest of their bounds."
            ),
            attempts=(Attempt(0.72, branch.by_plan, above="optimal", counts_for_gap=True),),
        ),
        BoundInfo(
            "larger-k",
            "Taken over from a larger k",
            "Who may use more features can do no worse: a bound at a larger k holds at a smaller one.",
            (LargerProof,),
            argument=(
                "Whatever at most k features can do, more than k features can do as well: one simply "
                "does not use the others. So a bound that was proven for a larger k is a bound "
                "here too, and along the curve a bound never has to rise towards smaller k."
            ),
        ),
        BoundInfo(
            "smaller-k",
            "Taken over from a smaller k",
            "A few of a component's features hold no more than any few can; over all choices of them, this bounds all.",
            (SmallerProof,),
            argument=(
                "Keep some of a component's features, chosen by lot: what is left, brought back to length 1, "
                "has no more than the bound that was proven for so few. A pair of features stays "
                "together less often than one of them stays, by a share that is known. So the mean over "
                "all choices tells how much all features together can have: beyond the least variance of "
                "a feature, a bound grows in proportion to k − 1 at most."
            ),
        ),
        BoundInfo(
            "paper",
            "The paper's bound",
            "Random directions almost surely come close to the rank-d optimum; the others add at most the next "
            "eigenvalue.",
            (),
            argument=(
                "Random directions are tried in the space of the d strongest. With enough of them one "
                "almost surely lies so near the best that its value, divided by 1 − ε, is a bound "
                "there; the other directions add at most eigenvalue d + 1. “Almost surely” is a "
                "probability, near 1 for as many directions as were tried here: nothing shows that "
                "this run was not unlucky, so it is not counted as proof."
            ),
            attempts=(Attempt(0.5, paper.by_plan),),
        ),
    )
}
