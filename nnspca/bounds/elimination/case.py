"""A case of an elimination: an upper bound for at most c features of T, with what it was found by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nnspca.bounds.splitting import Splitting
from nnspca.certificates.proofs import PairProof
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
    warm_started: bool = False  # whether it started from the multipliers of an earlier case

    def improve(self, value: float, proof: object) -> None:
        """Keep the lower of two upper bounds."""
        if value < self.value:
            self.value, self.proof = value, proof

    @property
    def is_paired(self) -> bool:
        """Whether it has, or will have, a pair-scaled proof."""
        return self.splitting is not None or isinstance(self.proof, PairProof)
