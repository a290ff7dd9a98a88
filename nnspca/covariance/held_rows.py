"""A of data that stay where they are: some of its rows are held, and any others take one more pass over the data.

A search for sparse vectors, and the proof that none is much better, read few rows of A, those of the
features of large variance first. So rows come in that order, some more than were asked for, and stay
as long as there is room. What each question takes:

    the data are opened             1 pass, 2 where features are far from zero
    rows of A not held              1 pass for FIRST of them, then for twice as many, up to half the room
    A among some features only      1 pass
    A times a dense vector          1 pass for a batch; eigenpairs a few dozen

:func:`nnspca.solve` takes two to six passes, :func:`nnspca.certify` about four more, a second k few or none.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnspca.covariance.forms import HeldFactor, HeldMatrix
from nnspca.covariance.stored import FIRST, FORMED, StoredData
from nnspca.numerics.doubles import read_only

BESIDE, STEPS, CONVERGED = 8, 8, 1e-8  # vectors beside those asked for, products of a round, and relative residual
ROUNDS = 8  # most rounds


class HeldRows:
    """The form of A of data that stay where they are, or of some of its features, as :class:`HeldMatrix` is of A."""

    name = "rows that passes over the data give"

    def __init__(self, data: StoredData, features: np.ndarray, terms: int) -> None:
        """Hold the ``features`` of the data that are A's, in its order."""
        self.data, self.features, self.terms, self.roundings = data, features, terms, terms + 4
        self.diagonal = read_only(data.diagonal[features])
        self.rounding_scale = float(self.diagonal.sum())

    def _whole(self, x: np.ndarray) -> np.ndarray:
        """Vectors with zeros for the features that are not A's."""
        whole = np.zeros((*x.shape[:-1], self.data.n))
        whole[..., self.features] = x
        return whole

    def apply(self, x: np.ndarray) -> np.ndarray:
        """Return Ax, for one vector (n,) or a batch of rows (r, n): of rows of A where x uses few features."""
        rows = np.atleast_2d(x)
        used = np.flatnonzero(rows.any(axis=0))
        if len(used) <= self.data.room and self.data.lacks(self.features[used]) <= FIRST:
            images = rows[:, used] @ self.block(used, None)
        else:
            images = self.data.images(self._whole(rows))[:, self.features]
        return images.reshape(x.shape)

    def variances(self, x: np.ndarray) -> np.ndarray:
        return np.einsum("ri,ri->r", x, self.apply(x))

    def variance_on(self, support: np.ndarray, x: np.ndarray) -> float:
        if len(support) == 1:
            return float(x[0] * x[0] * self.data.diagonal[self.features[support[0]]])
        return float(x @ self.block(support, support) @ x)

    def block(self, rows: np.ndarray, columns: np.ndarray | None) -> np.ndarray:
        if columns is None:
            whole = self.data.rows(self.features[rows])
            return whole if len(self.features) == self.data.n else whole[:, self.features]
        missing = self.data.lacks(self.features[rows])
        if missing and max(missing, len(columns)) > min(FIRST, self.data.room):
            both, places = np.unique(np.concatenate([rows, columns]), return_inverse=True)
            if missing > FIRST or len(both) <= FORMED:
                A = self.data.among(self.features[both])
                return A[np.ix_(places[: len(rows)], places[len(rows) :])]
        return self.data.rows(self.features[rows])[:, self.features[columns]]

    def restrict(self, features: np.ndarray) -> HeldMatrix | HeldRows:
        """Return the form of some features only: as a matrix where they are few."""
        if len(features) > FORMED:
            return self.select(features)
        return HeldMatrix(self.data.among(self.features[features]))

    def select(self, features: np.ndarray) -> HeldRows:
        return HeldRows(self.data, self.features[features], self.terms)

    def smaller_side(self) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """Return A, if it fits into memory, and what makes of its eigenvectors those of A: nothing."""
        return self.data.among(self.features), lambda v: v

    def leading(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Return d eigenpairs, largest first, from rounds of block Krylov steps, one pass each."""
        n = len(self.features)
        V = np.random.default_rng(0).standard_normal((n, min(d + BESIDE, n)))
        values = np.zeros(d)
        for _ in range(ROUNDS):
            basis = image = np.zeros((n, 0))
            for _ in range(min(STEPS, n // V.shape[1])):
                for _ in range(2):
                    V = V - basis @ (basis.T @ V)
                    V = np.linalg.qr(V)[0]
                last = self.apply(np.ascontiguousarray(V.T)).T
                basis, image, V = np.hstack([basis, V]), np.hstack([image, last]), last
            small = basis.T @ image
            values, turn = np.linalg.eigh((small + small.T) / 2)
            values, turn = values[::-1], turn[:, ::-1]
            V = basis @ turn[:, : d + BESIDE]
            left = image @ turn[:, :d] - V[:, :d] * values[:d]
            if np.linalg.norm(left, axis=0).max() <= CONVERGED * values[0]:
                break
        return np.maximum(values[:d], 0.0), V[:, :d]

    def arrays(self) -> list[np.ndarray]:
        """Return what is held of the data: the means."""
        return [self.data.offset]


Form = HeldMatrix | HeldFactor | HeldRows
