"""Several components: feasible, in order, credited once; what is left of the covariance is a covariance."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nnspca
from nnspca.factor import DenseFactor
from nnspca.gather import cumulative_variance

TAKEN_OUT = ("disjoint", "projection", "schur", "hotelling", "quasi-orthogonal")


def data(seed, m=12, n=8):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n)) + rng.standard_normal((m, 2)) @ np.abs(rng.standard_normal((2, n)))


def as_factor(X):
    Y = (X - X.mean(axis=0)) / np.sqrt(len(X))
    return nnspca.Covariance(factor=DenseFactor(Y), n_samples=len(X))


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("deflation", TAKEN_OUT)
@pytest.mark.parametrize("k", [1, 3, 8])
def test_components_are_feasible_and_their_variances_are_on_the_covariance_given(deflation, nonnegative, k):
    for seed in range(3):
        cov = nnspca.Covariance.from_data(data(seed))
        parts = nnspca.decompose(cov, 3, k, deflation=deflation, nonnegative=nonnegative)
        U = parts.loadings
        assert np.allclose(np.linalg.norm(U, axis=0), 1)
        assert (parts.cardinalities <= k).all()
        assert not nonnegative or (U >= 0).all()
        assert np.allclose(parts.variances, [cov.variance(x) for x in U.T])
        spectrum = np.cumsum(cov.eigenpairs(len(parts.parts))[0])
        assert (np.diff(parts.cumulative_variance) >= -1e-12 * cov.trace).all()
        assert (parts.cumulative_variance <= spectrum * (1 + 1e-12)).all()  # Ky Fan


@given(seed=st.integers(0, 10**6), r=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_the_span_explains_the_trace_on_an_orthonormal_basis(seed, r):
    rng = np.random.default_rng(seed)
    cov = nnspca.Covariance.from_data(data(seed))
    U = rng.standard_normal((8, r))
    Q = np.linalg.qr(U)[0]
    A = cov.block(np.arange(8))
    assert cumulative_variance(cov, U)[-1] == pytest.approx(np.trace(Q.T @ A @ Q))
    doubled = np.column_stack([U, U[:, :1]])
    assert cumulative_variance(cov, doubled)[-1] == pytest.approx(cumulative_variance(cov, U)[-1])


def test_disjoint_components_share_nothing():
    parts = nnspca.decompose(nnspca.Covariance.from_data(data(0)), 4, 2)
    assert (np.count_nonzero(parts.loadings, axis=1) <= 1).all()
    assert parts.overlap < 1e-14
    assert (parts.angles == 90 - 90 * np.eye(4)).all()


@pytest.mark.parametrize("angle", [60, 85, 90])
@pytest.mark.parametrize("nonnegative", [True, False])
def test_every_angle_is_at_least_the_one_asked(angle, nonnegative):
    for seed in range(4):
        cov = nnspca.Covariance.from_data(data(seed))
        parts = nnspca.decompose(cov, 3, 4, deflation="quasi-orthogonal", nonnegative=nonnegative, min_angle=angle)
        apart = parts.angles[~np.eye(len(parts.parts), dtype=bool)]
        assert (apart >= angle - 1e-6).all()
        assert len(parts.parts) == 3 or "keeps the angle" in parts.note


@pytest.mark.parametrize("deflation", ["projection", "schur", "hotelling", "disjoint"])
def test_what_is_left_is_positive_semidefinite(deflation):
    for seed in range(4):
        cov = nnspca.Covariance.from_data(data(seed))
        U = nnspca.decompose(cov, 2, 3).loadings
        left = nnspca.deflate(cov, U, deflation)
        values = np.linalg.eigvalsh(left.block(np.arange(left.n_features)))
        assert values[0] >= -left.representation_error


@pytest.mark.parametrize("deflation", ["projection", "schur"])
def test_data_and_matrix_are_deflated_alike(deflation):
    X = data(3)
    U = nnspca.decompose(nnspca.Covariance.from_data(X), 2, 3).loadings
    every = np.arange(8)
    of_matrix = nnspca.deflate(nnspca.Covariance.from_data(X), U, deflation).block(every)
    of_data = nnspca.deflate(as_factor(X), U, deflation).block(every)
    assert np.allclose(of_matrix, of_data)
    assert np.allclose(of_matrix @ U, 0, atol=1e-12)


def test_hotelling_leaves_the_nearest_covariance_to_what_taking_the_variance_out_leaves():
    A = np.diag([4.0, 3.0, 2.0])
    w = np.array([0.6, 0.8, 0.0])
    left = nnspca.deflate(nnspca.Covariance.from_matrix(A), w[:, None], "hotelling").block(np.arange(3))
    plain = A - (w @ A @ w) * np.outer(w, w)
    added = left - plain
    assert np.linalg.eigvalsh(added)[0] == pytest.approx(0)
    assert np.linalg.eigvalsh(added)[-1] == pytest.approx(-np.linalg.eigvalsh(plain)[0])
    assert np.trace(added @ left) == pytest.approx(0)  # the parts kept and left out are orthogonal


def test_an_eigenvector_is_taken_out_alike_by_all_who_keep_the_features():
    A = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    w = np.sqrt([[0.5], [0.5], [0.0]])
    for deflation in ("projection", "schur", "hotelling"):
        left = nnspca.deflate(nnspca.Covariance.from_matrix(A), w, deflation).block(np.arange(3))
        assert np.allclose(left, [[0.5, -0.5, 0.0], [-0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])


def test_projection_by_hand():
    cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    w = np.full((2, 1), np.sqrt(0.5))
    assert np.allclose(nnspca.deflate(cov, w, "projection").block(np.arange(2)), [[0.5, -0.5], [-0.5, 0.5]])


@pytest.mark.parametrize("deflation", ["disjoint", "projection", "schur", "hotelling"])
def test_each_certificate_holds_on_what_its_component_was_sought_on(deflation):
    cov = nnspca.Covariance.from_data(data(1))
    parts = nnspca.decompose(cov, 3, 2, deflation=deflation, certify="live")
    for r, cert in enumerate(parts.certificates):
        left = nnspca.deflate(cov, parts.loadings[:, :r], deflation)
        nnspca.verify(cert, left)
        assert cert.ratio > 0.99
        with pytest.raises(nnspca.CertificateError):
            nnspca.verify(dataclasses.replace(cert, upper=cert.upper * (1 - 1e-3)), left)


def test_permuted_features_give_permuted_components():
    X = data(5)
    order = np.random.default_rng(0).permutation(8)
    plain = nnspca.decompose(nnspca.Covariance.from_data(X), 2, 3, deflation="projection")
    mixed = nnspca.decompose(nnspca.Covariance.from_data(X[:, order]), 2, 3, deflation="projection")
    assert np.allclose(plain.loadings[order], mixed.loadings, atol=1e-7)


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_units_do_not_matter(scale):
    plain = nnspca.decompose(nnspca.Covariance.from_data(data(6)), 3, 3, deflation="schur")
    scaled = nnspca.decompose(nnspca.Covariance.from_data(data(6) * scale), 3, 3, deflation="schur")
    assert np.allclose(plain.loadings, scaled.loadings, atol=1e-6)


def test_it_ends_where_features_or_variance_do():
    cov = nnspca.Covariance.from_data(data(0))
    parts = nnspca.decompose(cov, 5, 3)
    assert (len(parts.parts), parts.cardinalities.tolist()) == (3, [3, 3, 2])
    assert "3 of 5" in parts.note
    u = np.array([1.0, 2.0, 2.0]) / 3
    one = nnspca.Covariance.from_matrix(np.outer(u, u))
    assert len(nnspca.decompose(one, 3, 3, deflation="projection").parts) == 1


def test_parts_arrive_one_by_one_and_stop_keeps_them():
    cov = nnspca.Covariance.from_data(data(0))
    arrived, told = [], []
    parts = nnspca.decompose(
        cov,
        4,
        2,
        on_part=arrived.append,
        on_progress=lambda p: told.append(p.fraction),
        should_stop=lambda: len(arrived) >= 2,
    )
    assert parts.stopped
    assert list(parts.parts) == arrived
    assert 1 <= len(arrived) <= 3
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n_components": 0}, "1 to 8"),
        ({"n_components": True}, "1 to 8"),
        ({"k": 9}, "1 to 8"),
        ({"k": [2, 2]}, "3"),
        ({"deflation": "none"}, "'disjoint'"),
        ({"deflation": "joint"}, "one component at a time"),
        ({"certify": "hard"}, "'live'"),
        ({"min_angle": 91}, "0 to 90"),
        ({"deflation": "quasi-orthogonal", "certify": "live"}, "angle"),
        ({"method": "magic"}, "'best'"),
        ({"colour": 1}, "no option"),
    ],
)
def test_what_is_not_allowed_is_said_with_what_is(wrong, said):
    asked = {"n_components": 3, "k": 2} | wrong
    with pytest.raises(ValueError, match=said):
        nnspca.decompose(nnspca.Covariance.from_data(data(0)), **asked)


def test_leukemia_sized_data_are_never_a_features_by_features_array():
    X = np.random.default_rng(0).standard_normal((20, 6000))
    cov = nnspca.Covariance.from_data(X)
    for deflation in ("disjoint", "projection", "schur"):
        parts = nnspca.decompose(cov, 3, 20, "em", deflation=deflation)
        assert len(parts.parts) == 3
        assert nnspca.deflate(cov, parts.loadings, deflation).matrix is None
    with pytest.raises(ValueError, match="projection"):
        nnspca.decompose(cov, 2, 20, "em", deflation="hotelling")
