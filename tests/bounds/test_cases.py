"""Cases of an elimination: each begins at what the one before it has found, and a T that was too small is left."""

import itertools

import numpy as np
import pytest

import nnspca
from nnspca.bounds import branch, elimination, masses
from nnspca.bounds.elimination.cases import Elimination, _joined
from nnspca.bounds.elimination.policy import Action, Kind, State, next_action
from nnspca.bounds.elimination.selection import Limits
from nnspca.bounds.plan import step_seconds
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
    made = elimination.begin(*posed, np.inf, Limits(300, LOSS), QUIET)
    meter = branch.Meter(1e12)
    for _ in range(40):
        made.work(meter, 0.0, False)
    return made


def test_a_case_takes_what_known_multipliers_prove_of_it_and_again_when_there_are_better_ones(posed):
    made = elimination.begin(*posed, np.inf, Limits(300, LOSS), QUIET)
    meter, taken = branch.Meter(1e12), []
    for _ in range(60):
        action = next_action(made._state(), False)
        if action is None:
            break
        before = made.cases[action.q_min].value if action.q_min in made.cases else np.inf
        made._take(action, meter, 0.0)
        if made.sources and action.kind in (Kind.OPEN, Kind.TRANSFER):
            case = made.cases[action.q_min]
            taken.append(action.kind)
            assert case.version == made.version
            least = min(series.estimate(case.problem.k) for series in made.sources.values())
            assert case.value <= min(before, (least + made.error) * (1 + 1e-3))
    assert {*taken} == {Kind.OPEN, Kind.TRANSFER}


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


@pytest.mark.parametrize(("stalled", "opened"), [(True, {15}), (False, set())])
def test_a_case_is_split_where_its_splitting_rests_and_its_last_number_of_features_outside_keeps_the_bound_up(
    posed, stalled, opened
):
    made = elimination.begin(*posed, np.inf, Limits(300, LOSS), QUIET)
    made.excluded_mass = 0.1 * (np.arange(K) / K) ** 4
    assert set(made.cases) == {0}
    made.cases[0].value, made.cases[0].is_stalled = made.lower_bound * 1.001, stalled
    made.work(branch.Meter(1e12), 0.0, False)
    assert set(made.cases) - {0} == opened


def test_there_are_no_more_splittings_than_their_proofs_may_be_stored(begun, monkeypatch):
    held = [case for case in begun.cases.values() if case.splitting is not None]
    monkeypatch.setattr("nnspca.bounds.elimination.cases.STORED", 2 * len(held) * len(begun.inside) ** 2)
    fresh = next(case for case in begun.cases.values() if case not in held)
    assert not begun._has_room(fresh)
    assert begun._has_room(held[0])
    assert {q for q, case in begun.cases.items() if case not in held} <= begun._state().resting


def test_the_proofs_by_the_same_multipliers_are_stored_once(begun):
    proofs = begun.bound().ingredients.proofs
    series = [proof for proof in proofs if isinstance(proof, SeriesProof)]
    assert len(series) < sum(len(proof.cardinalities) for proof in series)
    assert len({id(proof.L) for proof in series}) == len(series)


def test_a_part_on_which_nothing_was_gained_is_left_for_one_twice_as_large(posed, monkeypatch):
    asked = []
    plain = elimination.begin

    def recorded(*args, companions, hurried):
        asked.append(args[3].smallest)
        return plain(*args, companions=companions) if len(asked) == 1 else None  # then it goes on with what it has

    monkeypatch.setattr(elimination.run, "begin", recorded)
    (problem, x), wide = posed, Limits(600, LOSS)
    least = float(x @ problem.cov.apply(x)) * (1 + 1e-3)
    size = len(plain(problem, x, least, wide, QUIET).inside)
    budget = elimination.Budget(70 * step_seconds(size))
    assert not list(elimination.tighten(problem, x, least, wide, budget, goal=0.0, monitor=QUIET))
    assert asked == [wide.smallest, 2 * size]


@pytest.mark.parametrize("cramped", [False, True])
def test_a_part_outside_which_too_much_may_lie_is_left_for_one_twice_as_large(posed, monkeypatch, cramped):
    asked, plain = [], elimination.begin

    def recorded(*args, companions, hurried):
        asked.append(args[3].smallest)
        return plain(*args, companions=companions) if len(asked) == 1 else None

    (problem, x), wide = posed, Limits(600, LOSS)
    size = len(plain(problem, x, np.inf, wide, QUIET).inside)
    monkeypatch.setattr(elimination.run, "begin", recorded)
    monkeypatch.setattr(Elimination, "work", lambda *_: False)  # no way is left
    monkeypatch.setattr(Elimination, "needs_larger_subset", cramped)
    (made,) = elimination.tighten(problem, x, np.inf, wide, elimination.Budget(1e12), goal=0.0, monitor=QUIET)
    assert np.isfinite(made.value)
    assert asked == ([wide.smallest, 2 * size] if cramped else [wide.smallest])


