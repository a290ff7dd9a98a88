"""The ledger never shows an upper bound below the optimum, and never forgets a better component."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import nnspca
from nnspca.bounds import carried
from nnspca.result import Component
from nnspca.view import ledger, stored
from nnspca.view.cache import nbytes
from nnspca.view.ledger import Known, Ledger
from tests import ledger as made
from tests import shelf
from tests.oracle import allows, optima_of_parts
from tests.problems import any_rank, correlation, equal_rows, scaled, spiked, zero_rows

KINDS = (any_rank, correlation, equal_rows, scaled, spiked, zero_rows)
PROBLEM = ("hash", False, True)


def component(variance, n=3, k=1):
    loadings = np.zeros(n)
    loadings[0] = 1.0
    return Component(loadings, variance, "best", k)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("nonnegative", [True, False])
def test_no_bound_carried_over_k_falls_below_the_brute_force_optimum(kind, nonnegative):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        small = kind(rng, 6)
        book, problem = Ledger(), ("hash", False, nonnegative)
        for k in rng.choice(6, 2, replace=False) + 1:
            cert = nnspca.certify(small.cov, int(k), nonnegative=nonnegative)
            book.record(problem, int(k), cert.component, cert.upper)
        for k, known in book.along(problem, range(1, 7), carried.least_variance(small.cov)).items():
            best = small.attained(k, nonnegative)
            assert allows(known.upper, best), (seed, k)
            if known.components:
                assert known.lower <= float(best) * (1 + 1e-9)
                assert known.component.cardinality <= k


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_bound_carried_over_numbers_of_parts_falls_below_the_brute_force_optimum(kind):
    for seed in range(2):
        small = kind(np.random.default_rng(seed), 6)
        book = Ledger()
        one = nnspca.certify(small.cov, 2)
        book.record(PROBLEM, 2, one.component, one.upper)
        joint = nnspca.certify_parts(small.cov, 2, 2)
        book.record(PROBLEM, 2, joint.parts, joint.upper, n_components=2)
        for k in (1, 2, 3):  # three parts of three are more than there are features
            along = book.parts_along(PROBLEM, k, (1, 2, 3), carried.least_variance(small.cov))
            for r, (_, rows) in enumerate(optima_of_parts(small.A, k, 3), start=1):
                assert allows(along[r].upper, sum(map(small.exact, rows))), (seed, k, r)
                assert r == 1 or k == 2 or (along[r].upper < math.inf and along[r].source)  # carried over k


def test_the_better_component_and_the_lower_bound_stay_in_whatever_order_they_come():
    finds = [(component(2.0), 3.5), (component(2.5), math.inf), (None, 3.0), (component(1.0), 4.0)]
    for order in ((0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)):
        book = Ledger()
        for i in order:
            book.record(PROBLEM, 1, *finds[i])
        known = book.at(PROBLEM, 1, 0.5)
        assert (known.lower, known.upper, known.ratio) == (2.5, 3.0, pytest.approx(2.5 / 3.0))


def test_a_component_counts_at_every_larger_k_and_a_bound_at_every_smaller_one():
    book = Ledger()
    book.record(PROBLEM, 2, component(2.0, k=2))
    book.record(PROBLEM, 5, None, 6.0)
    along = book.along(PROBLEM, (1, 2, 4, 5), 1.0)
    assert [along[k].lower for k in (1, 2, 4, 5)] == [0.0, 2.0, 2.0, 2.0]
    assert [along[k].upper for k in (1, 2, 4, 5)] == [6.0] * 4
    assert [along[k].found for k in (1, 2, 4, 5)] == [False, True, False, False]
    assert [along[k].proven for k in (1, 2, 4, 5)] == [False, False, False, True]
    assert along[4].component.k == 4


def test_nothing_known_has_no_share_and_is_not_optimal():
    known = Ledger().at(PROBLEM, 3, 1.0)
    assert (known.ratio, known.optimal, known.bounded, known.components) == (0.0, False, False, ())
    assert not Known(3, upper=2.0).optimal
    with pytest.raises(IndexError):
        _ = known.component


def test_one_part_and_one_component_are_one_problem():
    book = Ledger()
    book.record(PROBLEM, 4, (component(2.0, k=4),), 2.5)
    book.record(PROBLEM, 4, component(2.2, k=4))
    assert book.parts_along(PROBLEM, 4, (1,), 0.0)[1].lower == book.at(PROBLEM, 4, 0.0).lower == 2.2


def test_the_least_recently_used_problems_go_first_and_stored_ones_stay_and_a_find_is_weighed_alone(monkeypatch):
    book, weighed = Ledger(most_bytes=40_000), []
    monkeypatch.setattr(ledger, "nbytes", lambda thing: weighed.append(len(thing)) or nbytes(thing))
    book.record(("stored", False, True), 1, component(1.0, n=1000), 2.0, stored=True)
    for i in range(12):
        book.record((f"live {i}", False, True), 1, component(1.0, n=1000), 2.0)
    assert book.at(("stored", False, True), 1, 0.0).stored
    assert book.at(("live 11", False, True), 1, 0.0).bounded
    assert not book.at(("live 0", False, True), 1, 0.0).bounded
    assert max(weighed) == 1


def test_neither_a_lower_live_bound_nor_one_carried_from_a_stored_one_is_called_stored():
    book = Ledger()
    book.record(PROBLEM, 2, component(1.0, k=2), 2.0, stored=True)
    book.record(PROBLEM, 5, component(2.0, k=5), 3.0, stored=True)
    book.record(PROBLEM, 2, (component(1.0, k=2),) * 3, 4.0, n_components=3, stored=True)
    assert [book.at(PROBLEM, k, 0.5).stored for k in (2, 3, 5)] == [True, False, True]
    along = book.parts_along(PROBLEM, 2, (1, 2, 3), 0.5)
    assert [along[r].stored for r in (1, 2, 3)] == [True, False, True]
    assert math.isfinite(along[2].upper)
    book.record(PROBLEM, 3, None, 2.0 - ledger.CARRIED_LOWER)  # lower by what no page tells
    assert book.at(PROBLEM, 2, 0.5).upper == 2.0
    book.record(PROBLEM, 3, None, 2.0 - 3 * ledger.CARRIED_LOWER)
    assert book.at(PROBLEM, 2, 0.5).carried == 3
    book.record(PROBLEM, 2, None, 1.5)
    assert not book.at(PROBLEM, 2, 0.0).stored


def test_threads_that_write_at_once_lose_nothing():
    book = Ledger()

    def write(shift):
        for i in range(200):
            book.record(PROBLEM, 1 + i % 5, replace(component(1.0 + (i + shift) / 1000), k=1 + i % 5), 9.0 - i / 1000)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    along = book.along(PROBLEM, (1, 5), 0.0)
    assert along[5].lower == 1.0 + 202 / 1000
    assert along[5].upper == 9.0 - 199 / 1000


def test_what_is_stored_is_read_when_its_problem_is_asked_for_and_unpacked_when_a_component_is(monkeypatch):
    records, held = shelf.records(), stored.problems()
    assert {record.problem for record in records.values()} == held.keys()
    monkeypatch.setattr(stored, "unit_vector", lambda *_: pytest.fail("no component was asked for"))
    book = Ledger(held)
    for record in records.values():
        ks = sorted(record.components)
        for k, row in book.along(record.problem, ks, 0.0).items():
            assert (row.stored or row.carried) and row.upper <= record.components[k][1]
            assert row.lower >= record.components[k][0].variance
    monkeypatch.undo()
    record = records[stored.opening_key("lfw-faces")]
    for k in (1, record.opening):
        shown = book.at(record.problem, k, 0.0).component
        assert shown.k == k and (shown.loadings == record.components[k][0].loadings).all()
    parts = book.parts_along(record.problem, record.opening, (3,), 0.0)[3].components
    assert all((a.loadings == b.loadings).all() for a, b in zip(parts, record.parts[record.opening, 3][0], strict=True))
    assert nbytes(book) < sum(8 * record.n * len(record.components) for record in records.values()) / 8


def test_fewer_parts_than_their_number_are_stored_and_read_as_they_are(tmp_path, monkeypatch):
    """Where no third part adds anything, two are the answer for three."""
    parts = tuple(replace(component(2.0, n=4, k=2), loadings=np.eye(4)[i]) for i in range(2))
    record = shelf.Record(
        "few", "few", False, True, 4, 2, {2: (parts[0], 2.5)}, {(2, 2): (parts, 4.5), (2, 3): (parts, 5.0)}
    )
    monkeypatch.setattr(stored, "FILE", tmp_path / "stored.npz")
    made.write({("few", False, True): record})
    known = Ledger(stored.problems()).parts_along(record.problem, 2, (2, 3), 1.0)
    assert [(len(row.components), row.upper, row.stored) for row in known.values()] == [(2, 4.5, True), (2, 5.0, True)]


def test_a_component_stored_without_an_upper_bound_has_the_carried_one_and_is_not_called_proven(tmp_path, monkeypatch):
    part = replace(component(2.0, n=9, k=6), loadings=np.eye(9)[0])
    found = {4: (part, 2.2), 6: (replace(part, variance=2.1), math.inf), 8: (part, 2.4)}
    monkeypatch.setattr(stored, "FILE", tmp_path / "stored.npz")
    made.write({("gap", False, True): shelf.Record("gap", "gap", False, True, 9, 4, found, {})})
    problem = ("gap", False, True)
    known = Ledger(stored.problems()).along(problem, (6, 8), 1.0)
    assert (known[6].lower, known[6].upper, known[6].carried) == (2.1, 2.4, 8)
    assert (known[6].found, known[6].proven, known[6].stored, known[8].stored) == (True, False, False, True)
    assert stored.cardinalities(problem) == (4, 8)


def test_what_follows_of_hundreds_of_k_is_worked_out_once_until_the_next_find(monkeypatch):
    book, asked = Ledger(), []
    for k in range(2, 300):
        book.record(PROBLEM, k, component(float(k), k=k), k + 1.0)
    honest = carried.following
    monkeypatch.setattr(carried, "following", lambda *given: asked.append(given) or honest(*given))
    ks, before = range(1, 301), book.version(PROBLEM)
    first = book.along(PROBLEM, ks, 0.5)
    assert book.along(PROBLEM, ks, 0.5) is first and len(asked) == 300
    book.record(PROBLEM, 7, component(6.0, k=7), 9.0)
    assert book.version(PROBLEM) == before  # nothing of it was better
    book.record(PROBLEM, 7, None, 7.5)
    assert book.version(PROBLEM) != before and book.along(PROBLEM, ks, 0.5)[7].upper == 7.5


def test_what_visitors_ask_of_one_problem_takes_no_more_memory_with_each_choice_of_k():
    book = Ledger()
    book.record(PROBLEM, 1, component(1.0), 2.0)
    sizes, most = {}, ledger.MOST_FOLLOWED
    for k in range(1, 3 * most):
        assert book.at(PROBLEM, k, 1.0).lower == 1.0
        if k % (most // 8) == 0:
            sizes[k] = nbytes(book)
    assert max(sizes.values()) <= 1.1 * max(size for k, size in sizes.items() if k <= most)
