"""Algorithms written down as plainly as they can be, one start, one feature or one vertex after another."""

from itertools import combinations

import numpy as np


def plain_power(A, k, *, restarts=53, seed=0, max_iter=300, tol=1e-9):
    """Return the best of some truncated power iterations from random nonnegative points: (x, variance)."""
    rng = np.random.default_rng(seed)
    best, variance = np.zeros(len(A)), -1.0
    for _ in range(restarts):
        x, reached = _cut(rng.random(len(A)), k), 0.0
        for _ in range(max_iter):
            x = _cut(A @ x, k)
            before, reached = reached, float(x @ A @ x)
            if reached - before <= tol * reached:
                break
        if reached > variance:
            best, variance = x, reached
    return best, variance


def plain_greedy(A, k):
    """Return the greedy path's last point without sign: each feature tried by a whole eigenvalue: (x, variance)."""
    support = [int(np.argmax(A.diagonal()))]
    while len(support) < k:
        others = [j for j in range(len(A)) if j not in support]
        tops = [np.linalg.eigvalsh(A[np.ix_([*support, j], [*support, j])])[-1] for j in others]
        support.append(others[int(np.argmax(tops))])
    values, vectors = np.linalg.eigh(A[np.ix_(support, support)])
    x = np.zeros(len(A))
    x[support] = vectors[:, -1]
    return x, float(values[-1])


def plain_spannogram(V, k):
    """Return the largest ‖V'x‖² over every vertex of the rank-2 spannogram, x >= 0 (Asteris et al. 2014, Alg. 1)."""
    angles = [0.0, *(np.arctan2(-v[0], v[1]) for v in V)]  # a row changes sign
    angles += [np.arctan2(v[0] - u[0], u[1] - v[1]) for u, v in combinations(V, 2)]  # two rows change order
    best = 0.0
    edges = np.sort(np.concatenate([np.mod(angles, np.pi), np.mod(angles, np.pi) + np.pi]))
    for phi in (edges + np.append(edges[1:], edges[0] + 2 * np.pi)) / 2:
        w = V @ [np.cos(phi), np.sin(phi)]
        top = np.argsort(-w)[:k]
        top = top[w[top] > 0]
        if len(top):
            _, _, right = np.linalg.svd(V[top], full_matrices=False)
            for sign in (1, -1):
                x = np.maximum(sign * V[top] @ right[0], 0.0)
                if x.any():
                    x /= np.linalg.norm(x)
                    best = max(best, float(np.sum((V[top].T @ x) ** 2)))
    return best


def _cut(w, k):
    """Keep the k largest positive entries, normalised."""
    out = np.zeros_like(w)
    top = np.argsort(-w)[:k]
    out[top] = np.maximum(w[top], 0.0)
    return out / np.linalg.norm(out)
