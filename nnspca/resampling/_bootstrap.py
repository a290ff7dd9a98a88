"""The bootstrap of parts: how often each feature returns when samples are drawn again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from nnspca.components.exchange import paired
from nnspca.control.arguments import Deflation, Method, Seed, check_callables, check_instance, check_number, check_whole
from nnspca.control.progress import Monitor
from nnspca.machines import Executor, Workers, check_executor, jobs
from nnspca.resampling.samples import Recipe, Samples, read_samples
from nnspca.result import Components, OnProgress, ShouldStop, Stability

STABLE = 0.7  # usual mean recurrence from which a part counts as stable


def bootstrap(
    data: object,
    k: int | Sequence[int],
    *,
    n_components: int = 1,
    resamples: int = 50,
    method: Method = "best",
    deflation: Deflation = "disjoint",
    standardize: bool | None = None,
    nonnegative: bool = True,
    threshold: float = STABLE,
    parts: Components | None = None,
    seed: Seed = 0,
    executor: Executor = None,
    n_jobs: int | None = None,
    on_resample: Callable[[Stability], None] | None = None,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    **options: object,
) -> Stability:
    """Measure how often each feature of each part returns when the samples are drawn again with replacement.

    Each resample draws as many samples as there are, and its parts are paired with those of all
    samples so that paired parts share as many features as possible. A feature that
    returns seldom depends on the particular samples. This is an estimate about other samples, not
    a proof as a certificate or :func:`nnspca.necessity` gives about these.

    Parameters
    ----------
    data : anything that :meth:`Covariance.from_data` takes, shape (m, n)
        Samples as rows, which are loaded into memory.
    k : int or sequence of int
        Most nonzero loadings of each part, or of one part after the other.
    n_components : int
        Number of parts, from 1 to n.
    resamples : int
        1 to 100000.
    method, deflation, nonnegative, should_stop, on_progress, **options
        As for :func:`nnspca.decompose`, whose ``include`` and ``exclude`` are among the options. A stopped call returns
        the result of the resamples so far.
    standardize : bool, optional
        Divide each feature by its standard deviation, in every resample by its own. None leaves the data as they are
        and warns where one feature holds over 90 % of the total variance.
    threshold : float
        Mean recurrence from which a part counts as stable, 0 to 1.
    parts : Components, optional
        The parts of all samples, at most ``n_components``; they are sought when None.
    seed : int
        Same seed, same answer, wherever and in whatever order the resamples are solved.
    executor
        As for :func:`nnspca.sweep`.
    n_jobs : int, optional
        So many processes of this machine instead, -1 for one a processor.
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
    >>> found.suggested_r
    1
    """
    check_callables(on_resample=on_resample, should_stop=should_stop, on_progress=on_progress)
    monitor, started = Monitor(should_stop, on_progress), time.perf_counter()
    samples = read_samples(data, standardize, "bootstrap", monitor)
    check_executor(executor)
    draws = check_whole("resamples", resamples, 1, 100_000)
    threshold = check_number("threshold", threshold, 0, 1, "a share")
    options["deflation"] = deflation
    search = Recipe.read(bootstrap, samples, n_components, method, nonnegative, seed, options)
    if parts is None:
        whole = search.of(samples.whole(standardize), k, should_stop)
    else:
        whole = _prepared(parts, samples, search.r)
    seen = _Seen(whole, threshold, search.seed)
    monitor.tell(1 / (draws + 1), "the parts of all samples", float(whole.variances.sum()))
    if parts is not None or not whole.stopped:
        with jobs(executor, n_jobs) as where, Workers(where, samples, monitor) as workers:
            for number, resample in workers.each(_redrawn, ((search, k, number) for number in range(draws))):
                if resample is not None:
                    seen.add(number, resample)
                    monitor.tell((seen.count + 1) / (draws + 1), f"resample {seen.count} of {draws}")
                    if on_resample is not None:
                        on_resample(seen.result(started, stopped=False))
    if seen.count == draws:
        monitor.tell(1.0, "done")
    return seen.result(started, stopped=seen.count < draws)


def _prepared(parts: object, samples: Samples, r: int) -> Components:
    check_instance("parts", parts, Components, "what nnspca.decompose gave")
    assert isinstance(parts, Components)
    if parts.loadings.shape[0] != samples.shape[1] or len(parts.parts) > r:
        shape, n = parts.loadings.shape, samples.shape[1]
        raise ValueError(f"parts have loadings of shape {shape}; give at most r = {r} parts of {n} features")
    return parts


def _redrawn(
    samples: Samples, search: Recipe, k: int | Sequence[int], number: int, should_stop: ShouldStop | None
) -> tuple[tuple[np.ndarray, np.ndarray], ...] | None:
    """The parts of one resample as (features, loadings); none if it does not vary, None if stopped."""
    if should_stop is not None and should_stop():
        return None
    rows = np.random.default_rng([search.seed, number]).integers(samples.shape[0], size=samples.shape[0])
    cov = samples.covariance(rows)
    if cov is None:
        return ()
    components = search.of(cov, k, should_stop)
    return (
        None if components.stopped else tuple((part.support, part.loadings[part.support]) for part in components.parts)
    )


class _Seen:
    """The parts of the resamples, paired with those of all samples."""

    def __init__(self, whole: Components, threshold: float, seed: int) -> None:
        self._whole, self._threshold, self._seed = whole, threshold, seed
        self._used = whole.loadings != 0
        self._times = np.zeros(self._used.shape)
        self._agreement: dict[int, np.ndarray] = {}
        self._degenerate = 0

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
        for array in (recurrence, agreement):
            array.setflags(write=False)
        return Stability(
            self._whole,
            max(part.k for part in self._whole.parts),
            recurrence,
            agreement,
            self._threshold,
            self._degenerate,
            self._seed,
            time.perf_counter() - started,
            stopped,
        )
