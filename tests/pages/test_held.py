"""What sessions share and what visitors bring is bounded in bytes: made once, the least recently used goes first."""

import functools
import threading
import time
import weakref
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse
from streamlit.testing.v1 import AppTest

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import cache, ledger, session
from nnspca.view.cache import Results, Shared, nbytes
from nnspca.view.sources import preparation, uploads
from tests.pages.conftest import ROOT, brought, drawn_with, says, settle, until

KILO = 128  # doubles of a kilobyte


def test_what_many_ask_for_at_once_is_made_once_and_what_failed_is_tried_again():
    shared, made = Shared(10**6), []

    def make():
        time.sleep(0.05)
        made.append(np.zeros(KILO))
        return made[-1]

    given = []
    together(*[lambda: given.append(shared.get("a", make))] * 8)
    assert len(made) == 1
    assert all(one is made[0] for one in given)
    assert not shared._making
    with pytest.raises(ZeroDivisionError):
        shared.get("failed", lambda: 1 // 0)
    assert shared.get("failed", lambda: 7) == 7


def test_the_least_recently_used_goes_when_what_is_held_outgrows_its_bytes():
    shared = Shared(3000)
    growing = [np.zeros(KILO)]
    shared.get("a", lambda: growing)
    shared.get("b", lambda: np.zeros(KILO))
    shared.get("a", lambda: None)
    shared.get("c", lambda: np.zeros(KILO))
    assert [key for key in "abc" if shared.holds(key)] == ["a", "c"]
    growing.append(np.zeros(KILO))  # as a covariance does that keeps its eigenvectors
    shared.get("d", lambda: np.zeros(KILO))
    assert [key for key in "acd" if shared.holds(key)] == ["c", "d"]
    assert shared.get("e", lambda: np.zeros(10 * KILO)).size  # larger than all: held, as it is in use
    assert not shared.holds("c") and not shared.holds("d")


def test_however_many_go_at_once_each_is_weighed_once(monkeypatch):
    shared, weighed = Shared(10**9), []
    for key in range(300):
        shared.get(key, lambda: np.zeros(KILO))
    monkeypatch.setattr(
        cache, "_weigh", lambda thing, seen, weigh=cache._weigh: weighed.append(1) or weigh(thing, seen)
    )
    shared.most_bytes = 3000
    shared.get("new", lambda: np.zeros(KILO))
    assert len(weighed) == 301 and [key for key in (*range(300), "new") if shared.holds(key)] == [299, "new"]


def test_a_thing_weighs_what_its_arrays_weigh_each_once():
    X = np.random.default_rng(0).normal(size=(40, 30))
    cov = nnspca.Covariance.from_data(X)
    before = nbytes(cov)
    assert before >= 30 * 30 * 8
    cov.eigenpairs(5)
    assert nbytes(cov) > before
    assert nbytes((X, X[:1])) < X.nbytes + 100
    assert nbytes(scipy.sparse.csr_array(np.eye(50))) >= 50 * 12
    assert Results(most_bytes=1).get("x") is None


def file(name, rows=40):
    return f"{name}.csv", ("a,b\n" + "\n".join(f"{i},{i * i % 7}" for i in range(rows))).encode()


@pytest.fixture
def bring(open_page):
    """Return ``bring(name)``: a new visitor's data page with a file."""
    return lambda name: brought(open_page("pages/data.py"), file(name))


def together(*acts):
    """Do these at once, each in a thread that begins when all have."""
    begin = threading.Barrier(len(acts))
    threads = [threading.Thread(target=lambda act=act: (begin.wait(), act())) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def held(page):
    return page.session_state["session"].uploads


def weight(page, name):
    desk = page.session_state["session"].desks[name]
    return nbytes(desk.data) + desk.size


def test_the_oldest_file_of_a_visit_goes_for_a_new_one_and_the_page_says_so(bring, monkeypatch):
    page = bring("first")
    monkeypatch.setattr(uploads, "OWN", int(1.5 * weight(page, "first")))
    page = brought(page, file("second"))
    assert list(held(page)) == ["second"]
    assert page.session_state["session"].put_away == ["first"] and says(page.info, "first.")
    page = brought(page, file("first", 41))
    assert page.session_state["session"].put_away == ["second"] and says(page.info, "second.")


def test_where_others_fill_the_room_a_file_is_refused_with_how_much_they_take(bring, monkeypatch):
    before = bring("theirs")
    monkeypatch.setattr(uploads, "ALL", weight(before, "theirs") + 10)
    page = bring("mine")
    assert not held(page)
    problem = page.session_state["session"].desk.problem
    assert "try again later, or upload fewer rows or columns" in problem and says(page.error, problem)
    assert "theirs" in held(before)


def test_files_of_visitors_who_left_make_room(bring, monkeypatch):
    pages = [bring(name) for name in ("first", "second", "third")]
    monkeypatch.setattr(uploads, "ALL", int(3.5 * weight(pages[0], "first")))
    refused = bring("fourth")
    assert says(refused.error, refused.session_state["session"].desk.problem)
    monkeypatch.setattr(session, "seconds_kept", lambda: 0.01)
    for page in pages:
        page.session_state["session"].leave()
    assert until(lambda: not any(held(page) for page in pages))
    assert "fourth" in held(bring("fourth"))


def test_when_a_visit_has_ended_nothing_of_its_file_is_held(short_proofs, monkeypatch):
    page = brought(AppTest.from_file(str(ROOT / "pages/data.py"), default_timeout=30).run(), file("gone"))
    kept = {"session": page.session_state["session"]}
    for name in ("explore", "spannogram"):
        page = AppTest.from_file(str(ROOT / f"pages/{name}.py"), default_timeout=30)
        settle(drawn_with(page, {}, {"data": "gone", "k": 1, **kept}))
    data = kept["session"].uploads["gone"]
    about = data.content_hash, False, True
    assert ledger.shared().at(about, 1, 0.0).bounded
    cov = preparation.covariance_for(data, standardise=False, repair=False)
    left = [weakref.ref(thing) for thing in (data, data.X, cov)]
    visit = kept["session"]
    del data, cov, page, kept  # what Streamlit holds of a session that has ended
    monkeypatch.setattr(session, "seconds_kept", lambda: 0.01)
    visit.leave()
    assert until(lambda: not any(thing() is not None for thing in left))
    assert not ledger.shared().at(about, 1, 0.0).components
    assert not any(held.forget({"gone"}) for held in (cache.shared(), cache.results()))


def test_two_sessions_that_ask_the_same_at_once_have_it_sought_once():
    known, made = Results(), []

    def ask(key):
        with known.sought(key, lambda: False):
            if known.get(key) is None:
                made.append(key)
                time.sleep(0.05)
                known.put(key, key)

    together(*(functools.partial(ask, key) for key in ("one", "one", "other")))
    assert sorted(made) == ["one", "other"]


def test_whoever_waits_for_another_session_hears_stop_and_loses_nothing_by_it():
    known = Results()
    with known.sought("one", lambda: False):
        with known.sought("one", lambda: True):  # does not wait
            pass
        with known.sought("one", lambda: True):  # it was not this one's to give back
            pass
    with known.sought("one", lambda: pytest.fail("no call is at it any more")):
        pass


def test_what_is_weighed_may_come_to_hold_more_meanwhile():
    """Another thread may ask a data set for what it then keeps."""

    @dataclass
    class Kept:
        held: dict

    class Adding(dict):
        def values(self):
            kept.__dict__["more"] = 1.0
            return super().values()

    kept = Kept(Adding(one=np.zeros(4)))
    assert nbytes(kept) >= 32


ROWS = np.random.default_rng(5).integers(0, 9, (30, 6)).astype(float)


def test_steps_are_done_in_their_order_and_those_that_are_impossible_are_not():
    raw = Dataset(name="counts", X=ROWS)
    data = preparation.with_steps(raw, ("project-out", "log1p", "crop-1"))
    assert data.notes[-1].says.startswith("Centred")
    assert preparation.with_steps(raw, ("project-out", "log1p")) is data
    first, second = (preparation.covariance_for(data, True, False) for _ in "ab")
    assert first is second  # for all sessions
    assert preparation.with_steps(raw, ()) is preparation.with_steps(raw, ("crop-1",)) is raw


def test_a_matrix_that_is_no_covariance_is_refused_without_looking_again(monkeypatch):
    data = Dataset(name="indefinite", X=[[1.0, 2.0], [2.0, 1.0]], kind="covariance")
    for _ in range(2):
        with pytest.raises(nnspca.DataError, match="most negative eigenvalue is -1"):
            preparation.covariance_for(data, standardise=False, repair=False)
        monkeypatch.setattr(nnspca.Covariance, "from_dataset", lambda *_, **__: pytest.fail("looked again"))
