"""The bootstrap of parts, and cross-validation of k: samples drawn again, or held out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from nnspca.components.exchange import paired
from nnspca.control.arguments import (
    Deflation,
    Method,
    Seed,
    check_callables,
    check_instance,
    check_number,
    check_one_or_several,
    check_whole,
)
from nnspca.control.progress import Monitor
from nnspca.covariance.samples import is_large
from nnspca.machines import Executor, Workers
from nnspca.numerics.doubles import read_only
from nnspca.resampling._chance import shuffled
from nnspca.resampling.samples import Recipe, Samples, SearchOptions, read_samples
from nnspca.result import Components, CrossValidation, OnProgress, ShouldStop, Stability

SHUFFLES = 20  # usual number of tables of shuffled columns
STABLE = 0.7  # usual mean recurrence from which a part counts as stable


def bootstrap(
    data: object,
    k: int | Sequence[int],
    *,
    n_components: int | None = None,
    resamples: int = 50,
    shuffles: int | None = None,
    method: Method = "best",
    deflation: Deflation = "disjoint",
    standardize: bool | None = None,
    center: bool = True,
    sample_weight: object = None,
    groups: object = None,
    nonnegative: bool = True,
    threshold: float = STABLE,
    parts: Components | None = None,
    seed: Seed = 0,
    executor: Executor = None,
    on_resample: Callable[[Stability], None] | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    **options: Unpack[SearchOptions],
) -> Stability:
    """Measure how often each feature of each part returns when the samples are drawn again with replacement.

    Each resample draws as many samples as there are, and its parts are paired with those of all samples so that paired
    parts share as many features as possible. A feature that returns seldom depends on the particular samples. This is
    an estimate about other samples, not a proof as a certificate or :func:`nnspca.necessity` gives about these.

    Parameters
    ----------
    data : anything that :meth:`Covariance.from_data` takes, shape (m, n)
        Samples as rows, which are loaded into memory; those of a large Dask array stay on its workers, where each
        resample is a pass, unless columns are to be shuffled.
    k : int or sequence of int
        Most nonzero loadings of each part, or of one part after the other.
    n_components : int, optional
        Number of parts, from 1 to n; that of ``parts``, or 1, when None.
    resamples : int
        1 to 100000.
    shuffles : int, optional
        So many times each column is shuffled by itself, within groups where there are some, and the parts of what that
        gives are sought again in two resamples: recurrence by chance, which a stable part exceeds. 0 to 100000; as many
        as resamples, at most 20, when None, and none where the samples are too large to be copied.
    method, deflation, nonnegative, should_stop, on_progress, **options
        As for :func:`nnspca.decompose`, whose ``include`` and ``exclude`` are among the options. A stopped call returns
        the result of the resamples so far.
    standardize : bool, optional
        Divide each feature by its standard deviation, in every resample by its own. None leaves the data as they are
        and warns where one feature holds over 90 % of the total variance.
    center, sample_weight
        As for :meth:`Covariance.from_data`.
    groups : array_like, shape (m,), optional
        The group of each sample, such as the person: samples of a group are drawn, or held out, together.
    threshold : float
        Mean recurrence from which a part counts as stable, 0 to 1.
    parts : Components, optional
        The parts of all samples, at most ``n_components``, whose features are found in the data by name where both
        have names; they are sought when None.
    seed : int
        Same seed, same answer, wherever and in whatever order the resamples are solved.
    executor
        As for :func:`nnspca.sweep`.
    on_resample : callable, optional
        Called with what is known by then, whenever a resample is solved.

    Returns
    -------
    Stability

    Raises
    ------
    DataError
        Data without samples, or without any variance.
    ReadingStopped
        A call stopped while data that are not in memory were read.
    TypeError, ValueError
        A value not allowed; the message says which are.

    Examples
    --------
    Two features that vary together, in every half of the samples:

    >>> import nnspca
    >>> X = np.array([[3.0, 3.1, 0.1], [-3.0, -2.9, 0.0], [2.0, 2.1, -0.1], [-2.1, -2.0, 0.1]] * 3)
    >>> found = nnspca.bootstrap(X, k=2, resamples=20)
    >>> found.recurrence[:, 0]
    array([1., 1., 0.])
    >>> found.suggested_n_components
    1
    """
    check_callables(on_resample=on_resample, should_stop=should_stop, on_progress=on_progress)
    monitor, started = Monitor(should_stop, on_progress), time.perf_counter()
    known = parts.features if isinstance(parts, Components) else None
    shared: dict[str, Any] = {"center": center, "sample_weight": sample_weight, "groups": groups, "executor": executor}
    samples = read_samples(data, standardize, "bootstrap", monitor, known, shuffles=shuffles, **shared)
    draws = check_whole("resamples", resamples, 1, 100_000)
    threshold = check_number("threshold", threshold, 0, 1, "a share")
    if n_components is None:
        n_components = len(parts) if isinstance(parts, Components) else 1
    how = {**options, "deflation": deflation}
    search = Recipe.read(bootstrap, samples, n_components, method, nonnegative, seed, how)
    if parts is None:
        whole = search.of(samples.whole(standardize), k, should_stop)
    else:
        check_instance("parts", whole := parts, Components, "what nnspca.decompose gave")
        if len(parts.loadings) != samples.shape[1] or len(parts) > search.r:
            most = f"give at most r = {search.r} parts of {samples.shape[1]} features"
            raise ValueError(f"parts have loadings of shape {parts.loadings.shape}; {most}")
    seen = _Seen(whole, threshold, search.seed)
    usual = 0 if is_large(*samples.shape) else min(draws, SHUFFLES)  # shuffled columns are a copy of all samples
    mixed = usual if shuffles is None else check_whole("shuffles", shuffles, 0, 100_000)
    total = draws + mixed + 1
    monitor.tell(1 / total, "the parts of all samples", float(whole.variances.sum()))
    if parts is not None or not whole.stopped:
        with Workers(executor, samples, monitor) as workers:
            for number, resample in workers.each(_redrawn, ((search, k, number) for number in range(draws))):
                if resample is not None:
                    seen.add(number, resample)
                    monitor.tell((seen.count + 1) / total, f"resample {seen.count} of {draws}")
                    if on_resample is not None:
                        on_resample(seen.result(started, stopped=False))
            for number, shares in workers.each(_recurring_by_chance, ((search, k, number) for number in range(mixed))):
                if shares is not None:
                    seen.by_chance[number] = shares
                    done = len(seen.by_chance)
                    monitor.tell((draws + 1 + done) / total, f"shuffled columns, {done} of {mixed}")
    stopped = seen.count < draws or len(seen.by_chance) < mixed
    if not stopped:
        monitor.tell(1.0, "done")
    return seen.result(started, stopped=stopped)


def _redrawn(
    samples: Samples, search: Recipe, k: int | Sequence[int], number: int, should_stop: ShouldStop | None
) -> tuple[tuple[np.ndarray, np.ndarray], ...] | None:
    """The parts of one resample as (features, loadings); none if it does not vary, None if stopped."""
    drawn = np.random.default_rng([search.seed, number]).integers(samples.count, size=samples.count)
    cov = samples.heeding(should_stop).covariance(np.sort(samples.rows_of(drawn)))
    if cov is None:
        return ()
    components = search.of(cov, k, should_stop)
    return None if components.stopped else tuple((part.support, part.loadings[part.support]) for part in components)


def _recurring_by_chance(
    samples: Samples, search: Recipe, k: int | Sequence[int], number: int, should_stop: ShouldStop | None
) -> np.ndarray | None:
    """The mean recurrence of each part of shuffled columns; None if stopped."""
    rng = np.random.default_rng([search.seed, number, 1])
    mixed = replace(samples, X=shuffled(samples.X, rng, samples.groups))
    shares, cov = np.full(search.r, np.nan), mixed.covariance(np.arange(samples.shape[0]))
    if cov is None:  # what varies has come to samples of no weight
        return shares
    whole = search.of(cov, k, should_stop)
    if whole.stopped:
        return None
    seen = _Seen(whole, 0.0, search.seed)
    for again in range(2):
        resample = _redrawn(mixed, search, k, 2 * number + again, should_stop)
        if resample is None:
            return None
        seen.add(again, resample)
    shares[: len(whole)] = np.mean(list(seen._agreement.values()), axis=0)
    return shares


class _Seen:
    """The parts of the resamples, paired with those of all samples."""

    def __init__(self, whole: Components, threshold: float, seed: int) -> None:
        self._whole, self._threshold, self._seed = whole, threshold, seed
        self._used = whole.loadings != 0
        self._times = np.zeros(self._used.shape)
        self._agreement: dict[int, np.ndarray] = {}
        self._degenerate = 0
        self.by_chance: dict[int, np.ndarray] = {}

    @property
    def count(self) -> int:
        return len(self._agreement)

    def add(self, number: int, resample: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
        """Count the features that returned in a resample."""
        n, r = self._used.shape
        others = np.zeros((n, max(r, len(resample))))
        for c, (support, loadings) in enumerate(resample):
            others[support, c] = loadings
        mine = np.zeros_like(others)
        mine[:, :r] = self._whole.loadings
        partner = others[:, paired(mine, others)[:r]] != 0
        self._times += partner
        self._agreement[number] = (partner & self._used).sum(axis=0) / self._used.sum(axis=0)
        self._degenerate += not resample

    def result(self, started: float, *, stopped: bool) -> Stability:
        r = self._used.shape[1]
        rows = [self._agreement[number] for number in sorted(self._agreement)]
        recurrence = self._times / self.count if self.count else np.full(self._used.shape, np.nan)
        agreement = np.array(rows).reshape(-1, r)
        by_chance = np.array([self.by_chance[number][:r] for number in sorted(self.by_chance)]).reshape(-1, r)
        return Stability(
            self._whole,
            max(part.k for part in self._whole.parts),
            read_only(recurrence),
            read_only(agreement),
            self._threshold,
            self._degenerate,
            self._seed,
            time.perf_counter() - started,
            stopped,
            read_only(by_chance),
        )


def cross_validate(
    data: object,
    k: int | Iterable[int],
    *,
    n_components: int | Iterable[int] = 1,
    folds: int = 5,
    method: Method = "best",
    deflation: Deflation = "disjoint",
    standardize: bool | None = None,
    center: bool = True,
    sample_weight: object = None,
    groups: object = None,
    nonnegative: bool = True,
    seed: Seed = 0,
    executor: Executor = None,
    on_point: Callable[[CrossValidation], None] | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    **options: Unpack[SearchOptions],
) -> CrossValidation:
    """Measure the variance of held-out samples that components of each k explain.

    The samples are dealt into folds at random. Each fold is held out once: components are sought on the others, and the
    share of the held-out samples' squared distance from the others' mean within the span of the components is measured.
    A k beyond which it no longer grows overfits these samples. It is an estimate with an error, not a proof.

    Parameters
    ----------
    k : int or iterable of int
        Each from 1 to n; duplicates are solved once.
    n_components : int or iterable of int
        How many components are sought, and span what is kept; several, of one k, are compared.
    folds : int
        2 to m, or to the number of groups.
    data, standardize, center, sample_weight, groups, method, deflation, nonnegative, seed, executor, \
    should_stop, on_progress, **options
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
    shared: dict[str, Any] = {"center": center, "sample_weight": sample_weight, "groups": groups, "executor": executor}
    samples = read_samples(data, standardize, "cross_validate", monitor, **shared)
    n = samples.shape[1]
    ks = check_one_or_several("k", k)
    wanted = tuple(sorted({check_whole("k", each, 1, n) for each in ks}))
    several = check_one_or_several("n_components", n_components)
    rs = tuple(sorted({check_whole("n_components", each, 1, n) for each in several}))
    if not wanted or not rs or min(len(wanted), len(rs)) > 1:
        raise ValueError(
            f"k={[*ks]} and n_components={[*several]} are not allowed; give several of one, and one of the other"
        )
    how = {**options, "deflation": deflation}
    search = Recipe.read(cross_validate, samples, rs[-1], method, nonnegative, seed, how)
    parted = check_whole("folds", folds, 2, samples.count)
    tried = [(each, replace(search, r=r)) for each in wanted for r in rs]
    shares = np.full((4, parted, len(tried)), np.nan)
    done, total = 0, parted * len(tried)
    features = samples.whole(standardize).features

    def result(*, stopped: bool) -> CrossValidation:
        known, apart, error, also = map(read_only, shares.copy())
        seconds = time.perf_counter() - started
        return CrossValidation(wanted, known, also, rs, search.seed, seconds, stopped, features, apart, error)

    with Workers(executor, samples, monitor) as workers:
        # every fold's smallest k first: what is known when it is stopped are whole columns
        places = [(fold, at) for at in range(len(tried)) for fold in range(parted)]
        for number, found in workers.each(
            _explained_shares, ((tried[at][1], parted, fold, tried[at][0]) for fold, at in places)
        ):
            if found is None:
                continue
            shares[:, *places[number]] = found
            done += 1
            each, own = tried[places[number][1]]
            what = f"k = {each}" if len(rs) == 1 else f"{own.r} components"
            monitor.tell(done / total, f"held-out samples, {what}: {done} of {total}")
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
) -> tuple[float, ...] | None:
    """What is explained of one fold, as by ``explained``, and of its other samples, whose components they are.

    None if stopped.
    """
    samples = samples.heeding(should_stop)
    rows = np.sort(samples.rows_of(folded(samples.count, folds, search.seed)[fold]))
    others = np.setdiff1d(np.arange(samples.shape[0]), rows)
    columns = np.zeros((samples.shape[1], 0))  # samples that are all the same show no direction
    cov = samples.covariance(others)
    if cov is not None:
        components = search.of(cov, k, should_stop)
        if components.stopped:
            return None
        columns = components.loadings
    mean, factors = samples.measured(cov, others)
    return *samples.explained(columns, mean, factors, rows), samples.explained(columns, mean, factors, others)[0]
