"""Numbers in plain words, never rounded in our favour."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Decimal

from nnspca.bounds.registry import BOUNDS
from nnspca.result import Bound, Certificate, Component

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PROVEN_OPTIMAL = 1e-4  # relative gap below which a component counts as proven optimal

WHY = {name: info.argument for name, info in BOUNDS.items()}  # for someone who has met eigenvalues


def why(bound: Bound) -> str:
    """Say why a bound is true: at length where we have the words, else as its own summary does."""
    return WHY.get(bound.name) or (BOUNDS[bound.name].summary if bound.name in BOUNDS else bound.detail)


def title(name: str) -> str:
    """Return the name of a bound as a legend shows it.

    >>> title("rows")
    'Row sums'
    """
    return BOUNDS[name].title if name in BOUNDS else name


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage, rounded down: what is claimed stays true.

    >>> percent(0.9379), percent(0.99996, 2), percent(1.0), percent(1 - 1e-13, 2), percent(0.29)
    ('93 %', '99.99 %', '100 %', '99.99 %', '29 %')
    """
    exact = 100 * Decimal(repr(float(share)))
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR)} %"


def proven_optimal(lower: float, upper: float) -> bool:
    """Tell whether a variance is so near a proven ceiling that it counts as the best possible.

    >>> proven_optimal(0.99995, 1.0), proven_optimal(0.9998, 1.0)
    (True, False)
    """
    return upper - lower < PROVEN_OPTIMAL * upper


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


def ceil(value: float, digits: int) -> float:
    """Round up: a ceiling stays a ceiling.

    >>> ceil(0.41171, 4), ceil(2.0, 2)
    (0.4118, 2.0)
    """
    scale = 10**digits
    return math.ceil(scale * value * (1 - 1e-12)) / scale


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


def number(value: float, *, up: bool = False) -> str:
    """Return a variance with four telling digits, the last one rounded up for a ceiling.

    >>> number(505948.93), number(0.0123456), number(4.219), number(1.2071e8)
    ('505,900', '0.01235', '4.219', '1.207 × 10⁸')
    >>> number(4.2181, up=True)
    '4.219'
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    size = math.floor(math.log10(abs(value)))
    value = ceil(value / 10.0**size, 3) * 10.0**size if up else value
    if not -4 < size < 7:
        return f"{value / 10.0**size:.3f} × 10{str(size).translate(RAISED)}"
    digits = 3 - size
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def seconds(value: float) -> str:
    """Return a duration as a person would say it.

    >>> seconds(0.0123), seconds(2.34), seconds(100)
    ('12 ms', '2.3 s', '1 min 40 s')
    """
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 60:
        return f"{value:.1f} s"
    return f"{value // 60:.0f} min {value % 60:.0f} s"


def size(count: int) -> str:
    """Return a number of bytes in megabytes.

    >>> size(8_400_000)
    '8.4 MB'
    """
    return f"{count / 1e6:.1f} MB"
