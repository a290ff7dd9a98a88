"""NSPCA (Zass & Shashua 2006): nonnegative components by coordinate steps, orthogonality and sparsity as penalties."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, cumulative_variance, with_joint_variance
from nnspca.numerics import feasible
from nnspca.result import Component, Components
from nnspca.solvers.climb import Best, optimise_on_support

SPARSEST = 4.0  # largest β tried, as λ₁ = 1: half or twice of it loses 7 % of the variance on digits
DENSEST = 1e-5  # least β tried above 0: half or twice of it loses as much
NARROW = 1e-5  # relative length of the interval of β at which the bisection ends (Sigg & Buhmann 2008, section 5.2)
ENTRIES_BETWEEN_POLLS = 200  # of the stop switch


@dataclass(frozen=True, eq=False)
class Run:
    """The end of one ascent."""

    U: np.ndarray
    price: float  # its β
    history: list[float]  # the objective after each sweep

    @property
    def most(self) -> int:
        """Largest number of nonzeros in a column."""
        return int(np.count_nonzero(self.U, axis=0).max())


def coordinate_descent(
    problem: Problem,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    restarts: int,
    renormalise: bool,
    **penalties: Any,
) -> Component:
    """One component: the best of some starts; ``penalties`` are the other fields of the descent.

    α and β are relative to the largest eigenvalue λ₁ of A = X'X/m; the paper's are for its own scale of A. With
    ``match_k`` β is found by bisection so that k loadings are nonzero (Asteris et al. 2014, Sec. 7; Sigg & Buhmann
    2008, section 5.2), without it β is taken as given. Often no β leaves exactly k: cardinality jumps. With ``cut`` a
    run of more loadings is cut to its k largest, and one of fewer is taken as it is; the note says of how many the best
    was cut. Without it only runs of exactly k count, or of fewer at no price at all; where there is none the history
    is empty and the component is one feature. ``renormalise`` makes the loadings optimal for the features, a step that
    the papers' NSPCA does not have.
    """
    descent, best = _Descent(problem, monitor, **penalties), Best(problem, monitor)
    kept: Run | None = None
    for run in descent.from_starts(rng, 1, restarts, best):
        x = feasible.unit(feasible.keep_top(run.U[:, 0], problem.k, True))
        if not x.any():
            continue
        if renormalise:
            x = optimise_on_support(problem.cov, x, nonnegative=True, monitor=monitor)
        if best.offer(x):
            kept = run
    # where the price was too high for any feature, the single best one is what is left
    x = problem.widest() if kept is None else best.loadings
    return problem.component(x, "coordinate-descent", best.history, stopped=monitor.stop(), note=descent.note(kept))


def joint(
    problem: Problem,
    n_components: int,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    restarts: int,
    **penalties: Any,
) -> Components:
    """All components at once: U >= 0 of shape (n, r), its columns kept apart by α and sparse by β.

    With ``match_k`` β is bisected until no column has more than k nonzeros; without it the columns are as α and β leave
    them. Columns are scaled to unit norm; one that ended at zero is left out, with a note.
    """
    cov, descent = problem.cov, _Descent(problem, monitor, **penalties)
    loadings, kept, explained = problem.widest()[:, None], None, -np.inf
    for run in descent.from_starts(rng, n_components, restarts):
        columns = [feasible.keep_top(u, problem.k, True) if descent.match_k else u for u in run.U.T]
        if not (live := [feasible.unit(u) for u in columns if u.any()]):
            continue
        value = float(cumulative_variance(cov, np.column_stack(live))[-1])
        if value > explained:
            loadings, kept, explained = np.column_stack(live), run, value
    order = np.argsort([-cov.variance(x) for x in loadings.T], kind="stable")
    note, dead = descent.note(kept, whole=not descent.match_k), n_components - loadings.shape[1]
    if dead:
        note += f"; {dead} of {n_components} components ended at zero: a lower β keeps them"
    parts = tuple(problem.component(x, "coordinate-descent") for x in np.ascontiguousarray(loadings[:, order].T))
    if not descent.match_k:
        parts = tuple(replace(part, k=part.cardinality) for part in parts)
    more: dict[str, Any] = {"history": tuple(kept.history if kept else ()), "stopped": monitor.stop(), "note": note}
    return with_joint_variance(cov, parts, "coordinate-descent", "joint", True, **more)


@dataclass(frozen=True, eq=False)
class _Descent:
    """Coordinate ascent at given penalties, or at those found for k nonzeros; the fields are the method's options."""

    problem: Problem
    monitor: Monitor
    alpha: float
    beta: float
    match_k: bool
    cut: bool
    max_iter: int
    tol: float

    def note(self, kept: Run | None, *, whole: bool = False) -> str:
        """The α and β of the best run, in the units of the variance, and whether it was cut, if not taken ``whole``."""
        leading, k = float(self.problem.cov.eigenpairs(1)[0][0]), self.problem.k
        if kept is None:
            return f"no run with α = {self.alpha * leading:.4g} counts: the feature of largest variance is shown"
        cut = f"; cut to {k} loadings from {kept.most}" if kept.most > k and not whole else ""
        return f"α = {self.alpha * leading:.4g}, β = {kept.price * leading:.4g} in the units of the variance{cut}"

    def from_starts(
        self, rng: np.random.Generator, count: int, restarts: int, best: Best | None = None
    ) -> Iterator[Run]:
        """Yield the runs from some random starts of so many columns; progress shows the variance of ``best``."""
        for number in range(restarts):
            yield from self.runs(feasible.unit(np.abs(rng.standard_normal((count, self.problem.n)))).T)
            known = best.variance if best is not None and best.history else None
            self.monitor.tell((number + 1) / restarts, f"start {number + 1}", known)
            if self.monitor.stop():
                break

    def runs(self, start: np.ndarray) -> Iterator[Run]:
        """Yield the runs from a start (n, r) that are worth looking at.

        That is one at the β given, or the two that a bisection to k nonzeros in some column, and no more in any, ends
        between: the sparser one, which has k if any price leaves k, and the denser one, whose columns are to be cut.
        """
        k = self.problem.k
        dense = self._run(start, 0.0 if self.match_k else self.beta)
        if not self.match_k or dense.most <= k:
            yield dense
            return
        sparse: Run | None = None
        low, high = DENSEST, SPARSEST
        while (sparse is None or sparse.most < k) and high > low * (1 + NARROW) and not self.monitor.stop():
            run = self._run(start, float(np.sqrt(low * high)))
            if run.most > k:
                low, dense = run.price, run
            else:
                high = run.price
                sparse = run if run.U.any() else sparse
        if sparse is not None and (self.cut or sparse.most == k):
            yield sparse
        if self.cut:
            yield dense

    def _run(self, start: np.ndarray, price: float) -> Run:
        U, history = coordinate_ascent(
            self.problem.cov, start, self.alpha, price, max_iter=self.max_iter, tol=self.tol, monitor=self.monitor
        )
        return Run(U, price, history)


