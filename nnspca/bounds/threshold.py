"""Bounds that cut A at a level ρ: entries below the cut cost ρk at most, those above form a small sparse matrix.

For x >= 0 with at most k nonzeros, ``(1'x)² <= k``. With ``L = min(A, ρ)`` entrywise,
``x'Lx <= ρ(1'x)² <= ρk``, and ``A − L = max(A − ρ, 0)``; without the sign constraint L is A clipped
to ±ρ and ``‖x‖₁² <= k`` does the same. So ``OPT <= ρk + OPT(A − L)`` for every ρ >= 0, and what is
left may be bounded

* by its largest eigenvalue (``threshold``), or
* by the shifted rank-d bound (``cut-rank``): with λ_i, u_i the eigenpairs of A − L,
  ``x'(A − L)x <= λ_{d+1} + Σ_{i<=d} (λ_i − λ_{d+1})(u_i'x)²``, the sum closed by the search on the
  sphere.

The cut takes the bulk of the small co-variances away from the spectrum, so λ_{d+1} falls faster
than ρk rises; the best level is found by a search over ρ = t·(variance found)/k.

**Many features.** ``|A_ij| <= s_i s_j``, so features with ``s_i max_j s_j <= ρ`` vanish from A − L:
on raw gene data a few hundred of 12582 are left, and only their block is ever formed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse.linalg

from nnspca.bounds import eigenvalues
from nnspca.bounds.plan import BoundContext, Plan
from nnspca.calls.progress import Monitor
from nnspca.certificates.proofs import RankProof
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import rounding
from nnspca.result import Bound
from nnspca.spannogram import sphere

LEVELS = (0.0, 0.03, 0.08, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85)  # as shares of (variance found) / k
DENSE_EIGEN = 250  # above, leading eigenpairs come from Lanczos iterations


def cut_at_levels(
    problem: Problem, lower: float, *, ranks: tuple[int, ...], cells: int, features: int, monitor: Monitor
) -> list[Bound]:
    """Both bounds at their best levels; fewer if no level leaves a small enough block.

    Parameters
    ----------
    problem : Problem
    lower : float
        A feasible variance: the levels are laid out from it.
    ranks : tuple of int
        d of the final search.
    cells : int
        Limit of each search on the sphere.
    features : int
        Most features that may reach above a level; a level with more is passed over.
    """
    k, nonnegative = problem.k, problem.nonnegative
    cuts: list[_Cut] = []
    for level in LEVELS:
        if monitor.stop():
            break
        cut = _cut(problem, level * lower / k, features)
        if cut is not None:
            cuts.append(cut)
    if not cuts:
        return []
    bounds = [_proven(problem, min(cuts, key=lambda c: c.plain), 0, cells, monitor)]
    coarse = {id(c): c.shifted(2, k, nonnegative, 1e-3, 2000, monitor) for c in cuts}
    cuts.sort(key=lambda c: coarse[id(c)])
    refined = [
        (cut.shifted(d, k, nonnegative, 1e-3, cells, monitor), d, cut)
        for cut in cuts[:3]
        for d in ranks
        if d <= len(cut.values) and not monitor.stop()
    ]
    if refined:
        _, d, cut = min(refined, key=lambda r: r[0])
        bounds.append(_proven(problem, cut, d, cells, monitor))
    return bounds


def by_plan(problem: Problem, plan: Plan, context: BoundContext) -> Iterator[Bound]:
    """Both bounds, at levels derived from the best variance known."""
    yield from cut_at_levels(
        problem,
        context.lower,
        ranks=plan.cut_ranks,
        cells=plan.cells,
        features=plan.cut_features,
        monitor=context.monitor,
    )


@dataclass(frozen=True, eq=False)
class _Cut:
    """A − L at one level: its features, its block and its leading eigenpairs."""

    rho: float
    price: float  # ρk
    features: np.ndarray  # ascending
    block: np.ndarray
    values: np.ndarray
    vectors: np.ndarray

    @property
    def plain(self) -> float:
        """About what the largest eigenvalue gives."""
        return self.price + float(self.values[0])

    def surplus(self, d: int) -> tuple[np.ndarray, float]:
        """V of the d leading directions beyond the next eigenvalue, and that eigenvalue."""
        following = max(float(self.values[d]), 0.0) if d < len(self.values) else 0.0
        return self.vectors[:, :d] * np.sqrt(np.maximum(self.values[:d] - following, 0.0)), following

    def shifted(self, d: int, k: int, nonnegative: bool, tol: float, cells: int, monitor: Monitor) -> float:
        """About what the shifted rank-d bound gives."""
        d = min(d, len(self.values))
        V, following = self.surplus(d)
        optimum = sphere.maximise(
            V, min(k, len(V)), nonnegative=nonnegative, tol=tol, max_cells=cells, should_stop=monitor.stop
        )
        return self.price + following + optimum.upper


def _cut(problem: Problem, rho: float, features: int) -> _Cut | None:
    """Form the nonzero block of A − L; None if it is empty or too large."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    remaining = np.arange(cov.n_features)
    if cov.n_features > upper_bound_features(cov):
        deviations = np.sqrt(np.maximum(cov.diagonal, 0.0) + cov._room())
        remaining = np.flatnonzero(deviations * deviations.max() * (1 + 1e-9) > rho)
    if not 1 <= len(remaining) <= features:
        return None
    block = cut(cov.block(remaining, remaining), rho, nonnegative)
    count = min(8, len(remaining))
    if len(remaining) <= DENSE_EIGEN:
        values, vectors = np.linalg.eigh(block)
        values, vectors = values[-count:], vectors[:, -count:]
    else:
        start = np.random.default_rng(0).random(len(remaining))
        values, vectors = scipy.sparse.linalg.eigsh(block, k=count, which="LA", v0=start, tol=1e-6)
    return _Cut(rho, rho * k, remaining, block, values[::-1], vectors[:, ::-1])


