"""The splitting method behind the joint dual: Fantope, rows, columns and pairs, coupled by multipliers.

It is that of :mod:`nnspca.bounds.splitting` with the Fantope for the spectraplex, and one more copy
of Y that has to meet the column sums: a feature serves one part. The copies (W, Y, z) of the pairs
answer to all of them:

    X ≈ W, diagonal z;        rows R ≈ Y, D ≈ z;        columns C ≈ Y, E ≈ z.

X counts twice, as Y has two copies and W one: then the pairs' step is a projection onto a circular
cone again.
"""

from __future__ import annotations

import numpy as np

from nnspca.bounds.parts.decided import Decided
from nnspca.bounds.splitting import onto_pairs, onto_rows
from nnspca.numerics.fantope import onto_fantope

RELAX = 1.8  # over-relaxation
START = 0.5  # first weight of the copies, in a scale whose largest eigenvalue is 1
ADAPTED = 400  # steps up to which the weight follows the residuals
MULTIPLIERS = ("UX", "UR", "UC", "UD", "UE", "prices")


class Splitting:
    """The alternating direction method on one covariance, scaled to a largest eigenvalue of 1.

    Parameters
    ----------
    A : ndarray, shape (n, n)
    k : int
    X : ndarray, shape (r, n)
        Parts to start from: unit rows of disjoint supports.
    nonnegative : bool
    decided : Decided, optional
        Pairs of features known to share a part, or not to.
    """

    def __init__(self, A: np.ndarray, k: int, X: np.ndarray, nonnegative: bool, decided: Decided | None = None) -> None:
        self.n, self.k, self.r, self.nonnegative = len(A), k, len(X), nonnegative
        self.decided = Decided.nothing(self.n) if decided is None else decided
        self.free = ~self.decided.apart  # pairs that may share
        self.scale = float(np.linalg.eigvalsh(A)[-1]) or 1.0  # of features that hold nothing any scale will do
        self.A = A / self.scale
        self.rho = START
        self.W = np.where(self.free, X.T @ X, 0.0)
        self.z = np.sum(X * X, axis=0)
        self.Y = np.where(self.free, (X * X).T @ (X != 0), 0.0)
        np.fill_diagonal(self.Y, 0.0)
        self.UX, self.UR, self.UC = (np.zeros_like(self.A) for _ in range(3))  # scaled multipliers
        self.UD, self.UE, self.prices = (np.zeros(self.n) for _ in range(3))
        self.rank: int | None = None
        self.steps = 0

    def multipliers(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """L, M and v in the units of A."""
        size = self.rho * self.scale
        return 2 * size * self.UX, np.maximum(-size * (self.UR + self.UC), 0.0), size * self.prices

    def begin_at(self, L: np.ndarray, M: np.ndarray, v: np.ndarray) -> None:
        """Start from the multipliers of a proof on the same features."""
        self.rho = 1.0
        self.UX = L / (2 * self.scale)
        self.UC = np.broadcast_to(-v / self.scale, M.shape).copy()
        np.fill_diagonal(self.UC, 0.0)
        self.UR = -M / self.scale - self.UC
        self.prices = v / self.scale

    def follow(self, other: Splitting) -> None:
        """Start from the state of another splitting on the same features; this one's decided pairs stay."""
        self.rho, self.rank = other.rho, other.rank
        for name in ("W", "Y", "z", *MULTIPLIERS):
            setattr(self, name, getattr(other, name).copy())

    def grow_from(self, smaller: Splitting, places: np.ndarray) -> None:
        """Start from the state of a splitting on some of the features, which are at ``places`` here."""
        block, factor = np.ix_(places, places), smaller.scale / self.scale
        self.rho, self.rank, self.steps = smaller.rho, smaller.rank, smaller.steps
        self.W[block], self.Y[block], self.z[places] = smaller.W, smaller.Y, smaller.z
        for name in MULTIPLIERS:
            values = getattr(smaller, name)
            getattr(self, name)[block if values.ndim == 2 else places] = values * factor

    def advance(self) -> None:
        """One step: Fantope, rows and columns, then the pairs, then the multipliers."""
        X, self.rank = onto_fantope(self.W - self.UX + self.A / (2 * self.rho), self.r, self.rank)
        R, D = onto_rows(self.Y - self.UR, self.z - self.UD, self.k, self.decided.same, self.decided.apart)
        C, E = self._onto_columns(self.Y - self.UC, self.z - self.UE)
        W, Y, z = self.W, self.Y, self.z
        mixed_X, mixed_R, mixed_C, mixed_D, mixed_E = (
            RELAX * fresh + (1 - RELAX) * old + multiplier
            for fresh, old, multiplier in (
                (X, W, self.UX),
                (R, Y, self.UR),
                (C, Y, self.UC),
                (D, z, self.UD),
                (E, z, self.UE),
            )
        )
        self.W, self.Y = onto_pairs(mixed_X, (mixed_R + mixed_C) / 2, self.nonnegative)
        self.W *= self.free
        self.Y *= self.free
        self.z = (2 * mixed_X.diagonal() + mixed_D + mixed_E) / 4
        np.fill_diagonal(self.W, self.z)
        np.fill_diagonal(self.Y, 0.0)
        self.UX, self.UR, self.UC = mixed_X - self.W, mixed_R - self.Y, mixed_C - self.Y
        self.UD, self.UE = mixed_D - self.z, mixed_E - self.z
        self.steps += 1
        if self.steps % 20 == 0 and self.steps <= ADAPTED:
            apart = _length(2 * (X - self.W), R - self.Y, C - self.Y)
            self._reweigh(apart, self.rho * _length(2 * (self.W - W), 2 * (self.Y - Y)))

    def _onto_columns(self, C: np.ndarray, E: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nearest (C, E) whose columns add up to at most 1, to 1 for features in use; the multipliers are kept."""
        np.fill_diagonal(C, 0.0)
        self.prices = (C.sum(axis=0) + E - 1.0) / self.n
        self.prices = np.where(self.decided.used, self.prices, np.maximum(self.prices, 0.0))
        C = C - self.prices
        np.fill_diagonal(C, 0.0)
        return C, E - self.prices

    def _reweigh(self, apart: float, moved: float) -> None:
        """Keep the copies' disagreement and their movement of a size."""
        factor = 2.0 if apart > 5 * moved else 0.5 if moved > 5 * apart else 1.0
        self.rho *= factor
        for name in MULTIPLIERS:
            setattr(self, name, getattr(self, name) / factor)


def _length(*arrays: np.ndarray) -> float:
    return float(np.sqrt(sum(np.vdot(a, a) for a in arrays)))
