"""Memory of an object in bytes: of the arrays, data sets and covariances that lie in it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse

from nnspca.result import Features


def nbytes(thing: Any) -> int:
    """Return about how many bytes of arrays a thing holds, an array it holds twice counted once.

    >>> twice = np.zeros(1000)
    >>> nbytes((twice, twice)) - nbytes(twice) < 100
    True
    """
    return _weigh(thing, set())


def _weigh(thing: Any, seen: set[int]) -> int:
    if isinstance(thing, np.ndarray):
        whole = thing if thing.base is None else thing.base  # a slice keeps all of what it is cut from
        new = id(whole) not in seen
        seen.add(id(whole))
        return getattr(whole, "nbytes", thing.nbytes) * new
    if scipy.sparse.issparse(thing):
        return sum(_weigh(getattr(thing, part, None), seen) for part in ("data", "indices", "indptr"))
    if isinstance(thing, Features):
        return 64  # one for all results of the same data
    if isinstance(thing, Mapping):
        return sum(_weigh(value, seen) for value in thing.values())
    if isinstance(thing, tuple | list):
        many = [item for item in thing if not isinstance(item, float | str)]
        return 8 * len(thing) + 64 * (len(thing) - len(many)) + sum(_weigh(item, seen) for item in many)
    if dataclasses.is_dataclass(thing) or type(thing).__module__.startswith("nnspca."):
        return sum(_weigh(value, seen) for value in getattr(thing, "__dict__", {}).values())
    return 64
