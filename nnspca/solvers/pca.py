"""PCA, whole and cut to k loadings."""

from __future__ import annotations

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import run_cancellable
from nnspca.covariance.problem import Problem, with_joint_variance
from nnspca.numerics import feasible
from nnspca.result import Component, Components
from nnspca.solvers.climb import optimise_on_support

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
    return with_joint_variance(cov, parts, "pca", "joint", False, note=PCA_NOTE)
