"""Dataset: an array of samples with the names of its features and its source."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
import scipy.sparse

from nnspca.control.arguments import check_choice, masked, shown
from nnspca.covariance.input import numbers, read_given
from nnspca.datasets.columns import Column, Table
from nnspca.datasets.notes import Note
from nnspca.errors import DataError

Kind = Literal["faces", "images", "spectra", "genes", "table", "covariance"]
SHOWN = 20  # columns that are printed
NAMES = ("feature_names", "feature_titles")


def _read_only(array: np.ndarray, dtype: type | np.dtype) -> np.ndarray:
    """A read-only array that shares no writable memory: copied only if the given one is writable."""
    frozen: np.ndarray = np.ascontiguousarray(array, dtype=dtype)
    if frozen.flags.writeable:
        frozen = frozen.copy() if np.shares_memory(frozen, array) else frozen
        frozen.setflags(write=False)
    return frozen


def _numbers(given: object) -> np.ndarray | scipy.sparse.csr_array:
    """Real numbers, none of them masked, in double precision, read-only; sparse ones as sparse rows."""
    rows = numbers(given, finite=False)
    if isinstance(rows, np.ndarray):
        return _read_only(rows, np.float64)
    for part in (rows.data, rows.indices, rows.indptr):
        part.setflags(write=False)
    return rows


def _places(labels: object) -> np.ndarray:
    """Places in the names of the classes, as whole numbers."""
    try:
        given = np.asarray(labels)
        whole = not masked(labels)[0] and given.dtype.kind in "biuf" and bool((given == np.floor(given)).all())
    except (TypeError, ValueError):
        whole = False
    if not whole or given.ndim != 1:
        raise DataError(f"labels are {shown(labels)}; give one whole number for each sample: its place in label_names")
    return given


@dataclass(frozen=True, eq=False)
class Axis:
    """A numeric coordinate of the features, for drawing.

    Examples
    --------
    >>> Axis([7.5, 8.0], name="wavelength", unit="µm").values
    array([7.5, 8. ])
    """

    #: Shape (n,). One number for each feature; not necessarily increasing (overlapping bands go back).
    values: np.ndarray
    name: str  #: What is measured along the axis, for instance "wavelength"
    unit: str = ""  #: Its unit, for instance "µm"

    def __post_init__(self):
        object.__setattr__(self, "values", _read_only(self.values, np.float64))


@dataclass(frozen=True, eq=False, kw_only=True)
class Content:
    """The numbers of a data set and what belongs to them, before it has a name: the fields are those of Dataset."""

    #: Shape (m, n), a matrix or a sparse array of rows: samples in rows, float64, read-only; the square matrix itself
    #: for a covariance. What a file stores as a sparse array stays one: :meth:`Dataset.rows`, ``means`` and
    #: ``deviations`` serve both.
    X: Any
    #: One for each column; unless given those of the table that X is, else ``feature 1`` and so on (``row 1, column 1``
    #: for pixels)
    feature_names: tuple[str, ...] = ()
    #: What people call each feature, beside its name: a second name or a few words, such as the gene of a probe; an
    #: empty text where there is none, and no texts at all where no feature has one
    feature_titles: tuple[str, ...] = ()
    #: Height and width in pixels: ``X[i].reshape(image_shape)`` is the upright image
    image_shape: tuple[int, int] | None = None
    #: Shape (m,). Place in ``label_names``, the classes, of each sample; -1 where it has none.
    labels: np.ndarray | None = None
    label_names: tuple[str, ...] = ()  #: Of the classes, by their places
    axis: Axis | None = None  #: A numeric coordinate of the features
    planted: np.ndarray | None = None  #: Shape (n, r). For made-up data: the unit directions the data were made from.
    notes: tuple[Note, ...] = ()  #: The decisions of the reader, a sentence each
    #: What may be misread, with the options of :class:`Reading` that settle it; empty where all is read as meant
    doubts: tuple[Note, ...] = ()
    #: What :attr:`columns` describes: each column of the table as it was read, those left out too; of other formats
    #: each feature
    table: Table | tuple[Column, ...] | None = None
    sample_names: tuple[str, ...] = ()  #: One for each row; empty where none are known
    #: Shape (m,). How much each sample counts, by the column of that role. No call uses it by itself:
    #: ``Covariance.from_data(data, sample_weight=data.weights)`` does.
    weights: np.ndarray | None = None

    def __post_init__(self):
        given = read_given(self.X)
        object.__setattr__(self, "X", _numbers(given))
        if not self.feature_names and given.names:
            object.__setattr__(self, "feature_names", given.names)
        if self.labels is not None:
            object.__setattr__(self, "labels", _read_only(_places(self.labels), np.int64))
        said = tuple(note if isinstance(note, Note) else Note(str(note)) for note in self.notes)
        object.__setattr__(self, "notes", said)
        for name in ("planted", "weights"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, _read_only(given, np.float64))
        if not self.feature_names and len(self.X.shape) == 2:
            names = tuple(f"feature {j}" for j in range(1, self.X.shape[1] + 1))
            if self.image_shape is not None:
                height, width = self.image_shape
                names = tuple(f"row {r}, column {c}" for r in range(1, height + 1) for c in range(1, width + 1))
            object.__setattr__(self, "feature_names", names)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Each column as it was read: name, role, kind and values."""
        if isinstance(self.table, tuple):
            return self.table
        names = self.feature_names
        return (self.table or Table(names, self.X, np.arange(len(names)))).described()

    def of_rows(self, where: np.ndarray) -> Self:
        """Return the same of some rows."""
        rows: dict[str, Any] = {
            "X": self.X[where],
            "sample_names": tuple(self.sample_names[i] for i in where if self.sample_names),
        }
        rows |= {name: one[where] for name in ("labels", "weights") if (one := getattr(self, name)) is not None}
        return replace(self, **rows)

    def of_features(self, where: Sequence[int] | np.ndarray, **others: Any) -> Self:
        """Return the same of some features, with their names: no image any more, and nothing planted."""
        named = {name: tuple(own[j] for j in where) for name in NAMES if (own := getattr(self, name))}
        axis = self.axis and replace(self.axis, values=self.axis.values[where])
        fields = {"X": self.X[:, where], "image_shape": None, "planted": None, "axis": axis}
        return replace(self, **fields | named | others)


