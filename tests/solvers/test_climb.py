"""Power steps, optimising on a support and swaps: none of them ever loses variance."""

import numpy as np
import pytest

import nnspca
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.solvers.climb import TIE, climb, optimise_on_support, polish
from tests import oracle, problems

BOTH = pytest.mark.parametrize("nonnegative", [True, False])


def starts(seed, nonnegative):
    """Problems of every kind, each with a k and points to start from."""
    for make in problems.MATRICES + problems.DATA:
        rng = np.random.default_rng(seed)
        for _ in range(6):
            n = int(rng.integers(1, 9))
            problem = make(rng, n)
            k = int(rng.integers(1, n + 1))
            yield problem, k, feasible.argmax(rng.standard_normal((7, n)), k, nonnegative)


@BOTH
def test_climbing_never_loses_variance_and_stays_feasible(nonnegative):
    for problem, k, x in starts(1, nonnegative):
        points, variances = climb(Problem(problem.cov, k, nonnegative), x)
        before = problem.cov.variance(x)
        rounding = 1e-12 * problem.cov.trace + 2 * problem.cov.representation_error
        assert (variances >= before - rounding).all()
        np.testing.assert_allclose(problem.cov.variance(points), variances, rtol=1e-9, atol=rounding)
        assert all(feasible.infeasibility(p, k, nonnegative) == "" for p in points)


@BOTH
def test_climbing_rests_where_one_more_step_gains_nothing(nonnegative):
    for problem, k, x in starts(2, nonnegative):
        points, variances = climb(Problem(problem.cov, k, nonnegative), x, tol=1e-9, max_iter=20_000)
        again = feasible.argmax(problem.cov.apply(points), k, nonnegative)
        gained = problem.cov.variance(again)
        assert (gained <= variances * (1 + 1e-8) + 1e-12 * problem.cov.trace).all()


@BOTH
def test_optimising_on_the_support_never_loses_variance_nor_leaves_it(nonnegative):
    for problem, k, rows in starts(3, nonnegative):
        for x in rows:
            y = optimise_on_support(problem.cov, x, nonnegative=nonnegative)
            assert feasible.infeasibility(y, k, nonnegative) == ""
            assert set(np.flatnonzero(y)) <= set(np.flatnonzero(x))
            # two sums that tie differ in their last bits: the stationary point is then the one kept
            assert problem.cov.variance(y) >= problem.cov.variance(x) * (1 - TIE)


@BOTH
def test_optimising_on_the_support_gives_the_leading_eigenvector_of_the_block_that_is_kept(nonnegative):
    apart = problems.of_matrix("equal, negatively correlated", 1.25 * np.eye(4) - 0.25)
    for problem, _, rows in [*starts(4, nonnegative), (apart, 4, np.full((1, 4), 0.5))]:
        for x in rows:
            y = optimise_on_support(problem.cov, x, nonnegative=nonnegative)
            J = np.flatnonzero(y if nonnegative else x)
            leading = np.linalg.eigvalsh(problem.A[np.ix_(J, J)])[-1]
            assert problem.cov.variance(y) == pytest.approx(leading, rel=1e-9, abs=1e-12 * problem.cov.trace)


@BOTH
def test_swaps_never_lose_variance_and_never_pass_the_optimum(nonnegative):
    for problem, k, rows in starts(5, nonnegative):
        best = oracle.optimum(problem.A, k, nonnegative)[0]
        for x in rows[:3]:
            y, history = polish(Problem(problem.cov, k, nonnegative), x)
            assert feasible.infeasibility(y, k, nonnegative) == ""
            assert history == sorted(history)
            assert history[-1] == pytest.approx(problem.cov.variance(y), rel=1e-12)
            assert problem.cov.variance(x) <= history[-1] * (1 + 1e-12)
            assert history[-1] <= best * (1 + 1e-9) + 2 * problem.cov.representation_error


def test_a_swap_leaves_a_poor_pair_for_a_better_one():
    A = np.diag([1.0, 1.0, 3.0, 3.0])
    A[2, 3] = A[3, 2] = 2.0
    problem = problems.of_matrix("by hand", A)
    x, _ = polish(Problem(problem.cov, 2), np.array([0.8, 0.6, 0.0, 0.0]))
    assert np.flatnonzero(x).tolist() == [2, 3]
    assert problem.cov.variance(x) == pytest.approx(5.0)


@BOTH
def test_a_loading_of_nearly_nothing_is_swapped_for_a_feature_that_helps(nonnegative):
    A = np.array([[1.0, 1e-9, 0.4], [1e-9, 0.5, 0.0], [0.4, 0.0, 0.5]])
    problem = problems.of_matrix("by hand", A)
    x, _ = polish(Problem(problem.cov, 2, nonnegative), np.array([1.0, 2e-9, 0.0]))
    assert np.flatnonzero(x).tolist() == [0, 2]


def test_of_two_points_that_tie_the_stationary_one_is_kept():
    """A point half a digit off its eigenvector has the same variance to the last bit, or one more by rounding."""
    u = np.array([1.0, 2.0, 2.0]) / 3
    cov = nnspca.Covariance.from_matrix(np.outer(u, u))
    off = np.array([2.0, -1.0, 0.0]) / np.sqrt(5)
    for angle in (5e-9, -5e-9, 1e-9):
        rough = np.cos(angle) * u + np.sin(angle) * off
        kept = optimise_on_support(cov, rough, nonnegative=True)
        np.testing.assert_allclose(kept, u, rtol=0, atol=1e-15)


def test_a_point_without_a_support_and_one_that_no_feature_supports_stay_as_they_are():
    cov = nnspca.Covariance.from_matrix(np.diag([1.0, 0.0, 0.0]))
    assert not optimise_on_support(cov, np.zeros(3), nonnegative=True).any()
    x = np.array([0.0, 0.6, 0.8])
    for nonnegative in (True, False):
        y = optimise_on_support(cov, x, nonnegative=nonnegative)
        assert np.linalg.norm(y) == pytest.approx(1.0) and cov.variance(y) >= cov.variance(x)
