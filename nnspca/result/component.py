"""One component: a sparse unit vector, how it was found, and what its features are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from nnspca.numerics.doubles import read_only
from nnspca.result import sentences, wording
from nnspca.result.wording import DataFrame, Display, Figure

if TYPE_CHECKING:
    from nnspca.result.chance import ParallelAnalysis


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


@dataclass(frozen=True, eq=False, repr=False)
class Component(Display):
    """One component: a unit vector with at most ``k`` nonzero loadings, and how it was found.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_data([[0.0, 1.0, 3.0], [2.0, 3.0, 3.5], [4.0, 4.0, 3.0]], names=["a", "b", "c"])
    >>> part = nnspca.solve(cov, k=2)
    >>> part
    Component: 2 of 3 features, 97.8 % of the total variance, one feature 33.3 % on average (k = 2, ...)
      a 0.80, b 0.61
    >>> part.names
    ('a', 'b')
    >>> print(part.summary())
    a and b rise together: one number made of these two carries 97.8 % of the variance of all three features. One ...
    """

    #: Shape (n,). Unit Euclidean norm. Nonnegative exactly when ``nonnegative``; otherwise signed so that the
    #: loading of largest magnitude is positive.
    loadings: np.ndarray
    variance: float  #: ``x'Ax``, in the squared units of the data
    method: str  #: A key of ``nnspca.METHODS``; "given" for loadings of your own
    k: int  #: The largest number of nonzero loadings allowed
    nonnegative: bool = True  #: Whether the sign constraint was on
    options: Mapping[str, object] = field(default_factory=dict)  #: The options the solver ran with
    seconds: float = field(default=0.0, compare=False)  #: Wall-clock time of the solve
    history: tuple[float, ...] = ()  #: The best variance known after each step of the method; it never decreases
    stopped: bool = False  #: True when ``should_stop`` ended the call early; the loadings are the best so far
    note: str = ""  #: A remark about the run, in plain words
    #: Names, mean and scale of the features; None for loadings of your own
    features: Features | None = field(default=None, compare=False)

    @property
    def support(self) -> np.ndarray:
        """Indices of the nonzero loadings, ascending."""
        return np.flatnonzero(self.loadings)

    @property
    def cardinality(self) -> int:
        """Number of nonzero loadings."""
        return int(np.count_nonzero(self.loadings))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features in :attr:`support`; ``x0``, ``x1`` and so on if none are known."""
        return tuple(self.feature_name(i) for i in self.support.tolist())

    @property
    def share(self) -> float | None:
        """Variance as a share of that of all features; None if that is not known."""
        return None if self.features is None or not self.features.total else self.variance / self.features.total

    def feature_name(self, i: int) -> str:
        """Return the name of feature ``i``."""
        return f"x{i}" if self.features is None else self.features.name(i)

    def called(self, i: int) -> str:
        """Return what sentences call feature ``i``: its name, and its title if it has one."""
        titles = self.features.titles if self.features is not None else ()
        return wording.name_with_title(self.feature_name(i), titles[i] if titles else "")

    @property
    def _layout(self) -> tuple[list[str], tuple[int, int] | None, tuple[np.ndarray, str] | None]:
        """How a figure draws the features: by their names, as pixels of an image of this shape, or along an axis."""
        features, names = self.features, [self.feature_name(i) for i in range(len(self.loadings))]
        if features is None:
            return names, None, None
        return names, features.image_shape, None if features.axis is None else (features.axis, features.axis_title)

    def to_frame(self) -> DataFrame:
        """Return a data frame with a row for each nonzero loading, the largest first, indexed by feature.

        The column ``weight`` is the share ``x_i²`` of the unit length.
        """
        order = wording.heaviest(self)
        loadings = self.loadings[order]
        columns = {"loading": loadings, "weight": loadings**2, "place": order}
        return self._frame(columns, index=[self.feature_name(i) for i in order], name="feature")

    def summary(self, chance: ParallelAnalysis | None = None) -> str:
        """Return a plain sentence: the features, and the variance they carry.

        With ``chance``, what :func:`nnspca.parallel_analysis` found, it says what shuffled columns reach; first, and
        that it is no more than chance, where that is so.
        """
        if chance is None:
            return sentences.join(sentences.component(self), sentences.average(self.features))
        if self.k == 1 or np.all(chance.is_more):
            return sentences.join(sentences.component(self), chance.summary())
        apart = self.features and replace(self.features, variances=None)  # nothing is said of how they vary together
        return sentences.join(chance.summary(), sentences.component(replace(self, features=apart)))

    def _figure(self, figures: Any) -> Figure:
        """The loadings: as bars, or as pixels of an image."""
        return figures.components(self.loadings[:, None], *self._layout)

    def _lines(self) -> list[str]:
        head = (
            f"Component: {self.cardinality} of {len(self.loadings)} features, "
            f"{wording.variance_share(self.variance, self)}{sentences.average(self.features, ', one feature ', '')} "
            f'(k = {self.k}, {wording.sign_in_words(self.nonnegative)}, solver "{self.method}")'
        )
        return [head, sentences.line(self), *(["stopped before its end"] if self.stopped else [])]