def upper_bound_features(cov: Covariance) -> int:
    """How many features may all be kept without a look at their variances."""
    return 1000 if cov.holds_entries else 0


def cut(A: np.ndarray, rho: float, nonnegative: bool) -> np.ndarray:
    """Return A − L: what lies above the level."""
    if nonnegative:
        return np.maximum(A - rho, 0.0)
    return A - np.clip(A, -rho, rho)


def _proven(problem: Problem, c: _Cut, d: int, cells: int, monitor: Monitor) -> Bound:
    """The bound of one cut and rank, with every step proven."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    V, _ = c.surplus(d)
    products = rounding.low_rank(float(np.linalg.norm(c.block)), V)
    reading = rounding.inner_products(2 * (cov._form.terms + 4)) * cov._form.rounding_scale
    tail = eigenvalues.of_matrix(c.block - V @ V.T, products + reading + cov._room())
    if len(c.features) < cov.n_features:
        tail = max(tail, reading + cov._room())  # the rest of A − L is zero up to rounding
    whole = np.zeros((cov.n_features, d))
    whole[c.features] = V
    inner = sphere.maximise(
        V, min(k, len(V)), nonnegative=nonnegative, tol=1e-6, max_cells=cells, should_stop=monitor.stop
    )
    top, price = rounding.covered(inner.upper), rounding.raised(c.price, 4)
    level = f"Co-variances are cut at {c.rho:.3g}: what lies below adds at most {c.price:.3g} to any k features"
    rest = (
        f"; above, {len(c.features):,} feature(s) remain, with the {d} strongest direction(s) searched exactly."
        if d
        else f"; above, {len(c.features):,} feature(s) remain, whose largest eigenvalue is proven."
    )
    return Bound(
        "cut-rank" if d else "threshold",
        rounding.added(price, tail, top),
        detail=level + rest,
        ingredients=RankProof(c.rho, whole, tail, top, inner.tree),
    )
