"""Small problems of every awkward kind, each with its optimum's variance known exactly at any point."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import scipy.sparse

import nnspca
from nnspca.covariance.covariance import derived
from nnspca.covariance.factor import DenseFactor
from tests import oracle


@dataclass(frozen=True, eq=False)
class Problem:
    """A covariance, the array A the oracle searches, the exact variance of a point, and what a checker reads."""

    kind: str
    cov: nnspca.Covariance
    A: np.ndarray
    exact: Callable[[np.ndarray], Fraction]
    data: np.ndarray

    def attained(self, k, nonnegative):
        """The optimum's variance, exactly, at the best point brute force finds."""
        return self.exact(oracle.optimum(self.A, k, nonnegative)[1])


def of_matrix(kind, A):
    A = (A + A.T) / 2
    return Problem(kind, nnspca.Covariance.from_matrix(A), A, lambda x: oracle.exact_variance(A, x), A)


def _of_data(kind, X, *, sparse=False):
    cov = nnspca.Covariance.from_data(scipy.sparse.csr_array(X) if sparse else X, standardize=False)
    return Problem(kind, cov, np.atleast_2d(np.cov(X.T, bias=True)), lambda x: oracle.exact_variance_of_data(X, x), X)


def _gram(rng, n, rank):
    Z = rng.standard_normal((rank, n))
    return Z.T @ Z


def any_rank(rng, n):
    return of_matrix("any rank", _gram(rng, n, int(rng.integers(1, n + 1))))


def correlation(rng, n):
    A = _gram(rng, n, int(rng.integers(1, n + 2)))
    s = np.sqrt(A.diagonal())
    A = A / np.outer(s, s)
    np.fill_diagonal(A, 1.0)
    return of_matrix("correlation", A)


def spiked(rng, n):
    u = np.abs(rng.standard_normal(n)) * (rng.random(n) < 0.5)
    return of_matrix("spiked", np.eye(n) + 5 * np.outer(u, u) + 0.1 * _gram(rng, n, n))


def equal_rows(rng, n):
    copies = rng.integers(0, max(1, n // 2), n)
    return of_matrix("equal rows", _gram(rng, n, n)[np.ix_(copies, copies)])


def zero_rows(rng, n):
    live = rng.random(n) < 0.6
    live[int(rng.integers(n))] = True
    return of_matrix("zero rows", _gram(rng, n, n) * np.outer(live, live))


def ties(rng, n):
    Z = rng.integers(-1, 2, (int(rng.integers(1, 4)), n)).astype(float)
    Z[0, 0] = 1.0
    return of_matrix("ties", Z.T @ Z)


def shifted(rng, n):
    return of_matrix("σI + C", rng.random() * 3 * np.eye(n) + _gram(rng, n, 1))


def identity(rng, n):
    return of_matrix("identity", float(rng.integers(1, 5)) * np.eye(n))


def indefinite_by_rounding(rng, n):
    A = _gram(rng, n, int(rng.integers(1, n + 1)))
    A /= np.linalg.eigvalsh(A)[-1]
    u = rng.standard_normal(n)
    return of_matrix("indefinite by rounding", A - 9e-9 * np.outer(u, u) / (u @ u))


def near_identity(rng, n):
    E = rng.standard_normal((n, n))
    return of_matrix("near the identity", np.eye(n) + 10.0 ** rng.uniform(-12, -4) * (E + E.T) / 2)


def few_matter(rng, n):
    """A few features vary much more than the others."""
    n += 2
    s = np.where(np.arange(n) < n // 2, 1.0, 10.0 ** rng.uniform(-3, -0.7, n))
    return of_matrix("few matter", _gram(rng, n, n + 2) * np.outer(s, s))


def scaled(rng, n):
    return of_matrix("scaled", _gram(rng, n, int(rng.integers(1, n + 1))) * 10.0 ** rng.uniform(-60, 60))


def uneven(rng, n):
    s = 10.0 ** rng.uniform(-8, 0, n)
    return of_matrix("uneven scales", _gram(rng, n, n) * np.outer(s, s))


def many_samples(rng, n):
    return _of_data("many samples", rng.standard_normal((n + 12, n)) @ rng.standard_normal((n, n)))


def few_samples(rng, n):
    return _of_data("few samples", rng.standard_normal((max(2, n // 2), n)))


def far_from_zero(rng, n):
    return _of_data("far from zero", rng.standard_normal((9, n)) + 1e6 * rng.standard_normal(n))


def counts(rng, n):
    X = rng.poisson(0.7, (10, n)).astype(float)
    X[0, 0] += 1 + X[1, 0]
    return _of_data("counts", X)


MATRICES = (
    any_rank,
    correlation,
    spiked,
    equal_rows,
    zero_rows,
    ties,
    shifted,
    identity,
    indefinite_by_rounding,
    scaled,
    uneven,
)
DATA = (many_samples, few_samples, far_from_zero, counts)


def coarse(data, step):
    """The same samples with every ``step``-th feature: real data where their size is not the subject."""
    return replace(data, X=data.X[:, ::step].copy(), feature_names=data.feature_names[::step], image_shape=None)


def factored(rng, n, *, sparse):
    """Fewer samples than half the features: held as a factor once DENSE_FEATURES is below n."""
    m = int(rng.integers(2, (n + 1) // 2))
    X = rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.8)
    X[0, 0] += 3.0
    if rng.random() < 0.3:
        X[:, -1] = X[:, 0]
    if rng.random() < 0.3:
        X *= 10.0 ** rng.uniform(-25, 25)
    return _of_data(f"factored, {'sparse' if sparse else 'dense'}", X, sparse=sparse)


def correlated(rng, n):
    """Data on scales of their own, standardised."""
    X = rng.standard_normal((n + 3, n)) * 10.0 ** rng.uniform(-9, 9, n) + rng.standard_normal(n)
    cov = nnspca.Covariance.from_data(X, standardize=True)
    Y = (X - X.mean(axis=0)) / X.std(axis=0)
    A = Y.T @ Y / len(Y)
    return Problem("standardised", cov, A, lambda x: oracle.exact_variance(A, x) * (1 - Fraction(1, 10**12)), X)


def held_apart(rng, n):
    """A factor, where covariances of so few features are held as such."""
    return factored(rng, max(n, 5), sparse=bool(rng.random() < 0.5))


def few_large(seed, n=14, m=6, *, large=5, small=(0.1, 0.4)):
    """Data in which some features vary a great deal, together, and the others hardly."""
    rng = np.random.default_rng(seed)
    spread = np.r_[rng.uniform(2.0, 3.0, large), rng.uniform(*small, n - large)]
    return (rng.standard_normal((m, n)) + rng.standard_normal((m, 1))) * spread


def wide(large):
    """2,000 features and 12 samples: too many for pairs of all of them."""
    cov = nnspca.Covariance.from_data(few_large(1, 2000, 12, large=large, small=(0.0, 0.5)), standardize=False)
    assert cov.matrix is None
    return cov


def held_as_factor(X):
    """The covariance of data, never as a matrix."""
    cov = nnspca.Covariance.from_data(X, standardize=False)
    centred = (X - X.mean(axis=0)) / np.sqrt(len(X))
    return derived(cov, DenseFactor(centred), "held as a factor", np.zeros(0))
