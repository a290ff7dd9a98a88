"""Truncated power iteration, many starts at a time, and the exact optimum on a known support."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from nnspca import cone
from nnspca.covariance import Covariance
from nnspca.watch import Watch

QUIET = Watch()


def climb(
    cov: Covariance,
    k: int,
    starts: np.ndarray,
    *,
    nonnegative: bool,
    watch: Watch = QUIET,
    tol: float = 1e-9,
    max_iter: int = 300,
) -> tuple[np.ndarray, np.ndarray]:
    """Maximise the linearisation of x'Ax at x, again and again, from each row of ``starts``.

    x'Ax is convex, so no step loses variance; a limit is a stationary point and nothing more.

    Parameters
    ----------
    cov : Covariance
    k : int
    starts : ndarray, shape (r, n)
        Feasible or not; the first step makes them so.
    nonnegative : bool
    watch : Watch
        Polled once an iteration.
    tol : float
        A start rests when it gains less than this share of its variance.
    max_iter : int

    Returns
    -------
    points : ndarray, shape (r, n)
        Feasible.
    variances : ndarray, shape (r,)
    """
    points = cone.best(starts, k, nonnegative)
    gradients = cov.apply(points)
    variances = np.einsum("ri,ri->r", points, gradients)
    moving = np.arange(len(points))
    for _ in range(max_iter):
        if not len(moving) or watch.stop():
            break
        x = cone.best(gradients[moving], k, nonnegative)
        g = cov.apply(x)
        gained = np.einsum("ri,ri->r", x, g)
        up = gained > variances[moving]
        ahead = moving[up]
        going = gained[up] - variances[ahead] > tol * gained[up]
        points[ahead], gradients[ahead], variances[ahead] = x[up], g[up], gained[up]
        moving = ahead[going]
    return points, variances


def settle(cov: Covariance, x: np.ndarray, *, nonnegative: bool) -> np.ndarray:
    """Improve the loadings on the support of ``x`` to a stationary point, to full precision.

    Without sign that is the leading eigenvector of A on the support (variational renormalisation,
    Sigg & Buhmann 2008). With it, the leading eigenvector where it has one sign, and otherwise power
    steps that may drop features, then the eigenvector of what is left.

    Returns
    -------
    ndarray, shape (n,)
        Feasible, of at least the variance of ``x`` up to rounding, on a subset of its support.
    """
    support = np.flatnonzero(x)
    B = cov.block(support, support)
    z = x[support]
    for _ in range(len(support)):
        leading = _leading(B)
        if not nonnegative or (leading >= 0).all():
            z = leading
            break
        z, previous = _power(B, z), z
        live = z > 0
        if live.all():
            z = _refine(B, z) if z @ B @ z >= previous @ B @ previous else previous
            break
        support, B, z = support[live], B[np.ix_(live, live)], z[live] / np.linalg.norm(z[live])
    out = np.zeros_like(x)
    out[support] = z
    return out if cov.variance(out) >= cov.variance(x) else x


def _leading(B: np.ndarray) -> np.ndarray:
    """Leading eigenvector, its largest entry positive."""
    k = len(B)
    v = scipy.linalg.eigh(B, subset_by_index=[k - 1, k - 1])[1][:, 0]
    return v if v[np.abs(v).argmax()] > 0 else -v


def _power(B: np.ndarray, z: np.ndarray, max_iter: int = 500) -> np.ndarray:
    """Nonnegative power steps on one block until the variance rests or a feature drops out."""
    value = z @ B @ z
    for _ in range(max_iter):
        g = np.maximum(B @ z, 0.0)
        norm = np.linalg.norm(g)
        if norm == 0:
            return z
        step = g / norm
        gained = step @ B @ step
        if gained < value:
            return z
        rested = gained - value <= 1e-13 * gained
        z, value = step, gained
        if rested or (z == 0).any():
            return z
    return z


def _refine(B: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Rayleigh quotient steps to full precision, kept only while they stay positive and gain."""
    value = z @ B @ z
    for _ in range(4):
        try:
            w = np.linalg.solve(B - value * np.eye(len(B)), z)
        except np.linalg.LinAlgError:
            return z
        if not np.isfinite(w).all():
            return z
        w = cone.unit(w if w.sum() > 0 else -w)
        gained = w @ B @ w
        if (w < 0).any() or not gained > value:
            return z
        z, value = w, gained
    return z
