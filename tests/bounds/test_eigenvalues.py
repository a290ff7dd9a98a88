"""Bounds on eigenvalues hold to the last digit, and are close."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import nnspca
from nnspca.bounds import certificate, eigenvalues, plain
from nnspca.certificates.derivations import derive
from nnspca.covariance import samples as making
from nnspca.covariance.factor import DenseFactor, SparseFactor
from nnspca.covariance.problem import Problem
from tests import budgets, oracle, problems


@pytest.mark.parametrize("n", [1, 2, 5, 20])
@pytest.mark.parametrize("seed", range(5))
def test_a_upper_bound_is_above_every_direction_and_near_the_largest_eigenvalue(n, seed):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((n, n))
    B = (B + B.T) * 10.0 ** rng.uniform(-30, 30)
    t = eigenvalues.of_matrix(B)
    values, vectors = np.linalg.eigh(B)
    assert oracle.allows(t, oracle.exact_variance(B, vectors[:, -1]))
    assert t <= values[-1] + 1e-11 * np.abs(values).max()


def test_upper_bounds_by_hand():
    assert eigenvalues.of_matrix(np.zeros((3, 3))) == 0.0
    assert 1.0 <= eigenvalues.of_matrix(np.eye(4)) <= 1 + 1e-13
    assert eigenvalues.of_matrix(-np.eye(2)) == pytest.approx(-1.0)
    assert eigenvalues.of_matrix(np.zeros((2, 2)), error=0.5) >= 0.5


def test_a_nearly_scalar_matrix_has_a_upper_bound():
    """A routine that looks for one eigenvalue alone may give up on this one, digit for digit."""
    digits = [
        ["0x1.3965f38b13d06p+1", "0x1.0000000000000p-50", "0x1.0000000000000p-51"],
        ["0x1.0000000000000p-50", "0x1.3965f38b13d17p+1", "-0x1.0000000000000p-49"],
        ["0x1.0000000000000p-51", "-0x1.0000000000000p-49", "0x1.3965f38b13d1bp+1"],
    ]
    B = np.array([[float.fromhex(d) for d in row] for row in digits])
    values = np.linalg.eigvalsh(B)
    assert values[-1] <= eigenvalues.of_matrix(B) <= values[-1] + 1e-12


def test_a_finished_cholesky_factorisation_proves_the_least_eigenvalue():
    assert eigenvalues.positive_by_cholesky(np.array([[1.0, 2.0], [2.0, 1.0]])) is None
    assert 0 < eigenvalues.positive_by_cholesky(np.eye(3)) < 1e-13


@pytest.mark.parametrize("make", problems.MATRICES + problems.DATA, ids=lambda make: make.__name__)
@pytest.mark.parametrize("d", [0, 1, 2])
def test_a_residual_dominates_what_the_low_rank_part_leaves(make, d):
    check_residuals(lambda rng: make(rng, int(rng.integers(2, 8))), d)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("d", [0, 1, 2, 4])
def test_a_residual_is_proven_where_the_covariance_is_never_formed(d, sparse, monkeypatch):
    monkeypatch.setattr(making, "DENSE_FEATURES", 1)
    check_residuals(lambda rng: problems.factored(rng, 8, sparse=sparse), d)


def check_residuals(make, d):
    rng = np.random.default_rng(d)
    for _ in range(8):
        problem = make(rng)
        cov = problem.cov
        values, vectors = cov.eigenpairs(min(d + 1, cov.n_features))
        following = float(values[d]) if d < len(values) else 0.0
        V = vectors[:, :d] * np.sqrt(values[:d])
        tail = eigenvalues.residual(cov, V)
        rest = np.linalg.eigh(problem.A - V @ V.T)
        for x in (rest[1][:, -1], rest[1][:, 0], rng.standard_normal(cov.n_features)):
            low = oracle.exact_variance_of_rows(V, x) if d else 0
            assert oracle.allows(tail, problem.exact(x) - low)
        assert tail <= following + 1e-5 * values[0] + 4 * cov.representation_error


@pytest.mark.parametrize("shape", [(40, 90), (90, 40)])
@pytest.mark.parametrize("sparse", [True, False])
def test_of_data_the_first_eigenvalue_is_proven_and_checked_on_the_shorter_side(shape, sparse):
    rng = np.random.default_rng(2)
    X = rng.standard_normal(shape) * (rng.random(shape) < 0.3) + (0.0 if sparse else 0.2)
    factor = SparseFactor.of_data(scipy.sparse.csr_array(X), False) if sparse else DenseFactor.of_data(X, False)
    problem = Problem(nnspca.Covariance(factor), 3, True)
    exact = np.linalg.eigvalsh(np.cov(X.T, bias=True))[-1]
    bound = plain.largest_eigenvalue(problem)
    assert exact * (1 - 1e-13) <= bound.value <= exact * (1 + 1e-10)
    assert derive(bound.ingredients, problem) <= bound.value
    assert exact * 0.8 < eigenvalues.estimated(problem.cov) <= exact * (1 + 1e-13)


@pytest.mark.slow
def test_no_certificate_is_above_the_first_eigenvalue_whatever_the_shape(monkeypatch):
    """2,001 samples of more features once had no bound but the trace."""
    budgets.quick(monkeypatch)
    S = scipy.sparse.random_array((2001, 10_100), density=1e-3, rng=np.random.default_rng(0), format="csr")
    cov = nnspca.Covariance.from_data(S)
    (exact,) = scipy.sparse.linalg.eigsh(cov.held.factor.gram(), 1, return_eigenvectors=False)
    x = np.where(np.arange(cov.n_features) < 100, 0.1, 0.0)
    component = nnspca.Component(x, float(cov.variance(x)), "given", 100)
    monkeypatch.setattr(certificate, "REST", 0.0)
    cert = nnspca.certify(cov, 100, component=component)
    assert cert.upper <= min(bound.value for bound in cert.bounds if bound.name == "eigenvalue") <= exact * (1 + 1e-6)
    nnspca.verify(cert, cov)
