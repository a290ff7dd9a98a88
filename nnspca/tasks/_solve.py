"""Solve: the entry point of the solvers, and the checks of arguments that all tasks share."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from nnspca.control.arguments import (
    Method,
    Options,
    Seed,
    check_callables,
    check_choice,
    check_flag,
    check_instance,
    check_whole,
    masked,
    real,
    real_array,
    shown,
)
from nnspca.control.progress import Monitor, OnFound
from nnspca.control.stopping import Stopped
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, SomeFeatures, check_restriction, on_all, restricted
from nnspca.numerics import feasible
from nnspca.numerics.doubles import read_only
from nnspca.result import Component, OnProgress, Progress, ShouldStop
from nnspca.solvers.limited import Groups, check_limits, limited
from nnspca.solvers.registry import METHODS, MethodInfo


def solve(
    cov: Covariance,
    k: int,
    method: Method = "best",
    *,
    nonnegative: bool = True,
    seed: Seed = 0,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    on_found: OnFound | None = None,
    start: np.ndarray | None = None,
    include: SomeFeatures = None,
    exclude: SomeFeatures = None,
    groups: Groups | None = None,
    max_loading: float | None = None,
    **options: Unpack[Options],
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
    seed : int or numpy.random.Generator
        Same seed, same answer; a Generator gives another one to each call.
    should_stop : callable, optional
        Polled at least every 100 ms; once true, the best point so far is returned, marked ``stopped``.
    on_progress : callable, optional
        Called with :class:`nnspca.result.Progress`.
    on_found : callable, optional
        Called with loadings and variance of feasible points that the method meets on its way, better than the last or
        not; the answer itself is not among them where it is met only at the end.
    start : ndarray, shape (n,) or (r, n), optional
        Points for ``best`` to begin with as well, such as the solution at a neighbouring k.
    include, exclude : sequence of int or str, or mask of shape (n,), optional
        Features by place or name. ``include`` keeps a place for each of them: at most
        ``k - len(include)`` other loadings are nonzero. A feature included may still come out at
        zero, where any weight on it would lose variance. Features of ``exclude`` have no loading.
        Any method takes ``exclude``; for ``include`` see ``nnspca.METHODS[method].includes``.
    groups : iterable of (features, most), optional
        For ``best``: at most so many loadings are nonzero among these features, by place or name. No feature is in two.
    max_loading : float, optional
        For ``best``: no loading is larger in magnitude, from 1/√k to 1. Neither goes with ``include``.
    **options
        Those of the method: ``nnspca.METHODS[method].options``.

    Returns
    -------
    Component

    Raises
    ------
    TypeError
        No covariance, but data or a matrix; a callback that is no function; an unknown option (also a ValueError).
    ValueError
        Unknown method, a value outside its range, k outside 1..n (less what is
        excluded), a sign setting the method does not have; features to include or exclude that are
        unknown, repeated, in both, all of them, or more included than k.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[3.0, -1.0, 1.0], [-1.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    >>> part = nnspca.solve(cov, k=2)
    >>> part.support
    array([0, 2])
    >>> round(part.variance, 4)
    3.618
    >>> nnspca.solve(cov, k=2, exclude=[2]).support, nnspca.solve(cov, k=2, include=[1]).support
    (array([0]), array([0]))
    """
    monitor = monitor_of(cov, should_stop, on_progress, on_found=on_found)
    info, nonnegative = check_method(method, nonnegative), bool(nonnegative)
    k, ins, outs = check_restriction(cov, k, include, exclude)
    seed = check_seed(seed)
    check_includes(info, ins)
    problem, left = restricted(Problem(cov, k, nonnegative), ins, outs)
    check_size(info, problem.n)
    limits = check_limits(cov, left, k, nonnegative, groups, max_loading)
    if limits is not None and (method != "best" or ins or options or start is not None):
        raise ValueError("groups and max_loading go with method 'best' alone: without its options, include and start")
    checked = info.checked(options, solve)
    if "rank" in checked:
        rank: Any = checked["rank"]
        if "rank" in options and rank > problem.n:
            raise ValueError(f"option rank={rank!r} is not allowed; give a whole number from 1 to {problem.n}")
        checked["rank"] = min(rank, problem.n)  # a default fits itself
    extra = {}
    if start is not None:
        if method != "best":
            raise ValueError(f"start={shown(start)} is not for method {method!r}; only 'best' begins at given points")
        rows = _check_start(start, cov.n_features)[:, left]
        extra["starts"] = rows[rows.any(axis=1)]
    started = time.perf_counter()
    best = _BestShown(Problem(cov, k, nonnegative, ins), on_found)
    report = None if should_stop is None and on_found is None else best
    with one_blas_thread():
        try:
            monitor = replace(monitor, on_found=report)
            if len(left) < cov.n_features:
                monitor = monitor.on_features(left, cov.n_features)
            rng = np.random.default_rng(seed)
            if limits is not None:
                component = limited(problem, limits, rng=rng, monitor=monitor)
            else:
                component = info.solver(problem, rng=rng, monitor=monitor, **checked, **extra)
            component = dataclasses.replace(component, loadings=on_all(component.loadings, left, cov.n_features))
        except Stopped:
            x = problem.widest() if limits is None else limits.best(problem.widest())
            x = on_all(x, left, cov.n_features)
            x = x if best.loadings is None else best.loadings
            component = Problem(cov, k, nonnegative).component(x, method, (cov.variance(x),), stopped=True)
    loadings = read_only(component.loadings + 0.0)  # no negative zeros
    monitor.tell(1.0, "done", component.variance)
    seconds = time.perf_counter() - started
    return dataclasses.replace(component, loadings=loadings, options=checked, seconds=seconds, features=cov.features)


