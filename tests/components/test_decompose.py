"""Several components: feasible, in order, credited once, each proven on what it was sought on."""

import dataclasses
from unittest import mock

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import nnspca
from nnspca.components._deflate import deflated_problem
from nnspca.covariance import samples as making
from nnspca.numerics import feasible
from tests import oracle, problems

TAKEN_OUT = ("disjoint", "projection", "schur", "hotelling")
ONE_BY_ONE = (*TAKEN_OUT, "quasi-orthogonal")
SIGNS = pytest.mark.parametrize("nonnegative", [True, False])


def data(seed, m=12, n=8):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n)) + rng.standard_normal((m, 2)) @ np.abs(rng.standard_normal((2, n)))


def covariance_of(seed, **size):
    return nnspca.Covariance.from_data(data(seed, **size))


@SIGNS
@pytest.mark.parametrize("deflation", TAKEN_OUT)
def test_no_certificate_falls_below_the_brute_force_optimum_of_what_was_left(deflation, nonnegative):
    for make in problems.MATRICES + problems.DATA:
        rng = np.random.default_rng(TAKEN_OUT.index(deflation))  # another problem for each
        problem = make(rng, int(rng.integers(2, 7)))
        n = problem.cov.n_features
        r, k = int(rng.integers(1, min(n, 3) + 1)), int(rng.integers(1, n + 1))
        parts = nnspca.decompose(problem.cov, r, k, deflation=deflation, nonnegative=nonnegative, certify="live")
        assert len(parts.certificates) == len(parts.parts)
        for i, cert in enumerate(parts.certificates):
            left = deflated_problem(problem.cov, parts, i)[0]
            best, _ = oracle.optimum(left.block(np.arange(left.n_features)), cert.k, nonnegative)
            assert cert.lower <= best * (1 + 1e-9) + left.representation_error, make
            assert best <= cert.upper, make
            nnspca.verify(cert, left)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("deflation", ["disjoint", "projection", "schur"])
def test_certificates_hold_where_only_the_data_are_held(deflation, sparse):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        with mock.patch.object(making, "DENSE_FEATURES", 0):
            cov = problems.factored(rng, 9, sparse=sparse).cov
        assert cov.matrix is None
        parts = nnspca.decompose(cov, 3, 2, deflation=deflation, certify="live")
        for i, cert in enumerate(parts.certificates):
            left = deflated_problem(cov, parts, i)[0]
            nnspca.verify(cert, left)
            assert oracle.optimum(left.block(np.arange(left.n_features)), cert.k)[0] <= cert.upper
            assert cert.ratio > 0.9


@pytest.mark.parametrize("deflation", TAKEN_OUT)
def test_a_certificate_speaks_of_its_own_remainder_only(deflation):
    cov = covariance_of(1)
    parts = nnspca.decompose(cov, 3, 2, deflation=deflation, certify="live")
    for i, cert in enumerate(parts.certificates):
        left, part = deflated_problem(cov, parts, i)
        nnspca.verify(cert, left)
        assert cert.ratio > 0.99
        assert np.array_equal(cert.component.loadings, part.loadings)
        assert cert.lower == pytest.approx(part.variance)
        with pytest.raises(nnspca.CertificateError):
            nnspca.verify(dataclasses.replace(cert, upper=cert.upper * (1 - 1e-3)), left)
        with pytest.raises(nnspca.CertificateError, match="other data"):
            nnspca.verify(cert, deflated_problem(cov, parts, (i + 1) % 3)[0])


@pytest.mark.parametrize("deflation", TAKEN_OUT)
def test_each_component_is_what_solve_finds_on_what_was_left(deflation):
    cov = covariance_of(2)
    parts = nnspca.decompose(cov, 3, 2, deflation=deflation, seed=5)
    for i in range(3):
        left, part = deflated_problem(cov, parts, i)
        assert np.array_equal(part.loadings, nnspca.solve(left, part.k, seed=5).loadings)


@SIGNS
@pytest.mark.parametrize("deflation", ONE_BY_ONE)
@pytest.mark.parametrize("k", [1, 3])
def test_components_are_feasible_and_their_variances_are_on_the_covariance_given(deflation, nonnegative, k):
    cov = covariance_of(k)
    parts = nnspca.decompose(cov, 3, k, deflation=deflation, nonnegative=nonnegative)
    for part in parts.parts:
        assert feasible.infeasibility(part.loadings, k, nonnegative) == ""
        assert part.variance == cov.variance(part.loadings)
        assert (part.k, part.nonnegative) == (k, nonnegative)
    spectrum = np.cumsum(cov.eigenpairs(len(parts.parts))[0])
    assert (np.diff(parts.cumulative_variance, prepend=0.0) >= 0).all()
    assert (parts.cumulative_variance <= spectrum * (1 + 1e-12)).all()  # Ky Fan
    assert parts.total == cov.trace
    assert not parts.stopped
    each = nnspca.decompose(cov, 3, np.array([4, 1, 2]), deflation=deflation, nonnegative=nonnegative)
    assert all(part.cardinality <= part.k for part in each)
    assert [part.k for part in each] == [4, 1, 2][: len(each)]


