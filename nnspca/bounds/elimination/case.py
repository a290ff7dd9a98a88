"""A case of an elimination: an upper bound for at most c features of T, with what it was found by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nnspca.bounds.splitting import Splitting
from nnspca.covariance.problem import Problem
from nnspca.result import Bound


@dataclass
class Case:
    """A case: at most ``cardinality`` features of T, with the least upper bound known, its proof and its relaxation."""

    problem: Problem
    value: float
    proof: object
    splitting: Splitting | None = None
    tree: Iterator[Bound] | None = None
    splitting_bound: float = np.inf  # least bound of its splitting, whether below the value or not
    idle: int = 0
    is_stalled: bool = False  # whether its splitting has stalled
    source: int | None = None  # the case whose multipliers prove its bound, by its least number of features outside
    version: int = 0  # of the multipliers of all cases when it last took the best of them

    def improve(self, value: float, proof: object, source: int | None = None) -> None:
        """Keep the lower of two upper bounds."""
        if value < self.value:
            self.value, self.proof, self.source = value, proof, source
