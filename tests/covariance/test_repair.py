"""A matrix that rounding made indefinite can be repaired, and the covariance says how far it was moved."""

import numpy as np
import pytest

import nnspca
from nnspca import Covariance, DataError
from nnspca.covariance import forms, samples


def single_precision():
    samples = np.random.default_rng(0).standard_normal((40, 300)).astype(np.float32)
    return np.cov(samples.T, dtype=np.float32)


@pytest.mark.parametrize(
    "make", [single_precision, lambda: np.round(np.corrcoef(np.random.default_rng(0).standard_normal((30, 10))), 2)]
)
def test_the_nearest_positive_semidefinite_matrix_is_held_and_how_far_it_is(make):
    with pytest.raises(DataError, match=r"not positive semidefinite.*repair=True"):
        Covariance.from_matrix(make())
    A = make().astype(np.float64)
    A = (A + A.T) / 2
    cov = Covariance.from_matrix(A, repair=True)
    assert cov.held.moved == pytest.approx(np.linalg.norm(cov.matrix - A), rel=1e-6)
    assert cov.held.moved == pytest.approx(np.linalg.norm(np.minimum(np.linalg.eigvalsh(A), 0)), rel=1e-6)
    assert np.linalg.eigvalsh(cov.matrix)[0] >= -cov.representation_error
    assert cov.representation_error <= 1e-9 * cov.trace
    assert f"moved by {cov.held.moved:.3g} to have no negative eigenvalue" in repr(cov)
    assert cov.restrict(np.arange(5)).held.moved == cov.held.moved
    cert = nnspca.certify(cov, 3)
    nnspca.verify(cert, cov)


def test_a_covariance_is_left_as_it_is():
    A = np.eye(3) + 0.5
    cov = Covariance.from_matrix(A, repair=True)
    assert (cov.matrix == A).all()
    assert cov.held.moved == 0.0
    assert "moved" not in repr(cov)


def test_a_matrix_of_no_positive_eigenvalue_cannot_be_repaired():
    with pytest.raises(DataError, match="no positive eigenvalue"):
        Covariance.from_matrix(-np.eye(3), repair=True)
    with pytest.raises(ValueError, match="repair=1 is not allowed; give True or False"):
        Covariance.from_matrix(np.eye(3), repair=1)
    with pytest.raises(DataError, match=r"entry \(0, 1\) is 0.5 but \(1, 0\) is 0.4; give repair=True"):
        Covariance.from_matrix([[1.0, 0.5], [0.4, 1.0]])


def test_a_data_set_that_is_a_matrix_can_be_repaired():
    data = nnspca.datasets.load("pitprops")
    coarse = type(data)(**{**vars(data), "X": np.round(data.X, 1)})
    with pytest.raises(DataError, match="repair=True"):
        Covariance.from_dataset(coarse)
    for standardize in (False, True):
        assert 0 < Covariance.from_dataset(coarse, standardize, repair=True).held.moved < 1


def test_the_identity_of_more_features_than_are_decomposed_is_a_covariance(monkeypatch):
    for module in (samples, forms):
        monkeypatch.setattr(module, "DENSE_EIGEN", 400)
    cov = Covariance.from_matrix(np.eye(401))
    assert cov.representation_error <= 401**2 * 2.3e-16
    assert cov.eigenpairs(2)[0] == pytest.approx([1.0, 1.0])
