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
        assert factor.rounding_scale >= factor.squared_norms().sum() * (1 - 1e-12)
