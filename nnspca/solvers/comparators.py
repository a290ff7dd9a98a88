"""Methods for comparison: PCA whole and cut, SPCA, SCoTLASS, DSPCA and NMF."""

from __future__ import annotations

import dataclasses
import time
from importlib import import_module

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped, run_cancellable
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, together
from nnspca.numerics import feasible
from nnspca.numerics.fantope import Fantope
from nnspca.result import Component, Components, ShouldStop
from nnspca.solvers.climb import QUIET, Best, optimise_on_support

PCA_NOTE = "k is not used: all features take part"


def pca(problem: Problem, *, rng: np.random.Generator, monitor: Monitor) -> Component:
    """The leading eigenvector: no sign constraint, and all features, whatever k is."""
    x = feasible.unit(run_cancellable(lambda: problem.cov.eigenpairs(1), monitor)[1][:, 0])
    return problem.component(x, "pca", (problem.cov.variance(x),), note=PCA_NOTE)


def thresholding(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, renormalise: bool) -> Component:
    """Cut the leading eigenvector to its k largest loadings (Cadima & Jolliffe 1995).

    With the sign constraint these are the k largest positive entries of u₁ or of −u₁; the weights
    are then made optimal on the features kept, if asked.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    x = feasible.rank_one(run_cancellable(lambda: cov.eigenpairs(1), monitor)[1][:, 0], k, nonnegative)
    history = [cov.variance(x)]
    monitor.report_point(x, history[0])
    if renormalise:
        x = optimise_on_support(cov, x, nonnegative=nonnegative, monitor=monitor)
        history.append(max(history[0], cov.variance(x)))  # two that tie differ by rounding
    return problem.component(x, "thresholding", history, stopped=monitor.stop())


def pca_joint(problem: Problem, n_components: int, *, rng: np.random.Generator, monitor: Monitor) -> Components:
    """The leading eigenvectors, every feature in each."""
    cov = problem.cov
    parts = tuple(problem.component(feasible.unit(u), "pca") for u in cov.eigenpairs(n_components)[1].T)
    return together(cov, parts, "pca", "joint", False, note=PCA_NOTE)


PLAY = 400  # most features the regression chooses among: those of largest pull; twice as many end as well


def elastic_net(
    problem: Problem, *, rng: np.random.Generator, monitor: Monitor, ridge: float, rounds: int, renormalise: bool
) -> Component:
    """Regress the score Xα on X with an elastic net, then set α to the direction of Ax; scikit-learn walks the path.

    In terms of A alone the regression minimises ``x'(A + λI)x − 2 α'Ax + μ ‖x‖₁``, and its path in
    μ is followed until k features are in. ``ridge`` is λ relative to the mean variance. Where
    features are very many, the regression chooses among the ones with the largest ``|α'A|``.
    """
    cov, nonnegative = problem.cov, problem.nonnegative
    alpha = run_cancellable(lambda: cov.eigenpairs(1), monitor)[1][:, 0]
    if nonnegative:
        alpha = feasible.rank_one(alpha, cov.n_features, True)
    found = Best(problem, monitor)
    for number in range(rounds):
        pull = cov.apply(alpha)
        x = _chosen(problem, pull, ridge, monitor)
        if not x.any():
            x = feasible.best(pull, 1, nonnegative)
        x = feasible.unit(x)
        found.offer(x)
        monitor.tell((number + 1) / rounds, f"round {number + 1}", found.variance)
        turned = feasible.unit(cov.apply(x))
        if monitor.stop() or abs(float(turned @ alpha)) > 1 - 1e-10:
            break
        alpha = turned
    best, history = found.loadings, found.history
    if renormalise:
        best = optimise_on_support(cov, best, nonnegative=nonnegative, monitor=monitor)
        history.append(max(found.variance, cov.variance(best)))
    return problem.component(best, "elastic-net", history, stopped=monitor.stop())


def _chosen(problem: Problem, pull: np.ndarray, ridge: float, monitor: Monitor) -> np.ndarray:
    """The last point of the regularisation path with at most k features."""
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    score = np.where(cov.diagonal > 0, pull if nonnegative else np.abs(pull), -np.inf)
    play = np.argsort(-score, kind="stable")[: max(PLAY, 2 * k)]
    play = np.sort(play[score[play] > 0])
    out = np.zeros(cov.n_features)
    if not len(play):
        return out
    scale = float(cov.diagonal[play].max())
    gram = cov.block(play, play) / scale
    gram[np.diag_indices(len(play))] += ridge * float(cov.trace) / cov.n_features / scale
    path = run_cancellable(lambda: _path(pull[play] / scale, gram, 4 * k + 8, nonnegative), monitor)
    few = np.flatnonzero((np.count_nonzero(path, axis=0) <= k) & (np.count_nonzero(path, axis=0) > 0))
    if len(few):
        out[play] = path[:, few[-1]]
    return out


def _path(pull: np.ndarray, gram: np.ndarray, steps: int, positive: bool) -> np.ndarray:
    """The points of the regularisation path as columns."""
    from sklearn.linear_model import lars_path_gram  # imported on use: that takes a second

    path: np.ndarray = lars_path_gram(
        pull, gram, n_samples=1, max_iter=steps, method="lasso", positive=positive, return_path=True
    )[2]
    return path


SCOTLASS_STEPS = 200  # most steps of a climb; on genes half as many give up to 3 % more variance, twice as many nothing


def scotlass(
    problem: Problem, *, rng: np.random.Generator, monitor: Monitor, restarts: int, renormalise: bool
) -> Component:
    """Maximise x'Ax over ‖x‖₂ <= 1, ‖x‖₁ <= t, with t the largest for which at most k loadings are nonzero.

    x'Ax is convex, so each step maximises its linearisation g'x over the same set: g soft-thresholded until the sum of
    magnitudes is t, then normalised. t is bisected between 1 (one feature) and √k.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    starts = [cov.eigenpairs(1)[1][:, 0], *rng.standard_normal((restarts - 1, cov.n_features))]
    found = Best(problem, monitor)
    for number, start in enumerate(starts):
        first = feasible.best(start, cov.n_features, nonnegative)
        low, high = 1.0, float(np.sqrt(k))
        x = _climbed(cov, first, high, nonnegative, monitor)
        high = low if np.count_nonzero(x) <= k else high  # nothing to bisect
        while high - low >= 1e-6 and not monitor.stop():
            middle = (low + high) / 2
            tried = _climbed(cov, first, middle, nonnegative, monitor)
            if np.count_nonzero(tried) > k:
                high = middle
            else:
                low, x = middle, tried
        x = feasible.unit(feasible.keep_top(x, k, nonnegative))
        if renormalise:
            x = optimise_on_support(cov, x, nonnegative=nonnegative, monitor=monitor)
        found.offer(x)
        monitor.tell((number + 1) / len(starts), f"start {number + 1}", found.variance)
        if monitor.stop():
            break
    return problem.component(found.loadings, "scotlass", found.history, stopped=monitor.stop())