@pytest.mark.parametrize(("most", "cramped"), [(0.4, True), (0.01, False)])
def test_a_part_is_too_small_where_the_upper_bound_is_that_of_features_outside_that_may_hold_much(posed, most, cramped):
    made = elimination.begin(*posed, np.inf, Limits(300, LOSS), QUIET)
    made.excluded_mass = np.where(np.arange(K) == K - 1, most, 1e-6 * np.arange(K))
    for case in made.cases.values():
        case.value = made.lower_bound * 1.001
    assert made.needs_larger_subset == cramped


@pytest.mark.parametrize(
    ("values", "changes", "trees", "action"),
    [
        ([1.0, 2.0, np.inf, 1.0], {}, True, None),
        ([3.0, 2.0, 1.0, 1.0], {}, False, Action(Kind.ADVANCE, 0)),
        ([3.0, 2.0, 1.0, 1.0], {"outdated": {0}}, False, Action(Kind.TRANSFER, 0)),
        ([3.0, 2.0, 1.0, 1.0], {"resting": {0}}, True, Action(Kind.BRANCH, 0)),
        ([3.0, 2.0, 1.0, 1.0], {"resting": {0}}, False, None),
        ([2.0, 2.0, 2.5, 3.0], {}, False, Action(Kind.ADVANCE, 0)),  # its multipliers serve all others
        ([0.6, 1.5, 2.0, 3.0], {}, False, Action(Kind.ADVANCE, 0)),
        ([0.6, 1.5, 2.0, 3.0], {"resting": {0}}, False, Action(Kind.OPEN, 2)),  # nothing is left to gain at 0
        ([1.0, 1.5, 2.0, 3.0], {"sources": {0: 0}}, False, Action(Kind.OPEN, 2)),
        ([2.9, 2.9, 2.9, 3.0], {"sources": {0: 0}}, False, Action(Kind.ADVANCE, 0)),  # a case between hardly helps
        ([1.0, 1.5, 2.0, 3.0], {"sources": {0: 0}, "cases": {0, 2}}, False, Action(Kind.OPEN, 3)),
        ([1.0, 1.5, 2.0, 3.0], {"sources": {0: 0}, "cases": {0, 2}, "outdated": {2}}, False, Action(Kind.TRANSFER, 2)),
        ([1.0, 1.5, 2.0, 3.0], {"sources": {0: 0, 3: 0}, "cases": {0, 3}}, False, Action(Kind.ADVANCE, 0)),
        ([1.0, 1.5, 2.0, 3.0], {"sources": {3: 0}, "cases": {0, 3}, "resting": {0}}, False, Action(Kind.ADVANCE, 3)),
        ([2.0, 1.5, 2.0, 3.0], {"sources": {0: 0, 3: 0}, "cases": {0, 3}}, False, Action(Kind.ADVANCE, 0)),
        ([1.0, 1.5, 2.0, 3.0], {"sources": {3: 0}, "cases": {0, 3}, "resting": {3}}, False, Action(Kind.ADVANCE, 0)),
    ],
)
def test_the_next_action_is_on_the_case_behind_the_largest_value(values, changes, trees, action):
    state = {"cases": {0}, "resting": set(), "outdated": set(), "sources": {}} | changes
    bounds = {"values": np.array(values), "origin": np.zeros(4, dtype=int), "lower_bound": 0.5}
    assert next_action(State(**state, **bounds), trees) == action


def test_a_series_names_no_number_of_features_twice_where_few_are_kept(posed):
    """With fewer features than places, several cases are about all of them."""
    problem, x = posed
    made = Elimination(problem, x, masses.attained(problem.cov, x), np.flatnonzero(x)[:5], 1e-3 * np.arange(K + 1))
    meter = branch.Meter(1e12)
    for _ in range(12):
        made.work(meter, 0.0, False)
    for q in (3, 7, 12):
        made._open(q, meter)
    proofs = _joined([made.cases[q] for q in sorted(made.cases)])
    series = [proof for _, proof in proofs if isinstance(proof, SeriesProof)]
    assert len(made.cases) > 3
    assert all(a > b for proof in series for a, b in itertools.pairwise(proof.cardinalities))
