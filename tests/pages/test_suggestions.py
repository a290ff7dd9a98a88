"""Suggested k and number of parts: by the curve, by held-out samples, by resamples."""

import dataclasses

import numpy as np
import pytest

import nnspca
from nnspca.result import CrossValidation, Stability
from nnspca.view.explore.more import suggested_k
from nnspca.view.link.widgets import Suggestion
from nnspca.view.parts.panels import suggested

CURVE = [(k, v, v) for k, v in ((1, 1.0), (2, 1.9), (3, 2.2), (4, 2.21), (5, 2.22))]


def held_out(best):
    """Held-out shares of two folds whose smallest k within one standard error of the best is ``best``."""
    shares = np.array([[min(k, best) / 10 for k in (1, 2, 3, 4)]] * 2)
    return CrossValidation((1, 2, 3, 4), shares, shares)


@pytest.fixture(scope="module")
def parts():
    rng = np.random.default_rng(0)
    common = rng.normal(size=(60, 2))
    X = np.repeat(common, 3, axis=1) * [1, 1, 1, 0.9, 0.9, 0.9] + 0.3 * rng.normal(size=(60, 6))
    cov = nnspca.Covariance.from_data(X)
    return cov, nnspca.decompose(cov, n_components=2, k=3)


def stability(parts, returned):
    """A Stability of ten resamples in which each feature of each part returned this often."""
    recurrence = np.where(parts.loadings != 0, np.asarray(returned), 0.0)
    return Stability(parts, 3, recurrence, np.ones((10, len(parts.parts))), 0.7)


def test_held_out_samples_lower_the_suggestion_and_never_raise_it():
    fewer = suggested_k(CURVE, held_out(2))
    assert fewer == Suggestion(2, "Suggested: held-out samples support no more than k = 2 (an estimate).")
    assert suggested_k(CURVE, held_out(4)) == suggested_k(CURVE)
    assert suggested_k(CURVE[:2], held_out(1)).value == 1
    stopped = dataclasses.replace(held_out(2), stopped=True)
    assert suggested_k(CURVE, stopped) == suggested_k(CURVE)


def test_features_that_seldom_return_lower_the_suggestion(parts):
    _, both = parts
    one = dataclasses.replace(both, parts=both.parts[:1], cumulative_variance=both.cumulative_variance[:1])
    shares = np.ones((6, 1))
    shares[one.parts[0].support[0]] = 0.5
    found = suggested_k(CURVE, None, {3: stability(one, shares)}.get)
    assert found.value == 2
    assert "two of the three features at k = 3" in found.why and "an estimate" in found.why
    for shares in (np.ones((6, 1)), np.zeros((6, 1))):  # all return, or none: resampling speaks for no other k
        assert suggested_k(CURVE, None, {3: stability(one, shares)}.get) == suggested_k(CURVE)


def test_parts_that_seldom_return_are_not_suggested(parts):
    cov, both = parts
    assert suggested(both.parts, cov.features) is None
    drawn = stability(both, np.tile([1.0, 0.4], (6, 1)))
    found = suggested(both.parts, cov.features, drawn)
    assert found.value == 1
    assert found.why == "Suggested: the features of part 2 return in only 40 % of the resamples on average."
    assert suggested(both.parts, cov.features, stability(both, np.ones((6, 2)))) is None
