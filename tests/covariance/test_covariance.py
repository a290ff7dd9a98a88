"""Covariance: every way in gives the same operator, never an n×n array where samples are few."""

import decimal
import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nnspca
from nnspca import Covariance, DataError
from nnspca.covariance import forms
from nnspca.covariance import samples as making
from nnspca.covariance.factor import DenseFactor, SparseFactor
from tests.blas import with_blas_threads

FORMS = (np.asarray, scipy.sparse.csr_array)


def dense_of(cov):
    return cov.apply(np.eye(cov.n_features))


@pytest.fixture
def factored(monkeypatch):
    """Hold a factor wherever features are more than twice the samples."""
    monkeypatch.setattr(making, "DENSE_FEATURES", 1)


@given(
    X=hnp.arrays(
        np.float64,
        st.tuples(st.integers(2, 8), st.integers(1, 7)),
        elements=st.integers(-4, 4).map(float) | st.floats(-10, 10).map(lambda v: round(v, 6)),
    ),
    standardize=st.booleans(),
)
def test_every_way_in_gives_the_covariance_of_the_data(X, standardize):
    X[0, 0] = X[1, 0] + 1.0
    expected = np.atleast_2d(np.cov(X.T, bias=True))
    if standardize:
        s = np.where((X[:1] == X).all(axis=0), 0.0, X.std(axis=0))
        scale = np.where(s > 0, s, 1.0)
        expected = np.where(np.outer(s, s) > 0, expected / np.outer(scale, scale), 0.0)
    made = [
        Covariance.from_data(X, standardize),
        Covariance.from_data(scipy.sparse.csc_array(X), standardize),
        Covariance.from_data(X.tolist(), standardize),
    ]
    for cov in made:
        np.testing.assert_allclose(dense_of(cov), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
        assert cov.n_samples == len(X)
        assert cov.trace == pytest.approx(expected.trace())
        np.testing.assert_allclose(cov.diagonal, expected.diagonal(), atol=1e-9 * expected.max())


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("standardize", [True, False])
def test_a_factor_acts_as_the_matrix_does(sparse, standardize, factored):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4, 11)) * (rng.random((4, 11)) < 0.7)
    cov = Covariance.from_data(scipy.sparse.csr_array(X) if sparse else X, standardize)
    assert cov.matrix is None
    assert isinstance(cov.held.factor, SparseFactor if sparse else DenseFactor)
    A = np.cov(X.T, bias=True)
    if standardize:
        s = np.sqrt(A.diagonal())
        A = A / np.outer(np.where(s > 1e-12, s, 1.0), np.where(s > 1e-12, s, 1.0))
    x = rng.standard_normal((5, 11))
    np.testing.assert_allclose(cov.apply(x), x @ A, atol=1e-12)
    np.testing.assert_allclose(cov.apply(x[0]), A @ x[0], atol=1e-12)
    np.testing.assert_allclose(cov.variance(x), np.einsum("ri,ij,rj->r", x, A, x), rtol=1e-10)
    assert cov.variance(x[0]) == pytest.approx(x[0] @ A @ x[0])
    assert isinstance(cov.variance(x[0]), float)
    rows, columns = np.array([3, 1]), np.array([0, 5, 9])
    np.testing.assert_allclose(cov.block(rows), A[rows], atol=1e-12)
    np.testing.assert_allclose(cov.block(rows, columns), A[np.ix_(rows, columns)], atol=1e-12)
    part = cov.restrict(columns)
    np.testing.assert_allclose(dense_of(part), A[np.ix_(columns, columns)], atol=1e-12)


def test_a_huge_offset_costs_no_variance():
    X = np.random.default_rng(0).standard_normal((1000, 4))
    for shifted in (X + 1e8, scipy.sparse.csr_array(X + 1e8)):
        cov = Covariance.from_data(shifted)
        np.testing.assert_allclose(cov.diagonal, X.var(axis=0), rtol=1e-7)


def test_a_dataset_is_taken_whichever_kind_it_is():
    pitprops = nnspca.datasets.load("pitprops")
    assert dense_of(Covariance.from_dataset(pitprops)).tolist() == pitprops.X.tolist()
    digits = nnspca.datasets.load("digits")
    cov = Covariance.from_dataset(digits)
    np.testing.assert_allclose(cov.diagonal, digits.X.var(axis=0), rtol=1e-10, atol=1e-12)
    correlation = Covariance.from_dataset(pitprops, standardize=True)
    np.testing.assert_allclose(correlation.diagonal, 1.0)


