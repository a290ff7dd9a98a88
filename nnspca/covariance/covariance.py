"""Covariance: the one thing every solver and bound takes, from data or from a matrix, n×n only when small."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from typing import Any

import numpy as np

from nnspca.control.arguments import check_flag, check_places, check_vectors, check_whole, places_by_name, shown
from nnspca.control.progress import OnProgress, ShouldStop
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import samples as reading
from nnspca.covariance.factor import Factor
from nnspca.covariance.forms import Form, HeldMatrix, semidefinite, square
from nnspca.covariance.held import Held
from nnspca.covariance.input import Input, check_feature_names, read_given
from nnspca.covariance.provenance import Provenance
from nnspca.covariance.sources import chunked, genes_used
from nnspca.covariance.sums import Sums
from nnspca.errors import DataError
from nnspca.numerics.doubles import read_only
from nnspca.result.features import Features, frozen

PAIRS, FEW_PAIRS, MANY_FEATURES = 20, 8, 20_000  # eigenpairs made at once, fewer of so many features and more


class Covariance:
    """A positive semidefinite matrix A of n features, held as itself or as a factor Y with A = Y'Y.

    Build it with :meth:`from_data`, :meth:`from_matrix` or :meth:`from_dataset`.

    Attributes
    ----------
    n_features : int
    diagonal : ndarray, shape (n,)
        Variances of the features.
    trace : float
        Total variance.
    held : Held
        The form of A with its costs and errors, which solvers and bounds read: :mod:`nnspca.covariance.held`.

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
        provenance: Provenance | None = None,
        *,
        features: Features | None = None,
        places: np.ndarray | None = None,
    ) -> None:
        """Hold a form with its provenance; ``places`` says which of the ``features`` it is of."""
        if not isinstance(form, HeldMatrix | Factor):
            raise TypeError(f"{shown(form)} is no form of a covariance; use Covariance.from_data(X) or .from_matrix(A)")
        self.held = Held(form, Provenance() if provenance is None else provenance)
        self.diagonal = self.held.diagonal
        self.n_features = len(self.diagonal)
        self.trace = float(self.diagonal.sum())
        self._described = (
            features or Features(self.trace, self.n_features, variances=self.diagonal),
            places,
        )  # of all, and which of them are here
        self._lock, self._making_pairs = threading.RLock(), threading.RLock()  # pairs may take long
        self._pairs: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def n_samples(self) -> int | None:
        """Number of samples; None of a matrix."""
        return self.held.provenance.n_samples

    @property
    def representation_error(self) -> float:
        """Proven bound on the spectral norm of A as held less A of the data as given in double precision.

        Of a matrix with eigenvalues below zero by rounding: and on what all of them add to any sum of variances.
        """
        return self.held.provenance.representation_error

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

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return A where its entries are held, for ``numpy.asarray(cov)``."""
        return np.array(self.held.entries, dtype=dtype, copy=copy)

    @classmethod
    def from_data(
        cls,
        X,
        standardize: bool | None = None,
        *,
        center: bool = True,
        sample_weight=None,
        names=None,
        should_stop: ShouldStop | None = None,
        on_progress: OnProgress | None = None,
    ) -> Covariance:
        """Covariance of data: features are centred, and A = X'X / m.

        A is formed where it is small; where samples are far fewer than features it never is.
        Data with up to 5 % of other numbers than zero are held sparse, their centring left implicit, and
        others dense, whichever was given; sparse ones with more stay as they are where dense ones would
        take more than 2 GB. Data that are not in memory, and those of more than 16.8 million numbers, are read once, a
        chunk at a time, where they have up to 6,000 features. Of more features they are brought into memory if they
        take no more than 2 GB there; else :func:`nnspca.most_variable` chooses features first.

        Parameters
        ----------
        X : array_like, data frame, scipy.sparse array, Dataset or AnnData, shape (m, n)
            Or rows that are read in chunks: a numpy.memmap, h5py.Dataset, Zarr or dask array, an AnnData in a file or
            one of its layers, a pyarrow.dataset.Dataset, or a function that returns an iterator of arrays, tables or
            sparse arrays. Finite real numbers, none of them masked or missing; the transpose of the papers' layout. A
            Dataset that is itself a covariance matrix is taken as one, as by :meth:`from_dataset`. Of an AnnData with a
            column ``highly_variable`` in ``var`` the genes marked there take part, as in every call that finds
            components of data; results print that. ``adata.to_df()`` has all.
        standardize : bool, optional
            Divide each feature by its standard deviation (1/m), so that A is a correlation matrix.
            Features that never vary stay zero; features may be of any scale. Not done when None.
        center : bool
            Take the mean off first. False for second moments about zero, A = X'X / m, as of counts or spectra;
            ``standardize`` then divides by the root of the mean square. They are made as the covariance of each
            sample and its negative, which is the same, and takes twice the memory.
        sample_weight : array_like, shape (m,), optional
            How much each sample counts, of at least 0: a sample of weight 2 counts as two, one of
            weight 0 as none. Sparse data of different weights are held as dense ones, or beyond 4
            million entries as a matrix, up to 6,000 features.
        names : sequence of str, optional
            What the features are called; the columns of a data frame, the names of a Dataset and
            the variables of an AnnData when None.
        should_stop, on_progress : callable, optional
            Of data that are read in chunks: asked after each chunk whether to stop, which ends the
            call with :class:`nnspca.datasets.ReadingStopped`; called with :class:`nnspca.result.Progress`.

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
        >>> Covariance.from_data([[0.0, 1.0], [2.0, 1.0]], center=False).diagonal
        array([2., 1.])
        """
        standardized, center, X = reading.stated(standardize), check_flag("center", center), genes_used(X)
        if not center:
            X, sample_weight = reading.with_negatives(X, sample_weight)
        if chunked(X) is None and (given := read_given(X)).is_matrix:
            if sample_weight is not None:
                raise DataError("the data set is a covariance matrix: it has no samples, and takes no sample_weight")
            return cls._of_matrix_set(given, standardized, False, names)
        made, given = reading.of_samples(X, standardized, sample_weight, should_stop, on_progress)
        made = made if center else reading.without_negatives(made)
        cov = of_read(made, standardized, given.names if names is None else names, given)
        reading.warn_of_scales(cov, standardize)
        return cov

    @classmethod
    def from_matrix(cls, A, *, repair: bool = False, names=None) -> Covariance:
        """Covariance given as a matrix.

        Parameters
        ----------
        A : array_like, shape (n, n)
            Symmetric positive semidefinite. Asymmetry and negative eigenvalues of the size of
            rounding (relative 1e-8) are accepted; the symmetric part is kept as it is.
        repair : bool
            Take the positive semidefinite matrix nearest to A in the Frobenius norm, whatever A is but one triangle:
            its symmetric part without the negative eigenvalues (Higham 1988, Theorem 2.1). ``held.moved`` says how
            far that is. Covariances of single precision, or rounded to a few digits, may need it.
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
        >>> round(cov.held.moved, 4)
        0.0471
        """
        check_flag("repair", repair)
        return cls._from_matrix(read_given(A), repair, names)

    @classmethod
    def _from_matrix(cls, given: Input, repair: bool, names: object, roundings: int = 0) -> Covariance:
        """Hold a matrix, each of whose entries was rounded so many times before."""
        with one_blas_thread():
            matrix = semidefinite(given.values, repair, roundings)
        return of_read(matrix, False, given.names if names is None else names)

    @classmethod
    def from_dataset(
        cls, dataset: Any, standardize: bool | None = None, *, center: bool = True, repair: bool = False
    ) -> Covariance:
        """Covariance of a :class:`nnspca.datasets.Dataset`, whichever kind it is, or of one that is read in chunks.

        A data set that is itself a covariance matrix is taken as one; ``standardize`` then turns it
        into the correlation matrix, and ``repair`` is that of :meth:`from_matrix`; ``center`` is that of
        :meth:`from_data`. Warns as
        :meth:`from_data` does.
        """
        is_set = hasattr(dataset, "kind") and hasattr(dataset, "X")
        if not is_set and chunked(dataset) is None:
            raise TypeError(
                f"dataset is {shown(dataset)}; give a Dataset, as nnspca.datasets.load or read returns it, or "
                "samples as rows to Covariance.from_data(X), or a matrix to Covariance.from_matrix(A)"
            )
        if not is_set or dataset.kind != "covariance":
            return cls.from_data(dataset, standardize, center=center)
        if not check_flag("center", center):
            raise DataError("the data set is a covariance matrix: its samples were centred, or not, before")
        return cls._of_matrix_set(read_given(dataset), reading.stated(standardize), repair, None)

    @classmethod
    def _of_matrix_set(cls, given: Input, standardize: bool, repair: bool, names: object) -> Covariance:
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
        product = self.held.form.apply(x := check_vectors("x", x, self.n_features))
        return product if np.isfinite(product).all() else _of_finite(product, x)

    def variance(self, x: np.ndarray):
        """Return x'Ax: a float for one vector (n,), an array (r,) for a batch of rows (r, n)."""
        x = check_vectors("x", x, self.n_features)
        if x.ndim == 2:
            variances = self.held.form.variances(x)
            return variances if np.isfinite(variances).all() else _of_finite(variances, x)
        support = np.flatnonzero(x)
        value = self.held.form.variance_on(support, x[support])
        return value if math.isfinite(value) else _of_finite(value, x)

    def block(self, rows: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        """Return the entries of A at ``rows`` × ``columns`` (all columns when None)."""
        return self.held.form.block(rows, columns)

    def restrict(self, features) -> Covariance:
        """Return the covariance of some features only, by place or by name, in the order given."""
        features = places_by_name("features", features, self.feature_names)
        features = check_places("features", features, self.n_features)
        return derived(self, self.held.form.restrict(features), "restrict", features)

    def eigenpairs(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the d largest eigenvalues and their eigenvectors, largest first.

        Values below zero by rounding are returned as zero. Each vector's entry of largest magnitude is positive.

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
        values, vectors = self.held.form.leading(d)
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
            if not self.held.provenance.operation:
                self.held.provenance = replace(
                    self.held.provenance, operation="held", arrays=tuple(self.held.form.arrays())
                )
            return self.held.provenance.fingerprint

    @property
    def matrix(self) -> np.ndarray | None:
        """A itself, shape (n, n), where it is held; None otherwise."""
        return self.held.entries if self.held.holds_entries else None

    def __getstate__(self) -> dict[str, object]:
        """Everything but the locks, so that a covariance can be sent to another process."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_making_pairs")}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._lock, self._making_pairs = threading.RLock(), threading.RLock()
        read_only(self.diagonal)  # which pickling forgets

    def __repr__(self) -> str:
        moved = f", moved by {self.held.moved:.3g} to have no negative eigenvalue" if self.held.moved else ""
        chosen = f"; {self.features.chosen}" if self.features.chosen else ""
        text = f"n_features={self.n_features}, n_samples={self.n_samples}, held as {self.held.form.name}{moved}{chosen}"
        return f"Covariance({text})"


def of_sums(sums: Sums, standardize: bool, names: Any, *, center: bool = True) -> Covariance:
    """Covariance of samples that were summed; more may be added to the sums."""
    made = reading.form_of_sums(sums, standardize, last=False)
    return of_read(made if center else reading.without_negatives(made), standardize, names)


def of_read(made: reading.Made, standardize: bool, names: Any, given: Input | None = None) -> Covariance:
    """Hold a form of A with its errors, and the means and scales of the samples that were read."""
    form, about = made
    variances, given = np.maximum(form.diagonal, 0.0), given or Input(None)
    features = Features(
        float(variances.sum()),
        len(variances),
        check_feature_names(names, len(variances)),
        frozen(about.mean),
        frozen(about.scale),
        standardize,
        given.image_shape,
        given.axis,
        given.axis_title,
        frozen(variances),
        given.chosen,
        given.titles,
        given.package,
    )
    return Covariance(form, about, features=features)


def derived(cov: Covariance, form: Form, operation: str, argument: np.ndarray, **errors: Any) -> Covariance:
    """Return what is made of a covariance, of the same samples: :meth:`Provenance.derived` has the errors."""
    whole, places = cov._described
    if operation == "restrict":
        places = np.array(argument) if places is None else places[argument]
    return Covariance(form, cov.held.provenance.derived(operation, argument, **errors), features=whole, places=places)


def _of_finite(product: Any, x: np.ndarray) -> Any:
    """Return the product with x; ValueError unless x is finite."""
    if bad := int(x.size - np.isfinite(x).sum()):
        raise ValueError(f"{bad} value(s) of x are not finite; give finite real numbers")
    return product


def _complete(vectors: np.ndarray, d: int) -> np.ndarray:
    """Add orthonormal columns until there are d."""
    extra = np.random.default_rng(0).standard_normal((len(vectors), d - vectors.shape[1]))
    for _ in range(2):
        extra -= vectors @ (vectors.T @ extra)
    return np.hstack([vectors, np.linalg.qr(extra)[0]])
