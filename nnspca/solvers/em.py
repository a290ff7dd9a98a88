"""EM for sparse and nonnegative PCA (Sigg & Buhmann 2008), restarts in one batch; and with a least angle (eq. 20)."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import run_cancellable
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.solvers.climb import optimise_on_support, products

SLOW = 1e-3  # relative change of variance at which a start counts as slow; half and twice of it end as well
FIRST = 0.1  # first weight of the penalty, relative to the largest eigenvalue; half and twice of it end as well
RAISE = 2.0  # factor of the next weight; a factor of 4 loses up to 0.1 % of the variance on digits
SUFFICIENT = 1e-4  # share of the slope that a step of the dual must gain; half and twice of it change nothing
NEGLIGIBLE = 1e-14  # relative to its right side: below that, the gradient is rounding


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

    The E-step is y = Xw; the M-step minimises an isotropic quadratic whose free minimiser is ``w° = X'y / ‖y‖²``, a
    multiple of Aw. Negative entries go to zero where loadings must be nonnegative, and the cardinality is set by soft
    thresholding at the (k+1)-th largest magnitude (Alg. 2); then w is normalised. Sparse PCA without sign starts at the
    leading eigenvector, so it has one start; with the sign constraint the starts are random points of the orthant.

    Soft thresholding may lose variance from one step to the next, so where the steps end is not always the best support
    they passed: the support where each start slowed down is renormalised too. Without ``renormalise`` the best point
    that the steps passed is returned: on CBCL faces and Leukemia up to a tenth more variance than where Alg. 2 ends,
    and a third without the sign constraint.
    """
    cov = problem.cov
    if problem.nonnegative:
        w = feasible.unit(np.abs(rng.standard_normal((restarts, cov.n_features))))
    else:
        w = run_cancellable(lambda: cov.eigenpairs(1), monitor)[1].T.copy()
    run = _Starts(problem, w, monitor)
    stopped = run.climb(max_iter, tol)
    if renormalise:
        run.renormalise()
    note = f"{len(w)} start(s), {len(run.history) - 1} steps"
    return problem.component(run.loadings, "em", run.history, stopped=stopped or monitor.stop(), note=note)


class _Starts:
    """All starts at once: the current points, the points where they slowed down, and the best point so far."""

    def __init__(self, problem: Problem, w: np.ndarray, monitor: Monitor) -> None:
        self.problem, self.w, self.monitor = problem, w, monitor
        self.starts = feasible.argmax(w, problem.k, problem.nonnegative)  # the starts themselves are not sparse
        variances = problem.cov.variance(self.starts)
        self.best, self.loadings = float(variances.max()), self.starts[int(variances.argmax())]
        monitor.report_point(self.loadings, self.best)
        self.history = [self.best]
        self.slowed, self.last = np.zeros_like(w), np.zeros(len(w))

    def climb(self, max_iter: int, tol: float) -> bool:
        """Step until all starts converge or the call is stopped; return whether it was stopped."""
        moving = np.arange(len(self.w))
        # A times the moving starts: used for this step's variances and the next step's thresholds
        images = products(self.problem.cov, self.w, self.monitor)
        for step in range(max_iter):
            if not len(moving):
                break
            if self.monitor.stop():
                return True
            turned = soft_threshold(images, self.problem.k, self.problem.nonnegative)
            agreement = np.einsum("ri,ri->r", self.w[moving], turned)
            images = products(self.problem.cov, turned, self.monitor)
            self._reached(moving, turned, np.einsum("ri,ri->r", turned, images))
            on = agreement < 1 - tol
            moving, images = moving[on], images[on]
            self.monitor.tell(0.9 * (step + 1) / max_iter, f"EM step {step + 1}", self.best)
        return False

    def _reached(self, moving: np.ndarray, turned: np.ndarray, variances: np.ndarray) -> None:
        """Record the current points of the moving starts."""
        self.w[moving] = turned
        leader = int(variances.argmax())
        if variances[leader] > self.best:
            self.best, self.loadings = float(variances[leader]), turned[leader]
            self.monitor.report_point(self.loadings, self.best)
        self.history.append(self.best)
        slow = (np.abs(variances - self.last[moving]) < SLOW * variances) & ~self.slowed[moving].any(axis=1)
        self.slowed[moving[slow]], self.last[moving] = turned[slow], variances

    def renormalise(self) -> None:
        """Make the loadings optimal on the best supports where starts ended and where they slowed down."""
        cov = self.problem.cov
        ended = self.w if len(self.history) > 1 else self.starts
        leaders = _leaders(cov, np.vstack([ended, self.slowed[self.slowed.any(axis=1)]]))
        finals = [
            optimise_on_support(cov, row, nonnegative=self.problem.nonnegative, monitor=self.monitor) for row in leaders
        ]
        self.loadings = max([*finals, self.loadings], key=cov.variance)
        self.best = max(self.best, cov.variance(self.loadings))
        self.history.append(self.best)


