"""What a certificate proves and why, in plain words, never rounded in our favour."""

from __future__ import annotations

from nnspca.result import Bound, Certificate, Component
from nnspca.view.certificate.proofs import proven_optimal
from nnspca.view.words import ceil, number, percent, seconds

# Why each bound of nnspca.BOUNDS is true, for someone who has met eigenvalues; argued in full in nnspca/bounds.
WHY = {
    "eigenvalue": (
        "λ₁ is the variance of the best direction when every restriction is lifted. A component with few features "
        "is one of the directions it was compared with, so it cannot have more. The number is rounded up, so that "
        "the computer's own rounding cannot spoil it."
    ),
    "diagonal": (
        "The variance of a component is at most the largest eigenvalue of the covariance among its own features. A "
        "covariance has no negative eigenvalue, so its largest is at most the sum of all of them, and that sum is "
        "the sum of the features' variances. No k features have a larger sum than the k of largest variance."
    ),
    "rows": (
        "The variance of a component adds the co-variances of all pairs of its features, each times the two "
        "loadings. Leave out those that can only lower it: what is left is a table without negative entries, and "
        "the largest eigenvalue of such a table is at most its largest row sum. A row holds a feature's own "
        "variance and at most k − 1 co-variances, so no row sum exceeds the largest one in the data."
    ),
    "balanced-rows": (
        "For any positive weights d, 2·xᵢ·xⱼ is at most xᵢ²·(dⱼ/dᵢ) + xⱼ²·(dᵢ/dⱼ), because squares are not "
        "negative. So each pair may share its co-variance between its two features in that proportion. The squares "
        "of the loadings sum to 1, so the variance is at most what the richest feature gathers from itself and k − "
        "1 companions. Any weights prove a ceiling; those that level the rows prove a low one."
    ),
    "rank": (
        "The covariance is split into its d strongest directions and the rest. Among the d directions the best k "
        "features are found by cutting a sphere into cells: a cell is set aside only when a ceiling on it is "
        "proven. The rest adds at most eigenvalue d + 1 to any component, and the best of a sum is never more than "
        "the sum of the bests."
    ),
    "shifted-rank": (
        "Every direction is granted eigenvalue d + 1. The weaker directions have no more than that, so only the "
        "surplus of the d strongest is left to count, and there the best k features are found by cutting a sphere "
        "into cells, each set aside only when a ceiling on it is proven. A component has length 1, so it receives "
        "the grant once: grant plus best surplus is a ceiling."
    ),
    "threshold": (
        "Every co-variance is cut at a level ρ. What lies below the cut adds at most ρ times the square of the sum "
        "of the loadings' sizes, and for k loadings of length 1 that square is at most k: so ρ·k. What lies above "
        "the cut is mostly zero, so its largest eigenvalue is small. The two add up to a ceiling."
    ),
    "cut-rank": (
        "Every co-variance is cut at a level ρ. What lies below the cut adds at most ρ·k, because the square of "
        "the sum of k loadings of length 1 is at most k. In what lies above, every direction is granted one "
        "eigenvalue, and the surplus of the d strongest is searched cell by cell on a sphere. Cut, grant and "
        "surplus add up to a ceiling."
    ),
    "pair-scaled": (
        "The covariance is split into a part L and a remainder, which adds at most its largest eigenvalue. In L "
        "each pair shares its co-variance between its two features: 2·Lᵢⱼ·xᵢ·xⱼ is at most Mᵢⱼ·xᵢ² + Mⱼᵢ·xⱼ² "
        "whenever Mᵢⱼ·Mⱼᵢ ≥ Lᵢⱼ². The squares of the loadings sum to 1, so L adds at most what the richest feature "
        "gathers from itself and its k − 1 largest shares. Any such L and M prove a ceiling; an optimiser looks "
        "for the lowest, and its word need not be trusted."
    ),
    "capped": (
        "Take something off every co-variance, never more than a certain level. What was taken off can add at most k "
        "times the level, because the loadings of k features add up to at most √k. What is left has no sparsity to "
        "care about: its largest eigenvalue is a ceiling. The amounts are chosen so that the two together are "
        "as small as they can be."
    ),
    "branch": (
        "Take one feature: a component either does without it, or uses it. Each of the two cases has a ceiling of "
        "its own by the pair-scaled bound, lower than the ceiling on both together: without the feature there is "
        "less to gather, and with it one place fewer is free. The case with the higher ceiling is parted again, and "
        "so on. Together the cases leave no component out, so none exceeds the highest of their ceilings."
    ),
    "larger-k": (
        "Whatever at most k features can do, more than k features can do as well: one simply does not use the "
        "others. So a ceiling that was proven for a larger k is a ceiling here too, and along the curve a "
        "ceiling never has to rise towards smaller k."
    ),
    "paper": (
        "Random directions are tried in the space of the d strongest. With enough of them one almost surely lies "
        "so near the best that its value, divided by 1 − ε, is a ceiling there; the other directions add at most "
        "eigenvalue d + 1. “Almost surely” means with probability 1 − 1/n or more: nothing shows that this run was "
        "not unlucky, so it is not counted as proof."
    ),
}