class _BestShown:
    """Forwards the feasible points that a method reports and keeps the best, for a call that is stopped."""

    def __init__(self, problem: Problem, on_found: OnFound | None) -> None:
        self.problem, self.on_found, self.variance = problem, on_found, -np.inf
        self.loadings: np.ndarray | None = None

    def __call__(self, loadings: np.ndarray, variance: float) -> None:
        if self.problem.include and self.problem.infeasibility(loadings):  # not all starts of a method keep the places
            return
        if variance > self.variance:
            self.loadings, self.variance = loadings.copy(), variance
        if self.on_found is not None:
            self.on_found(loadings, variance)


def check_covariance(cov: object) -> None:
    """Raise TypeError unless the argument is a covariance; the message shows how to make one."""
    check_instance("cov", cov, Covariance, "Covariance.from_data(X) of samples as rows, or Covariance.from_matrix(A)")


def monitor_of(
    cov: object,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    time_limit: float | None = None,
    **listeners: object,
) -> Monitor:
    """Return the monitor of a call about a covariance, which its time limit stops as well.

    Its progress is then that of the time. TypeError unless there is a covariance, and callbacks are functions;
    ValueError unless the limit is a positive number of seconds.
    """
    check_covariance(cov)
    check_callables(should_stop=should_stop, on_progress=on_progress, **listeners)
    if time_limit is None:
        return Monitor(should_stop, on_progress)
    seconds = real(time_limit)
    if seconds is None or not seconds > 0:
        raise ValueError(f"time_limit={shown(time_limit)} is not allowed; give a positive number of seconds, or None")
    began, listen = time.monotonic(), on_progress

    def over() -> bool:
        return time.monotonic() - began >= seconds or (should_stop is not None and bool(should_stop()))

    if listen is None or seconds == math.inf:
        return Monitor(over, listen)

    def report(progress: Progress) -> None:
        spent = min((time.monotonic() - began) / seconds, 1.0)
        listen(replace(progress, fraction=1.0 if (progress.stage, progress.fraction) == ("done", 1.0) else spent))

    return Monitor(over, report)


def check_method(method: str, nonnegative: bool) -> MethodInfo:
    """Return the method's entry; ValueError for an unknown name or an unsupported sign setting."""
    check_choice("method", method, METHODS)
    info = METHODS[method]
    if check_flag("nonnegative", nonnegative) not in info.signs:
        raise ValueError(
            f"method {method!r} does not support nonnegative={nonnegative!r}; "
            f"give nonnegative={' or '.join(map(str, info.signs))}"
        )
    return info


def check_includes(info: MethodInfo, include: tuple[int, ...]) -> None:
    """Raise ValueError if features are to be included and the method takes none."""
    if include and not info.includes:
        able = ", ".join(repr(name) for name, other in METHODS.items() if other.includes)
        raise ValueError(f"method {info.name!r} does not support include={list(include)}; give one of {able}")


def check_size(info: MethodInfo, n: int) -> None:
    """Raise ValueError if the method does not take so many features."""
    if info.max_features is not None and n > info.max_features:
        raise ValueError(
            f"method {info.name!r} takes at most {info.max_features} features; these data have {n}. "
            "Give method='best', and certify it to know how close it is to the optimum"
        )


def check_cardinality(cov: Covariance, k: object) -> int:
    """Return k as an int; ValueError unless it is a whole number from 1 to n."""
    return check_whole("k", k, 1, cov.n_features)


def check_sizes(k: object, count: int) -> list[Any]:
    """One cardinality for each component; ValueError for another number of them."""
    sizes = [k] * count if isinstance(k, str) or not isinstance(k, Iterable) or not getattr(k, "ndim", 1) else list(k)
    if len(sizes) != count:
        raise ValueError(f"k has {len(sizes)} values; give one whole number, or {count}, one for each component")
    return sizes


def check_seed(seed: object) -> int:
    """Return the seed as an int, a Generator's next one; ValueError unless it is a whole number of at least 0."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**31))
    return check_whole("seed", seed, 0, more="or a numpy.random.Generator")


def _check_start(start: object, n: int) -> np.ndarray:
    try:
        rows = np.empty((0, 0)) if masked(start)[0] else np.atleast_2d(real_array(start))
    except (OverflowError, TypeError, ValueError):
        rows = np.empty((0, 0))
    if rows.ndim != 2 or rows.shape[1] != n or not np.isfinite(rows).all() or not rows.any(axis=1).all():
        raise ValueError(f"start is {shown(start)}; give finite points of shape ({n},) or (r, {n}), none of them 0")
    return feasible.unit(rows)
