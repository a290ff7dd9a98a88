"""Rows levelled by few readings: what the stored shares prove is never below what the rows cost."""

import numpy as np
import pytest

import nnspca
from nnspca.bounds import balanced, levelled
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import ScaleProof
from nnspca.control.progress import Allowance, Monitor
from nnspca.covariance.problem import Problem
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


@pytest.fixture
def narrow(monkeypatch):
    """Store hardly more than k shares a row, so that those left out count."""
    monkeypatch.setattr(levelled, "SPARE", 1)
    monkeypatch.setattr(levelled, "STORED", 1.0)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("k", [1, 2, 7, 59, 60])
@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_stored_rows_prove_no_less_than_the_rows_cost(narrow, nonnegative, k, scale):
    problem, A, rng = posed(k, k, nonnegative, scale)
    e = rng.uniform(0.5, 2.0, N)
    rows = levelled.StoredRows(problem, e, Monitor())
    assert (rows.costs >= rows_of(A, k, nonnegative, e) * (1 - 1e-12)).all()
    assert rows.costs == pytest.approx(rows_of(A, k, nonnegative, e), rel=1e-6)
    for _ in range(20):
        d = rng.uniform(0.2, 5.0, N)
        assert rows.bound(d) >= rows_of(A, k, nonnegative, d).max() * (1 - 1e-12)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_levelling_lowers_the_largest_row_and_the_judge_derives_no_more(nonnegative):
    problem, A, _ = posed(3, 6, nonnegative)
    plain = rows_of(A, 6, nonnegative, np.ones(N)).max()
    value, d = levelled.level_rows(problem, np.inf, np.ones(N), 2, Monitor())
    assert value < 0.97 * plain
    assert derive(ScaleProof(d, value), problem) <= value + problem.cov._error_elsewhere


def test_one_reading_comes_near_the_best_weights():
    problem, A, _ = posed(4, 6, True)
    held = Problem(nnspca.Covariance.from_matrix(A), 6, True)
    best = balanced.balanced_rows(held, monitor=Monitor()).value
    assert levelled.level_rows(problem, np.inf, np.ones(N), 1, Monitor())[0] < 1.02 * best


def test_rows_that_were_not_read_cost_what_their_deviations_allow(monkeypatch):
    problem, A, _ = posed(5, 4, True)
    monkeypatch.setattr(type(problem.cov), "_strip", 10)
    spent = Monitor(allowance=Allowance(1e-12))
    rows = levelled.StoredRows(problem, np.ones(N), spent)
    assert not rows.complete
    assert (rows.costs >= rows_of(A, 4, True, np.ones(N))).all()
    value, _ = levelled.level_rows(problem, np.inf, np.ones(N), 2, Monitor(lambda: True))
    assert value >= rows_of(A, 4, True, np.ones(N)).max()
