"""Cases of an elimination: each begins at what the one before it has found, and a T that was too small is left."""

import itertools

import numpy as np
import pytest

import nnspca
from nnspca.bounds import elimination, masses
from nnspca.bounds.cases import Elimination, _joined
from nnspca.bounds.selection import Limits
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import SeriesProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from tests.benchmarks.data import expression_array

QUIET = Monitor()
K = 30
LOSS = 3e-3


@pytest.fixture(scope="module")
def posed():
    """A made-up expression array, and the best point known of it."""
    cov = nnspca.Covariance.from_data(np.sqrt(expression_array(40, 900, 1)))
    return Problem(cov, K, True), np.asarray(nnspca.solve(cov, K).loadings)


@pytest.fixture(scope="module")
def begun(posed):
    """An elimination of it, some way down."""
    made = elimination.choose(*posed, np.inf, Limits(300, LOSS), QUIET)
    for _ in range(40):
        made.work(0.0, False)
    return made


@pytest.mark.slow
def test_a_bound_proves_what_all_cases_prove_by_as_few_as_it_needs(begun):
    bound = begun.bound()
    assert bound.value == begun.upper_bounds()[0].max()
    assert derive(bound.ingredients, begun.problem) <= bound.value
    firsts = [K - cardinality for cardinality in bound.ingredients.cardinalities]
    assert firsts == sorted(set(firsts))
    for q in firsts[1:]:  # what serves the number before it would prove more there
        serving = max(p for p in firsts if p < q)
        assert any(begun._value(p, begun.cases[serving].value) > bound.value for p in range(serving, K))


def test_there_are_no_more_splittings_than_their_proofs_may_be_stored(begun, monkeypatch):
    held = [case for case in begun.cases.values() if case.splitting is not None]
    monkeypatch.setattr("nnspca.bounds.branch.TREE_ENTRIES", 2 * len(held) * len(begun.inside) ** 2)
    fresh = next(case for case in begun.cases.values() if case not in held)
    before = fresh.source
    fresh.source = None  # its own splitting is the only one to continue
    assert not begun._step(next(q for q, case in begun.cases.items() if case is fresh), 0.0)
    fresh.source = before


def test_the_proofs_by_the_same_multipliers_are_stored_once(begun):
    proofs = begun.bound().ingredients.proofs
    series = [proof for proof in proofs if isinstance(proof, SeriesProof)]
    assert len(series) < sum(len(proof.cardinalities) for proof in series)
    assert len({id(proof.L) for proof in series}) == len(series)


@pytest.mark.parametrize(("most", "cramped"), [(0.6, True), (0.01, False)])
def test_a_part_is_too_small_where_the_upper_bound_is_that_of_features_outside_that_may_hold_much(posed, most, cramped):
    made = elimination.choose(*posed, np.inf, Limits(300, LOSS), QUIET)
    made.excluded_mass = np.where(np.arange(K) == K - 1, most, 1e-6 * np.arange(K))
    for case in made.cases.values():
        case.value, case.is_stalled = made.lower_bound * 1.001, True
    assert made.needs_larger_subset(np.inf) == cramped
    for case in made.cases.values():
        case.is_stalled = False
    total = float(made.upper_bounds()[0].max())
    assert made.needs_larger_subset(made.lower_bound * 1.1) == cramped, "another bound is lower"
    assert not made.needs_larger_subset(total * 1.01), "it is the least bound"
    assert not made.needs_larger_subset(made.lower_bound * 1.002), "the gap on few features is as large"


def test_a_series_names_no_number_of_features_twice_where_few_are_kept(posed):
    """With fewer features than places, several cases are about all of them."""
    problem, x = posed
    made = Elimination(problem, x, masses.attained(problem.cov, x), np.flatnonzero(x)[:5], 1e-3 * np.arange(K + 1))
    for _ in range(12):
        made.work(0.0, False)
    for q in (3, 7, 12):
        made._open(q)
    proofs = _joined([made.cases[q] for q in sorted(made.cases)])
    series = [proof for _, proof in proofs if isinstance(proof, SeriesProof)]
    assert len(made.cases) > 3
    assert all(a > b for proof in series for a, b in itertools.pairwise(proof.cardinalities))
