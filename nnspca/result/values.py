"""Equality by value: two results are equal if all compared fields are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np


class ByValue:
    """Equal to another instance of its class if all compared fields are equal.

    Seconds, proofs and the names of features are not compared: a result read from a file equals the
    one that was written.
    """

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, name), getattr(other, name)) for name in _compared(self))

    def __hash__(self) -> int:
        plain = [getattr(self, name) for name in _compared(self)]
        return hash((type(self).__name__, *(v for v in plain if isinstance(v, bool | int | float | str))))


def _compared(record: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(record) if field.compare]


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal; arrays entry by entry, with NaN equal to NaN."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == other.dtype.kind == "f"))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other or (one != one and other != other))
