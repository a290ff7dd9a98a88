"""Validates numbers, arrays and names for the judge, and compares numbers so that a NaN fails every test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError

EPS = np.finfo(float).eps
LARGEST_NUMBER = 1e150  # magnitude of any number in a proof: products of two, and long sums of them, stay finite
NUMBERS = frozenset(np.dtype(code).type for code in np.typecodes["AllInteger"] + np.typecodes["Float"])
ALL_ROWS = 2000  # features of which every row is read, whatever their variances
EFFORTS = ("live", "thorough")
METHOD = re.compile(r"[a-z][a-z0-9-]{0,39}")  # a key of METHODS, on whichever machine it was made; or "given"
UNDERFLOW = 1e-250  # more than any product of numbers in range can lose to underflow, per feature


class UpperBound:
    """The largest of the values seen; infinite, so that it proves nothing, if one of them was not a number.

    Examples
    --------
    >>> most = UpperBound()
    >>> most.cover(np.array([1.0, 3.0])), most.value
    (None, 3.0)
    >>> most.cover(np.nan), most.value
    (None, inf)
    """

    def __init__(self) -> None:
        self.value = -np.inf

    def cover(self, values: np.ndarray | float) -> None:
        """Raise to the largest of ``values``."""
        most = float(np.max(values, initial=-np.inf))  # a NaN among them is their maximum
        self.value = np.inf if np.isnan(most) else max(self.value, most)


def largest_sums(rows: np.ndarray, count: int) -> np.ndarray:
    """The sum of the ``count`` largest of each row, or of all if there are fewer.

    Of many numbers only columns of eight are read whose maximum is among the ``count`` largest: any other number has
    that many above or equal to it. The judge has this apart from the bounds it judges. Selected from the front of
    −rows: from the back, rows with many ties, as of sparse data, take up to twenty times as long. NaN is a largest.

    Examples
    --------
    >>> largest_sums(np.array([[1.0, 4.0, 2.0], [0.0, 3.0, 3.0], [np.nan, 5.0, 5.0]]), 2)
    array([ 6.,  6., nan])
    """
    unknown = np.isnan(rows).any(axis=1) if count > 0 else False
    m, n = rows.shape
    wide = n // 8
    if wide > 2 * count > 0:
        columns = rows[:, : 8 * wide].reshape(m, 8, wide)
        chosen = np.argpartition(-columns.max(axis=1), count - 1, axis=1)[:, None, :count]
        among = np.take_along_axis(columns, chosen, axis=2).reshape(m, 8 * count)
        rows = np.concatenate([among, rows[:, 8 * wide :]], axis=1)
    if 0 < count < rows.shape[1]:
        rows = -np.partition(-rows, count - 1, axis=1)
    return np.where(unknown, np.nan, rows[:, : max(count, 0)].sum(axis=1))


def rows_by_cost(cov: Covariance, weights: np.ndarray, k: int, most: UpperBound) -> Iterator[np.ndarray]:
    """Yield A's rows in strips, those that could be heaviest first, until no other can exceed ``most``.

    Row i costs ``A_ii`` and k − 1 others of its entries, times w_j/w_i. As A is semidefinite,
    |A_ij| <= s_i s_j, up to the error in A: no row has more than
    ``s_i² + s_i (the k−1 largest s_j w_j) / w_i``. What is to spare below is more than the rounding
    of both sides, and few features are all read.
    """
    if cov.n_features <= ALL_ROWS:
        order, reach = np.arange(cov.n_features), np.full(cov.n_features, np.inf)
    else:
        # (A + error)_ii and so on: with the deviations raised by the error's root all entries are
        # covered
        s = np.sqrt(np.maximum(cov.diagonal, 0.0) + 2 * cov.representation_error)
        company = float(np.sort(s * weights)[::-1][: k - 1].sum())
        reach = (s * s + s * company / weights) * (1 + 1e-6)
        order = np.argsort(-reach, kind="stable")
    for start in range(0, len(order), cov.held.strip):
        rows = order[start : start + cov.held.strip]
        if not float(reach[rows[0]]) > most.value:
            return
        yield rows


def rows_of(problem: Problem, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A_ii of some rows, and A_ij⁺ beside it (|A_ij| without the sign constraint), j ≠ i."""
    block, own = np.array(problem.cov.block(rows)), (np.arange(len(rows)), rows)
    variances = block[own]
    block[own] = 0.0
    return variances, np.maximum(block, 0.0) if problem.nonnegative else np.abs(block)


def formed(cov: Covariance, chosen: np.ndarray) -> tuple[np.ndarray, float]:
    """A's entries on some features, symmetric, and the error in norm from forming them from a factor.

    What cov itself is off by is not in it.
    """
    block, terms = cov.block(chosen, chosen), cov.held.form.terms
    forming = 2 * (terms + 2) * EPS * float(cov.diagonal[chosen].sum()) if terms else 0.0
    return (block + block.T) / 2, forming


