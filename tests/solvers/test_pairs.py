"""Pairs of features: the best of them is the optimum for k = 2, whatever the covariance."""

import itertools

import numpy as np
import pytest

import nnspca
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.solvers.best import ROWS, best_pairs
from tests.oracle import optimum
from tests.problems import DATA, MATRICES


@pytest.mark.parametrize("nonnegative", [True, False])
def test_the_first_pair_is_the_optimum_of_two_features(nonnegative):
    for kind, seed in itertools.product((*MATRICES, *DATA), range(3)):
        problem = kind(np.random.default_rng(seed), 9)
        cov, best = problem.cov, optimum(problem.A, 2, nonnegative)[0]
        found = best_pairs(Problem(cov, 2, nonnegative), 5, Monitor())
        assert all(feasible.infeasibility(x, 2, nonnegative) == "" for x in found)
        slack = 1e-9 * float(np.abs(problem.A).max())
        values = [cov.variance(x) for x in found]
        assert values[0] >= best - slack
        assert all(low <= high + slack for high, low in itertools.pairwise(values))
        assert nnspca.solve(cov, 2, nonnegative=nonnegative).variance >= best - slack


def test_more_features_than_are_looked_at_at_once():
    rng = np.random.default_rng(0)
    n = 2 * ROWS + 7
    X = rng.standard_normal((40, n))
    X[:, n - 1] = X[:, 3] + 0.01 * rng.standard_normal(40)
    cov = nnspca.Covariance.from_data(X, standardize=True)
    found = best_pairs(Problem(cov, 2, True), 16, Monitor())
    assert found.shape == (16, n)
    assert np.flatnonzero(found[0]).tolist() == [3, n - 1]
    supports = {tuple(np.flatnonzero(x)) for x in found}
    assert len(supports) == 16, "no pair twice"
    A = cov.block(np.arange(n))
    i, j = np.triu_indices(n, 1)
    assert cov.variance(found[0]) == pytest.approx(1 + A[i, j].max(), rel=1e-12)
