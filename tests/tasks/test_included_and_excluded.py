"""What is included and excluded is named by its own place in every result, and a search that was ended goes on."""

import numpy as np
import pytest

import nnspca
from tests import oracle


@pytest.fixture(scope="module")
def cov():
    return nnspca.Covariance.from_data(np.random.default_rng(1).standard_normal((12, 7)))


@pytest.mark.parametrize(("include", "exclude"), [([5], [0]), ([0, 6], [3]), ([2], [0, 1, 5])])
def test_both_are_named_by_their_places_among_all_features(cov, include, exclude):
    swept = nnspca.sweep(cov, [3], methods=("best",), include=include, exclude=exclude)
    single = nnspca.decompose(cov, 1, 3, include=include, exclude=exclude)
    cert = swept.certificates[3]
    assert (cert.include, cert.exclude) == (single.include, single.exclude) == (tuple(include), tuple(exclude))
    nnspca.verify(cert, cov)
    left = np.setdiff1d(np.arange(7), exclude)
    supports = [s for s in oracle.combinations(left.tolist(), 3) if set(include) <= set(s)]
    best = max(oracle.optimum(cov.matrix[np.ix_(s, s)], 3)[0] for s in map(list, supports))
    assert cert.lower <= best * (1 + 1e-12) and best <= cert.upper * (1 + 1e-12)


def test_an_estimator_certifies_with_both():
    X = np.random.default_rng(2).standard_normal((20, 6))
    (cert,) = nnspca.NonnegativeSparsePCA(1, 3, include=[5], exclude=[0]).fit(X).certify(X)
    assert cert.include == (4,) and len(cert.component.loadings) == 5  # on the features left


def test_a_search_that_was_ended_goes_on_with_its_certificate():
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((60, 80)))
    ended = nnspca.certify(cov, 12, should_stop=lambda: True)
    assert nnspca.certify(cov, 12, warm_start=ended).lower >= nnspca.solve(cov, 12).variance * (1 - 1e-9)
    ended = nnspca.certify_parts(cov, 3, 6, should_stop=lambda: True)
    again = nnspca.certify_parts(cov, 3, 6, warm_start=ended)
    sought = nnspca.decompose(cov, 3, 6, deflation="together")
    assert len(again.parts) == 3 and again.lower >= 0.99 * sought.variances.sum()


def test_what_is_left_varies_in_every_function():
    cov = nnspca.Covariance.from_matrix(np.diag([1.0, 0, 0]))
    for call in (
        lambda: nnspca.sweep(cov, [1], exclude=[0]),
        lambda: nnspca.certify_parts(cov, 1, 1, exclude=[0]),
        lambda: nnspca.solve_all(cov, 1, exclude=[0]),
        lambda: nnspca.decompose(cov, 1, 1, exclude=[0]),
    ):
        with pytest.raises(ValueError, match="no variance"):
            call()


def test_a_warm_start_excludes_what_the_call_does():
    cov = nnspca.Covariance.from_data(np.random.default_rng(1).standard_normal((12, 7)))
    before = nnspca.certify_parts(cov, 2, 2, exclude=[0])
    with pytest.raises(ValueError, match="exclude"):
        nnspca.certify_parts(cov, 2, 2, warm_start=before)
    nnspca.verify(nnspca.certify_parts(cov, 2, 2, exclude=[0], warm_start=before), cov)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_every_support_can_be_asked_for(n):
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((20, n)))
    ranking = nnspca.solve_all(cov, 1, count=n, within=0.999)
    assert sorted(part.support[0] for part in ranking) == list(range(n)) and ranking.settled == n
