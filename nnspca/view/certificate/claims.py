"""What a certificate proves and why, in plain words: variances rounded down, upper bounds up."""

from __future__ import annotations

from nnspca.bounds.registry import BOUNDS
from nnspca.result import Bound, Certificate, Component, wording
from nnspca.view.certificate.proofs import GAIN, Proven
from nnspca.view.words import at_most, number, optimal, proven_share, seconds

TELLING = 6  # digits of two variances side by side: what is proven optimal differs in the fifth at the earliest


def why(bound: Bound) -> str:
    """Say why a bound is true."""
    return BOUNDS[bound.name].argument


def claim(certificate: Certificate, n: int) -> str:
    """Say what a certificate proves, with its numbers, upper bounds rounded up."""
    gap = 1 - certificate.ratio
    best = (
        "so it is **proven optimal**, to 1 part in 10,000."
        if optimal(certificate.ratio)
        else f"which is **{proven_share(certificate.ratio)}**; the gap is at most {at_most(100 * gap, 2)} %."
    )
    most = at_most(100 * certificate.upper / certificate.leading, 1)
    kind = kind_of(certificate.component, certificate.k)
    return (
        f"Consider every vector of {n:,} loadings that is {kind}. None has a variance above "
        f"**{number(certificate.upper, up=True, telling=TELLING)}**, which is {most} % of λ₁. The best one found has "
        f"**{number(certificate.lower, down=True, telling=TELLING)}**, {best}"
    )


def kind_of(component: Component, k: int) -> str:
    """Say what “such a component” means here.

    >>> import numpy as np
    >>> kind_of(Component(np.array([1.0]), 1.0, "best", k=3), 3)
    'a unit vector with at most 3 nonzero loadings, all nonnegative'
    """
    sign = ", all nonnegative" if component.nonnegative else ", of either sign"
    return f"a unit vector with at most {wording.plural(k, 'nonzero loading')}{sign}"


def fallen(before: Proven, after: Proven, spent: float) -> str:
    """Say how far a longer proof has brought an upper bound down: for one component as a share of λ₁."""
    if isinstance(before, Certificate):
        old, new = (at_most(100 * upper / before.leading, 2) for upper in (before.upper, after.upper))
        unit = " % of λ₁"
    else:
        old, new, unit = number(before.upper, up=True), number(after.upper, up=True), ""
    gained = after.lower / before.lower - 1 if before.lower > 0 else 0.0
    better = f" A better component was found: {100 * gained:.2g} % more variance." if gained > GAIN else ""
    if after.upper > before.upper * (1 - 1e-6):
        return f"The upper bound did not come down in {seconds(spent)}: it is still {old}{unit}.{better}"
    return (
        f"In {seconds(spent)} the upper bound came down from {old} to {new}{unit}. The component has "
        f"{proven_share(after.ratio)}; before, {proven_share(before.ratio)}.{better}"
    )
