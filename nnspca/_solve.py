"""The door to the solvers: check what was asked, run one, say how long it took."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np

from nnspca import feasible
from nnspca.covariance import Covariance
from nnspca.problem import Problem
from nnspca.progress import Monitor
from nnspca.result import Component, OnProgress, ShouldStop
from nnspca.solvers.registry import METHODS, MethodInfo
from nnspca.threads import one_blas_thread


def solve(
    cov: Covariance,
    k: int,
    method: str = "best",
    *,
    nonnegative: bool = True,
    seed: int = 0,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    start: np.ndarray | None = None,
    **options: object,
) -> Component:
    """Find a unit vector with at most k nonzero loadings that explains much variance.

    Parameters
    ----------
    cov : Covariance
        Of n features.
    k : int
        Most nonzero loadings allowed, 1 <= k <= n. With k = n only the sign constraint is left.
    method : str
        A key of ``nnspca.METHODS``.
    nonnegative : bool
        Require loadings >= 0.
    seed : int
        Same seed, same answer.
    should_stop : callable, optional
        Polled at least every 100 ms; once true, the best point so far is returned, marked
        ``stopped``.
    on_progress : callable, optional
        Called with :class:`nnspca.Progress`.
    start : ndarray, shape (n,) or (r, n), optional
        Points for ``best`` to begin with as well, such as the solution at a neighbouring k.
    **options
        Those of the method: ``nnspca.METHODS[method].options``.

    Returns
    -------
    Component

    Raises
    ------
    ValueError
        Unknown method or option, a value outside its range, k outside 1..n, a sign setting the
        method does not have.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[3.0, -1.0, 1.0], [-1.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    >>> part = nnspca.solve(cov, k=2)
    >>> part.support
    array([0, 2])
    >>> round(part.variance, 4)
    3.618
    """
    info = check_method(method, nonnegative)
    k = check_cardinality(cov, k)
    check_size(info, cov.n_features)
    checked = info.checked(options)
    if "rank" in checked:
        checked["rank"] = _check_rank(checked["rank"], cov.n_features, asked="rank" in options)
    extra = {}
    if start is not None and method == "best":
        extra["starts"] = _check_start(start, cov.n_features)
    started = time.perf_counter()
    with one_blas_thread():
        found = info.solver(
            Problem(cov, k, nonnegative),
            rng=np.random.default_rng(check_seed(seed)),
            monitor=Monitor(should_stop, on_progress),
            **checked,
            **extra,
        )
    loadings = found.loadings + 0.0  # no negative zeros
    loadings.setflags(write=False)
    if on_progress is not None:
        Monitor(None, on_progress).tell(1.0, "done", found.variance)
    return dataclasses.replace(found, loadings=loadings, options=checked, seconds=time.perf_counter() - started)


def check_method(method: str, nonnegative: bool) -> MethodInfo:
    """Return the method's entry; ValueError for an unknown name or an unsupported sign setting."""
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not known; give one of {', '.join(map(repr, METHODS))}")
    info = METHODS[method]
    if nonnegative not in info.signs:
        raise ValueError(
            f"method {method!r} does not support nonnegative={nonnegative!r}; "
            f"give nonnegative={' or '.join(map(str, info.signs))}"
        )
    return info


def check_size(info: MethodInfo, n: int) -> None:
    """Raise ValueError where the method does not take so many features."""
    if info.max_features is not None and n > info.max_features:
        raise ValueError(
            f"method {info.name!r} takes at most {info.max_features} features; these data have {n}. "
            "Give method='best', and certify it to know how close it is to the optimum"
        )


def check_cardinality(cov: Covariance, k: object) -> int:
    """Return k as an int; ValueError unless it is a whole number from 1 to n."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= cov.n_features:
        raise ValueError(f"k={k!r} is not allowed; give a whole number from 1 to {cov.n_features}")
    return int(k)


def _check_rank(rank: Any, n: int, *, asked: bool) -> int:
    """Return the rank; ValueError for one beyond n that was asked for, where a default fits itself to n."""
    if asked and rank > n:
        raise ValueError(f"option rank={rank!r} is not allowed; give a whole number from 1 to {n}")
    return min(rank, n)


def check_seed(seed: object) -> int:
    """Return the seed as an int; ValueError unless it is a whole number of at least 0."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed={seed!r} is not allowed; give a whole number of at least 0")
    return int(seed)


def _check_start(start: np.ndarray, n: int) -> np.ndarray:
    rows = np.atleast_2d(np.asarray(start, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] != n or not np.isfinite(rows).all():
        raise ValueError(f"start has shape {np.shape(start)}; give finite points of shape ({n},) or (r, {n})")
    return feasible.unit(rows)
