"""Decided pairs of features: those that share a part, and those that do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Decided:
    """Decided pairs, both relations closed: features that share a part with i are apart from all that i is apart from.

    Attributes
    ----------
    same : ndarray of bool, shape (n, n)
        Both are in one part. No feature is paired with itself.
    apart : ndarray of bool, shape (n, n)
        They are not in one part: in two, or one of them, or both, in none.
    """

    same: np.ndarray
    apart: np.ndarray

    @classmethod
    def nothing(cls, n: int) -> Decided:
        """No pair decided."""
        return cls(np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool))

    @property
    def used(self) -> np.ndarray:
        """Features known to be in some part, shape (n,)."""
        return np.any(self.same, axis=1)

    @property
    def largest(self) -> int:
        """Most features known to share one part."""
        return int(self.same.sum(axis=1).max(initial=0)) + 1

    def joined(self, i: int, j: int) -> Decided:
        """Features i and j share a part, and so do all that are with either."""
        group = self._with(i) | self._with(j)
        same, apart = self.same.copy(), self.apart.copy()
        same[np.ix_(group, group)] = True
        np.fill_diagonal(same, False)
        others = (apart[i] | apart[j]) & ~group
        apart[np.ix_(group, others)] = True
        apart[np.ix_(others, group)] = True
        return Decided(same, apart)

    def parted(self, i: int, j: int) -> Decided:
        """Features i and j do not share a part, and no feature with i one with those with j."""
        apart = self.apart.copy()
        apart[np.ix_(self._with(i), self._with(j))] = True
        apart[np.ix_(self._with(j), self._with(i))] = True
        return Decided(self.same, apart)

    def _with(self, i: int) -> np.ndarray:
        group = self.same[i].copy()
        group[i] = True
        return group