def _climbed(cov: Covariance, x: np.ndarray, t: float, nonnegative: bool, monitor: Monitor) -> np.ndarray:
    """Steps of the linearisation until x rests."""
    for _ in range(SCOTLASS_STEPS):
        turned = within(cov.apply(x), t, nonnegative)
        rested = float(turned @ x) > 1 - 1e-12
        x = turned
        if rested or monitor.stop():
            break
    return x


def within(g: np.ndarray, t: float, nonnegative: bool) -> np.ndarray:
    """Return the unit vector of largest g'x with ‖x‖₁ <= t (t >= 1), and x >= 0 if asked.

    >>> within(np.array([3.0, 4.0]), 2.0, True)
    array([0.6, 0.8])
    >>> within(np.array([3.0, 4.0]), 1.0, True)
    array([0., 1.])
    """
    size = feasible.allowed(g, nonnegative)
    if not size.any():
        return feasible.best(g, 1, nonnegative)
    x = feasible.unit(size)
    if x.sum() > t:
        x = _thresholded(size, t)
    return x * np.where(g < 0, -1.0, 1.0)


def _thresholded(size: np.ndarray, t: float) -> np.ndarray:
    """Soft-threshold ``size`` at the level λ where the unit vector's entries sum to t.

    With the m largest entries left, of mean μ and squared deviations Q, ‖x‖₁/‖x‖₂ = t means m²(μ − λ)² = t² (Q + m(μ −
    λ)²). The sum falls as λ rises, so m is the least number at which λ = the next largest entry still leaves too much.
    """
    below = size.max() - np.sort(size)[::-1]  # shortfalls from the largest: near ties keep their digits
    m = np.arange(1, len(size) + 1)
    following = np.append(below[1:], size.max())
    total = m * following - np.cumsum(below)
    squares = m * following**2 - 2 * following * np.cumsum(below) + np.cumsum(below**2)
    enough = np.flatnonzero(total > t * np.sqrt(np.maximum(squares, 0.0)))
    count = int(m[enough[0]]) if len(enough) else len(size)
    top = below[:count]
    spread = float(((top - top.mean()) ** 2).sum())
    if spread == 0.0:
        return _of_equals(size == size.max(), t)
    slack = max(count - t * t, np.finfo(float).tiny)
    reach = min(float(top.mean()) + t * np.sqrt(spread / (count * slack)), float(following[count - 1]))
    return feasible.unit(np.maximum(reach - (size.max() - size), 0.0))


