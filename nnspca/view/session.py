"""What the server holds for one open page: one typed object, with the news and files that its components ask for.

News and files are answered by routes of the app, beside Streamlit's own connection: no rerun, and
nothing that another run of the page can take away. An address cannot be guessed, and answers only the browser that
opened the page. It ends with the session: while the connection is lost and may come back, it stays.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import secrets
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

import numpy as np
import streamlit as st

from nnspca.datasets import Dataset
from nnspca.view.desk import Desk
from nnspca.view.jobs import Job

KEY = "session"  # of Streamlit's own state: the one that is not a widget's
NEWS, DOWNLOAD = "news", "download"  # first words of the addresses
FILES = 200  # that a session keeps; the least recently offered goes first
COOKIE = "nnspca-visitor-"  # and some letters: two pages that a browser opens at once each give it one, and both stay

Content = bytes | str | Callable[[], bytes | str]
Place = tuple[tuple[str, ...], str]  # the pages of a key of the link, and the key
_bound: ContextVar[Session | None] = ContextVar("session", default=None)
_sessions: WeakValueDictionary[str, Session] = WeakValueDictionary()  # each is held by Streamlit's own state


@dataclass(frozen=True)
class File:
    """A file as it is offered: its content, or what makes it, and its media type."""

    content: Content
    mime: str
    packed: bool = False  # whether it is compressed, and stays the same at one address

    def read(self) -> bytes:
        """Return the content, made now where it is made on request."""
        content = self.content() if callable(self.content) else self.content
        return content.encode() if isinstance(content, str) else content


@dataclass(eq=False)
class Session:
    """One open page of one visitor."""

    name: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    is_open: bool = True  # whether a browser is connected
    visitor: frozenset[str] = frozenset()  # the browser that opened it, as :func:`visitor` knows it
    at_end: dict[str, Callable[[], None]] = field(default_factory=dict)  # lets go of what the visit has brought
    jobs: dict[str, Job] = field(default_factory=dict)  # by what they are about: one run of each kind at a time

    linked: dict[str, list[str]] | None = None  # of the link that was opened, what no widget has shown yet
    says: dict[str, list[str]] = field(default_factory=dict)  # what this run writes into the link
    back: str = ""  # the link of the history that the visitor went to, until the sidebar is drawn as it says
    turn: int = 0  # how often the visitor went there, as far as known
    page: str = ""  # the one that is shown
    written: dict[str, list[str]] = field(default_factory=dict)  # what the last run has written
    memory: dict[Place, Any] = field(default_factory=dict)  # what each key of the link last said
    notes: dict[Place, tuple[Any, str]] = field(default_factory=dict)  # about values that could not be used
    # where they will stand in this run; and k, until it is drawn, where a page draws it with its answer; and how
    notes_place: Any = None
    place_of_k: Any = None
    choose_k: Callable[[], object] = lambda: None
    is_whole: bool = True  # whether the whole page is being drawn, not a part of it
    # the runs of a page on which nothing depends on k but its part for k
    at_rest: dict[str, weakref.ref[Job]] | None = None
    assignments: int = 0  # how often widgets were assigned values
    assigned: dict[str, tuple[int, Any, Any]] = field(default_factory=dict)  # by key: which assignment, before, after
    suggested: dict[str, Any] = field(default_factory=dict)  # by key: what its widget is to open with
    opened: str = ""  # the data set whose number of parts was suggested or chosen last
    runs: int = 0  # how often progress was drawn: a component sees that the page was run again
    had: str = ""  # the address of the curve that was sent last

    desk: Desk | None = None  # the file that was brought last, read or not
    desks: dict[str, Desk] = field(default_factory=dict)  # those in use, by the name of the data set
    given: tuple[str, ...] = ()  # files that the page for them had when it was drawn last
    brought: dict[str, str] = field(default_factory=dict)  # content hashes, also of those that made room
    put_away: list[str] = field(default_factory=list)  # names of those that made room
    lost: str = ""  # the data set that a link asked for and that is not here
    # the data set to open before the widgets are drawn, its features, and k where a link has one
    to_open: tuple[str, int, int | None] | None = None

    samples_of: str | None = None  # content hash of the data whose samples were shown last
    dragged: dict[str, np.ndarray] = field(default_factory=dict)  # curves of the spannogram as they were dragged
    curves: tuple[str, np.ndarray] | None = None  # those that are shown, and their key
    pictured: tuple[Any, str, Any] | None = None  # the parts drawn last: of which problem, their name, the picture
    charted: Any = None  # the chart beside it
    answers: dict[str, tuple[str, int]] = field(default_factory=dict)  # by place: the words, and how often they changed
    room: str = ""  # the code of the room that was opened

    @property
    def uploads(self) -> dict[str, Dataset]:
        """Data sets of the visitor's own."""
        return {name: desk.data for name, desk in self.desks.items() if desk.data is not None}

    def __post_init__(self) -> None:
        self._until = math.inf  # when it has ended, unless the browser comes back
        self._answers: dict[str, Callable[[str], Any]] = {}
        self._files: OrderedDict[tuple[str, str], File] = OrderedDict()
        self._lock = threading.Lock()
        _sessions[self.name] = self

    def leave(self) -> None:
        """Note that the browser is gone; the session ends unless it comes back while Streamlit waits for it."""
        self.is_open = False
        if self.at_end:
            self._until = time.monotonic() + seconds_kept()
            waiting = threading.Timer(seconds_kept(), self._end)
            waiting.daemon = True
            waiting.start()

    def _end(self) -> None:
        if not self.is_open and time.monotonic() >= self._until:
            self._answers.clear()
            self._files.clear()
            while self.at_end:
                self.at_end.popitem()[1]()

    def going(self) -> dict[str, weakref.ref[Job]]:
        """Return the runs there are, which this does not keep."""
        return {kind: weakref.ref(job) for kind, job in self.jobs.items()}

    def publish(self, name: str, answer: Callable[[str], Any]) -> str:
        """Answer a component that asks for news; return the address.

        ``answer`` is given the version that the browser has, and returns what is to be sent as JSON,
        None where nothing is new.
        """
        self._answers[name] = answer
        return f"{NEWS}/{self.name}/{quote(name)}"

    def answer(self, name: str) -> Callable[[str], Any] | None:
        """Return what answers a component, None where nothing does."""
        found = self._answers.get(name)
        return None if found is None else self._here(found)

    def offer(self, key: str, file_name: str, content: Content, mime: str, *, packed: bool = False) -> str:
        """Keep a file, in place of an earlier one of this key and name; return its address."""
        with self._lock:
            self._files[key, file_name] = File(content, mime, packed)
            self._files.move_to_end((key, file_name))
            while len(self._files) > FILES:
                self._files.popitem(last=False)
        return f"{DOWNLOAD}/{self.name}/{quote(key, safe='')}/{quote(file_name, safe='')}"

    def file(self, key: str, file_name: str) -> File | None:
        """Return a file that is offered, None where there is none."""
        found = self._files.get((key, file_name))
        return replace(found, content=self._here(found.content)) if found and callable(found.content) else found

    def _here(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function for which this is the current session, in whichever thread it is called."""

        def call(*arguments: Any) -> Any:
            token = _bound.set(self)
            try:
                return function(*arguments)
            finally:
                _bound.reset(token)

        return call


_everyone = Session("everyone")


@cache
def keep_file(name: str, content: bytes, mime: str) -> str:
    """Offer all pages a content that a browser fetches once and keeps; return its address, which changes with it."""
    key = hashlib.sha256(content).hexdigest()[:16]
    return _everyone.offer(key, name, gzip.compress(content, mtime=0), mime, packed=True)


def seconds_kept() -> float:
    """Return for how many seconds Streamlit waits for a browser that is gone."""
    return float(st.get_option("server.disconnectedSessionTTL"))


@st.cache_resource(scope="session", show_spinner=False, on_release=Session.leave)
def _enter(name: str) -> Session:
    """Note that a browser is connected, once for each connection: Streamlit releases it where that ends."""
    session = _sessions[name]
    session.is_open = True
    return session


def enter() -> None:
    """Note that a browser is connected, and which; every run of the app begins so."""
    here = current()
    here.visitor |= visitor(st.context.cookies)
    _enter(here.name)


def current() -> Session:
    """Return the session of the script that runs, or of the one that published what is being answered."""
    session = _bound.get()
    if session is None:
        if KEY not in st.session_state:
            st.session_state[KEY] = Session()
        session = st.session_state[KEY]
    return session


def last_values(*places: Place) -> list[Any]:
    """Return what each key of the link says, or last said where its widget is not shown; None where it never did."""
    here = current()
    widgets: Mapping[str, Any] = st.session_state if _bound.get() is None else {}  # type: ignore[assignment]
    now = [widgets.get(key) for _, key in places]
    return [here.memory.get(place) if value is None else value for place, value in zip(places, now, strict=True)]


def visitor(cookies: Mapping[str, str]) -> frozenset[str]:
    """Return our cookies, by which one browser differs from all others: a few where pages opened at once."""
    return frozenset(value for name, value in cookies.items() if name.startswith(COOKIE) and value)


def find(name: str, cookies: Mapping[str, str]) -> Session | None:
    """Return an open session by its name, for the browser that opened it: others may have read the name in a log."""
    session = _sessions.get(name)
    own = session is not None and (not session.visitor or session.visitor & visitor(cookies))
    return session if own else None
