"""Halves of L and M: rounded ones keep what a proof needs, and a file gives both back bit for bit."""

import numpy as np
import pytest

from nnspca.numerics import halves
from nnspca.numerics.halves import Halves


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("size", [1.0, 1e-200, 1e150])
@pytest.mark.parametrize("n", [1, 2, 9, halves.FINE_SIDE + 1, 130])
def test_what_is_rounded_covers_l_and_comes_back_from_its_halves(n, size, nonnegative):
    rng = np.random.default_rng(n)
    L, ratio = rng.standard_normal((n, n)), np.exp(2 * rng.standard_normal((n, n)))
    L = size * (L + L.T)
    asked = np.maximum(L, 0.0) if nonnegative else np.abs(L)
    np.fill_diagonal(asked, 0.0)
    near_L, near_M = halves.rounded(L, asked * np.sqrt(ratio / ratio.T))
    asked = np.maximum(near_L, 0.0) if nonnegative else np.abs(near_L)
    np.fill_diagonal(asked, 0.0)
    roots = np.sqrt(near_M)
    assert (roots * roots.T >= asked * (1 + halves.GROWN / 8)).all(), "rounding in a root cannot matter"
    assert (near_L.diagonal() == L.diagonal()).all() and not near_M.diagonal().any()
    held = Halves.of(near_L, near_M)
    again_L, again_M = held.both()
    assert (again_L == near_L).all() and (again_M == near_M).all()


def test_what_halves_cannot_stand_for_is_none():
    L = np.array([[1.0, 0.3], [0.3, 1.0]])
    assert Halves.of(L, np.array([[0.0, 0.7], [0.2, 0.0]])) is None  # no quotient of the other
    assert Halves.of(np.full((3, 3), 1.0) + np.diag(np.zeros(3)), np.full((3, 3), 1e-30)) is None  # too many digits


@pytest.mark.parametrize("size", [0, 1, 4, 21])
def test_bytes_of_another_number_of_features_are_refused(size):
    bytes_of_three = np.zeros(3, dtype=np.uint8)
    with pytest.raises(ValueError, match="do not stand for 3 numbers"):
        Halves(np.zeros(size, dtype=np.uint8), bytes_of_three, np.zeros(3), 0).both()
