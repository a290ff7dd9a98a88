"""Samples of different weight: one of weight 2 counts twice, one of 0 not at all; the allowance covers rounding."""

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.covariance import samples as making


def made(m=14, n=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, n)) * 10.0 ** rng.integers(-2, 3, n) + rng.normal(size=n) * 10


def test_equal_weights_are_none():
    X = made()
    for weight in (1, 1e-300, 1e300):
        cov = nnspca.Covariance.from_data(X, sample_weight=np.full(len(X), weight), standardize=False)
        assert cov.fingerprint == nnspca.Covariance.from_data(X, standardize=False).fingerprint
    other = nnspca.Covariance.from_data(X, sample_weight=np.arange(len(X)), standardize=False)
    assert other.fingerprint != nnspca.Covariance.from_data(X[1:], standardize=False).fingerprint
    assert (
        other.fingerprint
        == nnspca.Covariance.from_data(X, sample_weight=2 * np.arange(len(X)), standardize=False).fingerprint
    )


@pytest.mark.parametrize(
    "weights",
    [np.ones(3), -np.ones(14), np.zeros(14), np.full(14, np.nan), ["a"] * 14, np.ma.array(np.ones(14), mask=True)],
)
def test_weights_that_are_none_are_refused_with_what_is_allowed(weights):
    with pytest.raises(ValueError, match=r"sample_weight=.* is not allowed; give 14 finite numbers of at least 0"):
        nnspca.Covariance.from_data(made(), sample_weight=weights, standardize=False)


def test_one_sample_of_weight_has_no_variance():
    with pytest.raises(nnspca.DataError, match="at least 2 samples of weight"):
        nnspca.Covariance.from_data(made(), sample_weight=[1] + [0] * 13, standardize=False)


@pytest.mark.parametrize("standardize", [False, True])
def test_sparse_samples_too_many_to_be_held_as_dense_ones_have_weights_too(standardize, monkeypatch):
    monkeypatch.setattr(making, "READ_WHOLE", 10)
    X = made(60, 5)
    X[np.random.default_rng(2).random(X.shape) < 0.7] = 0.0
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    given = scipy.sparse.csr_array(X)
    cov = nnspca.Covariance.from_data(given, standardize, sample_weight=weights)
    repeated = nnspca.Covariance.from_data(np.repeat(X, weights, axis=0), standardize)
    np.testing.assert_allclose(cov.matrix, repeated.matrix, rtol=1e-10, atol=1e-12 * repeated.trace)
    assert cov.n_samples == np.count_nonzero(weights)
    with pytest.raises(nnspca.DataError, match="not finite"):
        given.data[3] = np.nan
        nnspca.Covariance.from_data(given, sample_weight=weights)
