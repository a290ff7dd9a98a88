"""Parallel analysis: what shuffled columns give, beside the data."""

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.machines import HERE
from nnspca.resampling._chance import shuffled
from tests.benchmarks.chance import noise, planted


def analysis(X, k=4, r=1, **more):
    return nnspca.parallel_analysis(X, k, r, **{"method": "greedy", "executor": HERE, **more})


def test_noise_is_no_more_than_chance_but_at_the_level_and_planted_features_are():
    rng = np.random.default_rng(0)
    hits = sum(bool(analysis(noise(rng, 40, 15), seed=seed).is_more) for seed in range(12))
    assert hits <= 3  # of 12 at 5 %: more in two of a thousand runs
    found = analysis(planted(rng, 40, 15, 4, 1.5))
    assert found.is_more and found.p_value == 1 / 21 and found.observed > found.quantile(0.95) == found.null.max()


def test_parts_after_those_that_are_planted_are_no_more_than_chance():
    found = analysis(planted(np.random.default_rng(3), 80, 20, 4, 1.5, r=2), 4, 4)
    assert found.suggested_n_components == 2 and found.is_more[:2].all() and found.null.shape == (20, 4)
    curve = analysis(planted(np.random.default_rng(1), 80, 20, 4, 1.5), [1, 2, 4])
    assert curve.observed.shape == (3,) and curve.p_value[0] == 1.0  # no shuffling changes the variance of one feature
    assert [row["k"] for row in curve.to_records()] == [1, 2, 4]


@pytest.mark.parametrize("held", [np.asarray, scipy.sparse.csr_array])
def test_a_shuffled_column_keeps_its_values_within_each_group(held):
    X = np.where(np.arange(60).reshape(12, 5) % 3, 0.0, 1.0 + np.arange(60).reshape(12, 5))
    groups = np.array([0, 1, 2] * 4)
    for given in (None, groups):
        mixed = shuffled(held(X), np.random.default_rng(0), given)
        mixed = mixed.toarray() if scipy.sparse.issparse(mixed) else mixed
        assert (mixed != X).any()
        for rows in [slice(None)] if given is None else [groups == g for g in range(3)]:
            assert np.array_equal(np.sort(mixed[rows], axis=0), np.sort(X[rows], axis=0))


def test_differences_between_groups_count_as_given():
    rng = np.random.default_rng(0)
    persons = np.repeat(np.arange(15), 6)
    X = planted(rng, 15, 12, 12, 3.0)[persons] + noise(rng, 90, 12)  # together between persons only
    assert analysis(X).is_more and not analysis(X, groups=persons).is_more


def test_the_same_wherever_it_runs_and_what_it_says_first():
    X = noise(np.random.default_rng(5), 30, 20)
    found = analysis(X)
    assert found == analysis(X, executor=None) and found != analysis(X, seed=1)
    said, part = found.summary(), found.parts[0]
    assert part.summary(found).startswith(said) and "rise together" not in part.summary(found)
    assert found.parts.summary(found).startswith(said)
    stopped = analysis(X, should_stop=lambda: True)
    assert stopped.stopped and stopped.draws == 0 and stopped.p_value == 1.0 and np.isinf(stopped.quantile())


def test_wide_data_are_searched_by_the_lighter_solver_on_both_sides():
    found = nnspca.parallel_analysis(noise(np.random.default_rng(0), 8, 1501), 2, executor=HERE)
    assert found.method == found.parts.method == "greedy"


def test_what_cannot_be_shuffled_is_refused():
    X = noise(np.random.default_rng(0), 20, 6)
    for wrong in ({"draws": 18}, {"groups": [0] * 20}, {"groups": [None, "a"] * 10}, {"k": [2, 3], "r": 2}, {"k": []}):
        with pytest.raises(ValueError, match=r"not allowed|at least"):
            analysis(X, **wrong)
