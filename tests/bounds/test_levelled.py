"""Rows levelled by one reading: what the stored shares prove is never below what the rows cost."""

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.bounds import balanced, certificate, levelled
from nnspca.bounds.plan import PLANS
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import ScaleProof
from nnspca.control.progress import Allowance, Monitor
from nnspca.covariance import factor as factor_module
from nnspca.covariance.factor import DenseFactor, SparseFactor
from nnspca.covariance.problem import Problem
from nnspca.numerics import singles
from tests.problems import held_as_factor

N = 60


def posed(seed, k, nonnegative, scale=1.0):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((20, 3)) @ rng.standard_normal((3, N)) + rng.standard_normal((20, N))) * scale
    return Problem(held_as_factor(X), k, nonnegative), np.cov(X.T, bias=True), rng


def rows_of(A, k, nonnegative, d):
    shares = np.maximum(A, 0.0) if nonnegative else np.abs(A)
    shares = (shares - np.diag(shares.diagonal())) * d
    return A.diagonal() + np.sort(shares, axis=1)[:, N - k + 1 :].sum(axis=1) / d


EVERY = np.arange(N)


@pytest.fixture(params=["all shares", "few shares", "few of each tile", "few samples at a time"])
def narrow(request, monkeypatch):
    """Store all shares of a row, or hardly more than k, so that those left out count."""
    if request.param == "all shares":
        return
    for name, value in (("ON_ALL", 2), ("SMALLEST", 1), ("TILE", (20, 20))):
        monkeypatch.setattr(levelled, name, value)
    if request.param == "few of each tile":
        monkeypatch.setattr(levelled, "TILE", (7, 11))
    if request.param == "few samples at a time":
        monkeypatch.setattr(singles, "SINGLE_ROWS", 3)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("k", [1, 2, 7, 59, 60])
@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_stored_rows_prove_no_less_than_the_rows_cost(narrow, nonnegative, k, scale):
    problem, A, rng = posed(k, k, nonnegative, scale)
    e = rng.uniform(0.5, 2.0, N)
    rows = levelled.StoredRows(problem, EVERY, e, Monitor())
    assert rows.complete
    exact = rows_of(A, k, nonnegative, e).max()
    assert exact * (1 - 1e-12) <= rows.bound(e) <= exact * (1 + 0.02 * k)
    for _ in range(20):
        d = rng.uniform(0.2, 5.0, N)
        assert rows.bound(d) >= rows_of(A, k, nonnegative, d).max() * (1 - 1e-12)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("few", [1, 9, 40])
def test_rows_of_some_features_bound_those_of_all(narrow, nonnegative, sparse, few, monkeypatch):
    monkeypatch.setattr(factor_module, "AT_A_TIME", 1)  # sparse data stay sparse
    rng = np.random.default_rng(few)
    X = (rng.standard_normal((20, N)) + 0.5) * (rng.random((20, N)) < 0.3) * np.linspace(3, 0.2, N)
    cov = nnspca.Covariance(
        (SparseFactor if sparse else DenseFactor).of_data(scipy.sparse.csr_array(X) if sparse else X, False)
    )
    problem, A = Problem(cov, 5, nonnegative), np.cov(X.T, bias=True)
    rows = levelled.StoredRows(problem, EVERY[:few], np.ones(few), Monitor())
    for d in (rng.uniform(0.2, 5.0, N), rows.level(0.0), rows.level(float(A.diagonal().max()))):
        assert rows.bound(d) >= rows_of(A, 5, nonnegative, d).max() * (1 - 1e-12)
        assert derive(ScaleProof(d, 0.0), problem) <= rows.bound(d)


@pytest.mark.parametrize(("whole", "k"), [(False, 4), (True, 24)])
def test_only_features_of_large_variance_are_read_and_the_bound_is_hardly_larger(whole, k, monkeypatch):
    monkeypatch.setattr(levelled, "SMALLEST", 1)
    if whole:
        monkeypatch.setattr(levelled, "ON_ALL", 2)
        monkeypatch.setattr(levelled, "_can_hold", lambda *_: False)
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((40, 1)) + rng.standard_normal((40, 300))) * 0.97 ** np.arange(300)
    problem = Problem(held_as_factor(X), k, True)
    lower = nnspca.solve(problem.cov, k).variance
    some = levelled.choose_features(problem, lower, Monitor())
    assert len(some) < 150
    assert len(levelled.choose_features(problem, 0.0, Monitor())) == 300
    assert len(levelled.choose_features(problem, lower, Monitor(allowance=Allowance(1e-9)))) == k + 1, "no work is left"
    values = [
        levelled.level_rows(problem, chosen, np.ones(300), Monitor(), lower=lower)[0]
        for chosen in (some, np.arange(300))
    ]
    assert lower < min(values) and values[0] < 1.01 * values[1]


