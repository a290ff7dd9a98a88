"""(P_d): no point inside the half-spaces does better, and the point returned is inside."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnspca.numerics import feasible
from nnspca.spannogram import enumeration


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 9))
def test_no_random_feasible_direction_beats_the_solution(seed, d, k):
    rng = np.random.default_rng(seed)
    R = rng.standard_normal((k, d))
    if seed % 3 == 0:
        R = rng.integers(-1, 2, (k, d)).astype(float)
    G = rng.standard_normal((d, d))
    Q = G @ G.T if seed % 2 else G + G.T
    c = feasible.unit(rng.standard_normal((4000, d)))
    inside = c[(c @ R.T >= 0).all(axis=1)]
    found = enumeration.best_direction(Q, R)
    if found is None:
        assert not (inside @ R.T > 1e-6).all(axis=1).any()
        return
    value, point = found
    assert np.linalg.norm(point) == pytest.approx(1)
    assert (R @ point >= -1e-9 * np.linalg.norm(R, axis=1)).all()
    assert value == pytest.approx(point @ Q @ point, abs=1e-9 * np.abs(Q).max())
    assert (np.einsum("ri,ij,rj->r", inside, Q, inside) <= value + 1e-9 * np.abs(Q).max()).all()


def test_the_leading_eigenvector_wins_where_it_is_feasible():
    value, c = enumeration.best_direction(np.diag([5.0, 2.0, 1.0]), np.array([[-1.0, 0.0, 0.0]]))
    assert value == pytest.approx(5) and np.allclose(c, [-1, 0, 0])


def test_an_infeasible_eigenvector_leaves_an_end_of_the_arc():
    """The arc is 45° ± 45° turned by 60°; of its ends the one nearer to the first axis is better."""
    turn = np.deg2rad(60)
    R = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    value, c = enumeration.best_direction(np.diag([4.0, 1.0]), R)
    assert np.allclose(np.abs(c), [np.sin(turn), np.cos(turn)])
    assert value == pytest.approx(4 * np.sin(turn) ** 2 + np.cos(turn) ** 2)


def test_opposite_half_spaces_leave_their_common_plane():
    R = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    value, c = enumeration.best_direction(np.diag([9.0, 2.0, 1.0]), R)
    assert value == pytest.approx(2) and c[0] == pytest.approx(0)


def test_half_spaces_that_meet_in_zero_have_no_solution():
    R = np.array([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])
    assert enumeration.best_direction(np.eye(2), R) is None


@pytest.mark.parametrize("copies", [1, 5])
def test_zero_rows_and_repeated_rows_ask_nothing_more(copies):
    R = np.array([[1.0, -2.0, 0.5], [0.0, 1.0, 1.0]])
    more = np.vstack([np.zeros(3)] * copies + [R] * copies + [3.7 * R])
    Q = np.array([[2.0, -1.0, 0.0], [-1.0, 3.0, 1.0], [0.0, 1.0, 1.0]])
    assert enumeration.best_direction(Q, more)[0] == pytest.approx(enumeration.best_direction(Q, R)[0], rel=1e-12)


def test_equal_eigenvalues_are_all_tried():
    """Every direction has the same value, and only some are feasible."""
    value, c = enumeration.best_direction(np.eye(3), np.array([[0.0, 0.0, 1.0], [1.0, 1.0, -1.0]]))
    assert value == pytest.approx(1) and c[2] >= -1e-12