@given(seed=st.integers(0, 10**6), r=st.integers(1, 8), k=st.integers(1, 8))
@settings(max_examples=30, deadline=None)
def test_disjoint_components_share_nothing(seed, r, k):
    parts = nnspca.decompose(covariance_of(seed), r, k, "em", restarts=2)
    assert (np.count_nonzero(parts.loadings, axis=1) <= 1).all()
    assert parts.overlap < 1e-12
    assert (parts.angles == 90 - 90 * np.eye(len(parts.parts))).all()
    assert parts.cumulative_variance[-1] == pytest.approx(parts.variances.sum())


@pytest.mark.parametrize("angle", [60, 85, 90])
@SIGNS
def test_every_angle_is_at_least_the_one_asked(angle, nonnegative):
    cov = covariance_of(angle)
    asked = {"deflation": "quasi-orthogonal", "nonnegative": nonnegative, "min_angle": angle}
    parts = nnspca.decompose(cov, 3, 4, "em", restarts=3, **asked)
    apart = parts.angles[~np.eye(len(parts.parts), dtype=bool)]
    assert (apart >= angle - 1e-6).all()
    assert len(parts.parts) == 3 or "keeps the angle" in parts.note
    assert parts.options["min_angle"] == angle


@pytest.mark.parametrize("deflation", ["projection", "schur", "hotelling", "joint"])
def test_pca_finds_the_eigenvectors_whichever_way_they_are_taken_out(deflation):
    cov = covariance_of(3)
    values, vectors = cov.eigenpairs(3)
    parts = nnspca.decompose(cov, 3, 8, "pca", deflation=deflation, nonnegative=False)
    assert np.allclose(parts.variances, values)
    assert np.allclose(np.abs(np.sum(parts.loadings * vectors, axis=0)), 1)
    assert np.allclose(parts.cumulative_variance, np.cumsum(values))


@pytest.mark.parametrize("method", [name for name, info in nnspca.METHODS.items() if info.multi])
def test_joint_methods_give_components_credited_once(method):
    cov = covariance_of(4)
    nonnegative = nnspca.METHODS[method].signs[0]
    parts = nnspca.decompose(cov, 3, 3, method, deflation="joint", nonnegative=nonnegative)
    assert (parts.method, parts.deflation, parts.certificates) == (method, "joint", ())
    assert np.allclose(np.linalg.norm(parts.loadings, axis=0), 1)
    assert np.allclose(parts.variances, [cov.variance(x) for x in parts.loadings.T])
    assert parts.cumulative_variance[-1] <= cov.eigenpairs(3)[0].sum() * (1 + 1e-12)


def test_options_reach_the_method_and_every_component_of_em():
    cov = covariance_of(0)
    parts = nnspca.decompose(cov, 2, 3, "em", deflation="quasi-orthogonal", restarts=3)
    assert parts.options["restarts"] == 3
    with mock.patch("nnspca.components._decompose.quasi_orthogonal", return_value=None) as asked:
        nnspca.decompose(cov, 2, 3, "em", deflation="quasi-orthogonal", restarts=3)
        nnspca.decompose(cov, 2, 3, "best", deflation="quasi-orthogonal")
    first, second = (call.kwargs for call in asked.call_args_list)
    assert first["restarts"] == 3
    assert "restarts" not in second


def test_blocks_come_out_one_by_one():
    A = np.zeros((5, 5))
    A[:2, :2], A[2:4, 2:4], A[4, 4] = [[5, 4], [4, 5]], [[3, 2], [2, 3]], 1
    cov = nnspca.Covariance.from_matrix(A)
    for deflation in TAKEN_OUT:
        parts = nnspca.decompose(cov, 2, 2, deflation=deflation)
        assert np.allclose(parts.variances, [9, 5])
        assert np.allclose(parts.loadings.T, [[0.5**0.5, 0.5**0.5, 0, 0, 0], [0, 0, 0.5**0.5, 0.5**0.5, 0]])


def test_it_ends_where_the_features_do():
    parts = nnspca.decompose(covariance_of(0), 5, 3, certify="live")
    assert (len(parts.parts), parts.cardinalities.tolist()) == (3, [3, 3, 2])
    assert [cert.k for cert in parts.certificates] == [3, 3, 2]
    assert "3 of 5" in parts.note
    assert not parts.stopped


