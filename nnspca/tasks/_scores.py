"""Entry point for scores: the position of samples along components, and how well it separates their classes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Literal

import numpy as np
import scipy.sparse

from nnspca.control.arguments import check_choice, check_columns, check_flag, masked, real_array, shown
from nnspca.covariance.factor import DenseFactor
from nnspca.covariance.input import numbers, places_among, read_given
from nnspca.covariance.samples import large_array
from nnspca.covariance.sources import Source, chunked, map_rows
from nnspca.errors import DataError
from nnspca.result import Component, Components, Features
from nnspca.result.chance import LEVEL, TIE


@dataclass(frozen=True)
class Separation:
    """How well scores separate classes at best, beside chance."""

    area: float  # under the curve, of the class against all others
    part: int
    label: int
    chance: float  # of 95 % of exchanged labels, the largest area in either direction is at most this
    p_value: float


def scores(X, loadings, *, mean: Literal["own"] | None = None, standardize: bool = False) -> Any:
    """Return the position of each sample along a component, or along each of several, relative to the mean.

    A component carries the mean and the scale of the data it was sought on, so that new samples are
    measured as those were. Only the features it uses are read.

    Parameters
    ----------
    X : array_like, data frame, scipy.sparse array, Dataset or AnnData, shape (m, n)
        Samples as rows: new ones, or those that the loadings were sought on; or what is read in chunks, as by
        ``Covariance.from_data``; of a Dask array the scores are one too, but for ``mean="own"``. Features that have
        names are found by name, in any order and among others, where the component's have names, too.
    loadings : Component, Components, or array_like, shape (n,) or (n, r)
        Of one component, or of several as columns.
    mean : "own", optional
        Take off the mean of X itself, not that of the data the component was sought on; required with an array of
        loadings, or with a component of a matrix, which bring none.
    standardize : bool
        With ``mean="own"``: whether each feature is divided by its standard deviation (1/m) in X.

    Returns
    -------
    ndarray or dask.array.Array, shape (m,) or (m, r)
        In the units of the data, or of nothing where standardised.

    Raises
    ------
    DataError
        X is no table of finite numbers, or so large that a score is none; or it lacks a
        feature that the component was found on.
    ValueError
        No mean; loadings of another number of features, or not finite.

    Examples
    --------
    >>> import nnspca
    >>> X = [[0.0, 1.0], [2.0, 1.0], [4.0, 4.0]]
    >>> part = nnspca.solve(nnspca.Covariance.from_data(X), k=1)
    >>> part.loadings, scores([[3.0, 0.0]], part)
    (array([1., 0.]), array([1.]))
    >>> scores(X, [1.0, 0.0], mean="own")
    array([-2.,  0.,  2.])
    """
    standardize, own = check_flag("standardize", standardize), mean is not None
    check_choice("mean", mean, ("own",), none=True)
    names, chunks, lying = _chunks(X)
    first = next(chunks) if own or lying is None else lying.spread
    features: Features | None = None
    if isinstance(loadings, Component | Components):
        features, loadings = loadings.features, loadings.loadings
    order = None if features is None else places_among(names, features.given_names, "the component")
    n = first.shape[1] if order is None else len(order)
    if features is not None and n != (expected := len(loadings)):
        some = ", ".join(map(repr, (features.given_names or ())[:6]))
        named = f": {some}{', …' if expected > 6 else ''}" if some else ""
        raise DataError(f"X has {n} features; the component was found on {expected}{named}. Give those, or name them")
    one = _is_one(loadings)
    U = check_columns("loadings", np.reshape(loadings, (-1, 1)) if one else loadings, n)
    used = np.flatnonzero(U.any(axis=1))
    places = used if order is None else order[used]
    read = map(partial(_columns, places=places), chain([first], chunks))
    with np.errstate(over="ignore", invalid="ignore"):
        if own:
            values = np.concatenate(list(read))
            result = np.zeros((len(values), U.shape[1]))
            if len(used):
                result = DenseFactor.of_data(values, standardize).forward(U[used].T).T * np.sqrt(len(values))
        elif features is None or features.mean is None or features.scale is None:
            raise ValueError(
                "mean is not given, and these loadings carry none: give mean='own' for the mean of X itself, or the "
                "component that nnspca.solve found on samples, which brings its own"
            )
        elif standardize:
            raise ValueError("standardize=True goes with mean='own'; a component brings its own scale")
        else:
            along = partial(scores_of_rows, features.mean[used], features.scale[used], U[used])
            if lying is None:
                result = np.concatenate(list(map(along, read)))
            else:
                result = map_rows(lying.only(places), along, U.shape[1])
    if isinstance(result, np.ndarray) and not np.isfinite(result).all():
        raise DataError("the scores are too large for double precision: rescale the data")
    return result[:, 0] if one else result


def scores_of_rows(mean: np.ndarray, scale: np.ndarray, U: np.ndarray, X: Any) -> np.ndarray:
    """Scores of some samples along the columns of U, dense or sparse, also on a worker."""
    X = numbers(X)
    if scipy.sparse.issparse(X):
        return scaled(X, scale) @ U - (mean / scale) @ U
    return (X - mean) / scale @ U


def scaled(X, scale: np.ndarray):
    """Each feature divided by its scale, however small; sparse data stay sparse."""
    if not scipy.sparse.issparse(X):
        return X / scale
    rows = scipy.sparse.csr_array(X)
    return scipy.sparse.csr_array((rows.data / scale[rows.indices], rows.indices, rows.indptr), shape=rows.shape)


def _chunks(X: Any) -> tuple[tuple[str, ...] | None, Iterator[Any], Source | None]:
    """Names of the features, the samples in double precision, and the source of those that lie on workers."""
    given = None if (source := chunked(X)) is not None else read_given(X)
    if given is not None and (source := large_array(given.values)) is None:
        rows = numbers(given.values)
        if rows.ndim != 2 or min(rows.shape) < 1:
            raise DataError(f"X must be a table of samples and features; got shape {rows.shape}")
        return given.names, iter([rows]), None
    assert source is not None
    lying = None if source.spread is None else source
    return source.names if given is None else given.names, map(numbers, source.chunks()), lying


def _columns(rows: Any, places: np.ndarray) -> np.ndarray:
    """Some features of samples, as a copy: no chunk is kept for them."""
    return rows[:, places].toarray() if scipy.sparse.issparse(rows) else np.array(rows[:, places])


def separation(scores, labels) -> dict[Any, float | None]:
    """Return the area under the curve of each class against all others.

    Parameters
    ----------
    scores : array_like, shape (m,)
    labels : array_like of int or str, shape (m,)
        The class of each sample, a whole number or a name; -1, None and NaN are none. A sample without a class counts
        nowhere.

    Returns
    -------
    dict
        For each class, in order, the share of pairs, a sample of it and another, in which its own scores higher, ties
        counting half: 1 and 0 separate without error. None for a class that has all samples.

    Raises
    ------
    ValueError
        Scores that are not finite, labels that are neither whole numbers nor names, or of another length.

    Examples
    --------
    >>> separation([3.0, 2.0, 1.0, 9.0], [0, 0, 1, -1])
    {0: 1.0, 1: 0.0}
    >>> separation([3.0, 2.0, 1.0, 9.0], ["well", "well", "ill", None])
    {'ill': 0.0, 'well': 1.0}
    """
    values = _one_each(scores)
    given = [] if masked(labels)[0] or np.ndim(np.asarray(labels, dtype=object)) != 1 else list(labels)
    named = [_class(label) for label in given]
    known = [label for label in named if label is not None]
    kinds = {type(label) for label in known}
    if len(named) != len(values) or kinds not in (set(), {int}, {str}) or (kinds == {int} and min(known) < 0):
        raise ValueError(
            f"labels={shown(labels)} are not allowed; give {len(values)} whole numbers from -1, or as many names"
        )
    ranks = _ranks(values[np.array([label is not None for label in named], bool), None])[:, 0]
    return {c: _area(ranks, np.array([label == c for label in known])) for c in sorted(set(known))}


def best_separation(scores: np.ndarray, labels: np.ndarray, classes: list[int], *, draws: int = 200) -> Separation:
    """Return the area farthest from 1/2 over classes, columns of ``scores`` (m, r) and directions, beside chance.

    Labels are whole numbers from 0, -1 where there is none. Chance is the same maximum with the labels exchanged among
    the samples: the p-value tests that they say nothing of the scores.

    >>> found = best_separation(np.arange(24.0)[:, None], np.repeat([0, 1], 12), [0, 1])
    >>> found.area, found.part, found.label, round(found.p_value, 3)
    (0.0, 0, 0, 0.005)
    """
    of, rng = labels[labels >= 0], np.random.default_rng(0)
    ranks, inside = _ranks(scores[labels >= 0]), of[:, None] == np.array(classes)
    count, areas = inside.sum(axis=0), np.empty((draws + 1, scores.shape[1], len(classes)))
    for draw in range(draws + 1):
        areas[draw] = ranks.T @ (rng.permutation(inside) if draw else inside)
    areas = (areas - count * (count + 1) / 2) / (count * (len(of) - count))
    far = np.abs(areas - 0.5).max(axis=(1, 2))
    part, c = np.unravel_index(int(np.abs(areas[0] - 0.5).argmax()), areas.shape[1:])
    reached = int((far[1:] >= far[0] * (1 - TIE)).sum())
    chance = 0.5 + float(np.sort(far[1:])[math.ceil((1 - LEVEL) * (draws + 1)) - 1])
    return Separation(float(areas[0, part, c]), int(part), classes[c], chance, (1 + reached) / (1 + draws))


def _ranks(values: np.ndarray) -> np.ndarray:
    """The ranks of the values in each column, from 1; equal ones share the mean of theirs.

    >>> _ranks(np.array([[2.0], [1.0], [2.0]])).ravel()
    array([2.5, 1. , 2.5])
    """
    ends = [[np.searchsorted(np.sort(one), one, side) for side in ("left", "right")] for one in values.T]
    return np.transpose([(below + upto + 1) / 2 for below, upto in ends])


def _area(ranks: np.ndarray, here: np.ndarray) -> float | None:
    """The area under the curve of a class by the ranks of its samples; None where it has all."""
    count, others = int(here.sum()), int((~here).sum())
    return float((ranks[here].sum() - count * (count + 1) / 2) / (count * others)) if others else None


def _class(label: Any) -> Any:
    """The class that a label names, None for none; where some have none, whole numbers come as floats."""
    label = label.item() if isinstance(label, np.generic) else label
    if label is None or type(label).__name__ == "NAType":
        return None
    if isinstance(label, float):
        label = None if math.isnan(label) else int(label) if label.is_integer() else label
    return None if label == -1 else label


def _is_one(loadings: object) -> bool:
    """Whether these are the loadings of one component, not columns."""
    try:
        return np.ndim(loadings) == 1  # type: ignore[arg-type]
    except ValueError:  # rows of different lengths
        return False


def _one_each(scores: object) -> np.ndarray:
    """One finite number for each sample."""
    try:
        values = np.full(1, np.nan) if masked(scores)[0] else real_array(scores)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(f"scores={shown(scores)} are not allowed; give one finite number for each sample")
    return values
