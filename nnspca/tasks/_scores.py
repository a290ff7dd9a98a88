"""Entry point for scores: the position of samples along components, and how well it separates their classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from nnspca.control.arguments import check_columns, check_flag, check_whole, masked, real_array, shown
from nnspca.covariance.factor import DenseFactor
from nnspca.covariance.input import aligned, numbers, opened
from nnspca.errors import DataError
from nnspca.result import Component, Components, Features


def scores(X, loadings, *, mean=None, scale=None, standardize: bool = False) -> np.ndarray:
    """Return the position of each sample along a component, or along each of several, relative to the mean.

    A component carries the mean and the scale of the data it was sought on, so that new samples are
    measured as those were. Only the features it uses are read.

    Parameters
    ----------
    X : array_like, data frame, scipy.sparse array, Dataset or AnnData, shape (m, n)
        Samples as rows: new ones, or those that the loadings were sought on. Features that have names are found by
        name, in any order and among others, where the component's have names, too.
    loadings : Component, Components, or array_like, shape (n,) or (n, r)
        Of one component, or of several as columns.
    mean : array_like, shape (n,), or "own", optional
        What is taken off: that of the data the loadings were sought on. A component brings its own;
        required with an array of loadings, or with a component of a matrix. "own" is
        the mean of X itself.
    scale : array_like, shape (n,), optional
        What features are divided by, 1 if not given.
    standardize : bool
        With ``mean="own"``: whether each feature is divided by its standard deviation (1/m) in X.

    Returns
    -------
    ndarray, shape (m,) or (m, r)
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
    standardize = check_flag("standardize", standardize)
    source = opened(X)
    rows = numbers(source.values)
    if rows.ndim != 2 or min(rows.shape) < 1:
        raise DataError(f"X must be a table of samples and features; got shape {rows.shape}")
    features: Features | None = None
    if isinstance(loadings, Component | Components):
        features, loadings = loadings.features, loadings.loadings
    order = None if features is None else aligned(source.names, features.given_names, "the component")
    n = rows.shape[1] if order is None else len(order)
    if features is not None and n != (expected := len(loadings)):
        named = (
            ""
            if features.given_names is None
            else f": {', '.join(map(repr, features.given_names[:6]))}" + (", …" if expected > 6 else "")
        )
        raise DataError(f"X has {n} features; the component was found on {expected}{named}. Give those, or name them")
    one = _is_one(loadings)
    U = check_columns("loadings", np.reshape(loadings, (-1, 1)) if one else loadings, n)
    own = isinstance(mean, str) and mean == "own"
    if standardize and not own:
        raise ValueError("standardize=True goes with mean='own'; a component brings its own scale, else give scale=")
    used = np.flatnonzero(U.any(axis=1))
    places = used if order is None else order[used]
    values = rows[:, places].toarray() if isinstance(rows, scipy.sparse.csr_array) else np.asarray(rows[:, places])
    if own:
        result = _on_their_own(values, U[used], standardize, scale)
    else:
        centre, divisor = _measured_by(features, mean, scale, n)
        with np.errstate(over="ignore", invalid="ignore"):
            result = ((values - centre[used]) / divisor[used]) @ U[used]
    if not np.isfinite(result).all():
        raise DataError("the scores are too large for double precision: rescale the data")
    return result[:, 0] if one else result


def _on_their_own(values: np.ndarray, U: np.ndarray, standardize: bool, scale: object) -> np.ndarray:
    """Scores from the samples' own mean."""
    if scale is not None:
        raise ValueError("scale goes with a mean that is given; with mean='own' give standardize=True or False")
    if not values.shape[1]:
        return np.zeros((len(values), U.shape[1]))
    factor = DenseFactor.of_data(values, standardize)
    with np.errstate(over="ignore", invalid="ignore"):
        return factor.forward(U.T).T * np.sqrt(len(values))


