"""NSPCA (Zass & Shashua 2006): nonnegative components by coordinate steps, orthogonality and sparsity as penalties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.covariance.span import cumulative_variance
from nnspca.numerics import feasible
from nnspca.result import Component, Components
from nnspca.solvers.ascent import coordinate_ascent
from nnspca.solvers.climb import optimise_on_support

BISECTIONS = 18
SPARSEST = 4.0  # largest β tried: beyond it all loadings are zero, as λ₁ = 1
DENSEST = 1e-5  # least β tried above 0

Run = tuple[np.ndarray, float, list[float]]  # U, its β, and the objective after each sweep


def coordinate_descent(
    problem: Problem,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    alpha: float,
    beta: float,
    match_k: bool,
    restarts: int,
    renormalise: bool,
    max_iter: int,
    tol: float,
) -> Component:
    """One component: the best of some starts.

    α and β are relative to the largest eigenvalue λ₁ of A = X'X/m; the paper's are for its own
    scale of A. With ``match_k`` β is found by bisection so that at most k loadings are nonzero
    (Asteris et al. 2014, Sec. 7); without it β is taken as given, and then the k largest loadings
    are kept.
    """
    cov, k = problem.cov, problem.k
    descent = _Descent(problem, alpha, beta, match_k, max_iter, tol, monitor)
    best, value, history, price = None, -np.inf, [], beta
    for number in range(restarts):
        start = feasible.unit(np.abs(rng.standard_normal(cov.n_features)))[:, None]
        for U, used, _ in descent.runs(start):
            x = feasible.keep_top(U[:, 0], k, True)
            if not x.any():
                continue
            x = feasible.unit(x)
            if renormalise:
                x = optimise_on_support(cov, x, nonnegative=True, monitor=monitor)
            if cov.variance(x) > value:
                best, value, price = x, cov.variance(x), used
                monitor.report_point(best, value)
            history.append(value)
        monitor.tell((number + 1) / restarts, f"start {number + 1}", value if best is not None else None)
        if monitor.stop():
            break
    if best is None:  # the price was too high for any feature: the single best one is what is left
        best = np.zeros(cov.n_features)
        best[int(np.argmax(cov.diagonal))] = 1.0
        value = cov.variance(best)
    return Component(
        best,
        cov.variance(best),
        "coordinate-descent",
        k,
        True,
        history=tuple(history),
        stopped=monitor.stop(),
        note=descent.note(price),
    )


def joint(
    problem: Problem,
    n_components: int,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    alpha: float,
    beta: float,
    match_k: bool,
    restarts: int,
    max_iter: int,
    tol: float,
) -> Components:
    """All components at once: U >= 0 of shape (n, r), its columns kept apart by α and sparse by β.

    With ``match_k`` β is bisected until no column has more than k nonzeros; without it the columns
    are as α and β leave them. Columns are scaled to unit norm; one that ended at zero is left out,
    with a note.
    """
    cov = problem.cov
    descent = _Descent(problem, alpha, beta, match_k, max_iter, tol, monitor)
    best: tuple[np.ndarray, list[float], float] | None = None
    explained = -np.inf
    for number in range(restarts):
        start = feasible.unit(np.abs(rng.standard_normal((n_components, cov.n_features)))).T
        for U, used, history in descent.runs(start):
            columns = [feasible.keep_top(u, problem.k, True) if match_k else u for u in U.T]
            live = [feasible.unit(u) for u in columns if u.any()]
            if not live:
                continue
            loadings = np.column_stack(live)
            value = float(cumulative_variance(cov, loadings)[-1])
            if value > explained:
                best, explained = (loadings, history, used), value
        monitor.tell((number + 1) / restarts, f"start {number + 1}", None)
        if monitor.stop():
            break
    if best is None:
        single = np.zeros((cov.n_features, 1))
        single[int(np.argmax(cov.diagonal))] = 1.0
        best = single, [], beta
    loadings, history, used = best
    order = np.argsort([-cov.variance(x) for x in loadings.T], kind="stable")
    return _as_components(loadings[:, order], n_components, history, used, descent)


def _as_components(
    loadings: np.ndarray, asked: int, history: list[float], price: float, descent: _Descent
) -> Components:
    """The columns of a joint run, with a note of how many of those asked for ended at zero."""
    cov, note = descent.problem.cov, descent.note(price)
    dead = asked - loadings.shape[1]
    if dead:
        note += f"; {dead} of {asked} components ended at zero: a lower β keeps them"
    parts = tuple(
        Component(
            x,
            cov.variance(x),
            "coordinate-descent",
            descent.problem.k if descent.match_k else int(np.count_nonzero(x)),
            True,
        )
        for x in np.ascontiguousarray(loadings.T)
    )
    return Components(
        parts,
        cumulative_variance(cov, loadings),
        cov.trace,
        "coordinate-descent",
        "joint",
        True,
        history=tuple(history),
        stopped=descent.monitor.stop(),
        note=note,
    )


@dataclass(frozen=True, eq=False)
class _Descent:
    """Coordinate ascent at given penalties, or at those found for k nonzeros; the fields are the method's options."""

    problem: Problem
    alpha: float
    beta: float
    match_k: bool
    max_iter: int
    tol: float
    monitor: Monitor

    def note(self, price: float) -> str:
        """The α and β of a run, in the units of the variance."""
        leading = float(self.problem.cov.eigenpairs(1)[0][0])
        return f"α = {self.alpha * leading:.4g}, β = {price * leading:.4g} in the units of the variance"

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
        for _ in range(BISECTIONS):
            if self.monitor.stop():
                break
            middle = float(np.sqrt(low * high))
            run = self._run(start, middle)
            U = run[0]
            if _most(U) > k:
                low, dense = middle, run
            else:
                high = middle
                if U.any():
                    sparse = run
            if _most(U) == k or high <= low * 1.001:
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
