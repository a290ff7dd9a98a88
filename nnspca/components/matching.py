"""Matching: assigns features to parts, at most k to each and none to two, and the parts of two sets to each other."""

from __future__ import annotations

import numpy as np

from nnspca.numerics import feasible


def assign(G: np.ndarray, k: int, nonnegative: bool) -> np.ndarray:
    """Unit rows y_c of disjoint supports, at most k features each, for which Σ_c g_c'y_c is large.

    For fixed norms of the rows, feature i adds ``g_ci² / ‖g_c‖`` to part c, so the supports are a
    matching. Norms and matching are computed in turn until they agree; the best matching is returned.

    >>> assign(np.array([[3.0, 4.0, 1.0], [0.0, 5.0, 2.0]]), k=2, nonnegative=True).round(2)
    array([[1.  , 0.  , 0.  ],
           [0.  , 0.93, 0.37]])
    """
    pull = np.maximum(G, 0.0) if nonnegative else np.abs(G)
    squares = pull / max(float(pull.max(initial=0.0)), 1e-300)
    squares *= squares
    widest = min(G.shape[1], len(G) * k)  # enough, as the other parts have at most (r − 1) k features
    reach = min(widest, 2 * k)
    while True:
        preferred = np.sort(feasible.largest(squares, reach), axis=1)
        worth = np.take_along_axis(squares, preferred, axis=1)
        order = np.argsort(-worth, axis=1, kind="stable")
        preferred = np.take_along_axis(preferred, order, axis=1)
        holdings, short = _balanced(np.take_along_axis(worth, order, axis=1), preferred, k)
        if not short or reach == widest:
            break
        reach = min(widest, 2 * reach)
    Y = np.zeros_like(G)
    np.put_along_axis(Y, preferred, np.where(holdings, np.take_along_axis(G, preferred, axis=1), 0.0), axis=1)
    return feasible.unit(Y)


def _balanced(worth: np.ndarray, preferred: np.ndarray, k: int) -> tuple[np.ndarray, bool]:
    """The features of each part, and whether the lists of candidates were too short for a part."""
    norms = np.sqrt(feasible.sum_of_largest(worth, k))
    best = holdings = np.zeros(worth.shape, dtype=bool)
    largest, short = -np.inf, False
    for _ in range(12):  # until norms and matching agree: six rounds and 24 end as well
        before, holdings = holdings, _matched(worth / np.where(norms > 0, norms, 1.0)[:, None], preferred, k)
        short |= bool(((holdings.sum(axis=1) < k) & (worth > 0).all(axis=1)).any())
        if (holdings == before).all():
            break
        norms = np.sqrt(np.sum(worth * holdings, axis=1))
        if norms.sum() <= largest:
            break
        best, largest = holdings, norms.sum()
    return best, short


def _matched(gain: np.ndarray, preferred: np.ndarray, k: int) -> np.ndarray:
    """The features of each part, gain by gain: one is assigned if it is free and the part has room.

    Lists are in order of preference. This is the stable matching (Gale & Shapley 1962), unique since
    ties go to the first part and feature.
    """
    r, reach = gain.shape
    worth = gain.ravel()
    order = np.argsort(-worth, kind="stable")
    order = order[worth[order] > 0]
    holding, room, assigned = np.zeros((r, reach), dtype=bool), [k] * r, set()
    places = r * k
    for place, c, i in zip(order.tolist(), (order // reach).tolist(), preferred.ravel()[order].tolist(), strict=True):
        if room[c] and i not in assigned:
            assigned.add(i)
            room[c] -= 1
            holding.flat[place] = True
            places -= 1
            if not places:
                break
    return holding


def paired(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return for each column of ``first`` (n, r) its counterpart in ``second`` (n, r), shape (r,).

    The pairing has the most shared nonzero rows; ties are resolved by the similarity of the columns.

    >>> U = np.eye(4)[:, :3]
    >>> paired(U, U[:, [2, 0, 1]])
    array([1, 2, 0])
    """
    from scipy.optimize import linear_sum_assignment  # slow to import

    shared = (first != 0).T.astype(float) @ (second != 0)
    norms = np.linalg.norm(first, axis=0)[:, None] * np.linalg.norm(second, axis=0)
    alike = np.abs(first.T @ second) / np.where(norms > 0, norms, 1.0)
    _, columns = linear_sum_assignment(-(shared + alike / (2 * len(alike))))  # the second term stays below one row
    return np.asarray(columns)
