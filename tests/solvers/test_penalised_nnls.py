"""The nearest nonnegative point with a price on what it shares: as good as a library's, which has n unknowns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from nnspca.solvers.em import penalised_least_squares


def objective(x, b, C):
    return float(np.sum((x - b) ** 2) + np.sum((C @ x) ** 2))


@given(st.integers(0, 2**32 - 1))
def test_it_is_as_near_as_the_librarys(seed):
    rng = np.random.default_rng(seed)
    n, r = int(rng.integers(1, 120)), int(rng.integers(0, 6))
    b = rng.standard_normal(n) + rng.choice([-1, 0, 1])
    C = rng.standard_normal((r, n)) * (rng.random((r, n)) < rng.choice([0.1, 0.5, 1])) * 10 ** rng.uniform(-4, 6)
    if rng.random() < 0.5:
        C = np.abs(C)
    if rng.random() < 0.3:
        b, C = np.round(b), np.round(C)  # ties
    if rng.random() < 0.3 and r > 1:
        C[1] = C[0]
    x = penalised_least_squares(b, C)
    assert (x >= 0).all()
    other = nnls(np.vstack([np.eye(n), C]), np.concatenate([b, np.zeros(r)]))[0]
    assert objective(x, b, C) <= objective(other, b, C) + 1e-10 * float(b @ b)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_it_keeps_pace_with_the_scale_of_the_point(scale):
    b, C = np.array([2.0, 1.0, -1.0]), np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    assert penalised_least_squares(scale * b, C) / scale == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


def test_nothing_is_shared_where_nothing_is_priced_and_nothing_is_left_of_what_is_negative():
    assert penalised_least_squares(np.array([1.0, -2.0]), np.zeros((0, 2))).tolist() == [1.0, 0.0]
    assert penalised_least_squares(np.array([-1.0, -2.0]), np.ones((2, 2))).tolist() == [0.0, 0.0]
    assert penalised_least_squares(np.zeros(3), np.ones((1, 3))).tolist() == [0.0, 0.0, 0.0]
