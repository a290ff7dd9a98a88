"""Components already found stay as they are, and the others are sought on what they leave."""

import numpy as np
import pytest

import nnspca

X = np.random.default_rng(0).standard_normal((60, 4)) @ np.random.default_rng(1).uniform(0, 1, (4, 12))
X = X + 0.3 * np.random.default_rng(2).standard_normal(X.shape)


@pytest.fixture(scope="module")
def cov():
    return nnspca.Covariance.from_data(X)


@pytest.mark.parametrize("deflation", ["disjoint", "projection", "schur", "hotelling", "quasi-orthogonal"])
def test_going_on_gives_what_finding_all_at_once_gives(deflation, cov):
    whole = nnspca.decompose(cov, 3, 3, deflation=deflation)
    first = nnspca.decompose(cov, 2, 3, deflation=deflation)
    for given in (first, first.loadings):
        on = nnspca.decompose(cov, 3, 3, deflation=deflation, start_from=given)
        assert np.array_equal(on.loadings, whole.loadings)
        assert np.allclose(on.variances, whole.variances)
        assert np.allclose(on.cumulative_variance, whole.cumulative_variance)
    assert np.array_equal(
        nnspca.decompose(cov, 3, 3, deflation=deflation, start_from=first[0]).loadings, whole.loadings
    )


def test_a_component_of_ones_own_stays_and_all_are_certified_on_what_was_left(cov):
    own = np.zeros(12)
    own[[2, 7]] = 0.6, 0.8
    found = nnspca.decompose(cov, 2, 3, deflation="projection", start_from=own, certify="live")
    assert np.array_equal(found[0].loadings, own)
    assert found[0].method == "given"
    assert len(found.certificates) == 2
    nnspca.verify(found.certificates[0], cov)
    nnspca.verify(found.certificates[1], nnspca.deflate(cov, own[:, None], "projection"))
    assert found.certificates[0].lower >= found[0].variance - 1e-12
    assert not found.stopped


@pytest.mark.parametrize(
    ("given", "more", "said"),
    [
        (np.eye(12)[:, :3], {}, r"start_from has 3 component\(s\), which are counted among n_components=3"),
        (np.eye(12)[0], {"deflation": "together"}, "seeks all components at once, and takes no start_from"),
        (np.ones(12), {}, r"component 1 of start_from is not feasible for k=3"),
        (-np.eye(12)[:, :1], {}, r"component 1 of start_from is not feasible for k=3"),
        (np.ones((12, 2)) / np.sqrt(12), {"k": 12}, r"12 feature\(s\) are in more than one component of start_from"),
        (np.ones(5), {}, "start_from have shape"),
    ],
)
def test_what_is_no_beginning_is_refused(given, more, said, cov):
    with pytest.raises(ValueError, match=said):
        nnspca.decompose(cov, 3, **({"k": 3, "start_from": given} | more))
