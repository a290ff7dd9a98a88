"""One way to have something computed: a task is joined, begun, stopped and begun again; keys tell subjects apart."""

import json
import threading
from dataclasses import replace

import numpy as np
import pytest
import streamlit as st

import nnspca
from nnspca.bounds import carried
from nnspca.datasets import Dataset
from nnspca.result import Progress
from nnspca.view import cache, running
from nnspca.view.certificate import proofs
from nnspca.view.compare import race, sets
from nnspca.view.explore import folds
from nnspca.view.jobs import FairSemaphore, Job
from nnspca.view.link.state import AS_IS, State
from nnspca.view.sources import preparation
from nnspca.view.subject import Subject
from tests.pages.conftest import alone, owner, redrawn, sent, settle
from tests.pages.test_pages import SLOW as ENDLESS

SOON = 60  # seconds within which a thread that may go on does so, however busy the machine
NOW = State(data="d", k=3, seed=0)
DATA = Dataset(name="d", X=np.eye(4))
OTHERS = {
    "numbers": (replace(DATA, X=2 * np.eye(4)), NOW),
    "name": (replace(DATA, name="e"), NOW),
    "scale": (DATA, replace(NOW, scale="standardised")),
    "sign": (DATA, replace(NOW, sign="any sign")),
    "k": (DATA, replace(NOW, k=2)),
    "seed": (DATA, replace(NOW, seed=1)),
}


@pytest.mark.parametrize("what", OTHERS)
def test_what_a_result_hangs_on_is_in_its_key(what):
    own, other = Subject(DATA, NOW), Subject(*OTHERS[what])
    assert own.key("solve") != other.key("solve")
    assert own.key("solve") == Subject(replace(DATA), replace(NOW)).key("solve") != own.key("certify")
    assert (own.key_of("sweep", 1) == other.key_of("sweep", 1)) == (what in ("k", "seed"))


SCRIPT = """
import streamlit as st
from nnspca.view import running
given = st.session_state
task, button = given["task"], running.Button("Begin", "", "")
given["job"] = running.offer(task, button) if given["button"] else running.join_or_begin(task)
"""


IN_PLACE = (
    SCRIPT.replace("button) if", "button, in_place=True) if True or")
    + """
if given["job"] is not None:
    running.follow(given["job"])
"""
)


class Made:
    """A task whose work waits, and which keeps what it has found."""

    stopped = False

    def __init__(self, key):
        self.begun, self.end = 0, threading.Event()
        self.task = running.found("kind", key, self.work)

    def work(self, job):
        self.begun += 1
        self.end.wait(SOON)
        return self


def page(made, button=False):
    return alone(SCRIPT, task=made.task, button=button)


def test_a_session_joins_its_run_and_one_of_the_same_kind_for_another_view_stops():
    first, second = Made("a"), Made("b")
    shown = page(first)
    job = shown.session_state["job"]
    assert shown.run().session_state["job"] is job
    shown.session_state["task"] = second.task
    other = shown.run().session_state["job"]
    assert job.stopped and not other.stopped
    assert other.key == "b"
    first.end.set()
    second.end.set()
    assert job.wait(SOON) and other.wait(SOON)
    assert first.begun <= 1 and second.begun == 1


def test_progress_and_stop_take_the_place_of_the_button_and_it_comes_back():
    made = Made("a")
    shown = alone(IN_PLACE, task=made.task)
    shown.button[0].click().run()
    assert [button.label for button in shown.button] == ["Stop"]
    made.end.set()
    assert shown.session_state["job"].wait(SOON)
    assert [button.label for button in shown.run().button] == ["Begin"]


def test_a_button_begins_a_run_that_takes_nothing_from_an_earlier_one_and_waits_while_it_runs():
    made = Made("a")
    cache.results().put("a", "kept")
    shown = page(made, button=True)
    assert shown.session_state["job"] is None
    shown.button[0].click().run()
    job = shown.session_state["job"]
    assert cache.results().get("a") == "kept"  # until there is another
    assert shown.button[0].disabled
    made.end.set()
    assert job.wait(SOON)
    assert cache.results().get("a") is made
    shown.run()
    assert not shown.button[0].disabled
    shown.button[0].click().run()
    assert shown.session_state["job"] is not job
    assert shown.session_state["job"].wait(SOON)
    assert made.begun == 2


