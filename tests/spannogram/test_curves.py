"""The rank-2 picture: curves, crossings, regions and the best angle, against plain evaluation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nnspca.spannogram import curves, sphere
from tests.spannogram.rows import KINDS, sample

BOTH = pytest.mark.parametrize("nonnegative", [True, False])


@BOTH
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20)
@given(st.integers(0, 100_000), st.integers(1, 14))
def test_the_best_angle_is_the_rank_two_optimum(kind, nonnegative, seed, n):
    rng = np.random.default_rng(seed)
    V = sample(rng, n, 2, kind)
    k = int(rng.integers(1, n + 1))
    best = curves.optimum(V, k, nonnegative=nonnegative)
    assert best.value == pytest.approx(sphere.maximise(V, k, nonnegative=nonnegative).value, rel=1e-9, abs=1e-300)
    grid = curves.objective(V, k, np.linspace(-np.pi / 2, 3 * np.pi / 2, 500), nonnegative=nonnegative)
    assert grid.max() <= best.value * (1 + 1e-9)


@BOTH
@pytest.mark.parametrize("n", [3, 40, 300])
def test_inside_every_region_the_set_is_the_top_k(n, nonnegative):
    V = np.random.default_rng(n).standard_normal((n, 2))
    for k in {1, max(1, n // 5), n}:
        found = curves.regions(V, k, nonnegative=nonnegative)
        assert found.angles.size == 0 or (np.diff(found.angles) >= 0).all()
        for left, right, support in found.supports():
            assert len(support) <= k
            if right - left < 1e-9:
                continue
            w = curves.values(V, (left + right) / 2)
            score = np.maximum(w, 0.0) if nonnegative else np.abs(w)
            top = np.sort(score)[::-1][:k]
            assert np.sort(score[support])[::-1] == pytest.approx(top[: len(support)], abs=1e-9)
            assert (top[len(support) :] <= 1e-9).all()


def test_one_region_by_number_is_the_one_met_in_turn():
    V = np.random.default_rng(1).standard_normal((30, 2))
    found = curves.regions(V, 4)
    for number, (_, _, support) in enumerate(found.supports()):
        assert found.support(number).tolist() == support.tolist()


def test_two_curves_are_equal_where_they_cross():
    V = np.random.default_rng(2).standard_normal((12, 2))
    meet = curves.crossings(V)
    assert len(meet.angles) == 12 * 13 // 2
    w = curves.values(V, meet.angles)
    rows = np.arange(len(meet.angles))
    other = np.where(meet.j == curves.ZERO, 0.0, w[rows, meet.j])
    assert w[rows, meet.i] == pytest.approx(other, abs=1e-12)
    assert ((meet.angles > -np.pi / 2) & (meet.angles <= np.pi / 2)).all()


def test_magnitudes_meet_at_two_angles_for_each_pair():
    V = np.random.default_rng(2).standard_normal((7, 2))
    meet = curves.crossings(V, nonnegative=False)
    assert len(meet.angles) == 7 * 6
    w = np.abs(curves.values(V, meet.angles))
    rows = np.arange(len(meet.angles))
    assert w[rows, meet.i] == pytest.approx(w[rows, meet.j], abs=1e-12)


def test_a_feasible_arc_holds_exactly_the_angles_where_all_are_nonnegative():
    rng = np.random.default_rng(4)
    for _ in range(50):
        V = rng.standard_normal((6, 2))
        support = np.sort(rng.choice(6, rng.integers(1, 4), replace=False))
        arc = curves.feasible_arc(V, support)
        grid = np.linspace(-np.pi, np.pi, 721)
        inside = (curves.values(V[support], grid) >= 1e-9).all(axis=1)
        if arc is None:
            assert not inside.any()
            continue
        low, high = arc
        turned = np.mod(grid - low, 2 * np.pi) <= high - low + 1e-9
        assert (inside <= turned).all()


def test_twelve_thousand_curves_take_little_memory_and_time():
    V = np.random.default_rng(0).standard_normal((12_582, 2)) * np.linspace(3, 0.1, 12_582)[:, None]
    found = curves.regions(V, 50)
    assert curves.optimum(V, 50, precomputed=found).value == pytest.approx(sphere.maximise(V, 50).value, rel=1e-9)
