"""Searching on: never worse than without, the same for one seed, stopped at once, and better where starts are not."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import nnspca
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.numerics import feasible
from nnspca.solvers.climb import climb
from nnspca.solvers.search import search
from tests.oracle import optimum
from tests.test_stop import PATIENCE, Watch


@pytest.fixture(scope="module")
def noise():
    return nnspca.Covariance.from_data(np.random.default_rng(2).standard_normal((100, 400)))


@pytest.fixture(scope="module")
def wide():
    """More features than are searched at once, held as their 12 samples."""
    return nnspca.Covariance.from_data(np.random.default_rng(5).standard_normal((12, 6000)))


def graph(n, share):
    """The adjacency matrix of a random graph, moved along the identity until it is a covariance."""
    edges = np.triu(np.random.default_rng(n).random((n, n)) < share, 1).astype(float)
    A = edges + edges.T
    return nnspca.Covariance.from_matrix(A + 1.01 * np.abs(np.linalg.eigvalsh(A)[0]) * np.eye(n))


def test_thirty_rounds_find_what_no_start_climbs_to_in_noise(noise):
    found = nnspca.solve(noise, 40, search=30)
    assert found.variance >= 4.2266 > 4.2102 > nnspca.solve(noise, 40).variance
    assert feasible.infeasibility(found.loadings, 40) == ""
    assert found.history[-1] == pytest.approx(found.variance, rel=1e-12)
    assert (np.diff(found.history) >= 0).all()


@pytest.mark.parametrize("nonnegative", [True, False])
def test_a_search_never_loses_variance_and_more_rounds_never_less(noise, wide, nonnegative):
    for cov, k in ((graph(60, 0.3), 8), (noise, 1), (wide, 6)):
        values = [nnspca.solve(cov, k, nonnegative=nonnegative, search=r).variance for r in (0, 1, 4)]
        assert values == sorted(values)


def test_in_a_random_graph_it_finds_more():
    cov = graph(200, 0.5)
    assert nnspca.solve(cov, 20, search=25).variance > nnspca.solve(cov, 20).variance * 1.002


@pytest.mark.parametrize("nonnegative", [True, False])
def test_from_any_start_it_reaches_the_best_of_all_supports(nonnegative):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(4, 12)), int(rng.integers(2, 5))
        A = np.cov(rng.standard_normal((7, n)), rowvar=False)
        problem = Problem(nnspca.Covariance.from_matrix(A), k, nonnegative)
        start = climb(problem, np.eye(n)[:1])[0][0]
        x, _ = search(problem, start, rounds=6, rng=rng, monitor=Monitor())
        assert problem.cov.variance(x) == pytest.approx(optimum(A, k, nonnegative)[0], rel=1e-9)


def test_the_same_seed_finds_the_same_in_whatever_thread(noise):
    def once(_):
        return nnspca.solve(noise, 12, search=3, seed=7, restarts=2).loadings

    with ThreadPoolExecutor(3) as pool:
        first, *others = pool.map(once, range(4))
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_it_goes_on_until_it_is_stopped_and_keeps_the_best(noise, wide):
    for cov in (noise, wide):
        told, watch = [], Watch(600)
        part = nnspca.solve(cov, 6, search=1_000_000, restarts=2, should_stop=watch, on_progress=told.append)
        assert part.stopped
        assert watch.longest < PATIENCE
        assert watch.count < 700
        assert part.variance >= max(p.variance for p in told if p.variance) * (1 - 1e-12)
        assert feasible.infeasibility(part.loadings, 6) == ""


def test_the_first_answer_comes_before_any_eigenvector(noise, monkeypatch):
    reached = nnspca.solve(noise, 10).variance
    cov = nnspca.Covariance.from_matrix(noise.entries)
    seen = []

    def refuse(self, d):
        raise RuntimeError(f"asked for {d} eigenpairs")

    monkeypatch.setattr(type(cov), "eigenpairs", refuse)
    with pytest.raises(RuntimeError, match="8 eigenpairs"):
        nnspca.solve(cov, 10, on_found=lambda x, value: seen.append((x.copy(), value)))
    x, value = seen[-1]
    assert feasible.infeasibility(x, 10) == ""
    assert value > 0.8 * reached


def test_the_estimator_takes_it_among_the_options(noise):
    X = np.random.default_rng(2).standard_normal((100, 400))
    plain = nnspca.NonnegativeSparsePCA(1, 40).fit(X)
    searched = nnspca.NonnegativeSparsePCA(1, 40, options={"search": 12}).fit(X)
    assert searched.explained_variance_[0] > plain.explained_variance_[0] * 1.002


@pytest.mark.parametrize("given", [-1, 1.5, "long", True])
def test_rounds_that_are_no_whole_number_are_refused(noise, given):
    with pytest.raises(ValueError, match="search"):
        nnspca.solve(noise, 5, search=given)
