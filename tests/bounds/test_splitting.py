"""The splitting's projections, against their definitions; and where it begins."""

import numpy as np
import pytest

import nnspca
from nnspca.bounds import balanced, pair_scaled
from nnspca.bounds.splitting import Splitting, onto_pairs, onto_rows
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics.halves import TILE


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("n", [5, TILE + 7])
def test_a_pair_is_projected_onto_its_cone(n, nonnegative):
    """What is left is orthogonal to the projection and in the polar cone (Moreau), pair by pair."""
    rng = np.random.default_rng(n)
    X, Y = rng.standard_normal((n, n)), rng.standard_normal((n, n))
    X = X + X.T
    X[0, 1] = X[1, 0] = 0.0
    Y[0, 1] = Y[1, 0] = -1.0
    W, Z = onto_pairs(X, Y, nonnegative)
    off = ~np.eye(n, dtype=bool)
    assert (W == W.T).all()
    assert (Z[off] >= -1e-15).all()
    assert (W**2 <= Z * Z.T + 1e-12)[off].all()
    assert not nonnegative or (W[off] >= 0).all()
    U, V = X - W, Y - Z
    assert np.abs(2 * U * W + V * Z + V.T * Z.T)[off].max() < 1e-12
    pull = np.maximum(U, 0.0) if nonnegative else np.abs(U)
    assert (V[off] <= 1e-15).all()
    assert (pull**2 <= V * V.T + 1e-12)[off].all()


def test_a_guess_of_the_rows_multipliers_changes_nothing_but_the_time():
    rng = np.random.default_rng(0)
    for n, k in ((7, 3), (40, 5), (40, 39)):
        V, d = rng.standard_normal((n, n)), rng.standard_normal(n) / 2 + 0.5
        y, D = onto_rows(V, d, k)
        found = np.zeros(n)
        onto_rows(V, d, k, guess=found)
        for guess in (found.copy(), found * 3, np.full(n, 1e9), rng.random(n)):
            again, E = onto_rows(V, d, k, guess=guess)
            assert again == pytest.approx(y, abs=1e-11)
            assert pytest.approx(D, abs=1e-11) == E
            assert guess == pytest.approx(found, abs=1e-11)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_balanced_rows_are_where_a_splitting_begins(nonnegative):
    """Settled or not, its first multipliers prove what balanced rows prove."""
    G = np.random.default_rng(3).standard_normal((30, 12)) + 0.4
    cov = nnspca.Covariance.from_matrix(G.T @ G)
    problem = Problem(cov, 4, nonnegative)
    x = np.asarray(nnspca.solve(cov, 4, nonnegative=nonnegative).loadings)
    rows = balanced.balanced_rows(problem, monitor=Monitor())
    for consistent in (True, False):
        splitting = Splitting(Problem(cov, 4, nonnegative), x)
        splitting.begin_balanced(rows.ingredients.weights, cov.variance(x), consistent=consistent)
        assert pair_scaled.proof_of(problem, *splitting.multipliers())[0] == pytest.approx(rows.value, rel=1e-6)


@pytest.mark.parametrize("seed", [0, 1])
def test_of_features_in_units_far_apart_a_few_steps_prove_more_than_balanced_rows(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 6)) @ rng.standard_normal((6, 60)) + rng.standard_normal((200, 60))
    cov = nnspca.Covariance.from_data(X * 10.0 ** -rng.uniform(0, 3, 60), standardize=False)
    problem, part = Problem(cov, 40, True), nnspca.solve(cov, 40)
    rows = balanced.balanced_rows(problem, monitor=Monitor())
    found = pair_scaled.dual_bounds(
        problem, part.loadings, steps=40, goal=0.0, monitor=Monitor(), weights=rows.ingredients.weights
    )
    least = min(bound.value for bound in found)
    assert 0 <= least - part.variance < 0.1 * (rows.value - part.variance)


def test_a_chain_of_warm_starts_proves_no_less_than_starts_of_its_own():
    cov = nnspca.Covariance.from_data(nnspca.datasets.load("lfw-faces").X[:, ::3], standardize=True)
    start = None
    for k in (32, 28):
        part = nnspca.solve(cov, k)
        warm, own = (
            list(
                pair_scaled.dual_bounds(
                    Problem(cov, k), part.loadings, steps=100, goal=part.variance, monitor=Monitor(), warm_start=given
                )
            )
            for given in (start, None)
        )
        start = warm[-1].ingredients
        assert warm[-1].value <= own[-1].value * (1 + 1e-4)


def test_what_was_reached_for_features_of_another_size_is_not_taken_over():
    whole = Problem(nnspca.Covariance.from_matrix(np.diag([1e60, 1e-3, 2e-3])), 2, True)
    large = Splitting(whole, np.eye(3)[0])
    for _ in range(5):
        large.advance()
    small = Splitting(whole.restrict(np.array([1, 2])), np.eye(2)[0])
    before = small.UX.copy()
    small.follow(large, np.array([1, 2]), whole=True)
    assert np.array_equal(small.UX, before)


def test_features_that_hold_nothing_have_a_splitting():
    zero = Problem(nnspca.Covariance.from_matrix(np.diag([1.0, 0.0, 0.0])), 1, True).restrict(np.array([1, 2]))
    made = Splitting(zero, np.eye(2)[0])
    made.advance()
    assert np.isfinite(made.W).all() and not made.A.any()
