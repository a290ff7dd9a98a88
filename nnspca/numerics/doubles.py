"""Conversion to doubles: whole numbers that no double equals are refused, not rounded."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral

import numpy as np

from nnspca.errors import DataError

EXACT = 2.0**53  # every whole number up to here is a double


def as_doubles(values: np.ndarray) -> np.ndarray:
    """Return numbers in double precision, infinite if too large; the array itself if it has that type already.

    DataError for a whole number that no double represents: it would be rounded to another one.

    Examples
    --------
    >>> as_doubles(np.array([1, 2**53]))
    array([1.00000000e+00, 9.00719925e+15])
    >>> as_doubles(np.array([2**53 + 1]))
    Traceback (most recent call last):
    nnspca.errors.DataError: the whole number 9007199254740993 would be rounded to 9007199254740992...
    """
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = np.asarray(values, dtype=np.float64)
    if values.dtype.kind in "iuO":
        large = (np.abs(numbers) >= EXACT) & np.isfinite(numbers)
        check_whole_numbers(values[large].tolist(), numbers[large].tolist())
    return numbers


def check_whole_numbers(values: Iterable[object], numbers: Iterable[float]) -> None:
    """Raise DataError for the first whole number (floats excepted) that its double does not equal."""
    for value, double in zip(values, numbers, strict=True):
        value = int(value) if isinstance(value, np.integer) else value  # NumPy would compare it rounded
        if value == double or isinstance(value, float | np.floating):
            continue
        if isinstance(value, Integral) or value == int(value):  # type: ignore[call-overload]
            raise DataError(
                f"the whole number {value} would be rounded to {double:.0f}: doubles hold every whole number up to "
                "2^53 = 9007199254740992 and few beyond. If it is a name or a code, leave it out; if it is a "
                "measurement, give it as a float"
            )


def read_only(array: np.ndarray) -> np.ndarray:
    """Return the array itself, which nothing can write to from now on."""
    array.setflags(write=False)
    return array
