"""Covariance: the one thing every solver and bound takes, from data or from a matrix, n×n only when small."""

from __future__ import annotations

import math
import threading
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy.sparse

from nnspca.control.arguments import (
    check_choice,
    check_flag,
    check_names,
    check_places,
    check_vectors,
    check_whole,
    is_table,
    shown,
)
from nnspca.control.progress import OnProgress, ShouldStop
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import streamed
from nnspca.covariance.forms import DENSE_EIGEN, Form, HeldFactor, HeldMatrix
from nnspca.covariance.inner import Inner
from nnspca.covariance.input import Given, check_feature_names, numbers, opened
from nnspca.covariance.input import check_names as check_columns
from nnspca.covariance.matrices import Held, semidefinite, square
from nnspca.covariance.origin import Origin
from nnspca.covariance.samples import by_cost, centred, stated, warn_of_dominant
from nnspca.covariance.sources import Source, chunked
from nnspca.covariance.streamed import DENSE_FEATURES
from nnspca.covariance.sums import Sums
from nnspca.errors import DataError
from nnspca.numerics.doubles import read_only
from nnspca.result.features import Features, frozen

PAIRS, FEW_PAIRS, MANY_FEATURES = 20, 8, 20_000  # eigenpairs made at once, fewer of so many features and more


