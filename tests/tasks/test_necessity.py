"""Necessity, held against brute force: every feature called essential is, and no share of weight exceeds its limit."""

import dataclasses

import numpy as np
import pytest

import nnspca
from nnspca.bounds import necessity as without
from nnspca.covariance import samples as making
from nnspca.tasks import _necessity
from tests import oracle, problems
from tests.problems import few_large, held_as_factor

BOTH = pytest.mark.parametrize("nonnegative", [True, False])
EVERY = problems.MATRICES + problems.DATA


@pytest.fixture
def brief(monkeypatch):
    """Some steps of each relaxation: what is said is true after any number of them."""
    spend(monkeypatch, whole=2e-3, each=2e-2)


def spend(patch, **few):
    """Let the live effort spend no more than this."""
    live = dataclasses.replace(_necessity.EFFORTS["live"], **few)
    patch.setattr(_necessity, "EFFORTS", {**_necessity.EFFORTS, "live": live})


def check(problem, k, within, nonnegative, **options):
    """Hold every statement against brute force; return how many features are decided, and of how many."""
    need = nnspca.necessity(problem.cov, k, within, nonnegative=nonnegative, **options)
    n = problem.cov.n_features
    best = problem.attained(k, nonnegative)
    assert need.threshold <= (1 - within) * need.lower
    assert need.lower <= float(best) * (1 + 1e-9) + 1e-9 * problem.cov.representation_error
    assert not (need.essential & need.dispensable).any()
    assert need.dispensable[need.component.loadings == 0].all()
    assert not need.stopped
    for i in range(n):
        if n == 1:
            assert need.essential.all()
            continue
        others = np.delete(np.arange(n), i)
        value, z = oracle.optimum(problem.A[np.ix_(others, others)], min(k, n - 1), nonnegative)
        x = np.zeros(n)
        x[others] = z
        if need.essential[i]:
            assert problem.exact(x) < need.threshold
        if not np.isnan(need.upper_bounds[i]):
            assert oracle.allows(max(need.upper_bounds[i], need.threshold), problem.exact(x))
        if need.dispensable[i]:
            assert value >= need.threshold * (1 - 1e-9) - problem.cov.representation_error
    for x in best_on_their_supports(problem.A, k, nonnegative):
        if problem.exact(x) >= need.threshold:
            assert (x**2 <= need.limit * (1 + 1e-9) + 1e-12).all()
    assert ((need.limit >= 0) & (need.limit <= 1)).all()
    return n - np.count_nonzero(need.undecided), n


def best_on_their_supports(A, k, nonnegative):
    """Every point that is best on its own support, where that is one direction and no other."""
    A = np.asarray(A) / np.abs(A).max()
    values, points = oracle.on_every_support(A, k, nonnegative)
    for value, x in zip(values, points, strict=True):
        if np.isfinite(value) and np.abs((A @ x)[x != 0] - value * x[x != 0]).max() < 1e-12:
            yield x


@BOTH
@pytest.mark.parametrize("within", [0.0, 0.01, 0.3])
def test_what_is_said_agrees_with_brute_force(within, nonnegative, brief):
    rng = np.random.default_rng(16)
    for make in EVERY:
        n = int(rng.integers(1, 8))
        check(make(rng, n), int(rng.integers(1, n + 1)), within, nonnegative)


@BOTH
@pytest.mark.parametrize("sparse", [True, False])
def test_so_it_does_where_the_covariance_is_never_formed(sparse, nonnegative, brief, monkeypatch):
    monkeypatch.setattr(making, "DENSE_FEATURES", 1)
    rng = np.random.default_rng(3)
    for within in (0.0, 0.05):
        problem = problems.factored(rng, 8, sparse=sparse)
        assert problem.cov.matrix is None
        check(problem, int(rng.integers(1, 6)), within, nonnegative)


@BOTH
@pytest.mark.parametrize("seed", range(2))
def test_so_it_does_where_most_features_are_set_aside(seed, nonnegative, brief, monkeypatch):
    monkeypatch.setattr(without, "BRANCHED", 6)
    chosen = []
    begin = without.whole_relaxation
    monkeypatch.setattr(without, "whole_relaxation", lambda *given: (chosen.append(begin(*given)), chosen[-1])[1])
    X = few_large(seed, n=12)
    A = np.cov(X.T, bias=True)
    for cov in (nnspca.Covariance.from_data(X), held_as_factor(X)):
        problem = problems.Problem("few large", cov, A, lambda x: oracle.exact_variance_of_data(X, x), X)
        for k in (2, 3):
            check(problem, k, 0.01, nonnegative)
    assert any(whole is not None and len(whole.inside) < 12 for whole in chosen)


