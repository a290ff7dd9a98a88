"""Curves begun while a browser still reads the page's scripts: known when it opens, left to it where they are not."""

import threading

import pytest

import nnspca
from nnspca.view.explore.variance import ahead
from nnspca.view.frame.delivery import Delivery
from nnspca.view.session import catalogue, curves, store
from nnspca.view.session.preparation import Preparation
from nnspca.view.session.state import State
from tests.pages.conftest import settle
from tests.pages.test_delivery import Origin, ask

SOON = 20.0


def points(now, ks, methods):
    data = catalogue.local_dataset(now.data)
    return curves.Points(store.curve_key(data, now, ks, methods))


def test_what_was_solved_ahead_is_what_the_page_shows_and_is_not_sought_again(open_page, monkeypatch):
    assert ahead.solve("data=pitprops&ks=2,5&seed=771").done
    found = points(State(data="pitprops", seed=771), (2, 5), ("best", "em"))
    assert Preparation.of(catalogue.local_dataset("pitprops"), (), standardise=False, repair=False).is_held()
    parts = {(k, name): found.component(k, name) for k in (2, 5) for name in ("best", "em")}
    assert all(parts.values())
    page = settle(open_page("pages/variance.py", data="pitprops", ks="2,5", seed=771))
    (job,) = page.session_state["_jobs"].values()
    shown = {(p.k, p.method): p.component for p in job.arrived}
    assert all(shown[key] is part for key, part in parts.items())


def test_the_page_goes_on_where_it_was_left(open_page, monkeypatch):
    begun, told = threading.Event(), []

    def endless(cov, ks, methods, *, known, should_stop, **rest):
        if known(2, "best") is None and not told:
            told.append("ahead")
            rest["on_point"](nnspca.SweepPoint(2, "best", nnspca.solve(cov, 2)))
            begun.set()
            while not should_stop():
                pass
        return solved(cov, ks, methods, known=known, should_stop=should_stop, **rest)

    solved = curves.path
    monkeypatch.setattr(curves, "path", endless)
    ended = []
    thread = threading.Thread(target=lambda: ended.append(ahead.solve("data=pitprops&ks=2,5&seed=772")))
    thread.start()
    assert begun.wait(SOON)
    assert ahead.solve("data=pitprops&ks=2,5&seed=772") is None, "it is under way"
    page = settle(open_page("pages/variance.py", data="pitprops", ks="2,5", seed=772))
    thread.join(SOON)
    assert ended[0].done and ended[0].stopped
    (job,) = page.session_state["_jobs"].values()
    assert {(p.k, p.method) for p in job.arrived} == {(k, name) for k in (2, 5) for name in ("best", "em")}
    assert not curves._ahead
    assert not curves._solving


def test_what_a_page_solves_is_not_begun_ahead_of_the_next_one():
    now = State(data="pitprops", seed=775)
    with curves._taken_over(points(now, (2,), ("best",)).path):
        assert ahead.solve("data=pitprops&ks=2&methods=best&seed=775") is None
    assert ahead.solve("data=pitprops&ks=2&methods=best&seed=775").done


def test_one_that_was_taken_over_does_not_end_the_next(monkeypatch):
    begun, left, ends = threading.Semaphore(0), threading.Event(), []

    def slow(*given, should_stop, **rest):
        begun.release()
        while not should_stop():
            pass
        if not ends:
            left.wait(SOON)  # the first winds down

    monkeypatch.setattr(curves, "path", slow)
    query = "data=pitprops&ks=2&seed=776"
    runs = [threading.Thread(target=lambda: ends.append(ahead.solve(query))) for _ in range(2)]
    runs[0].start()
    assert begun.acquire(timeout=SOON)
    with curves._taken_over(points(State(data="pitprops", seed=776), (2,), ("best", "em")).path):
        pass
    runs[1].start()
    assert begun.acquire(timeout=SOON)
    (second,) = curves._ahead.values()
    left.set()
    runs[0].join(SOON)
    assert list(curves._ahead.values()) == [second] and not second.stopped
    second.stop()
    runs[1].join(SOON)
    assert not curves._ahead


def test_what_a_stopped_one_carries_over_is_not_kept(monkeypatch):
    def stopped(cov, ks, methods, *, should_stop, on_point, **rest):
        while not should_stop():
            pass
        on_point(nnspca.SweepPoint(2, "best", nnspca.solve(cov, 2)))

    monkeypatch.setattr(curves, "path", stopped)
    monkeypatch.setattr(curves, "COMING", 0.1)
    ahead.solve("data=pitprops&ks=2&methods=best&seed=777")
    assert points(State(data="pitprops", seed=777), (2,), ("best",)).component(2, "best") is None


def test_nobody_has_more_than_a_few_begun(monkeypatch):
    going, asked = threading.Event(), []

    def slow(query):
        asked.append(query)
        going.wait(SOON)

    monkeypatch.setattr(ahead, "solve", slow)
    for number in range(10):
        ahead.begin(f"seed={number}")
    ahead.begin("ks=" + "1-13," * 1000)
    going.set()
    until = threading.Event()
    while sum(thread.name == "nnspca-ahead" for thread in threading.enumerate()):
        until.wait(0.01)
    assert len(asked) == ahead.AT_ONCE
    ahead.begin("seed=11")
    assert ahead._places.acquire(timeout=SOON) and ahead._places.acquire(timeout=SOON), "all places are free again"
    ahead._places.release(ahead.AT_ONCE)


def test_for_somebody_who_never_comes_nothing_is_sought_for_long(monkeypatch):
    def endless(*given, should_stop, **rest):
        while not should_stop():
            pass

    monkeypatch.setattr(curves, "path", endless)
    monkeypatch.setattr(curves, "COMING", 0.1)
    assert ahead.solve("data=pitprops&ks=2&seed=773").done
    assert not curves._ahead


@pytest.mark.parametrize(
    "query",
    [
        "data=nowhere",
        "data=pitprops&ks=900",
        "data=pitprops&ks=two",
        "data=pitprops&seed=1e400",
        "data=pitprops&sign=none",
        "data=pitprops&live=false",
        "data=pitprops&prep=log(1+%2B+x)",
        "data=pitprops&methods=magic",
        "data=%ff%00",
    ],
)
def test_what_is_wrong_with_a_link_is_left_to_the_page(query, monkeypatch):
    monkeypatch.setattr(curves, "path", None)
    assert ahead.solve(query) is None


@pytest.mark.parametrize(("place", "name", "limit"), [(store, "QUICK", 1.0), (ahead, "FEATURES", 12)])
def test_a_large_data_set_is_left_to_the_page_that_shows_its_work(monkeypatch, place, name, limit):
    monkeypatch.setattr(place, name, limit)
    assert ahead.solve("data=pitprops&ks=2&seed=774") is None


def test_the_link_of_a_page_is_told_when_the_page_is_asked_for_and_of_no_other():
    told = []
    app = Delivery(Origin(), ahead={"variance": told.append})
    for path in ("/?k=3", "/parts", "/variance?ks=2,5", "/sub/variance/", "/variance/_stcore/health"):
        ask(app, path, accept="text/html")
    ask(app, "/variance", accept="application/json")
    assert told == ["ks=2,5", ""]


def test_a_page_comes_whatever_fails_ahead_of_it(caplog):
    def fails(query):
        raise RuntimeError("can't start new thread")

    status, _, body = ask(Delivery(Origin(), ahead={"variance": fails}), "/variance", accept="text/html")
    assert (status, b"<title>x</title>" in body) == (200, True)
    assert "nothing could be begun ahead" in caplog.text
