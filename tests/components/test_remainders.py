"""What is left of a covariance is a covariance, the same in every form it is held in, and says what it rounded."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import nnspca
from nnspca.components._deflate import DeflatedFactor
from nnspca.covariance.factor import DenseFactor, SparseFactor
from nnspca.covariance.provenance import Provenance
from tests.blas import with_blas_threads

SEEDS = st.integers(0, 10**6)
KEEP_FEATURES = ("projection", "schur", "hotelling")
OF_DATA = ("disjoint", "projection", "schur")


def data(seed, m=12, n=8):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n)) + rng.standard_normal((m, 2)) @ np.abs(rng.standard_normal((2, n)))
    return X * (rng.random((m, n)) < 0.7)


def in_every_form(X):
    """The covariance as a matrix, as data, and as sparse data."""
    cov = nnspca.Covariance.from_data(X)
    factors = DenseFactor.of_data(X, False), SparseFactor.of_data(scipy.sparse.csr_array(X), False)
    return cov, *(nnspca.Covariance(f, Provenance(representation_error=cov.representation_error)) for f in factors)


def unit_columns(rng, n, r, k):
    U = np.zeros((n, r))
    for column in U.T:
        column[rng.choice(n, k, replace=False)] = rng.random(k) + 0.1
    return U / np.linalg.norm(U, axis=0)


def entries(cov):
    return cov.block(np.arange(cov.n_features))


@given(seed=SEEDS, deflation=st.sampled_from((*KEEP_FEATURES, "disjoint")), r=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_what_is_left_is_positive_semidefinite(seed, deflation, r):
    cov = nnspca.Covariance.from_data(data(seed))
    left = nnspca.deflate(cov, unit_columns(np.random.default_rng(seed), 8, r, 2), deflation)
    assert np.linalg.eigvalsh(entries(left))[0] >= -left.representation_error
    assert left.representation_error < 1e-9 * cov.trace


@given(seed=SEEDS, deflation=st.sampled_from(("projection", "schur")), r=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_what_is_taken_out_has_no_variance_left(seed, deflation, r):
    cov = nnspca.Covariance.from_data(data(seed))
    U = unit_columns(np.random.default_rng(seed), 8, r, 3)
    left = nnspca.deflate(cov, U, deflation)
    assert np.allclose(left.apply(U.T), 0, atol=1e-9 * cov.trace)


@given(seed=SEEDS, deflation=st.sampled_from(OF_DATA), r=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_every_form_is_deflated_alike(seed, deflation, r):
    rng = np.random.default_rng(seed)
    U = unit_columns(rng, 8, r, 2)
    wanted, *others = (nnspca.deflate(cov, U, deflation) for cov in in_every_form(data(seed)))
    A, scale = entries(wanted), wanted.trace
    x = rng.standard_normal((3, wanted.n_features))
    for left in others:
        assert left.matrix is None
        assert np.allclose(entries(left), A, atol=1e-12 * scale)
        assert np.allclose(left.apply(x), x @ A, atol=1e-11 * scale)
        assert np.allclose(left.variance(x), wanted.variance(x), atol=1e-11 * scale)
        assert left.variance(x[0]) == pytest.approx(wanted.variance(x[0]), abs=1e-11 * scale)
        assert np.allclose(left.diagonal, A.diagonal(), atol=1e-12 * scale)
        assert np.allclose(left.eigenpairs(2)[0], wanted.eigenpairs(2)[0], atol=1e-10 * scale)


def test_sparse_data_stay_sparse():
    sparse = in_every_form(data(0))[2]
    U = unit_columns(np.random.default_rng(0), 8, 2, 2)
    assert isinstance(nnspca.deflate(sparse, U, "disjoint").held.factor, SparseFactor)
    for deflation in ("projection", "schur"):
        left = nnspca.deflate(sparse, U, deflation)
        assert isinstance(left.held.factor, DeflatedFactor)
        assert left.held.factor.base is sparse.held.factor
        again = nnspca.deflate(left, np.eye(8)[:, :1], deflation)  # of what is left, once more
        assert np.allclose(again.apply(np.eye(8)[0]), 0, atol=1e-12)


def test_a_deflated_factor_does_to_vectors_what_its_columns_do():
    X = data(1)
    left = nnspca.deflate(in_every_form(X)[2], unit_columns(np.random.default_rng(1), 8, 2, 3), "projection")
    Y = left.held.factor.columns(np.arange(8))
    x, z = np.random.default_rng(2).standard_normal((3, 8)), np.random.default_rng(3).standard_normal((3, 12))
    for found, wanted in (
        (left.held.factor.forward(x), x @ Y.T),
        (left.held.factor.forward(x[0]), Y @ x[0]),
        (left.held.factor.backward(z), z @ Y),
        (left.held.factor.backward(z[0]), Y.T @ z[0]),
        (left.held.factor.columns(np.array([2, 0])), Y[:, [2, 0]]),
        (left.held.factor.gram(), Y @ Y.T),
        (left.held.factor.cross(), Y.T @ Y),
        (left.held.factor.squared_norms(), (Y**2).sum(axis=0)),
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)
    assert left.held.factor.rounding_scale >= (X - X.mean(axis=0)).var(axis=0).sum()


@pytest.mark.parametrize("spread", [0.0, 12.0])
@pytest.mark.parametrize("deflation", KEEP_FEATURES)
def test_rounding_is_within_the_representation_error(deflation, spread):
    """Against the same deflation in extended precision, where one direction has 10¹² times another's variance."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        Q = np.linalg.qr(rng.standard_normal((8, 8)))[0]
        A = (Q * 10.0 ** np.linspace(spread, 0, 8)) @ Q.T
        cov = nnspca.Covariance.from_matrix(A)
        U = unit_columns(rng, 8, 2, 3)
        left = nnspca.deflate(cov, U, deflation)
        gap = np.abs(np.linalg.eigvalsh((entries(left) - longer(cov.matrix, U, deflation)).astype(float))).max()
        assert gap <= left.representation_error


