"""Factor: centred data Y with A = Y'Y, dense, sparse or deflated, known by what it does to vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse.linalg

from nnspca.numerics import feasible, rounding
from nnspca.numerics.doubles import read_only

FEW_SAMPLES = 800  # above, a few eigenpairs come from Lanczos iterations
AT_A_TIME = 4_000_000  # numbers of the data that are dense at a time
MANY_FEATURES, USED_SHARE = 4000, 0.2  # from so many, those not in use are passed by, up to this share in use
CENTRED_FEATURES = 1024  # features of a batch that are centred at a time
FAR = 2.0  # deviations from zero beyond which a mean leaves at most a fifth of the samples at zero


class Factor:
    """Centred, scaled data Y of shape (m, n): the form of a covariance Y'Y whose entries are formed when they are read.

    ``forward`` takes rows (…, n) to rows (…, m): Yx; ``backward`` takes rows (…, m) to (…, n): Y'z. The other methods
    are those of :class:`nnspca.covariance.forms.HeldMatrix`.
    """

    name = "factor"
    shape: tuple[int, int]
    seen: tuple[np.ndarray, np.ndarray] | None = None  # the mean taken off each feature of data, and what divided it
    forward: Callable[[np.ndarray], np.ndarray]
    backward: Callable[[np.ndarray], np.ndarray]
    columns: Callable[[np.ndarray], np.ndarray]  # of Y at some places, dense, shape (m, places)
    squared_norms: Callable[[], np.ndarray]  # the diagonal of Y'Y, shape (n,)
    gram: Callable[[], np.ndarray]  # YY', shape (m, m)
    rounding_scale: Any  # a number that the rounding of an inner product of columns is relative to
    arrays: Callable[[], list[np.ndarray]]  # those that define Y, for hashing

    @property
    def terms(self) -> int:
        """How many products an entry is summed from."""
        return self.shape[0]

    @property
    def roundings(self) -> int:
        """How many there may be in an entry that is read."""
        return self.shape[0] + 4

    @cached_property
    def diagonal(self) -> np.ndarray:
        return read_only(self.squared_norms())

    def apply(self, x: np.ndarray) -> np.ndarray:
        return self.backward(self.forward(x))

    def variances(self, x: np.ndarray) -> np.ndarray:
        z = self.forward(x)
        return np.einsum("ri,ri->r", z, z)

    def variance_on(self, support: np.ndarray, x: np.ndarray) -> float:
        z = self.columns(support) @ x
        return float(z @ z)

    def block(self, rows: np.ndarray, columns: np.ndarray | None) -> np.ndarray:
        """Return the entries of Y'Y at ``rows`` × ``columns`` (all columns when None)."""
        of_rows = self.columns(rows)
        return self.backward(of_rows.T) if columns is None else of_rows.T @ self.columns(columns)

    def restrict(self, features: np.ndarray) -> Factor:
        """Return the factor of some features only, in the order given, dense where these are few."""
        return DenseFactor(self.columns(features))

    def select(self, features: np.ndarray) -> Factor:
        """Return the same, held as this factor is however few they are: sparse data stay sparse."""
        return self.restrict(features)

    def cross(self) -> np.ndarray:
        """Return Y'Y, shape (n, n)."""
        Y = self.columns(np.arange(self.shape[1]))
        return Y.T @ Y

    def smaller_side(self) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """Return a matrix with A's leading eigenvalues, and what makes of its eigenvectors those of A: YY' or A."""
        m, n = self.shape
        if m < n:
            return self.gram(), lambda left: feasible.unit(self.backward(left))
        every = np.arange(n)
        return self.block(every, every), lambda v: v

    def leading(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        m = self.shape[0]
        d = min(d, m)
        if m <= FEW_SAMPLES or 4 * d > m:
            values, left = np.linalg.eigh(self.gram())
            values, left = values[m - d :], left[:, m - d :]
        else:  # on the samples' side: n × d numbers are formed, not n × m
            operator = scipy.sparse.linalg.LinearOperator(
                (m, m), matvec=lambda z: self.forward(self.backward(z.ravel())), dtype=np.float64
            )
            values, left = lanczos(operator, d)
        live = values > rounding.eigenvalues(m, values[-1])
        values = values[live]
        vectors = self.backward(left[:, live].T).T / np.sqrt(values)
        # Y'u/√λ loses its digits, and its right angles, where λ is small
        return np.maximum(values[::-1], 0.0), np.linalg.qr(vectors[:, ::-1])[0]


class DenseFactor(Factor):
    """Y held as an array."""

    def __init__(self, Y: np.ndarray) -> None:
        self.Y = read_only(Y)
        self.shape = (Y.shape[0], Y.shape[1])

    @classmethod
    def of_data(cls, X: np.ndarray, standardize: bool, weights: np.ndarray | None = None) -> DenseFactor:
        """Centre (twice: the second pass removes the rounding of the first) and scale.

        ``weights`` of the samples, all of them positive, are divided by their sum: each sample
        counts as so large a share of all.
        """
        X, powers = np.ascontiguousarray(X), None  # summed in one order, however the numbers lie
        if standardize:  # by powers of two first, exactly, so that squares of any feature are representable
            powers = _exponents(X)
            X = _times(X, -powers)
        shares = None if weights is None else weights / weights.sum()
        with np.errstate(over="ignore", invalid="ignore"):
            mean = _averages(X, shares)
            Y = X - mean
            rest = _averages(Y, shares)
            Y -= rest
            # a feature that never varies must be zero exactly, whatever its mean's rounding left
            # behind
            Y[:, ~varies(X)] = 0.0
            if shares is None:
                deviation = np.sqrt(np.einsum("ij,ij->j", Y, Y) / len(Y))
            else:
                deviation = np.sqrt(np.einsum("i,ij,ij->j", shares, Y, Y))
        if standardize:
            Y /= np.where(deviation > 0, deviation, 1.0)
        if shares is None:
            Y /= np.sqrt(len(X))
        else:
            Y *= np.sqrt(shares)[:, None]
        factor = cls(Y)
        factor.seen = _seen(mean + rest, deviation if standardize else None, powers)
        return factor

    def forward(self, x: np.ndarray) -> np.ndarray:
        """From the columns in use where they are few of many: reading them takes less than multiplying by zeros."""
        if self.shape[1] > MANY_FEATURES:
            used = np.flatnonzero(x if x.ndim == 1 else x.any(axis=tuple(range(x.ndim - 1))))
            if len(used) < USED_SHARE * self.shape[1]:
                return x[..., used] @ self.Y[:, used].T
        return x @ self.Y.T

    def backward(self, z: np.ndarray) -> np.ndarray:
        return z @ self.Y

    def columns(self, index: np.ndarray) -> np.ndarray:
        return self.Y[:, index]

    def squared_norms(self) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.einsum("ij,ij->j", self.Y, self.Y)

    def gram(self) -> np.ndarray:
        return self.Y @ self.Y.T

    def cross(self) -> np.ndarray:
        return self.Y.T @ self.Y

    @property
    def rounding_scale(self) -> float:
        return float(self.squared_norms().sum())

    def arrays(self) -> list[np.ndarray]:
        return [self.Y]


class SparseFactor(Factor):
    """Y = (S − 1 mean') / sqrt(m) with S sparse: the centring is never carried out.

    Inner products of S lose what they share with those of the mean. Where a feature's mean is many of its deviations,
    few of its samples can be zero, so that nothing is lost if S holds it as differences from a value near the mean.
    """

    def __init__(
        self, S: scipy.sparse.csr_array, mean: np.ndarray, columns: scipy.sparse.csc_array | None = None
    ) -> None:
        """Hold S; ``columns`` is the same by columns, as ``by_columns``, where it is at hand."""
        self.S, self.mean = S, mean
        self.by_columns = S.tocsc() if columns is None else columns
        self._squares: np.ndarray | None = None
        self.shape = (S.shape[0], S.shape[1])

    @classmethod
    def of_data(cls, X, standardize: bool) -> SparseFactor:
        """Hold the data as they are, or each feature divided by its standard deviation."""
        S = scipy.sparse.csr_array(X)
        S.sum_duplicates()
        # a feature that never varies must be zero exactly, whatever its mean's rounding would leave
        columns: scipy.sparse.csc_array | None = S.tocsc()
        varying = varies(columns)
        if not varying.all():
            S, columns = scipy.sparse.csr_array(S * np.where(varying, 1.0, 0.0)[None, :]), None
        powers = None
        if standardize:
            powers = _exponents(S)
            S, columns = _times(S, -powers), None
        mean = _means(scipy.sparse.csr_array(X) if powers is None else _times(X, -powers))
        deviation = None
        factor = cls(S, _means(S), columns)
        for _ in range(2):  # the mean of large values is rounded: the second time it is one of small values
            factor = factor.nearer()
        if standardize:
            deviation = np.sqrt(factor.squared_norms())
            scale = 1.0 / np.where(deviation > 0, deviation, 1.0)
            factor = cls(scipy.sparse.csr_array(factor.S * scale[None, :]), factor.mean * scale)
        factor.seen = _seen(mean, deviation, powers)
        return factor

    def nearer(self) -> SparseFactor:
        """Hold the features whose mean is many of their deviations as differences from it."""
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.flatnonzero(np.abs(self.mean) > FAR * np.sqrt(self.squared_norms()))
        if not len(far):
            return self
        references = np.zeros(self.shape[1])
        references[far] = self.mean[far]
        S = less(self.S, references)
        return SparseFactor(S, _means(S))

    def forward(self, x: np.ndarray) -> np.ndarray:
        """From the columns in use where they are few of many, as of a batch of sparse points."""
        S, mean = self.S, self.mean
        if x.ndim == 2 and self.shape[1] > MANY_FEATURES:
            used = np.flatnonzero(x.any(axis=0))
            if len(used) < USED_SHARE * self.shape[1]:
                S, mean, x = self.by_columns[:, used], mean[used], x[:, used]
        z = (S @ x.T).T - (x @ mean)[..., None]
        return z / np.sqrt(self.shape[0])

    def backward(self, z: np.ndarray) -> np.ndarray:
        """A batch is centred a few features at a time: what is held of it beside the answer stays small."""
        root = np.sqrt(self.shape[0])
        if z.ndim == 1:
            return (self.S.T @ z - z.sum() * self.mean) / root
        product, sums = self.S.T @ np.ascontiguousarray(z.T), z.sum(axis=-1)
        out = np.empty((len(z), self.shape[1]))
        for start in range(0, self.shape[1], CENTRED_FEATURES):
            few = slice(start, start + CENTRED_FEATURES)
            out[:, few] = ((product[few] - self.mean[few, None] * sums) / root).T
        return out

    def columns(self, index: np.ndarray) -> np.ndarray:
        return (self.by_columns[:, index].toarray() - self.mean[index]) / np.sqrt(self.shape[0])

    def block(self, rows: np.ndarray, columns: np.ndarray | None) -> np.ndarray:
        """From sparse products, S'S / m less those of the means: off by no more than ``rounding_scale`` allows."""
        right, mean = (self.S, self.mean) if columns is None else (self.by_columns[:, columns], self.mean[columns])
        inner = self._over_samples(self.by_columns[:, rows].T @ right).toarray()
        for row, own in zip(inner, self.mean[rows], strict=True):
            row -= own * mean
        return inner

    def stored_products(self, rows: np.ndarray) -> scipy.sparse.csr_array:
        """Return S'S / m at ``rows``, sparse: entry by entry less the product of the two means it is Y'Y."""
        return self._over_samples(self.by_columns[:, rows].T @ self.S)

    def _over_samples(self, inner: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
        inner.data /= self.shape[0]
        return inner

    def restrict(self, features: np.ndarray) -> Factor:
        """Sparse still where the dense columns would be many."""
        return super().restrict(features) if self.shape[0] * len(features) <= AT_A_TIME else self.select(features)

    def select(self, features: np.ndarray) -> SparseFactor:
        return SparseFactor(scipy.sparse.csr_array(self.by_columns[:, features]), self.mean[features])

    def squared_norms(self) -> np.ndarray:
        """Sum over the stored entries and the zeros apart, once: no cancellation of large squares."""
        if self._squares is not None:
            return self._squares
        m = self.shape[0]
        stored = np.diff(self.by_columns.indptr)
        away = np.repeat(self.mean, stored)
        np.subtract(self.by_columns.data, away, out=away)
        with np.errstate(over="ignore"):
            away *= away
            squared = scipy.sparse.csc_array((away, self.by_columns.indices, self.by_columns.indptr), shape=self.shape)
            squares = squared.T @ np.ones(m)
            self._squares = read_only((squares + self.mean * (m - stored) * self.mean) / m)
        return self._squares

    def gram(self) -> np.ndarray:
        m = self.shape[0]
        inner = (self.S @ self.S.T).toarray()
        projected = self.S @ self.mean
        return (inner - projected[:, None] - projected[None, :] + self.mean @ self.mean) / m

    def cross(self) -> np.ndarray:
        m, n = self.shape
        if m * n <= 5e7:
            return super().cross()
        return (self.S.T @ self.S).toarray() / m - np.outer(self.mean, self.mean)

    @property
    def rounding_scale(self) -> float:
        return 4.0 * float(self.S.data @ self.S.data) / self.shape[0]

    def arrays(self) -> list[np.ndarray]:
        return [self.S.data, self.S.indices, self.S.indptr, self.mean]


def less(block: Any, reference: np.ndarray) -> Any:
    """Return the rows less the reference, sparse where they are."""
    if not scipy.sparse.issparse(block):
        return block - reference if reference.any() else block
    if not reference.any():
        return block
    shift = scipy.sparse.csr_array(reference[None, :])
    return scipy.sparse.csr_array(block - scipy.sparse.csr_array(np.ones((block.shape[0], 1))) @ shift)


def _seen(mean: np.ndarray, deviation: np.ndarray | None, powers: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the scale of features that were multiplied by powers of two first."""
    scale = np.ones(len(mean)) if deviation is None else np.where(deviation > 0, deviation, 1.0)
    if powers is None:
        return mean, scale
    varying = deviation is not None and deviation > 0
    with np.errstate(over="ignore"):
        return np.ldexp(mean, powers), np.where(varying, np.ldexp(scale, powers), 1.0)


def varies(X) -> np.ndarray:
    """Whether each feature of the data, dense or sparse, takes more than one value."""
    if scipy.sparse.issparse(X):
        return X.max(axis=0).toarray().ravel() != X.min(axis=0).toarray().ravel()
    return ~(X[:1] == X).all(axis=0)


def _averages(X: np.ndarray, shares: np.ndarray | None) -> np.ndarray:
    return X.mean(axis=0) if shares is None else shares @ X


def _exponents(X) -> np.ndarray:
    """Return whole e such that each feature is of size 1 once multiplied by 2⁻ᵉ."""
    peaks = abs(X).max(axis=0)
    return np.frexp(peaks.toarray().ravel() if scipy.sparse.issparse(peaks) else peaks)[1]


def _times(X, powers: np.ndarray):
    """Return the data with each feature multiplied by a power of two, which is exact."""
    if not scipy.sparse.issparse(X):
        return np.ldexp(X, powers)
    S = scipy.sparse.csr_array(X)
    return scipy.sparse.csr_array((np.ldexp(S.data, powers[S.indices]), S.indices, S.indptr), shape=S.shape)


def _means(S: scipy.sparse.csr_array) -> np.ndarray:
    return np.asarray(S.sum(axis=0)).ravel() / S.shape[0]


def lanczos(operator, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the d largest eigenpairs, ascending, from a fixed start so that runs repeat."""
    n = operator.shape[0]
    start = np.random.default_rng(0).standard_normal(n)
    return scipy.sparse.linalg.eigsh(operator, k=min(d, n - 1), which="LA", v0=start)