def test_a_rank_beyond_the_features_left_is_all_of_them():
    parts = nnspca.decompose(covariance_of(0), 8, 1, "spannogram", rank=4)
    assert len(parts.parts) == 8
    with pytest.raises(ValueError, match="rank=8"):
        nnspca.decompose(covariance_of(0, n=7), 2, 1, "spannogram", rank=8)


@pytest.mark.parametrize("deflation", TAKEN_OUT)
def test_it_ends_where_the_variance_does(deflation):
    u = np.array([1.0, 2.0, 2.0]) / 3
    parts = nnspca.decompose(nnspca.Covariance.from_matrix(np.outer(u, u)), 3, 3, deflation=deflation)
    assert len(parts.parts) == 1
    assert ("every feature is used" if deflation == "disjoint" else "nothing is left") in parts.note


@pytest.mark.parametrize("deflation", ["projection", "schur"])
def test_there_are_no_more_components_than_dimensions(deflation):
    X = np.random.default_rng(0).standard_normal((4, 9))  # three dimensions, once centred
    parts = nnspca.decompose(nnspca.Covariance.from_data(X), 9, 9, deflation=deflation, nonnegative=False)
    assert len(parts.parts) == 3
    assert parts.cumulative_variance[-1] == pytest.approx(parts.total)


@pytest.mark.parametrize("deflation", ONE_BY_ONE)
@pytest.mark.parametrize("method", ["best", "em"])
def test_awkward_covariances_are_decomposed(deflation, method):
    one_feature = np.array([[2.0]])
    equal_rows = np.ones((4, 4)) + np.diag([1.0, 1.0, 0.0, 0.0])
    still_features = np.diag([1.0, 0.0, 0.0, 2.0])
    for A in (one_feature, equal_rows, still_features, np.eye(4)):
        cov = nnspca.Covariance.from_matrix(A)
        for k in (1, len(A)):
            parts = nnspca.decompose(cov, len(A), k, method, deflation=deflation)
            assert len(parts.parts) == len(A) or parts.note
            assert all(feasible.infeasibility(x, k) == "" for x in parts.loadings.T)
            assert parts.cumulative_variance[-1] <= cov.trace * (1 + 1e-12)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n_components": 0}, "1 to 8"),
        ({"n_components": 9}, "1 to 8"),
        ({"k": 9}, "k=9 .* 1 to 8"),
        ({"k": [2, 2]}, "3"),
        ({"k": [2, 2, 0]}, "k=0 .* 1 to 8"),
        ({"seed": 0.5, "deflation": "joint", "method": "pca", "nonnegative": False}, "seed=0.5"),
        ({"deflation": "joint"}, "one component at a time"),
        ({"deflation": "joint", "method": "pca", "nonnegative": False, "k": [1, 2, 3]}, "one k"),
        ({"deflation": "joint", "method": "pca", "nonnegative": False, "certify": "live"}, "not sought alone"),
        ({"certify": "live", "method": "pca", "nonnegative": False}, "does not keep"),
        ({"min_angle": 91}, "0 to 90"),
        ({"min_angle": 80}, "min_angle=80 is for deflation='quasi-orthogonal'; got deflation='disjoint'"),
        ({"deflation": "quasi-orthogonal", "certify": "live"}, "angle"),
        ({"deflation": "together", "k": [2, 3, 4]}, "one k for all parts"),
        ({"deflation": "together", "starts": -1}, "starts=-1"),
        ({"deflation": "together", "method": "pca", "nonnegative": False}, "keeps to it"),
        ({"colour": 1}, "no option"),
    ],
)
def test_what_is_not_allowed_is_said_with_what_is(wrong, said):
    asked = {"n_components": 3, "k": 2} | wrong
    with pytest.raises(ValueError, match=said):
        nnspca.decompose(covariance_of(0), **asked)


@pytest.mark.parametrize("sparse", [False, True])
def test_many_features_are_never_a_features_by_features_array(sparse):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 6000)) * (rng.random((20, 6000)) < 0.1)
    cov = nnspca.Covariance.from_data(scipy.sparse.csr_array(X) if sparse else X)
    for deflation in ("disjoint", "projection", "schur"):
        parts = nnspca.decompose(cov, 3, 20, "em", deflation=deflation)
        assert len(parts.parts) == 3
        assert nnspca.deflate(cov, parts.loadings, deflation).matrix is None
    with pytest.raises(ValueError, match="projection"):
        nnspca.decompose(cov, 2, 20, "em", deflation="hotelling")