def _measured_by(features: Features | None, mean: object, scale: object, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean to subtract and the scale to divide by: the given ones, else those of the component."""
    if mean is None:
        if features is None or features.mean is None or features.scale is None:
            raise ValueError(
                "mean is not given, and these loadings carry none: give mean= of the data they were sought on (and "
                "scale= if those were standardised), or mean='own' for the mean of X itself"
            )
        return features.mean, features.scale if scale is None else _numbers_of("scale", scale, n)
    centre = _numbers_of("mean", mean, n)
    return centre, np.ones(n) if scale is None else _numbers_of("scale", scale, n)


def _numbers_of(name: str, value: object, n: int) -> np.ndarray:
    """One number for each feature; those of a scale are not 0."""
    try:
        numbers = np.empty(0) if masked(value)[0] else real_array(value)
    except (OverflowError, TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (n,) or not np.isfinite(numbers).all() or (name == "scale" and not numbers.all()):
        other = ", none of them 0" if name == "scale" else ", or 'own'"
        raise ValueError(f"{name}={shown(value)} is not allowed; give {n} finite numbers, one for each feature{other}")
    return numbers


def separation(scores, labels, n_classes: int | None = None) -> Any:
    """Return the area under the curve of each class against all others.

    Parameters
    ----------
    scores : array_like, shape (m,)
    labels : array_like of int or str, shape (m,)
        The class of each sample: a number from 0 on, where -1 has no class, or a name, where None
        and NaN have no class. A sample without a class counts nowhere.
    n_classes : int, optional
        How many there are; as many as the labels name when None. Not for names.

    Returns
    -------
    tuple of float or None, or dict
        For each class the share of pairs, a sample of it and another, in which its own scores higher, ties counting
        half: 1 and 0 separate without error. In the order of the classes; of names a dict from each to its area, in the
        order of the alphabet. None for a class without a sample, and for one that has all.

    Raises
    ------
    ValueError
        Scores that are not finite, labels that are no whole numbers from -1 to ``n_classes`` - 1,
        or of another length.

    Examples
    --------
    >>> separation([3.0, 2.0, 1.0, 9.0], [0, 0, 1, -1], n_classes=3)
    (1.0, 0.0, None)
    >>> separation([3.0, 2.0, 1.0, 9.0], ["well", "well", "ill", None])
    {'ill': 0.0, 'well': 1.0}
    """
    values = _one_each(scores)
    given = _read(labels)
    if given is not None and given.shape == values.shape and (named := _named(given)) is not None:
        if n_classes is not None:
            raise ValueError(f"n_classes={shown(n_classes)} is for labels that are numbers; these are names")
        labelled = np.array([label is not None for label in named])
        return {
            name: _area(values[labelled], np.array([label == name for label in named])[labelled])
            for name in sorted({label for label in named if label is not None})
        }
    if given is None or given.dtype.kind not in "iu" or given.shape != values.shape:
        raise ValueError(f"labels={shown(labels)} are not allowed; give {len(values)} whole numbers, or as many names")
    most = int(given.max(initial=-1)) + 1
    classes = most if n_classes is None else check_whole("n_classes", n_classes, 0)
    if given.min(initial=0) < -1 or most > classes:
        worst = int(given.min()) if given.min() < -1 else most - 1
        raise ValueError(f"a label is {worst}; give -1 for none, or a class from 0 to {classes - 1}")
    numbered = given >= 0
    return tuple(_area(values[numbered], given[numbered] == c) for c in range(classes))


def _named(given: np.ndarray) -> list[str | None] | None:
    """Labels that are names, None for a sample without one; None where they are something else."""
    labels: list[str | None] = [None if v is None or v != v else v for v in given.ravel().tolist()]
    names = [v for v in labels if v is not None]
    return labels if names and all(isinstance(v, str) for v in names) else None


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


def _read(given: object) -> np.ndarray | None:
    """The values given for each sample as an array; None if rows differ in length or some are masked."""
    try:
        return None if masked(given)[0] else np.asarray(given)
    except ValueError:
        return None


def _area(values: np.ndarray, here: np.ndarray) -> float | None:
    """Count, for each sample of the class, the others below it, and half of those equal to it."""
    mine, others = values[here], np.sort(values[~here])
    if not len(mine) or not len(others):
        return None
    below, upto = (np.searchsorted(others, mine, side=side).sum() for side in ("left", "right"))
    return float((int(below) + int(upto)) / (2 * len(mine) * len(others)))
