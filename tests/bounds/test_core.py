"""Core and rim: valid whatever the core and the weights, and near the optimum where spectra are flat."""

import dataclasses

import numpy as np
import pytest

import nnspca
from nnspca import check
from nnspca.bounds import balanced, certificate, core
from nnspca.bounds.core import Outside, extended, part_of
from nnspca.bounds.pair_scaled import proof_of
from nnspca.bounds.plan import PLANS
from nnspca.bounds.splitting import Splitting
from nnspca.certificates.derivations import derive
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError
from nnspca.result import Bound
from tests import oracle, problems
from tests.problems import few_large, held_as_factor, wide


def on(problem, inside, weights, *, steps, room, least):
    """The bound of one core at these weights, with the value of its core alone."""
    part = dataclasses.replace(problem, cov=part_of(problem.cov, inside))
    x = np.full((1, len(inside)), len(inside) ** -0.5)
    splitting = Splitting(part, x)
    splitting.begin_balanced(weights[inside], float(part.cov.diagonal.max()), consistent=False)
    for _ in range(steps):
        splitting.advance()
    value, proof = proof_of(part, *splitting.multipliers(), level=False)
    found = extended(Outside(problem, Monitor(), problem.n, weights), inside, value, proof, 1, least, 0.0, steps, room)
    return None if found is None else found[0]


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("make", problems.MATRICES + problems.DATA, ids=lambda make: make.__name__)
def test_no_core_and_no_weights_prove_less_than_the_optimum(make, nonnegative):
    rng, proven = np.random.default_rng(66), 0
    for _ in range(7):
        n = int(rng.integers(3, 9))
        made = make(rng, n)
        k, inside = int(rng.integers(1, n + 1)), np.flatnonzero(rng.random(n) < 0.6)
        if not 0 < len(inside) < n:
            continue
        problem = Problem(made.cov, k, nonnegative)
        weights = np.exp(rng.normal(0.0, rng.choice([0.0, 1.0, 5.0]), n))
        steps, room = int(rng.integers(1, 40)), float(rng.random())
        bound = on(
            problem, inside, weights, steps=steps, room=room, least=float(rng.choice([1.2, 9.0])) * made.cov.trace
        )
        if bound is not None:
            proven += 1
            assert oracle.allows(bound.value, made.attained(k, nonnegative))
            assert oracle.allows(derive(bound.ingredients, problem), made.attained(k, nonnegative))
            assert derive(bound.ingredients, problem) <= bound.value
    assert proven or make is problems.zero_rows


def flat(seed=0, m=40, n=240):
    """Features that follow a few of many programs of nearly the same strength."""
    rng = np.random.default_rng(seed)
    programs = rng.standard_normal((20, n)) * (rng.random((20, n)) < 0.15)
    varying = rng.standard_normal((m, 20)) @ programs + 0.5 * rng.standard_normal((m, n))
    return varying * rng.gamma(2.0, 0.5, n)


@pytest.fixture(scope="module")
def proven():
    cov = held_as_factor(flat())
    problem, x = Problem(cov, 20), nnspca.solve(cov, 20).loadings
    rows = balanced.balanced_rows(problem, monitor=Monitor(), lower=cov.variance(x))
    words = {"budget": 2.0, "goal": cov.variance(x), "monitor": Monitor(), "read": 10**6, "flat": True}
    order = np.argsort(-rows.ingredients.weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "MOST_IN_CORE", 120)
        made = list(core.bounds(problem, x, order, rows.ingredients.weights, rows.value, **words))
    return cov, x, rows, made


def test_a_core_proves_more_than_the_rows_it_begins_with(proven):
    cov, x, rows, made = proven
    values = [bound.value for bound in made]
    assert values == sorted(values, reverse=True) and cov.variance(x) <= values[-1]
    assert values[-1] - cov.variance(x) < 0.6 * (rows.value - cov.variance(x))


def test_a_core_of_a_flat_spectrum_has_its_full_size_once_rows_joined(proven):
    assert len(proven[-1][0].ingredients.features) == 120


def test_its_proof_survives_judge_file_and_exact_checker(proven, tmp_path):
    made = proven[-1]
    X = flat()
    cov = nnspca.Covariance.from_data(X)
    cert = nnspca.certify(cov, 20, component=nnspca.solve(cov, 20))
    problem = Problem(cov, 20)
    value = derive(made[-1].ingredients, problem)
    cert = dataclasses.replace(
        cert, upper=value, bounds=(*cert.bounds[:1], Bound("pair-scaled", value, ingredients=made[-1].ingredients))
    )
    assert check.main(oracle.judged_files(cert, cov, X, tmp_path)) == 0


