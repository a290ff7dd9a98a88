"""Suggestions read off what is known: how many features, and how many parts, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import isfinite

from nnspca.result import sentences
from nnspca.result.component import Component
from nnspca.result.features import Features

LESS = sentences.SMALL  # gain below which the next feature, or the next part, is not worth having


@dataclass(frozen=True)
class Suggestion:
    """A number that is suggested, and why.

    Attributes
    ----------
    value : int
    why : str
        A sentence.
    """

    value: int
    why: str


def features(curve: Iterable[tuple[int, float, float]]) -> Suggestion | None:
    """Suggest the first k from which the next feature adds less than 1 %; None where no such k is known.

    ``curve`` has a row for each k: the variance found there, and an upper bound. Between two k that
    lie apart, each feature is taken to multiply the variance by the same factor.

    >>> features((k, v, v) for k, v in ((1, 1.0), (2, 1.9), (3, 2.2), (4, 2.21), (5, 2.22)))
    Suggestion(value=3, why='Suggested: at k = 3 one more feature adds less than 1 % (proven).')
    >>> features([(1, 1.0, 1.0), (2, 1.9, 2.0)])
    """
    rows = sorted(row for row in curve if row[1] > 0)
    for (k, lower, _), (after, found, upper) in pairwise(rows):
        if (found / lower) ** (1 / (after - k)) - 1 < LESS:
            proven = isfinite(upper) and Fraction(upper) < Fraction(101, 100) * Fraction(lower)
            how = "proven" if proven else "by what was found, not proven"
            return Suggestion(k, f"Suggested: at k = {k:,} one more feature adds less than 1 % ({how}).")
    return None


def parts(found: Sequence[Component], seen: Features) -> Suggestion | None:
    """Suggest as many parts as rise together and add at least 1 %; None where that holds of all or of none.

    ``seen`` is what the covariance knows of the features.
    """
    few = sentences.small([part.variance for part in found])
    for c, part in enumerate(found):
        why = _against(replace(part, features=seen), bool(few[c]), c + 1)
        if why:
            return Suggestion(c, f"Suggested: {why}.") if c else None
    return None


def _against(part: Component, small: bool, number: int) -> str:
    """Say why a part is not worth having; nothing where it is."""
    if small:
        return f"part {number} adds less than 1 %"
    if part.k > 1 and part.cardinality == 1:
        return f"part {number} is a single feature"
    mean = sentences.correlation(part)
    if mean is not None and mean < sentences.WEAK:
        return f"the features of part {number} hardly rise together"
    return ""
