"""What is found and what is proven of it, in one sentence for every page: it claims no more than is proven."""

from __future__ import annotations

import math

from nnspca.view.words import at_least, at_most, optimal, proven_share


def share(variance: float, upper: float) -> float:
    """Return which share of the optimum a variance is proven to be; 0 where there is no upper bound.

    >>> share(3.0, 4.0), share(3.0, math.inf), share(0.0, 0.0)
    (0.75, 0.0, 1.0)
    """
    if not math.isfinite(upper):
        return 0.0
    return min(variance / upper, 1.0) if upper > 0 else 1.0


def explains(what: str, many: int, variance: float, whole: float, unit: str) -> str:
    """Say which share of a ``unit``, all of which is ``whole``, so many things explain together, rounded down.

    >>> explains("These six parts", 6, 27.519, 100.0, "the total variance")
    'These six parts explain 27.5 % of the total variance'
    """
    return f"{what} {'explains' if many == 1 else 'explain'} {at_least(100 * variance / whole, 1)} % of {unit}"


def proven(variance: float, upper: float, whole: float, *, stored: bool = False) -> str:
    """Say how near the best possible a variance is proven to be, in per cent of ``whole``: the maximum is rounded up.

    >>> proven(0.5, 0.51, 1.0)
    'The proven maximum is 51.0 %; before rounding, this is at least 98.0 % of the optimum.'
    >>> proven(0.5, 0.5, 1.0, stored=True)
    'This is proven optimal, to 1 part in 10,000 (stored proof).'
    """
    ratio, source = share(variance, upper), " (stored proof)" if stored else ""
    if optimal(ratio):
        return f"This is proven optimal, to 1 part in 10,000{source}."
    most = at_most(min(100 * upper / whole, 100.0), 1)
    return f"The proven maximum is {most} %{source}; before rounding, this is {proven_share(ratio)}."
