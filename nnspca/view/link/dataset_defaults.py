"""Default preprocessing and k of each data set, by which its parts are seen at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

USUAL_K = 40


@dataclass(frozen=True)
class Opening:
    """Preprocessing and k where the link is silent; k is taken from the size of the data when None."""

    standardise: bool = False
    k: int | None = None


OPENINGS = {
    "lfw-faces": Opening(standardise=True, k=40),  # as they are, the first component is background at the border
    "cbcl-faces-raw": Opening(standardise=True, k=40),  # as they are, brightness outweighs everything else
    "lrs": Opening(k=8),  # from 11 on, the sign constraint lets no further wavelength in
}


def opening(name: str) -> Opening:
    """Return the view a data set opens with."""
    return OPENINGS.get(name, Opening())


def usual_k(n: int, name: str = "") -> int:
    """Return the cardinality a data set of ``n`` features opens with.

    One feature alone varies with nothing: two are the fewest of which a component says anything.

    >>> usual_k(625), usual_k(64), usual_k(13), usual_k(4), usual_k(1), usual_k(93, "lrs")
    (40, 16, 4, 2, 1, 8)
    """
    return min(opening(name).k or min(USUAL_K, max(2, math.ceil(n / 4))), n)
