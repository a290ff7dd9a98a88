"""Planned eliminations: few cases for many numbers of features outside, each of them as valid as any."""

import numpy as np
import pytest

import nnspca
from nnspca.bounds import branch, elimination, masses
from nnspca.bounds.elimination import selection
from nnspca.bounds.elimination.selection import Limits
from nnspca.certificates.derivations import derive
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from tests import oracle, problems
from tests.problems import few_large, held_as_factor

QUIET = Monitor()


@pytest.mark.parametrize("nonnegative", [True, False])
def test_no_planned_elimination_proves_less_than_the_optimum(nonnegative):
    proven = 0
    for seed in range(4):
        X = few_large(seed, n=11)
        A, cov = np.cov(X.T, bias=True), held_as_factor(X)
        attained = problems.Problem("few large", cov, A, lambda x, X=X: oracle.exact_variance_of_data(X, x), X).attained
        for k in (2, 3, 5):
            x = oracle.optimum(A, k, nonnegative)[1]
            posed = Problem(cov, k, nonnegative)
            made = elimination.begin(posed, x, np.inf, Limits(10, 3e-3, k + 1, plan_cases=True), QUIET)
            if made is None:
                continue
            assert made.planned[0] == 0
            meter = branch.Meter(1e12)
            for _ in range(6):
                if not made.work(meter, 0.0, False):
                    break
                assert not made.planned
                bound = made.bound()
                if np.isfinite(bound.value):
                    proven += 1
                    assert oracle.allows(bound.value, attained(k, nonnegative))
                    assert derive(bound.ingredients, posed) <= bound.value
    assert proven > 10


def test_one_case_does_where_what_lies_outside_holds_nothing():
    kept = np.linspace(1, 0, 11)
    assert selection._planned(kept, np.zeros(11)) == (0,)


def test_a_case_begins_where_the_one_before_it_would_rise_above_the_aim():
    kept, lost = np.linspace(1, 0, 11), 0.01 * np.arange(11)
    firsts = selection._planned(kept, lost)
    raised = (1 - lost) / (1 - 2 * lost)
    for first, end in zip(firsts, (*firsts[1:], 10), strict=True):
        reached = kept[first] * (1 + selection.SLACK) * raised
        assert (reached[first:end] <= selection.AIM).all()
        assert end == 10 or reached[end] > selection.AIM


def test_no_case_does_where_one_feature_outside_can_hold_more_than_it_is_worth():
    kept, lost = np.linspace(1, 0.9, 11), 0.2 * np.arange(11)
    assert selection._planned(kept, lost) == ()


def test_a_certificate_at_a_large_k_is_planned_and_proves_more_than_balanced_rows(monkeypatch):
    monkeypatch.setattr(elimination.run, "MANY", 30)
    rng = np.random.default_rng(0)
    scales = np.exp(0.8 * rng.standard_normal(900))
    X = (rng.standard_normal((40, 4)) @ rng.random((4, 900)) + rng.standard_normal((40, 900))) * scales
    cov = nnspca.Covariance.from_data(X)
    cert = nnspca.certify(cov, 30)
    nnspca.verify(cert, cov)
    assert cert.winner.name == "elimination"
    assert cert.ratio > 0.999
    assert cert.lower < 0.995 * cert.bound("balanced-rows").value
    low = masses.attained(cov, cert.component.loadings)
    assert low <= cert.lower <= cert.upper
