"""Parallel analysis: the same search once each column is shuffled by itself, and nothing varies together any more."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import scipy.sparse

from nnspca.control.arguments import Method, Seed, check_callables, check_one_or_several, check_whole
from nnspca.control.progress import Monitor
from nnspca.covariance.samples import DENSE_FEATURES
from nnspca.machines import Executor, Workers
from nnspca.numerics.doubles import read_only
from nnspca.resampling.samples import Recipe, Samples, SearchOptions, members, read_samples
from nnspca.result import OnProgress, ParallelAnalysis, ShouldStop

LIGHT: Method = "greedy"  # takes a thirtieth of the time of "best" for 12,582 features, and finds 1 to 10 % less


def parallel_analysis(
    data: object,
    k: int | Iterable[int],
    n_components: int = 1,
    *,
    draws: int = 20,
    groups: object = None,
    method: Method = "best",
    standardize: bool | None = None,
    center: bool = True,
    nonnegative: bool = True,
    seed: Seed = 0,
    executor: Executor = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    **options: Unpack[SearchOptions],
) -> ParallelAnalysis:
    """Measure what chance gives: the variance that the same search finds once each column is shuffled by itself.

    A maximum over many features is large even where nothing varies together, and a proof that it is the maximum does
    not change that [1]_. Shuffled columns keep each feature's values and lose what features have in common. Part c is
    compared with the best component of shuffled columns among the features that the parts before it leave.

    Parameters
    ----------
    data : anything that :meth:`Covariance.from_data` takes, shape (m, n)
        Samples as rows, which are loaded into memory. A Dask array is loaded too: give most_variable features of it.
    k : int or iterable of int
        Most nonzero loadings; several k, each from 1 to n, give a curve. At k = 1 nothing can be more than chance.
    n_components : int
        Number of disjoint parts, found one after the other, from 1 to n; 1 where there are several k.
    draws : int
        19 to 100000: fewer could give no p-value of 0.05.
    groups : array_like, shape (m,), optional
        The group of each sample, such as the person: values are then exchanged only within a group, and
        differences between groups count as given.
    method : str
        A key of ``nnspca.METHODS``, for the data and the draws. For more than 1,500 features "greedy" takes the place
        of "best" on both sides; ``method`` of the result says so.
    standardize, center, nonnegative, seed, executor, should_stop, on_progress, **options
        As for :func:`nnspca.bootstrap`. A stopped call returns the draws so far.

    Returns
    -------
    ParallelAnalysis

    Raises
    ------
    DataError
        Data without samples, or without any variance.
    ReadingStopped
        A call stopped while data that are not in memory were read.
    TypeError, ValueError
        A value not allowed; the message says which are.

    References
    ----------
    .. [1] Horn, "A rationale and test for the number of factors in factor analysis", Psychometrika 30, 1965.

    Examples
    --------
    The best of independent columns is a maximum, too:

    >>> import nnspca
    >>> noise = np.random.default_rng(0).standard_normal((30, 40))
    >>> chance = nnspca.parallel_analysis(noise, 5)
    >>> bool(chance.is_more), bool(chance.quantile(0.95) > chance.observed > 2 / 40)
    (False, True)
    """
    check_callables(should_stop=should_stop, on_progress=on_progress)
    monitor, started = Monitor(should_stop, on_progress), time.perf_counter()
    shared: dict[str, Any] = {"center": center, "groups": groups, "executor": executor, "shuffles": True}
    samples = read_samples(data, standardize, "parallel_analysis", monitor, **shared)
    count, n = check_whole("draws", draws, 19, 100_000), samples.shape[1]
    ks = tuple(sorted({check_whole("k", each, 1, n) for each in check_one_or_several("k", k)}))
    if not ks or (len(ks) > 1 and n_components != 1):
        raise ValueError(f"k={[*ks]} is not allowed; give one k, or several k with n_components=1")
    if method == "best" and n > DENSE_FEATURES:
        method = LIGHT
    search = Recipe.read(
        parallel_analysis, samples, n_components, method, nonnegative, seed, {**options, "deflation": "disjoint"}
    )
    whole = samples.whole(standardize)
    found = [search.of(whole, each, should_stop) for each in ks]
    used = np.cumsum(found[-1].loadings != 0, axis=1)
    # of each number to compare: k, and the features that take part
    cases = [(each, np.arange(n)) for each in ks]
    cases += [(ks[0], np.flatnonzero(used[:, c] == 0)) for c in range(len(found[-1]) - 1)]
    observed = np.array([part.variance for parts in found for part in parts][: len(cases)])
    null: dict[int, np.ndarray] = {}
    monitor.tell(1 / (count + 1), "the data", float(observed[0]))
    if not any(parts.stopped for parts in found):
        alone = replace(search, r=1)
        with Workers(executor, samples, monitor) as workers:
            for number, drawn in workers.each(_by_chance, ((alone, cases, number) for number in range(count))):
                if drawn is not None:
                    null[number] = drawn
                    monitor.tell((len(null) + 1) / (count + 1), f"shuffled columns, {len(null)} of {count}")
    rows = np.array([null[number] for number in sorted(null)]).reshape(len(null), len(cases)) / whole.trace
    observed = observed / whole.trace
    if len(cases) == 1:
        rows, observed = rows[:, 0], observed[0]
    if len(null) == count:
        monitor.tell(1.0, "done")
    seconds, stopped = time.perf_counter() - started, len(null) < count
    return ParallelAnalysis(ks, observed, read_only(rows), n, method, found[-1], search.seed, seconds, stopped)


def _by_chance(
    samples: Samples, search: Recipe, cases: list[tuple[int, np.ndarray]], number: int, should_stop: ShouldStop | None
) -> np.ndarray | None:
    """The variances that one draw of shuffled columns gives; None if stopped."""
    rng = np.random.default_rng([search.seed, number])
    mixed, variances = replace(samples, X=shuffled(samples.X, rng, samples.groups)), []
    for k, features in cases:
        cov = mixed.only(features).covariance(np.arange(samples.shape[0]))
        if should_stop is not None and should_stop():
            return None
        if cov is None:  # nothing varies among what the parts before leave
            variances.append(0.0)
            continue
        found = search.of(cov, min(k, len(features)), should_stop)
        if found.stopped:
            return None
        variances.append(found[0].variance)
    return np.array(variances)


def shuffled(X: Any, rng: np.random.Generator, groups: np.ndarray | None = None) -> Any:
    """Return samples whose columns are each shuffled by themselves, within groups where there are some.

    >>> shuffled(np.array([[1, 5], [2, 6], [3, 7]]), np.random.default_rng(0)).sum(axis=0)
    array([ 6, 18])
    """
    if groups is not None:
        each = members(groups)
        blocks, back = [shuffled(X[rows], rng) for rows in each], np.argsort(np.concatenate(each))
        sparse = scipy.sparse.issparse(X)
        return (scipy.sparse.vstack(blocks, format="csr") if sparse else np.concatenate(blocks))[back]
    if not scipy.sparse.issparse(X):
        return rng.permuted(X, axis=0)
    columns = scipy.sparse.csc_array(X, copy=True)
    for start, end in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        columns.indices[start:end] = rng.choice(X.shape[0], end - start, replace=False)
    columns.has_sorted_indices = False
    return scipy.sparse.csr_array(columns)
