"""What several components explain together: the variance of their span, credited once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nnspca
from nnspca.covariance.problem import cumulative_variance, orthonormal
from nnspca.result import Component, Components

SEEDS = st.integers(0, 10**6)


def random_covariance(rng, n=6):
    Z = rng.standard_normal((n, n))
    A = Z.T @ Z
    return A, nnspca.Covariance.from_matrix(A)


@given(seed=SEEDS, r=st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_the_span_explains_the_trace_on_an_orthonormal_basis(seed, r):
    rng = np.random.default_rng(seed)
    A, cov = random_covariance(rng)
    U = rng.standard_normal((6, r))
    together = cumulative_variance(cov, U)
    for i in range(r):
        Q = np.linalg.qr(U[:, : i + 1])[0]
        assert together[i] == pytest.approx(np.trace(Q.T @ A @ Q))


@given(seed=SEEDS, r=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_no_span_explains_more_than_as_many_eigenvectors(seed, r):
    rng = np.random.default_rng(seed)
    _, cov = random_covariance(rng)
    together = cumulative_variance(cov, rng.standard_normal((6, r)))
    assert (together <= np.cumsum(cov.eigenpairs(r)[0]) * (1 + 1e-12)).all()  # Ky Fan
    assert (np.diff(together, prepend=0.0) >= 0).all()


@given(seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_a_component_met_before_adds_nothing(seed):
    rng = np.random.default_rng(seed)
    _, cov = random_covariance(rng)
    U = rng.standard_normal((6, 2))
    mixed = np.column_stack([U, U @ [0.3, -2.0], U[:, 0]])
    together = cumulative_variance(cov, mixed)
    assert together[1] == together[2] == together[3]
    assert orthonormal(mixed).shape == (6, 2)
    assert orthonormal(np.zeros((4, 2))).shape == orthonormal(np.zeros((4, 0))).shape == (4, 0)


@given(seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_a_basis_is_orthonormal_and_spans_the_columns(seed):
    rng = np.random.default_rng(seed)
    U = rng.standard_normal((6, 3))
    U[:, 2] = U[:, 0] + 1e-6 * U[:, 2]  # nearly met before, but not quite
    Q = orthonormal(U)
    assert np.allclose(Q.T @ Q, np.eye(3), atol=1e-14)
    assert np.allclose(Q @ (Q.T @ U), U)


def test_overlap_and_angles_by_hand():
    columns = np.array([[1.0, 0.6, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 1.0]])
    parts = Components(
        tuple(Component(x, 1.0, "best", 2) for x in columns.T), np.array([1.0, 2.0, 3.0]), 3.0, "best", "disjoint"
    )
    assert np.array_equal(parts.loadings, columns)
    assert parts.cardinalities.tolist() == [1, 2, 1]
    assert parts.variances.tolist() == [1.0, 1.0, 1.0]
    assert parts.overlap == pytest.approx(0.6 * np.sqrt(2))
    degrees = np.degrees(np.arccos(0.6))
    assert np.allclose(parts.angles, [[0, degrees, 90], [degrees, 0, 90], [90, 90, 0]])
