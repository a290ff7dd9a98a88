"""SCoTLASS (Jolliffe, Trendafilov & Uddin 2003): variance under a limit on the sum of the loadings' magnitudes."""

from __future__ import annotations

import numpy as np

from nnspca import cone
from nnspca.covariance import Covariance
from nnspca.result import Component
from nnspca.solvers.climb import settle
from nnspca.watch import Watch

LARGEST = 600  # features
BISECTIONS = 30
STEPS = 200


def scotlass(
    cov: Covariance,
    k: int,
    *,
    nonnegative: bool,
    rng: np.random.Generator,
    watch: Watch,
    restarts: int,
    renormalise: bool,
) -> Component:
    """Maximise x'Ax over ‖x‖₂ <= 1, ‖x‖₁ <= t, with t the largest for which at most k loadings are nonzero.

    x'Ax is convex, so each step maximises its linearisation g'x over the same set: g soft-thresholded until the sum
    of magnitudes is t, then normalised. t is bisected between 1 (one feature) and √k.
    """
    starts = [cov.eigenpairs(1)[1][:, 0], *rng.standard_normal((restarts - 1, cov.n_features))]
    best, value, history = np.zeros(cov.n_features), -np.inf, []
    for number, start in enumerate(starts):
        first = cone.best(start, cov.n_features, nonnegative)
        low, high = 1.0, float(np.sqrt(k))
        x = _climb(cov, first, high, nonnegative, watch)
        for _ in range(BISECTIONS if np.count_nonzero(x) > k else 0):
            middle = (low + high) / 2
            tried = _climb(cov, first, middle, nonnegative, watch)
            if np.count_nonzero(tried) > k:
                high = middle
            else:
                low, x = middle, tried
            if watch.stop() or high - low < 1e-6:
                break
        x = cone.unit(cone.keep_top(x, k, nonnegative))
        if renormalise:
            x = settle(cov, x, nonnegative=nonnegative, watch=watch)
        if cov.variance(x) > value:
            best, value = x, cov.variance(x)
        history.append(value)
        watch.tell((number + 1) / len(starts), f"start {number + 1}", value)
        if watch.stop():
            break
    if not nonnegative:
        best = cone.orient(best)
    return Component(best, value, "scotlass", k, nonnegative, history=tuple(history), stopped=watch.stop())


def _climb(cov: Covariance, x: np.ndarray, t: float, nonnegative: bool, watch: Watch) -> np.ndarray:
    """Steps of the linearisation until x rests."""
    for _ in range(STEPS):
        turned = within(cov.apply(x), t, nonnegative)
        rested = float(turned @ x) > 1 - 1e-12
        x = turned
        if rested or watch.stop():
            break
    return x


def within(g: np.ndarray, t: float, nonnegative: bool) -> np.ndarray:
    """Return the unit vector of largest g'x with ‖x‖₁ <= t (t >= 1), and x >= 0 if asked.

    Examples
    --------
    >>> within(np.array([3.0, 4.0]), 2.0, True)
    array([0.6, 0.8])
    >>> within(np.array([3.0, 4.0]), 1.0, True)
    array([0., 1.])
    """
    size = np.maximum(g, 0.0) if nonnegative else np.abs(g)
    if not size.any():
        return cone.best(g, 1, nonnegative)
    low, high = 0.0, float(size.max())
    x = cone.unit(size)
    for _ in range(60 if x.sum() > t else 0):
        middle = (low + high) / 2
        x = np.maximum(size - middle, 0.0)
        if not x.any() or cone.unit(x).sum() <= t:
            high = middle
        else:
            low = middle
    if x is not size:
        x = np.maximum(size - high, 0.0) if high < size.max() and low > 0 else x
    if not x.any():
        x = np.where(size == size.max(), 1.0, 0.0)
    return cone.unit(x) * np.where(g < 0, -1.0, 1.0)
