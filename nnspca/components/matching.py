"""Matching: assigns each feature to at most one part, and at most k features to each part."""

from __future__ import annotations

import numpy as np

from nnspca.numerics import feasible

MATCHINGS = 12  # most rounds in which the norms of the parts and the matching are made consistent
ONE_BY_ONE = 100  # total number of places up to which they are filled one by one


def assign(G: np.ndarray, k: int, nonnegative: bool) -> np.ndarray:
    """Unit rows y_c of disjoint supports, at most k features each, for which Σ_c g_c'y_c is large.

    With the norms of the rows known, a feature i adds ``g_ci² / ‖g_c‖`` to the part that takes it,
    so the supports are a matching; the norms are then those of the supports, until the two agree.
    The best matching met is returned.

    Examples
    --------
    >>> assign(np.array([[3.0, 4.0, 1.0], [0.0, 5.0, 2.0]]), k=2, nonnegative=True).round(2)
    array([[1.  , 0.  , 0.  ],
           [0.  , 0.93, 0.37]])
    """
    pull = np.maximum(G, 0.0) if nonnegative else np.abs(G)
    squares = pull / max(float(pull.max(initial=0.0)), 1e-300)
    squares *= squares
    widest = min(G.shape[1], len(G) * k)  # no part gets beyond, as the others take (r − 1) k at most
    reach = min(widest, 2 * k)
    while True:
        liked = np.sort(feasible.largest(squares, reach), axis=1)
        worth = np.take_along_axis(squares, liked, axis=1)
        order = np.argsort(-worth, axis=1, kind="stable")
        liked = np.take_along_axis(liked, order, axis=1)
        holdings, short = _balanced(np.take_along_axis(worth, order, axis=1), liked, k)
        if not short or reach == widest:
            break
        reach = min(widest, 2 * reach)
    Y = np.zeros_like(G)
    np.put_along_axis(Y, liked, np.where(holdings, np.take_along_axis(G, liked, axis=1), 0.0), axis=1)
    return feasible.unit(Y)


def _balanced(worth: np.ndarray, liked: np.ndarray, k: int) -> tuple[np.ndarray, bool]:
    """The features of each part, and whether a part might want more features than are listed."""
    norms = np.sqrt(feasible.sum_of_largest(worth, k))
    best = holdings = np.zeros(worth.shape, dtype=bool)
    most, short = -np.inf, False
    for _ in range(MATCHINGS):
        before, holdings = holdings, _matched(worth / np.where(norms > 0, norms, 1.0)[:, None], liked, k)
        short |= bool(((holdings.sum(axis=1) < k) & (worth > 0).all(axis=1)).any())
        if (holdings == before).all():
            break
        norms = np.sqrt(np.sum(worth * holdings, axis=1))
        if norms.sum() <= most:
            break
        best, most = holdings, norms.sum()
    return best, short


def _matched(gain: np.ndarray, liked: np.ndarray, k: int) -> np.ndarray:
    """The features of each part when the largest gains are served first; lists are in order of preference.

    No part and feature would then rather have each other, and there is one such matching only, ties
    going to the part and the feature that come first (Gale & Shapley 1962).
    """
    return (_by_asking if len(gain) * k > ONE_BY_ONE else _by_serving)(gain, liked, k)


def _by_serving(gain: np.ndarray, liked: np.ndarray, k: int) -> np.ndarray:
    """The matching, gain by gain: each is granted while its part has room and its feature is free."""
    r, reach = gain.shape
    worth = gain.ravel()
    order = np.argsort(-worth, kind="stable")
    order = order[worth[order] > 0]
    holding, room, taken = np.zeros((r, reach), dtype=bool), [k] * r, set()
    places = r * k
    for at, c, i in zip(order.tolist(), (order // reach).tolist(), liked.ravel()[order].tolist(), strict=True):
        if room[c] and i not in taken:
            taken.add(i)
            room[c] -= 1
            holding.flat[at] = True
            places -= 1
            if not places:
                break
    return holding


def _by_asking(gain: np.ndarray, liked: np.ndarray, k: int) -> np.ndarray:
    """The matching, all parts at once: each requests its best k, and more where its requests are refused."""
    r, reach = gain.shape
    wanted = gain > 0
    count = int(liked.max(initial=0)) + 1
    most = np.zeros(count)
    while True:
        requests = wanted & (np.cumsum(wanted, axis=1) <= k)
        at = np.flatnonzero(requests)
        parts, wishes, offers = at // reach, liked.flat[at], gain.flat[at]
        np.maximum.at(most, wishes, offers)
        highest = offers == most[wishes]
        first = np.full(count, r)
        np.minimum.at(first, wishes[highest], parts[highest])
        refused = ~highest | (parts != first[wishes])
        if not refused.any():
            return requests
        wanted.flat[at[refused]] = False
