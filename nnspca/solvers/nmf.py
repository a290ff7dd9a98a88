"""NMF: nonnegative parts whose weighted sums come near the data, or the positive part of A."""

from __future__ import annotations

import dataclasses
import time
from importlib import import_module

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped, run_cancellable
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, with_joint_variance
from nnspca.numerics import feasible
from nnspca.result import Component, Components, ShouldStop
from nnspca.solvers.climb import QUIET

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
    if (factor := cov.held.factor) is None:
        positive = np.maximum(cov.held.entries, 0.0)
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
    return with_joint_variance(cov, parts, "nmf", "joint", True, stopped=monitor.stop(), note=note)
