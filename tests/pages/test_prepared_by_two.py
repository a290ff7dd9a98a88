"""Two visitors wait for the same large data: it is made once, and one's Stop leaves the other's run alone."""

import threading

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import cache, tasks
from nnspca.view.session import Session
from nnspca.view.sources import preparation
from tests.pages.conftest import jobs, settle, texts

SOON = 10  # seconds within which a thread that may go on does so
ROWS = np.random.default_rng(6).integers(0, 9, (30, 6)).astype(float)


class Gate:
    """What forms a covariance waits here until it is opened; ``formed`` counts how often one was formed."""

    def __init__(self):
        self.opened, self.asked, self.formed = threading.Event(), threading.Event(), 0


@pytest.fixture
def gate(monkeypatch):
    one = Gate()
    form = nnspca.Covariance.from_dataset

    def formed(data, standardize=False, **rest):
        if standardize:
            one.formed += 1
            one.asked.set()
            one.opened.wait(SOON)
        return form(data, standardize, **rest)

    monkeypatch.setattr(nnspca.Covariance, "from_dataset", formed)
    monkeypatch.setattr(preparation, "QUICK", 0.0)
    monkeypatch.setattr(tasks, "PATIENCE", 0.05)
    cache.shared.clear()
    yield one
    one.opened.set()


@pytest.mark.parametrize("who", [0, 1], ids=["who makes it", "who waits for it"])
def test_one_visitors_stop_leaves_the_others_preparation_alone(open_page, gate, who):
    pages = []
    for _ in range(2):
        own = {"mine": Dataset(name="mine", title="mine", X=ROWS)}
        pages.append(
            open_page("pages/explore.py", session=Session(uploads=own), data="mine", scale="standardised", k=2)
        )
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
    own = {"mine": Dataset(name="mine", title="mine", X=ROWS)}
    page = open_page("pages/data.py", session=Session(uploads=own), data="mine", scale="standardised", k=2)
    assert "is large: it is prepared once" in page.caption[0].value
    assert not page.header, "all that follows waits for it"
    gate.opened.set()
    assert settle(page).header[0].value == "In use: mine"
