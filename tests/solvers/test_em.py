"""EM: the M-step is its definition, and a run climbs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nnspca
from nnspca.numerics import feasible
from nnspca.solvers.em import soft_threshold
from tests.plain_em import plain_em

rows = hnp.arrays(np.float64, st.integers(1, 8), elements=st.integers(-5, 5).map(float))


def by_hand(f, k, nonnegative):
    """MATH §6: clip, shrink by the (k+1)-th largest magnitude, keep the k largest, restore signs, normalise."""
    w = np.maximum(f, 0.0) if nonnegative else f
    order = np.argsort(-np.abs(w), kind="stable")
    threshold = abs(w[order[k]]) if k < len(w) else 0.0
    out = np.zeros_like(w)
    for i in order[:k]:
        out[i] = np.sign(w[i]) * max(abs(w[i]) - threshold, 0.0)
    return out / np.linalg.norm(out) if out.any() else None


@pytest.mark.parametrize("nonnegative", [True, False])
@given(f=rows, data=st.data())
def test_soft_thresholding_is_its_definition(f, data, nonnegative):
    k = data.draw(st.integers(1, len(f)))
    x = soft_threshold(f[None], k, nonnegative)[0]
    assert feasible.infeasibility(x, k, nonnegative) == ""
    expected = by_hand(f, k, nonnegative)
    if expected is not None:
        np.testing.assert_allclose(x, expected, atol=1e-15)


def test_a_worked_example_of_algorithm_2():
    """K = 2 of (5, −4, 1, 3): the third magnitude is 3, so 5 → 2 and −4 → −1; nonnegative, 5 → 4 and 3 → 2."""
    f = np.array([[5.0, -4.0, 1.0, 3.0]])
    assert soft_threshold(f, 2, False)[0] == pytest.approx(np.array([2, -1, 0, 0]) / 5**0.5)
    assert soft_threshold(f, 2, True)[0] == pytest.approx(np.array([4, 0, 0, 2]) / 20**0.5)


def test_ties_and_nothing_positive_still_give_a_point():
    assert soft_threshold(np.array([[1.0, 1.0, 1.0]]), 2, True)[0].sum() == pytest.approx(2**0.5)
    assert soft_threshold(np.array([[-2.0, -1.0, -3.0]]), 2, True).tolist() == [[0.0, 1.0, 0.0]]
    assert soft_threshold(np.zeros((1, 3)), 1, False).tolist() == [[1.0, 0.0, 0.0]]


def test_more_restarts_are_never_worse_on_the_same_seed():
    cov = nnspca.Covariance.from_data(np.random.default_rng(1).standard_normal((30, 15)))
    few, many = (nnspca.solve(cov, 5, "em", restarts=r).variance for r in (1, 40))
    assert many >= few * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_the_batch_is_never_worse_than_one_start_after_another(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12 + seed, 8)) @ rng.standard_normal((8, 20 + seed))
    X -= X.mean(axis=0)
    cov = nnspca.Covariance.from_data(X)
    for k in (1, 3, 10, cov.n_features):
        _, plain = plain_em(X, k, restarts=10, seed=seed)
        assert nnspca.solve(cov, k, "em", restarts=10, seed=seed).variance >= plain * (1 - 1e-9), k
