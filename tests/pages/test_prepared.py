"""What a page needs of large data is made as a run, with progress and a Stop that is answered at once."""

import threading
import time

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import cache, tasks
from nnspca.view.sources import preparation
from nnspca.view.sources.preparation import Preparation
from tests.pages.conftest import brought, jobs, owner, settle, texts

SOON = 10  # seconds within which a thread that may go on does so
ROWS = np.random.default_rng(5).integers(0, 9, (30, 6)).astype(float)
PAGES = ("explore", "parts", "data")


class Gate:
    """What forms a covariance waits here until it is opened; ``formed`` counts how often one was formed."""

    def __init__(self):
        self.opened, self.asked, self.formed = threading.Event(), threading.Event(), 0

    def form(self, data, standardize=False, form=nnspca.Covariance.from_dataset, **rest):
        if standardize:
            self.formed += 1
            self.asked.set()
            self.opened.wait(SOON)
        return form(data, standardize, **rest)


@pytest.fixture
def gate(monkeypatch):
    """Every data set is a large one, and no covariance of standardised data is formed before the gate is open."""
    one = Gate()
    monkeypatch.setattr(nnspca.Covariance, "from_dataset", one.form)
    monkeypatch.setattr(preparation, "QUICK", 0.0)
    monkeypatch.setattr(tasks, "PATIENCE", 0.05)
    cache.shared.clear()
    yield one
    one.opened.set()


def opened(open_page, name, rows=ROWS, **state):
    """A page alone, with a file of this session in use, standardised."""
    own = {"mine": Dataset(name="mine", title="mine", X=rows)}
    return open_page(f"pages/{name}.py", session=owner(*own.values()), data="mine", scale="standardised", k=2, **state)


@pytest.mark.parametrize("name", PAGES)
def test_every_page_tells_what_it_prepares_and_stops_at_once(open_page, gate, name):
    page = opened(open_page, name)
    assert gate.asked.wait(SOON)
    assert "mine (standardised) is large" in texts(page).replace("*", "")
    begun = time.monotonic()
    page.button(key="stop-prepare").click().run()
    assert time.monotonic() - begun < SOON / 2
    assert not page.exception
    assert "Stopped before **mine** (standardised) was prepared" in texts(page)
    if name == PAGES[0]:  # then it goes on where it was left
        page.button(key="again-prepare").click().run()
        gate.opened.set()
        settle(page)
        assert "vary together most" in texts(page)
        assert "prepare" not in page.session_state["session"].jobs
        assert page.session_state["data"] == "mine"


def test_data_compared_are_prepared_in_one_run(open_page, gate):
    page = opened(open_page, "compare", what="data sets", vs=["mine", "pitprops"])
    assert gate.asked.wait(SOON)
    assert "stop-prepare" in [button.key for button in page.button]
    gate.opened.set()
    settle(page)
    assert "stop-prepare" not in [button.key for button in page.button]
    assert any(button.label == "Solve live" for button in page.button)


def test_small_data_start_no_run(open_page, monkeypatch):
    started = []
    monkeypatch.setattr(tasks, "ask", started.append)
    page = opened(open_page, "data", prep=["log1p", "project-out"])
    assert not started
    assert "In use" in "".join(header.value for header in page.header)


def test_all_that_a_page_needs_is_made_by_the_run_and_is_held(monkeypatch):
    told = []
    one = Preparation(Dataset(name="counts", X=ROWS), ("log1p", "project-out"), standardise=True)
    assert not one.is_held()
    one.make(lambda share, doing: told.append(doing), lambda: False)
    assert one.is_held()
    assert told == ["Preparing the data", "Preparing the covariance", "Computing the spectrum"]
    monkeypatch.setattr(nnspca.Covariance, "from_dataset", lambda *_, **__: pytest.fail("made again"))
    data = Preparation.of(one.raw, ("project-out", "log1p"), standardise=True, repair=False).data()
    assert data.notes[-1].startswith("Centred")
    preparation.eigenvalues(data, standardise=True, repair=False)


def test_a_run_that_is_stopped_makes_nothing_more():
    one = Preparation(Dataset(name="left", X=ROWS), ("log1p",))
    one.make(lambda share, doing: None, lambda: True)
    assert not one.is_held()
    assert cache.shared().holds(one.data_key)


def test_a_matrix_that_is_no_covariance_is_refused_without_looking_again(monkeypatch):
    one = Preparation(Dataset(name="indefinite", X=[[1.0, 2.0], [2.0, 1.0]], kind="covariance"))
    one.make(lambda share, doing: None, lambda: False)
    assert one.is_held()
    monkeypatch.setattr(nnspca.Covariance, "from_dataset", lambda *_, **__: pytest.fail("looked again"))
    for _ in range(2):
        with pytest.raises(nnspca.DataError, match="most negative eigenvalue is -1"):
            preparation.covariance_for(one.raw, standardise=False, repair=False)


def test_the_repair_of_a_matrix_is_a_run_of_its_own(open_page, monkeypatch):
    page = brought(open_page("pages/data.py"), ("bent.csv", b"a,b,c\n1,0.9,0.1\n0.9,1,0.9\n0.1,0.9,1\n"))
    monkeypatch.setattr(preparation, "QUICK", 0.0)
    begun = []
    ask = tasks.ask
    monkeypatch.setattr(tasks, "ask", lambda task, *given: begun.append(task.kind) or ask(task, *given))
    next(toggle for toggle in page.toggle if toggle.label.startswith("Take the nearest")).set_value(True).run()
    settle(page)
    assert begun == ["read"] * len(begun) and begun
    assert "Repaired: the nearest covariance differs" in texts(page)


@pytest.mark.parametrize("who", [0, 1], ids=["who makes it", "who waits for it"])
def test_one_visitors_stop_leaves_the_others_preparation_alone(open_page, gate, who):
    pages = []
    for _ in range(2):
        pages.append(opened(open_page, "explore", rows=ROWS + 1))
        assert gate.asked.wait(SOON)
    stopped, other = pages[who], pages[1 - who]
    stopped.button(key="stop-prepare").click().run()
    assert "Stopped before **mine** (standardised) was prepared" in texts(stopped)
    (job,) = jobs(other)
    assert not job.done
    assert not job.stopped
    other.run()
    assert "Stopped" not in texts(other)
    gate.opened.set()
    settle(other)
    assert "prepare" not in other.session_state["session"].jobs
    assert any(button.label == "Solve live" for button in other.button)
    assert gate.formed == 1
    stopped.button(key="again-prepare").click().run()
    settle(stopped)
    assert "Stopped" not in texts(stopped)
    assert gate.formed == 1


def test_the_data_page_shows_a_preparation_above_all_else_where_the_sidebar_that_asks_is(open_page, gate):
    page = opened(open_page, "data", rows=ROWS + 2)
    assert "is large: it is prepared once" in page.caption[0].value
    assert not page.header, "all that follows waits for it"
    gate.opened.set()
    assert settle(page).header[0].value == "In use: mine"
