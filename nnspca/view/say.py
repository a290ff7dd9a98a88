"""Sentences that several pages say of a number, and titles of bounds."""

from __future__ import annotations

import math

from nnspca.bounds.registry import BOUNDS, PARTS_BOUNDS
from nnspca.result import rounded


def capital(text: str) -> str:
    """Return a text that begins a line.

    >>> capital("row sums"), capital("")
    ('Row sums', '')
    """
    return text[:1].upper() + text[1:]


def title(name: str) -> str:
    """Return the name of a bound as a legend shows it.

    >>> title("balanced-rows")
    'Balanced row sums'
    """
    known = BOUNDS.get(name) or PARTS_BOUNDS.get(name)
    return known.title if known else name


def explains(what: str, many: int, variance: float, whole: float, unit: str, upper: float = math.inf) -> str:
    """Say which share of a ``unit``, all of which is ``whole``, so many things explain together, rounded down.

    >>> explains("These six parts", 6, 27.519, 100.0, "the total variance")
    'These six parts explain 27.5 % of the total variance'
    """
    said = rounded.percent(variance / whole, rounded.digits(variance, upper, whole))
    return f"{what} {'explains' if many == 1 else 'explain'} {said} of {unit}"


def proven(variance: float, upper: float, whole: float, source: str = "") -> str:
    """Say how near the best possible a variance is proven to be, in per cent of ``whole``: the maximum is rounded up.

    >>> proven(0.5, 0.51, 1.0, "carried from k = 7")
    'The proven maximum is 51.0 % (carried from k = 7), so this is at least 98.0 % of the optimum.'
    >>> proven(0.5, 0.5, 1.0, "stored proof")
    'This is proven optimal, to 1 part in 10,000 (stored proof).'
    """
    source = f" ({source})" if source else ""
    if rounded.optimal(variance, upper):
        return f"This is proven optimal, to 1 part in 10,000{source}."
    most = rounded.percent(min(upper / whole, 1.0), rounded.digits(variance, upper, whole), up=True)
    return f"The proven maximum is {most}{source}, so this is {rounded.proven_share(variance, upper)}."
