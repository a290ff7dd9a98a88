"""Working sets of the heaviest features, where plain row sums tell too little; no case is worked on in vain."""

import numpy as np
import pytest

import nnspca
from nnspca.bounds import branch, elimination, working
from nnspca.bounds.selection import Limits
from nnspca.certificates.derivations import derive
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from tests import oracle
from tests.problems import few_large, held_as_factor

QUIET = Monitor()


@pytest.fixture
def by_mass(monkeypatch):
    """As if far more rows exceeded what is found than a working set has room for."""
    monkeypatch.setattr(working, "GROWTH", 1000)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_no_working_set_chosen_by_mass_proves_less_than_the_optimum(by_mass, nonnegative):
    for seed in range(3):
        X = few_large(seed, small=(0.1, 0.6))
        A = np.cov(X.T, bias=True)
        for k, cov in ((2, nnspca.Covariance.from_data(X)), (3, held_as_factor(X))):
            best = oracle.optimum(A, k, nonnegative)[0]
            part = nnspca.solve(cov, k, nonnegative=nonnegative)
            budgets = {"features": 12, "budget": 120 * 12**2.5, "goal": 0.0, "monitor": QUIET}
            problem, x = Problem(cov, k, nonnegative), np.asarray(part.loadings)
            made = list(working.tighten(problem, x, 0.5 * part.variance, 2 * cov.trace, **budgets))
            assert made
            for bound in made:
                assert bound.value >= best * (1 - 1e-12)
                assert derive(bound.ingredients, Problem(cov, k, nonnegative)) <= bound.value


def test_there_is_no_working_set_without_room_for_as_many_again_as_the_support(by_mass):
    cov = nnspca.Covariance.from_data(few_large(0))
    part = nnspca.solve(cov, 5)
    budgets = {"features": 12, "budget": 1e6, "goal": 0.0, "monitor": QUIET}
    assert not list(working.tighten(Problem(cov, 5, True), np.asarray(part.loadings), 0.0, np.inf, **budgets))


def test_a_case_that_is_low_enough_rests_and_its_budget_goes_to_others():
    cov = held_as_factor(few_large(1, n=40, small=(0.01, 0.05)))
    part = nnspca.solve(cov, 3)
    made = elimination.begin(Problem(cov, 3, True), np.asarray(part.loadings), np.inf, Limits(20, 0.5, 12), QUIET)
    case, meter = made.cases[0], branch.Meter(1e9)
    made._advance(0, meter, goal=10 * cov.trace)
    assert case.is_stalled
    spent = meter.left
    assert case.value < 10 * cov.trace
    assert not made.work(meter, 10 * cov.trace, trees=False) or meter.left >= spent - 1e7
