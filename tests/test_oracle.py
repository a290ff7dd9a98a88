"""The oracle is itself tried: on fine grids, by hand, and against random feasible points."""

from fractions import Fraction

import numpy as np
import pytest

from nnspca.numerics import feasible
from tests import oracle


def _on_the_sphere(A, nonnegative):
    """The largest x'Ax on a fine grid of the circle or the sphere."""
    angle = np.linspace(0.0, np.pi / 2 if nonnegative or len(A) == 3 else np.pi, 401)
    turn = np.linspace(0.0, np.pi / 2 if nonnegative else 2 * np.pi, 401 if nonnegative else 1601)
    a, b = np.meshgrid(angle, turn if len(A) == 3 else 0.0)
    x = np.stack([np.cos(a), np.sin(a) * np.cos(b), np.sin(a) * np.sin(b)], axis=-1).reshape(-1, 3)[:, : len(A)]
    return np.einsum("ri,ij,rj->r", x, A, x).max()


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_two_and_three_features_agree_with_a_fine_grid(seed, n, nonnegative):
    Z = np.random.default_rng(seed).standard_normal((n, n))
    A = Z.T @ Z
    value, _ = oracle.optimum(A, n, nonnegative)
    grid = _on_the_sphere(A, nonnegative)
    assert grid * (1 - 1e-12) <= value <= grid * (1 + 1e-4)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_no_random_feasible_point_beats_the_oracle(seed, nonnegative):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((3, 6))
    A = Z.T @ Z
    for k in range(1, 7):
        value, point = oracle.optimum(A, k, nonnegative)
        x = feasible.argmax(rng.standard_normal((3000, 6)), k, nonnegative)
        assert np.einsum("ri,ij,rj->r", x, A, x).max() <= value * (1 + 1e-12)
        assert feasible.infeasibility(point, k, nonnegative) == ""
        assert point @ A @ point == pytest.approx(value, rel=1e-12)


def test_a_diagonal_covariance_has_its_largest_entry_as_optimum():
    value, point = oracle.optimum(np.diag([2.0, 5.0, 3.0]), 2)
    assert value == 5.0
    assert point.tolist() == [0.0, 1.0, 0.0]


def test_opposed_features_cannot_be_combined_without_sign():
    A = np.array([[2.0, -1.0], [-1.0, 2.0]])
    assert oracle.optimum(A, 2, True)[0] == pytest.approx(2.0)
    assert oracle.optimum(A, 2, False)[0] == pytest.approx(3.0)


def test_a_multiple_eigenvalue_does_not_hide_its_nonnegative_vector():
    assert oracle.optimum(np.eye(5), 5)[0] == pytest.approx(1.0, abs=1e-15)


def test_rank_one_is_the_sum_of_the_largest_squares_of_one_sign():
    a = np.array([1.0, -3.0, -4.0, 2.0])
    assert oracle.optimum(np.outer(a, a), 2, True)[0] == pytest.approx(25.0)
    assert oracle.optimum(np.outer(a, a), 3, True)[0] == pytest.approx(25.0)
    assert oracle.optimum(np.outer(a, a), 3, False)[0] == pytest.approx(29.0)


def test_exact_variances_have_no_rounding():
    x = np.array([3.0, 4.0])
    assert oracle.exact_variance(np.array([[2.0, 1.0], [1.0, 0.0]]), x) == Fraction(42, 25)
    assert oracle.exact_variance_of_rows(np.array([[1.0], [2.0]]), x) == Fraction(121, 25)
    assert oracle.exact_variance_of_data(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), x) == Fraction(
        (9 + 64) * 3 - 121, 9 * 25
    )
    assert not oracle.allows(1.0, 1 + Fraction(1, 10**30))
    assert oracle.allows(1.0, Fraction(1))
