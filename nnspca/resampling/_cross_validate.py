"""Cross-validation of k: the variance of held-out samples that components of the others explain."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np

from nnspca.control.arguments import Deflation, Method, Seed, check_callables, check_one_or_several, check_whole
from nnspca.control.progress import Monitor
from nnspca.machines import Executor, Workers, check_executor, jobs
from nnspca.resampling.samples import Recipe, Samples, read_samples
from nnspca.result import CrossValidation, OnProgress, ShouldStop


def cross_validate(
    data: object,
    k: int | Iterable[int],
    *,
    n_components: int = 1,
    folds: int = 5,
    method: Method = "best",
    deflation: Deflation = "disjoint",
    standardize: bool | None = None,
    nonnegative: bool = True,
    seed: Seed = 0,
    executor: Executor = None,
    n_jobs: int | None = None,
    on_point: Callable[[CrossValidation], None] | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    **options: object,
) -> CrossValidation:
    """Measure the variance of held-out samples that components of each k explain.

    The samples are dealt into folds at random. Each fold is held out once: components are
    sought on the others, and the share of the held-out samples' squared distance from the others'
    mean within the span of the components is measured. A k beyond which it no longer grows
    overfits these samples. It is an estimate with an error, not a
    proof.

    Parameters
    ----------
    k : int or iterable of int
        Each from 1 to n; duplicates are solved once.
    n_components : int
        How many components are sought, and span what is kept.
    folds : int
        2 to m.
    data, standardize, method, deflation, nonnegative, seed, executor, n_jobs, should_stop, on_progress, **options
        As for :func:`nnspca.bootstrap`; features are divided by their standard deviation over the samples that are not
        held out, and a stopped call returns the results so far.
    on_point : callable, optional
        Called with what is known by then, whenever one k is solved for one fold.

    Returns
    -------
    CrossValidation

    Raises
    ------
    DataError, ReadingStopped, TypeError, ValueError
        As :func:`nnspca.bootstrap`.

    Examples
    --------
    Two features that vary together beside one that hardly varies: the third adds nothing.

    >>> import nnspca
    >>> X = np.array([[3.0, 3.1, 0.1], [-3.0, -2.9, 0.0], [2.0, 2.1, -0.1], [-2.1, -2.0, 0.1]] * 3)
    >>> found = nnspca.cross_validate(X, [1, 2, 3], folds=4)
    >>> found.suggested_k, bool(found.mean[1] > 0.99)
    (2, True)
    """
    check_callables(on_point=on_point, should_stop=should_stop, on_progress=on_progress)
    monitor, started = Monitor(should_stop, on_progress), time.perf_counter()
    samples = read_samples(data, standardize, "cross_validate", monitor)
    m, n = samples.shape
    check_executor(executor)
    ks = check_one_or_several("k", k)
    wanted = tuple(sorted({check_whole("k", each, 1, n) for each in ks}))
    if not wanted:
        raise ValueError(f"cross-validation needs at least one k; got k={ks}")
    options["deflation"] = deflation
    search = Recipe.read(cross_validate, samples, n_components, method, nonnegative, seed, options)
    parted = check_whole("folds", folds, 2, m)
    held_out, fitted = (np.full((parted, len(wanted)), np.nan) for _ in range(2))
    done, total = 0, parted * len(wanted)
    samples.whole(standardize)

    def result(*, stopped: bool) -> CrossValidation:
        arrays = held_out.copy(), fitted.copy()
        for array in arrays:
            array.setflags(write=False)
        return CrossValidation(wanted, *arrays, search.r, search.seed, time.perf_counter() - started, stopped)

    with jobs(executor, n_jobs) as where, Workers(where, samples, monitor) as workers:
        # every fold's smallest k first: what is known when it is stopped are whole columns
        places = [(fold, at) for at in range(len(wanted)) for fold in range(parted)]
        for number, shares in workers.each(
            _explained_shares, ((search, parted, fold, wanted[at]) for fold, at in places)
        ):
            if shares is None:
                continue
            held_out[places[number]], fitted[places[number]] = shares
            done += 1
            monitor.tell(done / total, f"k = {wanted[places[number][1]]}: {done} of {total}")
            if on_point is not None:
                on_point(result(stopped=False))
    return result(stopped=done < total)


def folded(m: int, folds: int, seed: int) -> list[np.ndarray]:
    """Deal m samples into random folds whose sizes differ by at most one; the rows of each, in order.

    >>> [len(rows) for rows in folded(7, 3, seed=0)], sorted(np.concatenate(folded(7, 3, seed=0)).tolist())
    ([3, 2, 2], [0, 1, 2, 3, 4, 5, 6])
    """
    order = np.random.default_rng([seed, folds]).permutation(m)
    return [np.sort(rows) for rows in np.array_split(order, folds)]


def _explained_shares(
    samples: Samples, search: Recipe, folds: int, fold: int, k: int, should_stop: ShouldStop | None
) -> tuple[float, float] | None:
    """The shares explained of one fold and of its other samples by components of these; None if stopped."""
    if should_stop is not None and should_stop():
        return None
    rows = folded(samples.shape[0], folds, search.seed)[fold]
    others = np.setdiff1d(np.arange(samples.shape[0]), rows)
    columns = np.zeros((samples.shape[1], 0))  # samples that are all the same show no direction
    cov = samples.covariance(others)
    if cov is not None:
        components = search.of(cov, k, should_stop)
        if components.stopped:
            return None
        columns = components.loadings
    return samples.explained(columns, others, rows), samples.explained(columns, others, others)
