"""EM for sparse and nonnegative PCA (Sigg & Buhmann 2008), all restarts in one batch of matrix products."""

from __future__ import annotations

import numpy as np

from nnspca.calls.beside import beside
from nnspca.calls.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.solvers.climb import applied, optimise_on_support

SLOW = 1e-3  # share of its variance by which a start changes where it slows down


def em(
    problem: Problem,
    *,
    rng: np.random.Generator,
    monitor: Monitor,
    restarts: int,
    renormalise: bool,
    max_iter: int,
    tol: float,
) -> Component:
    """Alternate between projecting the data on w and re-estimating w under the constraints.

    The E-step is y = Xw; the M-step minimises an isotropic quadratic whose free minimiser is
    ``w° = X'y / ‖y‖²``, a multiple of Aw. Negative entries go to zero where loadings must be
    nonnegative, and the cardinality is set by soft thresholding at the (k+1)-th largest magnitude
    (Alg. 2); then w is normalised. Sparse PCA without sign starts at the leading eigenvector, so it
    has one start; with the sign constraint the starts are random points of the orthant.

    Soft thresholding may lose variance from one step to the next, so where the steps end is not
    always the best support they passed: the support where each start slowed down is renormalised
    too.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    if nonnegative:
        w = feasible.unit(np.abs(rng.standard_normal((restarts, cov.n_features))))
    else:
        w = beside(lambda: cov.eigenpairs(1), monitor)[1].T.copy()
    x = feasible.best(w, k, nonnegative)
    variances = cov.variance(x)
    best, loadings = float(variances.max()), x[int(variances.argmax())]
    monitor.found(loadings, best)
    history = [best]
    slowed, last = np.zeros_like(w), np.zeros(len(w))
    moving = np.arange(len(w))
    images = applied(cov, w, monitor)  # of those that move: what the next step thresholds is what prices this one
    stopped = False
    for step in range(max_iter):
        if not len(moving):
            break
        if monitor.stop():
            stopped = True
            break
        turned = soft_threshold(images, k, nonnegative)
        agreement = np.einsum("ri,ri->r", w[moving], turned)
        w[moving] = turned
        images = applied(cov, turned, monitor)
        variances = np.einsum("ri,ri->r", turned, images)
        leader = int(variances.argmax())
        if variances[leader] > best:
            best, loadings = float(variances[leader]), turned[leader]
            monitor.found(loadings, best)
        history.append(best)
        slow = (np.abs(variances - last[moving]) < SLOW * variances) & ~slowed[moving].any(axis=1)
        slowed[moving[slow]], last[moving] = turned[slow], variances
        on = agreement < 1 - tol
        moving, images = moving[on], images[on]
        monitor.tell(0.9 * (step + 1) / max_iter, f"EM step {step + 1}", best)
    if renormalise:
        reached = w if len(history) > 1 else x  # the starts themselves are not sparse
        leaders = _leaders(cov, np.vstack([reached, slowed[slowed.any(axis=1)]]))
        finals = [optimise_on_support(cov, row, nonnegative=nonnegative, monitor=monitor) for row in leaders] + [
            loadings
        ]
        loadings = max(finals, key=cov.variance)
        best = max(best, cov.variance(loadings))
        history.append(best)
    if not nonnegative:
        loadings = feasible.orient(loadings)
    return Component(
        loadings,
        cov.variance(loadings),
        "em",
        k,
        nonnegative,
        history=tuple(history),
        stopped=stopped or monitor.stop(),
        note=f"{len(w)} start(s), {len(history) - 1} steps",
    )


def soft_threshold(f: np.ndarray, k: int, nonnegative: bool) -> np.ndarray:
    """Return the M-step's direction for each row: shrink by the (k+1)-th largest magnitude, normalise.

    Where shrinking leaves nothing (ties at place k+1) the k largest are kept unshrunk; where no
    entry of f can be a loading, the unit vector at the largest one is returned.

    Examples
    --------
    >>> soft_threshold(np.array([[5.0, 4.0, 1.0]]), 2, True)
    array([[0.8, 0.6, 0. ]])
    """
    kept = feasible.keep_top(f, k, nonnegative)
    if k < f.shape[1]:
        below = np.minimum(-f, 0.0) if nonnegative else -np.abs(f)  # of long rows no array more than needed
        below.partition(k, axis=1)
        shrunk = (kept if nonnegative else np.abs(kept)) + below[:, k, None]
        np.maximum(shrunk, 0.0, out=shrunk)
        if not nonnegative:
            np.copysign(shrunk, kept, out=shrunk)
        left = shrunk.any(axis=1)
        kept[left] = shrunk[left]
    turned = feasible.unit(kept)
    if not (found := kept.any(axis=1)).all():
        turned[~found] = feasible.best(f[~found], k, nonnegative)
    return turned


def _leaders(cov: Covariance, rows: np.ndarray, count: int = 20) -> np.ndarray:
    """The best ``count`` rows of different supports, best first."""
    _, first = np.unique(np.packbits(rows != 0, axis=1), axis=0, return_index=True)
    rows = rows[np.sort(first)]
    return rows[np.argsort(-cov.variance(rows), kind="stable")[:count]]
