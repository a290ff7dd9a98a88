"""BOUNDS and PARTS_BOUNDS: what each upper bound is called, why it holds, and what types of proof it has."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from nnspca.certificates.proofs import (
    CarriedProof,
    EachProof,
    EigenvalueProof,
    EliminationProof,
    PairProof,
    ScaleProof,
    SeriesProof,
    TreeProof,
    VariancesProof,
)


@dataclass(frozen=True)
class BoundInfo:
    """One bound: its description, and the types of its proofs.

    Examples
    --------
    >>> import nnspca
    >>> info = nnspca.BOUNDS["pair-scaled"]
    >>> info.name, len(info.proofs) > 0
    ('pair-scaled', True)
    """

    name: str  #: Key in :data:`BOUNDS` or :data:`PARTS_BOUNDS`, and ``Bound.name``
    title: str  #: For legends
    summary: str  #: Why no feasible variance exceeds it: one sentence, in plain words
    proofs: tuple[type, ...]  #: What its ``Bound.ingredients`` may be: types that :func:`nnspca.verify` knows
    _: KW_ONLY
    argument: str = ""  #: The reason in two to five sentences, for readers who know eigenvalues; none for parts


BOUNDS: dict[str, BoundInfo] = {
    info.name: info
    for info in (
        BoundInfo(
            "eigenvalue",
            "First eigenvalue",
            "No direction at all, sparse or not, has more variance.",
            (EigenvalueProof,),
            argument=(
                "λ₁ is the largest variance of any direction at all. A component is a direction, so it "
                "cannot have more. The number is rounded up to include the computer's rounding errors."
            ),
        ),
        BoundInfo(
            "leading-direction",
            "Leading direction",
            "Along the first eigenvector only so much is possible; every other direction adds at most the second one.",
            (EigenvalueProof,),
            argument=(
                "A component of k features cannot follow the first eigenvector fully: its squared share there is at "
                "most the sum of the k largest squared entries of one sign. The rest of its length lies in other "
                "directions, none of which has more variance than the second eigenvalue."
            ),
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
        ),
        BoundInfo(
            "pair-scaled",
            "Pair-scaled dual",
            "Each pair of features splits its covariance between its two rows; the largest k shares of a row count.",
            (PairProof, SeriesProof),
            argument=(
                "The covariance is split into a part L and a remainder, which adds at most its "
                "largest eigenvalue. In L each pair splits its covariance between its two features: "
                "2·Lᵢⱼ·xᵢ·xⱼ is at most Mᵢⱼ·xᵢ² + Mⱼᵢ·xⱼ² whenever M ≥ 0 and Mᵢⱼ·Mⱼᵢ ≥ Lᵢⱼ². The squares of the "
                "loadings sum to 1, so L adds at most its largest row: a feature's own entry and its "
                "k − 1 largest shares. Any such L and M prove a bound, so the optimiser that looks "
                "for the lowest need not be trusted."
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
        ),
        BoundInfo(
            "branch",
            "Branch and bound",
            "All choices of k features are split into cases, by features that are in or out; each case has its bound.",
            (TreeProof,),
            argument=(
                "Take one feature: a component uses it or does not. Each case has its own pair-scaled "
                "bound, lower than the bound on both: one case has a feature fewer, the other a free "
                "place fewer. The case with the higher bound is split again, and so on. The cases "
                "cover all components, so the highest of their bounds is an upper bound."
            ),
        ),
        BoundInfo(
            "larger-k",
            "Carried from a larger k",
            "More features allow at least as much variance: a bound at a larger k holds at a smaller one.",
            (CarriedProof,),
            argument=(
                "A component of at most k features is also one of at most any larger number. So a bound "
                "that is proven for a larger k holds here too."
            ),
        ),
        BoundInfo(
            "smaller-k",
            "Carried from a smaller k",
            "A bound at a smaller k limits any few of a component's features, and by averaging all of them.",
            (CarriedProof,),
            argument=(
                "Choose some of a component's features at random and rescale their loadings to length 1: the "
                "bound that is proven for so few features applies. A pair of features is chosen less often "
                "than one feature, by a known factor. Averaging over all choices therefore bounds the whole "
                "component: beyond the least variance of a feature, the bound grows at most in proportion to k − 1."
            ),
        ),
    )
}

PARTS_BOUNDS: dict[str, BoundInfo] = {
    info.name: info
    for info in (
        BoundInfo(
            "eigenvalues",
            "Largest eigenvalues",
            "r orthogonal directions, sparse or not, have at most the variance of the r leading eigenvectors.",
            (EigenvalueProof,),
        ),
        BoundInfo(
            "variances",
            "Largest variances",
            "The total variance of the parts is at most the sum of the rk largest variances of single features.",
            (VariancesProof,),
        ),
        BoundInfo(
            "each",
            "Each at its best",
            "No part has more variance than the best single component.",
            (EachProof,),
        ),
        BoundInfo(
            "joint-dual",
            "Joint dual",
            "Each pair of features splits its covariance between its two rows; a price on each feature accounts for "
            "its use in one part only.",
            (PairProof,),
        ),
        BoundInfo(
            "joint-branch",
            "Joint branch and bound",
            "All choices of parts are split into cases according to which features share a part; each case has its own "
            "bound.",
            (TreeProof,),
        ),
    )
}
