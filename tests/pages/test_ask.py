"""One way to have something computed: a task is joined, begun, stopped and begun again; keys tell subjects apart."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from nnspca.datasets import Dataset
from nnspca.view.link.state import State
from nnspca.view.subject import Subject
from nnspca.view.tasks import Task

SOON = 10  # seconds
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
from nnspca.view import tasks
given = st.session_state
task, button = given["task"], tasks.Button("Begin", "", "")
given["job"] = tasks.offer(task, button) if given["button"] else tasks.ask(task)
"""


class Made:
    """A task whose work waits, and how often it was begun and forgotten."""

    def __init__(self, key):
        self.begun, self.forgotten, self.end = 0, 0, threading.Event()
        self.task = Task("kind", key, self.make, self.forget)

    def make(self):
        self.begun += 1
        return lambda job: self.end.wait(SOON)

    def forget(self):
        self.forgotten += 1


def page(made, button=False):
    shown = AppTest.from_string(SCRIPT, default_timeout=30)
    shown.session_state["task"], shown.session_state["button"] = made.task, button
    return shown.run()


def test_a_session_joins_its_run_and_one_of_the_same_kind_for_another_view_stops():
    first, second = Made("a"), Made("b")
    shown = page(first)
    job = shown.session_state["job"]
    assert shown.run().session_state["job"] is job
    assert (first.begun, first.forgotten) == (1, 0)
    shown.session_state["task"] = second.task
    other = shown.run().session_state["job"]
    assert job.stopped and not other.stopped
    assert (other.key, second.begun) == ("b", 1)
    first.end.set()
    second.end.set()


def test_a_button_begins_a_run_that_finds_nothing_of_an_earlier_one_and_waits_while_it_runs():
    made = Made("a")
    shown = page(made, button=True)
    assert shown.session_state["job"] is None
    shown.button[0].click().run()
    job = shown.session_state["job"]
    assert (made.begun, made.forgotten) == (1, 1)
    assert shown.button[0].disabled
    made.end.set()
    assert job.wait(SOON)
    shown.run()
    assert not shown.button[0].disabled
    shown.button[0].click().run()
    assert shown.session_state["job"] is not job
    assert (made.begun, made.forgotten) == (2, 2)