@dataclass(frozen=True, eq=False, kw_only=True)
class Dataset(Content):
    """A data set ready for analysis, with its description.

    Examples
    --------
    >>> ds = Dataset(name="two", X=[[1, 2], [3, 5], [4, 0]], feature_names=("height", "width"))
    >>> ds.n_samples, ds.n_features
    (3, 2)
    >>> ds.X.flags.writeable
    False
    >>> ds
    Dataset 'two': 3 × 2
      name                     role     kind              least     median       most missing  examples
      height                   feature  whole number          1          3          4       0  1, 3, 4
      width                    feature  whole number          0          2          5       0  2, 5, 0
    """

    name: str  #: A name of :func:`available`, or that of the file that was read
    title: str = ""  #: What a menu shows
    kind: Kind = "table"  #: How to draw a component of it
    description: str = ""  #: One or two sentences
    citation: str = ""  #: Whom to thank
    terms: str = ""  #: What one may do with the data
    source: str = ""  #: A package, an address or the name of a file

    def __post_init__(self):
        """Refuse fields that do not fit together: DataError, or ValueError for an unknown kind."""
        super().__post_init__()
        check_choice("kind", self.kind, get_args(Kind))
        if len(self.X.shape) != 2 or 0 in self.X.shape:
            raise DataError(f"X has shape {self.X.shape}; give a table of shape (samples, features)")
        m, n = self.X.shape
        if self.kind == "covariance" and m != n:
            raise DataError(f"X has shape {self.X.shape}; a covariance is a square matrix")
        shape = self.image_shape
        for what, size, needed in (
            ("image_shape", n if shape is None else shape[0] * shape[1], n),
            ("feature_names", len(self.feature_names), n),
            ("feature_titles", len(self.feature_titles) or n, n),
            ("axis", n if self.axis is None else self.axis.values.size, n),
            ("planted", n if self.planted is None else len(self.planted), n),
            ("labels", m if self.labels is None else len(self.labels), m),
            ("sample_names", len(self.sample_names) or m, m),
            ("weights", m if self.weights is None else len(self.weights), m),
        ):
            if size != needed:
                of = "samples" if what in ("labels", "sample_names", "weights") else "features"
                raise DataError(f"{what} stands for {size} {of}; X has {needed}")
        finite = np.isfinite(self.X.data if self.is_sparse else self.X)
        if bad := int(finite.size - finite.sum()):
            first = self.X.indices[~finite].min() if self.is_sparse else finite.all(axis=0).argmin()
            where = f"the first in column {self.feature_names[int(first)]!r:.42}"
            raise DataError(f"{bad} value(s) of X are not finite, {where}; remove or fill them")
        if self.labels is not None and self.label_names:
            low, high = int(self.labels.min()), int(self.labels.max())
            if low < -1 or high >= len(self.label_names):
                worst = low if low < -1 else high
                most = len(self.label_names) - 1
                raise DataError(f"a label is {worst}; give -1 for none, or a place in label_names from 0 to {most}")

    @classmethod
    def dress(cls, content: Content, **identity: Any) -> Dataset:
        """Give ``content`` a name, a kind and a source."""
        return cls(**{f.name: getattr(content, f.name) for f in fields(Content)}, **identity)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of ``X``."""
        rows, columns = self.X.shape
        return rows, columns

    @property
    def is_sparse(self) -> bool:
        """Whether ``X`` is a sparse array."""
        return bool(scipy.sparse.issparse(self.X))

    def rows(self, index: np.ndarray | slice) -> np.ndarray:
        """Some rows of ``X``, dense.

        >>> Dataset(name="two", X=scipy.sparse.eye_array(3, format="csr")).rows(np.array([1]))
        array([[0., 1., 0.]])
        """
        taken = self.X[index]
        return np.asarray(taken.toarray() if self.is_sparse else taken)

    def features(self, index: np.ndarray) -> np.ndarray:
        """Some columns of ``X``, dense.

        >>> Dataset(name="two", X=scipy.sparse.eye_array(3, format="csr")).features(np.array([1]))
        array([[0.],
               [1.],
               [0.]])
        """
        taken = self.X[:, index]
        return np.asarray(taken.toarray() if self.is_sparse else taken)

    @cached_property
    def means(self) -> np.ndarray:
        """Mean of each feature, shape (n,)."""
        return np.asarray(self.X.mean(axis=0)).ravel()

    @cached_property
    def deviations(self) -> np.ndarray:
        """Standard deviation (1/m) of each feature, shape (n,); exactly 0 where all its values are one."""
        most, least = (np.ravel(end.toarray() if self.is_sparse else end) for end in (self.X.max(0), self.X.min(0)))
        if not self.is_sparse:
            return np.where(most == least, 0.0, self.X.std(axis=0))
        from sklearn.utils.sparsefuncs import mean_variance_axis  # which takes long to import

        return np.where(most == least, 0.0, np.sqrt(mean_variance_axis(self.X, axis=0)[1]))

    def __repr__(self) -> str:
        size, first = " × ".join(f"{side:,}" for side in self.shape), self.columns[:SHOWN]
        lines = [f"{'name':24} {'role':8} {'kind':12} {'least':>10} {'median':>10} {'most':>10} missing  examples"]
        for one in first:
            numbers = " ".join(f"{value:>10.4g}" for value in (one.least, one.median, one.most))
            lines.append(
                f"{one.name:24.24} {one.role:8} {one.kind:12} {numbers} {one.missing:>7,}  {', '.join(one.examples)}"
            )
        rest = len(self.columns) - len(first)
        lines += [f"… and {rest:,} more columns"] if rest else []
        lines += [f"decided: {note}" for note in self.notes]
        lines += [f"doubt: {note} [{' / '.join(choice.label for choice in note.settles)}]" for note in self.doubts]
        return "\n  ".join([f"Dataset {self.name!r}: {size}", *lines])

    @property
    def n_samples(self) -> int | None:
        """Number of samples; None for a covariance."""
        return None if self.kind == "covariance" else self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.X.shape[1]

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 hex digest over the numbers, names and labels: equal exactly when these are."""
        digest = hashlib.sha256(repr((self.kind == "covariance", self.X.shape, self.image_shape)).encode())
        if self.is_sparse:
            digest.update(b"sparse")
            for part in (self.X.data, self.X.indices.astype(np.int64), self.X.indptr.astype(np.int64)):
                digest.update(part.data)
        else:
            digest.update(self.X.data)
        digest.update(repr((self.feature_names, self.label_names)).encode())
        if self.labels is not None:
            digest.update(self.labels.data)
        return digest.hexdigest()


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """One line of the catalogue: the description of a data set that need not be loaded.

    Examples
    --------
    >>> import nnspca
    >>> info = next(info for info in nnspca.datasets.available() if info.name == "pitprops")
    >>> info.shape, info.kind, info.bundled
    ((13, 13), 'covariance', True)
    """

    name: str  #: As in :class:`Dataset`
    title: str  #: As in :class:`Dataset`
    shape: tuple[int, int]  #: Rows and columns of ``X``
    kind: Kind  #: As in :class:`Dataset`
    citation: str  #: As in :class:`Dataset`
    terms: str  #: As in :class:`Dataset`
    bundled: bool = True  #: Comes with an installed package
    #: Can be loaded now without a network: bundled, in the folder named by ``NNSPCA_DATA``, or in the cache
    local: bool = True
    description: str = ""  #: As in :class:`Dataset`
    homepage: str = ""  #: Where to read more; empty where there is nothing
    download_url: str = ""  #: The pinned address it is fetched from; empty where there is none
    size_bytes: int = 0  #: Of that download
    names_bytes: int = 0  #: Of a file that gives its features better names (:func:`gene_symbols`) and is not here


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return distinct names: repeated ones get a number, as for probes of one gene."""
    names = list(names)
    if len(set(names)) == len(names):
        return tuple(names)
    taken = set(names)
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        if seen[name] > 1:
            count = next(i for i in itertools.count(seen[name]) if f"{name} ({i})" not in taken)
            seen[name], name = count, f"{name} ({count})"
            taken.add(name)
        unique.append(name)
    return tuple(unique)