def held_entries(cov: Covariance) -> tuple[np.ndarray, float]:
    """A's entries and their error in norm; CertificateError if A is not held as entries."""
    if not cov.held.holds_entries:
        raise CertificateError("the proof is one of a matrix, and does not fit the data")
    return cov.held.entries, cov.representation_error


def at_most(value: float, limit: float) -> bool:
    """Whether both are numbers, the limit finite, and value <= limit."""
    return bool(value <= limit < np.inf)


def real(value: object, what: str, *, least: float = -LARGEST_NUMBER, most: float = LARGEST_NUMBER) -> float:
    """Return a real number in range as a float that is exactly it; CertificateError for anything else."""
    is_real = _of_its_own_kind(value, np.integer, np.floating) and not isinstance(value, bool)
    if is_real and isinstance(value, np.floating):
        exact = float(value)  # the limits may be out of a shorter number's range, never out of a double's
        is_real, value = exact == value, exact
    if is_real and least <= value <= most and float(value) == value:  # type: ignore[operator, arg-type]
        return float(value)
    raise CertificateError(f"{what} is {_shown(value)}, not a number from {least:g} to {most:g}")


def whole(value: object, what: str, least: int, most: int) -> int:
    """Return a whole number in range as an int; CertificateError for anything else."""
    if _of_its_own_kind(value, np.integer) and type(value) is not float and least <= value <= most:  # type: ignore[operator]
        return int(value)  # type: ignore[call-overload]
    raise CertificateError(f"{what} is {_shown(value)}, not a whole number from {least} to {most}")


def flag(value: object, what: str) -> bool:
    """Return a truth value as a bool; CertificateError for anything else."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise CertificateError(f"{what} is {_shown(value)}, neither True nor False")


def _of_its_own_kind(value: object, *kinds: type) -> bool:
    """Whether a value is a built-in or NumPy number; subclasses could behave differently."""
    return type(value) in (int, float) or (type(value) in NUMBERS and isinstance(value, kinds))


def text(value: object, what: str) -> str:
    """Return a plain string that can be written; CertificateError for anything else, lone surrogates included."""
    if type(value) is str and not re.search("[\ud800-\udfff]", value):
        return value
    raise CertificateError(f"{what} is {_shown(value)}, not a text")


def array(value: object, what: str, shape: tuple[int | None, ...], kinds: str = "fiu") -> np.ndarray:
    """Return real numbers in range as a plain array of doubles; None in ``shape`` lets a side be any length."""
    given = _plain(value, what, shape, kinds)
    if given.dtype.itemsize > 8:
        raise CertificateError(f"{what} has numbers of dtype {given.dtype}, wider than doubles")
    converted = given.astype(np.float64)
    if not (np.abs(converted) <= LARGEST_NUMBER).all():
        raise CertificateError(f"{what} must be finite numbers of magnitude {LARGEST_NUMBER:g} at most")
    return converted


def feature_indices(value: object, what: str, n: int) -> np.ndarray:
    """Return different whole numbers from 0 to n − 1, in order."""
    given = _plain(value, what, (None,), "iu")
    if not len(given) or int(given[0]) < 0 or int(given[-1]) >= n or not (given[1:] > given[:-1]).all():
        raise CertificateError(f"{what} must name different features from 0 to {n - 1}, in order")
    return given.astype(np.int64)


def _plain(value: object, what: str, shape: tuple[int | None, ...], kinds: str) -> np.ndarray:
    """A plain array of the wanted type and shape, without any conversion."""
    if not issubclass(type(value), np.ndarray):  # not isinstance, which asks the value itself
        raise CertificateError(f"{what} is {_shown(value)}, not an array")
    given: np.ndarray[Any, Any] = np.array(value, subok=False)  # a copy: what was checked is what is used
    if given.dtype.kind not in kinds:
        raise CertificateError(f"{what} has dtype {given.dtype}")
    if len(given.shape) != len(shape) or any(s not in (None, t) for s, t in zip(shape, given.shape, strict=True)):
        wanted = " × ".join("any" if s is None else str(s) for s in shape)
        raise CertificateError(f"{what} has shape {given.shape}; it must be {wanted}")
    return given


def _shown(value: object) -> str:
    """A short form of any value."""
    if isinstance(value, int) and abs(value) > 10**20:
        return "a huge whole number"
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"


def is_of_method(name: object) -> bool:
    """Return whether a name is a well-formed name of a method.

    >>> is_of_method("coordinate-descent"), is_of_method("<b>"), is_of_method(None)
    (True, False, False)
    """
    return type(name) is str and METHOD.fullmatch(name) is not None
