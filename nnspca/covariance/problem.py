"""Problem: the covariance, the cardinality and the sign constraint, which every solver and bound is given as one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nnspca.covariance import Covariance


@dataclass(frozen=True, eq=False)
class Problem:
    """Maximise x'Ax over unit vectors x with at most k nonzeros, and x >= 0 if ``nonnegative``.

    It trusts what it is given: the public functions check first.

    Attributes
    ----------
    cov : Covariance
        Holds A, of shape (n, n).
    k : int
        1 <= k <= n.
    nonnegative : bool

    Examples
    --------
    >>> problem = Problem(Covariance.from_matrix(np.diag([3.0, 2.0, 1.0])), k=2)
    >>> problem.n, problem.nonnegative
    (3, True)
    """

    cov: Covariance
    k: int
    nonnegative: bool = True

    @property
    def n(self) -> int:
        """Number of features."""
        return self.cov.n_features

    def restrict(self, features: np.ndarray) -> Problem:
        """Return the problem on some of the features, with as many nonzeros as they allow.

        Examples
        --------
        >>> problem = Problem(Covariance.from_matrix(np.diag([3.0, 2.0, 1.0])), k=2)
        >>> part = problem.restrict(np.array([1]))
        >>> part.k, part.cov.diagonal
        (1, array([2.]))
        """
        return replace(self, cov=self.cov.restrict(features), k=min(self.k, len(features)))
