"""Numbers in plain words, never rounded in our favour."""

from __future__ import annotations

import math

from nnspca.result import Bound, Certificate, Component

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage, rounded down: what is claimed stays true.

    >>> percent(0.9379), percent(0.99996, 2), percent(1.0)
    ('93 %', '99.99 %', '100 %')
    """
    scale = 10**digits
    return f"{math.floor(100 * scale * share * (1 + 1e-12)) / scale:.{digits}f} %"


def verdict(component: Component, certificate: Certificate) -> str:
    """Say in one sentence what the certificate proves about a component."""
    share = min(component.variance / certificate.upper, 1.0)
    if share >= 0.9995:
        return (
            "This component is as good as any such component can be: "
            f"at most {_ceil(1 - share)} of the best variance is missing."
        )
    digits = 1 if share >= 0.99 else 0
    kept = percent(share, digits)
    return f"This component keeps at least **{kept}** of the best variance any such component could have."


def _ceil(share: float) -> str:
    """Return a small share as a percentage, rounded up."""
    return f"{max(math.ceil(100 * 1000 * share) / 1000, 0.001):.3f} %"


def kind_of(component: Component) -> str:
    """Say what “any such component” means here.

    >>> import numpy as np
    >>> kind_of(Component(np.array([1.0]), 1.0, "best", k=3))
    'a unit vector with at most 3 nonzero loadings, none of them negative'
    """
    count = f"at most {component.k} nonzero loading" + ("s" if component.k != 1 else "")
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
        "The paper's own ceiling comes from random samples: it holds **with probability at least "
        f"1 − 1/n** (n = {n} here), so it is shown for comparison and never counted as proof. {bound.detail}"
    )


def number(value: float) -> str:
    """Return a variance with four telling digits.

    >>> number(505948.93), number(0.0123456), number(4.219), number(1.2071e8)
    ('505,900', '0.01235', '4.219', '1.207 × 10⁸')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    size = math.floor(math.log10(abs(value)))
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
