"""What one pass over data gives: the features that vary most, or both the covariance and the correlation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nnspca.control.arguments import check_whole
from nnspca.control.fields import with_fields
from nnspca.control.progress import OnProgress, ShouldStop
from nnspca.covariance.covariance import Covariance, of_read
from nnspca.covariance.input import read_given
from nnspca.covariance.samples import added, form_of_sums
from nnspca.covariance.sources import Source, chunk_array, chunked, in_memory, summed
from nnspca.covariance.sums import Moments
from nnspca.errors import DataError
from nnspca.numerics.doubles import read_only


@dataclass(frozen=True, eq=False)
class MostVariable:
    """Some features of data, to be given to :meth:`Covariance.from_data`: what :func:`most_variable` returns.

    Examples
    --------
    >>> few = most_variable([[0.0, 1.0, 5.0], [2.0, 1.0, 9.0]], 1)
    >>> few.features, few.variances, few.share
    (array([2]), array([1., 0., 4.]), 0.8)
    """

    features: np.ndarray  #: Their places among all, ascending
    names: tuple[str, ...] | None  #: What they are called
    variances: np.ndarray  #: Shape (n,), of all features (1/m)
    means: np.ndarray  #: Shape (n,), of all features
    share: float  #: The part of the total variance that the chosen features have
    source: Source

    def __repr__(self) -> str:
        text = f"{len(self.features)} of {len(self.variances)} features, {100 * self.share:.4g} % of the total variance"
        return f"MostVariable({text})"


with_fields(MostVariable)


def most_variable(
    X, n_features: int = 3000, *, should_stop: ShouldStop | None = None, on_progress: OnProgress | None = None
) -> MostVariable:
    """Choose the features of largest variance, in one pass over data of any size.

    A covariance of the features chosen is made of what is returned, which keeps their names: a second pass.
    Certificates of it speak of these features, as ``restrict`` has it: they do not say what the others might add.

    Parameters
    ----------
    X : anything that :meth:`Covariance.from_data` takes, shape (m, n)
        In memory or not, samples as rows.
    n_features : int
        How many; all where there are fewer.
    should_stop, on_progress : callable, optional
        As for :meth:`Covariance.from_data`.

    Raises
    ------
    DataError
        Rows that cannot be read or used; the message says which.

    Examples
    --------
    >>> import nnspca
    >>> counts = np.random.default_rng(0).poisson([1, 5, 1, 9], (50, 4))
    >>> few = most_variable(lambda: iter([counts[:20], counts[20:]]), 2)
    >>> few
    MostVariable(2 of 4 features, 86.71 % of the total variance)
    >>> few.features
    array([1, 3])
    >>> nnspca.Covariance.from_data(few).n_features
    2
    """
    wanted = check_whole("n_features", n_features, 1)
    source = (chunked(X) or _of_memory(X)).heeding(should_stop, on_progress)
    seen = summed(source, Moments)
    variance = seen.variance
    if not np.isfinite(variance).all():
        raise DataError("the variance of a feature is too large for double precision: rescale the data")
    if not variance.any():
        raise DataError("no feature varies over the samples: the covariance is zero")
    features = np.sort(np.argsort(-variance, kind="stable")[:wanted])
    few = source.only(features)
    share = float(variance[features].sum() / variance.sum())
    return MostVariable(read_only(features), few.names, read_only(variance), read_only(seen.mean), share, few)


def _of_memory(X: Any) -> Source:
    """Data that are in memory whole."""
    given = read_given(X)
    if given.is_matrix:
        raise DataError("the data set is a covariance matrix: its features are chosen by cov.restrict(features)")
    values = chunk_array(given.values)
    if min(values.shape) < 1:
        raise DataError(f"data must be a table of shape (samples, features); got shape {values.shape}")
    return in_memory(values, given.names)


def both_scales(source: Source) -> tuple[Covariance, Covariance | DataError]:
    """Return the covariance of rows that are read once, and that of the standardised rows.

    Each is the one that :meth:`Covariance.from_data` makes of so many rows that they are summed. The
    second is an error where the variances are beyond what can be standardised from sums.
    """
    sums = added(None, source, None)
    covariance = of_read(form_of_sums(sums, False, last=False), False, source.names)
    try:
        return covariance, of_read(form_of_sums(sums, True), True, source.names)
    except DataError as problem:
        return covariance, problem
