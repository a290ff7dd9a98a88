"""What is resampled: samples in memory, their weights and groups, and the search that is repeated on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.components._decompose import decompose
from nnspca.control.arguments import Method, Options, Seed, check_flag, check_whole, shown
from nnspca.control.progress import Monitor, ShouldStop
from nnspca.covariance import Covariance
from nnspca.covariance.forms import DENSE_EIGEN
from nnspca.covariance.input import Input, check_finite, check_masks, numbers, places_among, read_given
from nnspca.covariance.problem import SomeFeatures as Chosen
from nnspca.covariance.problem import orthonormal
from nnspca.covariance.samples import GATHERED, Constant, check_weights, is_large, stacked, stated, warn_of_scales
from nnspca.covariance.sources import Source, chunked, genes_used, in_memory, summed, total_of
from nnspca.covariance.sums import Moments
from nnspca.errors import DataError, ReadingStopped
from nnspca.machines import Executor, check_executor
from nnspca.result import Components, Features
from nnspca.tasks._solve import check_method, check_seed

DECOMPOSE_OPTIONS = "deflation", "min_angle", "starts", "include", "exclude"  # that are no options of a method
AT_ONCE = 2**20  # numbers copied at a time
Squares = tuple[Any, dict[int, np.ndarray]]  # sums of each feature's, and of each sample by the first one's row


class SearchOptions(Options, total=False):
    """Options of a method, and those of :func:`nnspca.decompose` that the search of a resample reads."""

    min_angle: float
    starts: int
    include: Chosen
    exclude: Chosen


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples as rows, and whether features are standardised."""

    X: Any  # ndarray or scipy.sparse.csr_array, shape (m, n); or a Source of blocks that stay on workers of Dask
    standardize: bool
    described: Input | None = None  # names and other facts about the features, without the numbers
    center: bool = True  # whether the mean is taken off
    weights: np.ndarray | None = None  # shape (m,): how much each sample counts; all the same if None
    groups: np.ndarray | None = None  # shape (m,): whole numbers from 0, for samples that are drawn together

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        m, n = self.X.shape
        return m, n

    def heeding(self, should_stop: ShouldStop | None) -> Samples:
        """Return the samples, passes over which on workers of Dask this stops; ReadingStopped once it does."""
        if should_stop is not None and should_stop():
            raise ReadingStopped("stopped before it began")
        return replace(self, X=replace(self.X, monitor=Monitor(should_stop))) if isinstance(self.X, Source) else self

    def covariance(self, rows: np.ndarray) -> Covariance | None:
        """Return the covariance of samples in ascending order, some repeated; None if nothing of weight varies."""
        described, weights = self.described or Input(None), None if self.weights is None else self.weights[rows]
        if weights is not None and not weights.any():
            return None
        how: dict[str, Any] = {"center": self.center, "sample_weight": weights}
        with suppress(Constant):
            return Covariance.from_data(replace(described, values=self._taken(rows)), self.standardize, **how)
        return None

    def _taken(self, rows: np.ndarray) -> Any:
        """Return some samples, as an array or as a source that copies a few at a time."""
        m, n = self.shape
        if isinstance(self.X, Source):
            return self.X.repeated(np.bincount(rows, minlength=m))
        if scipy.sparse.issparse(self.X) or not is_large(len(rows), n):
            return self.X[rows]
        names, step = None if self.described is None else self.described.names, max(1, AT_ONCE // n)
        few = partial(map, lambda start: self.X[rows[start : start + step]], range(0, len(rows), step))
        return Source("the samples", few, len(rows), n, names, stored=False)

    def _source(self, rows: np.ndarray) -> Source:
        taken = self._taken(rows)
        return chunked(taken) or in_memory(taken)

    def only(self, features: np.ndarray) -> Samples:
        """Return the samples with some of their features."""
        return self if len(features) == self.shape[1] else replace(self, X=self.X[:, features], described=None)

    @property
    def count(self) -> int:
        """How many groups there are; each sample is one where none are given."""
        return self.shape[0] if self.groups is None else int(self.groups.max()) + 1

    def rows_of(self, drawn: np.ndarray) -> np.ndarray:
        """Return the rows of some groups, with repetition."""
        if self.groups is None:
            return drawn
        each = members(self.groups)
        return np.concatenate([each[group] for group in drawn])

    def whole(self, standardize: bool | None) -> Covariance:
        """Return the covariance of all samples; warn where a feature dominates it, unless scaling was chosen."""
        if (cov := self.covariance(np.arange(self.shape[0]))) is None:
            raise DataError("no feature varies over the samples: the covariance is zero")
        warn_of_scales(cov, standardize)
        return cov

    def measured(self, cov: Covariance | None, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean of the samples of a covariance, and factors of the features: 0 for constant ones, if standardised."""
        if cov is None:  # they are all the same
            mean = summed(self._source(rows[:1]), Moments).mean
            return mean * self.center, np.full(self.shape[1], 0.0 if self.standardize else 1.0)
        mean, scale = cov.features.mean, cov.features.scale
        assert mean is not None and scale is not None
        return mean, np.where(cov.diagonal > 0, 1.0 / scale, 0.0) if self.standardize else np.ones(len(mean))

    def explained(
        self, columns: np.ndarray, mean: np.ndarray, factors: np.ndarray, rows: np.ndarray
    ) -> tuple[float, float, float]:
        """Return the share of the squared distance of ``rows`` from the mean that lies in the span of ``columns``.

        With it come the part of that share which is left where the features are uncorrelated, the mean of their own
        squared distances weighted by squared loadings, and the standard error of the rest, over samples or groups.
        Features are multiplied by their factors. NaN where no row is away from the mean.

        >>> samples = Samples(np.array([[1.0, 1.0], [-1.0, -1.0], [3.0, 4.0]]), False)
        >>> samples.explained(np.array([[1.0], [0.0]]), np.zeros(2), np.ones(2), np.array([2]))
        (0.36, 0.36, 0.0)
        """
        basis = orthonormal(columns)
        weights = None if self.weights is None else self.weights[rows, None] / self.weights.max()
        own, pairs = total_of(self._source(rows), partial(_squares, basis, mean, factors), _added, weights)
        if not 0 < (total := float(np.sum(own))) < np.inf:
            return np.nan, np.nan, np.nan
        apart = float((basis**2).sum(axis=1) @ own) / total
        beyond = np.concatenate([pairs[start] for start in sorted(pairs)]) / total
        error = beyond if self.groups is None else np.bincount(self.groups[rows], beyond)
        return min(apart + float(beyond.sum()), 1.0), apart, float(np.sqrt(error @ error))


def _squares(
    basis: np.ndarray, mean: np.ndarray, factors: np.ndarray, rows: Any, start: int, beside: np.ndarray | None
) -> Squares:
    """Squared distances of features from the mean, and what pairs of features add to that of each sample.

    A sample's weight is beside it.
    """
    weights, apart = np.ones(rows.shape[0]) if beside is None else beside[:, 0], (basis**2).sum(axis=1)
    if scipy.sparse.issparse(rows):
        scaled, squared = factors[:, None] * basis, factors**2
        inside, squares, each = rows @ scaled - mean @ scaled, rows.multiply(rows), squared * apart
        own = squared * (squares.T @ weights - 2 * mean * (rows.T @ weights) + weights.sum() * mean**2)
        alone = squares @ each - 2 * (rows @ (mean * each)) + mean**2 @ each
    else:
        away = (rows - mean) * factors
        inside, squares = away @ basis, away**2
        own, alone = weights @ squares, squares @ apart
    return own, {start: weights * ((inside**2).sum(axis=1) - alone)}


def _added(shares: Sequence[Squares]) -> Squares:
    return sum(own for own, _ in shares), {start: pairs for _, each in shares for start, pairs in each.items()}


def members(groups: np.ndarray) -> list[np.ndarray]:
    """Return the rows of each group.

    >>> [rows.tolist() for rows in members(np.array([1, 0, 1]))]
    [[1], [0, 2]]
    """
    return np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])


def read_samples(
    data: object,
    standardize: bool | None,
    what: str,
    monitor: Monitor,
    known: Features | None = None,
    *,
    center: bool = True,
    sample_weight: object = None,
    groups: object = None,
    executor: Executor = None,
    shuffles: object = None,
) -> Samples:
    """Read the samples that a caller gives; ``what`` names the call; DataError if it cannot be done on them.

    Where parts of some features are known, those features are read, by name where both have names. Large data on the
    workers of Dask stay there, unless their columns are to be shuffled.
    """
    scaled, centred = stated(standardize), check_flag("center", center)
    check_executor(executor)
    if known is None or known.given_names is None:
        data = genes_used(data)
    if isinstance(data, Covariance):
        raise DataError(
            f"{what} needs the samples themselves: give the data X, samples as rows, not {shown(data)}, which no "
            "longer has them"
        )
    source = chunked(data)
    given = read_given(data) if source is None else Input(None, source.names, chosen=source.chosen)
    if given.is_matrix:
        raise DataError(
            f"{what} needs the samples themselves: {shown(getattr(data, 'name', 'this data set'))} is only a "
            "covariance matrix"
        )
    order = None if known is None else places_among(given.names, known.given_names, "parts")
    described = replace(given, values=None)
    if order is not None and known is not None:
        described = Input(None, known.given_names, chosen=known.chosen)
    if source is not None:
        source = source if order is None else source.only(order)
        X: Any = source.heeding(monitor.should_stop, monitor.part(0.0, 0.0).relay)
        if shuffles or source.spread is None or not is_large(*source.spread.shape):
            X = _loaded(X, what)
        elif executor is not None:
            raise ValueError(f"executor={shown(executor)} is not allowed: the data are resampled on their own workers")
    else:
        X = _numbers(given.values)
        if X.ndim != 2 or min(X.shape) < 1:
            raise DataError(f"data must be a table of shape (samples, features); got shape {X.shape}")
        X = X if order is None else X[:, order]
    return _with_weights_and_groups(Samples(X, scaled, described, centred), sample_weight, groups)


def _with_weights_and_groups(samples: Samples, sample_weight: object, groups: object) -> Samples:
    """Return samples with what their caller says of each."""
    weights = check_weights(sample_weight, m := samples.shape[0])
    if groups is None:
        return replace(samples, weights=weights)
    try:
        kinds, codes = np.unique(np.asarray(groups), return_inverse=True)
    except TypeError:  # names and numbers, or missing ones among them
        kinds, codes = np.empty(0), np.empty(0, dtype=int)
    if codes.shape != (m,) or len(kinds) < 2 or (kinds != kinds).any():
        raise ValueError(
            f"groups={shown(groups)} are not allowed; give the group of each of the {m} samples, a whole number or "
            "a name, at least two groups"
        )
    return replace(samples, weights=weights, groups=codes)


def _loaded(source: Source, what: str) -> Any:
    """All rows of a source as one array; DataError where they are too many."""
    rows: list[Any] = []
    table, begin, count = np.empty((0, 0)), 0, 0
    for chunk in source.chunks():
        if source.rows is None or scipy.sparse.issparse(chunk):
            rows.append(chunk)
        else:  # into their place at once, so that they are held once
            table = table if begin else np.empty((source.rows, chunk.shape[1]), chunk.dtype)
            table = table.astype(np.promote_types(table.dtype, chunk.dtype), copy=False)
            table[begin : begin + len(chunk)] = chunk
            begin += len(chunk)
        count += chunk.nnz if scipy.sparse.issparse(chunk) else chunk.size
        if count > GATHERED:
            raise DataError(
                f"{what} loads the samples, up to {GATHERED:,} numbers, and {source.what} has more: choose the "
                f"features that vary most, nnspca.most_variable(X, {DENSE_EIGEN}), or some of the samples"
            )
    return _numbers(stacked(rows) if rows else table)


def _numbers(given: Any) -> Any:
    """Samples in double precision; those whose covariance is summed a few at a time, of their own type if smaller."""
    plain = isinstance(given, np.ndarray) and given.ndim == 2 and given.dtype.kind in "fiub"
    if not plain or given.dtype.itemsize >= 8 or not is_large(*given.shape):
        return numbers(given)
    check_masks(given)
    check_finite(given)
    return given


@dataclass(frozen=True)
class Recipe:
    """The number of components, solver, sign constraint, seed and other options of the search."""

    r: int
    method: Method
    nonnegative: bool
    seed: int
    options: Mapping[str, Any]

    @classmethod
    def read(
        cls,
        call: Callable[..., Any],
        samples: Samples,
        r: int,
        method: Method,
        nonnegative: bool,
        seed: Seed,
        options: Mapping[str, Any],
    ) -> Recipe:
        """Check the options of a call; DataError if there are too few samples."""
        own = {name: value for name, value in options.items() if name not in DECOMPOSE_OPTIONS}
        check_method(method, nonnegative).checked(own, call, joint=options["deflation"] == "joint")
        m, n = samples.shape
        search = cls(check_whole("n_components", r, 1, n), method, bool(nonnegative), check_seed(seed), options)
        if m == 1:
            raise DataError("one sample has no variance; give at least 2 samples")
        return search

    def of(self, cov: Covariance, k: int | Sequence[int], should_stop: ShouldStop | None) -> Components:
        """Return the components of one covariance."""
        how: dict[str, Any] = {"nonnegative": self.nonnegative, "seed": self.seed, "should_stop": should_stop}
        return decompose(cov, self.r, k, self.method, **how, **self.options)
