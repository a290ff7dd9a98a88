"""The methods that are here to compare with: what their papers promise of them, on problems small enough to know."""

import itertools

import numpy as np
import pytest

import nnspca
from nnspca.solvers.nmf import nmf_parts
from nnspca.solvers.scotlass import within
from tests.benchmarks.data import zipf_text


def correlated(seed=0, n=9):
    rng = np.random.default_rng(seed)
    return nnspca.Covariance.from_data(rng.standard_normal((25, n)) + rng.standard_normal((25, 1)) * (np.arange(n) < 4))


@pytest.mark.parametrize("name", ["exact", "dspca", "scotlass"])
def test_too_many_features_are_refused_with_the_limit(name):
    limit = nnspca.METHODS[name].max_features
    cov = nnspca.Covariance.from_matrix(np.eye(limit + 1))
    with pytest.raises(ValueError, match=f"at most {limit} features"):
        nnspca.solve(cov, 2, name)


def test_greedy_supports_are_nested_without_sign():
    cov = correlated(3)
    supports = [set(nnspca.solve(cov, k, "greedy", nonnegative=False).support) for k in range(1, 10)]
    assert all(small < large for small, large in itertools.pairwise(supports))


@pytest.mark.parametrize("nonnegative", [True, False])
def test_trying_every_feature_first_gains_most_from_the_second(nonnegative):
    for seed in range(8):
        cov = correlated(seed)
        path = nnspca.solve(cov, 2, "greedy", nonnegative=nonnegative)
        full = nnspca.solve(cov, 2, "greedy", nonnegative=nonnegative, criterion="full")
        assert full.variance >= path.variance * (1 - 1e-12)
        assert not nonnegative or min(full.loadings.min(), path.loadings.min()) >= 0


def test_greedy_takes_the_largest_variance_first():
    assert nnspca.solve(nnspca.Covariance.from_matrix(np.diag([1.0, 5.0, 2.0])), 1, "greedy").support.tolist() == [1]


@pytest.mark.parametrize("t", [1.0, 1.3, 2.0])
def test_the_step_of_scotlass_beats_every_point_within_its_limits(t):
    rng = np.random.default_rng(0)
    for _ in range(20):
        g = rng.standard_normal(5)
        x = within(g, t, False)
        assert np.abs(x).sum() <= t + 1e-9
        others = rng.standard_normal((4000, 5)) * (rng.random((4000, 5)) < 0.5)
        others = others[others.any(axis=1)]
        others /= np.maximum(np.linalg.norm(others, axis=1), np.abs(others).sum(axis=1) / t)[:, None]
        assert g @ x >= (others @ g).max() - 1e-6


@pytest.mark.parametrize("g", [[1.0, 1.0], [1.0, 1.0, 1.0, 0.5], [-2.0, 2.0, 1.0], [1.0] * 7, [3.0, 3.0, 2.999]])
def test_the_step_of_scotlass_keeps_its_limits_where_entries_are_equal(g):
    """No threshold parts equal entries; the best is max g times t all the same, where so many are equal."""
    g = np.array(g)
    for t in (1.0, 1.2, 2**0.5, 1.6, 3**0.5 * (1 - 1e-16), 7**0.5, 2.5):
        x = within(g, t, False)
        assert np.linalg.norm(x) == pytest.approx(1.0)
        assert np.abs(x).sum() <= t * (1 + 1e-9)
        if t <= np.sqrt(np.count_nonzero(np.abs(g) == np.abs(g).max())):
            assert g @ x == pytest.approx(t * np.abs(g).max())


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("method", ["dspca", "elastic-net"])
def test_a_planted_block_is_found(method, nonnegative):
    u = np.r_[np.ones(4) / 2, np.zeros(8)]
    G = np.random.default_rng(0).standard_normal((60, 12)) / np.sqrt(60)
    cov = nnspca.Covariance.from_matrix(6 * np.outer(u, u) + G.T @ G)
    assert nnspca.solve(cov, 4, method, nonnegative=nonnegative).support.tolist() == [0, 1, 2, 3]


def test_nmf_parts_of_data_that_are_two_parts():
    rng = np.random.default_rng(0)
    H = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    parts = nmf_parts(rng.random((40, 2)) @ H, 2, rng=rng)
    assert np.allclose(np.sort((parts > 0.3).sum(axis=0)), 2)
    with pytest.raises(ValueError, match="-1"):
        nmf_parts(np.array([[1.0, -1.0]]), 1, rng=rng)


def test_nmf_in_stretches_is_nmf_in_one_go(monkeypatch):
    X = np.random.default_rng(3).random((30, 12))
    parts = nmf_parts(X, 3, rng=np.random.default_rng(0), max_iter=70)
    monkeypatch.setattr("nnspca.solvers.nmf.STEPS_BETWEEN_POLLS", 70)
    np.testing.assert_allclose(nmf_parts(X, 3, rng=np.random.default_rng(0), max_iter=70), parts, atol=1e-10)


@pytest.mark.parametrize("seed", [2, 176, *range(300, 320)])  # the first two were told too little once
def test_what_branch_and_bound_tells_on_its_way_is_never_below_the_optimum(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 15)), int(rng.integers(3, 7))
    cov = nnspca.Covariance.from_data(np.round(rng.standard_normal((n + 20, n))), True)
    told = []
    part = nnspca.solve(cov, k, "exact", nonnegative=bool(seed % 2), on_progress=told.append)
    uppers = [progress.upper for progress in told if progress.upper is not None]
    assert all(upper >= part.variance for upper in uppers)
    assert uppers == sorted(uppers, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("k", [10, 50])
def test_best_starts_from_the_features_that_rise_with_others_where_all_have_the_same_variance(k):
    cov = nnspca.Covariance.from_data(zipf_text(800, 3000), standardize=True)
    best = [nnspca.solve(cov, k, seed=seed).variance for seed in range(2)]
    assert best[0] == pytest.approx(best[1], rel=1e-9)
    for seed in range(4):
        assert nnspca.solve(cov, k, "em", seed=seed).variance <= best[0] * (1 + 1e-9)