@pytest.mark.parametrize(
    "weights", [np.zeros(240), np.full(240, np.nan), np.full(240, 1e60), np.ones(239), -np.ones(240)]
)
def test_weights_that_prove_nothing_are_refused(proven, weights):
    cov, _, _, made = proven
    with pytest.raises(CertificateError, match="weights"):
        derive(dataclasses.replace(made[-1].ingredients, weights=weights), Problem(cov, 20))


def test_nothing_is_tried_where_rows_outside_cost_too_much_by_themselves():
    rng = np.random.default_rng(3)
    problem = Problem(held_as_factor(rng.standard_normal((30, 240))), 20)
    x = nnspca.solve(problem.cov, 20).loadings
    words = {"budget": 0.05, "goal": problem.cov.variance(x), "monitor": Monitor(), "read": 10**6}
    assert not list(core.bounds(problem, x, np.arange(240), np.ones(240), 2 * words["goal"], **words))


def bounds_of(cov, X, k, nonnegative=True, **more):
    """What cores prove of parts, beginning with balanced rows."""
    problem, lower = Problem(cov, k, nonnegative), sum(map(cov.variance, np.atleast_2d(X)))
    weights = balanced.balanced_rows(problem, monitor=Monitor()).ingredients.weights
    words = {"budget": 0.1, "goal": lower, "monitor": Monitor(), "read": 10**6}
    return list(
        core.bounds(problem, X, np.argsort(-weights), weights, len(np.atleast_2d(X)) * cov.trace, **words | more)
    )


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("flat", [True, False])
def test_no_core_on_its_way_proves_less_than_the_optimum(nonnegative, flat):
    ratios = []
    for seed in range(2):
        X = few_large(seed, small=(0.1, 0.6))
        A = np.cov(X.T, bias=True)
        for k, cov in ((1, held_as_factor(X)), (2, nnspca.Covariance.from_data(X)), (3, held_as_factor(X))):
            best = oracle.optimum(A, k, nonnegative)[0]
            x = nnspca.solve(cov, k, nonnegative=nonnegative).loadings
            made = bounds_of(cov, x, k, nonnegative, flat=flat)
            values = [bound.value for bound in made]
            assert values == sorted(values, reverse=True)
            assert all(value >= best * (1 - 1e-12) for value in values)
            for bound in made[-2:]:
                assert derive(bound.ingredients, Problem(cov, k, nonnegative)) <= bound.value
                ratios.append(best / bound.value)
    assert max(ratios) > 0.99


@pytest.mark.parametrize(("k", "budget"), [(7, 0.1), (2, -0.1)])
def test_there_is_no_core_without_room_for_as_many_again_as_the_support_or_without_work(k, budget):
    cov = nnspca.Covariance.from_data(few_large(0))
    assert not bounds_of(cov, nnspca.solve(cov, k).loadings, k, budget=budget)


def test_a_core_is_near_the_optimum_of_several_parts():
    cov = wide(12)
    parts = nnspca.decompose(cov, 2, 3, deflation="together")
    made = bounds_of(cov, np.array([part.loadings for part in parts.parts]), 3, budget=0.5)
    assert parts.cumulative_variance[-1] / made[-1].value > 0.95
    assert derive(made[-1].ingredients, Problem(cov, 3), 2) <= made[-1].value


def test_parts_that_leave_no_room_in_a_core_have_a_larger_one():
    cov, k, budget = wide(12), 12, 0.01
    parts = nnspca.decompose(cov, 2, k, deflation="together")
    assert 2 * 2 * k > (budget / (core.CORE_STEPS * core.STEP)) ** 0.4
    bound = bounds_of(cov, parts.loadings.T, k, budget=budget)[-1]
    assert derive(bound.ingredients, Problem(cov, k), 2) <= bound.value
    assert 0.8 < parts.variances.sum() / bound.value <= 1


@pytest.mark.parametrize(("upper_bound", "tried"), [(None, 1), (1.04, 0), (1.08, 1)])
def test_a_core_is_tried_where_no_elimination_came_near(monkeypatch, upper_bound, tried):
    asked = []
    eliminated = [] if upper_bound is None else [Bound("elimination", upper_bound)]
    monkeypatch.setattr(certificate.core, "bounds", lambda *words, **more: asked.append(words) or ())
    monkeypatch.setattr(certificate.elimination, "eliminate", lambda *words, **more: eliminated)
    problem = Problem(held_as_factor(few_large(0)), 2, True)
    known = certificate.Draft(parts=(nnspca.Component(np.zeros(problem.n), 1.0, "given", 2),))
    for bound in certificate.upper_bounds(problem, known, PLANS["live"]):
        known.record(bound, 0.0)
    assert len(asked) == tried
