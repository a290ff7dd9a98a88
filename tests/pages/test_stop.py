"""Stop is answered at once: before any figure is drawn, and where the work hears it only seconds later."""

import threading

import numpy as np
import pytest
import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import running
from nnspca.view.compare import race, sets
from nnspca.view.explore import folds
from nnspca.view.jobs import FairSemaphore, Job
from nnspca.view.sources import preparation
from tests.pages.conftest import owner, sent, settle
from tests.pages.test_pages import SLOW as ENDLESS

SOON = 60  # seconds within which a thread that may go on does so, however busy the machine


@pytest.fixture
def gate():
    opened = threading.Event()
    yield opened
    opened.set()


def test_a_run_whose_half_is_worth_nothing_is_done_at_once_and_holds_its_worker_until_it_ends(gate):
    shared, begun = FairSemaphore(1), threading.Event()

    def work(job):
        with job.uninterruptible():
            begun.set()
            gate.wait()
        return None if job.should_stop() else "kept"

    job = Job("undivided", workers=shared)
    thread = threading.Thread(target=job.run, args=(work,), daemon=True)
    thread.start()
    assert begun.wait(SOON)
    assert not job.done
    job.stop()
    assert job.done
    assert job.stopped
    after = Job("next", workers=shared)
    threading.Thread(target=after.run, args=(lambda _: "answer",), daemon=True).start()
    assert not after.wait(0.3)
    gate.set()
    assert after.wait(SOON)
    assert after.result == "answer"
    thread.join(SOON)
    assert job.result is None

    def stops_first(job):
        job.stop()
        with job.uninterruptible():
            gate.wait()

    gate.clear()
    early = Job("undivided, stopped before")
    threading.Thread(target=early.run, args=(stops_first,), daemon=True).start()
    assert early.wait(SOON)
    assert early.problem is None


@pytest.fixture
def prepared(monkeypatch, gate):
    """A covariance is formed once the gate is open; what tells that it is asked for, and that it is formed."""
    asked, ended = threading.Event(), threading.Event()

    def endless(*given, form=nnspca.Covariance.from_dataset, **rest):
        asked.set()
        gate.wait()
        ended.set()
        return form(*given, **rest)

    monkeypatch.setattr(nnspca.Covariance, "from_dataset", endless)
    return asked, ended


def test_stop_while_the_covariance_of_large_data_is_prepared_hands_the_page_back(
    open_page, prepared, gate, monkeypatch
):
    monkeypatch.setattr(preparation, "QUICK", 0.0)
    mine = Dataset(name="mine", title="mine", X=np.random.default_rng(5).integers(2, 11, (30, 6)).astype(float))
    page = open_page("pages/explore.py", session=owner(mine), data="mine", scale="standardised", k=2)
    page.button(key="stop-prepare").click().run()
    assert not prepared[1].is_set() and page.warning and not page.exception
    gate.set()
    page.button(key="start-prepare").click().run()
    assert sent(settle(page), "play")["here"]["says"]


def test_stop_while_the_covariance_of_a_file_is_prepared_hands_the_page_back(open_page, prepared):
    asked, ended = prepared
    page = open_page("pages/data.py")
    page.file_uploader(key="upload").set_value([("shapes.csv", b"height,width\n1,2\n3,5\n4,0\n", "text/csv")]).run()
    assert asked.wait(SOON)
    page.button(key="stop-read").click().run()
    assert not ended.is_set() and page.warning
    assert "shapes" not in page.session_state["session"].uploads
    assert page.button(key="read-again")


SETS = {"what": "data sets", "vs": ["digits", "lfw-faces"], "sign": "any sign"}
SLOW = {"data": "lfw-faces", "k": 40, **ENDLESS, "more": True}


@pytest.mark.parametrize(
    ("path", "slot", "panels", "draws", "asked"),
    [
        ("pages/compare.py", "compare", sets, "joint_figure", SETS),
        ("pages/explore.py", "explore", folds, "all_files", SLOW),
        ("pages/compare.py", "race", race, "race_figure", {"what": "solvers", "data": "lfw-faces", "k": 40}),
    ],
)
def test_stop_is_answered_before_a_figure_is_drawn_anew(
    empty_ledger, open_page, monkeypatch, path, slot, panels, draws, asked
):
    page = open_page(path, **asked, seed=4321)
    if slot == "race":
        page.button(key="start-race").click().run()
    page.button(key=f"stop-{slot}").click()

    begun = []

    def end_here(*_, **__):
        begun.append(draws)
        st.stop()

    monkeypatch.setattr(panels, draws, end_here)
    monkeypatch.setattr(running, "PATIENCE", 10.0)  # on a busy machine the run may take a while to hear it
    page.run()
    assert begun
    assert page.warning