def test_what_comes_after_a_run_waits_for_its_first_result_not_for_word_of_how_it_goes():
    shown, curve, begun = Job("shown"), Job("curve"), threading.Event()
    waiting = threading.Thread(target=curve.run, args=(lambda job: begun.set(), shown), daemon=True)
    waiting.start()
    clock = proofs.Clock(shown, 0.0)
    clock.fell(2.0)
    assert not begun.wait(0.3)
    shown.publish("a component")
    assert begun.wait(SOON)
    waiting.join(SOON)


def test_a_rerun_works_out_nothing_about_the_covariance(open_page, monkeypatch):
    least, honest = [], carried.least_variance
    monkeypatch.setattr(carried, "least_variance", lambda cov: least.append(cov) or honest(cov))
    page = open_page(data="pitprops", k=4)
    assert len(least) <= 1
    redrawn(redrawn(page))
    assert len(least) <= 1


class EndsWhile(Job):
    """A run that has handed over its only thing and ends in the page's next wait, which is told too soon."""

    def wait(self, seconds):
        if not self.done:
            thread = threading.Thread(target=self.run, args=(lambda job: job.publish("all"),))
            thread.start()
            thread.join()
        return False


@pytest.fixture
def looks(monkeypatch):
    """The looks at runs that a browser would be asked to take."""
    taken = []
    monkeypatch.setattr(running.canvas, "progress", lambda name, look, every: taken.append(look))
    return taken


def test_the_page_is_drawn_again_after_a_run_that_ended_while_its_bar_was_drawn(looks):
    job = EndsWhile("sudden")
    running.follow(job)
    (look,) = looks
    assert job.done
    assert look()["draw"]


def test_the_page_is_drawn_again_for_news_alone_and_the_bar_tells_how_long_a_long_run_goes(looks):
    job = Job("long")
    job.begun -= running.PATIENCE
    running.follow(job)
    (look,) = looks
    assert not look()["draw"]
    job.begun -= running.LONG + 1.0
    assert "s so far" in look()["text"]
    job.report(Progress(0.5, ""))
    assert " s of about 1" in look()["text"]
    assert not look()["draw"]
    job.publish("a first result")
    assert look()["draw"]


def test_a_message_of_a_component_that_is_gone_or_about_data_closed_while_it_was_on_its_way_changes_nothing():
    """It says how many assignments the browser had seen, and brings the widgets as they were there."""

    def page():
        from types import SimpleNamespace

        import streamlit as st

        from nnspca.view.explore import choices, player
        from nnspca.view.link import canvas, state
        from nnspca.view.sources import catalogue

        answers = (lambda: player.press("why"), lambda: player.press("over"), player.take_point)
        kept = (lambda at=at: canvas.keep_choices(*at) for at in (("play", "ended"), ("a", "draw")))
        for answer in (*answers, *kept):
            answer()
        st.json(sorted(key for key in st.session_state if not key.startswith("_")))
        before = {"data": "lfw-faces", "k": 40, "scale": state.STANDARDISED}
        st.session_state.update(before)
        catalogue.open_dataset("digits", 64)
        before["k"] = 41  # which the browser has moved meanwhile
        for late in (True, False):
            seen = {"seen": 0 if late else state.assignments()}
            said = {"why": {"at": 3} | seen, "over": {"at": 5} | seen, "point": {"k": 9} | seen}
            st.session_state.update({**(before if late else {}), "play": SimpleNamespace(**said)})
            for answer in answers:
                answer()
            asked = [state.last_value(choices.KEYS[key]) for key in ("why", "over")]
            st.json([*(st.session_state[key] for key in before), *asked])

    shown = [json.loads(one.value) for one in alone(page).json]
    assert shown == [[], ["digits", 16, AS_IS, None, None], ["digits", 9, AS_IS, 4, 6]]


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
    monkeypatch.setattr(preparation, "QUICK_PRODUCTS", 0.0)
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
