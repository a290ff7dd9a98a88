"""Private names of Streamlit, all in one module, each with what it is needed for."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from streamlit import runtime
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import ScriptRunner, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.state.session_state import SessionState, WStates

__all__ = [
    "DeltaGenerator",
    "ExpanderContainer",
    "PagesManager",
    "finish_before_rerun",
    "forget_in_link",
    "held",
    "mute_timers",
    "session_is_open",
]
# DeltaGenerator, ExpanderContainer: the types of a place on the page and of an expander, for
# annotations. PagesManager: tells that the server's very first visit went to a page without its
# frame.

HELD = 24  # files made on request that are kept until as many later ones have been
SHOWN = 48  # files made beforehand, as the button of a running search has one after another, that are kept likewise
AGAIN = 0.02  # seconds after which a part's redraw looks again whether the run before it has been heard out
HEARD_OUT = 5.0  # seconds until which every run has long said its last
_places = itertools.cycle(range(HELD))
_shown: dict[int, int] = {}  # place of each file made beforehand, the oldest first
_showing = threading.Lock()


def held(data: bytes | str | Callable[[], bytes], mime: str, file_name: str) -> bytes | str | Callable[[], bytes]:
    """Return a file, or what makes one on request, and keep it until it has been fetched.

    Streamlit throws a file away once its page has another in its place, and one made on request
    once two runs of any session have ended: where pages are drawn often, that is before the browser
    that asked for it has come for it.
    """
    if not callable(data):
        content = data.encode() if isinstance(data, str) else data
        file = hash((content, file_name))
        with _showing:
            if file not in _shown:
                place = len(_shown) if len(_shown) < SHOWN else _shown.pop(next(iter(_shown)))
                _shown[file] = place
                _keep(content, mime, f"shown-{place}", file_name)
        return data

    def made() -> bytes:
        content = data()
        _keep(content, mime, f"held-{next(_places)}", file_name)
        return content

    return made


def _keep(content: bytes, mime: str, place: str, file_name: str) -> None:
    """Keep a file until another is kept in this place: as one of a session's own that never ends."""
    if runtime.exists():
        files = runtime.get_instance().media_file_mgr
        address = files.add(content, mime, place, file_name, is_for_static_download=True)
        with files._lock:
            files._files_by_session_and_coord["kept"][place] = address.rpartition("/")[2].partition(".")[0]


def session_is_open() -> Callable[[], bool]:
    """Return a question a worker's thread can ask: is the browser tab of this session still there?"""
    context = get_script_run_ctx()
    if context is None:
        return lambda: True
    server, session = runtime.get_instance(), context.session_id
    return lambda: bool(server.is_active_session(session))


def forget_in_link(key: str) -> None:
    """Take a key out of the link before its widget reads it.

    Streamlit reads the link inside the widget, where a value such as ``inf`` ends the page with an
    OverflowError; the public query parameters cannot delete a key that belongs to a widget.
    """
    context = get_script_run_ctx()
    if context is not None:
        with context.session_state.query_params() as link:
            link._initial_query_params.pop(key, None)
            link.remove_param(key)


def finish_before_rerun() -> None:
    """Let what a run has drawn reach the browser before a part of the page is drawn anew; to be called once.

    A page's timers may ask for their parts while a finished run's last messages still wait to be
    sent, which takes a busy server a second. Streamlit then starts another run and sends nothing
    more of the one before: not its figures, and not the timers it set, without which the page
    stands still for good. Here the request waits instead.
    """
    create = AppSession._create_scriptrunner
    if not hasattr(create, "waits"):
        AppSession._create_scriptrunner = _waiting(create)  # type: ignore[method-assign, assignment]


def _waiting(create: Callable[[AppSession, Any], None]) -> Callable[[AppSession, Any], None]:
    """Return what starts a session's next run as ``create`` does, once the run before it has been heard out."""

    def created(session: AppSession, request: Any, patience: float = HEARD_OUT) -> None:
        before = session._scriptrunner  # none, or one that has come to its end and takes no more requests
        if before is None or patience <= 0:
            create(session, request)
        else:
            session._event_loop.call_later(AGAIN, ask_again, session, request, patience - AGAIN)

    def ask_again(session: AppSession, request: Any, patience: float) -> None:
        over = session._state is AppSessionState.SHUTDOWN_REQUESTED
        if over or (request.fragment_id and not session._fragment_storage.contains(request.fragment_id)):
            return  # the tab is closed, or the part is no longer on the page
        running = session._scriptrunner
        if running is None or not running.request_rerun(request):
            created(session, request, patience)

    created.waits = True  # type: ignore[attr-defined]
    return created


def mute_timers() -> None:
    """Let a timer that asks for a part of the page change no choice; to be called once.

    Each request of a browser carries what all its widgets say. One that a timer sent just before
    the browser heard of a choice made elsewhere, as k in the player, would undo it: Streamlit takes
    the older value for the person's own.
    """
    if not hasattr(ScriptRequests.request_rerun, "mutes"):
        ScriptRequests.request_rerun = _muting(ScriptRequests.request_rerun)  # type: ignore[method-assign, assignment]
        ScriptRunner._run_script = _hearing(ScriptRunner._run_script)  # type: ignore[method-assign, assignment]


def _muting(ask: Callable[[ScriptRequests, RerunData], bool]) -> Callable[[ScriptRequests, RerunData], bool]:
    """Return what asks for a run as ``ask`` does; what a timer's request says of the widgets is put aside."""

    def request_rerun(requests: ScriptRequests, request: RerunData) -> bool:
        if request.is_auto_rerun:
            vars(requests)["said"] = request.widget_states
            request = replace(request, widget_states=None)
        return ask(requests, request)

    request_rerun.mutes = True  # type: ignore[attr-defined]
    return request_rerun


def _hearing(run: Callable[[ScriptRunner, RerunData], None]) -> Callable[[ScriptRunner, RerunData], None]:
    """Return what runs the script as ``run`` does, once the choices that a timer has confirmed are known to be heard.

    Streamlit sends a choice made elsewhere again with every run until some request says the same.
    """

    def ran(runner: ScriptRunner, request: RerunData) -> None:
        said = vars(runner._requests).pop("said", None)
        if said is not None:
            if request.is_auto_rerun and request.page_script_hash != runner._pages_manager.current_page_script_hash:
                request = replace(request, widget_states=said)  # of a page that was left: it names what is to be kept
            else:
                with runner._session_state._lock:
                    confirm(runner._session_state._state, said)
        run(runner, request)

    return ran


def confirm(state: SessionState, said: WidgetStates) -> None:
    """Take what a session has set and a browser's widget says too for that widget's own."""
    heard = WStates(widget_metadata=dict(state._new_widget_state.widget_metadata))
    for widget in said.widgets:
        key = state._key_id_mapper.id_key_mapping.get(widget.id)
        if key in state._new_session_state and widget.id in heard.widget_metadata:
            heard.set_widget_from_proto(widget)
            if heard[widget.id] == state._new_session_state[key]:
                state._new_widget_state.set_from_value(widget.id, state._new_session_state.pop(key))
