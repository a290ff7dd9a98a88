"""What a certificate proves and why, in plain words, never rounded in our favour."""

from __future__ import annotations

from nnspca.bounds.registry import BOUNDS
from nnspca.result import Bound, Certificate, Component
from nnspca.view.certificate.proofs import GAIN, Proven, proven_optimal
from nnspca.view.words import at_most, ceil, number, odds, percent, seconds


def why(bound: Bound) -> str:
    """Say why a bound is true."""
    return BOUNDS[bound.name].argument


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
    share = certificate.upper / certificate.leading
    kind = kind_of(certificate.component, certificate.k)
    return (
        f"Take all components of {n:,} features: {kind}. None of them has a variance above "
        f"**{number(certificate.upper, up=True)}**, which is {at_most(share, 4)} of λ₁. The best one found has "
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


def chance(bound: Bound) -> str:
    """Say what the paper's own bound promises, and what it does not."""
    return (
        f"The paper's own ceiling comes from random samples: it **holds with {odds(bound.probability)}, not proven**. "
        f"It is shown for comparison and never counted. {bound.detail}"
    )


def fallen(before: Proven, after: Proven, spent: float) -> str:
    """Say how far a longer proof has brought a ceiling down: for one component as a share of λ₁."""
    if isinstance(before, Certificate):
        old, new = (at_most(upper / before.leading, 4) for upper in (before.upper, after.upper))
        unit = " of λ₁"
    else:
        old, new, unit = number(before.upper, up=True), number(after.upper, up=True), ""
    gained = after.lower / before.lower - 1 if before.lower > 0 else 0.0
    better = f" Searching on met a better component: {100 * gained:.2g} % more variance." if gained > GAIN else ""
    if after.upper > before.upper * (1 - 1e-6):
        return f"No lower ceiling was found in {seconds(spent)}: {old}{unit} stands.{better}"
    return (
        f"In {seconds(spent)} the ceiling came down from {old} to {new}{unit}: "
        f"{percent(after.ratio, 2)} of it is reached, where {percent(before.ratio, 2)} was.{better}"
    )