def soft_threshold(f: np.ndarray, k: int, nonnegative: bool) -> np.ndarray:
    """Return the M-step's direction for each row: shrink by the (k+1)-th largest magnitude, normalise.

    Where shrinking leaves nothing (ties at place k+1) the k largest are kept unshrunk; where no
    entry of f can be a loading, the unit vector at the largest one is returned.

    >>> soft_threshold(np.array([[5.0, 4.0, 1.0]]), 2, True)
    array([[0.8, 0.6, 0. ]])
    """
    truncated = feasible.keep_top(f, k, nonnegative)
    if k < f.shape[1]:
        below = np.minimum(-f, 0.0) if nonnegative else -np.abs(f)  # of long rows no array more than needed
        below.partition(k, axis=1)
        shrunk = (truncated if nonnegative else np.abs(truncated)) + below[:, k, None]
        np.maximum(shrunk, 0.0, out=shrunk)
        if not nonnegative:
            np.copysign(shrunk, truncated, out=shrunk)
        nonzero = shrunk.any(axis=1)
        truncated[nonzero] = shrunk[nonzero]
    turned = feasible.unit(truncated)
    if not (nonzero := truncated.any(axis=1)).all():
        turned[~nonzero] = feasible.argmax(f[~nonzero], k, nonnegative)
    return turned


def _leaders(cov: Covariance, rows: np.ndarray) -> np.ndarray:
    """The best twenty rows of different supports, best first."""
    _, first = np.unique(np.packbits(rows != 0, axis=1), axis=0, return_index=True)
    rows = rows[np.sort(first)]
    return rows[np.argsort(-cov.variance(rows), kind="stable")[:20]]


