"""Problem: the covariance, the cardinality and the sign constraint, which every solver and bound is given as one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from nnspca.covariance import Covariance
from nnspca.numerics import feasible
from nnspca.numerics.doubles import read_only
from nnspca.result import Component


@dataclass(frozen=True, eq=False)
class Problem:
    """Maximise x'Ax over unit vectors x with at most k nonzeros, and x >= 0 if ``nonnegative``.

    It trusts what it is given: the public functions check first.
    """

    cov: Covariance
    k: int
    nonnegative: bool = True
    include: tuple[int, ...] = ()  # features that every support contains, fewer than k

    @property
    def n(self) -> int:
        """Number of features."""
        return self.cov.n_features

    @property
    def included(self) -> np.ndarray:
        """Whether each feature is one of ``include``, shape (n,)."""
        mask = np.zeros(self.n, dtype=bool)
        mask[list(self.include)] = True
        return mask

    def widest(self) -> np.ndarray:
        """Return the unit vector at the feature of largest variance."""
        x = np.zeros(self.n)
        x[int(self.cov.diagonal.argmax())] = 1.0
        return x

    def best(self, g: np.ndarray) -> np.ndarray:
        """Maximise ``g'x`` over the feasible set, for each row of g."""
        return feasible.best(g, self.k, self.nonnegative, self.include)

    def infeasibility(self, x: np.ndarray) -> str:
        """Return why ``x`` is not feasible; an empty string if it is."""
        reason, places = feasible.infeasibility(x, self.k, self.nonnegative), self.k - len(self.include)
        others = np.count_nonzero(x[~self.included])
        if reason or others <= places:
            return reason
        return f"{others} loadings are nonzero beside those included, which leave {places} of k = {self.k}"

    def component(
        self, x: np.ndarray, method: str, history: Iterable[float] = (), *, stopped: bool = False, note: str = ""
    ) -> Component:
        """Return a feasible point that a method found: oriented without sign constraint, no zero negative."""
        x = read_only((x if self.nonnegative else feasible.orient(x)) + 0.0)
        variance = self.cov.variance(x)
        return Component(
            x, variance, method, self.k, self.nonnegative, history=tuple(history), stopped=stopped, note=note
        )

    def restrict(self, features: np.ndarray) -> Problem:
        """Return the problem on some of the features, with as many nonzeros as they allow, and none included.

        Without ``include`` it is a relaxation: what bounds it from above bounds this one.
        """
        return replace(self, cov=self.cov.restrict(features), k=min(self.k, len(features)), include=())