def _of_equals(top: np.ndarray, t: float) -> np.ndarray:
    """The unit vector on some of the entries ``top`` whose sum is t: no level parts entries that are equal.

    It has the least number of entries, m = ⌈t²⌉: one of α and m − 1 of β, α + (m−1)β = t, α² + (m−1)β² = 1.
    """
    m = min(int(np.ceil(t * t)), int(np.count_nonzero(top)))
    alpha = (t + np.sqrt((m - 1) * max(m - t * t, 0.0))) / m
    x = np.zeros(len(top))
    x[np.flatnonzero(top)[:m]] = (t - alpha) / max(m - 1, 1)
    x[np.argmax(top)] = alpha
    return feasible.unit(x)


BISECTIONS = 10  # of ρ; on genes half as many end as well in half the time
DSPCA_STEPS = 250  # most steps at one ρ; on genes half as many lose 1 % of the variance
EXACT = 1e-5  # loadings below this share of the largest count as zero; half and twice of it end as well


def dspca(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, renormalise: bool) -> Component:
    """Solve ``max tr(AX) − ρ 1'|X|1`` over X ⪰ 0, tr X = 1 (and X >= 0), and take X's leading eigenvector.

    The alternating direction method parts the eigenvalues from the entries: a projection onto the spectraplex, and soft
    thresholding. ρ is bisected, between 0 and the largest variance, towards k loadings above rounding.
    """
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    every = np.arange(cov.n_features)
    A = np.array(cov.block(every, every))
    scale = float(cov.eigenpairs(1)[0][0])
    A = A / scale
    found = Best(problem, monitor)
    low, high = 0.0, float(A.diagonal().max())
    state = np.eye(len(A)) / len(A), np.zeros_like(A)
    for number in range(BISECTIONS):
        rho = (low + high) / 2
        x, state = _relaxed(A, rho, nonnegative, state, monitor)
        if np.count_nonzero(x) > k:
            low = rho
        else:
            high = rho
        x = feasible.best(x, k, nonnegative)
        if renormalise:
            x = optimise_on_support(cov, x, nonnegative=nonnegative, monitor=monitor)
        found.offer(x)
        monitor.tell((number + 1) / BISECTIONS, f"ρ = {rho * scale:.3g}", found.variance)
        if monitor.stop():
            break
    return problem.component(found.loadings, "dspca", found.history, stopped=monitor.stop())


