"""NSPCA (Zass & Shashua 2006): nonnegative components by coordinate steps, orthogonality and sparsity as penalties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.covariance.span import cumulative_variance
from nnspca.numerics import feasible
from nnspca.result import Component, Components
from nnspca.solvers.ascent import coordinate_ascent
from nnspca.solvers.climb import Best, optimise_on_support

SPARSEST = 4.0  # largest β tried, as λ₁ = 1: half or twice of it loses 7 % of the variance on digits
DENSEST = 1e-5  # least β tried above 0: half or twice of it loses as much

Run = tuple[np.ndarray, float, list[float]]  # U, its β, and the objective after each sweep


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

    α and β are relative to the largest eigenvalue λ₁ of A = X'X/m; the paper's are for its own
    scale of A. With ``match_k`` β is found by bisection so that at most k loadings are nonzero
    (Asteris et al. 2014, Sec. 7); without it β is taken as given, and then the k largest loadings
    are kept.
    """
    descent, best = _Descent(problem, monitor, **penalties), Best(problem, monitor)
    price = descent.beta
    for U, used, _ in descent.from_starts(rng, 1, restarts, best):
        x = feasible.unit(feasible.keep_top(U[:, 0], problem.k, True))
        if not x.any():
            continue
        if renormalise:
            x = optimise_on_support(problem.cov, x, nonnegative=True, monitor=monitor)
        if best.offer(x):
            price = used
    # where the price was too high for any feature, the single best one is what is left
    x = best.loadings if best.history else problem.widest()
    return problem.component(x, "coordinate-descent", best.history, stopped=monitor.stop(), note=descent.note(price))


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

    With ``match_k`` β is bisected until no column has more than k nonzeros; without it the columns
    are as α and β leave them. Columns are scaled to unit norm; one that ended at zero is left out,
    with a note.
    """
    cov, descent = problem.cov, _Descent(problem, monitor, **penalties)
    loadings, history, price, explained = problem.widest()[:, None], [], descent.beta, -np.inf
    for U, used, values in descent.from_starts(rng, n_components, restarts):
        columns = [feasible.keep_top(u, problem.k, True) if descent.match_k else u for u in U.T]
        if not (live := [feasible.unit(u) for u in columns if u.any()]):
            continue
        value = float(cumulative_variance(cov, np.column_stack(live))[-1])
        if value > explained:
            loadings, history, price, explained = np.column_stack(live), values, used, value
    order = np.argsort([-cov.variance(x) for x in loadings.T], kind="stable")
    note, dead = descent.note(price), n_components - loadings.shape[1]
    if dead:
        note += f"; {dead} of {n_components} components ended at zero: a lower β keeps them"
    parts = tuple(problem.component(x, "coordinate-descent") for x in np.ascontiguousarray(loadings[:, order].T))
    if not descent.match_k:
        parts = tuple(replace(part, k=part.cardinality) for part in parts)
    return Components(
        parts,
        cumulative_variance(cov, loadings[:, order]),
        cov.trace,
        "coordinate-descent",
        "joint",
        True,
        history=tuple(history),
        stopped=monitor.stop(),
        note=note,
    )


@dataclass(frozen=True, eq=False)
class _Descent:
    """Coordinate ascent at given penalties, or at those found for k nonzeros; the fields are the method's options."""

    problem: Problem
    monitor: Monitor
    alpha: float
    beta: float
    match_k: bool
    max_iter: int
    tol: float

    def note(self, price: float) -> str:
        """The α and β of a run, in the units of the variance."""
        leading = float(self.problem.cov.eigenpairs(1)[0][0])
        return f"α = {self.alpha * leading:.4g}, β = {price * leading:.4g} in the units of the variance"

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

        That is one at the β given, or those that a bisection to at most k nonzeros meets last.
        """
        k = self.problem.k
        first = self._run(start, 0.0 if self.match_k else self.beta)
        if not self.match_k or _most(first[0]) <= k:
            yield first
            return
        dense, sparse = first, None
        low, high = DENSEST, SPARSEST
        while high > low * 1.001 and not self.monitor.stop():
            middle = float(np.sqrt(low * high))
            run = self._run(start, middle)
            U = run[0]
            if _most(U) > k:
                low, dense = middle, run
            else:
                high = middle
                if U.any():
                    sparse = run
            if _most(U) == k:
                break
        if sparse is not None:
            yield sparse
        yield dense  # its columns are cut

    def _run(self, start: np.ndarray, price: float) -> Run:
        U, history = coordinate_ascent(
            self.problem.cov, start, self.alpha, price, max_iter=self.max_iter, tol=self.tol, monitor=self.monitor
        )
        return U, price, history


def _most(U: np.ndarray) -> int:
    """Largest number of nonzeros in a column."""
    return int(np.count_nonzero(U, axis=0).max())
