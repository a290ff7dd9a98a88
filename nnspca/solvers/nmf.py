"""Nonnegative matrix factorisation by scikit-learn, for comparison: additive parts."""

from __future__ import annotations

import dataclasses
import time
from importlib import import_module

import numpy as np

from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped, run_cancellable
from nnspca.covariance import Covariance
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.problem import Problem
from nnspca.covariance.span import cumulative_variance
from nnspca.numerics import feasible
from nnspca.result import Component, Components, ShouldStop

STEPS_BETWEEN_POLLS = 20  # of the stop switch: the steps go on where the last ended
QUIET = Monitor()
NOTE = "parts of max(A, 0), not a maximiser of the variance; cut to the k largest weights"


def nmf(problem: Problem, *, rng: np.random.Generator, monitor: Monitor, max_iter: int) -> Component:
    """One part of the positive part of A, cut to its k largest weights."""
    part = joint(problem, 1, rng=rng, monitor=monitor, max_iter=max_iter).parts[0]
    return Component(
        part.loadings,
        part.variance,
        "nmf",
        problem.k,
        True,
        history=(part.variance,),
        stopped=monitor.stop(),
        note=NOTE,
    )


def joint(
    problem: Problem, n_components: int, *, rng: np.random.Generator, monitor: Monitor, max_iter: int
) -> Components:
    """Factorise ``max(A, 0) ≈ WH``, or the positive and the negative parts of the data; the rows of H are the parts."""
    cov, k = problem.cov, problem.k
    if isinstance(cov._form, HeldMatrix):
        positive = np.maximum(cov._form.A, 0.0)
    else:
        Y = cov.whole_factor.columns(np.arange(cov.n_features))
        positive = np.vstack([np.maximum(Y, 0.0), np.maximum(-Y, 0.0)])
    return _gathered(cov, nmf_parts(positive, n_components, rng=rng, max_iter=max_iter, monitor=monitor), k, monitor)


def nmf_parts(
    X: np.ndarray,
    n_components: int,
    *,
    rng: np.random.Generator,
    max_iter: int = 200,
    monitor: Monitor = QUIET,
) -> np.ndarray:
    """Return the parts of nonnegative data as unit columns, shape (n, r); columns of zeros are left out.

    Parameters
    ----------
    X : ndarray, shape (m, n)
        Nonnegative, not centred: images as they are.
    n_components : int
    rng : numpy.random.Generator
    max_iter : int
    monitor : Monitor
        Polled every few steps; where it stops, the parts are as they are by then: the mean where
        there are none yet.

    Raises
    ------
    ValueError
        The data have negative entries.
    """
    if X.min() < 0:
        raise ValueError(f"nonnegative factorisation needs data >= 0; the smallest value given is {X.min():g}")
    try:
        NMF = run_cancellable(
            lambda: import_module("sklearn.decomposition"), monitor
        ).NMF  # which takes a second to import
    except Stopped:
        return feasible.unit(X.mean(axis=0))[:, None]
    peak = float(X.max())
    scaled = X / (peak if peak > 0 else 1.0)
    seed = int(rng.integers(2**31 - 1))
    W = H = None
    for start in range(0, max_iter, STEPS_BETWEEN_POLLS):
        model = NMF(
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
    parts = H.T
    return feasible.unit(parts[:, parts.any(axis=0)].T).T


def of_samples(
    X: np.ndarray,
    cov: Covariance,
    n_components: int,
    *,
    seed: int = 0,
    max_iter: int = 200,
    should_stop: ShouldStop | None = None,
) -> Components:
    """Return parts of the samples themselves, as in Lee & Seung (1999): all features, no k.

    Parameters
    ----------
    X : ndarray, shape (m, n)
        Nonnegative, not centred.
    cov : Covariance
        Of X; variances are on it.
    n_components : int
    seed : int
        Same seed, same parts.
    max_iter : int
    should_stop : callable, optional

    Raises
    ------
    ValueError
        The data have negative entries.

    Examples
    --------
    >>> X = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 1.0]])
    >>> parts = of_samples(X, Covariance.from_data(X), 2)
    >>> parts.loadings.round(3)
    array([[0.   , 0.707],
           [0.   , 0.707],
           [1.   , 0.   ]])
    """
    started = time.perf_counter()
    monitor = Monitor(should_stop)
    parts = nmf_parts(X, n_components, rng=np.random.default_rng(seed), max_iter=max_iter, monitor=monitor)
    note = "parts of the samples themselves, not a maximiser of the variance; k is not used"
    result = _gathered(cov, parts, cov.n_features, monitor, note)
    return dataclasses.replace(result, seconds=time.perf_counter() - started)


def _gathered(cov: Covariance, parts: np.ndarray, k: int, monitor: Monitor, note: str = NOTE) -> Components:
    """The parts as components, the one of most variance first."""
    columns = [feasible.unit(feasible.keep_top(x, k, True)) for x in parts.T if x.any()]
    if not columns:
        columns = [np.eye(cov.n_features)[int(cov.diagonal.argmax())]]
    columns.sort(key=lambda x: -cov.variance(x))
    loadings = np.column_stack(columns)
    return Components(
        tuple(Component(x, cov.variance(x), "nmf", k, True, note=note) for x in columns),
        cumulative_variance(cov, loadings),
        cov.trace,
        "nmf",
        "joint",
        True,
        stopped=monitor.stop(),
        note=note,
    )
