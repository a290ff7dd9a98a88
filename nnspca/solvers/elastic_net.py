"""SPCA: regression on the leading eigenvector with an elastic net (Zou et al.)."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import run_cancellable
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.result import Component
from nnspca.solvers.climb import Best, optimise_on_support

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
            x = feasible.argmax(pull, 1, nonnegative)
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