def longer(A, U, deflation):
    """The definitions, word for word, in extended precision."""
    A, U = A.astype(np.longdouble), U.astype(np.longdouble)
    if deflation == "projection":
        w = U[:, 0] / np.sqrt(U[:, 0] @ U[:, 0])
        v = U[:, 1] - (w @ U[:, 1]) * w
        v = v / np.sqrt(v @ v)
        P = np.eye(len(A)) - np.outer(w, w) - np.outer(v, v)
        return P @ A @ P
    for w in U.T:
        image = A @ w
        variance = w @ image
        A = A - (np.outer(image, image) / variance if deflation == "schur" else max(variance, 0) * np.outer(w, w))
    if deflation == "hotelling":
        values, vectors = np.linalg.eigh(A.astype(float))
        below = values < 0
        A = A - (vectors[:, below] * values[below]) @ vectors[:, below].T
    return A


@pytest.mark.parametrize("deflation", ["projection", "schur"])
def test_a_component_given_twice_is_taken_out_once(deflation):
    for cov in in_every_form(data(4)):
        U = unit_columns(np.random.default_rng(4), 8, 2, 3)
        once = entries(nnspca.deflate(cov, U, deflation))
        assert np.allclose(entries(nnspca.deflate(cov, U[:, [0, 0, 1, 0]], deflation)), once, atol=1e-12 * cov.trace)


@pytest.mark.parametrize("deflation", KEEP_FEATURES)
def test_a_component_without_variance_takes_nothing_away(deflation):
    X = data(5)
    X[:, 0] = 3.0
    for cov in in_every_form(X):
        if deflation == "hotelling" and cov.matrix is None:
            continue
        left = nnspca.deflate(cov, np.eye(8)[:, :1], deflation)
        assert np.allclose(entries(left), entries(cov), atol=1e-13 * cov.trace)


def test_hotelling_leaves_the_nearest_covariance_to_what_taking_the_variance_out_leaves():
    A = np.diag([4.0, 3.0, 2.0])
    w = np.array([0.6, 0.8, 0.0])
    left = entries(nnspca.deflate(nnspca.Covariance.from_matrix(A), w[:, None], "hotelling"))
    plain = A - (w @ A @ w) * np.outer(w, w)
    added = left - plain
    assert np.linalg.eigvalsh(added)[0] == pytest.approx(0)
    assert np.linalg.eigvalsh(added)[-1] == pytest.approx(-np.linalg.eigvalsh(plain)[0])
    assert np.trace(added @ left) == pytest.approx(0)  # what is kept and what is left out are orthogonal


FIRST = np.eye(3)[:, :1]
EVEN = np.sqrt([[0.5], [0.5], [0.0]])  # an eigenvector
OVERLAPPING = np.array([[1.0, 0.6], [0.0, 0.8], [0.0, 0.0]])  # one projected off after the other, the first came back


@pytest.mark.parametrize(
    ("deflations", "A", "U", "left"),
    [
        (["schur"], [[4.0, 2, 0], [2, 3, 1], [0, 1, 2]], FIRST, [[0, 0, 0], [0, 2, 1], [0, 1, 2]]),
        (KEEP_FEATURES, [[2.0, 1, 0], [1, 2, 0], [0, 0, 1]], EVEN, [[0.5, -0.5, 0], [-0.5, 0.5, 0], [0, 0, 1]]),
        (["projection"], np.diag([3.0, 2.0, 1.0]), OVERLAPPING, np.diag([0.0, 0.0, 1.0])),
    ],
)
def test_exact_cases(deflations, A, U, left):
    for deflation in deflations:
        assert np.allclose(entries(nnspca.deflate(nnspca.Covariance.from_matrix(A), U, deflation)), left)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (np.zeros((8, 1)), "norm 0; give 1"),
        (2 * np.eye(8)[:, :1], "norm 2; give 1"),
        (np.eye(7)[:, :1], r"\(8, r\)"),
        (np.full((8, 1), np.nan), "finite"),
        (np.ones(8), r"\(8, r\)"),
        (np.full((8, 1), np.sqrt(1 / 8)), "all 8 features"),
    ],
)
def test_loadings_that_do_not_fit_are_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        nnspca.deflate(nnspca.Covariance.from_data(data(0)), wrong, "disjoint")


def test_no_component_leaves_the_covariance_itself():
    cov = nnspca.Covariance.from_data(data(0))
    for deflation in nnspca.DEFLATIONS:
        assert nnspca.deflate(cov, np.zeros((8, 0)), deflation) is cov
    for deflation in ("quasi-orthogonal", "joint"):
        assert nnspca.deflate(cov, np.eye(8)[:, :1], deflation) is cov


@pytest.mark.parametrize("deflation", [*KEEP_FEATURES, "disjoint"])
def test_what_is_left_has_the_same_digits_on_any_number_of_threads(deflation):
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((400, 300)))
    U = unit_columns(np.random.default_rng(1), 300, 3, 100)
    prints = []
    for threads in (1, 2):
        with with_blas_threads(threads):
            prints.append(nnspca.deflate(cov, U, deflation).fingerprint)
            prints.append(nnspca.deflate(cov, np.asfortranarray(U), deflation).fingerprint)
    assert len(set(prints)) == 1
