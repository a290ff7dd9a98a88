"""A timer that asks for a part of the page does not undo a choice that the browser has not heard of yet."""

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

from nnspca.view.session import streamlit_private as private


@pytest.fixture
def requests(monkeypatch):
    monkeypatch.setattr(ScriptRequests, "request_rerun", ScriptRequests.request_rerun)
    private.mute_timers()
    return ScriptRequests()


def carrying(k: int) -> WidgetStates:
    return WidgetStates(widgets=[WidgetState(id="k", int_value=k)])


def pending(requests: ScriptRequests) -> WidgetStates | None:
    return requests.on_scriptrunner_ready().rerun_data.widget_states


@pytest.mark.parametrize("again", [RerunData(), RerunData(widget_states=carrying(7))])
def test_what_a_timer_carries_is_not_taken_for_the_persons_choice(requests, again):
    timer = RerunData(fragment_id="part", widget_states=carrying(4), is_auto_rerun=True)
    assert requests.request_rerun(again)  # as st.rerun does, once k was set elsewhere, or as a person's change does
    assert requests.request_rerun(timer)
    assert pending(requests) == again.widget_states
    assert timer.widget_states == carrying(4)


def test_a_timers_part_is_drawn_and_a_persons_choice_after_it_counts(requests):
    assert requests.request_rerun(RerunData(fragment_id="part", widget_states=carrying(4), is_auto_rerun=True))
    asked = requests.on_scriptrunner_ready().rerun_data
    assert (asked.fragment_id_queue, asked.widget_states, asked.is_auto_rerun) == (["part"], None, True)
    assert requests.request_rerun(RerunData(fragment_id="part", is_auto_rerun=True))
    assert requests.request_rerun(RerunData(widget_states=carrying(9)))
    assert pending(requests) == carrying(9)


def test_streamlits_requests_are_taught_once(requests):
    taught = ScriptRequests.request_rerun
    private.mute_timers()
    assert ScriptRequests.request_rerun is taught
