"""What is resampled: samples in memory, and the search that is repeated on them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.components._decompose import decompose
from nnspca.control.arguments import Method, Seed, check_whole, shown
from nnspca.control.progress import Monitor, ShouldStop
from nnspca.covariance import Covariance
from nnspca.covariance.factor import deviations, varies
from nnspca.covariance.forms import DENSE_EIGEN
from nnspca.covariance.input import Given, aligned, numbers, opened
from nnspca.covariance.problem import orthonormal
from nnspca.covariance.samples import GATHERED, stated, warn_of_dominant, whole
from nnspca.covariance.sources import Source, chunked, taking_part
from nnspca.errors import DataError
from nnspca.result import Components, Features
from nnspca.tasks._solve import check_method, check_seed

# Arguments of `decompose` that have no meaning within a resample (callbacks, executors and the like).
READ = "deflation", "min_angle", "starts", "include", "exclude"
OF_DECOMPOSE = set(inspect.signature(decompose).parameters)
UNREAD = OF_DECOMPOSE - {*READ, "options"}


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples as rows, and whether features are standardised."""

    X: Any  # ndarray or scipy.sparse.csr_array, shape (m, n)
    standardize: bool
    described: Given | None = None  # names and other facts about the features, without the numbers

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        m, n = self.X.shape
        return m, n

    def covariance(self, rows: np.ndarray) -> Covariance | None:
        """Return the covariance of some samples, with repetition; None if they are all the same."""
        chosen = self.X[rows]
        if not varies(chosen).any():
            return None
        described = Given(chosen) if self.described is None else replace(self.described, values=chosen)
        return Covariance.from_data(described, self.standardize)

    def whole(self, standardize: bool | None) -> Covariance:
        """Return the covariance of all samples; warn where a feature dominates it, unless scaling was chosen."""
        if (cov := self.covariance(np.arange(self.shape[0]))) is None:
            raise DataError("no feature varies over the samples: the covariance is zero")
        warn_of_dominant(cov, standardize)
        return cov

    def _measured(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean of some samples, and the factors of the features: 0 for constant ones, if standardised."""
        known = self.X[rows]
        scale = np.ones(self.shape[1])
        if self.standardize:
            used = varies(known)
            scale = np.where(used, 1.0, 0.0)
            scale[used] = 1.0 / deviations(known[:, np.flatnonzero(used)])
        return np.asarray(known.mean(axis=0)).ravel(), scale

    def explained(self, columns: np.ndarray, fitted: np.ndarray, rows: np.ndarray) -> float:
        """Return the share of the squared distance of ``rows`` from the mean that lies in the span of ``columns``.

        Mean, and standard deviations where features are divided by them, are those of the samples
        ``fitted``. NaN where no row is away from the mean.

        >>> samples = Samples(np.array([[1.0, 1.0], [-1.0, -1.0], [3.0, 4.0]]), False)
        >>> samples.explained(np.array([[1.0], [0.0]]), np.array([0, 1]), np.array([2]))
        0.36
        """
        others, basis = self.X[rows], orthonormal(columns)
        mean, scale = self._measured(fitted)
        if scipy.sparse.issparse(others):
            weighted = scale[:, None] * basis
            inside = float(np.sum((others @ weighted - (mean @ weighted)) ** 2))
            each = np.asarray(others.multiply(others).sum(axis=0)).ravel()
            total = float(np.sum(scale**2 * (each - 2 * mean * np.asarray(others.sum(axis=0)).ravel())))
            total += len(rows) * float(np.sum((scale * mean) ** 2))
        else:
            scale = scale / (float((scale * np.abs(others - mean)).max()) or 1.0)  # so that no square overflows
            away = (others - mean) * scale
            inside, total = float(np.sum((away @ basis) ** 2)), float(np.sum(away**2))
        return min(inside / total, 1.0) if total > 0 else np.nan


def read_samples(
    data: object, standardize: bool | None, what: str, monitor: Monitor, known: Features | None = None
) -> Samples:
    """Read the samples that a caller gives; ``what`` names the call; DataError if it cannot be done on them.

    Where parts of some features are known, those features are read, by name where both have names.
    """
    scaled = stated(standardize)
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
        return Samples(_loaded(heard, what), scaled, Given(None, source.names, chosen=chosen))
    given = opened(data)
    if given.is_matrix:
        raise DataError(
            f"{what} needs the samples themselves: {shown(getattr(data, 'name', 'this data set'))} is only a "
            "covariance matrix"
        )
    X = numbers(given.values)
    if X.ndim != 2 or min(X.shape) < 1:
        raise DataError(f"data must be a table of shape (samples, features); got shape {X.shape}")
    order = None if known is None else aligned(given.names, known.given_names, "parts")
    if order is None or known is None:
        return Samples(X, scaled, replace(given, values=None))
    return Samples(X[:, order], scaled, Given(None, known.given_names, chosen=known.chosen))


def _loaded(source: Source, what: str) -> Any:
    """All rows of a source as one array; DataError where they are too many."""
    rows, count = [], 0
    for chunk in source.chunks():
        rows.append(chunk)
        count += chunk.nnz if scipy.sparse.issparse(chunk) else chunk.size
        if count > GATHERED:
            raise DataError(
                f"{what} loads the samples, up to {GATHERED:,} numbers, and {source.what} has more: choose the "
                f"features that vary most, nnspca.most_variable(X, {DENSE_EIGEN}), or some of the samples"
            )
    return numbers(whole(rows))


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
        return decompose(
            cov,
            self.r,
            k,
            self.method,
            nonnegative=self.nonnegative,
            seed=self.seed,
            should_stop=should_stop,
            **self.options,
        )
