"""The EM algorithm of Sigg & Buhmann (2008) written down as plainly as it can be: one start after another."""

import numpy as np
import scipy.linalg


def plain_em(X, k, *, nonnegative=True, restarts=10, seed=0, max_iter=100, tol=1e-3):
    """Return the best of some restarts of Alg. 2 on centred data X, each renormalised on its support (section 1).

    A restart ends when the variance changes by less than ``tol`` of itself, the rule of the authors' R package.
    """
    rng = np.random.default_rng(seed)
    m, n = X.shape
    best, variance = np.zeros(n), -1.0
    for _ in range(restarts):
        w = rng.standard_normal(n)
        w = np.abs(w) if nonnegative else w
        w /= np.linalg.norm(w)
        reached = 0.0
        for _ in range(max_iter):
            y = X @ w
            w = X.T @ y / (y @ y)
            if nonnegative:
                w = np.maximum(w, 0.0)
            if k < n:
                threshold = np.sort(np.abs(w))[::-1][k]
                w = np.sign(w) * np.maximum(np.abs(w) - threshold, 0.0)
            if not w.any():
                break
            w /= np.linalg.norm(w)
            before, reached = reached, float(np.sum((X @ w) ** 2) / m)
            if abs(reached - before) < tol * reached:
                break
        if not w.any():
            continue
        w = _renormalised(X, w, nonnegative)
        reached = float(np.sum((X @ w) ** 2) / m)
        if reached > variance:
            best, variance = w, reached
    return best, variance


def _renormalised(X, w, nonnegative):
    """The leading right singular vector on the support where it may be taken, else w itself."""
    support = np.flatnonzero(w)
    v = scipy.linalg.svd(X[:, support], full_matrices=False)[2][0]
    v = v * (1.0 if v.sum() >= 0 else -1.0)
    if nonnegative and v.min() < 0:
        return w
    full = np.zeros(len(w))
    full[support] = v
    return full
