"""Series: what the multipliers L and M of one number of features prove of every other.

For c features row i costs ``L_ii + S_i(c)``, S_i(c) the sum of the c−1 largest M_ij. With −S(c) on the diagonal of L
no row costs anything, and the bound is the largest eigenvalue of ``A − L° + diag(S(c))``, L° being L off its diagonal
(levelled rows, :mod:`nnspca.bounds.pair_scaled`). Only a diagonal depends on c: one sort of the rows of M serves all c,
each eigenvalue is estimated by some products in single precision that start at the eigenvector of the c before, and
proven by one factorisation: about half of a step of the splitting.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse.linalg

from nnspca.bounds import eigenvalues
from nnspca.bounds.outside import falling_entries
from nnspca.certificates.proofs import PairProof, SeriesProof
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding

ROUGH, FINE = 1e-3, 1e-6  # relative errors of an eigenvalue that is only compared, and of one that is to be proven
ABOVE = 1e-6  # relative distance from an estimate to what is tried first
FEW = 60  # features up to which all eigenvalues are computed


class Series:
    """The multipliers of a proof, with what they prove of each number of features.

    Parameters
    ----------
    problem : Problem
        Its covariance held as a matrix; k is the largest number of features asked for.
    proof : PairProof
        For any number of features.
    """

    def __init__(self, problem: Problem, proof: PairProof) -> None:
        self.M, self.L = proof.M, proof.L.copy()
        np.fill_diagonal(self.L, 0.0)
        self._sums = np.cumsum(falling_entries(proof.M, problem.k), axis=1)
        self._left = problem.cov.entries - self.L
        self._size = float(np.abs(self._left).max()) or 1.0  # single precision overflows above about 1e38
        self._single = (self._left / self._size).astype(np.float32)
        self._own = self._left.diagonal().copy()
        self._error = rounding.subtraction(self.L) + problem.cov.room()
        self._start = np.ones(len(proof.M), dtype=np.float32)
        self._estimates: dict[int, float] = {}

    def _shares(self, c: int) -> np.ndarray:
        """S(c)."""
        return self._sums[:, c - 2] if c > 1 else np.zeros(len(self._own))

    def estimate(self, c: int) -> float:
        """About what c features are bounded by: no bound."""
        if c not in self._estimates:
            self._estimates[c] = self._eigenvalue(self._own + self._shares(c), ROUGH)
        return self._estimates[c]

    def _eigenvalue(self, diagonal: np.ndarray, tolerance: float) -> float:
        """About the largest eigenvalue with this diagonal."""
        if len(diagonal) > FEW:
            np.fill_diagonal(self._single, diagonal / self._size)
            try:
                values, vectors = scipy.sparse.linalg.eigsh(
                    self._single, k=1, which="LA", v0=self._start, tol=tolerance
                )
            except scipy.sparse.linalg.ArpackError:  # it has not converged
                pass
            else:
                self._start = vectors[:, 0]
                return float(values[0]) * self._size
        np.fill_diagonal(self._left, diagonal)
        return float(np.linalg.eigvalsh(self._left)[-1])

    def proven(self, c: int) -> tuple[float, SeriesProof]:
        """Return an upper bound for c features, with its proof."""
        shares = self._shares(c)
        estimate = self._eigenvalue(self._own + shares, FINE)
        np.fill_diagonal(self._left, self._own + shares)
        # the diagonal is rounded, and another machine may add the shares in another order
        adding = rounding.sums(4 * (c + 8), float((np.abs(self._own) + shares).max()))
        tail = eigenvalues.of_matrix(self._left, self._error + adding, estimate + ABOVE * abs(estimate))
        value = rounding.total(tail, rounding.row_costs(-shares, shares, c))
        return value, SeriesProof(self.L, self.M, (c,), (tail,))
