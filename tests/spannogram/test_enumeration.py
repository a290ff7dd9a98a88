"""Enumeration and the adaptive search agree, on rows in general position and on all that are not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nnspca
from nnspca.numerics import feasible
from nnspca.spannogram import curves, enumeration, sphere
from tests import oracle
from tests.spannogram.rows import KINDS, sample

BOTH = pytest.mark.parametrize("nonnegative", [True, False])


@BOTH
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20)
@given(st.integers(0, 100_000), st.integers(1, 4), st.integers(1, 8))
def test_enumeration_and_search_find_the_same_optimum(kind, nonnegative, seed, d, n):
    rng = np.random.default_rng(seed)
    V = sample(rng, n, d, kind)
    k = int(rng.integers(1, n + 1))
    listed = enumeration.maximise(V, k, nonnegative=nonnegative)
    found = sphere.maximise(V, k, nonnegative=nonnegative)
    assert listed.value == pytest.approx(found.value, rel=1e-9, abs=1e-300)
    assert feasible.infeasibility(listed.loadings, k, nonnegative) == ""
    assert listed.candidates <= listed.bound


@BOTH
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_optimum_of_a_rank_d_covariance_is_the_brute_force_optimum(d, nonnegative):
    rng = np.random.default_rng(d)
    for n in (4, 7):
        V = rng.standard_normal((n, d))
        A = V @ V.T
        cov = nnspca.Covariance.from_matrix(A)
        for k in range(1, n + 1):
            best = oracle.optimum(A, k, nonnegative)[0]
            for method in ("enumeration", "spannogram"):
                part = nnspca.solve(cov, k, method, rank=min(d, n), nonnegative=nonnegative)
                assert part.variance == pytest.approx(best, rel=1e-8)


@BOTH
@pytest.mark.parametrize("method", ["spannogram", "enumeration", "epsilon-net"])
def test_flat_noise_leaves_the_optimum_where_it_is(method, nonnegative):
    """Proposition 1 of 2011, section 1 of 2014: with C = σI + A, A of rank 2, σ is λ₃ of C, and no other is needed."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 10))
        A = (lambda V: V @ V.T)(rng.standard_normal((n, 2)))
        k, sigma = int(rng.integers(2, n)), float(rng.uniform(0.2, 3.0)) * np.linalg.eigvalsh(A)[-1]
        best = oracle.optimum(A, k, nonnegative)[0]
        cov = nnspca.Covariance.from_matrix(A + sigma * np.eye(n))
        x = nnspca.solve(cov, k, method, rank=2, noise="flat", nonnegative=nonnegative).loadings
        assert x @ A @ x == pytest.approx(best, rel=1e-2 if method == "epsilon-net" else 1e-8)


def test_noise_alone_leaves_nothing_to_search_and_no_eigenvalue_after_the_last_is_asked_for():
    flat = nnspca.Covariance.from_matrix(2.0 * np.eye(3))
    for method, rank in ("spannogram", 2), ("spannogram", 3), ("enumeration", 2), ("epsilon-net", 2):
        assert nnspca.solve(flat, 2, method, rank=rank, noise="flat").variance == pytest.approx(2.0)


def test_a_support_of_fewer_than_k_features_is_not_missed():
    """Filling all k places at a crossing with zero, as Alg. 2 prints it, misses this optimum of three places."""
    V = np.array([[-0.81, 0.75], [0.25, 0.90], [-0.35, -1.48], [-0.11, -0.45]])
    best = oracle.optimum(V @ V.T, 3, True)[0]
    assert enumeration.maximise(V, 3).value == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_every_top_set_of_a_fine_grid_is_among_the_candidates(k):
    rng = np.random.default_rng(k)
    V = rng.standard_normal((6, 3))
    found, visited, stopped = enumeration.enumerate_supports(V, k)
    c = feasible.unit(rng.standard_normal((20_000, 3)))
    seen = {tuple(np.flatnonzero(row)) for row in feasible.keep_top(c @ V.T, k)} - {()}
    assert not stopped and visited == enumeration.vertices(6, 3)
    assert seen <= found


def test_rank_two_candidates_are_those_met_along_the_circle():
    V = np.random.default_rng(3).standard_normal((9, 2))
    for k in (1, 3, 8):
        met = {tuple(s.tolist()) for _, _, s in curves.regions(V, k).supports() if len(s)}
        assert met <= enumeration.enumerate_supports(V, k)[0]


@BOTH
def test_too_many_directions_are_refused_with_their_number(nonnegative):
    asked = enumeration.vertices(400, 3, nonnegative)
    with pytest.raises(ValueError, match=f"{asked:,} directions"):
        enumeration.enumerate_supports(np.ones((400, 3)) + np.eye(400, 3), 5, nonnegative=nonnegative)


def test_a_stop_is_heard_between_batches():
    V = np.random.default_rng(0).standard_normal((150, 2))
    result = enumeration.maximise(V, 10, should_stop=lambda: True)
    assert result.stopped and result.vertices < enumeration.vertices(150, 2)
