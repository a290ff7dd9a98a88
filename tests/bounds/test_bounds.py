"""Each bound alone: above brute force to the last digit, and equal to what its definition says by hand."""

import importlib

import numpy as np
import pytest

import nnspca
from nnspca import feasible
from nnspca.bounds import entries, pair_scaled, spectral
from nnspca.bounds.balanced import balanced
from nnspca.bounds.paper import paper
from nnspca.bounds.threshold import threshold
from nnspca.covariance import covariance
from nnspca.progress import Monitor
from tests import oracle, problems

balanced_rows = importlib.import_module("nnspca.bounds.balanced")
BOTH = pytest.mark.parametrize("nonnegative", [True, False])
EVERY = pytest.mark.parametrize("make", problems.MATRICES + problems.DATA, ids=lambda make: make.__name__)
A = np.array([[4.0, 1.0, -2.0], [1.0, 3.0, 0.5], [-2.0, 0.5, 2.0]])


def covariance_of(A):
    return nnspca.Covariance.from_matrix(A)


@BOTH
@EVERY
def test_the_pair_scaled_dual_holds_after_any_number_of_steps(make, nonnegative):
    rng = np.random.default_rng(9)
    for _ in range(4):
        n = int(rng.integers(1, 7))
        problem = make(rng, n)
        k = int(rng.integers(1, n + 1))
        attained = problem.attained(k, nonnegative)
        x = feasible.best(rng.standard_normal(n), k, nonnegative)
        made = list(
            pair_scaled.tighten(problem.cov, k, x, nonnegative=nonnegative, steps=25, goal=-np.inf, monitor=Monitor())
        )
        assert made
        values = [bound.value for bound in made]
        assert values == sorted(values, reverse=True)
        assert all(oracle.allows(value, attained) for value in values)


@BOTH
def test_the_pair_scaled_dual_comes_close_on_small_problems(nonnegative):
    rng = np.random.default_rng(1)
    problem = problems.many_samples(rng, 7)
    x = nnspca.solve(problem.cov, 3, nonnegative=nonnegative).loadings
    *_, last = pair_scaled.tighten(problem.cov, 3, x, nonnegative=nonnegative, steps=400, goal=0.0, monitor=Monitor())
    assert last.value <= 1.05 * oracle.optimum(problem.A, 3, nonnegative)[0]


def test_the_diagonal_bound_is_the_sum_of_the_largest_variances():
    for k, total in ((1, 4.0), (2, 7.0), (3, 9.0)):
        assert total <= entries.diagonal(covariance_of(A), k).value <= total * (1 + 1e-12)


@pytest.mark.parametrize(
    ("nonnegative", "k", "most"), [(True, 1, 4.0), (True, 2, 5.0), (True, 3, 5.0), (False, 2, 6.0), (False, 3, 7.0)]
)
def test_the_row_bound_is_the_largest_row_sum(nonnegative, k, most):
    value = entries.rows(covariance_of(A), k, nonnegative=nonnegative, monitor=Monitor()).value
    assert most <= value <= most * (1 + 1e-12)


@BOTH
def test_rows_that_are_ruled_out_need_not_be_read(nonnegative, monkeypatch):
    rng = np.random.default_rng(0)
    s = 10.0 ** np.linspace(0, -4, 60)
    cov = nnspca.Covariance.from_data(rng.standard_normal((20, 60)) * s)
    whole = [entries.rows(cov, k, nonnegative=nonnegative, monitor=Monitor()).value for k in (1, 3, 20, 60)]
    monkeypatch.setattr(entries, "ROWS", 4)
    lean = [entries.rows(cov, k, nonnegative=nonnegative, monitor=Monitor()).value for k in (1, 3, 20, 60)]
    assert lean == pytest.approx(whole, rel=1e-12)
    hasty = [entries.rows(cov, k, nonnegative=nonnegative, monitor=Monitor(lambda: True)).value for k in (1, 3, 20, 60)]
    assert all(h >= w for h, w in zip(hasty, whole, strict=True))


@BOTH
@EVERY
def test_balanced_rows_hold_whatever_the_covariance(make, nonnegative):
    rng = np.random.default_rng(4)
    for _ in range(8):
        n = int(rng.integers(1, 8))
        problem = make(rng, n)
        k = int(rng.integers(1, n + 1))
        value = balanced(problem.cov, k, nonnegative=nonnegative, monitor=Monitor()).value
        assert oracle.allows(value, problem.attained(k, nonnegative))


@BOTH
@pytest.mark.parametrize("sparse", [True, False])
def test_balanced_rows_hold_where_only_some_features_are_read(sparse, nonnegative, monkeypatch):
    monkeypatch.setattr(covariance, "DENSE_FEATURES", 1)
    monkeypatch.setattr(balanced_rows, "WIDEST", 3)
    monkeypatch.setattr(balanced_rows, "ROWS", 2)
    rng = np.random.default_rng(5)
    for _ in range(15):
        problem = problems.factored(rng, 8, sparse=sparse)
        k = int(rng.integers(1, 9))
        value = balanced(problem.cov, k, nonnegative=nonnegative, monitor=Monitor()).value
        assert oracle.allows(value, problem.attained(k, nonnegative))


def test_balanced_rows_by_hand():
    """With k = n and no negative entry, level rows are the largest eigenvalue."""
    cov = covariance_of([[4.0, 1.0], [1.0, 1.0]])
    assert balanced(cov, 2, nonnegative=True, monitor=Monitor()).value == pytest.approx((5 + 13**0.5) / 2, rel=1e-6)


def test_the_first_eigenvalue_is_close():
    bound = spectral.leading(covariance_of(A))
    exact = np.linalg.eigvalsh(A)[-1]
    assert exact <= bound.value <= exact * (1 + 1e-12)


@BOTH
@pytest.mark.parametrize("seed", range(4))
def test_the_shifted_bound_is_never_worse_than_the_plain_one(seed, nonnegative):
    cov = nnspca.Covariance.from_data(np.random.default_rng(seed).standard_normal((30, 12)))
    for d in (1, 2, 3):
        plain, shifted = (
            spectral.rank(cov, 4, d, nonnegative=nonnegative, shifted=s, cells=20_000, monitor=Monitor()).value
            for s in (False, True)
        )
        assert shifted <= plain * (1 + 1e-5)


def test_the_paper_bound_never_exceeds_the_first_eigenvalue():
    cov = covariance_of(np.eye(5) + 1)
    bound = paper(cov, 2, nonnegative=True, rng=np.random.default_rng(0), monitor=Monitor())
    assert bound.value <= cov.eigenpairs(1)[0][0]
    assert not bound.deterministic
    assert "not proven" in bound.detail


@BOTH
def test_cutting_at_a_level_beats_the_first_eigenvalue_where_few_covariances_are_large(nonnegative):
    B = np.eye(12) * 0.3 + 0.1
    B[:3, :3] += 1.0
    cov = covariance_of(B)
    lower = oracle.optimum(B, 3, nonnegative)[0]
    made = threshold(cov, 3, lower, nonnegative=nonnegative, ranks=(2,), cells=500, features=100, monitor=Monitor())
    assert {b.name for b in made} == {"threshold", "cut-rank"}
    for bound in made:
        assert lower <= bound.value < cov.eigenpairs(1)[0][0]