@pytest.mark.parametrize("standardize", [False, True])
def test_what_rounding_moves_a_matrix_by_is_in_its_room(standardize):
    rng = np.random.default_rng(3)
    Z = rng.standard_normal((40, 7)) * np.logspace(-2, 2, 7)
    given_matrix = Z.T @ Z
    given_matrix[np.tril_indices(7, -1)] *= 1 + 3e-16  # asymmetric by its last bits, so that the half-sum rounds
    matrix = SimpleNamespace(kind="covariance", X=given_matrix)
    cov = Covariance.from_dataset(matrix, standardize)
    with decimal.localcontext(prec=60):
        A = np.array([[decimal.Decimal(v) for v in row] for row in given_matrix.tolist()])
        A = (A + A.T) / 2
        s = [A[i, i].sqrt() if standardize else decimal.Decimal(1) for i in range(7)]
        off = sum(
            (decimal.Decimal(float(cov.matrix[i, j])) - A[i, j] / (s[i] * s[j])) ** 2 for i, j in np.ndindex(7, 7)
        )
        assert 0 < off.sqrt() <= decimal.Decimal(cov.representation_error)
    assert cov.representation_error < 1e-14 * cov.trace
    assert cov.held.error_elsewhere > cov.representation_error


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.slow
def test_few_samples_never_make_a_features_by_features_array(sparse, monkeypatch):
    n = 12_000
    X = np.zeros((8, n))
    X[:, ::3] = np.random.default_rng(0).standard_normal((8, n // 3))
    given_data = scipy.sparse.csr_array(X) if sparse else X

    def forbidden(self):
        raise AssertionError("an n×n array was asked for")

    monkeypatch.setattr(DenseFactor, "cross", forbidden)
    monkeypatch.setattr(SparseFactor, "cross", forbidden)
    tracemalloc.start()
    cov = Covariance.from_data(given_data)
    cov.eigenpairs(6)
    cov.apply(np.ones(n))
    cov.fingerprint  # noqa: B018
    nnspca.solve(cov, 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert cov.matrix is None
    assert peak < 8 * n * n / 10


def check_eigenpairs(cov, d, tol=1e-10):
    values, vectors = cov.eigenpairs(d)
    assert values.shape == (d,)
    assert vectors.shape == (cov.n_features, d)
    assert (np.diff(values) <= 0).all()
    assert (values >= 0).all()
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(d), atol=1e-10)
    assert np.abs(cov.apply(vectors.T).T - vectors * values).max() <= tol * values[0]
    peaks = np.abs(vectors).argmax(axis=0)
    assert (vectors[peaks, np.arange(d)] > 0).all()


@pytest.mark.parametrize("rank", [1, 3, 9])
def test_eigenpairs_are_orthonormal_and_solve_the_eigenproblem(rank):
    Z = np.random.default_rng(rank).standard_normal((rank, 9))
    cov = Covariance.from_matrix(Z.T @ Z)
    for d in (1, 4, 9):
        check_eigenpairs(cov, d)
    np.testing.assert_allclose(cov.eigenpairs(9)[0].sum(), cov.trace)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("d", [1, 3, 6, 11])
def test_a_factor_of_poor_rank_is_completed_by_directions_of_no_variance(d, sparse, factored):
    X = np.random.default_rng(d).standard_normal((4, 11))
    cov = Covariance.from_data(scipy.sparse.csr_array(X) if sparse else X)
    assert cov.matrix is None
    check_eigenpairs(cov, d)
    assert np.count_nonzero(cov.eigenpairs(11)[0]) == 3


def test_a_steeply_falling_spectrum_keeps_orthonormal_vectors(factored):
    rng = np.random.default_rng(0)
    left = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    left -= left.mean(axis=0)
    right = np.linalg.qr(rng.standard_normal((40, 6)))[0]
    X = left @ np.diag(10.0 ** -np.arange(0.0, 8.0, 1.5)) @ right.T
    cov = Covariance.from_data(X)
    assert cov.matrix is None
    check_eigenpairs(cov, 6)


@pytest.mark.parametrize("held", ["matrix", "many samples", "few samples"])
def test_lanczos_gives_what_a_full_decomposition_gives(held, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 50)) if held != "few samples" else rng.standard_normal((20, 90))
    expected = np.sort(np.linalg.eigvalsh(np.cov(X.T, bias=True)))[::-1]
    for module in (making, forms):
        monkeypatch.setattr(module, "DENSE_EIGEN", 10)
    if held != "matrix":
        monkeypatch.setattr(making, "DENSE_FEATURES", 1)
    cov = Covariance.from_data(X)
    assert (cov.matrix is None) == (held != "matrix")
    np.testing.assert_allclose(cov.eigenpairs(5)[0], expected[:5], rtol=1e-9)
    check_eigenpairs(cov, 5)


def test_eigenpairs_asked_by_many_threads_are_one_and_the_same():
    X = np.random.default_rng(0).standard_normal((50, 40))
    cov = Covariance.from_data(X)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda d: cov.eigenpairs(d), [1, 20, 5, 20, 3, 20, 2, 20] * 4))
    whole = cov.eigenpairs(20)
    assert np.shares_memory(whole[0], cov.eigenpairs(2)[0]) and not whole[0].flags.writeable
    for values, vectors in found:
        assert values.tolist() == whole[0][: len(values)].tolist()
        assert vectors.tolist() == whole[1][:, : len(values)].tolist()


