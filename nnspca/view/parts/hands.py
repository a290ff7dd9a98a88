"""Which features changed hands between parts found one after the other and parts found together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nnspca.components.pairing import paired
from nnspca.result import Components


@dataclass(frozen=True, eq=False)
class Hands:
    """Two sets of parts, matched, and the features that are not in matching ones."""

    # shape (n, r): loadings of the features that changed hands, zero for the others; column c of one goes with column
    # c of the other
    before: np.ndarray
    after: np.ndarray
    moved: int  # features that went from one part to another
    # features that are only in the later, or only in the earlier parts
    joined: int
    left: int


def hands(earlier: Components, later: Components) -> Hands:
    """Match the parts that share the most features, and see which features are elsewhere.

    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0, 1.0]))
    >>> parts = nnspca.decompose(cov, 2, k=1)
    >>> hands(parts, parts).moved
    0
    """
    r = max(len(earlier.parts), len(later.parts))
    first, second = earlier.padded(r).T, later.padded(r).T
    matched = np.empty_like(first)
    matched[:, paired(first, second)] = first
    stays = ((matched != 0) & (second != 0)).any(axis=1) & ((matched != 0) == (second != 0)).all(axis=1)
    was, is_ = (matched != 0).any(axis=1), (second != 0).any(axis=1)
    changed = ~stays[:, None]
    return Hands(
        np.where(changed, matched, 0.0),
        np.where(changed, second, 0.0),
        int((was & is_ & ~stays).sum()),
        int((~was & is_).sum()),
        int((was & ~is_).sum()),
    )
