"""Recurrence is a relative frequency over resamples: 1 for what is planted, little for noise, the same everywhere."""

import dataclasses
import functools

import numpy as np
import pytest

import nnspca
from nnspca import datasets
from nnspca.components.exchange import paired

PLANTED = 6  # features of each planted part
bootstrap = functools.partial(nnspca.bootstrap, shuffles=0)


def planted(parts=2, m=60, n=40, seed=0, strength=3.0):
    """Noise with so many parts of six features that vary together, the first the strongest."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n))
    for c in range(parts):
        X[:, c * PLANTED : (c + 1) * PLANTED] += (strength - 0.5 * c) * rng.standard_normal((m, 1))
    return X


def test_a_planted_spike_returns_in_every_resample_and_noise_does_not():
    found = bootstrap(planted(), PLANTED, n_components=3, resamples=12)
    assert np.array_equal(np.flatnonzero(found.parts.loadings[:, 0]), np.arange(PLANTED))
    assert (found.recurrence[:PLANTED, 0] == 1).all()
    assert (found.recurrence[PLANTED : 2 * PLANTED, 1] == 1).all()
    assert found.mean_recurrence[2] < 0.7  # there is no third
    assert found.suggested_n_components == 2
    later = dataclasses.replace(
        found,
        recurrence=found.recurrence[:, ::-1],
        parts=dataclasses.replace(found.parts, parts=found.parts.parts[::-1]),
    )
    assert later.stable.tolist() == [False, True, True] and later.suggested_n_components == 0  # none without the first
    assert found.resamples == 12
    assert not found.stopped


def test_pure_noise_stays_below_the_threshold_but_not_below_chance():
    found = nnspca.bootstrap(planted(parts=0), PLANTED, n_components=2, resamples=12, shuffles=8, method="greedy")
    assert found.suggested_n_components == 0 and found.by_chance.shape == (8, 2)
    assert (np.abs(found.mean_recurrence - found.chance) < 0.25).all() and (found.least >= found.chance).all()
    assert (found.mean_recurrence < 0.65).all()
    assert (found.mean_recurrence > PLANTED / 40).all()  # a part made of these very samples


def test_recurrence_counts_what_the_resamples_hold():
    """The definition, with the draws made by hand; parts of one resample are those of a covariance of its rows."""
    X, draws = planted(parts=1, strength=1.0), 5
    found = bootstrap(X, 4, resamples=draws, method="em", seed=3)
    times = np.zeros(X.shape[1])
    for number in range(draws):
        rows = np.random.default_rng([3, number]).integers(len(X), size=len(X))
        times[nnspca.solve(nnspca.Covariance.from_data(X[rows]), 4, "em", seed=3).support] += 1
    assert np.array_equal(found.recurrence[:, 0], times / draws)
    used = found.parts.loadings[:, 0] != 0
    assert found.agreement.mean() == pytest.approx(found.recurrence[used, 0].mean())
    assert found.mean_recurrence[0] == pytest.approx(found.agreement.mean())
    assert found.error[0] == pytest.approx(found.agreement.std(ddof=1) / np.sqrt(draws))


def test_another_seed_is_another_answer_and_more_resamples_begin_with_the_same():
    X, asked = planted(strength=1.5), {"k": 4, "n_components": 2, "resamples": 8, "method": "em"}
    own = bootstrap(X, **asked, seed=5)
    assert not np.array_equal(own.agreement, bootstrap(X, **asked, seed=6).agreement)
    few = bootstrap(X, **asked | {"resamples": 3}, seed=5)
    assert np.array_equal(few.agreement, own.agreement[:3])


def test_pairing_shares_as_many_features_as_any_could():
    """The first part would rather have the second's partner; together they share more the other way round."""
    first, second = np.zeros((9, 2)), np.zeros((9, 2))
    first[:5, 0], first[5:, 1] = 1, 1
    second[[0, 1, 2, 5, 6, 7, 8], 0], second[[0, 1], 1] = 1, 1
    assert paired(first, second).tolist() == [1, 0]  # 2 + 4 shared; greedily 3 + 0
    assert paired(np.zeros((3, 2)), np.zeros((3, 2))).tolist() in ([0, 1], [1, 0])


