"""The result in words: what varies together and how much it carries; each clause only where a value says it.

Shares are rounded down, so that no sentence says more than was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nnspca.result import places, wording

if TYPE_CHECKING:
    from nnspca.result.component import Component
    from nnspca.result.necessity import Necessity
    from nnspca.result.stability import Stability

STRONG, WEAK = 0.3, 0.1  # mean correlations from which features rise together, and weakly so
SMALL = 0.01  # share of the variance of the parts before it from which a part is told by its features
RETURNED = 0.8  # share of a part's features that make it the same part in a resample


def correlation(part: Component) -> float | None:
    """Return the mean correlation between a component's features, each turned by the sign of its loading.

    Pairs count by the product of their loadings and standard deviations. None where the variances
    of the features are not known, or there is no pair.

    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[4.0, 1.0], [1.0, 1.0]])
    >>> round(correlation(nnspca.solve(cov, 2)), 3)
    0.5
    """
    seen = part.features
    if seen is None or seen.variances is None or part.cardinality < 2:
        return None
    own = np.abs(part.loadings[part.support]) * np.sqrt(seen.variances[part.support])
    alone = float(own @ own)
    pairs = float(own.sum()) ** 2 - alone
    return (part.variance - alone) / pairs if pairs > 0 else None


def who(part: Component, most: int = wording.NAMED) -> str:
    """Say which features a component is made of and how they vary together; without an end, to be read on.

    Up to ``most`` features are named.

    >>> import nnspca
    >>> A = [[1.0, 0.7, -0.6], [0.7, 1.0, -0.5], [-0.6, -0.5, 1.0]]
    >>> cov = nnspca.Covariance.from_matrix(A, names=["income", "rent", "debt"])
    >>> who(nnspca.solve(cov, 2)), who(nnspca.solve(cov, 1))
    ('income and rent rise together', 'income alone')
    >>> who(nnspca.solve(cov, 3, nonnegative=False))
    'income and rent rise while debt falls'
    """
    where = places.told(part.support, part.features)
    if where is not None:
        where = f"{where[0].upper()}{where[1:]}"
    if not part.cardinality:
        return "Nothing"
    made, mean = where or wording.members(part, most), correlation(part)
    if part.cardinality == 1:
        return f"{made} alone"
    if mean is None:
        return made
    comma, mixed = "," if where and "," in where else "", bool((part.loadings < 0).any())
    if mean < WEAK:
        return f"{made}{comma} hardly {'vary' if mixed else 'rise'} together"
    weakly = "" if mean >= STRONG else " weakly"
    if not mixed:
        return f"{made}{comma} rise together{weakly}"
    if where:
        many = wording.spelled(int((part.loadings < 0).sum()))
        return f"{made}{comma} vary together{weakly}, {many} of them in the opposite direction"
    up, down = ([i for i in wording.heaviest(part) if part.loadings[i] * sign > 0] for sign in (1, -1))
    rise, fall = (wording.named([part.feature_name(i) for i in some], most) for some in (up, down))
    return f"{rise} rise{'s' * (len(up) == 1)}{weakly} while {fall} fall{'s' * (len(down) == 1)}"


def made_of(part: Component) -> str:
    """Return the features of a component as they stand within a sentence, by where they lie or by name."""
    return places.told(part.support, part.features) or wording.members(part)


def component(part: Component) -> str:
    """Say what one component is made of, and how much it carries.

    >>> import nnspca
    >>> A = [[1.0, 0.7, 0.0], [0.7, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> component(nnspca.solve(nnspca.Covariance.from_matrix(A, names=["income", "rent", "age"]), 2))
    'income and rent rise together: one number made of these two carries 56.6 % of the variance of all three features.'
    """
    if part.cardinality < 2:
        begin = who(part)
    elif correlation(part) is None:
        begin = f"One number made of {made_of(part)}"
    else:
        begin = f"{who(part)}: one number made of these {wording.spelled(part.cardinality)}"
    seen, share = part.features, part.share
    if seen is None or share is None:
        return f"{begin} has variance {part.variance:.4g}."
    treated = " (standardised)" if seen.standardized else ""
    whole = wording.counted(seen.count, "feature")
    return f"{begin} carries {wording.at_least(share)} of the variance of all {whole}{treated}."


def necessity(need: Necessity) -> str:
    """Say which features are indispensable, where any is proven to be; else nothing."""
    names = need.essential_names
    if not names:
        return ""
    listed = places.told(np.flatnonzero(need.essential), need.component.features) or wording.named(names)
    return f"Indispensable within {wording.percent(need.within)} of the best found: {listed} (proven)."


def stability(found: Stability, part: int = 0) -> str:
    """Say in how many resamples a part was found again, where any was drawn; else nothing."""
    if not found.resamples:
        return ""
    again = int((found.agreement[:, part] >= RETURNED).sum())
    most = f"{100 * RETURNED:.0f} %"
    return f"Found again, with at least {most} of its features, in {again} of {found.resamples} resamples."


def known(need: Necessity | None, found: Stability | None) -> tuple[str, str]:
    """Say what is known beside the component itself."""
    return "" if need is None else necessity(need), "" if found is None else stability(found)


def listing(parts: Sequence[Component], total: float | None = None) -> str:
    """Say what each part is made of, with its share of a ``total``; parts that add hardly anything are counted.

    >>> import nnspca
    >>> A = [[3.0, 1.0, 0.0, 0.0], [1.0, 3.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.01]]
    >>> parts = nnspca.decompose(nnspca.Covariance.from_matrix(A, names=list("abcd")), n_components=3, k=2)
    >>> listing(parts.parts)
    'Part 1: a and b rise together. Part 2: c alone. One more part adds less than 1 %.'
    """
    few = small([part.variance for part in parts])
    shown = [
        f"Part {c}: {who(part)}{f' ({wording.at_least(part.variance / total)})' if total else ''}."
        for c, part in enumerate(parts, start=1)
        if not few[c - 1]
    ]
    left = int(few.sum())
    more = f"{wording.counted(left, 'more part').capitalize()} {'adds' if left == 1 else 'add'} less than 1 %"
    return " ".join(shown) + (f" {more}{'' if left == 1 else ' each'}." if left else "")


def result(said: str, *more: str) -> str:
    """Return sentences as one text, without those that are empty."""
    return " ".join(filter(None, (said, *more)))


def small(variances: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return which parts add less than 1 % to the variance of those before them.

    >>> small([5.0, 2.0, 0.01, 3.0]).tolist()
    [False, False, True, False]
    """
    variances = np.asarray(variances, dtype=float)
    before = np.concatenate([[0.0], np.cumsum(variances)[:-1]])
    return variances < SMALL * before
