"""Every name of Streamlit that its documentation does not promise, with what it is needed for."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from streamlit import runtime
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

__all__ = ["DeltaGenerator", "ExpanderContainer", "PagesManager", "forget_in_link", "held", "session_is_open"]
# DeltaGenerator, ExpanderContainer: the types of a place on the page and of an expander, for annotations.
# PagesManager: tells that the server's very first visit went to a page without its frame.

HELD = 24  # files made on request that are kept until as many later ones have been
_places = itertools.cycle(range(HELD))


def held(make: Callable[[], bytes], mime: str, file_name: str) -> Callable[[], bytes]:
    """Return what makes a file on request and keeps it until it has been fetched.

    Streamlit throws such a file away once two runs of any session have ended: where many pages are drawn, that is
    before the browser that asked for it has come for it.
    """

    def made() -> bytes:
        content = make()
        if runtime.exists():
            files = runtime.get_instance().media_file_mgr
            files.add(content, mime, f"held-{next(_places)}", file_name, is_for_static_download=True)
        return content

    return made


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
