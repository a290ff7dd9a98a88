"""What the server keeps for one open page: news that its components ask for, and files to download.

Both are answered by routes of the app, beside Streamlit's own connection: no rerun, and nothing that
another run of the page can take away. An address cannot be guessed. It ends with the session: while
the connection is lost and may come back, it stays.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, MutableMapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

import streamlit as st

NEWS, DOWNLOAD = "news", "download"  # first words of the addresses
FILES = 200  # that a visit keeps; the least recently offered goes first
SHARED = ("_uploads", "_readings", "_repaired", "_mixed", "_memory")  # what answers may read of the session's state

Content = bytes | str | Callable[[], bytes]
_values: ContextVar[dict[str, Any] | None] = ContextVar("values", default=None)
_visits: WeakValueDictionary[str, Visit] = WeakValueDictionary()  # each is the session's own


@dataclass(frozen=True)
class File:
    """A file as it is offered: its content, or what makes it, and its media type."""

    content: Content
    mime: str

    def read(self) -> bytes:
        """Return the content, made now where it is made on request."""
        content = self.content() if callable(self.content) else self.content
        return content.encode() if isinstance(content, str) else content


class Visit:
    """One open page of one visitor; ``is_open`` tells whether a browser is connected."""

    def __init__(self) -> None:
        self.name = secrets.token_urlsafe(16)
        self.is_open = True
        self.at_end: Callable[[], None] | None = None  # lets go of what the visit has brought
        self._until = math.inf  # when it has ended, unless the browser comes back
        self._answers: dict[str, Callable[[str], Any]] = {}
        self._files: OrderedDict[tuple[str, str], File] = OrderedDict()
        self._lock = threading.Lock()
        _visits[self.name] = self

    def leave(self) -> None:
        """Note that the browser is gone; the visit ends unless it comes back while Streamlit waits for it."""
        self.is_open = False
        if self.at_end is not None:
            self._until = time.monotonic() + stay()
            waiting = threading.Timer(stay(), self._end)
            waiting.daemon = True
            waiting.start()

    def _end(self) -> None:
        if not self.is_open and time.monotonic() >= self._until and self.at_end is not None:
            self._answers.clear()
            self._files.clear()
            self.at_end()
            self.at_end = None

    def publish(self, name: str, answer: Callable[[str], Any]) -> str:
        """Answer a component that asks for news; return the address.

        ``answer`` is given the version that the browser has, and returns what is to be sent as JSON,
        None where nothing is new.
        """
        self._answers[name] = _with_session(answer)
        return f"{NEWS}/{self.name}/{quote(name)}"

    def answer(self, name: str) -> Callable[[str], Any] | None:
        """Return what answers a component, None where nothing does."""
        return self._answers.get(name)

    def offer(self, key: str, file_name: str, content: Content, mime: str) -> str:
        """Keep a file, in place of an earlier one of this key and name; return its address."""
        with self._lock:
            self._files[key, file_name] = File(_with_session(content) if callable(content) else content, mime)
            self._files.move_to_end((key, file_name))
            while len(self._files) > FILES:
                self._files.popitem(last=False)
        return f"{DOWNLOAD}/{self.name}/{quote(key, safe='')}/{quote(file_name, safe='')}"

    def file(self, key: str, file_name: str) -> File | None:
        """Return a file that is offered, None where there is none."""
        return self._files.get((key, file_name))


def stay() -> float:
    """Return for how many seconds Streamlit waits for a browser that is gone."""
    return float(st.get_option("server.disconnectedSessionTTL"))


@st.cache_resource(scope="session", show_spinner=False, on_release=Visit.leave)
def _enter(name: str) -> Visit:
    """Note that a browser is connected, once for each connection: Streamlit releases it where that ends."""
    visit = _visits[name]
    visit.is_open = True
    return visit


def current() -> Visit:
    """Return the visit of the script that runs."""
    if "_visit" not in st.session_state:
        st.session_state["_visit"] = Visit()
    return _enter(st.session_state["_visit"].name)


def offer(key: str, file_name: str, content: Content, mime: str) -> str:
    """Keep a file for the visit of the script that runs; return its address."""
    return current().offer(key, file_name, content, mime)


def find(name: str) -> Visit | None:
    """Return an open visit by its name."""
    return _visits.get(name)


def values() -> MutableMapping[str, Any]:
    """Return the session's state: that of the script that runs, or of the one that published an answer."""
    bound = _values.get()
    return st.session_state if bound is None else bound  # type: ignore[return-value]


def _with_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that reads the session's state as it is now, in whichever thread it is called."""
    state = {key: st.session_state[key] for key in SHARED if key in st.session_state}

    def call(*arguments: Any) -> Any:
        token = _values.set(state)
        try:
            return function(*arguments)
        finally:
            _values.reset(token)

    return call
