"""NSPCA's coordinate ascent: each entry of U >= 0 in turn is set to its best value with all others fixed."""

from __future__ import annotations

import math

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance

ENTRIES_BETWEEN_POLLS = 200  # of the stop switch


class Ascent:
    """Coordinate ascent on ``½ tr(U'AU) − (α/4) ‖I − U'U‖² − β 1'U1`` over U >= 0 (Zass & Shashua 2006, eq. 5).

    A is scaled to a largest eigenvalue of 1, so α and β are relative to λ₁. Along one entry
    u = U_sr the objective is ``−(α/4)u⁴ + (c₂/2)u² + c₁u`` and a constant, with

        c₂ = a_ss + α − α Σ_{i≠s} U_ir² − α Σ_{q≠r} U_sq²
        c₁ = Σ_{i≠s} a_si U_ir − α Σ_{q≠r} U_sq Σ_{j≠s} U_jr U_jq − β.

    U'U is kept up to date, and AU is read row by row from A or from the data: no n×n array where
    there is none.
    """

    def __init__(self, cov: Covariance, alpha: float, beta: float, U: np.ndarray) -> None:
        self.scale = float(cov.eigenpairs(1)[0][0])
        self.alpha, self.beta = alpha, beta
        self.U = np.asfortranarray(U)
        self.own = cov.diagonal / self.scale
        if (factor := cov.factor) is None:
            self.rows = np.ascontiguousarray(cov.entries / self.scale)
            self.images: np.ndarray | None = None  # a row of A meets the column of U itself
        else:
            Y = factor.columns(np.arange(cov.n_features)) / np.sqrt(self.scale)
            self.rows = np.ascontiguousarray(Y.T)
            self.images = np.asfortranarray(Y @ self.U)
        self.G = self.U.T @ self.U

    def objective(self) -> float:
        """Value of the objective, in units of λ₁."""
        if self.images is None:
            explained = float(np.sum(self.U * (self.rows @ self.U)))
        else:
            explained = float(np.sum(self.images**2))
        apart = np.eye(len(self.G)) - self.U.T @ self.U
        return explained / 2 - self.alpha / 4 * float(np.sum(apart**2)) - self.beta * float(self.U.sum())

    def sweep(self, monitor: Monitor) -> bool:
        """Set every entry once; False when stopped on the way."""
        n, r = self.U.shape
        for c in range(r):
            column = self.U[:, c]
            image = column if self.images is None else self.images[:, c]
            for s in range(n):
                if s % ENTRIES_BETWEEN_POLLS == 0 and monitor.stop():
                    return False
                self._set(s, c, column, image)
        self.G = self.U.T @ self.U  # rounding does not pile up
        return True

    def _set(self, s: int, c: int, column: np.ndarray, image: np.ndarray) -> None:
        """Set one entry to its best value."""
        alpha, G = self.alpha, self.G
        old = float(column[s])
        row = self.rows[s]
        c1 = float(row @ image) - self.own[s] * old - self.beta
        others = float(G[c, c]) - old * old
        if len(G) > 1:
            shared = self.U[s]
            squares = float(shared @ shared) - old * old
            across = float(shared @ G[c]) - old * float(G[c, c]) - old * squares
            c1 -= alpha * across
            others += squares
        c2 = self.own[s] + alpha * (1 - others)
        if old == 0.0 and c1 <= 0.0 and c2 <= 0.0:
            return
        new = best_entry(c2 / alpha, c1 / alpha)
        if new == old:
            return
        change = new - old
        if len(G) > 1:
            shared = self.U[s].copy()
            shared[c] = 0.0
            G[c] += change * shared
            G[:, c] += change * shared
        G[c, c] += new * new - old * old
        column[s] = new
        if self.images is not None:
            image += change * row


def coordinate_ascent(
    cov: Covariance, U: np.ndarray, alpha: float, beta: float, *, max_iter: int, tol: float, monitor: Monitor
) -> tuple[np.ndarray, list[float]]:
    """Sweep until the relative gain is less than ``tol``; return U and the objective after each sweep."""
    ascent = Ascent(cov, alpha, beta, U.copy())
    history = [ascent.objective()]
    for _ in range(max_iter):
        if not ascent.sweep(monitor):
            break
        history.append(ascent.objective())
        if history[-1] - history[-2] <= tol * max(abs(history[-1]), 1e-3):
            break
    return np.ascontiguousarray(ascent.U), history


def best_entry(p: float, q: float) -> float:
    """Return u >= 0 that maximises ``−u⁴/4 + p u²/2 + q u``.

    The slope ``−u³ + pu + q`` has roots that add up to zero, so at most one local maximum lies
    above 0: the largest root. It is found by the trigonometric or hyperbolic form, whichever has no
    cancellation, and polished by one step of Newton's; 0 wins where the quartic is not positive
    there.

    Examples
    --------
    >>> best_entry(1.0, 0.0), best_entry(0.0, 8.0), best_entry(-1.0, -1.0)
    (1.0, 2.0, 0.0)
    """
    u = largest_root(p, q)
    if not u > 0:
        return 0.0
    return u if q + u * (p / 2 - u * u / 4) > 0 else 0.0


def largest_root(p: float, q: float) -> float:
    """Return the largest real root of ``u³ − pu − q``.

    Examples
    --------
    >>> round(largest_root(7.0, -6.0), 12), round(largest_root(-3.0, 14.0), 12)
    (2.0, 2.0)
    """
    size = max(math.sqrt(abs(p)), abs(q) ** (1 / 3))
    if size == 0:
        return 0.0
    p, q = p / size / size, q / size / size / size  # now the larger of them is about 1
    reach = math.sqrt(abs(p) / 3)
    cube = reach * reach * reach
    if cube < 1e-9 * abs(q):
        u = math.copysign(abs(q) ** (1 / 3), q)
    elif p < 0:
        u = 2 * reach * math.sinh(math.asinh(q / 2 / cube) / 3)
    elif abs(q) <= 2 * cube:
        u = 2 * reach * math.cos(math.acos(q / 2 / cube) / 3)
    elif q > 0:
        u = 2 * reach * math.cosh(math.acosh(q / 2 / cube) / 3)
    else:
        u = -2 * reach * math.cosh(math.acosh(-q / 2 / cube) / 3)
    slope = 3 * u * u - p
    if slope > 1e-6:
        u -= (u * (u * u - p) - q) / slope
    return u * size