@pytest.mark.parametrize("whole", [False, True])
def test_a_live_certificate_may_always_read_all_rows_once(whole, monkeypatch):
    """However long that takes, up to a limit: too few rows prove next to nothing."""
    if whole:
        monkeypatch.setattr(levelled, "_can_hold", lambda *_: False)
    problem = Problem(held_as_factor(np.random.default_rng(0).standard_normal((40, 1500))), 4, True)
    lower = nnspca.solve(problem.cov, 4).variance
    needed, most = levelled.choose_features(problem, lower, Monitor()), certificate.MOST
    for seconds in (1.0, 0.5 * most, 10 * most):
        monkeypatch.setattr("nnspca.covariance.held.DENSE_PRODUCT", seconds / (40 * 1500**2))
        work = certificate.allowance(problem, PLANS["live"])
        assert 2 * PLANS["live"].seconds <= work.left <= most
        chosen = levelled.choose_features(problem, lower, Monitor(allowance=work))
        assert seconds > most or len(chosen) == len(needed)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_levelling_lowers_the_largest_row_and_the_judge_derives_no_more(narrow, nonnegative):
    problem, A, _ = posed(3, 6, nonnegative)
    plain = rows_of(A, 6, nonnegative, np.ones(N)).max()
    value, d = levelled.level_rows(problem, EVERY, np.ones(N), Monitor())
    assert value < 0.97 * plain
    assert derive(ScaleProof(d, value), problem) <= value + problem.cov.held.error_elsewhere
    assert derive(ScaleProof(d, 0.0), problem) <= value + problem.cov.held.error_elsewhere


def test_one_reading_comes_near_the_best_weights(narrow):
    problem, A, _ = posed(4, 6, True)
    held = Problem(nnspca.Covariance.from_matrix(A), 6, True)
    best = balanced.balanced_rows(held, monitor=Monitor()).value
    assert levelled.level_rows(problem, EVERY, np.ones(N), Monitor())[0] < 1.02 * best


def test_rows_that_were_not_read_cost_what_their_deviations_allow(narrow):
    problem, A, _ = posed(5, 4, True)
    spent = Monitor(allowance=Allowance(1e-12))
    rows = levelled.StoredRows(problem, EVERY, np.ones(N), spent)
    assert not rows.complete
    assert rows.bound(np.ones(N)) >= rows_of(A, 4, True, np.ones(N)).max()
    value, _ = levelled.level_rows(problem, EVERY, np.ones(N), Monitor(lambda: True))
    assert value >= rows_of(A, 4, True, np.ones(N)).max()


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("k", [1, 2, 7, 60])
@pytest.mark.parametrize("scale", [1e-60, 1e60])
@pytest.mark.parametrize("few", [20, N])
def test_rows_that_are_read_whole_prove_no_less_than_they_cost(narrow, nonnegative, k, scale, few, monkeypatch):
    monkeypatch.setattr(levelled, "ON_ALL", 2)
    monkeypatch.setattr(levelled, "_can_hold", lambda *_: False)
    problem, A, rng = posed(k, k, nonnegative, scale)
    chosen, size = np.sort(rng.permutation(N)[:few]), float(A.diagonal().max())
    tiles = levelled._Tiles(problem.cov, chosen, size)
    found = list(levelled._level_whole_rows(problem, tiles, rng.uniform(0.5, 2.0, few), Monitor(), size))
    for value, d in found:
        assert value >= rows_of(A, k, nonnegative, d).max() * (1 - 1e-12)
        assert derive(ScaleProof(d, value), problem) <= value + problem.cov.held.error_elsewhere
    if few == N and k > 2:  # of which a sample tells
        stored = nnspca.Covariance.from_matrix(A)
        best = balanced.balanced_rows(Problem(stored, k, nonnegative), monitor=Monitor()).value
        value, _ = levelled.level_rows(problem, EVERY, np.ones(N), Monitor())
        assert value <= 1.06 * best
    assert not list(levelled._level_whole_rows(problem, tiles, np.ones(few), Monitor(lambda: True), size))
