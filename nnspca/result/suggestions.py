"""Suggestions read off what is known: how many features, and how many parts, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import isfinite

import numpy as np

from nnspca.result import sentences, wording
from nnspca.result.component import Component
from nnspca.result.cross_validation import CrossValidation
from nnspca.result.features import Features
from nnspca.result.stability import Stability

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


def features(
    curve: Iterable[tuple[int, float, float]],
    held_out: CrossValidation | None = None,
    stability_at: Callable[[int], Stability | None] = lambda k: None,
) -> Suggestion | None:
    """Suggest k: where the curve flattens, or fewer where held-out samples or resamples support fewer features.

    ``curve`` has a row for each k: the variance found there, and an upper bound. Between two k that
    lie apart, each feature is taken to multiply the variance by the same factor. ``stability_at``
    returns what resampling says of the component of a k, where it is known. None where nothing
    speaks for any k.

    >>> features((k, v, v) for k, v in ((1, 1.0), (2, 1.9), (3, 2.2), (4, 2.21), (5, 2.22)))
    Suggestion(value=3, why='Suggested: at k = 3 one more feature adds less than 1 % (proven).')
    >>> features([(1, 1.0, 1.0), (2, 1.9, 2.0)])
    """
    suggestion = _knee(curve)
    most = None if held_out is None or held_out.stopped else held_out.suggested_k
    if most is not None and (suggestion is None or most < suggestion.value):
        reason = f"held-out samples support no more than k = {most:,} (an estimate)"
        suggestion = Suggestion(most, f"Suggested: {reason}.")
    stability = None if suggestion is None else stability_at(suggestion.value)
    if suggestion is None or stability is None or not stability.resamples:
        return suggestion
    used = stability.parts.loadings[:, 0] != 0
    often = int((stability.recurrence[used, 0] >= sentences.RETURNED).sum())
    if not 0 < often < used.sum():
        return suggestion
    which = f"{wording.spelled(often)} of the {wording.spelled(int(used.sum()))} features at k = {suggestion.value:,}"
    verb, share = "returns" if often == 1 else "return", f"{100 * sentences.RETURNED:.0f} %"
    return Suggestion(often, f"Suggested: {which} {verb} in at least {share} of the resamples (an estimate).")


def _knee(curve: Iterable[tuple[int, float, float]]) -> Suggestion | None:
    """Suggest the first k from which the next feature adds less than 1 %; None where no such k is known."""
    rows = sorted(row for row in curve if row[1] > 0)
    for (k, lower, _), (after, found, upper) in pairwise(rows):
        if (found / lower) ** (1 / (after - k)) - 1 < LESS:
            proven = isfinite(upper) and Fraction(upper) < Fraction(101, 100) * Fraction(lower)
            how = "proven" if proven else "by what was found, not proven"
            return Suggestion(k, f"Suggested: at k = {k:,} one more feature adds less than 1 % ({how}).")
    return None


def parts(found: Sequence[Component], seen: Features, stability: Stability | None = None) -> Suggestion | None:
    """Suggest as many parts as rise together, add at least 1 % and are stable; None where that holds of all or of none.

    ``seen`` is what the covariance knows of the features, ``stability`` what resampling says of these parts.
    """
    few = sentences.small([part.variance for part in found])
    means = np.ones(len(found)) if stability is None or not stability.resamples else stability.mean_recurrence
    for c, part in enumerate(found):
        why = _against(replace(part, features=seen), bool(few[c]), c + 1)
        if not why and stability is not None and means[c] < stability.threshold:
            why = f"the features of part {c + 1} return in only {wording.percent(means[c])} of the resamples on average"
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
