"""What is resampled: samples in memory, their weights and groups, and the search that is repeated on them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.components._decompose import decompose
from nnspca.control.arguments import Method, Seed, check_flag, check_whole, shown
from nnspca.control.progress import Monitor, ShouldStop
from nnspca.covariance import Covariance
from nnspca.covariance.factor import varies
from nnspca.covariance.forms import DENSE_EIGEN
from nnspca.covariance.input import Given, aligned, check_finite, check_unmasked, numbers, opened
from nnspca.covariance.problem import orthonormal
from nnspca.covariance.samples import GATHERED, TooFar, check_weights, is_large, stated, warn_of_dominant, whole
from nnspca.covariance.sources import Source, chunked, taking_part
from nnspca.errors import DataError
from nnspca.result import Components, Features
from nnspca.tasks._solve import check_method, check_seed

# Arguments of `decompose` that have no meaning within a resample (callbacks, executors and the like).
READ = "deflation", "min_angle", "starts", "include", "exclude"
OF_DECOMPOSE = set(inspect.signature(decompose).parameters)
AT_ONCE = 2**20  # numbers copied at a time
UNREAD = OF_DECOMPOSE - {*READ, "options"}


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples as rows, and whether features are standardised."""

    X: Any  # ndarray or scipy.sparse.csr_array, shape (m, n)
    standardize: bool
    described: Given | None = None  # names and other facts about the features, without the numbers
    center: bool = True  # whether the mean is taken off
    weights: np.ndarray | None = None  # shape (m,): how much each sample counts; all the same if None
    groups: np.ndarray | None = None  # shape (m,): whole numbers from 0, for samples that are drawn together

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        m, n = self.X.shape
        return m, n

    def covariance(self, rows: np.ndarray) -> Covariance | None:
        """Return the covariance of some samples, with repetition; None if they are all the same or weigh nothing."""
        described, first = self.described or Given(None), self.X[rows[:1]]
        weights = None if self.weights is None else self.weights[rows]
        if weights is not None and not weights.any():
            return None
        if not self.center or weights is not None:
            with suppress(DataError):
                how: dict[str, Any] = {"center": self.center, "sample_weight": weights}
                return Covariance.from_data(replace(described, values=self.X[rows]), self.standardize, **how)
            return None
        if scipy.sparse.issparse(self.X) or not is_large(len(rows), self.shape[1]):
            chosen = self.X[rows]
            if not varies(chosen).any():
                return None
            return Covariance.from_data(replace(described, values=chosen), self.standardize)
        if not any((some != first).any() for some in self._few(rows)):
            return None
        source = Source("the samples", lambda: self._few(rows), len(rows), self.shape[1], described.names, stored=False)
        with suppress(TooFar):  # of any scale where they are copied
            return Covariance.from_data(replace(described, values=source), self.standardize)
        return Covariance.from_data(replace(described, values=self.X[rows]), self.standardize)

    def _few(self, rows: np.ndarray) -> Iterator[np.ndarray]:
        """Give some samples a few at a time: only these are copied."""
        step = max(1, AT_ONCE // self.shape[1])
        return (self.X[rows[start : start + step]] for start in range(0, len(rows), step))

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
        warn_of_dominant(cov, standardize)
        return cov

    def measured(self, cov: Covariance | None, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean of the samples of a covariance, and factors of the features: 0 for constant ones, if standardised."""
        if cov is None:  # they are all the same
            first = np.asarray(numbers(self.X[rows[:1]]).sum(axis=0)).ravel()
            return first * self.center, np.full(self.shape[1], 0.0 if self.standardize else 1.0)
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
        weights, pairs = (basis**2).sum(axis=1), []  # of each sample, what its pairs of features add
        own: np.ndarray | float = 0.0  # squared distance of each feature
        if self.weights is not None:  # a sample of weight 4 counts as one twice as far away
            far = np.sqrt(self.weights[rows] / self.weights.max())[:, None]
            X = self.X[rows].toarray() if scipy.sparse.issparse(self.X) else self.X[rows]
            groups = None if self.groups is None else self.groups[rows]
            alone = replace(self, X=far * (X - mean), weights=None, groups=groups)
            return alone.explained(columns, np.zeros(len(mean)), factors, np.arange(len(rows)))
        if scipy.sparse.issparse(self.X):
            X, scaled, squared = self.X[rows], factors[:, None] * basis, factors**2
            inside, squares = (X @ scaled - mean @ scaled) ** 2, X.multiply(X)
            own = np.asarray(squares.sum(axis=0) - 2 * mean * X.sum(axis=0)).ravel() + len(rows) * mean**2
            own, each = own * squared, squared * weights
            pairs = [inside.sum(axis=1) - (squares @ each - 2 * (X @ (mean * each)) + mean**2 @ each)]
        else:  # divided by the largest distance first, so that no square overflows
            largest = max(float((factors * np.abs(some - mean)).max()) for some in self._few(rows)) or 1.0
            for some in self._few(rows):
                away = (some - mean) * (factors / largest)
                inside, squares = (away @ basis) ** 2, away**2
                own = own + squares.sum(axis=0)
                pairs.append(inside.sum(axis=1) - squares @ weights)
        total = float(np.sum(own))
        if not total > 0:
            return np.nan, np.nan, np.nan
        apart, beyond = float(weights @ own) / total, np.concatenate(pairs) / total
        error = beyond if self.groups is None else np.bincount(self.groups[rows], beyond)
        return min(apart + float(beyond.sum()), 1.0), apart, float(np.sqrt(error @ error))


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
) -> Samples:
    """Read the samples that a caller gives; ``what`` names the call; DataError if it cannot be done on them.

    Where parts of some features are known, those features are read, by name where both have names.
    """
    scaled, centred = stated(standardize), check_flag("center", center)
    if known is None or known.given_names is None:
        data = taking_part(data)
    if isinstance(data, Covariance):
        raise DataError(
            f"{what} needs the samples themselves: give the data X, samples as rows, not {shown(data)}, which no "
            "longer has them"
        )
    if (source := chunked(data)) is not None:
        order = None if known is None else aligned(source.names, known.given_names, "parts")
        source = source if order is None else source.only(order)
        heard = source.heeding(monitor.should_stop, monitor.part(0.0, 0.0).relay)
        chosen = source.chosen if order is None or known is None else known.chosen
        samples = Samples(_loaded(heard, what), scaled, Given(None, source.names, chosen=chosen), centred)
        return _told(samples, sample_weight, groups)
    given = opened(data)
    if given.is_matrix:
        raise DataError(
            f"{what} needs the samples themselves: {shown(getattr(data, 'name', 'this data set'))} is only a "
            "covariance matrix"
        )
    X = _numbers(given.values)
    if X.ndim != 2 or min(X.shape) < 1:
        raise DataError(f"data must be a table of shape (samples, features); got shape {X.shape}")
    order = None if known is None else aligned(given.names, known.given_names, "parts")
    described = replace(given, values=None)
    if order is not None and known is not None:
        X, described = X[:, order], Given(None, known.given_names, chosen=known.chosen)
    return _told(Samples(X, scaled, described, centred), sample_weight, groups)


def _told(samples: Samples, sample_weight: object, groups: object) -> Samples:
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
            if not begin:
                table = np.empty((source.rows, chunk.shape[1]), chunk.dtype)
            table = table.astype(np.promote_types(table.dtype, chunk.dtype), copy=False)
            table[begin : begin + len(chunk)] = chunk
            begin += len(chunk)
        count += chunk.nnz if scipy.sparse.issparse(chunk) else chunk.size
        if count > GATHERED:
            raise DataError(
                f"{what} loads the samples, up to {GATHERED:,} numbers, and {source.what} has more: choose the "
                f"features that vary most, nnspca.most_variable(X, {DENSE_EIGEN}), or some of the samples"
            )
    return _numbers(whole(rows) if rows else table)


def _numbers(given: Any) -> Any:
    """Samples in double precision; those whose covariance is summed a few at a time, of their own type if smaller."""
    if not (isinstance(given, np.ndarray) and given.ndim == 2 and given.dtype.kind in "fiub"):
        return numbers(given)
    if given.dtype.itemsize >= 8 or not is_large(*given.shape):
        return numbers(given)
    check_unmasked(given)
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
        own = {name: value for name, value in options.items() if name not in OF_DECOMPOSE}
        check_method(method, nonnegative).checked(own, call, joint=options["deflation"] == "joint")
        if unread := sorted(set(options) & UNREAD):
            given = f"{unread[0]}={shown(options[unread[0]])}"
            raise ValueError(f"{given} is not allowed here; give {', '.join(READ)} or options of the method")
        m, n = samples.shape
        search = cls(check_whole("n_components", r, 1, n), method, bool(nonnegative), check_seed(seed), options)
        if m == 1:
            raise DataError("one sample has no variance; give at least 2 samples")
        return search

    def of(self, cov: Covariance, k: int | Sequence[int], should_stop: ShouldStop | None) -> Components:
        """Return the components of one covariance."""
        how: dict[str, Any] = {"nonnegative": self.nonnegative, "seed": self.seed, "should_stop": should_stop}
        return decompose(cov, self.r, k, self.method, **how, **self.options)
