import numpy as np
import pytest

from nnspca import datasets


def test_lfw_faces_are_a_hundred_upright_images():
    ds = datasets.load("lfw-faces")
    assert ds.shape == (100, 625)
    assert ds.kind == "faces"
    assert ds.labels is None
    assert 0 <= ds.X.min() < ds.X.max() <= 1
    mean = ds.X.mean(axis=0).reshape(ds.image_shape)
    # Upright, the mean face has two dark eyes side by side, above brighter cheeks.
    assert np.all(mean[8, [7, 16]] < mean[12, [7, 16]])
    assert mean[8, 7] < mean[8, 11]
    assert mean[8, 16] < mean[8, 11]
    both = datasets.load("lfw-faces", with_negatives=True)
    assert both.shape == (200, 625) and both.label_names == ("face", "non-face")
    np.testing.assert_array_equal(both.X[both.labels == 0], ds.X)


def test_digits_are_those_of_scikit_learn():
    from sklearn.datasets import load_digits

    ds = datasets.load("digits")
    np.testing.assert_array_equal(ds.X.reshape(-1, *ds.image_shape), load_digits().images)
    np.testing.assert_array_equal(ds.labels, load_digits().target)
    assert ds.label_names == tuple("0123456789")


def test_pitprops_is_the_correlation_matrix_jeffers_printed():
    ds = datasets.load("pitprops")
    assert ds.kind == "covariance"
    assert ds.n_samples is None
    np.testing.assert_array_equal(ds.X, ds.X.T)
    np.testing.assert_array_equal(np.diag(ds.X), 1)
    values = np.linalg.eigvalsh(ds.X)[::-1]
    np.testing.assert_allclose(values[1:6] / values[0], [0.56371, 0.44522, 0.26297, 0.21572, 0.19329], atol=5e-6)
    np.testing.assert_allclose(values[0], 4.21863, atol=5e-6)


@pytest.mark.parametrize("seed", range(3))
def test_planted_directions_are_nonnegative_sparse_and_orthonormal(seed):
    ds = datasets.spiked(40, 30, cardinalities=(3, 5), variances=(2, 1), seed=seed)
    assert np.all(ds.planted >= 0)
    np.testing.assert_array_equal(np.count_nonzero(ds.planted, axis=0), [3, 5])
    np.testing.assert_allclose(ds.planted.T @ ds.planted, np.eye(2), atol=1e-12)
    again, other = (datasets.spiked(40, 30, cardinalities=(3, 5), variances=(2, 1), seed=s) for s in (seed, seed + 1))
    assert again.content_hash == ds.content_hash != other.content_hash
    assert datasets.load("synthetic-spiked").content_hash == datasets.spiked().content_hash


def test_planted_directions_carry_the_variance_they_were_given():
    ds = datasets.spiked(20_000, 12, cardinalities=(3, 2), variances=(9, 4), noise=0.5)
    # Variance along v is theta + sigma^2; its standard error here is about 1 %.
    np.testing.assert_allclose((ds.X @ ds.planted).var(axis=0), [9.25, 4.25], rtol=0.04)
    assert "3 features (variance 9)" in ds.description


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (dict(n_samples=1), "n_samples=1 is not allowed"),
        (dict(n_features=10), "at most 10 features"),
        (dict(cardinalities=(0, 3), variances=(1, 1)), "at least 1"),
        (dict(variances=(1,)), "one for each of the 3"),
        (dict(noise=-1), "not negative"),
    ],
)
def test_impossible_spiked_data_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        datasets.spiked(**given)
