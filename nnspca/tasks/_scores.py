"""The door to scores: where samples lie along components, and how well that alone tells their classes apart."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from nnspca.calls.arguments import check_columns, check_flag, check_whole, masked, real_array, shown
from nnspca.covariance.factor import DenseFactor
from nnspca.covariance.reading import numbers
from nnspca.errors import DataError


def scores(X, loadings, *, standardize: bool = False) -> np.ndarray:
    """Return how far each sample lies from the mean along a component, or along each of several.

    The mean square of a component's scores is its variance on
    ``Covariance.from_data(X, standardize)``: only the features it uses are read.

    Parameters
    ----------
    X : array_like, data frame or scipy.sparse array, shape (m, n)
        Samples as rows, as :meth:`Covariance.from_data` takes them.
    loadings : array_like, shape (n,) or (n, r)
        Of one component, or of several as columns.
    standardize : bool
        Whether each feature is divided by its standard deviation (1/m), as it was when the loadings
        were sought.

    Returns
    -------
    ndarray, shape (m,) or (m, r)
        In the units of the data, or of nothing where standardised.

    Raises
    ------
    DataError
        X is no table of finite numbers, or so large that a score is none.
    ValueError
        Loadings of another number of features, or not finite.

    Examples
    --------
    >>> scores([[0.0, 1.0], [2.0, 1.0], [4.0, 4.0]], [1.0, 0.0])
    array([-2.,  0.,  2.])
    """
    standardize = check_flag("standardize", standardize)
    rows = numbers(X)
    if rows.ndim != 2 or min(rows.shape) < 1:
        raise DataError(f"X must be a table of samples and features; got shape {rows.shape}")
    one = _is_one(loadings)
    U = check_columns("loadings", np.reshape(loadings, (-1, 1)) if one else loadings, rows.shape[1])
    used = np.flatnonzero(U.any(axis=1))
    held = rows[:, used].toarray() if isinstance(rows, scipy.sparse.csr_array) else rows[:, used]
    if not len(used):
        made = np.zeros((len(held), U.shape[1]))
    else:
        factor = DenseFactor.of_data(np.asarray(held), standardize)
        with np.errstate(over="ignore", invalid="ignore"):
            made = factor.forward(U[used].T).T * np.sqrt(len(held))
    if not np.isfinite(made).all():
        raise DataError("the scores are too large for double precision: rescale the data")
    return made[:, 0] if one else made


def auc(scores, positive) -> float | None:
    """Return the area under the curve: the share of pairs, one of each class, in which the positive one scores higher.

    A tie counts half. 1 and 0 tell the classes apart without an error, 0.5 is what chance gives.

    Parameters
    ----------
    scores : array_like, shape (m,)
        Finite.
    positive : array_like of bool, shape (m,)
        The samples of one class.

    Returns
    -------
    float or None
        None where one of the two classes has no sample.

    Raises
    ------
    ValueError
        Not finite, or not of one length.

    Examples
    --------
    >>> auc([3.0, 2.0, 2.0, 1.0], [True, True, False, False])
    0.875
    >>> auc([3.0, 2.0], [True, True]) is None
    True
    """
    values = _one_each(scores)
    here = _read(positive)
    if here is None or here.dtype != bool or here.shape != values.shape:
        raise ValueError(f"positive={shown(positive)} is not allowed; give {len(values)} of True and False")
    return _area(values, here)


def separation(scores, labels, n_classes: int | None = None) -> tuple[float | None, ...]:
    """Return the area under the curve of each class against all others.

    Parameters
    ----------
    scores : array_like, shape (m,)
    labels : array_like of int, shape (m,)
        The class of each sample from 0 on; a sample of -1 has none, and counts nowhere.
    n_classes : int, optional
        How many there are; as many as the labels name when None.

    Returns
    -------
    tuple of float or None
        As :func:`auc`, in the order of the classes; None for a class without a sample, and for one
        that has all.

    Raises
    ------
    ValueError
        Scores that are not finite, labels that are no whole numbers from -1 to ``n_classes`` - 1,
        or of another length.

    Examples
    --------
    >>> separation([3.0, 2.0, 1.0, 9.0], [0, 0, 1, -1], n_classes=3)
    (1.0, 0.0, None)
    """
    values = _one_each(scores)
    given = _read(labels)
    if given is None or given.dtype.kind not in "iu" or given.shape != values.shape:
        raise ValueError(f"labels={shown(labels)} are not allowed; give {len(values)} whole numbers")
    most = int(given.max(initial=-1)) + 1
    classes = most if n_classes is None else check_whole("n_classes", n_classes, 0)
    if given.min(initial=0) < -1 or most > classes:
        worst = int(given.min()) if given.min() < -1 else most - 1
        raise ValueError(f"a label is {worst}; give -1 for none, or a class from 0 to {classes - 1}")
    named = given >= 0
    return tuple(_area(values[named], given[named] == c) for c in range(classes))


def _is_one(loadings: object) -> bool:
    """Whether these are the loadings of one component, and no columns."""
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
    """What was given for each sample as an array; None where rows differ in length, or a mask hides some."""
    try:
        return None if masked(given)[0] else np.asarray(given)
    except ValueError:
        return None


def _area(values: np.ndarray, here: np.ndarray) -> float | None:
    """Count, for each sample of the class, the others that lie below it, and half of those beside it."""
    mine, others = values[here], np.sort(values[~here])
    if not len(mine) or not len(others):
        return None
    below, upto = (np.searchsorted(others, mine, side=side).sum() for side in ("left", "right"))
    return float((int(below) + int(upto)) / (2 * len(mine) * len(others)))
