"""What a run has drawn reaches the browser, however busy the server, before a part of the page is drawn anew."""

import asyncio
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache

from nnspca.view.session import streamlit_private as private

SCRIPT = """import streamlit as st
st.title("drawn")
st.fragment(lambda: st.text("part"), run_every=0.5)()
"""
LONG = 20.0  # seconds until which a run of three lines has ended on any machine


def in_a_loop(played: Coroutine):
    """Return what this comes to in an event loop of its own: this thread's may be a browser's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, played).result()


async def sent(session: AppSession) -> list[ForwardMsg]:
    """Return what the browser is sent until the session has nothing more to say."""
    messages, until = [], time.monotonic() + LONG
    while session._scriptrunner is not None and time.monotonic() < until:
        await asyncio.sleep(0.02)
        messages += session._browser_queue.flush()
    return messages


async def drawn_twice(session: AppSession) -> list[ForwardMsg]:
    """Return what the browser is sent of a page's second run, where a timer of its first ticks at the end of that.

    The loop that sends the messages has no turn between the two, as on a server that is busy with others.
    """
    session.request_rerun(None)
    (timer,) = (message.auto_rerun for message in await sent(session) if message.HasField("auto_rerun"))
    session.request_rerun(None)
    session._scriptrunner._script_thread.join(LONG)
    session.request_rerun(ClientState(fragment_id=timer.fragment_id, is_auto_rerun=True))
    return await sent(session)


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Return ``play(create)``: what a browser is sent where sessions start their runs by ``create``."""
    monkeypatch.setattr(Runtime, "_instance", MagicMock())
    script = tmp_path / "page.py"
    script.write_text(SCRIPT)

    async def played(create) -> list[ForwardMsg]:
        monkeypatch.setattr(AppSession, "_create_scriptrunner", create)
        return await drawn_twice(
            AppSession(ScriptData(str(script), is_hello=True), MagicMock(), ScriptCache(), lambda: None, {})
        )

    return lambda create: in_a_loop(played(create))


PLAIN = AppSession._create_scriptrunner


@pytest.mark.parametrize(("create", "kept"), [(PLAIN, False), (private._waiting(PLAIN), True)], ids=["plain", "ours"])
def test_what_a_page_draws_is_sent_though_a_timer_of_the_page_before_ticks_meanwhile(play, create, kept):
    """Where the first of these fails, Streamlit has mended it, and what we do about it can go."""
    messages = play(create)
    assert any(message.HasField("auto_rerun") for message in messages) == kept
    assert any(message.delta.new_element.heading.body == "drawn" for message in messages) == kept


class Finished:
    """A run that has ended and takes no more requests."""

    def request_rerun(self, request):
        return False


class Running(Finished):
    """A run that takes requests."""

    def request_rerun(self, request):
        self.asked = request
        return True


@pytest.mark.parametrize("becomes", ["over", "another", "left", "silent", "gone"])
def test_a_request_waits_for_the_run_before_and_no_longer(monkeypatch, becomes):
    monkeypatch.setattr(private, "AGAIN", 0.001)
    begun, another = [], Running()

    async def play() -> None:
        session = SimpleNamespace(
            _scriptrunner=Finished(),
            _event_loop=asyncio.get_running_loop(),
            _state=AppSessionState.APP_IS_RUNNING,
            _fragment_storage=SimpleNamespace(contains=lambda part: becomes != "gone"),
        )
        request = SimpleNamespace(fragment_id="part")
        private._waiting(lambda *asked: begun.append(asked))(session, request, 0.05)
        await asyncio.sleep(0.005)
        assert not begun
        if becomes == "over":
            session._scriptrunner = None
        elif becomes == "another":
            session._scriptrunner = another
        elif becomes == "left":
            session._state = AppSessionState.SHUTDOWN_REQUESTED
        await asyncio.sleep(0.2)
        expected = [(session, request)] if becomes in ("over", "silent") else []
        for _ in range(100):  # a busy machine may wake this before what was due earlier
            if begun == expected:
                break
            await asyncio.sleep(0.05)
        assert begun == expected
        assert (getattr(another, "asked", None) is request) == (becomes == "another")

    in_a_loop(play())


def test_streamlits_sessions_are_taught_once(monkeypatch):
    monkeypatch.setattr(AppSession, "_create_scriptrunner", AppSession._create_scriptrunner)
    private.finish_before_rerun()
    taught = AppSession._create_scriptrunner
    private.finish_before_rerun()
    assert AppSession._create_scriptrunner is taught
    assert taught.waits
