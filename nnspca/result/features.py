"""What the features of a result are: their names, mean and scale, and where they lie."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from nnspca.numerics.doubles import read_only


@dataclass(frozen=True, eq=False)
class Features:
    """Names, mean and scale of the features, with which a result names them and scores new samples.

    Examples
    --------
    >>> features = Features(3.0, 2, ("height", "width"))
    >>> features.names, features.restricted(np.array([1])).names, Features(3.0, 2, None).names
    (('height', 'width'), ('width',), ('x0', 'x1'))
    """

    total: float  #: Variance of all features of the data, including those that are not listed here
    count: int  #: Number of features of the data
    given_names: tuple[str, ...] | None = None  #: Names of the features listed here; None if the data have none
    mean: np.ndarray | None = None  #: Shape (n,). Subtracted from the data; None if a matrix was given.
    scale: np.ndarray | None = None  #: Shape (n,). What the data are divided by: 1 unless standardised.
    standardized: bool = False  #: Whether each feature was divided by its standard deviation
    image_shape: tuple[int, int] | None = None  #: Height and width, if the features are the pixels of an image
    axis: np.ndarray | None = None  #: Shape (n,), or None. A coordinate of each feature, such as a wavelength.
    axis_title: str = ""  #: Name and unit of that coordinate
    #: Shape (n,), or None. Variance of each feature listed here, standardised if they are.
    variances: np.ndarray | None = None
    chosen: str = ""  #: How many features of the data these are and what chose them; empty if all take part
    titles: tuple[str, ...] = ()  #: What people call each of them beside its name; empty if nothing
    package: str = ""  #: "polars" where the data were a table of it: results are then such tables, else of pandas

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the features; ``x0``, ``x1`` and so on, as in scikit-learn, if none are known."""
        return self.given_names if self.given_names is not None else tuple(f"x{i}" for i in range(self.count))

    def name(self, i: int) -> str:
        """Return the name of one feature."""
        return f"x{i}" if self.given_names is None else self.given_names[i]

    def restricted(self, places: np.ndarray) -> Features:
        """Return the description of some of the features; names stay."""
        arrays = (self.mean, self.scale, self.axis, self.variances)
        mean, scale, axis, variances = (None if array is None else array[places] for array in arrays)
        some: dict[str, Any] = {"mean": mean, "scale": scale, "axis": axis, "variances": variances, "image_shape": None}
        names, titles = (tuple(own[i] for i in places.tolist() if own) for own in (self.names, self.titles))
        return replace(self, given_names=names, titles=titles, **some)

    @cached_property
    def _digest(self) -> bytes:
        plain = [value for value in self._compared if not isinstance(value, np.ndarray)]
        digest = hashlib.blake2b(repr(plain).encode("utf-8", "surrogatepass"), digest_size=16)
        for array in (self.mean, self.scale, self.axis, self.variances):
            digest.update(b"|" if array is None else np.ascontiguousarray(array).data)
        return digest.digest()

    @property
    def _compared(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Results from other processes share equal descriptions of features."""
        return _shared_instance, (self._digest, self._compared)


_instances: WeakValueDictionary[bytes, Features] = WeakValueDictionary()


def _shared_instance(digest: bytes, fields: tuple[Any, ...]) -> Features:
    """The equal instance of this process; a new one if there is none."""
    return _instances.setdefault(digest, Features(*fields))


def frozen(values: Iterable[float] | None) -> np.ndarray | None:
    """Return read-only numbers; None for None, or if a number is too large for a double."""
    if values is None:
        return None
    array = read_only(np.array(values, dtype=np.float64))
    return array if np.isfinite(array).all() else None
