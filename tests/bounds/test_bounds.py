"""Each bound alone: above brute force to the last digit, and equal to what its definition says by hand."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import nnspca
from nnspca.bounds import balanced, levelled, pair_scaled, plain
from nnspca.bounds.plain import largest_variances
from nnspca.certificates.derivations import derive
from nnspca.control.progress import Allowance, Monitor
from nnspca.covariance import factor
from nnspca.covariance import samples as making
from nnspca.covariance.factor import DenseFactor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from tests import oracle, problems

BOTH = pytest.mark.parametrize("nonnegative", [True, False])
EVERY = pytest.mark.parametrize("make", problems.MATRICES + problems.DATA, ids=lambda make: make.__name__)
A = np.array([[4.0, 1.0, -2.0], [1.0, 3.0, 0.5], [-2.0, 0.5, 2.0]])


def covariance_of(A):
    return nnspca.Covariance.from_matrix(A)


def posed(make, nonnegative, seed, count, most):
    """Some problems of one kind, each with what its optimum attains, and a generator for what else is drawn."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(1, most))
        problem = make(rng, n)
        k = int(rng.integers(1, n + 1))
        yield Problem(problem.cov, k, nonnegative), problem.attained(k, nonnegative), rng


@BOTH
@EVERY
def test_the_pair_scaled_dual_holds_after_any_number_of_steps(make, nonnegative):
    for problem, attained, rng in posed(make, nonnegative, 9, 4, 7):
        x = feasible.argmax(rng.standard_normal(problem.n), problem.k, nonnegative)
        made = list(pair_scaled.dual_bounds(problem, x, steps=25, goal=-np.inf, monitor=Monitor()))
        assert made
        values = [bound.value for bound in made]
        assert values == sorted(values, reverse=True)
        assert all(oracle.allows(value, attained) for value in values)


def test_the_largest_variances_are_summed():
    for k, total in ((1, 4.0), (2, 7.0), (3, 9.0)):
        assert total <= largest_variances(covariance_of(A), k) <= total * (1 + 1e-12)


@BOTH
@EVERY
def test_balanced_rows_hold_whatever_the_covariance(make, nonnegative):
    for problem, attained, _ in posed(make, nonnegative, 4, 8, 8):
        assert oracle.allows(balanced.balanced_rows(problem, monitor=Monitor()).value, attained)


@BOTH
@pytest.mark.parametrize("sparse", [True, False])
def test_balanced_rows_hold_where_only_some_features_are_read(sparse, nonnegative, monkeypatch):
    monkeypatch.setattr(making, "DENSE_FEATURES", 1)
    monkeypatch.setattr("nnspca.covariance.held.STRIP", 2)
    monkeypatch.setattr(factor, "AT_A_TIME", 1)
    for name, value in (("SMALLEST", 0), ("ON_ALL", 2), ("TILE", (2, 3))):
        monkeypatch.setattr(levelled, name, value)
    rng = np.random.default_rng(5)
    for _ in range(15):
        problem = problems.factored(rng, 8, sparse=sparse)
        k = int(rng.integers(1, 9))
        asked, attained = Problem(problem.cov, k, nonnegative), problem.attained(k, nonnegative)
        for lower, seconds in ((0.0, 1.0), (attained, 1.0), (attained, 1e-9)):
            made = balanced.balanced_rows(asked, monitor=Monitor(allowance=Allowance(seconds)), lower=lower)
            assert oracle.allows(made.value, attained)
            assert derive(made.ingredients, asked) <= made.value


def test_balanced_rows_by_hand():
    """With k = n and no negative entry, level rows are the largest eigenvalue."""
    cov = covariance_of([[4.0, 1.0], [1.0, 1.0]])
    made = balanced.balanced_rows(Problem(cov, 2), monitor=Monitor())
    assert made.value == pytest.approx((5 + 13**0.5) / 2, rel=1e-6)


@BOTH
@pytest.mark.parametrize("held", ["matrix", "factor"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_possible_along_the_first_eigenvector_bounds_the_optimum(seed, held, nonnegative):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((9, 1)) * rng.standard_normal(8) + 0.3 * rng.standard_normal((9, 8))
    whole = nnspca.Covariance.from_data(X)
    cov = whole if held == "matrix" else nnspca.Covariance(DenseFactor((X - X.mean(0)) / 3))
    for k in (1, 3, 8):
        bound = plain.along_leading(Problem(cov, k, nonnegative))
        exact, _ = oracle.optimum(whole.matrix, k, nonnegative)
        assert exact <= bound.value <= plain.largest_eigenvalue(Problem(cov, k)).value * (1 + 1e-9)
        assert derive(bound.ingredients, Problem(cov, k, nonnegative)) <= bound.value


@pytest.mark.parametrize("module", sorted(Path(plain.__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_a_tuned_constant_stands_with_what_it_is(module):
    """Those of arithmetic, memory and prices come last, under a line that says so."""
    tuned = module.read_text(encoding="utf-8").partition("\n# of ")[0].splitlines()
    for before, line in itertools.pairwise(tuned):
        if re.match(r"[A-Z][A-Z_]+(, [A-Z_]+)* = (?!_read)", line):
            assert "  # " in line or before.startswith("# "), line