@pytest.mark.parametrize("d", [0, 4, -1, 1.5, True, "2", None])
def test_a_number_of_eigenpairs_out_of_range_is_refused(d):
    with pytest.raises(ValueError, match=r"is not allowed; give a whole number from 1 to 3"):
        Covariance.from_matrix(np.eye(3)).eigenpairs(d)


@pytest.mark.parametrize("sparse", [True, False])
def test_a_covariance_survives_pickling(sparse, factored):
    X = np.random.default_rng(0).standard_normal((4, 11))
    for cov in (Covariance.from_matrix(np.eye(3)), Covariance.from_data(scipy.sparse.csr_array(X) if sparse else X)):
        cov.eigenpairs(2)
        again = pickle.loads(pickle.dumps(cov))
        assert again.fingerprint == cov.fingerprint
        assert dense_of(again).tolist() == dense_of(cov).tolist()
        assert again.eigenpairs(2)[0].tolist() == cov.eigenpairs(2)[0].tolist()
        assert again.n_samples == cov.n_samples
        assert again.representation_error == cov.representation_error


def test_what_was_given_can_change_without_changing_the_covariance():
    A, X = np.eye(3), np.random.default_rng(0).standard_normal((4, 3))
    S = scipy.sparse.csr_array(X)
    made = [Covariance.from_matrix(A), Covariance.from_data(X), Covariance.from_data(S)]
    before = [dense_of(cov).tolist() for cov in made]
    A *= 7
    X *= 7
    S.data *= 7
    assert [dense_of(cov).tolist() for cov in made] == before
    assert A[0, 0] == 7.0  # and what was given stays the caller's to write


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (scipy.sparse.csr_array([[1.0, np.nan], [0.0, 1.0]]), "not finite"),
        (scipy.sparse.csr_array([[1.0, 2.0], [1.0, 2.0]]), "no feature varies"),
        (scipy.sparse.csr_array([[1.0, 2.0]]), "one sample"),
        ([[1.0, np.nan], [2.0, 3.0]], r"1 value\(s\) are not finite, the first at index \(0, 1\)"),
        ([[1.0, 2.0], [np.inf, -np.inf]], r"2 value\(s\) are not finite, the first at index \(1, 0\)"),
        ([1.0, 2.0], r"\(samples, features\); got 1 dimension"),
        ([[[1.0]]], "got 3 dimension"),
        ([[1.0, 2.0]], "one sample has no variance; give at least 2 samples"),
        ([[1.0, 2.0], [1.0, 2.0]], "no feature varies over the samples"),
        (np.zeros((0, 3)), r"got shape \(0, 3\)"),
        (np.zeros((3, 0)), r"got shape \(3, 0\)"),
        (np.array([[1j, 2], [3, 4]]), "data must be real numbers; got dtype complex"),
        ([[0.0, 1e-80], [0.0, 0.0]], "rescale the data"),
        ([[0.0, 1e80], [0.0, 0.0]], "rescale the data, or standardize them"),
        *((form([[0.0, v], [v, 0.0]]), "rescale the data, or") for v in (1e160, 1e-165) for form in FORMS),
    ],
)
def test_data_that_cannot_be_used_are_refused_with_the_reason(X, says):
    with pytest.raises(DataError, match=says):
        Covariance.from_data(X)