def test_parts_given_are_those_that_are_followed():
    X = planted()
    parts = nnspca.decompose(nnspca.Covariance.from_data(X), 2, PLANTED, "em")
    found = bootstrap(X, PLANTED, resamples=4, method="em", parts=parts)
    own = bootstrap(X, PLANTED, n_components=2, resamples=4, method="em")
    assert found.parts is parts and np.array_equal(found.recurrence, own.recurrence)
    with pytest.raises(ValueError, match=r"parts have loadings of shape \(40, 2\); give at most r = 1 parts of 40"):
        bootstrap(X, PLANTED, n_components=1, resamples=4, parts=parts)
    with pytest.raises(TypeError, match="parts is"):
        bootstrap(X, PLANTED, resamples=4, parts=parts.loadings)


def test_degenerate_data():
    for call in (nnspca.bootstrap, nnspca.cross_validate, nnspca.parallel_analysis):
        for wrong, says in (
            (np.ones((1, 3)), "one sample has no variance"),
            (np.ones((6, 3)), "no feature varies over the samples"),
            (np.ones(4), r"table of shape \(samples, features\)"),
        ):
            with pytest.raises(nnspca.DataError, match=says):
                call(wrong, k=1)
    # two samples: half of all resamples draw one of them twice, and have no variance
    found = bootstrap(np.array([[0.0, 1.0, 5.0], [1.0, 3.0, 5.0]]), k=3, n_components=2, resamples=20)
    assert 4 <= found.degenerate <= 16
    assert found.mean_recurrence[0] == pytest.approx(1 - found.degenerate / 20)
    weight = np.arange(30.0) < 2  # shuffled, what varies may come to samples of no weight
    assert nnspca.bootstrap(np.eye(30, 3), 2, resamples=8, sample_weight=weight, method="em").resamples == 8
    assert (found.recurrence[2] == 0).all()  # constant
    assert found.parts.loadings.shape[1] == 1  # nothing is left for a second part


def test_a_part_that_no_resample_has_never_returns():
    """Of two features that vary in one sample each, a resample without that sample has only the other."""
    X = np.zeros((4, 2))
    X[0, 0], X[1, 1] = 2.0, 1.0
    found = bootstrap(X, k=1, n_components=2, resamples=30)
    assert found.resamples == 30
    assert 0 < found.recurrence[1, 1] < 1
    assert found.recurrence[0, 0] > found.recurrence[1, 0]


def test_only_a_covariance_is_not_enough():
    cov = nnspca.Covariance.from_matrix(np.eye(3))
    for call in (nnspca.bootstrap, nnspca.cross_validate, nnspca.parallel_analysis):
        for data, named in ((cov, "Covariance"), (datasets.load("pitprops"), "'pitprops' is only a covariance matrix")):
            with pytest.raises(nnspca.DataError, match=f"{call.__name__} needs the samples themselves.*{named}"):
                call(data, [2] if call is nnspca.cross_validate else 2)


def test_which_of_two_numbers_is_which_is_said_by_name():
    for call in (nnspca.bootstrap, nnspca.cross_validate):
        with pytest.raises(TypeError, match="positional"):
            call(planted(), 2, 10)


def test_stopped_in_the_middle_it_speaks_of_what_was_drawn():
    asked, seen = {"k": 4, "resamples": 50, "method": "em"}, []
    found = bootstrap(planted(), **asked, on_resample=seen.append, should_stop=lambda: len(seen) >= 3)
    assert found.stopped
    assert 3 <= found.resamples < 50
    assert np.isfinite(found.recurrence).all()
    assert [s.resamples for s in seen] == list(range(1, len(seen) + 1))
    at_once = bootstrap(planted(), 4, resamples=5, should_stop=lambda: True)
    assert at_once.stopped
    assert at_once.resamples == at_once.suggested_n_components == 0
    assert np.isnan(at_once.recurrence).all()


def test_records_are_the_parts_features_and_those_that_ever_came_in_their_place():
    found = bootstrap(planted(strength=1.0), 4, n_components=2, resamples=4, method="em")
    rows = found.to_records()
    assert len(rows) == int(((found.parts.loadings != 0) | (found.recurrence > 0)).sum())
    first = [row["recurrence"] for row in rows if row["part"] == 1]
    assert first == sorted(first, reverse=True)
