"""A schedule runs attempts in their order, keeps the least of each name, and tells how far it has come."""

import numpy as np
import pytest

import nnspca
from nnspca.bounds.bound import Attempt, BoundInfo, Proven
from nnspca.bounds.schedule import BoundSchedule, attempts
from nnspca.covariance.problem import Problem
from nnspca.result import Bound

PROBLEM = Problem(nnspca.Covariance.from_matrix(np.eye(2)), 1, True)


class Gaps:
    """A plan of one gap."""

    narrow = 0.5


def entry(name, *turns):
    """An entry whose attempts yield the values given: (at, values, options of the attempt)."""

    def making(values):
        return lambda problem, plan, known: (Bound(name, value) for value in values)

    made = tuple(Attempt(at, making(values), **options) for at, values, options in turns)
    return BoundInfo(name, name, name, (), attempts=made)


def scheduled(*entries, last=100):
    schedule = BoundSchedule()

    def known():
        return Proven(lower=1.0, bounds=dict(schedule.bounds), least=schedule.least)

    told = list(schedule.run_attempts({info.name: info for info in entries}, PROBLEM, Gaps(), known, last=last))
    return schedule, told


def test_attempts_are_made_in_their_order_whatever_that_of_the_entries():
    schedule, told = scheduled(entry("b", (40, [2.0], {})), entry("a", (20, [3.0], {}), (60, [1.5], {})))
    assert [(fraction, bound.name, bound.value) for fraction, bound in told] == [
        (0.2, "a", 3.0),
        (0.4, "b", 2.0),
        (0.6, "a", 1.5),
    ]
    assert list(schedule.bounds) == ["b", "a"]
    assert schedule.upper == 1.5


def test_a_bound_that_is_made_again_and_worse_stays_as_it_was():
    schedule, _ = scheduled(entry("a", (20, [3.0], {}), (60, [4.0], {})))
    assert schedule.bounds["a"].value == 3.0


def test_nothing_is_made_that_comes_after_the_last():
    assert len(scheduled(entry("a", (20, [3.0], {}), (60, [2.0], {})), last=60)[1]) == 2
    assert len(scheduled(entry("a", (20, [3.0], {}), (60, [2.0], {})), last=50)[1]) == 1


@pytest.mark.parametrize("counts_for_gap, made", [(True, 1), (False, 2)])
def test_only_what_counts_can_close_a_gap(counts_for_gap, made):
    """Nothing that counts leaves the gap open, and what does not count may be as small as it likes."""
    first = entry("a", (20, [1.4], {"counts_for_gap": counts_for_gap}))
    assert len(scheduled(first, entry("b", (40, [1.0], {"above": "narrow"})))[1]) == made


def test_progress_rises_evenly_where_the_number_of_bounds_is_foreseen():
    turn = (20, [5.0, 4.0, 3.0, 2.0], {"expected": lambda problem, plan: 4.0})
    _, told = scheduled(entry("a", turn), entry("b", (60, [1.0], {})))
    assert [fraction for fraction, _ in told] == pytest.approx([0.3, 0.4, 0.5, 0.6, 0.6])


@pytest.mark.parametrize("expected", [None, lambda problem, plan: 0.0, lambda problem, plan: 1.5])
def test_progress_never_leaves_the_attempts_share_of_the_work(expected):
    turn = (20, [5.0, 4.0, 3.0], {"expected": expected})
    fractions = [fraction for fraction, _ in scheduled(entry("a", turn), entry("b", (60, [1.0], {})))[1]]
    assert fractions == sorted(fractions)
    assert fractions[0] >= 0.2
    assert fractions[-2] <= fractions[-1] == 0.6


def test_a_bound_with_some_probability_only_lowers_no_upper_bound_and_closes_no_gap():
    def sampled(problem, plan, known):
        yield Bound("sampled", 1.0, deterministic=False, probability=0.9)

    probable = BoundInfo("sampled", "", "", (), attempts=(Attempt(40, sampled, counts_for_gap=True),))
    schedule, made = scheduled(entry("a", (20, [3.0], {})), probable, entry("b", (60, [2.5], {"above": "narrow"})))
    assert [bound.name for _, bound in made] == ["a", "sampled", "b"]
    assert schedule.upper == 2.5


def test_entries_without_attempts_are_no_turn():
    assert attempts({"a": entry("a"), "b": entry("b", (40, [], {}))})[0][0].name == "b"
    assert BoundSchedule().upper == np.inf