@BOTH
@pytest.mark.parametrize("seed", range(2))
def test_a_feature_is_not_called_essential_because_no_example_was_found(seed, nonnegative, monkeypatch):
    """Poor examples leave it all to the bounds, and many features that one can do without."""

    def poor(question, i, monitor):
        cov = question.problem.cov
        x = np.zeros(cov.n_features)
        x[np.delete(np.arange(cov.n_features), i)[0]] = 1.0
        return x

    monkeypatch.setattr(_necessity._Question, "_best_without", poor)
    rng = np.random.default_rng(seed)
    for within in (0.02, 0.1, 0.3):
        check(problems.many_samples(rng, 8), 4, within, nonnegative)


@BOTH
def test_most_features_of_ordinary_problems_are_decided(nonnegative):
    rng = np.random.default_rng(0)
    counts = [check(problems.many_samples(rng, 8), k, 0.01, nonnegative) for k in (1, 2, 3, 5, 8)]
    decided, asked = np.sum(counts, axis=0)
    assert decided >= 0.95 * asked


def test_the_thorough_effort_decides_what_the_live_one_leaves_open(monkeypatch):
    """With next to no work allowed to the live one."""
    rng = np.random.default_rng(2)
    spend(monkeypatch, whole=0.0, each=0.0)
    problem = problems.many_samples(rng, 9)
    (few, n), (more, _) = (check(problem, 4, 0.0, True, effort=effort) for effort in ("live", "thorough"))
    assert few < more == n


def test_one_feature_stands_for_many_and_two_equal_ones_for_each_other():
    """A = diag(4, 4 J, J), J = [[1, 1], [1, 1]]: for k = 2 the pair of 4s holds 8, anything without one of it 4."""
    J = np.ones((2, 2))
    A = np.zeros((5, 5))
    A[0, 0], A[1:3, 1:3], A[3:, 3:] = 4.0, 4 * J, J
    cov = nnspca.Covariance.from_matrix(A)
    need = nnspca.necessity(cov, 2, 0.01)
    assert need.component.support.tolist() == [1, 2]
    assert np.flatnonzero(need.essential).tolist() == [1, 2]
    assert 4.0 <= need.upper_bounds[1] <= 4.0 * (1 + 1e-9)
    half = nnspca.necessity(cov, 2, 0.51)  # below 4: feature 0 alone is near-best
    assert half.dispensable.all()
    # by its variance alone 4 / 7.92 for a feature of the pair; by its row x_i² (7.92 − 1)² <= 1 − x_i² for the others,
    # of which each has but the other as a companion: what one can hold falls with what the other can, stage by stage
    assert need.limit[1] == pytest.approx(4 / (0.99 * 8), rel=1e-9)
    assert 0 <= need.limit[3] < 1e-6 < 1 / (1 + (0.99 * 8 - 1) ** 2)


def test_of_equal_features_that_are_negatively_correlated_none_is_needed():
    for n in (3, 5):
        need = nnspca.necessity(nnspca.Covariance.from_matrix(1.1 * np.eye(n) - 0.1), n, 0.0)
        assert need.component.cardinality == 1 and need.dispensable.all()


@pytest.mark.parametrize("n", [2, 3])
def test_where_all_else_has_no_variance_the_question_stays_open_if_rounding_alone_may_reach_the_threshold(n):
    cov = nnspca.Covariance.from_matrix(np.diag([1.0, 0.0, 0.0][:n]))
    assert nnspca.necessity(cov, 1, 1 - 1e-12, effort="thorough").essential.tolist() == [True, False, False][:n]
    assert nnspca.necessity(cov, 1, 1 - 1e-15, effort="thorough").undecided[0]


def test_a_better_component_that_is_met_takes_the_place_of_the_one_given():
    cov = nnspca.Covariance.from_matrix(np.diag([1.0, 2.0, 3.0]))
    poor = nnspca.Component(np.array([1.0, 0.0, 0.0]), 1.0, "given", 1)
    need = nnspca.necessity(cov, 1, component=poor)
    assert need.component.support.tolist() == [2]
    assert need.component.variance == 3.0
    assert need.essential.tolist() == [False, False, True]


def test_nothing_of_an_answer_can_be_changed():
    need = nnspca.necessity(nnspca.Covariance.from_matrix(np.eye(3)), 1)
    for name in ("essential", "dispensable", "limit", "upper_bounds"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(need, name)[0] = 0


@pytest.mark.parametrize("polls", [0, 2, 20, 60])
def test_whenever_it_is_stopped_what_is_said_is_true(polls):
    rng = np.random.default_rng(4)
    problem = problems.many_samples(rng, 9)
    asked = []
    need = nnspca.necessity(problem.cov, 4, 0.0, should_stop=lambda: (asked.append(0), len(asked) > polls)[1])
    assert need.stopped
    assert len(asked) < polls + 40
    for i in np.flatnonzero(need.essential):
        others = np.delete(np.arange(9), i)
        assert oracle.optimum(problem.A[np.ix_(others, others)], 4)[0] < need.threshold
    value, x = oracle.optimum(problem.A, 4)
    if value >= need.threshold:
        assert (x**2 <= need.limit * (1 + 1e-9)).all()
