"""The rank-d optimum by branch and bound on the sphere: a best point and a converging proven upper bound.

The problem is ``max ‖V'x‖²`` over unit x with at most k nonzeros, nonnegative or not, with V of shape (n, d), d small:
the largest h(c)² over unit c (Asteris et al. 2014, eq. 13; without sign, Asteris et al. 2011, eq. 16). Relative
accuracy ε takes ε^{-(d-1)/2} cells at worst, in practice about d for each halving of the gap.
docs/mathematics/spannogram.md proves the bounds.

The tree of splits is stored as one bit per node in preorder. Splitting the same roots along it covers the whole sphere,
for any splitting rule, so each leaf can be checked alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from nnspca.spannogram.search import Round, Search


@dataclass(frozen=True, eq=False)
class SphereOptimum:
    """The best point of a rank-d problem, and its upper bound."""

    loadings: np.ndarray
    value: float  # ‖V'x‖² of the loadings
    upper: float  # no feasible ‖V'x‖² exceeds it, rounding included
    tree: np.ndarray  # preorder of the splits, True for a split, all roots one after another
    evaluations: int  # of h
    cells: int  # leaves of the tree
    stopped: bool  # whether the search ended before the tolerance was met


def maximise(
    V: np.ndarray,
    k: int,
    *,
    nonnegative: bool = True,
    tol: float = 1e-9,
    max_cells: int = 1_000_000,
    should_stop: Callable[[], bool] | None = None,
    on_round: Callable[[float, float], None] | None = None,
    on_found: Callable[[np.ndarray], None] | None = None,
) -> SphereOptimum:
    """Maximise ``‖V'x‖²`` over the feasible set, V of shape (n, d), with a proven upper bound.

    The search ends when ``upper <= value * (1 + tol)``, or with ``max_cells`` cells. ``should_stop``
    is polled, and ``on_round`` called with (value, upper), after each batch; ``on_found`` is called
    with the loadings of the first point, and of each better one.

    >>> V = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, -3.0]])
    >>> best = maximise(V, k=2)
    >>> round(best.value, 6), bool(best.upper >= best.value)
    (9.0, True)
    """
    search = Search(V, k, nonnegative)
    stopped, reported = False, -np.inf
    while True:
        if on_found is not None and search.value > reported:
            reported = search.value
            on_found(search.loadings)
        if search.closed(tol):
            break
        if len(search.cells) >= max_cells or (should_stop is not None and should_stop()):
            stopped = True
            break
        if not search.split():
            break
        if on_round is not None:
            on_round(search.value, search.upper())
    return SphereOptimum(
        search.loadings,
        search.value,
        search.upper(),
        search.tree(),
        search.evaluations,
        int((search.children == 0).sum()),
        stopped or not search.closed(tol),
    )


def trace(
    V: np.ndarray, k: int, *, nonnegative: bool = True, tol: float = 1e-9, max_rounds: int = 200
) -> Iterator[Round]:
    """Yield the cells of :func:`maximise` at the start and after each batch of splits.

    Cells within ``tol`` count as closed.

    >>> rounds = list(trace(np.array([[2.0, 0.0], [0.0, 1.0], [0.0, -3.0]]), k=2))
    >>> rounds[0].corners.shape, bool(rounds[-1].open.any()), round(rounds[-1].value, 6)
    ((4, 2, 2), False, 9.0)
    """
    search = Search(V, k, nonnegative)
    yield search.snapshot(tol)
    for _ in range(max_rounds):
        if search.closed(tol) or not search.split():
            return
        yield search.snapshot(tol)
