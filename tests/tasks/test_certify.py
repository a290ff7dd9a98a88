"""No proven bound falls below the optimum, by not even one last digit; no component rises above a bound."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

import nnspca
from nnspca.bounds.plan import PLANS
from tests import budgets, oracle, problems
from tests.tasks.test_against_brute_force import hold

BOTH = pytest.mark.parametrize("nonnegative", [True, False])


@BOTH
@pytest.mark.parametrize("effort", ["live", "thorough"])
def test_no_bound_falls_below_the_optimum_with_the_budgets_people_get(effort, nonnegative):
    rng = np.random.default_rng(5)
    for make in problems.MATRICES + problems.DATA:
        problem = make(rng, 4)
        hold(problem, int(rng.integers(1, 5)), nonnegative, effort)


@BOTH
@pytest.mark.parametrize("seed", range(8))
def test_a_certificate_is_tight_where_few_directions_carry_everything(seed, nonnegative):
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((7, 2))
    cov = nnspca.Covariance.from_matrix(V @ V.T)
    cert = nnspca.certify(cov, 3, nonnegative=nonnegative)
    assert cert.ratio > 1 - 5e-5
    assert cert.lower == pytest.approx(oracle.optimum(cov.matrix, 3, nonnegative)[0], rel=1e-9)


def test_a_sum_of_variances_is_a_bound_even_where_eigenvalues_are_below_zero_by_rounding():
    u = np.full(5, 5**-0.5)
    A = np.outer(u, u) - 5e-9 * (np.eye(5) - np.outer(u, u))
    cert = nnspca.certify(nnspca.Covariance.from_matrix(A), 5)
    for bound in cert.bounds:
        if bound.deterministic:
            assert oracle.allows(bound.value, oracle.exact_variance(A, u)), bound.name


def test_a_variance_below_zero_by_rounding_is_certified_without_a_warning():
    cov = nnspca.Covariance.from_matrix([[1.0, 0.0], [0.0, -1e-9]])
    for k in (1, 2):
        cert = nnspca.certify(cov, k)
        assert cert.lower == 1.0 <= cert.upper <= 1.0 + 1e-7
        nnspca.verify(cert, cov)


@pytest.mark.parametrize("n", [300])
@pytest.mark.parametrize("kind", ["identity", "rank 2", "shift"])
def test_large_flat_spectra_are_certified_too(kind, n):
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((2, n))
    A = {"identity": np.eye(n), "rank 2": Z.T @ Z, "shift": np.eye(n) + np.outer(Z[0], Z[0])}[kind]
    cov = nnspca.Covariance.from_matrix(A)
    cert = nnspca.certify(cov, 5)
    assert cert.ratio >= 1 - PLANS["live"].closed
    nnspca.verify(cert, cov)


def test_a_component_that_is_given_is_the_one_certified():
    cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0]))
    poor = nnspca.solve(nnspca.Covariance.from_matrix(np.diag([2.0, 3.0])), 1)
    cert = nnspca.certify(cov, 2, nonnegative=False, component=poor)
    assert cert.component.loadings is poor.loadings
    assert (cert.component.k, cert.component.nonnegative) == (2, False)
    assert cert.lower == cert.component.variance == 2.0
    nnspca.verify(cert, cov)
    assert cert.upper >= 3.0


@pytest.mark.slow
def test_certifying_few_samples_never_forms_a_features_by_features_array(monkeypatch):
    budgets.hurried(monkeypatch)  # the last of the steps holds no more than the first
    n = 6_000
    X = np.random.default_rng(0).standard_normal((12, n))
    cov = nnspca.Covariance.from_data(X)
    assert cov.matrix is None
    part = nnspca.solve(cov, 20, "thresholding")
    tracemalloc.start()
    nnspca.verify(nnspca.certify(cov, 20, component=part), cov)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * n / 3  # working arrays are of fixed size, less than 0.1 gigabytes


@pytest.mark.slow
def test_a_certificate_that_starts_from_a_neighbour_is_as_valid_and_no_looser():
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("lfw-faces")).restrict(np.arange(0, 625, 10))
    near = nnspca.certify(cov, 24)
    cold, warm = nnspca.certify(cov, 22), nnspca.certify(cov, 22, warm_start=near)
    nnspca.verify(warm, cov)
    assert warm.upper >= cold.lower
    assert warm.gap <= max(1.2 * cold.gap, 5e-5)  # either way it is closed there


@pytest.mark.parametrize("seed", range(3))
def test_whatever_neighbour_it_starts_from_no_bound_falls_below_the_optimum(seed):
    rng = np.random.default_rng(seed)
    cov = nnspca.Covariance.from_data(rng.standard_normal((12, 8)))
    for nonnegative in (True, False):
        near = nnspca.certify(cov, 8, nonnegative=nonnegative)
        for k in (2, 3, 5):
            cert = nnspca.certify(cov, k, nonnegative=nonnegative, warm_start=near)
            best = oracle.optimum(cov.matrix, k, nonnegative)[0]
            assert all(b.value >= best * (1 - 1e-12) for b in cert.bounds if b.deterministic)
            nnspca.verify(cert, cov)
            near = cert


def test_a_ratio_is_never_above_the_quotient_of_its_variances():
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((12, 8)))
    for k in range(1, 9):
        cert = nnspca.certify(cov, k)
        assert Fraction(cert.ratio) <= Fraction(cert.lower) / Fraction(cert.upper)
