"""Loadings that others found, beside the proven maximum: never above it, whatever form and order they come in."""

from types import SimpleNamespace

import numpy as np
import pandas
import pytest
from sklearn.decomposition import NMF, PCA, SparsePCA

import nnspca
from tests.oracle import optimum as optimum_of

RNG = np.random.default_rng(7)
NAMES = list("abcdefgh")
X = pandas.DataFrame(RNG.normal(size=(50, 8)) @ RNG.normal(size=(8, 8)), columns=NAMES)
COV = nnspca.Covariance.from_data(X)
SOME = np.array([[2.0, 0.0], [1.0, -1.0], [0.0, 3.0], *[[0.0, 0.0]] * 5])


@pytest.mark.parametrize("seed", range(4))
def test_the_share_is_at_most_that_of_the_optimum_by_enumeration(seed):
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(8, 4)) * (rng.random((8, 4)) < 0.5)
    columns[0], columns[:, 1] = 1.0, np.abs(columns[:, 1])
    judged = nnspca.certify_loadings(COV, columns)
    for c, part in enumerate(judged.components):
        assert (part.k, part.nonnegative) == (np.count_nonzero(columns[:, c]), bool((columns[:, c] >= 0).all()))
        unit = columns[:, c] / np.linalg.norm(columns[:, c])
        assert part.variance == pytest.approx(unit @ np.cov(X.T, ddof=0) @ unit)
        optimum, _ = optimum_of(COV.matrix, part.k, part.nonnegative)
        assert judged.upper[c] >= optimum
        assert judged.ratio[c] <= part.variance / optimum
        nnspca.verify(judged.certificates[c], COV)
        better = judged.better[c]
        assert better is None or part.variance < better.variance <= optimum * (1 + 1e-9)


def test_the_best_component_is_not_said_to_be_beaten_nor_to_have_all():
    judged = nnspca.certify_loadings(COV, nnspca.solve(COV, 3))
    assert judged.better == (None,) and 0.999 < judged.ratio[0] < 1
    assert "at least 99.9" in judged.summary() and "100 %" not in judged.summary()


@pytest.mark.parametrize("kind", [PCA, SparsePCA, NMF])
def test_estimators_are_read_by_rows_and_frames_by_name(kind):
    data = X - X.min()
    fitted = kind(n_components=2, random_state=0).fit(data)
    judged = nnspca.certify_loadings(COV, fitted)
    shuffled = NAMES[::-1]
    frame = pandas.DataFrame(fitted.components_.T, index=NAMES, columns=["PC1", "PC2"])
    frame.loc["unused"] = 0.0
    again = nnspca.certify_loadings(COV, frame.loc[["unused", *shuffled]])
    assert again == judged == nnspca.certify_loadings(COV, fitted.components_.T)
    assert nnspca.certify_loadings(COV, SimpleNamespace(coef_=fitted.components_.T, fit=None)) == judged  # as abess has
    assert nnspca.certify_loadings(COV, frame["PC1"]).components == judged.components[:1]
    if kind is PCA:  # the first is the maximum; the second is what is left
        assert judged.ratio[0] > 0.999 > judged.ratio[1]
        other = kind(n_components=2, random_state=0).fit(data[shuffled])
        assert nnspca.certify_loadings(COV, other).ratio == pytest.approx(judged.ratio)


def test_the_maximum_may_be_over_more_features_or_over_any_sign():
    own = nnspca.certify_loadings(COV, SOME[:, 0])
    for wider in ({"k": 4}, {"nonnegative": False}):
        assert nnspca.certify_loadings(COV, SOME[:, 0], **wider).upper >= own.upper
    assert [part.k for part in nnspca.certify_loadings(COV, SOME, [3, 2]).components] == [3, 2]
    assert nnspca.certify_loadings(COV, -SOME[:, 0]) == own  # the same direction


@pytest.mark.parametrize(
    ("loadings", "settings", "said"),
    [
        (np.zeros((8, 1)), {}, "component 1 of the loadings is all zero"),
        (SOME.T, {}, "give loadings.T"),
        (SOME, {"nonnegative": True}, "component 2 has loadings of both signs"),
        (SOME, {"k": 1}, "from 2 to 8"),
        (SOME, {"k": [2]}, "one for each component"),
        (SparsePCA(), {}, "fit it first"),
        (pandas.DataFrame(SOME, index=[*NAMES[:7], "z"]), {}, "no feature 'h'"),
        (pandas.DataFrame(np.ones((9, 1)), index=[*NAMES, "z"]), {}, "feature 'z', which cov has not"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_words(loadings, settings, said):
    with pytest.raises((ValueError, nnspca.DataError), match=said):
        nnspca.certify_loadings(COV, loadings, **settings)
