"""Suggested numbers of features and of parts, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import isfinite

import numpy as np

from nnspca.result import sentences, wording
from nnspca.result.component import Component, Features
from nnspca.result.stability import CrossValidation, Stability
from nnspca.view import say


@dataclass(frozen=True)
class Suggestion:
    """A suggested number, with the reason as a sentence."""

    value: int
    why: str


def features(
    curve: Iterable[tuple[int, float, float]],
    held_out: CrossValidation | None = None,
    stability_at: Callable[[int], Stability | None] = lambda k: None,
) -> Suggestion | None:
    """Suggest k: where the curve flattens, or fewer where held-out samples or resamples support fewer features.

    ``curve`` has rows of k, the variance found and an upper bound. Between two such k, the variance
    is interpolated geometrically. ``stability_at`` returns the stability of the component of a k,
    or None where it is unknown. None if no k can be suggested.

    >>> features((k, v, v) for k, v in ((1, 1.0), (2, 1.9), (3, 2.2), (4, 2.21), (5, 2.22)))
    Suggestion(value=3, why='Suggested: at k = 3 one more feature adds less than 1 % (proven).')
    >>> features([(1, 1.0, 1.0), (2, 1.9, 2.0)])
    """
    suggestion = _knee(curve)
    largest_k = None if held_out is None or held_out.stopped else held_out.suggested_k
    if largest_k is not None and (suggestion is None or largest_k < suggestion.value):
        reason = f"held-out samples support no more than k = {largest_k:,} (an estimate)"
        suggestion = Suggestion(largest_k, f"Suggested: {reason}.")
    stability = None if suggestion is None else stability_at(suggestion.value)
    if suggestion is None or stability is None or not stability.resamples:
        return suggestion
    used = stability.parts.loadings[:, 0] != 0
    often = int((stability.recurrence[used, 0] >= sentences.RETURNED).sum())
    if not 0 < often < used.sum():
        return suggestion
    which = f"{wording.spelled(often)} of the {wording.spelled(int(used.sum()))} features at k = {suggestion.value:,}"
    verb, share = "returns" if often == 1 else "return", f"{say.fixed(100 * sentences.RETURNED, 0)} %"
    return Suggestion(often, f"Suggested: {which} {verb} in at least {share} of the resamples (an estimate).")


def _knee(curve: Iterable[tuple[int, float, float]]) -> Suggestion | None:
    """Suggest the first k from which the next feature adds less than 1 %; None where no such k is known."""
    rows = sorted(row for row in curve if row[1] > 0)
    for (k, lower, _), (next_k, variance, upper) in pairwise(rows):
        if (variance / lower) ** (1 / (next_k - k)) - 1 < sentences.SMALL:
            proven = isfinite(upper) and Fraction(upper) < Fraction(101, 100) * Fraction(lower)
            how = "proven" if proven else "for the components found, not proven"
            return Suggestion(k, f"Suggested: at k = {k:,} one more feature adds less than 1 % ({how}).")
    return None


def parts(components: Sequence[Component], features: Features, stability: Stability | None = None) -> Suggestion | None:
    """Suggest the number of parts before the first that adds too little or is unstable; None if that is all or none.

    ``features`` describes the features of the covariance, ``stability`` the same parts on resamples.
    """
    is_small = sentences.is_small([part.variance for part in components])
    means = np.ones(len(components)) if stability is None or not stability.resamples else stability.mean_recurrence
    for c, part in enumerate(components):
        why = _objection(replace(part, features=features), bool(is_small[c]), c + 1)
        if not why and stability is not None and means[c] < stability.threshold:
            why = f"the features of part {c + 1} return in only {wording.percent(means[c])} of the resamples on average"
        if why:
            return Suggestion(c, f"Suggested: {why}.") if c else None
    return None


def _objection(part: Component, is_small: bool, number: int) -> str:
    """Return why a part is not worth having; an empty text if it is."""
    if is_small:
        return f"part {number} adds less than 1 %"
    if part.k > 1 and part.cardinality == 1:
        return f"part {number} is a single feature"
    mean = sentences.correlation(part)
    if mean is not None and mean < sentences.WEAK:
        return f"the features of part {number} hardly vary together"
    return ""