class Ascent:
    """Coordinate ascent on ``½ tr(U'AU) − (α/4) ‖I − U'U‖² − β 1'U1`` over U >= 0 (Zass & Shashua 2006, eq. 3).

    A is scaled to a largest eigenvalue of 1, so α and β are relative to λ₁. Along one entry
    u = U_sr the objective is ``−(α/4)u⁴ + (c₂/2)u² + c₁u`` and a constant, with

        c₂ = a_ss + α − α Σ_{i≠s} U_ir² − α Σ_{q≠r} U_sq²
        c₁ = Σ_{i≠s} a_si U_ir − α Σ_{q≠r} U_sq Σ_{j≠s} U_jr U_jq − β.

    U'U is kept up to date, and AU is read row by row from A or from the data: no n×n array where there is none.
    """

    def __init__(self, cov: Covariance, alpha: float, beta: float, U: np.ndarray) -> None:
        self.scale = float(cov.eigenpairs(1)[0][0])
        self.alpha, self.beta = alpha, beta
        self.U = np.asfortranarray(U)
        self.own = (cov.diagonal / self.scale).tolist()  # of Python: arithmetic of single entries is twice as fast
        if (factor := cov.held.factor) is None:
            self.rows = np.ascontiguousarray(cov.held.entries / self.scale)
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
    there. It is u (q + pu/2 − u³/4), nowhere positive if q ≤ −(p/3) √(2p/3): then no root is needed.

    >>> best_entry(1.0, 0.0), best_entry(0.0, 8.0), best_entry(-1.0, -1.0)
    (1.0, 2.0, 0.0)
    """
    if q <= 0 and (p <= 0 or q <= -p / 3 * math.sqrt(2 * p / 3)):
        return 0.0
    u = largest_root(p, q)
    if not u > 0:
        return 0.0
    return u if q + u * (p / 2 - u * u / 4) > 0 else 0.0


def largest_root(p: float, q: float) -> float:
    """Return the largest real root of ``u³ − pu − q``.

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
