"""Both factors do to vectors what the centred data do, to the last few digits."""

import numpy as np
import pytest
import scipy.sparse

from nnspca.covariance.factor import DenseFactor, SparseFactor


def both(X, standardize):
    return [DenseFactor.of_data(X, standardize), SparseFactor.of_data(scipy.sparse.csr_array(X), standardize)]


def data(seed, m, n):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.6)
    X[:, 0] = 2.0  # never varies
    return X


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize(("m", "n"), [(4, 9), (12, 5), (2, 3)])
def test_factors_are_the_centred_data(m, n, standardize):
    X = data(m, m, n)
    Y = X - X.mean(axis=0)
    if standardize:
        s = X.std(axis=0)
        Y = Y / np.where(s > 1e-12, s, 1.0)
    Y /= np.sqrt(m)
    x, z = np.random.default_rng(1).standard_normal((3, n)), np.random.default_rng(2).standard_normal((3, m))
    for factor in both(X, standardize):
        assert factor.shape == (m, n)
        close = {"rtol": 1e-12, "atol": 1e-13}
        np.testing.assert_allclose(factor.forward(x), x @ Y.T, **close)
        np.testing.assert_allclose(factor.forward(x[0]), Y @ x[0], **close)
        np.testing.assert_allclose(factor.backward(z), z @ Y, **close)
        np.testing.assert_allclose(factor.backward(z[0]), Y.T @ z[0], **close)
        np.testing.assert_allclose(factor.columns(np.array([2, 0])), Y[:, [2, 0]], **close)
        np.testing.assert_allclose(factor.gram(), Y @ Y.T, **close)
        np.testing.assert_allclose(factor.cross(), Y.T @ Y, **close)
        np.testing.assert_allclose(factor.squared_norms(), (Y**2).sum(axis=0), **close)
        assert factor.squared_norms()[0] == 0.0
        assert factor.rounding_scale() >= factor.squared_norms().sum() * (1 - 1e-12)


def test_data_are_neither_kept_nor_changed():
    X = data(0, 6, 4)
    before = X.copy()
    S = scipy.sparse.csr_array(X)
    dense, sparse = DenseFactor.of_data(X, True), SparseFactor.of_data(S, True)
    assert (before == X).all()
    assert (S.toarray() == before).all()
    assert not np.shares_memory(dense.Y, X)
    assert sparse.S is not S


def test_a_large_offset_costs_no_digits():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 3))
    variance = X.var(axis=0)
    for factor in both(X + 1e8, False):
        np.testing.assert_allclose(factor.squared_norms(), variance, rtol=1e-7)


def test_repeated_entries_of_a_sparse_array_add_up():
    S = scipy.sparse.coo_array(([1.0, 2.0, 1.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2)).tocsr()
    factor = SparseFactor.of_data(S, False)
    np.testing.assert_allclose(factor.cross(), np.cov(S.toarray().T, bias=True))
