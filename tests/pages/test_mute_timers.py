"""A timer that asks for a part of the page does not undo a choice that the browser has not heard of yet."""

import threading
from types import SimpleNamespace

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState

from nnspca.view.session import streamlit_private as private


@pytest.fixture
def requests(monkeypatch):
    for where, name in ((ScriptRequests, "request_rerun"), (ScriptRunner, "_run_script")):
        monkeypatch.setattr(where, name, getattr(where, name))
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
    taught = ScriptRequests.request_rerun, ScriptRunner._run_script
    private.mute_timers()
    assert taught == (ScriptRequests.request_rerun, ScriptRunner._run_script)


def session(k: int | None) -> SessionState:
    """A session with a number of the key k, which a callback has set unless it is None."""
    state = SessionState()
    whole = WidgetMetadata("id-k", deserializer=lambda v: v, serializer=lambda v: v, value_type="int_value")
    state._new_widget_state.set_widget_metadata(whole)
    state._key_id_mapper["k"] = "id-k"
    state._old_state["id-k"] = 3
    if k is not None:
        state["k"] = k
    return state


def running(state: SessionState, requests: ScriptRequests, page: str = "here") -> SimpleNamespace:
    return SimpleNamespace(
        _requests=requests,
        _session_state=SimpleNamespace(_state=state, _lock=threading.RLock()),
        _pages_manager=SimpleNamespace(current_page_script_hash=page),
    )


@pytest.mark.parametrize(
    ("held", "said", "new"),
    [(7, 7, False), (7, 4, True), (None, 4, False)],
    ids=["confirmed", "not heard of yet", "nothing set"],
)
def test_a_choice_is_sent_again_until_a_timer_has_confirmed_it(held, said, new):
    state = session(held)
    other = WidgetState(id="unknown", int_value=1)
    private.confirm(state, WidgetStates(widgets=[WidgetState(id="id-k", int_value=said), other]))
    assert state.is_new_state_value("k") is new
    assert state["k"] == (3 if held is None else held)
    state.on_script_will_rerun(WidgetStates(widgets=[WidgetState(id="id-k", int_value=9)]))
    assert state["k"] == 9  # the person's own counts in any case


def test_a_run_begins_with_what_the_last_timer_has_confirmed():
    state, requests, begun = session(7), ScriptRequests(), []
    private._muting(lambda requests, request: True)(
        requests,
        RerunData(widget_states=WidgetStates(widgets=[WidgetState(id="id-k", int_value=7)]), is_auto_rerun=True),
    )
    run = private._hearing(lambda runner, request: begun.append((request, state.is_new_state_value("k"))))
    request = RerunData()
    run(running(state, requests), request)
    run(running(state, requests), request)
    assert begun == [(request, False)] * 2


def test_a_timer_of_a_page_that_was_left_says_which_widgets_are_to_be_kept():
    state, requests, begun = session(7), ScriptRequests(), []
    said = WidgetStates(widgets=[WidgetState(id="id-k", int_value=7)])
    private._muting(lambda requests, request: True)(requests, RerunData(widget_states=said, is_auto_rerun=True))
    late = RerunData(is_auto_rerun=True, page_script_hash="there")
    private._hearing(lambda runner, request: begun.append(request))(running(state, requests), late)
    assert begun[0].widget_states == said
    assert state.is_new_state_value("k")
