"""Branch and bound on the sphere: the bound is above the rank-d optimum and close to it."""

from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnspca.numerics import feasible
from nnspca.spannogram import sphere
from nnspca.spannogram.sphere import least_norm, orthants
from tests import oracle
from tests.spannogram.rows import KINDS, sample

BOTH = pytest.mark.parametrize("nonnegative", [True, False])


def check(V, k, nonnegative, tol=1e-6, **limits):
    found = sphere.maximise(V, k, nonnegative=nonnegative, tol=tol, **limits)
    best, point = oracle.optimum_of_rows(V, k, nonnegative) if V.any() else (0.0, np.eye(len(V))[0])
    assert oracle.allows(found.upper, oracle.exact_variance_of_rows(V, point))
    assert feasible.infeasibility(found.loadings, k, nonnegative) == ""
    attained = ((found.loadings @ V) ** 2).sum()
    assert found.value == pytest.approx(attained, rel=1e-12)
    assert found.value <= best * (1 + 1e-12)
    assert found.value <= found.upper
    if not found.stopped:
        assert found.upper <= found.value * (1 + tol)
    return found


@BOTH
@pytest.mark.parametrize("kind", KINDS)
def test_the_upper_bound_is_above_brute_force_and_within_the_tolerance(kind, nonnegative):
    for d in (1, 2, 3, 4, 5):
        rng = np.random.default_rng(10 * d + len(kind))
        limits = {} if d < 4 else {"tol": 1e-2, "max_cells": 4000}
        for _ in range(8 if d < 4 else 2):
            n = int(rng.integers(1, 8))
            found = check(sample(rng, n, d, kind), int(rng.integers(1, n + 1)), nonnegative, **limits)
            assert limits or not found.stopped or kind in ("ties", "equal rows", "opposite rows", "poor rank", "uneven")


@BOTH
@given(data=st.data())
def test_small_whole_numbers_full_of_ties_are_bounded(data, nonnegative):
    d = data.draw(st.integers(1, 3))
    row = st.lists(st.integers(-2, 2), min_size=d, max_size=d)
    V = np.array(data.draw(st.lists(row, min_size=1, max_size=6)), dtype=float)
    check(V, data.draw(st.integers(1, len(V))), nonnegative, tol=1e-4, max_cells=3000)


@BOTH
@pytest.mark.parametrize("most", [0, 1, 3, 10, 60, 300])
def test_a_search_cut_short_or_stopped_still_has_a_valid_upper_bound(most, nonnegative):
    rng = np.random.default_rng(most)
    for _ in range(10):
        check(rng.standard_normal((8, 4)), 3, nonnegative, tol=1e-9, max_cells=max(most, 1))
    polls = count()
    V = rng.standard_normal((8, 4))
    found = check(V, 3, nonnegative, tol=1e-12, should_stop=lambda: next(polls) >= most)
    assert found.stopped or most > 3


def test_a_sign_change_inside_a_cell_does_not_hide_the_optimum():
    """At e₁ and e₂ the two first rows are the largest in magnitude; at (1, 1) the first is nothing."""
    V = np.array([[1.0, -1.0], [1.0, 1.0], [0.99, 0.99], [0.99, 0.99]])
    found = check(V, 2, nonnegative=False)
    assert found.value == pytest.approx(2 * 1.9801, rel=1e-9)


@BOTH
@pytest.mark.parametrize("d", [2, 3])
def test_turning_the_directions_changes_nothing_and_renaming_the_rows_renames_the_loadings(d, nonnegative):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        V, p = rng.standard_normal((30, d)), rng.permutation(30)
        Q = np.linalg.qr(rng.standard_normal((d, d)))[0]
        a, b = (sphere.maximise(rows, 6, nonnegative=nonnegative) for rows in (V, (V @ Q)[p]))
        assert (a.value, a.upper) == pytest.approx((b.value, b.upper), rel=3e-9)
        assert np.flatnonzero(a.loadings[p]).tolist() == np.flatnonzero(b.loadings).tolist()


@BOTH
@pytest.mark.parametrize("power", [-200, -20, 20, 200])
def test_scaling_the_rows_by_a_power_of_two_scales_the_value_exactly(power, nonnegative):
    V = np.random.default_rng(0).standard_normal((12, 3))
    a = sphere.maximise(V, 4, nonnegative=nonnegative)
    b = sphere.maximise(V * 2.0**power, 4, nonnegative=nonnegative)
    assert b.value == a.value * 4.0**power
    assert b.upper == a.upper * 4.0**power


@BOTH
def test_nothing_has_no_variance(nonnegative):
    for shape in ((4, 0), (4, 2)):
        found = sphere.maximise(np.zeros(shape), 2, nonnegative=nonnegative)
        assert found.value == found.upper == 0.0
        assert feasible.infeasibility(found.loadings, 2, nonnegative) == ""


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("seed", range(3))
def test_least_norm_points_satisfy_every_inequality(d, seed):
    rng = np.random.default_rng(seed)
    C = np.abs(feasible.unit(rng.standard_normal((50, d, d)))) + 1e-3
    C = feasible.unit(C)
    h = rng.random((50, d)) + 0.01
    y = least_norm(C, h, 1e-14)
    for cell, heights, point in zip(C, h, y, strict=True):
        if np.isfinite(point).all():
            for corner, height in zip(oracle.exact(cell), heights.tolist(), strict=True):
                assert corner @ oracle.exact(point) >= oracle.Fraction(height)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_orthants_cover_the_sphere(d, nonnegative):
    corners = np.vstack([np.eye(d), -np.eye(d)])
    cells = corners[orthants(d, nonnegative)]
    assert len(cells) == 2 ** (d if nonnegative else d - 1)
    for c in np.random.default_rng(d).standard_normal((50, d)):
        inside = [(np.linalg.solve(cell.T, s * c) >= 0).all() for cell in cells for s in (1, -1)]
        assert any(inside[::2]) if nonnegative else any(inside)


def test_rounds_are_reported_with_a_value_that_never_falls():
    seen = []
    sphere.maximise(np.random.default_rng(3).standard_normal((40, 4)), 6, on_round=lambda v, u: seen.append((v, u)))
    values = [v for v, _ in seen]
    assert values == sorted(values)
    assert all(u >= v for v, u in seen)