@pytest.mark.parametrize(
    ("A", "says"),
    [
        ([[1.0, 2.0]], r"must be square, \(n, n\) with n >= 1; got shape \(1, 2\); samples as rows go to"),
        (3.0, "must be square"),
        ([[1.0, np.nan], [np.nan, 1.0]], "not finite"),
        ([[1.0, 2.0], [2.0, 1.0]], "most negative eigenvalue is -1 "),
        ([[-1.0]], "not positive semidefinite"),
        (np.zeros((2, 2)), "the covariance matrix is zero"),
        (np.eye(2) * 1e-150, "rescale the data"),
    ],
)
def test_matrices_that_are_no_covariance_are_refused_with_the_reason(A, says):
    with pytest.raises(DataError, match=says):
        Covariance.from_matrix(A)


def test_rounding_in_a_matrix_is_forgiven():
    A = np.eye(3) + 0.5
    A[0, 1] += 1e-12
    assert (dense_of(Covariance.from_matrix(A)) == dense_of(Covariance.from_matrix(A)).T).all()
    u = np.ones(3)
    Covariance.from_matrix(np.outer(u, u) - 1e-9 * np.eye(3))
    assert Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]]).representation_error == 0  # held as it was given


def test_variances_below_zero_by_rounding_are_none():
    cov = Covariance.from_matrix([[1.0, 0.0], [0.0, -1e-9]])
    assert cov.diagonal.tolist() == [1.0, 0.0]
    assert cov.eigenpairs(2)[0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(12, 2000), (300, 40)])
def test_any_number_of_threads_makes_the_same_covariance(form, shape):
    """So many numbers are stored that BLAS shares their sums among its threads."""
    X = form(np.random.default_rng(0).standard_normal(shape))
    made = []
    for threads in (1, 2):
        with with_blas_threads(threads):
            cov = Covariance.from_data(X)
            made.append((cov.trace, cov.representation_error, cov.held.drift, cov.held.error_elsewhere))
    assert made[0] == made[1]


@pytest.mark.parametrize("triangle", [np.triu, np.tril])
@pytest.mark.parametrize("repair", [False, True])
def test_one_triangle_alone_is_mirrored_by_its_owner_and_not_halved(triangle, repair):
    A = np.array([[2.0, 1.0, 0.5], [1.0, 2.0, 1.0], [0.5, 1.0, 2.0]])
    with pytest.raises(DataError, match=r"one triangle .*A \+ A.T - numpy.diag\(A.diagonal\(\)\)"):
        Covariance.from_matrix(triangle(A), repair=repair)
    Covariance.from_matrix(np.diag([2.0, 1.0]), repair=repair)


@pytest.mark.parametrize("kind", ["matrix", "factor"])
def test_nobody_can_write_into_the_variances(kind):
    rng = np.random.default_rng(0)
    cov = Covariance.from_data(rng.standard_normal((3, 6) if kind == "matrix" else (3, 1600)))
    for held in (cov, pickle.loads(pickle.dumps(cov))):
        with pytest.raises(ValueError, match="read-only"):
            held.diagonal[0] = 5.0


@pytest.mark.parametrize("x", [[np.nan, 0.0, 1.0], [[1.0, 0.0, 0.0], [np.inf, 0.0, 0.0]]])
@pytest.mark.parametrize("what", ["variance", "apply"])
def test_vectors_that_are_not_finite_are_refused(x, what):
    cov = Covariance.from_matrix(np.eye(3) + 1.0)
    with pytest.raises(ValueError, match=r"1 value\(s\) of x are not finite"), np.errstate(invalid="ignore"):
        getattr(cov, what)(np.array(x))


def test_a_covariance_shows_what_users_call_and_nothing_else():
    made = {"from_data", "from_dataset", "from_matrix"}
    known = {"n_samples", "feature_names", "features", "representation_error", "matrix", "fingerprint"}
    asked = {"apply", "block", "eigenpairs", "restrict", "variance"}
    assert {name for name in dir(Covariance) if not name.startswith("_")} == made | known | asked