def _relaxed(
    A: np.ndarray, rho: float, nonnegative: bool, state: tuple[np.ndarray, np.ndarray], monitor: Monitor
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The relaxation at one ρ, from where another left off: X's leading eigenvector, and the state."""
    (Z, U), spectraplex = state, Fantope()
    for step in range(DSPCA_STEPS):
        X = spectraplex.nearest(Z - U + A)
        V = X + U
        before, Z = Z, np.maximum(V - rho, 0.0) if nonnegative else np.sign(V) * np.maximum(np.abs(V) - rho, 0.0)
        U = V - Z
        if step % 10 == 9 and (monitor.stop() or max(np.abs(X - Z).max(), np.abs(Z - before).max()) < 1e-6):
            break
    x = np.linalg.eigh((Z + Z.T) / 2)[1][:, -1] if Z.any() else np.eye(len(A))[int(A.diagonal().argmax())]
    x = x if x[np.abs(x).argmax()] > 0 else -x
    return np.where(np.abs(x) > EXACT * np.abs(x).max(), x, 0.0), (Z, U)


STEPS_BETWEEN_POLLS = 20  # of the stop switch: the steps go on where the last ended
NMF_NOTE = "parts of max(A, 0), not a maximiser of the variance; cut to the k largest weights"


def nmf(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, max_iter: int) -> Component:
    """One part of the positive part of A, cut to its k largest weights."""
    part = nmf_joint(problem, 1, rng=rng, monitor=monitor, max_iter=max_iter).parts[0]
    return dataclasses.replace(part, history=(part.variance,), stopped=monitor.stop())


def nmf_joint(
    problem: Problem, n_components: int, *, rng: np.random.Generator, monitor: Monitor, max_iter: int
) -> Components:
    """Factorise ``max(A, 0) ≈ WH``, or the positive and the negative parts of the data; the rows of H are the parts."""
    cov = problem.cov
    if (factor := cov.factor) is None:
        positive = np.maximum(cov.entries, 0.0)
    else:
        Y = factor.columns(np.arange(cov.n_features))
        positive = np.vstack([np.maximum(Y, 0.0), np.maximum(-Y, 0.0)])
    return _gathered(problem, nmf_parts(positive, n_components, rng=rng, max_iter=max_iter, monitor=monitor), monitor)


def nmf_parts(
    X: np.ndarray,
    n_components: int,
    *,
    rng: np.random.Generator,
    max_iter: int = 200,
    monitor: Monitor = QUIET,
) -> np.ndarray:
    """Return the parts of nonnegative data, not centred, as unit columns (n, r); columns of zeros are left out.

    Where the monitor stops it, the parts are as they are by then: the mean where there are none yet.
    """
    if X.min() < 0:
        raise ValueError(f"nonnegative factorisation needs data >= 0; the smallest value given is {X.min():g}")
    try:
        sklearn = run_cancellable(lambda: import_module("sklearn.decomposition"), monitor)  # which takes a second
    except Stopped:
        return feasible.unit(X.mean(axis=0))[:, None]
    peak = float(X.max())
    scaled = X / (peak if peak > 0 else 1.0)
    seed = int(rng.integers(2**31 - 1))
    W = H = None
    for start in range(0, max_iter, STEPS_BETWEEN_POLLS):
        model = sklearn.NMF(
            n_components=min(n_components, *X.shape),
            init="nndsvda" if W is None else "custom",
            random_state=seed,
            max_iter=min(STEPS_BETWEEN_POLLS, max_iter - start),
            tol=0.0,  # all the steps, and no warning that more could be made
        )
        W = model.fit_transform(scaled, W=W, H=H)
        H = model.components_
        if monitor.stop():
            break
    assert H is not None
    return feasible.unit(H[H.any(axis=1)]).T


def nmf_of_samples(
    X: np.ndarray,
    cov: Covariance,
    n_components: int,
    *,
    seed: int = 0,
    should_stop: ShouldStop | None = None,
) -> Components:
    """Return parts of the samples themselves, as in Lee & Seung (1999): all features, no k.

    X (m, n) is nonnegative, not centred; ``cov`` is its covariance.

    >>> X = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 1.0]])
    >>> parts = nmf_of_samples(X, Covariance.from_data(X), 2)
    >>> parts.loadings.round(3)
    array([[0.   , 0.707],
           [0.   , 0.707],
           [1.   , 0.   ]])
    """
    started = time.perf_counter()
    monitor = Monitor(should_stop)
    parts = nmf_parts(X, n_components, rng=np.random.default_rng(seed), monitor=monitor)
    note = "parts of the samples themselves, not a maximiser of the variance; k is not used"
    result = _gathered(Problem(cov, cov.n_features), parts, monitor, note)
    return dataclasses.replace(result, seconds=time.perf_counter() - started)


def _gathered(problem: Problem, X: np.ndarray, monitor: Monitor, note: str = NMF_NOTE) -> Components:
    """The parts as components, the one of most variance first."""
    cov, columns = problem.cov, [feasible.unit(feasible.keep_top(x, problem.k, True)) for x in X.T if x.any()]
    found = [problem.component(x, "nmf", note=note) for x in columns or [problem.widest()]]
    parts = sorted(found, key=lambda part: -part.variance)
    return together(cov, parts, "nmf", "joint", True, stopped=monitor.stop(), note=note)
