"""Suggestions read off what is known: how many features, and how many parts, with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import streamlit as st

from nnspca.result import Component, sentences
from nnspca.result.features import Features
from nnspca.view.results.ledger import Known

OFFERS = {  # by the key of the link: the button's words before there is a suggestion and with one, and its purpose
    "k": (
        "Suggest k",
        "Suggested k",
        "Waits for the curve to end: the smallest k at which one more feature adds less than 1 %.",
    ),
    "r": (
        "Suggest parts",
        "Suggested",
        "A smaller number, where some of the parts hardly rise together or add less than 1 %.",
    ),
}
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


def offer(found: Suggestion | None, key: str, now: int) -> None:
    """Offer a suggestion for a key of the link, which is ``now`` so much; nothing changes before it is pressed."""
    waiting, name, purpose = OFFERS[key]
    st.button(
        waiting if found is None else f"{name}: {found.value:,}",
        key=f"suggest-{key}",
        help=purpose if found is None else found.why,
        disabled=found is None or found.value == now,
        on_click=st.session_state.update,
        args=({key: now if found is None else found.value},),
        width="stretch",
    )


def features(known: Mapping[int, Known]) -> Suggestion | None:
    """Suggest the first k from which the next feature adds less than 1 %; None where no such k is known.

    Between two k that lie apart, each feature is taken to multiply the variance by the same factor.

    >>> rows = {k: Known(k, (), v, v, True, True) for k, v in ((1, 1.0), (2, 1.9), (3, 2.2), (4, 2.21), (5, 2.22))}
    >>> features(rows)
    Suggestion(value=3, why='Suggested: at k = 3 one more feature adds less than 1 % (proven).')
    """
    rows = [row for _, row in sorted(known.items()) if row.found and row.lower > 0]
    for row, after in pairwise(rows):
        if (after.lower / row.lower) ** (1 / (after.at - row.at)) - 1 < LESS:
            how = "proven" if after.upper < (1 + LESS) * row.lower else "by what was found, not proven"
            return Suggestion(row.at, f"Suggested: at k = {row.at:,} one more feature adds less than 1 % ({how}).")
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
