"""The largest entries of a row of sparse data are the same whether the row is ever dense or not."""

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.bounds import masses
from nnspca.bounds.companions import Companions
from nnspca.control.progress import Allowance, Monitor
from nnspca.covariance.factor import DenseFactor
from nnspca.covariance.forms import HeldMatrix
from nnspca.covariance.problem import Problem
from tests.benchmarks.data import zipf_text

N = 5000


def _text(sign):
    """Sparse data of one sign, or of both: means of both signs, so that what is not stored counts."""
    X = zipf_text(400, N, length=40)
    if sign:
        X = scipy.sparse.csr_array(X @ scipy.sparse.diags_array(np.where(np.arange(N) % 2, 1.0, sign)))
    return nnspca.Covariance.from_data(X)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("kind", ["text", "text of both signs", "dense", "matrix"])
def test_norms_are_those_of_the_largest_shares_of_the_whole_rows(kind, nonnegative):
    cov = _text(-1.0 if "signs" in kind else 0)
    Y = cov.held.factor.columns(np.arange(N))
    if kind == "dense":
        cov = nnspca.Covariance(DenseFactor(Y.copy()))
    if kind == "matrix":
        cov = nnspca.Covariance(HeldMatrix(Y.T @ Y))
    rows = np.concatenate([np.argsort(-cov.diagonal)[:30], [0, 3, N - 1], np.argsort(cov.diagonal)[:5]])
    A = Y[:, rows].T @ Y
    A = np.maximum(A, 0.0) if nonnegative else np.abs(A)
    A[np.arange(len(rows)), rows] = 0.0
    for k in (1, 2, 7, 60):
        exact = np.linalg.norm(np.sort(A, axis=1)[:, N - k + 1 :], axis=1)
        companions = Companions(Problem(cov, k, nonnegative))
        first = companions.norms(rows[:20])
        found = companions.norms(rows)
        np.testing.assert_array_equal(found[:20], first)
        assert (found >= exact * (1 - 1e-12)).all()
        np.testing.assert_allclose(found, exact, rtol=1e-3 if kind == "dense" else 1e-10, atol=1e-6)


def test_masses_read_bit_by_bit_are_those_read_at_once():
    problem = Problem(_text(0), 6)
    low = float(problem.cov.diagonal.max()) * 1.5
    at_once = masses.MassRanking(problem, low, Monitor()).largest(300, allowed=N)
    falling = masses.MassRanking(problem, low, Monitor(), row_skip_threshold=0.0)
    for wanted in (40, 90, 300):
        held = falling.largest(wanted, allowed=N)
        np.testing.assert_array_equal(np.sort(held)[-wanted:], np.sort(at_once)[-wanted:])
    np.testing.assert_array_equal(held, at_once)


def test_a_batch_of_sparse_points_is_carried_as_each_of_them_alone():
    factor = _text(-1.0).held.factor
    rng = np.random.default_rng(1)
    x = np.zeros((4, N))
    x[np.arange(4)[:, None], rng.integers(N, size=(4, 9))] = rng.standard_normal((4, 9))
    z = factor.forward(x)
    np.testing.assert_allclose(z, x @ factor.columns(np.arange(N)).T, atol=1e-12)
    np.testing.assert_allclose(factor.forward(x[0]), z[0], atol=1e-13)
    np.testing.assert_allclose(factor.backward(z), [factor.backward(row) for row in z], atol=1e-13)
    assert factor.backward(z[:0]).shape == (0, N)


def test_norms_of_features_of_tiny_variance_do_not_underflow():
    """Their squares are below the range of single precision."""
    Y = np.random.default_rng(0).standard_normal((12, 40))
    Y[:, 7] *= 1e-21
    exact = np.linalg.norm(np.sort(np.maximum(np.delete(Y.T @ Y[:, 7], 7), 0.0))[-5:])
    found = Companions(Problem(nnspca.Covariance(DenseFactor(Y)), 6)).norms(np.array([7]))[0]
    assert exact <= found <= exact * (1 + 1e-4)


def test_rows_of_sparse_data_are_paid_by_what_is_stored():
    """Priced as if each were written out, 31,000 of the 100,000 that words at k = 30 need were too many."""
    X = scipy.sparse.random_array((60, 200_000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    problem, rows = Problem(nnspca.Covariance.from_data(X), 5), np.arange(300)
    allowance = Allowance(1.0)
    Companions(problem, Monitor(allowance=allowance)).norms(rows)
    assert 0 < allowance.spent < problem.cov.held.reading_seconds(rows) / 5
