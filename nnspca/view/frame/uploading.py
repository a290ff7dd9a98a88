"""ASGI middleware before Streamlit: a page is its browser's alone; its files are counted, and go with it.

Streamlit resumes a page for anyone who has its identifier, which may stand in a log. It limits the size of one file
alone, takes any number of them for any open page, and keeps them until it happens to collect the page.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nnspca.view.session import seconds_kept, visitor
from nnspca.view.sources.uploads import ALL, OWN

BEGUN = re.compile(rb"\x24([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")  # identifiers, in a page's first message
UPLOAD_PATH = re.compile(rb"/upload_file/([\w-]+)/([\w-]+)")  # an address for a file, as a page is sent it
ASKED = re.compile(r"/upload_file/([\w-]+)/([\w-]+)$")
RESUMES = "sec-websocket-protocol"  # its third word is the identifier of the page that a browser comes back to
LONGEST = 2**16  # bytes of a message that gives identifiers or addresses
SILENT, LASTS = 60.0, 900.0  # seconds that a file on its way may pause, and take in all: 200 MB at 2 Mbit/s
UNKNOWN = "No open page has this address: load the page again, then choose the file again."
TOO_LATE = "The file took too long to come: choose it again, or a smaller one."
GAVE_WAY = "Visitors' files take all of this server's memory, and this was the largest on its way: try again later."


@dataclass(eq=False)
class _Coming:
    """A file on its way."""

    receive: Receive
    size: int = 0  # bytes that have come
    whole: bool = False
    ended: HTTPException | None = None
    _waiting: asyncio.Timeout | None = None

    def __post_init__(self) -> None:
        self._last = asyncio.get_running_loop().time() + LASTS

    async def next(self) -> Message:
        """Return what comes next; HTTPException where that takes too long, or where the file had to give way."""
        until = min(asyncio.get_running_loop().time() + SILENT, self._last)
        try:
            async with asyncio.timeout_at(until) as self._waiting:
                message = await self.receive()
        except TimeoutError:
            self.ended = self.ended or HTTPException(408, TOO_LATE)
        if self.ended is not None:
            raise self.ended
        return message

    def give_way(self) -> None:
        """End it now, also where nothing more of it comes."""
        self.size, self.ended = 0, HTTPException(413, GAVE_WAY)
        with suppress(RuntimeError):  # what has come is being taken: it ends before the next is asked for
            if self._waiting is not None:
                self._waiting.reschedule(0.0)


@dataclass
class _Page:
    """What is known of a page, by the session that Streamlit has for it."""

    visitor: frozenset[str]  # the browser that opened it
    connections: int = 0
    given: set[str] = field(default_factory=set)  # files that it has an address for
    held: dict[str, int] = field(default_factory=dict)  # bytes of those that have come
    coming: set[_Coming] = field(default_factory=set)
    puts: dict[str, Scope] = field(default_factory=dict)  # the requests that brought them

    @property
    def size(self) -> int:
        """Bytes of all files, with what has come of those on their way."""
        return sum(self.held.values()) + sum(one.size for one in self.coming)


class UploadMiddleware:
    """ASGI middleware: resumes pages for the browsers that opened them, and takes their files up to these bytes.

    ``own`` bytes of a page, and of all that a browser has on its way; ``total`` of all.
    """

    def __init__(self, app: ASGIApp, own: int = OWN, total: int = ALL, stay: float | None = None) -> None:
        self._app, self._own, self._total = app, own, total
        self._stay = stay  # seconds that a page may be away; as long as Streamlit waits for it when None
        self._pages: dict[str, _Page] = {}
        self._deleting: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        asked = ASKED.search(scope["path"]) if scope["type"] == "http" else None
        if scope["type"] == "websocket":
            await self._connected(scope, receive, send)
        elif asked is not None and scope["method"] == "PUT":
            await self._put(asked[1], asked[2], scope, receive, send)
        elif asked is not None and scope["method"] == "DELETE":
            if page := self._own_page(asked[1], scope):
                await self._app(scope, receive, send)
                page.held.pop(asked[2], None)
                page.puts.pop(asked[2], None)
            else:
                await PlainTextResponse(UNKNOWN, 404)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _own_page(self, session: str, scope: Scope) -> _Page | None:
        """Return an open page, None where another browser than the one that asks has opened it."""
        page = self._pages.get(session)
        return page if page is not None and page.visitor & visitor(HTTPConnection(scope).cookies) else None

    async def _connected(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note the page of a connection and the addresses that it is given; resume none that is another browser's."""
        own: set[str] = set()
        browser = visitor(HTTPConnection(scope).cookies)
        *words, known = [word.strip() for word in Headers(scope=scope).get(RESUMES, "").split(",", 2)]
        resumed = len(words) == 2 and self._own_page(known, scope) is not None
        if len(words) == 2 and not resumed:
            others = [(name, value) for name, value in scope["headers"] if name != RESUMES.encode()]
            scope = {**scope, "headers": [*others, (RESUMES.encode(), ",".join(words).encode())], "subprotocols": words}

        def enter(session: str, *files: str) -> None:
            page = self._pages.setdefault(session, _Page(browser))
            if page.visitor & browser:  # what is written on one page may name another's
                page.connections += session not in own
                page.given.update(files)
                own.add(session)

        async def noting(message: Message) -> None:
            content = message.get("bytes") or b""
            if browser and len(content) <= LONGEST:
                for session in () if own else BEGUN.findall(content):
                    enter(session.decode())
                for session, file in UPLOAD_PATH.findall(content):
                    enter(session.decode(), file.decode())
            await send(message)

        if resumed:
            enter(known)
        try:
            await self._app(scope, receive, noting)
        finally:
            seconds = seconds_kept() if self._stay is None else self._stay
            for session in own:
                self._pages[session].connections -= 1
                asyncio.get_running_loop().call_later(seconds, self._left, session)

    def _left(self, session: str) -> None:
        """Delete the files of a page that has not come back."""
        if session in self._pages and not self._pages[session].connections:
            page = self._pages.pop(session)
            for coming in page.coming:
                coming.give_way()
            for put in page.puts.values():
                task = asyncio.ensure_future(self._delete(put))
                self._deleting.add(task)
                task.add_done_callback(self._deleting.discard)

    async def _delete(self, put: Scope) -> None:
        """Delete a file as its page would: with the token and cookie of the request that brought it."""

        async def nothing() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def unheard(message: Message) -> None:
            pass

        await self._app({**put, "method": "DELETE"}, nothing, unheard)

    async def _put(self, session: str, file: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a file while there is room for what has come of it."""
        coming, taken = _Coming(receive), False

        async def counted() -> Message:
            message = await coming.next()
            coming.size += len(message.get("body", b""))
            coming.whole = not message.get("more_body")
            if full := self._full(page, coming):
                coming.size = 0
                await _to_the_end(message, coming.next)
                raise HTTPException(413, full)
            return message

        async def heard(message: Message) -> None:
            nonlocal taken
            taken = taken or 200 <= message.get("status", 0) < 300
            await send(message)

        announced = Headers(scope=scope).get("content-length", "")
        page = self._own_page(session, scope) or _Page(frozenset())
        page.coming.add(coming)
        try:
            status, why = 404, UNKNOWN
            if file in page.given:
                status, why = 413, self._full(page, coming, int(announced) if announced.isdigit() else 0)
            if why:
                await _to_the_end({"more_body": True}, coming.next)
                raise HTTPException(status, why)
            await self._app(scope, counted, heard)
        except HTTPException as refused:
            await PlainTextResponse(refused.detail, refused.status_code)(scope, receive, send)
        finally:
            page.coming.discard(coming)
        if taken:
            page.held[file] = coming.size
            page.puts[file] = scope
            if self._pages.get(session) is not page:  # it was left meanwhile
                await self._delete(scope)

    def _full(self, page: _Page, coming: _Coming, more: int = 0) -> str:
        """Say why so many bytes more of a file have no room; nothing where they have, or others give way to it."""
        if page.size + more > self._own:
            return (
                f"The files of this page take {page.size >> 20:,} MB already, and at most {self._own >> 20:,} MB are "
                "taken: remove (×) those that are not needed."
            )
        on_way = [(one, bool(each.visitor & page.visitor)) for each in self._pages.values() for one in each.coming]
        if (owns := sum(one.size for one, own in on_way if own)) + more > self._own:
            return f"{owns >> 20:,} MB of your files are on their way in other pages: wait until they have come."
        for rival in sorted((one for one, own in on_way if not own and not one.whole), key=lambda one: -one.size):
            if self.total_size + more <= self._total or rival.size <= coming.size + more:
                break
            rival.give_way()
        if (total := self.total_size) + more > self._total:
            return (
                f"Visitors' files take {total >> 20:,} MB of this server's memory already, and at most "
                f"{self._total >> 20:,} MB are taken: try again later, or with a smaller file."
            )
        return ""

    @property
    def total_size(self) -> int:
        """Bytes that all pages hold or have on their way."""
        return sum(page.size for page in self._pages.values())


async def _to_the_end(message: Message, take: Callable[[], Awaitable[Message]]) -> None:
    """Let a file that is refused come to its end, unless it is too long: only then does a browser read the answer."""
    left = ALL
    while left > 0 and message.get("more_body"):
        message = await take()
        left -= len(message.get("body", b""))