class Covariance(Inner):
    """A positive semidefinite matrix A of n features, held as itself or as a factor Y with A = Y'Y.

    Build it with :meth:`from_data`, :meth:`from_matrix` or :meth:`from_dataset`.

    Attributes
    ----------
    n_features : int
    n_samples : int or None
        None when A was given as a matrix.
    diagonal : ndarray, shape (n,)
        Variances of the features.
    trace : float
        Total variance.
    moved : float
        How far, in the Frobenius norm, the matrix given was from the one held: 0 unless
        :meth:`from_matrix` was told to repair it. Certificates speak about the one held.
    representation_error : float
        Proven bound on the spectral norm of (A as held − A of the data as given in double
        precision). Of a matrix with eigenvalues below zero by rounding: and on what all of them add
        to any sum of variances.
    feature_names : tuple of str, or None
        What the data called the features.
    features : Features
        Their names, the mean and scale they were read with, and the variance of all: what
        components carry on.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_data([[0.0, 1.0], [2.0, 1.0], [4.0, 4.0]], names=["height", "width"])
    >>> cov.diagonal.round(2), round(cov.variance([1.0, 0.0]), 2)
    (array([2.67, 2.  ]), 2.67)
    >>> cov.feature_names
    ('height', 'width')
    """

    def __init__(
        self,
        form: Form,
        *,
        n_samples: int | None = None,
        representation_error: float = 0.0,
        moved: float = 0.0,
        drift: float | None = None,
        relative_drift: float = np.inf,
        error_elsewhere: float | None = None,
        origin: Origin | None = None,
        features: Features | None = None,
        places: np.ndarray | None = None,
    ) -> None:
        """Hold a form; what each machine may have otherwise in its last bits goes with it.

        ``drift`` bounds the Frobenius norm of the difference between A as it is held here and on any other machine,
        where other routines sum in another order: 0 for a matrix that was given. ``relative_drift`` bounds that of any
        entry A_ij relative to ``sqrt(A_ii A_jj)``, infinite where no bound is known; ``error_elsewhere`` bounds
        ``representation_error`` on any machine. ``places`` are those of the ``features`` that are here.
        """
        if not isinstance(form, HeldMatrix | HeldFactor):
            raise TypeError(f"{shown(form)} is no form of a covariance; use Covariance.from_data(X) or .from_matrix(A)")
        self.form = form
        self.n_samples = n_samples
        self.moved = moved
        # a variance below zero by rounding is none, and a write to it would change what is proven
        self.diagonal = read_only(np.maximum(form.diagonal, 0.0))
        self.n_features = len(self.diagonal)
        self.trace = float(self.diagonal.sum())
        self.representation_error = representation_error
        # each machine is within its own error of the exact A, and the errors agree to many more
        # digits than two
        self.drift = 2.02 * representation_error if drift is None else drift
        self.relative_drift = relative_drift
        self.error_elsewhere = 1.01 * representation_error if error_elsewhere is None else error_elsewhere
        self._origin = origin
        self._described = (
            features or Features(self.trace, self.n_features, variances=self.diagonal),
            places,
        )  # of all, and which of them are here
        self._lock, self._making_pairs = threading.RLock(), threading.RLock()  # pairs may take long
        self._pairs: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def features(self) -> Features:
        """What is known of the features: names, and the mean and scale they were read with."""
        whole, places = self._described
        if places is not None:
            whole = whole.restricted(places)
            self._described = whole, None
        return whole

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """What the data called the features; None where they did not say."""
        return self.features.given_names

    @property
    def entries(self) -> np.ndarray:
        """A itself, shape (n, n); TypeError where it is not held: ask :attr:`holds_entries` first."""
        if isinstance(self.form, HeldMatrix):
            return self.form.A
        raise TypeError(f"the {self.n_features} × {self.n_features} entries are not held: read blocks of them")

    @classmethod
    def from_data(
        cls,
        X,
        standardize: bool | None = None,
        *,
        samples: Literal["rows", "columns"] = "rows",
        sample_weight=None,
        names=None,
        memory: int = streamed.MEMORY,
        should_stop: ShouldStop | None = None,
        on_progress: OnProgress | None = None,
    ) -> Covariance:
        """Covariance of data: features are centred, and A = X'X / m.

        A is formed where it is small; where samples are far fewer than features it never is.
        Data with up to 5 % of other numbers than zero are held sparse, their centring left implicit, and
        others dense, whichever was given, up to half a gigabyte. Data that are not in memory, and
        arrays of more than 16.8 million numbers, are read once, a chunk at a time, where they have
        up to 6,000 features. Of more features they are brought into memory if they take no more than
        ``memory`` there; else :func:`nnspca.most_variable` chooses features first.

        Parameters
        ----------
        X : array_like, data frame, scipy.sparse array, Dataset or AnnData, shape (m, n)
            Or rows that are read in chunks: a numpy.memmap, h5py.Dataset, Zarr or dask array, an
            AnnData in a file or one of its layers, a pyarrow.dataset.Dataset, or a function that
            returns an iterator of arrays, tables or sparse arrays. Finite real numbers, none of
            them masked or missing; (n, m) with ``samples="columns"``, the papers' layout. A Dataset
            that is itself a covariance matrix is taken as one, as by :meth:`from_dataset`.
        standardize : bool, optional
            Divide each feature by its standard deviation (1/m), so that A is a correlation matrix.
            Features that never vary stay zero; features may be of any scale. Not done when None.
        samples : {"rows", "columns"}
        sample_weight : array_like, shape (m,), optional
            How much each sample counts, of at least 0: a sample of weight 2 counts as two, one of
            weight 0 as none. Sparse data of different weights are held as dense ones, or beyond 4
            million entries as a matrix, up to 6,000 features.
        names : sequence of str, optional
            What the features are called; the columns of a data frame, the names of a Dataset and
            the variables of an AnnData when None.
        memory : int
            Bytes that data of too many features for a matrix may take: 2 GB unless it is given.
        should_stop, on_progress : callable, optional
            Of data that are read in chunks: asked after each chunk whether to stop, which ends the
            call with :class:`nnspca.datasets.ReadingStopped`; called with :class:`nnspca.Progress`.

        Raises
        ------
        DataError
            Wrong shape, not numeric, masked, not finite, or without any variance; rows that cannot be
            read; or too many of too many features: the message says which.
        ValueError
            Weights or names that are not one for each sample or feature.

        Warns
        -----
        UserWarning
            Where one feature holds over 90 % of the trace and ``standardize`` was not given.

        Examples
        --------
        >>> cov = Covariance.from_data([[0.0, 1.0], [2.0, 1.0], [1.0, 4.0]])
        >>> cov.diagonal
        array([0.66666667, 2.        ])
        >>> Covariance.from_data([[0.0, 1.0], [2.0, 1.0]], sample_weight=[1, 3], names=["a", "b"]).diagonal
        array([0.75, 0.  ])
        """
        check_choice("samples", samples, ("rows", "columns"))
        return cls._warned(X, standardize, samples, sample_weight, names, memory, should_stop, on_progress)

    @classmethod
    def _warned(cls, X: Any, standardize: bool | None, *how: Any) -> Covariance:
        """Covariance of samples, with a warning where one feature holds nearly all the trace of data as they are."""
        cov = cls._of_samples(X, stated(standardize), *how)
        warn_of_dominant(cov, standardize)
        return cov

    @classmethod
    def _of_samples(
        cls,
        X: Any,
        standardize: bool,
        samples: str,
        sample_weight: object,
        names: Any,
        memory: int,
        should_stop: ShouldStop | None,
        on_progress: OnProgress | None,
    ) -> Covariance:
        """Covariance of samples in memory, or of rows that are read in chunks."""
        check_whole("memory", memory, 1)
        if (source := chunked(X)) is not None:
            source = source.heeding(should_stop, on_progress)
            if samples == "rows":
                return cls._of_source(source, standardize, sample_weight, names, memory=memory)
            turned = Given(streamed.turned(source))
            return cls.from_data(turned, standardize, sample_weight=sample_weight, names=names)
        given = opened(X)
        if given.is_matrix:
            if sample_weight is not None or samples != "rows":
                raise DataError("the data set is a covariance matrix: it has no samples, and takes no sample_weight")
            return cls._of_matrix_set(given, standardize, False, names)
        if names is None:
            names = given.names if samples == "rows" else _index(X)
        if scipy.sparse.issparse(given.values) and given.values.ndim == 2:
            given = replace(given, values=by_cost(numbers(given.values), sample_weight is not None))
        if (source := streamed.large_array(given.values, samples, sample_weight is not None)) is not None:
            check_columns(given.values)
            source = source.heeding(should_stop, on_progress)
            with suppress(streamed.TooFar):  # of any scale where it is in memory
                return cls._of_source(source, standardize, sample_weight, names, given)
        with one_blas_thread():
            data = centred(given.values, standardize, samples, sample_weight)
            assert isinstance(data.form, HeldFactor)
            m, n = data.form.factor.shape
            if n <= DENSE_FEATURES or (n <= 2 * m and n <= 2 * DENSE_EIGEN):
                data = replace(data, form=HeldMatrix(data.form.factor.cross()))
        return cls.of_read(data, standardize, names, given)

    @classmethod
    def _of_source(
        cls,
        source: Source,
        standardize: bool,
        sample_weight: object,
        names: Any,
        given: Given | None = None,
        memory: int = streamed.MEMORY,
    ) -> Covariance:
        """Of rows that are read a chunk at a time: once, or anew for what is asked where A and they are too large."""
        with one_blas_thread():
            data = streamed.read(source, standardize, sample_weight, memory)
        labels = source.names if names is None else names
        if not isinstance(data, Held):
            return cls.from_data(Given(data), standardize, sample_weight=sample_weight, names=labels)
        return cls.of_read(data, standardize, labels, given)

    @classmethod
    def from_chunks(
        cls,
        read,
        standardize: bool | None = None,
        *,
        sample_weight=None,
        names=None,
        memory: int = streamed.MEMORY,
        should_stop: ShouldStop | None = None,
        on_progress: OnProgress | None = None,
    ) -> Covariance:
        """Covariance of rows that a function gives a chunk at a time, read once and let go.

        Parameters
        ----------
        read : callable
            Called without arguments, it returns an iterator of arrays, tables or sparse arrays of
            some rows each, all of the same features.
        standardize, sample_weight, names, memory, should_stop, on_progress
            As for :meth:`from_data`, which takes such a function, too, and warns likewise.

        Examples
        --------
        >>> def read():
        ...     for start in (0, 2):
        ...         yield np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 4.0], [6.0, 4.0]])[start : start + 2]
        >>> Covariance.from_chunks(read).diagonal
        array([5.  , 2.25])
        """
        if not callable(read):
            raise TypeError(f"read={shown(read)} is not allowed; give a function that returns an iterator of chunks")
        return cls._warned(read, standardize, "rows", sample_weight, names, memory, should_stop, on_progress)

    @classmethod
    def of_sums(cls, sums: Sums, standardize: bool, names: Any) -> Covariance:
        """Covariance of samples that were summed; more may be added to the sums."""
        with one_blas_thread():
            data = streamed.of_sums(sums, standardize, last=False)
        return cls.of_read(data, standardize, names)

    @classmethod
    def of_read(cls, data: Held, standardize: bool, names: Any, given: Given | None = None) -> Covariance:
        """Hold a form of A with its errors, and the means and scales of the samples that were read."""
        variances, given, held = np.maximum(data.form.diagonal, 0.0), given or Given(None), dict(vars(data))
        seen = held.pop("seen")
        features = Features(
            float(variances.sum()),
            len(variances),
            check_feature_names(names, len(variances)),
            None if seen is None else frozen(seen.mean),
            None if seen is None else frozen(seen.scale),
            standardize,
            given.image_shape,
            given.axis,
            given.axis_title,
            frozen(variances),
        )
        return cls(**held, features=features)

    @classmethod
    def from_matrix(cls, A, *, repair: bool = False, names=None) -> Covariance:
        """Covariance given as a matrix.

        Parameters
        ----------
        A : array_like, shape (n, n)
            Symmetric positive semidefinite. Asymmetry and negative eigenvalues of the size of
            rounding (relative 1e-8) are accepted; the symmetric part is kept as it is.
        repair : bool
            Take the positive semidefinite matrix nearest to A in the Frobenius norm, whatever A is
            but one triangle: its symmetric part without the negative eigenvalues (Higham 1988,
            Theorem 2.1). ``moved`` says how far that is. Covariances of single precision, or
            rounded to a few digits, may need it.
        names : sequence of str, optional
            What the features are called; the columns of a data frame when None.

        Raises
        ------
        DataError
            Not square, not finite, not symmetric, not positive semidefinite (the message gives the
            most negative eigenvalue), or zero.

        Examples
        --------
        >>> Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]]).eigenpairs(2)[0]
        array([3., 1.])

        Correlations rounded to one digit, which no three features can have:

        >>> rounded = [[1.0, 0.9, 0.5], [0.9, 1.0, 0.9], [0.5, 0.9, 1.0]]
        >>> cov = Covariance.from_matrix(rounded, repair=True)
        >>> round(cov.moved, 4)
        0.0471
        """
        check_flag("repair", repair)
        return cls._from_matrix(opened(A), repair, names)

    @classmethod
    def _from_matrix(cls, given: Given, repair: bool, names: object, roundings: int = 0) -> Covariance:
        """Hold a matrix, each of whose entries was rounded so many times before."""
        with one_blas_thread():
            matrix = semidefinite(given.values, repair, roundings)
        return cls.of_read(matrix, False, given.names if names is None else names)

    @classmethod
    def from_dataset(cls, dataset: Any, standardize: bool | None = None, *, repair: bool = False) -> Covariance:
        """Covariance of a :class:`nnspca.datasets.Dataset`, whichever kind it is, or of one that is read in chunks.

        A data set that is itself a covariance matrix is taken as one; ``standardize`` then turns it
        into the correlation matrix, and ``repair`` is that of :meth:`from_matrix`. Warns as
        :meth:`from_data` does.
        """
        is_set = hasattr(dataset, "kind") and hasattr(dataset, "X")
        if not is_set and chunked(dataset) is None:
            raise TypeError(
                f"dataset is {shown(dataset)}; give a Dataset, as nnspca.datasets.load or read returns it, or "
                "samples as rows to Covariance.from_data(X), or a matrix to Covariance.from_matrix(A)"
            )
        if not is_set or dataset.kind != "covariance":
            return cls._warned(dataset, standardize, "rows", None, None, streamed.MEMORY, None, None)
        return cls._of_matrix_set(opened(dataset), stated(standardize), repair, None)

    @classmethod
    def _of_matrix_set(cls, given: Given, standardize: bool, repair: bool, names: object) -> Covariance:
        """Hold a data set that is itself a matrix."""
        if not standardize:
            return cls._from_matrix(given, repair, names)
        A = square(given.values)
        scale = np.sqrt(np.where(A.diagonal() > 0, A.diagonal(), 1.0))
        # two roots, their product and the quotient: four roundings, and a fifth of the second order
        # of them
        return cls._from_matrix(replace(given, values=A / np.outer(scale, scale)), repair, names, roundings=5)

    def apply(self, x: np.ndarray) -> np.ndarray:
        """Return Ax, for one vector (n,) or a batch of rows (r, n)."""
        product = self.form.apply(x := check_vectors("x", x, self.n_features))
        return product if np.isfinite(product).all() else _of_finite(product, x)

    def variance(self, x: np.ndarray):
        """Return x'Ax: a float for one vector (n,), an array (r,) for a batch of rows (r, n)."""
        x = check_vectors("x", x, self.n_features)
        if x.ndim == 2:
            variances = self.form.variances(x)
            return variances if np.isfinite(variances).all() else _of_finite(variances, x)
        support = np.flatnonzero(x)
        value = self.form.variance_on(support, x[support])
        return value if math.isfinite(value) else _of_finite(value, x)

    def block(self, rows: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        """Return the entries of A at ``rows`` × ``columns`` (all columns when None)."""
        return self.form.block(rows, columns)

    def restrict(self, features) -> Covariance:
        """Return the covariance of some features only, by place or by name, in the order given."""
        features = check_names("features", features, self.feature_names)
        features = check_places("features", features, self.n_features)
        return self.derived(self.form.restrict(features), "restrict", features)

    def derived(
        self,
        form: Form,
        operation: str,
        argument: np.ndarray,
        *,
        growth: float = 1.0,
        rounding: float = 0.0,
        times: int = 1,
    ) -> Covariance:
        """Return what is made of this covariance, of the same samples, by an operation on an argument.

        ``growth`` is by how much an error in this covariance grows, ``rounding`` what the operation adds
        to it, in the Frobenius norm, and ``times`` how often a bound that sums variances meets that
        rounding. The argument is reproducible to the last bit, as its hash is in the fingerprint.
        """
        exact = growth == 1.0 and not rounding
        whole, places = self._described
        if operation == "restrict":
            places = np.array(argument) if places is None else places[argument]
        error = growth * self.representation_error + times * rounding
        elsewhere = growth * self.error_elsewhere + times * rounding
        return Covariance(
            form,
            n_samples=self.n_samples,
            representation_error=error,
            moved=self.moved,
            relative_drift=self.relative_drift if exact else np.inf,
            drift=self.drift if exact else 1.01 * (growth * self.drift + 2 * rounding),
            error_elsewhere=self.error_elsewhere if exact else 1.01 * elsewhere,
            origin=None if self._origin is None else Origin(operation, (np.array(argument),), self._origin),
            features=whole,
            places=places,
        )

    def eigenpairs(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the d largest eigenvalues and their eigenvectors, largest first.

        Values below zero by rounding are returned as zero. Each vector's entry of largest magnitude
        is positive.

        Parameters
        ----------
        d : int
            1 <= d <= n.

        Returns
        -------
        values : ndarray, shape (d,)
        vectors : ndarray, shape (n, d)
            Orthonormal columns.
        """
        d = check_whole("d", d, 1, self.n_features)
        with self._making_pairs:
            if self._pairs is None or len(self._pairs[0]) < d:
                with one_blas_thread():
                    few = self.n_features > MANY_FEATURES
                    self._pairs = self._leading(max(d, min(FEW_PAIRS if few else PAIRS, self.n_features)))
            values, vectors = self._pairs
        return values[:d], vectors[:, :d]

    def _leading(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """At least d eigenpairs, each vector's largest entry positive."""
        values, vectors = self.form.leading(d)
        if len(values) < d:
            values = np.concatenate([values, np.zeros(d - len(values))])
            vectors = _complete(vectors, d)
        peaks = np.abs(vectors).argmax(axis=0)
        signs = np.where(vectors[peaks, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
        return read_only(values.copy()), read_only(np.ascontiguousarray(vectors * signs))

    @property
    def fingerprint(self) -> str:
        """Hash of the data and of all that was done to them: a certificate names the covariance it speaks about.

        It is the same on every machine, where A itself may differ in its last bits.
        """
        with self._lock:
            if self._origin is None:
                self._origin = Origin("held", tuple(self.form.arrays()))
            return self._origin.fingerprint

    def __getstate__(self) -> dict[str, object]:
        """Everything but the locks, so that a covariance can be sent to another process."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_making_pairs")}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._lock, self._making_pairs = threading.RLock(), threading.RLock()
        read_only(self.diagonal)  # which pickling forgets

    def __repr__(self) -> str:
        moved = f", moved by {self.moved:.3g} to have no negative eigenvalue" if self.moved else ""
        return f"Covariance(n_features={self.n_features}, n_samples={self.n_samples}, held as {self.form.name}{moved})"


def _of_finite(product: Any, x: np.ndarray) -> Any:
    """Return what was made of vectors; ValueError where these are not finite, which that shows at no cost."""
    if bad := int(x.size - np.isfinite(x).sum()):
        raise ValueError(f"{bad} value(s) of x are not finite; give finite real numbers")
    return product


def _index(X: Any) -> tuple[str, ...] | None:
    """The names of a table's rows; None if they are only 0, 1, 2, …"""
    if not is_table(X) or not hasattr(X, "index") or list(X.index) == list(range(len(X.index))):
        return None
    return tuple(map(str, X.index))


def _complete(vectors: np.ndarray, d: int) -> np.ndarray:
    """Add orthonormal columns until there are d."""
    extra = np.random.default_rng(0).standard_normal((len(vectors), d - vectors.shape[1]))
    for _ in range(2):
        extra -= vectors @ (vectors.T @ extra)
    return np.hstack([vectors, np.linalg.qr(extra)[0]])