def why(bound: Bound) -> str:
    """Say why a bound is true."""
    return WHY[bound.name]


def verdict(component: Component, certificate: Certificate) -> str:
    """Say in one sentence what the certificate proves about a component."""
    if proven_optimal(component.variance, certificate.upper):
        return "Proven optimal: no such component has more variance (to 1 part in 10,000)."
    share = min(component.variance / certificate.upper, 1.0)
    digits = 2 if share >= 0.999 else 1 if share >= 0.99 else 0
    kept = percent(share, digits)
    return f"This component keeps at least **{kept}** of the best variance any such component could have."


def claim(certificate: Certificate, n: int) -> str:
    """Say what a certificate proves, with its numbers, ceilings rounded up."""
    missing = certificate.upper - certificate.lower
    best = (
        "which is the ceiling, to 1 part in 10,000: nothing better exists."
        if proven_optimal(certificate.lower, certificate.upper)
        else f"which is **{percent(certificate.ratio, 1)}** of the ceiling: whatever the true optimum is, at most "
        f"{ceil(100 * missing / certificate.upper, 2):g} % of it is missing."
    )
    share = ceil(certificate.upper / certificate.leading, 4)
    kind = kind_of(certificate.component, certificate.k)
    return (
        f"Take all components of {n:,} features: {kind}. None of them has a variance above "
        f"**{number(certificate.upper, up=True)}**, which is {share:.4f} of λ₁. The best one found has "
        f"**{number(certificate.lower)}**, {best}"
    )


def kind_of(component: Component, k: int | None = None) -> str:
    """Say what “any such component” means here, for the component's own k unless another is given.

    >>> import numpy as np
    >>> kind_of(Component(np.array([1.0]), 1.0, "best", k=3))
    'a unit vector with at most 3 nonzero loadings, none of them negative'
    """
    k = component.k if k is None else k
    count = f"at most {k:,} nonzero loading" + ("s" if k != 1 else "")
    sign = ", none of them negative" if component.nonnegative else ", of either sign"
    return f"a unit vector with {count}{sign}"


def comparison(component: Component, certificate: Certificate) -> str:
    """Say how this component compares with the best one known, when it is not the best."""
    if component.variance >= certificate.lower * (1 - 1e-6):
        return ""
    lost = 1 - component.variance / certificate.lower
    return f"A better one is known, the one behind the certificate: this has {100 * lost:.2g} % less variance."


def chance(bound: Bound, n: int) -> str:
    """Say what the paper's own bound promises, and what it does not."""
    return (
        "The paper's own ceiling comes from random samples: it **holds with probability 1 − 1/n, not proven** "
        f"(n = {n:,}). It is shown for comparison and never counted. {bound.detail}"
    )


def fallen(before: Certificate, after: Certificate, spent: float) -> str:
    """Say how far a longer proof has brought a ceiling down."""
    old, new = before.upper / before.leading, after.upper / before.leading
    if new > old * (1 - 1e-6):
        return f"No lower ceiling was found in {seconds(spent)}: {ceil(old, 4):.4f} of λ₁ stands."
    return (
        f"In {seconds(spent)} the ceiling came down from {ceil(old, 4):.4f} to {ceil(new, 4):.4f} of λ₁: "
        f"{percent(after.ratio, 2)} of it is reached, where {percent(before.ratio, 2)} was."
    )
