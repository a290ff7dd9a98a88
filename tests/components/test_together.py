"""Parts found together: feasible, disjoint, never worse than one after the other, and mostly the best there are."""

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.components.exchange import match
from nnspca.components.together import power_iteration
from nnspca.covariance import samples as making
from nnspca.covariance.problem import Problem
from tests import oracle, problems

SIGNS = pytest.mark.parametrize("nonnegative", [True, False])
TIE = 1e-9


def together(cov, r, k, **options):
    return nnspca.decompose(cov, r, k, deflation="together", **options)


def feasible(parts, r, k, nonnegative=True):
    X = parts.loadings.T
    assert 1 <= len(X) <= r
    assert (np.count_nonzero(X, axis=0) <= 1).all()
    assert (np.count_nonzero(X, axis=1) <= k).all()
    assert np.linalg.norm(X, axis=1) == pytest.approx(1.0)
    assert not nonnegative or (X >= 0).all()
    return True


@pytest.mark.slow
def test_the_optimum_is_reached_on_pit_props_at_every_size(pitprops):
    """From fewer starts than it takes by itself: more never find less."""
    cases = hits = 0
    for k in (1, 2, 3, 4, 7, 13):
        most = min(4, 14 // k)
        for r, (value, _) in enumerate(oracle.optima_of_parts(pitprops.matrix, k, most), start=1):
            found = together(pitprops, r, k, starts=5).variances.sum()
            assert found <= value * (1 + TIE)
            cases, hits = cases + 1, hits + (found >= value * (1 - TIE))
    assert hits >= 0.95 * cases


@pytest.mark.slow
def test_the_optimum_is_reached_on_small_random_problems():
    cases = hits = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        make = (*problems.MATRICES, *problems.DATA)[seed % (len(problems.MATRICES) + len(problems.DATA))]
        n = int(rng.integers(3, 9))
        problem, nonnegative = make(rng, n), bool(rng.random() < 0.7)
        k, r = int(rng.integers(1, n + 1)), int(rng.integers(1, min(4, n) + 1))
        value, _ = oracle.optima_of_parts(problem.A, k, r, nonnegative)[-1]
        found = together(problem.cov, r, k, nonnegative=nonnegative, starts=5)
        assert feasible(found, r, k, nonnegative)
        assert found.variances.sum() <= value * (1 + 1e-7)
        cases, hits = cases + 1, hits + (found.variances.sum() >= value * (1 - 1e-7))
    assert hits >= 0.95 * cases


@SIGNS
@pytest.mark.parametrize("seed", range(4))
def test_parts_are_never_worse_than_one_after_the_other_from_the_same_seed(seed, nonnegative):
    rng = np.random.default_rng(seed)
    cov = nnspca.Covariance.from_data(rng.standard_normal((30, 12)) @ rng.standard_normal((12, 12)))
    k, r = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    one_by_one = nnspca.decompose(cov, r, k, nonnegative=nonnegative, seed=seed)
    for starts in (0, 3):
        found = together(cov, r, k, nonnegative=nonnegative, seed=seed, starts=starts)
        assert feasible(found, r, k, nonnegative)
        assert found.variances.sum() >= one_by_one.variances.sum() * (1 - 1e-12)


def test_pit_props_keep_more_together_by_the_figures_known(pitprops):
    greedy, found = nnspca.decompose(pitprops, 3, 4), together(pitprops, 3, 4)
    assert greedy.variances.sum() == pytest.approx(6.334, abs=1e-3)
    assert found.variances.sum() == pytest.approx(7.128619, abs=1e-6)
    assert (np.diff(found.variances) <= 0).all()
    assert (found.deflation, found.method) == ("together", "best")


@SIGNS
def test_a_factor_and_sparse_data_give_what_the_matrix_gives(nonnegative, monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((12, 26)) * (rng.random((12, 26)) < 0.6)
    dense = together(nnspca.Covariance.from_data(X), 3, 4, nonnegative=nonnegative)
    monkeypatch.setattr(making, "DENSE_FEATURES", 10)
    for data in (X, scipy.sparse.csr_array(X)):
        cov = nnspca.Covariance.from_data(data)
        assert cov.matrix is None
        found = together(cov, 3, 4, nonnegative=nonnegative)
        assert feasible(found, 3, 4, nonnegative)
        assert found.variances.sum() == pytest.approx(dense.variances.sum(), rel=1e-6)


@pytest.mark.parametrize(
    ("A", "r", "k", "variances"),
    [
        (np.diag([4.0, 3.0, 2.0, 1.0]) + 0.5, 4, 4, [4.5, 3.5, 2.5, 1.5]),  # all features, one each
        (np.diag([1.0, 5.0, 3.0, 4.0]), 2, 3, [5.0, 4.0]),
        (np.kron(np.diag([1.0, 0.0, 0.0]), [[2.0, 1.0], [1.0, 2.0]]), 4, 2, [2.0, 2.0]),  # both in one would have 3
    ],
)
def test_exact_cases(A, r, k, variances):
    found = together(nnspca.Covariance.from_matrix(A), r, k)
    assert feasible(found, r, k)
    assert found.variances == pytest.approx(variances)
    assert ("nothing is left" in found.note) == (len(variances) < r)


def test_one_part_is_the_best_component_and_as_many_as_features_have_the_whole_trace(pitprops):
    for k in (1, 4, 13):
        assert together(pitprops, 1, k).variances[0] == pytest.approx(nnspca.solve(pitprops, k).variance)
        assert together(pitprops, 13, k, starts=2).variances.sum() == pytest.approx(pitprops.trace)


# ---------------------------------------------------------------------- the steps


@SIGNS
@pytest.mark.parametrize("seed", range(10))
def test_a_matching_is_disjoint_and_no_part_and_feature_would_rather_have_each_other(seed, nonnegative):
    rng = np.random.default_rng(seed)
    G, k = rng.standard_normal((3, 9)), int(rng.integers(1, 5))
    Y = match(G, k, nonnegative)
    assert (np.count_nonzero(Y, axis=0) <= 1).all()
    assert (np.count_nonzero(Y, axis=1) <= k).all()
    assert not nonnegative or (Y >= 0).all()
    best = max(np.sum(G * match(G[order], k, nonnegative)[np.argsort(order)]) for order in ([0, 1, 2], [2, 1, 0]))
    alone = [np.sqrt(np.sort(np.maximum(g, 0) ** 2 if nonnegative else g**2)[::-1][:k].sum()) for g in G]
    assert np.sum(G * Y) == pytest.approx(best)
    assert np.sum(G * Y) <= sum(alone) * (1 + 1e-12)


@SIGNS
def test_climbing_never_loses_variance(nonnegative):
    rng = np.random.default_rng(2)
    cov = nnspca.Covariance.from_data(rng.standard_normal((20, 15)))
    X = match(rng.standard_normal((3, 15)), 4, nonnegative)
    before = cov.variance(X).sum()
    for steps in (1, 2, 5, 50):
        X, value = power_iteration(Problem(cov, 4, nonnegative), X, max_iter=steps)
        assert value >= before * (1 - 1e-12)
        before = value
