"""The two forms of one covariance say the same of it."""

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.components._deflate import minus_low_rank
from nnspca.covariance.factor import DenseFactor, SparseFactor
from nnspca.covariance.forms import HeldMatrix
from nnspca.numerics import feasible


def forms(m, n, seed=0):
    """Data held as what they are, dense, sparse and deflated, each beside the matrix that they stand for."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.7)
    X[0] += 2.0
    dense, sparse = DenseFactor.of_data(X, False), SparseFactor.of_data(scipy.sparse.csr_array(X), False)
    L, R = rng.standard_normal((m, 2)), rng.standard_normal((n, 2))
    for factor in (dense, sparse, minus_low_rank(dense, L, R), minus_low_rank(sparse, L, R)):
        Y = factor.columns(np.arange(n))
        yield factor, HeldMatrix(Y.T @ Y)


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (6, 6)])
def test_the_smaller_side_gives_the_leading_eigenvector_of_the_whole(shape):
    for held, matrix in forms(*shape):
        v = np.linalg.eigh(matrix.A)[1][:, -1]
        for form in (held, matrix):
            B, back = form.smaller_side()
            assert len(B) == (min(shape) if form is held else shape[1])
            w = back(np.linalg.eigh(B)[1][:, -1])
            assert np.linalg.norm(w) == pytest.approx(1.0)
            assert abs(w @ v) == pytest.approx(1.0)


def test_selected_features_are_held_as_all_were():
    kept = np.array([6, 0, 3])
    for held, matrix in forms(5, 8):
        part = held.select(kept)
        assert isinstance(part, SparseFactor) == isinstance(held, SparseFactor)
        assert np.allclose(part.block(np.arange(3), None), matrix.select(kept).A)
        assert np.allclose(part.block(np.arange(3), None), held.restrict(kept).block(np.arange(3), None))


def test_a_factor_less_an_outer_product_is_formed_where_it_is_dense():
    rng = np.random.default_rng(1)
    X, L, R = rng.standard_normal((4, 7)), rng.standard_normal((4, 1)), rng.standard_normal((7, 1))
    dense, sparse = DenseFactor.of_data(X, False), SparseFactor.of_data(scipy.sparse.csr_array(X), False)
    assert isinstance(minus_low_rank(dense, L, R), DenseFactor)
    assert not isinstance(minus_low_rank(sparse, L, R), DenseFactor)
    x = feasible.unit(rng.standard_normal(7))
    assert np.allclose(minus_low_rank(dense, L, R).forward(x), minus_low_rank(sparse, L, R).forward(x))


def test_an_entry_of_a_matrix_is_read_without_rounding_and_one_of_data_is_not():
    cov = nnspca.Covariance.from_matrix(np.eye(3))
    assert cov.held.form.roundings == 0
    for held, _ in forms(5, 8):
        assert held.roundings >= 5
