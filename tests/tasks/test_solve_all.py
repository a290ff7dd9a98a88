"""The best distinct supports, against all supports by enumeration."""

import itertools

import numpy as np
import pytest

import nnspca
from tests import oracle

BOTH = pytest.mark.parametrize("nonnegative", [True, False])


def every_support(A, k, nonnegative):
    """Variance of each support of at most k features whose best component uses all of it, the largest first."""
    values = {}
    for size in range(1, k + 1):
        for S in itertools.combinations(range(len(A)), size):
            value, x = oracle.optimum(A[np.ix_(S, S)], size, nonnegative)
            if (np.abs(x) > 1e-9).all():
                values[S] = value
    return sorted(values.items(), key=lambda pair: -pair[1])


def weakly_correlated(rng, *, below):
    """Features of one variance, each two of which hardly vary together, on average by less than nothing."""
    E = rng.normal(-below, 0.03, size=(5, 5))
    return nnspca.Covariance.from_matrix(np.where(np.eye(5), 1.0, (E + E.T) / 2))


@BOTH
@pytest.mark.parametrize("seed", [1, 3, 4, 6])
def test_no_support_is_missing_between_those_listed_and_each_is_the_best_on_itself(seed, nonnegative):
    rng = np.random.default_rng(seed)
    m = 4 if seed == 3 else 20  # few samples: A is held as a factor
    cov = nnspca.Covariance.from_data(rng.normal(size=(m, 6)) @ rng.normal(size=(6, 6)))
    if seed > 3:
        cov = weakly_correlated(rng, below=0.02 * (seed - 4))
    every = np.arange(cov.n_features)
    A, k = cov.block(every, every), 1 + seed if seed < 4 else seed - 2
    known = every_support(A, k, nonnegative)
    for count, within in ((3, 0.9), (50, 0.1), (1, 0.0)):
        found = nnspca.solve_all(cov, k, count=count, within=within, nonnegative=nonnegative)
        wanted = [pair for pair in known[:count] if pair[1] >= known[0][1] * (1 - within) * (1 + 1e-9)]
        assert [part.variance for part in found][: len(wanted)] == pytest.approx([v for _, v in wanted])
        ties = found.components[-1].variance * (1 + 1e-9) if len(found) == count else 0.0
        assert {tuple(part.support.tolist()) for part in found} >= {S for S, value in wanted if value > ties}
        others = dict(known)
        for part in found:
            assert part.variance == pytest.approx(others.pop(tuple(part.support.tolist())))
        assert found.rest >= max(others.values(), default=0.0)
        assert found.settled == len(found) or found.rest >= found.components[found.settled].variance
        assert not found.stopped


def test_a_support_on_which_one_feature_alone_is_the_best_is_not_listed():
    cov = nnspca.Covariance.from_matrix([[1.0, -0.005, 0.0], [-0.005, 1.0, 0.0], [0.0, 0.0, 0.5]])
    found = nnspca.solve_all(cov, 2, within=0.9)
    assert [part.support.tolist() for part in found] in ([[0], [1], [2]], [[1], [0], [2]])
    assert found.settled == 3 and found.rest < 0.5


def test_on_real_data_the_first_is_the_best_and_all_are_settled(pitprops):
    found = nnspca.solve_all(pitprops, 5, within=0.05)
    assert found.components[0].variance == pytest.approx(nnspca.solve(pitprops, 5).variance)
    assert found.settled == len(found) > 1 and "topdiam" in found.summary()
    without = nnspca.solve_all(pitprops, 5, within=0.05, exclude=["topdiam"])
    assert all(len(part.loadings) == 13 and not part.loadings[0] for part in without)


def test_what_a_stopped_search_says_holds():
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("digits"))
    found = nnspca.solve_all(cov, 12, within=0.5, time_limit=1.0)
    assert found.stopped and found.rest >= found.components[-1].variance
    assert found.rest <= cov.trace * 1.001
    at_once = nnspca.solve_all(cov, 12, should_stop=lambda: True)
    assert at_once.stopped and at_once.settled == 0
    for said in (repr(at_once), at_once.summary()):  # nothing is the best yet
        assert "stopped" in said and "the best support" not in said
    assert "stopped" not in repr(nnspca.solve_all(nnspca.Covariance.from_matrix(np.diag([2.0, 1.0])), 1))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_every_support_can_be_asked_for(n):
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((20, n)))
    ranking = nnspca.solve_all(cov, 1, count=n, within=0.999)
    assert sorted(part.support[0] for part in ranking) == list(range(n)) and ranking.settled == n