def quasi_orthogonal(
    problem: Problem,
    previous: np.ndarray,
    *,
    min_angle: float,
    rng: np.random.Generator,
    monitor: Monitor,
    restarts: int = 10,
    max_iter: int = 200,
    tol: float = 1e-8,
) -> Component | None:
    """EM whose M-step penalises the inner products of w with the columns of ``previous``.

    The M-step minimises ``½ h ‖w‖² − f'w + ½ α ‖V'w‖²`` with f = Aw and h = w'Aw, over w >= 0: a nonnegative least
    squares problem with as many dual unknowns as V has columns. Without the sign constraint it is a linear system. The
    k largest entries are kept, unshrunk. α is raised until every angle is at least ``min_angle`` degrees; as it grows w
    leaves the supports of V. None where no such component was found.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    limit = float(np.cos(np.radians(min_angle)))
    alpha = FIRST * float(cov.eigenpairs(1)[0][0])
    starts = feasible.unit(np.abs(rng.standard_normal((restarts, cov.n_features))))
    if not nonnegative:
        starts = np.vstack([cov.eigenpairs(1)[1].T, feasible.unit(rng.standard_normal((restarts - 1, cov.n_features)))])
    starts = feasible.argmax(cov.apply(starts), k, nonnegative)
    free = np.logical_not(previous.any(axis=1))
    best, note = np.zeros(cov.n_features), ""
    stopped = False
    for start in starts:
        apart = _apart(problem, start, free)
        if cov.variance(apart) > cov.variance(best):
            best, note = apart, "no feature of an earlier component is used: the angles are 90°"
        w, weight = start, alpha
        for _ in range(60):
            w = _converged(problem, w, previous, weight, max_iter, tol, monitor)
            if _closest(w, previous) <= limit or monitor.stop():
                break
            weight *= RAISE
        if _closest(w, previous) <= limit and cov.variance(w) > cov.variance(best):
            best, note = w, f"every angle to the components before is at least {min_angle:g}°"
        if monitor.stop():
            stopped = True
            break
    if not best.any():
        return None
    return problem.component(best, "em", (cov.variance(best),), stopped=stopped, note=note)


def _converged(
    problem: Problem, w: np.ndarray, V: np.ndarray, alpha: float, max_iter: int, tol: float, monitor: Monitor
) -> np.ndarray:
    """EM steps until w turns by less than ``tol``."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    for _ in range(max_iter):
        f = cov.apply(w)
        if nonnegative and not (f > 0).any():
            break  # w has no variance: h, the price of a step, is zero
        h = max(float(w @ f), np.finfo(float).tiny)
        if nonnegative:
            step = penalised_least_squares(f / h, np.sqrt(alpha / h) * V.T)
        else:  # (hI + αVV')⁻¹ f, by a system of as many unknowns as V has columns
            step = f - V @ np.linalg.solve(np.eye(V.shape[1]) * (h / alpha) + V.T @ V, V.T @ f)
        if not step.any():
            break
        turned = feasible.argmax(step, k, nonnegative)
        rested = abs(float(turned @ w)) >= 1 - tol
        w = turned
        if rested or monitor.stop():
            break
    return w


def penalised_least_squares(b: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return the x >= 0 that minimises ``‖x − b‖² + ‖Cx‖²``, by Newton's method on the dual.

    A nonnegative least squares problem of n unknowns, but its dual has one for each row of C. With
    ``λ = Cx`` the minimiser is ``x = (b − C'λ)₊``, and λ minimises ``½‖λ‖² + ½‖(b − C'λ)₊‖²``,
    which is strictly convex and piecewise quadratic, so Newton's method with step halving converges.

    Examples
    --------
    >>> penalised_least_squares(np.array([2.0, 1.0]), np.array([[1.0, 1.0]]))
    array([1., 0.])
    """
    dual = np.zeros(len(C))
    x, least = np.maximum(b, 0.0), NEGLIGIBLE * float(np.abs(b).max(initial=0.0))
    for _ in range(100):  # five to fifteen are usual
        image = C @ x
        gradient = dual - image
        value = float(dual @ dual + x @ x)
        free = C[:, x > 0]
        step = np.linalg.solve(np.eye(len(C)) + free @ free.T, gradient)
        slope = float(gradient @ step)
        for halving in range(40):
            candidate = dual - step / 2**halving
            primal = np.maximum(b - candidate @ C, 0.0)
            if float(candidate @ candidate + primal @ primal) <= value - 2 * SUFFICIENT * slope / 2**halving:
                break
        else:
            break  # no further progress despite rounding
        converged = np.array_equal(primal > 0, x > 0) and halving == 0
        dual, x = candidate, primal
        if converged or slope <= least**2:
            break
    return x


def _closest(w: np.ndarray, V: np.ndarray) -> float:
    """Largest cosine to an earlier component."""
    return float(np.abs(V.T @ w).max(initial=0.0))


def _apart(problem: Problem, w: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Power steps on features that no earlier component uses; zero where there are none, or none that varies."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    w = np.where(free, w, 0.0)
    if not w.any():
        w = np.where(free, np.sqrt(np.maximum(cov.diagonal, 0.0)), 0.0)
    for _ in range(50 if w.any() else 0):
        image = np.where(free, cov.apply(w), -np.inf if nonnegative else 0.0)
        if not image[free].any():
            break
        w = feasible.argmax(np.where(free, image, 0.0) if not nonnegative else np.maximum(image, 0.0), k, nonnegative)
    w = np.where(free, w, 0.0)
    return feasible.unit(w) if w.any() else w
