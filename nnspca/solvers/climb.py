"""Truncated power iteration, many starts at a time, and the exact optimum on a known support."""

from __future__ import annotations

import numpy as np
import scipy.sparse.linalg

from nnspca.calls.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.forms import HeldFactor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible

QUIET = Monitor()
DENSE_EIGEN = 300  # above, the leading eigenvector comes from Lanczos iterations
TIE = 1e-13  # relative difference of two variances that rounding alone can make


def climb(
    problem: Problem, starts: np.ndarray, *, monitor: Monitor = QUIET, tol: float = 1e-9, max_iter: int = 300
) -> tuple[np.ndarray, np.ndarray]:
    """Maximise the linearisation of x'Ax at x, again and again, from each row of ``starts``.

    x'Ax is convex, so no step loses variance; a limit is a stationary point and nothing more.

    Parameters
    ----------
    problem : Problem
    starts : ndarray, shape (r, n)
        Feasible or not; the first step makes them so.
    monitor : Monitor
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
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    points = feasible.best(starts, k, nonnegative)
    gradients = cov.apply(points)
    variances = np.einsum("ri,ri->r", points, gradients)
    moving = np.arange(len(points))
    follows = np.arange(len(points))  # whose way a start goes: its own, until it meets a higher one
    _show(points, variances, monitor)
    for _ in range(max_iter):
        if not len(moving) or monitor.stop():
            break
        x = feasible.best(gradients[moving], k, nonnegative)
        g = cov.apply(x)
        gained = np.einsum("ri,ri->r", x, g)
        up = gained > variances[moving]
        ahead = moving[up]
        going = gained[up] - variances[ahead] > tol * gained[up]
        points[ahead], gradients[ahead], variances[ahead] = x[up], g[up], gained[up]
        moving = ahead[going]
        _show(points, variances, monitor)
        moving = _met(points, variances, moving, follows)
    while (follows != follows[follows]).any():
        follows = follows[follows]
    return points[follows], variances[follows]


def _met(points: np.ndarray, variances: np.ndarray, moving: np.ndarray, follows: np.ndarray) -> np.ndarray:
    """Let starts on one support go on as one, the highest of them; return those that go on."""
    ahead: dict[bytes, int] = {}
    keys = np.packbits(np.hstack([points[moving] > 0, points[moving] < 0]), axis=1)
    for index, key in zip(moving[order := np.argsort(-variances[moving], kind="stable")], keys[order], strict=True):
        follows[index] = ahead.setdefault(key.tobytes(), int(index))
    return np.array(sorted(ahead.values()), dtype=np.intp)


def _show(points: np.ndarray, variances: np.ndarray, monitor: Monitor) -> None:
    """Show the best of some points."""
    if len(points):
        leader = int(variances.argmax())
        monitor.found(points[leader], variances[leader])


def optimise_on_support(cov: Covariance, x: np.ndarray, *, nonnegative: bool, monitor: Monitor = QUIET) -> np.ndarray:
    """Improve the loadings on the support of ``x`` to a stationary point, to full precision.

    Without sign that is the leading eigenvector of A on the support (variational renormalisation,
    Sigg & Buhmann 2008). With it, a local maximum is the leading eigenvector of A on the features
    it keeps, since the variance has no other local maxima on a sphere: so power steps drop features
    until the leading eigenvector of what is left has one sign.

    Returns
    -------
    ndarray, shape (n,)
        Feasible, of at least the variance of ``x`` up to rounding, on a subset of its support.
        Where the two tie, it is the stationary one, so that the answer does not hang on the last
        bit of a sum.
    """
    support = np.flatnonzero(x)
    part = cov.restrict(support)
    z = x[support]
    for _ in range(len(support)):
        if monitor.stop():
            break
        leading = _leading(part)
        if not nonnegative or (leading >= 0).all():
            z = leading
            break
        z = _power(part, z)
        live = z > 0
        if live.all():
            break
        support, part, z = support[live], part.restrict(np.flatnonzero(live)), feasible.unit(z[live])
    out = np.zeros_like(x)
    out[support] = z
    return out if cov.variance(out) >= cov.variance(x) * (1 - TIE) else x


def _leading(part: Covariance) -> np.ndarray:
    """Leading eigenvector, its largest entry positive, on the smaller side of the data."""
    if isinstance(part.form, HeldFactor) and part.form.terms < part.n_features:
        left = _top_vector(part.form.factor.gram())
        v = feasible.unit(part.form.factor.backward(left))
    else:
        every = np.arange(part.n_features)
        v = _top_vector(part.block(every, every))
    return v if v[np.abs(v).argmax()] > 0 else -v


def _top_vector(B: np.ndarray) -> np.ndarray:
    """Leading eigenvector of a symmetric matrix."""
    if len(B) <= DENSE_EIGEN:
        return np.linalg.eigh(B)[1][:, -1]
    start = np.random.default_rng(0).random(len(B))
    return scipy.sparse.linalg.eigsh(B, k=1, which="LA", v0=start)[1][:, 0]


def _power(part: Covariance, z: np.ndarray, max_iter: int = 500) -> np.ndarray:
    """Nonnegative power steps until the variance rests or a feature drops out."""
    gradient = part.apply(z)
    value = z @ gradient
    for _ in range(max_iter):
        step = feasible.unit(np.maximum(gradient, 0.0))
        gradient = part.apply(step)
        gained = step @ gradient
        if not gained >= value:
            break
        rested = gained - value <= 1e-13 * gained
        z, value = step, gained
        if rested or (z == 0).any():
            break
    return z
