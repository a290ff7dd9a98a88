"""Held-out variance: the share of samples not sought on that lies in the span of what was found on the others."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.machines import HERE
from nnspca.resampling._bootstrap import folded
from tests.benchmarks.chance import planted as spiked
from tests.resampling.test_bootstrap import PLANTED, planted


def test_held_out_variance_grows_up_to_the_planted_k_and_not_beyond():
    X = planted(parts=1, strength=2.0)
    found = nnspca.cross_validate(X, [1, 2, 4, PLANTED, 12, 40], method="em")
    at = found.k.index(PLANTED)
    assert (np.diff(found.mean[: at + 1]) > 0).all()
    assert found.mean[-1] < found.mean[at] + found.error[at]
    assert found.suggested_k == PLANTED
    assert (np.diff(found.fitted_mean) > -1e-9).all()  # what it was sought on, more features always keep more of
    assert found.fitted_mean[-1] > found.mean[-1]
    assert not found.stopped


def test_the_share_is_that_of_squared_distances_from_the_others_mean():
    """The definition, one fold by hand, through scikit-learn's own centring."""
    X, folds, seed = planted(m=30), 3, 4
    found = nnspca.cross_validate(X, [5], folds=folds, method="em", seed=seed, n_components=2)
    for fold, rows in enumerate(folded(30, folds, seed)):
        others = np.delete(X, rows, axis=0)
        U = nnspca.decompose(nnspca.Covariance.from_data(others), 2, 5, "em", seed=seed).loadings
        away = X[rows] - others.mean(axis=0)
        Q = np.linalg.qr(U)[0]
        assert found.held_out[fold, 0] == pytest.approx(np.sum((away @ Q) ** 2) / np.sum(away**2))
    assert found.mean[0] == pytest.approx(found.held_out[:, 0].mean())
    assert found.error[0] == pytest.approx(found.held_out[:, 0].std(ddof=1) / np.sqrt(folds))


def test_the_suggested_k_is_the_smallest_whose_difference_from_the_best_is_within_its_error():
    shares = np.array([[0.1, 0.42, 0.5, 0.52], [0.1, 0.46, 0.5, 0.44], [0.1, 0.47, 0.5, 0.57]])
    found = nnspca.result.CrossValidation((1, 2, 3, 4), shares, shares)
    assert found.best_k == 4
    less = shares[:, [3]] - shares
    error = less.std(axis=0, ddof=1) / np.sqrt(3)
    assert less[:, 1].mean() > error[1] and less[:, 2].mean() <= error[2]
    assert found.suggested_k == 3
    assert [row["k"] for row in found.to_records()] == [1, 2, 3, 4]
    nothing = nnspca.result.CrossValidation((1, 2), np.full((2, 2), np.nan), np.full((2, 2), np.nan))
    assert nothing.best_k is nothing.suggested_k is None


@pytest.mark.parametrize("standardize", [False, True])
def test_dense_and_sparse_data_of_any_scale_say_the_same(standardize):
    X = np.where(np.abs(planted()) > 0.7, planted(), 0.0)
    own, *others = (
        nnspca.cross_validate(data, [4], folds=3, method="em", standardize=standardize).held_out
        for data in (X, scipy.sparse.csr_array(X), X * 1e60)
    )
    assert all(np.allclose(own, other) for other in others)


def test_degenerate_data():
    # a feature that varies in one sample only: held out, nothing shows which direction it is
    X = np.zeros((5, 3))
    X[0, 1] = 1.0
    found = nnspca.cross_validate(X, [1, 3], folds=5)
    finite = found.held_out[np.isfinite(found.held_out[:, 0])]
    assert sorted(finite[:, 0]) == [0.0, 1.0, 1.0, 1.0, 1.0]
    for standardize in (False, True):  # k = n, m < n, a constant feature
        two = nnspca.cross_validate([[0.0, 1.0, 5.0], [1.0, 3.0, 5.0]], [1, 3], folds=2, standardize=standardize)
        assert two.k == (1, 3)


def test_a_held_out_sample_in_the_mean_of_the_others_says_nothing():
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    found = nnspca.cross_validate(X, [1], folds=3)
    assert np.isnan(found.held_out).sum() == 1
    assert found.mean[0] == pytest.approx(1.0)


def test_stopped_in_the_middle_the_smallest_k_are_known():
    seen, asked = [], {"k": range(1, 30), "folds": 4, "method": "em"}
    with ThreadPoolExecutor(1) as alone:  # of two threads on a busy machine one may be late
        found = nnspca.cross_validate(
            planted(), **asked, executor=alone, on_point=seen.append, should_stop=lambda: len(seen) >= 9
        )
    assert found.stopped
    known = np.isfinite(found.held_out)
    assert known[:, 0].all()
    assert not known[:, -1].any()
    assert found.best_k is not None


def test_the_suggested_k_is_about_the_planted_one_and_none_on_noise():
    ks = (1, 2, 3, 4, 5, 6, 8, 12)
    found = {
        strength: [
            nnspca.cross_validate(
                spiked(np.random.default_rng([m, 7]), m, 20, 5, strength), ks, method="greedy", executor=HERE
            ).suggested_k
            for m in (60, 100, 200)
        ]
        for strength in (0.0, 1.2)
    }
    assert found[0.0].count(None) >= 2 and all(5 <= k <= 8 for k in found[1.2])


def test_the_suggested_number_of_components_is_the_planted_one_and_zero_on_noise():
    asked = {"n_components": range(1, 6), "method": "greedy", "executor": HERE}
    three, none = (
        nnspca.cross_validate(spiked(np.random.default_rng(2), 100, 30, 5, strength, 3), 5, **asked)
        for strength in (1.2, 0.0)
    )
    assert (three.suggested_n_components, none.suggested_n_components, none.suggested_k) == (3, 0, None)
    assert (np.diff(three.mean) > 0).all(), "further components always explain more"
    assert [row["n_components"] for row in three.to_records()] == [1, 2, 3, 4, 5]
    assert "three components" in three.summary().lower() and "number of components" in none.summary()
    assert "n_components" in repr(three) and three.best_k == 5 and len(three.plot().data[0].x) == 5
    one = nnspca.cross_validate(spiked(np.random.default_rng(2), 100, 30, 5, 1.2, 3), 5, **asked | {"n_components": 3})
    np.testing.assert_array_equal(one.held_out[:, 0], three.held_out[:, 2])
    assert one.interval == pytest.approx(2.776445 * one.error)  # Student's t of 5 folds
