"""The feasible set: what keeps, what maximises, what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nnspca.certificates import numbers
from nnspca.numerics import feasible

BOTH = pytest.mark.parametrize("nonnegative", [True, False])
vectors = hnp.arrays(
    np.float64,
    st.integers(1, 9),
    elements=st.floats(-1e6, 1e6).map(lambda v: 0.0 if abs(v) < 1e-6 else v) | st.integers(-2, 2).map(float),
)


@BOTH
@pytest.mark.parametrize(("act", "power"), [(feasible.argmax, 1), (feasible.rank_one, 2)], ids=["best", "rank_one"])
@given(w=vectors, data=st.data())
def test_no_random_feasible_point_is_worth_more(act, power, w, data, nonnegative):
    k = data.draw(st.integers(1, len(w)))
    x = act(w, k, nonnegative)
    assert feasible.infeasibility(x, k, nonnegative) == ""
    others = feasible.argmax(np.random.default_rng(k).standard_normal((400, len(w))), k, nonnegative)
    assert ((others @ w) ** power).max() <= (w @ x) ** power + 1e-9 * np.abs(w).max() ** power


@given(a=vectors, data=st.data())
def test_rank_one_is_worth_the_squares_it_keeps(a, data):
    k = data.draw(st.integers(1, len(a)))
    squares = [np.sort(np.maximum(s * a, 0.0) ** 2)[::-1][:k].sum() for s in (1, -1)]
    assert (a @ feasible.rank_one(a, k)) ** 2 == pytest.approx(max(squares), rel=1e-9)


@BOTH
@given(w=vectors, data=st.data())
def test_keep_top_keeps_the_largest_and_nothing_else(w, data, nonnegative):
    k = data.draw(st.integers(1, len(w)))
    kept = feasible.keep_top(w, k, nonnegative)
    score = np.maximum(w, 0.0) if nonnegative else np.abs(w)
    assert np.count_nonzero(kept) <= k
    assert all(kept[i] in (0.0, w[i]) for i in range(len(w)))
    assert (kept**2).sum() == pytest.approx((np.sort(score)[::-1][:k] ** 2).sum(), rel=1e-12)


@BOTH
def test_a_batch_is_its_rows_one_by_one(nonnegative):
    w = np.random.default_rng(0).standard_normal((20, 6))
    w[3] = -1.0
    w[4] = 0.0
    for act in (feasible.keep_top, feasible.argmax, feasible.rank_one):
        batch = act(w, 3, nonnegative)
        for row, result in zip(w, batch, strict=True):
            assert act(row, 3, nonnegative).tolist() == result.tolist()


@given(w=vectors, power=st.integers(-900, 900))
def test_unit_neither_overflows_nor_underflows(w, power):
    u = feasible.unit(w * 2.0**power)
    assert np.linalg.norm(u) == pytest.approx(1.0 if w.any() else 0.0, abs=1e-14)


def test_worked_examples():
    assert feasible.keep_top(np.array([1.0, 3.0, -9.0, 2.0]), 2).tolist() == [0.0, 3.0, 0.0, 2.0]
    assert feasible.keep_top(np.array([1.0, 3.0, -9.0, 2.0]), 2, False).tolist() == [0.0, 3.0, -9.0, 0.0]
    assert feasible.argmax(np.array([0.0, 0.0]), 1).tolist() == [1.0, 0.0]
    assert feasible.argmax(np.array([-2.0, -1.0]), 2).tolist() == [0.0, 1.0]
    assert feasible.argmax(np.array([-3.0, 4.0]), 2, False) == pytest.approx([-0.6, 0.8])
    assert feasible.rank_one(np.array([3.0, -4.0, 1.0]), 2).tolist() == [0.0, 1.0, 0.0]
    assert feasible.orient(np.array([0.6, -0.8])).tolist() == [-0.6, 0.8]
    assert feasible.orient(np.array([0.8, -0.6])).tolist() == [0.8, -0.6]


@pytest.mark.parametrize(
    ("x", "says"),
    [
        ([0.6, 0.8, 0.0], ""),
        ([np.nan, 0.6, 0.8], "a loading is not finite"),
        ([np.inf, 0.0, 0.0], "a loading is not finite"),
        ([0.6, 0.6, 0.6], "3 loadings are nonzero, more than k = 2"),
        ([-0.6, 0.8, 0.0], "loading 0 is -0.6, below zero"),
        ([0.6, 0.7, 0.0], "the norm is 0.92"),
        ([0.0, 0.0, 0.0], "the norm is 0.0, not 1"),
    ],
)
def test_what_is_not_feasible_is_told_why(x, says):
    told = feasible.infeasibility(np.array(x), 2)
    assert told.startswith(says) if says else told == ""
    assert feasible.infeasibility(np.array([-0.6, 0.8, 0.0]), 2, nonnegative=False) == ""


@pytest.mark.parametrize("sums", [feasible.sum_of_largest, numbers.largest_sums], ids=["library", "judge"])
@pytest.mark.parametrize("n", [1, 7, 256, 257, 1003, 2100])
def test_the_sum_of_the_largest_is_that_of_the_sorted_whatever_the_ties(n, sums):
    rng = np.random.default_rng(n)
    for rows in (rng.standard_normal((4, n)), rng.integers(0, 3, (4, n)) * 1.0, np.zeros((4, n)), -np.ones((4, n))):
        for count in (0, 1, 2, 15, 16, 17, n // 16, n - 1, n, n + 1):
            wanted = np.sort(rows, axis=1)[:, ::-1][:, : max(count, 0)].sum(axis=1)
            assert sums(rows, count) == pytest.approx(wanted, rel=1e-13)
    rows[2, n // 2] = np.nan
    for count in {1, max(1, n // 3)}:
        assert np.isnan(sums(rows, count)).tolist() == [False, False, True, False]
