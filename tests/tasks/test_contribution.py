"""Contributions, held against the definition and against every exchange worked out by brute force."""

import numpy as np
import pytest

import nnspca
from tests import oracle

BOTH = pytest.mark.parametrize("nonnegative", [True, False])


def covariance(seed, n=7, held="matrix"):
    X = np.random.default_rng(seed).normal(size=(5 if held == "factor" else 20, n))
    X += 0.7 * X[:, :1]
    if held == "factor":
        return nnspca.Covariance.from_data(X), np.cov(X, rowvar=False, bias=True)
    A = np.cov(X, rowvar=False, bias=True)
    return nnspca.Covariance.from_matrix(A), A


def best_on(A, features, nonnegative):
    """The largest variance with no features but these."""
    if not len(features):
        return 0.0
    return float(oracle.optimum(A[np.ix_(features, features)], len(features), nonnegative)[0])


@BOTH
@pytest.mark.parametrize("held", ["matrix", "factor"])
@pytest.mark.parametrize("seed", range(4))
def test_every_number_is_what_it_says(seed, held, nonnegative):
    cov, A = covariance(seed, held=held)
    part = nnspca.solve(cov, 3, nonnegative=nonnegative)
    x, inside = part.loadings, part.support
    whole = 0.0
    for i in range(7):
        why = nnspca.contribution(cov, part, i)
        rest = np.where(np.arange(7) == i, 0.0, x)
        assert why.others.tolist() == [j for j in inside if j != i]
        assert np.allclose(why.covariances, A[i, why.others])
        assert why.pull == pytest.approx(A[i] @ rest)
        assert why.variance * (1 - why.held) == pytest.approx(rest @ A @ rest)
        whole += why.own + why.shares.sum() / 2
        without = np.setdiff1d(inside, [i])
        if i in inside:
            exchanges = {j: best_on(A, [*without, j], nonnegative) for j in range(7) if j not in inside}
            switched = best_on(A, without, nonnegative)
        else:
            exchanges = {j: best_on(A, [*(s for s in inside if s != j), i], nonnegative) for j in inside}
            switched = best_on(A, [*inside, i], nonnegative)
        # what was found is attained; of so few features, nothing is missed where the sign is free
        assert why.switched <= switched * (1 + 1e-9)
        assert why.exchanged <= max(exchanges.values()) * (1 + 1e-9)
        if not nonnegative:
            assert why.switched == pytest.approx(switched)
            assert why.exchanged == pytest.approx(max(exchanges.values()))
        if why.partner is not None:
            assert why.exchanged <= exchanges[why.partner] * (1 + 1e-9)
        assert why.loss >= -1e-12 or i not in inside
        assert why.loss_exchanged == pytest.approx(1 - why.exchanged / part.variance)
    assert whole == pytest.approx(1.0)


def test_a_component_of_one_feature_of_all_and_one_that_cannot_take_another_in():
    cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0, 1.0]))
    alone = nnspca.contribution(cov, nnspca.solve(cov, 1), 0)
    assert (alone.switched, alone.partner, alone.exchanged) == (0.0, 1, 2.0)
    assert (alone.loss, alone.held, len(alone.others)) == (1.0, 1.0, 0)
    other = nnspca.contribution(cov, nnspca.solve(cov, 1), 2)
    assert (other.partner, other.exchanged, other.switched) == (0, 1.0, 3.0)
    full = nnspca.Covariance.from_matrix(np.eye(3) + 1)
    why = nnspca.contribution(full, nnspca.solve(full, 3), 1)
    assert why.partner is None
    assert why.exchanged == why.switched == pytest.approx(3.0)
    against = nnspca.Covariance.from_matrix([[2.0, 1.0, -1.0], [1.0, 2.0, -1.0], [-1.0, -1.0, 2.0]])
    refused = nnspca.contribution(against, nnspca.solve(against, 2), 2)
    assert refused.pull < 0
    assert refused.loss == 0.0
