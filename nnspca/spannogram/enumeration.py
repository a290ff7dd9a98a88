"""The spannogram by plain enumeration: every vertex and candidate support, for any rank, with or without signs.

docs/mathematics/spannogram.md says why the d-subsets of n + 1 rows (Asteris et al. 2014, Alg. 1 and 2), or of n rows
with signs (2011, eq. 22), give all candidates. Where the rows that agree are zero, every subset of them is one: the
printed Alg. 2 (lines 10–17) lists only those that fill all k places.

Both arguments need rows in general position. V is first reduced to full column rank. Then a fixed perturbation of
relative size 1e-10 separates equal rows, zero rows and ties while supports are collected; the problem of each support
is solved on the original rows. Since the optimum is continuous in V, the error is at most of that size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from itertools import combinations, islice, product

import numpy as np

from nnspca.numerics import rounding

MAX_VERTICES = 3_000_000  # most vertices; more are refused
BATCH = 2048  # most directions of one batch
BATCH_ENTRIES = 60_000  # most rows examined for one batch: the stop switch is polled between batches
SUPPORTS_BETWEEN_POLLS = 256  # of the stop switch
PERTURBATION = 1e-10  # relative size of the noise that separates equal rows; half and twice of it change nothing
TOL = 1e-11  # relative to the row's norm: values above −TOL count as nonnegative


@dataclass(frozen=True, eq=False)
class Enumeration:
    """The result of an enumeration: the best of all candidate supports, and their number."""

    value: float  # largest ‖V'x‖² over the feasible set
    loadings: np.ndarray
    candidates: int  # number of different supports found
    bound: int  # the paper's bound on it
    vertices: int  # directions visited
    stopped: bool


def vertices(n: int, d: int, nonnegative: bool = True) -> int:
    """Number of directions visited: ``2 C(n+1, d)``, or the sum over d, d−2, … of ``C(n, d) 2^{d−1}``.

    >>> vertices(4, 2), vertices(361, 3)
    (20, 15681840)
    """
    if nonnegative:
        return 2 * math.comb(n + 1, d)
    return sum(math.comb(n, e) * 2 ** (e - 1) for e in range(d, 0, -2))


def candidate_bound(n: int, d: int, nonnegative: bool = True) -> int:
    """The papers' bounds on the number of candidate supports.

    ``2^d C(n+1, d)`` with sign (Asteris et al. 2014, section 2), eq. (23) of Asteris et al. 2011 without.

    >>> candidate_bound(4, 2), candidate_bound(4, 2, nonnegative=False)
    (40, 24)
    """
    if nonnegative:
        return 2**d * math.comb(n + 1, d)
    return sum(
        math.comb(n, d - 2 * e) * math.comb(d - 2 * e, d // 2 - e) * 2 ** (d - 1 - 2 * e)
        for e in range((d - 1) // 2 + 1)
    )


def enumerate_supports(
    V: np.ndarray,
    k: int,
    *,
    nonnegative: bool = True,
    should_stop: Callable[[], bool] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> tuple[Set[tuple[int, ...]], int, bool]:
    """Collect the candidate supports: in the order found, with the directions visited and whether it was stopped.

    ``on_batch`` is called with (vertices visited, supports found). ValueError if more than 3,000,000
    directions would have to be visited.

    >>> supports, visited, _ = enumerate_supports(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]]), k=1)
    >>> sorted(supports), visited
    ([(0,), (1,), (2,)], 12)
    """
    V = generic(V)
    n, d = V.shape
    total = vertices(n, d, nonnegative)
    if total > MAX_VERTICES:
        raise ValueError(
            f"enumeration would visit {total:,} directions for n={n}, d={d}; at most {MAX_VERTICES:,} are allowed: "
            "use a smaller rank, fewer features, or the method 'spannogram', which is exact as well"
        )
    supports: dict[tuple[int, ...], None] = {}
    visited = 0
    for batch, directions in _vertices(V, k, nonnegative):
        supports.update(dict.fromkeys(batch))
        visited += directions
        if on_batch is not None:
            on_batch(visited, len(supports))
        if should_stop is not None and should_stop():
            return supports.keys(), visited, visited < total
    supports.pop((), None)
    return supports.keys(), visited, False


def maximise(
    V: np.ndarray,
    k: int,
    *,
    nonnegative: bool = True,
    should_stop: Callable[[], bool] | None = None,
    on_batch: Callable[[int, int], None] | None = None,
) -> Enumeration:
    """Solve the rank-d problem by enumeration: collect the supports, solve (P_d) on each, keep the best.

    A support whose largest eigenvalue is below the best value so far is skipped.
    """
    n = len(V)
    supports, visited, stopped = enumerate_supports(
        V, k, nonnegative=nonnegative, should_stop=should_stop, on_batch=on_batch
    )
    ordered = list(supports)
    products = np.einsum("ia,ib->iab", V, V)
    quadratics: list[np.ndarray] = []
    for place, top in enumerate(ordered):
        if place and place % SUPPORTS_BETWEEN_POLLS == 0 and should_stop is not None and should_stop():
            stopped = True
            break
        quadratics.append(products[list(top)].sum(axis=0))
    some = range(0, len(quadratics), 16 * SUPPORTS_BETWEEN_POLLS)  # a few thousand at a time
    stacks = (np.array(quadratics[start : start + some.step]) for start in some)
    upper_bounds = np.concatenate([np.linalg.eigvalsh(stack)[:, -1] for stack in stacks] or [np.zeros(0)])
    value, loadings = -1.0, np.zeros(n)
    for number, position in enumerate(np.argsort(-upper_bounds, kind="stable")):
        if upper_bounds[position] <= value:
            break
        if number and should_stop is not None and should_stop():
            stopped = True
            break
        support = list(ordered[position])
        optimum = (
            best_direction(quadratics[position], V[support])
            if nonnegative
            else (float(upper_bounds[position]), np.linalg.eigh(quadratics[position])[1][:, -1])
        )
        if optimum is not None and optimum[0] > value:
            w = V[support] @ optimum[1]
            x = np.zeros(n)
            x[support] = np.maximum(w, 0.0) if nonnegative else w
            if x.any():
                value, loadings = optimum[0], x / np.linalg.norm(x)
    if not loadings.any():  # every row is zero: any feasible point is optimal
        loadings[0], value = 1.0, 0.0
    value = float(((loadings @ V) ** 2).sum())
    rank = generic(V).shape[1]
    return Enumeration(value, loadings, len(supports), candidate_bound(n, rank, nonnegative), visited, stopped)


def generic(V: np.ndarray) -> np.ndarray:
    """Rows with the same Gram matrix, of full column rank and in general position up to rounding."""
    vectors, values, _ = np.linalg.svd(V, full_matrices=False)
    positive = values > rounding.eigenvalues(max(V.shape), values.max(initial=0.0))
    W = vectors[:, positive] * values[positive]
    if not W.shape[1]:
        W = np.zeros((len(V), 1))
    noise = np.random.default_rng(20140621).standard_normal(W.shape)
    return W + PERTURBATION * max(float(np.abs(W).max()), np.finfo(float).tiny) * noise


def _vertices(V: np.ndarray, k: int, nonnegative: bool) -> Iterator[tuple[list[tuple[int, ...]], int]]:
    """Visit all vertices, batch by batch: the supports found, and the number of directions."""
    n, d = V.shape
    batch_size = max(1, min(BATCH, BATCH_ENTRIES // (n + 1)))
    if nonnegative:
        extended = np.vstack([V, np.zeros(d)])
        for rows in _subsets(n + 1, d, batch_size):
            corners = extended[rows]
            w = _null(corners[:, :1] - corners[:, 1:], d) @ extended.T
            yield _supports(w.copy(), rows, n, k) + _supports(-w, rows, n, k), 2 * len(rows)
        return
    if k >= n:
        yield [tuple(range(n))], 1
        return
    for e in range(d, 0, -2):
        signs = np.array(list(product((1.0,), *[(1.0, -1.0)] * (e - 1))))
        for chunk in _subsets(n, e, max(1, batch_size // len(signs))):
            rows = np.repeat(chunk, len(signs), axis=0)
            corners = V[rows, :e] * np.tile(signs, (len(chunk), 1))[:, :, None]
            c = _null(corners[:, :1] - corners[:, 1:], e)
            yield _supports(np.abs(c @ V[:, :e].T), rows, n, k), len(rows)


def _subsets(n: int, d: int, batch: int) -> Iterator[np.ndarray]:
    """All d-subsets of range(n) in batches, each as an array of shape (r, d)."""
    every = combinations(range(n), d)
    while chunk := list(islice(every, batch)):
        yield np.array(chunk)


def _null(differences: np.ndarray, d: int) -> np.ndarray:
    """Unit vector orthogonal to d − 1 rows, for each system (r, d−1, d)."""
    if d == 1:
        return np.ones((len(differences), 1))
    return np.linalg.svd(differences)[2][:, -1]


def _supports(w: np.ndarray, rows: np.ndarray, n: int, k: int) -> list[tuple[int, ...]]:
    """Supports in the neighbourhood of each direction, where the values w of d rows agree.

    There are n values for each direction, or one more, of the zero row: then members have positive values.
    """
    found: list[tuple[int, ...]] = []
    index = np.arange(len(rows))
    least = -1.0 if w.shape[1] == n else 0.0
    has_zero = rows[:, -1] == n
    level = np.where(has_zero, 0.0, w[index, rows[:, 0]])
    w[index[:, None], rows] = -np.inf
    w[:, n:] = -np.inf
    counts = (w > level[:, None]).sum(axis=1)
    order = np.argsort(-w, axis=1, kind="stable")
    for r in np.flatnonzero(level >= 0):
        tied = rows[r][rows[r] < n].tolist()
        places = k - int(counts[r])
        certain = order[r, : min(k, int(counts[r]))].tolist()
        if places <= 0:
            found.append(tuple(sorted(certain)))
        elif has_zero[r]:
            for size in range(min(places, len(tied)) + 1):
                found += [tuple(sorted(certain + list(filling))) for filling in combinations(tied, size)]
        elif places <= len(tied):
            found += [tuple(sorted(certain + list(filling))) for filling in combinations(tied, places)]
        else:
            below = [int(i) for i in order[r, int(counts[r]) :] if w[r, i] > least][: places - len(tied)]
            found.append(tuple(sorted(certain + tied + below)))
    return found


def best_direction(Q: np.ndarray, R: np.ndarray) -> tuple[float, np.ndarray] | None:
    """Solve (P_d), max c'Qc over ‖c‖ = 1 with Rc >= 0, exactly (Asteris et al. 2014, section 5).

    If the leading eigenvector ±u₁ of Q satisfies all inequalities, it is the maximiser. If not, some
    inequality is active at a maximiser: along the great circle from an interior point to u₁ or −u₁ the
    value does not decrease, and the circle leaves the set through a boundary point that is as good or
    better. So each row r in turn is made active: c is restricted to the orthogonal complement of r, which
    gives the same problem with one dimension and one row less. O(k^d) in all; d is 2, 3 or 4.

    Q is symmetric (d, d), R of shape (k, d). Zero rows are no constraints; equal or parallel rows are
    used once. Returned are the value and c, or None if only c = 0 satisfies Rc >= 0.

    >>> value, c = best_direction(np.diag([4.0, 1.0]), np.array([[-1.0, 1.0], [1.0, 0.0]]))
    >>> round(value, 6), np.round(c, 6).tolist()
    (2.5, [0.707107, 0.707107])
    """
    norms = np.linalg.norm(R, axis=1)
    rows = R[norms > TOL * norms.max(initial=0.0)]
    rows = rows / np.linalg.norm(rows, axis=1)[:, None]
    return _solve(Q, _distinct(rows), rows)


def _solve(Q: np.ndarray, rows: np.ndarray, constraints: np.ndarray) -> tuple[float, np.ndarray] | None:
    """Try ±u₁, then each row active; ``rows`` (to be made active) and ``constraints`` are unit rows."""
    d = len(Q)
    values, vectors = np.linalg.eigh(Q)
    for c in (vectors[:, -1], -vectors[:, -1]):
        if (constraints @ c >= -TOL).all():
            return float(values[-1]), c
    if d == 1:
        return None
    if d == 2:
        return _on_a_circle(Q, rows, constraints)
    best: tuple[float, np.ndarray] | None = None
    for index, r in enumerate(rows):
        w = r.copy()  # of the Householder reflection that sends e₁ to ∓r: its other columns span the complement of r
        w[0] += 1.0 if r[0] >= 0 else -1.0
        basis = (np.eye(len(r)) - 2 * np.outer(w, w) / (w @ w))[:, 1:]
        inner = basis.T @ Q @ basis
        if best is not None and np.linalg.eigvalsh(inner)[-1] <= best[0]:
            continue
        projected = constraints @ basis
        size = np.linalg.norm(projected, axis=1)
        nonzero = size > TOL
        projected = projected[nonzero] / size[nonzero, None]
        # earlier rows were active already, alone and with all others
        rest = rows[index + 1 :] @ basis
        length = np.linalg.norm(rest, axis=1)
        rest = rest[length > TOL] / length[length > TOL, None]
        solution = _solve(inner, _distinct(rest), projected)
        if solution is not None and (best is None or solution[0] > best[0]):
            best = solution[0], basis @ solution[1]
    return best


def _on_a_circle(Q: np.ndarray, rows: np.ndarray, constraints: np.ndarray) -> tuple[float, np.ndarray] | None:
    """d = 2, ±u₁ infeasible: the best feasible point at which a row is zero."""
    across = np.stack([-rows[:, 1], rows[:, 0]], axis=1)
    points = np.concatenate([across, -across])
    points = points[(points @ constraints.T >= -TOL).all(axis=1)]
    if not len(points):
        return None
    heights = np.einsum("ri,ij,rj->r", points, Q, points)
    leader = int(heights.argmax())
    return float(heights[leader]), points[leader]


def _distinct(rows: np.ndarray) -> np.ndarray:
    """Unit rows without repeats or negatives of each other (they are active together)."""
    if len(rows) < 2:
        return rows
    lead = np.argmax(np.abs(rows) > 1e-9, axis=1)
    signs = np.sign(rows[np.arange(len(rows)), lead])
    _, first = np.unique(np.round(rows * signs[:, None], 9), axis=0, return_index=True)
    return rows[np.sort(first)]
