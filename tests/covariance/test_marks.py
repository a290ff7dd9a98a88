"""A mark names rows: any accident that changes them changes it, and no cut does."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from nnspca.covariance.sums import mark_of


def of_rows(rows, start, weights=None):
    return tuple(mark_of(rows, start, weights).tolist())


X = np.round(np.random.default_rng(0).normal(size=(12, 6)) * 4)  # few bits, as counts have


def swapped(rows, axis):
    order = np.arange(rows.shape[axis])
    order[[1, 4]] = 4, 1
    return np.take(rows, order, axis=axis)


def changed(row, column, value):
    made = X.copy()
    made[row, column] = value
    return made


@pytest.mark.parametrize(
    "other",
    [
        -X,
        X * np.where(np.arange(6) % 2, 1.0, -1.0),
        X * np.where(np.arange(12) % 2, 1.0, -1.0)[:, None],
        swapped(X, 0),
        swapped(X, 1),
        2 * X,
        X / 2,
        X + 1,
        np.vstack([X, np.zeros(6)])[1:],
        changed(3, 2, np.nextafter(X[3, 2], 99)),
        changed(3, 2, -X[3, 2] or 1.0),
        X.astype(np.float32) + np.float32(1e-6),
    ],
)
def test_other_rows_have_another_mark(other):
    other = np.asarray(other, dtype=float) + 0.0
    assert of_rows(other, 0) != of_rows(X + 0.0, 0)


def test_of_many_small_tables_no_two_have_one_mark():
    tables = (np.array(np.unravel_index(i, (3, 3, 3, 3, 3, 3, 3)), dtype=float) for i in range(3**7))
    marks = [of_rows(table[:6].reshape(2, 3) - table[6], 0) for table in tables]
    rows = {tuple(np.array(np.unravel_index(i, (3,) * 7))[:6] - np.unravel_index(i, (3,) * 7)[6]) for i in range(3**7)}
    assert len(set(marks)) == len(rows)
    assert len({first for first, _ in marks}) == len({second for _, second in marks}) == len(rows)


@given(cut=st.integers(0, 12), start=st.integers(0, 2**40))
def test_any_cut_and_any_form_has_the_same_mark(cut, start):
    whole = mark_of(X + 0.0, start)
    assert (whole == mark_of(X[:cut] + 0.0, start) + mark_of(X[cut:] + 0.0, start + cut)).all()
    assert (whole == mark_of(scipy.sparse.csr_array(X + 0.0), start)).all()
    assert (whole != mark_of(X + 0.0, start + 1)).all()


def test_rows_of_another_weight_have_another_mark():
    weights = np.arange(1.0, 13.0)
    assert of_rows(X + 0.0, 0, weights) != of_rows(X + 0.0, 0, weights[::-1].copy())
    assert of_rows(X + 0.0, 0, weights) != of_rows(X + 0.0, 0)
